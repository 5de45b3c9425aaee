# SPDX-License-Identifier: Apache-2.0
"""A record that lasts: what ndrxd did, and who ordered it."""
import contextlib
import fcntl
import getpass
import os
import pty
import re
import signal
import struct
import subprocess

from checks import at_least, check, contains, ended, equal, lacks
from covers import covers
from fixture import Domain, kill, wait_for

MAINLY = "posix"

TIOCGPTN = 0x80045430  # ioctl(2): the number of a terminal, from its master


def _history(d):
    with open(f"{d.home}/log/history.log", encoding="utf-8") as f:
        return f.read()


def _texts(d, event, *words):
    return [e.text for e in d.rows("events", *words) if e.event == event]


def _user():
    return getpass.getuser()


@covers("xadmin events")
def test_the_history_outlasts_the_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO CRASH"},
               {"srvid": 2, "appopt": "UPPER"})
        equal(d.call("CRASH").err, "TPESVCERR")
        wait_for(lambda: len(_texts(d, "ready", "-i", 1)) == 2, "restarted")
        d.xadmin("stop", "-y")
        events = d.rows("events")
        kinds = [e.event for e in events if e.srvid == 1]
        equal(kinds, ["start", "ready", "died", "retry", "start", "ready",
                      "stop", "exit"])
        died = next(e for e in events if e.event == "died")
        contains(died.text, "killed by signal 9")
        equal((died.who, died.srvid), ("testsv", 1))
        check(any(t.startswith("stop is done: 2 servers")
                  for t in _texts(d, "command")), "the end of the stop")
        equal(len(d.rows("events", "-n", 3)), 3)
        equal({e.srvid for e in d.rows("events", "-i", 2)}, {2})
        before = len(events)
        d.boot()
        at_least(len(d.rows("events", "-n", 1000)), before + 3)


def test_each_order_is_recorded_with_its_giver():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("stop", "-y", "-i", 1)
        order = next(t for t in _texts(d, "command") if t.startswith("stop"))
        check(re.fullmatch(rf"stop id 1 by user {_user()}(, terminal \S+)?, "
                           r"process \d+: xadmin stop -y -i 1", order), order)
        # From a terminal.
        pid, fd = pty.fork()
        if pid == 0:
            os.execve(d.program("xadmin"), ["xadmin", "start", "-i", "1"],
                      d.env)
        number, = struct.unpack("I", fcntl.ioctl(fd, TIOCGPTN, bytes(4)))
        while True:
            try:
                if os.read(fd, 4096) == b"":
                    break
            except OSError:
                break
        os.waitpid(pid, 0)
        os.close(fd)
        order = next(t for t in _texts(d, "command")
                     if t.startswith("start id 1"))
        contains(order, f", terminal pts/{number}, ")
        contains(order, ": xadmin start -i 1")


@covers("xadmin events")
def test_the_words_of_an_order_do_not_say_who_gave_it():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("stop", "-y", "-g", "G by user root', process 1: x", ok=False)
        text = wait_for(lambda: [t for t in _texts(d, "command")
                                 if "process 1:" in t], "recorded")[0]
        check(text.startswith(f"stop 'G by user root\", process 1: x' by user "
                              f"{_user()}"), text)


def test_orders_that_ndrxd_does_not_hear_of_are_recorded_too():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("lcf", "logchg", "-b", "testsv", "-A", "ndrx=4")
        d.xadmin("lcf")
        order, = [t for t in _texts(d, "command") if t.startswith("lcf")]
        check(re.fullmatch(rf"lcf -b testsv -A ndrx=4 logchg by user {_user()}"
                           r"(, terminal \S+)?, process \d+: xadmin lcf logchg "
                           r"-b testsv -A ndrx=4", order), order)
        # also if it fails, as what ndrxd hears of; not what was not meant
        ended(d.run("xadmin", "call", "NONE", text='"secret"'), 1)
        ended(d.run("xadmin", "mqpurge", "-s", "S", "-q", "Q", text="n\n"), 1)
        text = _history(d)
        contains(text, "call NONE by user")
        lacks(text, "secret")
        lacks(text, "mqpurge")


def test_logs_of_the_configuration_do_not_move_the_history():
    with Domain(env={"NDRX_DEBUG_STR": "ndrx=5 file=${NDRX_APPHOME}/all.log",
                     "NDRX_DMNLOG": "/dev/null"}) as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        contains(_history(d), " ready testsv 1 ")
        # Renamed: the next line goes to a file of the old name.
        log = f"{d.home}/log/history.log"
        os.rename(log, log + ".1")
        wait_for(lambda: os.path.exists(log), "noticed", 5)
        d.xadmin("stop", "-i", 1)
        contains(_history(d), " exit testsv 1 ")


