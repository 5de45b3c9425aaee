# SPDX-License-Identifier: Apache-2.0
"""What happened is read afterwards: from the black box, and from a report."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import tarfile
import tempfile
import time

from checks import at_least, check, contains, equal, lacks
from covers import covers
from disk import Disk
from fixture import Domain, Skip, kill, wait_for
from machine import BUILD, pids_of, small_disk
from terminal import Terminal, need_tmux

MAINLY = "shm"
COST = 10

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO CRASH"}
BOX = {"name": "blackboxsv", "srvid": 90, "appopt": "-p 50 -m 2"}
HEAD = 4096


def _box(d):
    return f"{d.home}/log/blackbox"


def _when(d, *words):
    """(changes, what was said besides)."""
    p = d.xadmin("when", "--json", *words, ok=False)
    return (json.loads(p.stdout) if p.stdout.strip() else []), p.stderr, \
        p.returncode


def _kinds(d, *words):
    return [(c["what"], c["srvid"]) for c in _when(d, *words)[0]]


def _batch(d, *words, env=None):
    return subprocess.run([d.program("ndrxtop"), "-b", "-a", *words],
                          env=env or d.env, capture_output=True, text=True,
                          timeout=60, check=False)


def _recorded(d, size=HEAD):
    wait_for(lambda: os.path.exists(_box(d)) and
             os.path.getsize(_box(d)) > size, "records")


@covers("xadmin when")
def test_a_death_is_read_afterwards():
    with Domain() as d:
        d.boot(ECHO, BOX)
        equal(d.call("ECHO", "x").data, "x")
        _recorded(d)
        kill(d.pid(1))
        wait_for(lambda: ("died", 1) in _kinds(d, "1m"), "the death")
        wait_for(lambda: ("ready", 1) in _kinds(d, "1m"), "the new server")
        c = d.client()
        c.call("ECHO", "y")
        wait_for(lambda: any(k == "joined" for k, _ in _kinds(d, "1m")),
                 "a client")
        c.kill()
        d.clients.clear()
        d.xadmin("down", "-y")
        changes, _, code = _when(d, "1m")
        equal(code, 0)
        at = time.localtime(changes[0]["time_ns"] / 1e9)
        # A second time that is still to come is today's, not yesterday's.
        later = time.strftime("%H:%M", time.localtime(time.time() + 600))
        equal(_kinds(d, time.strftime("%H:%M:%S", at), later),
              [(c["what"], c["srvid"]) for c in changes])
        died = [c for c in changes if c["what"] == "died"]
        equal([(c["who"], c["srvid"]) for c in died], [("testsv", 1)])
        contains(died[0]["text"], "killed by signal 9")
        # ndrxd has told of it: it is not told twice
        lacks([c["pid"] for c in changes if c["what"] == "gone"],
              died[0]["pid"])
        check(all(a["time_ns"] <= b["time_ns"]
                  for a, b in zip(changes, changes[1:])), "in order")
        shown = _batch(d, "--at", "0s", "-s", "events").stdout
        contains(shown, "died")


def _doctor(d):
    return [(r["result"], r["cure"]) for r in json.loads(d.run(
        "xadmin", "doctor", "--json").stdout) if r["what"] == "black box"]


def test_a_domain_without_a_black_box_is_warned():
    with Domain() as d:
        d.boot(ECHO)
        (grade, cure), = _doctor(d)
        equal(grade, "warn")
        contains(cure, 'name="blackboxsv"')
        d.configure(ECHO, BOX)
        d.xadmin("reload")
        equal(_doctor(d), [])
        d.xadmin("stop", "-y", "-i", 90)
        (grade, cure), = _doctor(d)
        equal((grade, "xadmin start -i" in cure), ("warn", True))
        d.configure(ECHO)
        d.xadmin("reload")
        (grade, cure), = _doctor(d)
        contains(cure, 'name="blackboxsv"')


def test_a_black_box_that_records_nothing_is_warned():
    with Domain() as d:
        d.boot(ECHO, {**BOX, "appopt": "-p 60000 -m 2"})
        _recorded(d)
        equal(_doctor(d), [])
        long_ago = time.time() - 200
        os.utime(_box(d), (long_ago, long_ago))
        (grade, cure), = _doctor(d)
        equal((grade, "disk" in cure), ("warn", True))


def test_what_a_signal_has_stopped_is_told():
    with Domain() as d:
        d.boot(ECHO, BOX)
        _recorded(d, HEAD + 1000)
        pid = d.pid(1)
        kill(pid, signal.SIGSTOP)
        try:
            wait_for(lambda: ("stopped", 1) in _kinds(d, "1m"), "stopped")
        finally:
            kill(pid, signal.SIGCONT)
        wait_for(lambda: ("continued", 1) in _kinds(d, "1m"), "it goes on")
        pid = d.ndrxd_pid()
        kill(pid, signal.SIGSTOP)
        try:
            wait_for(lambda: [c for c in _when(d, "1m")[0] if
                              (c["what"], c["who"]) == ("stopped", "ndrxd")],
                     "ndrxd is stopped")
        finally:
            kill(pid, signal.SIGCONT)


def test_the_console_shows_the_servers_of_then():
    with Domain() as d:
        d.boot(ECHO, BOX)
        for _ in range(20):
            equal(d.call("ECHO", "x").data, "x")
        _recorded(d)
        first = d.pid(1)
        time.sleep(1)  # a time is a second: the next one is not this one
        then = time.strftime("%H:%M:%S")
        time.sleep(1)
        kill(first)
        wait_for(lambda: d.pid(1) not in (0, first), "restarted")
        second = d.pid(1)
        wait_for(lambda: str(second) in
                 _batch(d, "--at", "0s", "-s", "servers").stdout, "recorded")
        before = _batch(d, "--at", then, "-s", "servers").stdout
        contains(before, str(first))
        lacks(before, str(second))
        services = _batch(d, "--at", then, "-s", "services").stdout
        contains(services, "ECHO")
        wrong = _batch(d, "--at", "2001-01-01 00:00")
        equal(wrong.returncode, 1)
        contains(wrong.stderr, "has records from")


def test_the_arrows_step_through_the_night():
    need_tmux()
    with Domain() as d:
        d.boot(ECHO, BOX)
        _recorded(d)
        first = d.pid(1)
        time.sleep(1.2)
        then = time.strftime("%H:%M:%S")
        time.sleep(1.2)
        kill(first)
        wait_for(lambda: d.pid(1) not in (0, first), "restarted")
        second = d.pid(1)
        wait_for(lambda: str(second) in
                 _batch(d, "--at", "0s", "-s", "servers").stdout, "recorded")
        with Terminal(d, "ndrxtop", "--at", then, "-s", "servers",
                      columns=132, lines=30) as t:
            t.wait(str(first))
            lacks(t.text(), str(second))

            def shows(key, pid, other):
                t.keys(key)
                time.sleep(0.2)
                return str(pid) in t.text() and str(other) not in t.text()
            wait_for(lambda: shows("Right", second, first), "later")
            wait_for(lambda: shows("Left", first, second), "earlier")


def test_what_nobody_told_is_observed():
    """ndrxd is dead, and everything is killed: the file is there."""
    with Domain() as d:
        d.boot(ECHO, {**BOX, "srvid": 91})
        _recorded(d)
        d.kill_ndrxd()
        wait_for(lambda: ("gone", 0) in _kinds(d, "1m"), "ndrxd's death")
        pid = d.pid(1)
        kill(pid)
        wait_for(lambda: ("gone", 1) in _kinds(d, "1m"), "the server's death")
        for n in (2, 91):
            kill(d.pid(n))
        changes, said, code = _when(d, "1m")
        equal((code, said), (0, ""))
        gone = [c["pid"] for c in changes if c["what"] == "gone"]
        contains(gone, pid)
        d.xadmin("down", "-y")
        before = len(_when(d, "1m")[0])
        d.boot()
        wait_for(lambda: len(_when(d, "1m")[0]) > before, "it goes on")


def test_the_black_box_of_another_domain_is_not_shown():
    """Two domains have one NDRX_APPHOME."""
    with Domain() as d:
        d.boot(ECHO, BOX)
        _recorded(d)
        other = {"NDRX_QPREFIX": "/other" + d.env["NDRX_QPREFIX"].strip("/")[-6:]}
        word = f"is of domain {d.env['NDRX_QPREFIX'].strip('/')}, and"
        for command in (("xadmin", "when", "1m"),
                        ("ndrxtop", "-b", "--at", "0s")):
            r = d.run(*command, env=other)
            equal(r.returncode, 1)
            contains(r.stderr, word)
        report = f"{d.home}/other.tgz"
        d.run("xadmin", "report", report, env=other)
        with tarfile.open(report) as t:
            lacks(t.getnames(), "blackbox")
        d.xadmin("down", "-y")
        # the other one keeps what was recorded
        size = os.path.getsize(_box(d))
        p = d.spawn(91, "-p", "50", "-m", "2", binary="blackboxsv", env=other)
        wait_for(lambda: d.run("xadmin", "when", "1m", env=other).returncode
                 == 0, "its own")
        equal(os.path.getsize(_box(d) + ".old"), size)
        kill(p.pid, signal.SIGTERM)
        p.wait()
        d.procs.pop(p.pid)
        d.run("xadmin", "down", "-y", env=other)


def test_the_night_in_which_the_clock_was_set_back_is_read():
    """What comes after the step is recorded, and is the last that was."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    with tempfile.NamedTemporaryFile(prefix="ow_steps_") as f:
        def step(seconds):
            f.seek(0)
            f.write(struct.pack("q", seconds))
            f.flush()

        step(0)
        with Domain(env={"OW_STEPS_FILE": f.name,
                         "LD_PRELOAD": f"{BUILD}/tests/e2e/libsteps.so"}) as d:
            d.boot(ECHO, BOX)
            _recorded(d)
            first = d.pid(1)
            kill(first)
            wait_for(lambda: ("died", 1) in _kinds(d, "1m"), "a death")
            wait_for(lambda: d.pid(1) not in (0, first), "restarted")
            second = d.pid(1)
            step(-3600)
            wait_for(lambda: ("clock", 0) in _kinds(d, "1m"), "the step")
            lacks(_kinds(d, "1m"), ("died", 1), "that was later")
            kill(second)
            wait_for(lambda: ("died", 1) in _kinds(d, "1m"), "another death")
            wait_for(lambda: d.pid(1) not in (0, second), "restarted")
            third = d.pid(1)
            wait_for(lambda: str(third) in _batch(
                d, "--at", "0s", "-s", "servers").stdout, "of now")
            deaths = [c["pid"] for c in _when(d, "2h", "0s")[0]
                      if c["what"] == "died"]
            equal(deaths, [second])
            equal(_when(d, "2h", "0s")[1], "", "nothing is damaged")


