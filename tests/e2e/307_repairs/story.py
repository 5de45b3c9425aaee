# SPDX-License-Identifier: Apache-2.0
"""xadmin commands for processes and queues; exit codes and refusals."""
import json
import os
import pty
import signal
import subprocess
import time

from checks import at_least, contains, ended, equal, lacks
from covers import covers
from fixture import Domain, Skip, kill, only_on, wait_for
from machine import children_of, pids_of, queues, unlink_queue

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}


@covers("xadmin ps")
def test_ps_filters_processes():
    with Domain() as d:
        d.boot(ECHO)
        mine = d.pid(2)
        out = d.xadmin("ps", "-a", "testsv", "-b", "-i 2 --", "-p").stdout
        contains(out.split(), str(mine), out)
        lacks(out.split(), str(d.pid(1)), out)
        rows = json.loads(d.xadmin("ps", "-x", d.ndrxd_pid(),
                                   "--json").stdout)
        equal({r["pid"] for r in rows if r["program"] == "testsv"},
              {d.pid(1), d.pid(2)})
        at_least(rows[0]["rss_bytes"], 1)
        r = d.xadmin("ps", "-r", "(", ok=False)
        equal(r.returncode, 2)
        equal(d.xadmin("ps", "-x", "abc", ok=False).returncode, 2)


@covers("xadmin killall")
def test_killall_ends_programs_of_this_domain_by_full_name():
    with Domain() as other, Domain() as d:
        other.boot(ECHO)
        theirs = other.pid(1)
        d.boot({**ECHO, "min": 1, "max": 1})
        p = d.spawn(50, "HAND=ECHO")
        d.wait_ready(50)
        r = d.xadmin("killall", "test", "estsv", ok=False)
        ended(r, 1, "no process test estsv in this domain")
        r = d.xadmin("killall", "testsv")
        contains(r.stderr, "2 processes")
        p.wait()
        equal(other.pid(1), theirs)
        wait_for(lambda: d.call("ECHO", "x").err == "OK", "respawned", 10)
        equal(d.xadmin("killall", ok=False).returncode, 2)


@covers("xadmin qrm")
def test_qrm_keeps_queues_in_use():
    only_on("posix", "shared memory has no queues to remove")
    with Domain() as d:
        d.boot(ECHO)
        queue = f"/{d.prefix},svc,ECHO"
        r = d.xadmin("qrm", queue, ok=False)
        ended(r, 1, "used by 2")
        r = d.xadmin("qrmall", "ECHO", ok=False)
        ended(r, 1, "0 queues removed, 1 kept")
        equal(d.call("ECHO", "x").data, "x")
        r = d.xadmin("qrm", "/another,svc,ECHO", ok=False)
        ended(r, 1, "not a queue of this domain")
        r = d.xadmin("qrm", f"/{d.prefix},svc,NOPE", ok=False)
        ended(r, 1, "no such queue")
        equal(d.xadmin("qrm", "-f", queue).stdout, f"{queue} removed\n")
        lacks(d.xadmin("pqa").stdout, queue)


@covers("xadmin qrmall")
def test_qrmall_removes_queues_whose_names_contain_a_text():
    only_on("posix", "shared memory has no queues to remove")
    with Domain() as d:
        d.boot(ECHO)
        equal(d.call("ECHO", "x").data, "x")
        r = d.xadmin("qrmall", "EC", "NOTHING", ok=False)
        contains(r.stderr, "0 queues removed, 1 kept")
        r = d.xadmin("qrmall", "-f", "", ok=False)  # a variable that is not set
        equal(r.returncode, 2, r.stderr)
        r = d.xadmin("qrmall", "-f", "EC", "NOTHING")
        contains(r.stderr, "1 queues removed, 0 kept")


def test_mailboxes_are_listed_and_not_removed_by_hand():
    only_on("posix", "there qrm removes nothing")
    with Domain() as d:
        d.boot(ECHO)
        c = d.client()
        equal(c.call("ECHO", "x").data, "x")
        mine = [q for q in d.xadmin("pqa").stdout.split()
                if "clt,reply,testcl," in q]
        equal(len(mine), 1)
        ended(d.xadmin("qrm", "-f", mine[0], ok=False), 1,
              "a mailbox in shared memory")
        equal(c.call("ECHO", "y").data, "y")


def test_qrm_has_nothing_to_remove_on_shm():
    only_on("shm", "queues have names")
    with Domain() as d:
        d.boot(ECHO)
        for words in (("qrm", f"/{d.prefix},svc,ECHO"), ("qrmall", "ECHO")):
            r = d.xadmin(*words, ok=False)
            ended(r, 1, "shared memory")
        equal(d.call("ECHO", "x").data, "x")