def test_names_of_others_carry_no_control_characters():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        r = subprocess.run(["odd\x1b[31mred\nname", "stop", "-i", "1"],
                           executable=d.program("xadmin"), env=d.env,
                           capture_output=True, check=False)
        equal(r.returncode, 0, r.stderr)
        text = _history(d)
        contains(text, ": odd?[31mred?name stop -i 1")
        lacks(text, "\x1b")
        lacks(d.xadmin("events").stdout, "\x1b[31m")


def test_a_domain_does_not_see_what_another_one_in_its_folder_did():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("stop", "-y")
        other = {**d.env, "NDRX_QPREFIX": d.env["NDRX_QPREFIX"] + "x"}

        def xadmin(*words):
            return subprocess.run([d.program("xadmin"), *words], env=other, capture_output=True,
                                  text=True, check=True, timeout=60).stdout
        lacks(xadmin("events"), "testsv")
        before = d.rows("events")
        try:
            xadmin("start", "-y", "-i", "1")
            contains(xadmin("events"), "testsv")
        finally:
            xadmin("stop", "-y")
        equal(d.rows("events"), before)
        contains(_history(d), "\t" + other["NDRX_QPREFIX"] + "\n")


def test_down_is_recorded_too():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.kill_ndrxd()
        d.xadmin("down", "-y")
        last = _texts(d, "command")[-1]
        check(re.match(rf"down by user {_user()}(, terminal \S+)?, process "
                       r"\d+: 1 processes ended, \d+ objects", last), last)
        d.dirty = True


def test_under_systemd_the_history_is_in_the_journal_too():
    """A file stands for the stream of the journal."""
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO CRASH"})
        path = f"{d.home}/journal"
        with open(path, "wb") as out:
            st = os.fstat(out.fileno())
            p = subprocess.Popen(
                [d.program("ndrxd"), "-f", "-b"], cwd=d.home,
                env={**d.env, "JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}"},
                stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        try:
            wait_for(lambda: d.pid(1), "booted")
            equal(d.call("CRASH").err, "TPESVCERR")

            def lines():
                with open(path, encoding="utf-8") as f:
                    return f.read()
            wait_for(lambda: re.search(r"^<4>died testsv 1 \d+ process",
                                       lines(), re.M), "a warning")
            check(re.search(r"^<5>ready testsv 1 ", lines(), re.M), lines())
        finally:
            kill(p.pid, signal.SIGTERM)
            equal(p.wait(20), 0)


def test_a_journal_that_is_not_read_holds_up_nobody():
    """A full pipe stands for the stream of the journal."""
    r, w = os.pipe()
    os.set_blocking(w, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(w, bytes(4096))
    os.set_blocking(w, True)
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        st = os.fstat(w)
        p = subprocess.Popen(
            [d.program("ndrxd"), "-f", "-b"], cwd=d.home,
            env={**d.env, "JOURNAL_STREAM": f"{st.st_dev}:{st.st_ino}"},
            stdin=subprocess.DEVNULL, stdout=w, stderr=w)
        try:
            wait_for(lambda: d.pid(1), "booted")
            contains(_history(d), " ready testsv 1 ")
        finally:
            os.read(r, 1 << 20)  # room again
            kill(p.pid, signal.SIGTERM)
            equal(p.wait(20), 0)
            os.close(w)
        with os.fdopen(r, "rb") as f:
            text = f.read()
        check(re.search(rb"log: \d+ lines of process %d could" % p.pid, text),
              text)


def test_a_history_that_cannot_be_opened_is_tried_again():
    with Domain() as d:
        log = f"{d.home}/log/history.log"
        os.mkdir(log)  # in its place
        d.boot({"srvid": 1, "appopt": "ECHO"})
        os.rmdir(log)
        wait_for(lambda: os.path.exists(log), "opened", 5)
        d.xadmin("stop", "-i", 1)
        contains(_history(d), " exit testsv 1 ")


def test_without_a_history_there_is_nothing_to_list():
    with Domain() as d:
        ended(d.xadmin("events", ok=False), 3, "no ndrxd has run here yet")
        ended(d.xadmin("events", "-n", "0", ok=False), 2, "give a number")
        ended(d.xadmin("clients", ok=False), 3, "no such domain")


@covers("xadmin clients")
def test_clients_are_listed():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CALLON"}, {"srvid": 2, "appopt": "ECHO"})
        equal(d.call("CALLON", "ECHO x").err, "OK")
        rows = {(r.program, r.kind): r for r in d.rows("clients")}
        me = rows["testcl", "client"]
        equal((me.calls, me.open, me.timeouts, me.srvid), (1, 0, 0, 0))
        equal((rows["testsv", "server"].srvid, rows["testsv", "server"].calls),
              (1, 1))
        contains(d.xadmin("clients").stdout, "testcl")