@covers("xadmin report")
def test_a_report_opens_elsewhere_and_has_no_secrets():
    with Domain() as d:
        d.env["NDRX_XA_OPEN_STR"] = "bank:hunter2:db"
        d.boot(ECHO, BOX)
        d.call("CRASH")
        wait_for(lambda: ("died", 1) in _kinds(d, "1m") or
                 ("died", 2) in _kinds(d, "1m"), "a death")
        with open(f"{d.home}/log/app.log", "w", encoding="utf-8") as f:
            f.write("connect PASSWORD=hunter2 to //anna:hunter2@host/db\n")
        d.xadmin("down", "-y")
        with open(f"{d.home}/app.ini", "w", encoding="utf-8") as f:
            f.write("[@global]\nDB_PASSWORD = hunter2\n")
        d.env["NDRX_CCONFIG"] = f"{d.home}/app.ini"
        with open(d.env["NDRX_CONFIG"], "a", encoding="utf-8") as f:
            f.write("<!-- <env name='DB_PASSWORD'>\nhunter2\n</env> -->\n")
        report = f"{d.home}/night.tgz"
        out = d.run("xadmin", "report", report, env={"TZ": "XXX-5:30"}).stdout
        contains(out, report)
        equal(os.stat(report).st_mode & 0o777, 0o600)
        equal(d.xadmin("report", report, ok=False).returncode, 1)
        os.makedirs(f"{d.home}/small")
        with small_disk(f"{d.home}/small", "4k"):
            r = d.xadmin("report", f"{d.home}/small/r.tgz", ok=False)
            equal((r.returncode, os.listdir(f"{d.home}/small")), (1, []))
            contains(r.stderr, "No space left on device")
        with tarfile.open(report) as t:
            names = t.getnames()
            for name in ("README.txt", "blackbox", "log/history.log",
                         "log/app.log", "xadmin/doctor.txt", "xadmin/calls.txt",
                         "environment.txt"):
                contains(names, name)
            for m in t.getmembers():
                lacks(t.extractfile(m).read(), b"hunter2", m.name)
            contains(t.extractfile("log/app.log").read(), b"connect")
            contains(t.extractfile("xadmin/config.txt").read(),
                     b"NDRX_XA_OPEN_STR")
            contains(t.extractfile("README.txt").read(), b"TZ='<+0530>-5:30'")
        # another machine: no domain, no environment
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        p = subprocess.run([d.program("xadmin"), "when", "-r", report, "1m",
                            "--json"], env=env, capture_output=True,
                           text=True, check=False)
        equal(p.returncode, 0, p.stderr)
        check(any(c["what"] == "died" for c in json.loads(p.stdout)),
              p.stdout)
        p = _batch(d, "--report", report, "-s", "services", env=env)
        equal(p.returncode, 0, p.stderr)
        contains(p.stdout, "ECHO")
        with open(report, "r+b") as f:
            f.truncate(900)
        p = _batch(d, "--report", report, env=env)
        equal(p.returncode, 1)
        contains(p.stderr, "damaged")