@covers("xadmin dsleep")
def test_dsleep_stops_ndrxd_and_delays_no_call():
    with Domain() as d:
        d.boot(ECHO)
        begin = time.monotonic()
        p = d.background("xadmin", "dsleep", "1.5")
        wait_for(lambda: _state(d.ndrxd_pid()) == "T", "stopped")
        equal(d.call("ECHO", "x").data, "x")
        equal(p.wait(20), 0)
        at_least(time.monotonic() - begin, 1.5)
        d.xadmin("dping", "-c", 1)
        for bad in ((), ("x",), ("-1",), ("1", "2"), ("4000",)):
            equal(d.xadmin("dsleep", *bad, ok=False).returncode, 2, bad)


def test_ndrxd_does_not_sleep_on_when_the_command_is_killed():
    with Domain() as d:
        d.boot(ECHO)
        pid = d.ndrxd_pid()
        for sig in (signal.SIGKILL, signal.SIGINT, signal.SIGHUP):
            p = d.background("xadmin", "dsleep", "60")
            wait_for(lambda: _state(pid) == "T", "stopped")
            kill(p.pid, sig)
            p.wait(20)
            wait_for(lambda: _state(pid) != "T", f"goes on after {sig}")
        d.xadmin("dping", "-c", 1)


def test_ndrxd_does_not_sleep_on_when_the_command_is_suspended():
    with Domain() as d:
        d.boot(ECHO)
        pid = d.ndrxd_pid()
        shell, terminal = pty.fork()
        if shell == 0:  # -m: the command is a job, as at a prompt
            os.execve("/bin/sh", ["sh", "-c", 'set -m; "$0" dsleep 1.5; '
                                  'exec sleep 1000', d.program("xadmin")],
                      d.env)
        try:
            wait_for(lambda: _state(pid) == "T", "stopped")
            xadmin, = children_of(shell)
            os.write(terminal, b"\x1a")
            wait_for(lambda: _state(xadmin) == "T", "the command is suspended")
            wait_for(lambda: _state(pid) != "T", "ndrxd goes on")
            equal(_state(xadmin), "T")
            d.xadmin("dping", "-c", 1)
        finally:
            kill(shell)
            os.close(terminal)  # SIGHUP for the job
            os.waitpid(shell, 0)


def _state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def test_down_says_what_it_cannot_know():
    """Damaged tables, everybody dead, and queues that cannot be listed."""
    only_on("posix", "queues of the kernel")
    with Domain() as d:
        d.boot(ECHO)
        equal(d.call("ECHO", "x").data, "x")
        d._note_queues()
        for pid in pids_of(d.prefix):
            kill(pid)
        wait_for(lambda: not pids_of(d.prefix), "all dead")
        d.clients.clear()
        with open(d.segment("tables"), "r+b") as f:
            f.write(bytes(os.fstat(f.fileno()).st_blocks * 512))
        r = d.xadmin("down", "-y", ok=False)
        lacks(queues(d.prefix, d.known), f"{d.prefix},svc,ECHO",
              "named after a file in shared memory")
        if os.path.ismount("/dev/mqueue"):
            equal((r.returncode, queues(d.prefix, d.known)), (0, []))
        else:
            ended(r, 1, "some may be left", "mount -t mqueue")
        for name in queues(d.prefix, d.known):
            unlink_queue(name)


@covers("xadmin cabort")
def test_cabort_interrupts_a_start():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO", "sleep_after": 30},
                    {"srvid": 10, "appopt": "UPPER"})
        p = d.background("xadmin", "start", "-y")
        wait_for(lambda: d.pid(1), "the first one")
        r = d.xadmin("cabort", "-y")
        contains(r.stdout, "start is cut off")
        equal(p.wait(10), 1)
        contains(p.stderr.read(), "cut off by `xadmin cabort`")
        equal(d.pid(10), 0)
        equal(d.call("ECHO", "x").data, "x")
        ended(d.xadmin("cabort", "-y", ok=False), 1, "nothing in progress")


@covers("xadmin ldcf")
def test_ldcf_starts_ndrxd_once():
    with Domain() as d:
        d.configure(ECHO)
        d.xadmin("ldcf")
        pid = d.ndrxd_pid()
        contains(d.xadmin("ldcf").stderr, "is loaded")
        equal(d.ndrxd_pid(), pid)
        equal(d.pid(1), 0)


@covers("xadmin udown")
def test_udown_clears_the_domain():
    with Domain() as d:
        d.boot(ECHO)
        d.known |= {f"{d.prefix},svc,ECHO"}
        r = d.xadmin("udown", "-y")
        contains(r.stderr, "is down")
        equal(d.leftovers(), [])


@covers("xadmin svmaps", "xadmin svqids", "xadmin svsemids")
def test_system_v_listings_are_empty():
    with Domain() as d:
        for name in ("svmaps", "svqids", "svsemids"):
            r = d.xadmin(name)
            equal(r.stdout, "", name)
            ended(r, 0, "No System V")