def test_damage_is_said_and_nothing_wrong_is_shown():
    with Domain() as d:
        d.boot(ECHO, BOX)
        _recorded(d)
        d.call("CRASH")
        wait_for(lambda: any(k == "ready" for k, _ in _kinds(d, "1m")[-1:]),
                 "restarted")
        _recorded(d, 8000)
        d.xadmin("down", "-y")
        whole = [json.dumps(c) for c in _when(d, "10m")[0]]
        at_least(len(whole), 4)
        with open(_box(d), "rb") as f:
            good = f.read()
        rng = random.Random(5)
        said = 0
        for _ in range(12):
            bad = bytearray(good)
            for _ in range(rng.randrange(1, 4)):
                bad[rng.randrange(HEAD, len(bad))] ^= 1 << rng.randrange(8)
            with open(_box(d), "wb") as f:
                f.write(bad)
            changes, err, _ = _when(d, "10m")
            events = [c for c in changes if c["srvid"] != 0 and
                      c["what"] in ("died", "start", "ready", "retry")]
            for c in events:
                contains(whole, json.dumps(c))
            said += "damaged" in err or "half written" in err
            shown = _batch(d, "--at", "0s", "-s", "servers")
            if shown.returncode != 0:
                contains(shown.stderr, "nothing readable was recorded")
        at_least(said, 9)