def test_an_order_that_is_refused_does_not_say_that_it_is_finished():
    with Domain() as d:
        d.boot(ECHO)
        for words, says in (
                (("stop", "-i", "999", "-y"), "Nothing was stopped."),
                (("start", "-i", "999", "-y"), "Nothing was started."),
                (("restart", "-i", "999", "-y"), "Nothing was restarted."),
                (("sreload", "-i", "999"), "Nothing was reloaded.")):
            r = d.xadmin(*words, ok=False)
            ended(r, 1, says)
            lacks(r.stderr, "finished", words)


def test_xadmin_has_exit_codes_for_each_failure():
    with Domain() as d:
        d.boot(ECHO)
        for words, code, says in (
                (("psc",), 0, ""),
                (("stop", "-i", "999", "-y"), 1, "no server with id 999"),
                (("start", "-y", "-i", "999"), 1, "no server with id 999"),
                (("appconfig", "sanity", "x"), 1, "sanity"),
                (("psc", "-z"), 2, "no option -z"),
                (("psc", "--jsno"), 2, "no option --jsno"),
                (("psc", "now"), 2, "now: unexpected word"),
                (("stop", "-i"), 2, "-i needs a value"),
                (("stop", "-y", "-i", "x"), 2, "give a server id"),
                (("readv", "-i", "1"), 2, "-s SVC are needed"),
                (("dping", "-c", "0"), 2, "give a count"),
                (("sotp",), 255, "did you mean `stop`?"),
                (("help", "sotp"), 255, "did you mean stop"),
                (("help", "cachedump"), 255, "single replies"),
                (("zzzzzz",), 255, "`help` lists all commands")):
            r = d.xadmin(*words, ok=False)
            ended(r, code, says)
        d.env["NDRX_XADMINTOUT"] = "0.5"
        os.kill(d.ndrxd_pid(), signal.SIGSTOP)
        pid = d.ndrxd_pid()
        try:
            r = d.xadmin("dping", "-c", 1, ok=False)
            ended(r, 4, "NDRX_XADMINTOUT")
        finally:
            os.kill(pid, signal.SIGCONT)
        del d.env["NDRX_XADMINTOUT"]
        d.xadmin("stop", "-y")
        for words in (("psc",), ("ppm",), ("dpid",), ("reload",), ("cat",)):
            equal(d.xadmin(*words, ok=False).returncode, 3, words)


def test_a_missing_environment_variable_is_named():
    with Domain() as d:
        for name in ("NDRX_QPREFIX", "NDRX_APPHOME"):
            value = d.env.pop(name)
            r = d.xadmin("start", "-y", ok=False)
            ended(r, 1, name)
            d.env[name] = value
        value = d.env.pop("NDRX_CONFIG")
        for words in (("testcfg",), ("config",)):
            r = d.xadmin(*words, ok=False)
            ended(r, 1, "NDRX_CONFIG is not set")
        d.env["NDRX_CONFIG"] = value


def _as_nobody(d, *words):
    return subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
         d.program("xadmin"), *words], env=d.env, cwd="/",
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30,
        check=False)


def test_another_user_is_refused_with_the_owner_of_the_domain():
    if os.geteuid() != 0:
        raise Skip("needs root, to be somebody else")
    with Domain() as d:
        d.boot(ECHO)
        if _as_nobody(d, "ver").returncode != 0:
            raise Skip("nobody else can run this build")
        os.chmod(d.home, 0o755)
        os.chmod(os.path.join(d.home, "run"), 0o755)
        for words in (("psc",), ("ppm",), ("pqa",), ("stop", "-y"),
                      ("down", "-y"), ("qrmall", "ECHO"),
                      ("killall", "testsv")):
            r = _as_nobody(d, *words)
            ended(r, 1, "belongs to user root (0)")
        equal(d.call("ECHO", "x").data, "x")


def test_a_domain_with_the_same_home_is_not_commanded():
    """Its ndrxd listens where that of the domain would."""
    with Domain() as d:
        d.boot({**ECHO, "min": 1, "max": 1})
        other = {"NDRX_QPREFIX": "/other" + d.env["NDRX_QPREFIX"].strip("/")[-6:]}
        words = "needs an NDRX_APPHOME of its own"
        for command in (("ppm",), ("start", "-y"), ("reload",), ("stop", "-y")):
            r = d.run("xadmin", *command, env=other)
            ended(r, 1)
            contains(r.stderr, words, command)
        before = d.ndrxd_pid(), d.pid(1)
        contains(d.run("xadmin", "doctor", env=other).stdout, "is that of "
                 f"another domain, too: its ndrxd, process {before[0]}")
        lacks(d.run("xadmin", "doctor").stdout, "another domain")
        r = d.run("xadmin", "down", "-y", env=other)
        contains(r.stderr, words)
        equal((d.ndrxd_pid(), d.pid(1)), before)
        equal(d.call("ECHO", "x").err, "OK")
        equal([r.srvid for r in d.rows("ppm")], [1])