def _kill_all(d):
    d._note_queues()
    for pid in pids_of(d.prefix):
        kill(pid)
    wait_for(lambda: not pids_of(d.prefix), "all dead")


def test_what_was_recorded_is_read_after_all_were_killed_at_once():
    with Domain() as d:
        before, known = set(), {}
        for n in range(4):
            d.boot(ECHO, {**BOX, "appopt": "-p 20 -m 2"})
            _recorded(d)
            kill(d.pid(1))
            wait_for(lambda: [c for c in _when(d, "10m")[0]
                              if c["what"] == "died" and c["srvid"] == 1 and
                              json.dumps(c) not in before], "this death")
            wait_for(lambda: d.pid(1), "restarted")
            time.sleep(n * 0.007)  # another place between two records
            at = time.time()
            _kill_all(d)
            # Nobody is left, and nothing has cleared up yet.
            changes, said, code = _when(d, "10m")
            equal(code, 0, said)
            lacks(said, "damaged")
            now = {json.dumps(c) for c in changes if c["what"] == "died"}
            check(before < now, f"deaths: {before} {now}")
            before = now
            shown = _batch(d, "--at", "0s", "-s", "servers")
            equal(shown.returncode, 0, shown.stderr)
            contains(shown.stdout, "testsv")
            known = {c["time_ns"] for c in changes}
            check(max(known) / 1e9 <= at + 1, "nothing of the future")
            d.xadmin("down", "-y")
        equal(len(before), 4, "one death each, all of them kept")


def test_a_power_cut_leaves_what_was_synced():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    with Domain() as d:
        folder = f"{d.home}/disk"
        os.makedirs(folder)
        disk = Disk(folder, f"{d.home}/record")
        d.boot(ECHO)
        p = d.spawn(90, "-p", "20", "-m", "2", "-f", f"{folder}/blackbox",
                     binary="blackboxsv", env=disk.env)
        file = f"{folder}/blackbox"
        wait_for(lambda: os.path.exists(file) and
                 os.path.getsize(file) > 6000, "records")
        kill(d.pid(1))
        size = os.path.getsize(file)
        wait_for(lambda: os.path.getsize(file) > size + 3000, "more records")
        kill(p.pid, signal.SIGKILL)
        p.wait()
        d.procs.pop(p.pid, None)
        os.makedirs(f"{d.home}/log", exist_ok=True)
        shown = []
        for n in disk.cuts(4):
            disk.restore(n)
            shutil.copy(file, _box(d))
            changes, _, code = _when(d, "10m")
            equal(code, 0)
            shown.append([json.dumps(c) for c in changes])
        for some, more in zip(shown, shown[1:]):
            check(set(some) <= set(more), "what was there stays there")
        contains("".join(shown[-1]), "died")
