# SPDX-License-Identifier: Apache-2.0
"""ndrxd is killed: calls go on, and a new ndrxd takes over."""
import os
import signal
import time

from checks import at_least, contains, differs, equal, lacks, promptly
from covers import covers
from events import read_events
from fixture import Domain, alive, kill, wait_for
from machine import wait_end

COST = 20
HEAVY = True
SERVERS = 6


def _pids(d):
    return {r.srvid: r.pid for r in d.rows("ppm") if r.state == "runok"}


def _kill_ndrxd(d):
    pid = d.ndrxd_pid()
    kill(pid)
    wait_for(lambda: not alive(pid), "ndrxd dead")


def test_no_call_fails_while_ndrxd_is_killed_ten_times():
    with Domain() as d:
        d.boot({"srvid": 1, "min": SERVERS, "max": SERVERS,
                "appopt": "ECHO"})
        before = _pids(d)
        equal(len(before), SERVERS)
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "ECHO", 0, 4, 50, stop)
        took = []
        for _ in range(10):
            _kill_ndrxd(d)
            equal(d.xadmin("psc").returncode, 0, "psc without ndrxd")
            start = time.monotonic()
            equal(d.run("ndrxd").returncode, 0, "a new one")
            wait_for(lambda: _pids(d) == before, "all adopted")
            took.append((time.monotonic() - start) * 1000)
        open(stop, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.wrong, r.errors), (0, {}))
        at_least(r.ok, 1000, "calls")
        equal(_pids(d), before, "no server was restarted")
        promptly(took, 1000, 2000, "ms until all were adopted")


def test_tprecover_starts_ndrxd_again_and_kills_one_that_hangs():
    with Domain() as d:
        hidden = d.run("exencrypt", "3").stdout.strip()
        d.boot({"srvid": 1, "appopt": "ECHO"},
               {"srvid": 9, "name": "tprecover",
                "appopt": "-c 1 -t 2 -m${dec=" + hidden + "}"})
        before = _pids(d)
        for how in (signal.SIGKILL, signal.SIGSTOP):
            old = d.ndrxd_pid()
            os.kill(old, how)
            wait_for(lambda: not alive(old), "the end of the old one", 30)
            wait_for(lambda: d.xadmin("dpid", ok=False).returncode == 0,
                     "a new one", 30)
            wait_for(lambda: _pids(d) == before, "all adopted")
            with open(f"/proc/{d.ndrxd_pid()}/environ", "rb") as f:
                lacks(f.read(), b"NDRX_HIDDENWORDS")
            equal(d.call("ECHO", "x").data, "x")


def test_a_busy_server_of_a_slow_service_is_not_restarted():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP"},
               settings={"restart_to_check": "2"})
        before = _pids(d)
        busy = [d.client() for _ in range(3)]
        for c in busy:
            c.begin("call", "SLEEP", "-", "STRING:100")
        _kill_ndrxd(d)
        equal(d.run("ndrxd").returncode, 0, "a new one")
        for _ in range(20):  # six seconds in which the server never waits
            for c in busy:
                equal(c.end().err, "OK")
                c.begin("call", "SLEEP", "-", "STRING:100")
        for c in busy:
            equal(c.end().err, "OK")
        equal(_pids(d), before, "no server was restarted")


def test_new_ndrxd_restarts_a_server_that_died_meanwhile():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        before = _pids(d)
        _kill_ndrxd(d)
        kill(before[1])
        equal(d.call("ECHO", "x").data, "x")
        d.xadmin("start", "-y", ok=False)
        wait_for(lambda: len(_pids(d)) == 2, "both run")
        after = _pids(d)
        equal(after[2], before[2])
        differs(after[1], before[1])


def _words(d, srvid, following):
    return [(e.word, e.pid) for e in read_events(d)
            if e.number >= following and e.srvid == srvid and
            e.about == "server"]


def test_new_ndrxd_records_an_orderly_end_in_between():
    """The server has given its slot back: only the record of the dead ndrxd
    shows that there was a process."""
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        before = _pids(d)
        _kill_ndrxd(d)
        kill(before[1], 15)
        wait_for(lambda: not alive(before[1]), "ended")
        following = read_events(d)[-1].number + 1
        d.xadmin("start", "-y", ok=False)
        wait_for(lambda: len(_pids(d)) == 2, "both run")
        equal(_words(d, 1, following),
              [("died", before[1]), ("start", _pids(d)[1]),
               ("ready", _pids(d)[1])])


@covers("xadmin idle")
def test_new_ndrxd_adopts_a_process_without_a_slot():
    """A started process that has not reached tpsvrinit() yet."""
    with Domain() as d:
        go = os.path.join(d.home, "go")
        script = os.path.join(d.home, "late.sh")
        with open(script, "w", encoding="utf-8") as f:
            f.write(f'while [ ! -e {go} ]; do sleep 0.05; done\n'
                    f'exec "$@"\n')
        d.configure({"srvid": 1, "min": 1, "max": 1, "appopt": "ECHO",
                     "cmdline": f"sh {script} ${{NDRX_SVPROCNAME}} "
                                f"${{NDRX_SVCLOPT}}"})
        d.xadmin("idle")
        d.background(d.program("xadmin"), "start", "-y")
        wait_for(lambda: any(e.word == "start" for e in read_events(d)),
                 "started")
        pid = [e.pid for e in read_events(d) if e.word == "start"][0]
        _kill_ndrxd(d)
        d.xadmin("idle")
        wait_for(lambda: any(e.word == "adopt" for e in read_events(d)),
                 "adopted")
        open(go, "w", encoding="utf-8").close()
        wait_for(lambda: _pids(d) == {1: pid}, "the same process serves")
        wait_for(lambda: [e.word for e in read_events(d) if e.srvid == 1] ==
                 ["start", "adopt", "ready"], "it has three events")


def _process_state(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


def test_a_server_whose_start_is_on_no_record_is_taken_over():
    """ndrxd was killed just after it had made the process, and the next one makes
    another. The first comes first: it is the server, as if started by hand."""
    with Domain() as d:
        program = os.path.join(d.home, "latesv")
        with open(program, "w", encoding="ascii") as f:
            f.write(f"#!/bin/sh\nwhile [ -e {d.home}/wait ]; do sleep 0.05; done\n"
                    f"exec {d.program('testsv')} \"$@\"\n")
        os.chmod(program, 0o755)
        d.env["PATH"] = f"{d.home}:{d.env['PATH']}"
        d.boot({"name": "latesv", "srvid": 1, "appopt": "PID ECHO"})
        open(os.path.join(d.home, "wait"), "w").close()
        old = d.pid(1)
        kill(old)
        wait_for(lambda: d.row("ppm", srvid=1).pid not in (0, old), "made anew")
        second = d.row("ppm", srvid=1).pid
        first = d.spawn(1, "PID", "ECHO")
        equal(d.call("PID").data, str(first.pid))
        wait_for(lambda: d.row("ppm", srvid=1).state == "runok", "it is taken for the server")
        equal(alive(second), True, "which still starts")
        os.unlink(os.path.join(d.home, "wait"))
        wait_for(lambda: not alive(second), "the second one ends: its id is taken")
        wait_for(lambda: d.pid(1) == first.pid, "the first one is the server")
        d.xadmin("stop", "-y", "-i", 1)
        equal(wait_end(first, 10), 0, "it gets its orders")
        d.procs.pop(first.pid)
        d.xadmin("start", "-y", "-i", 1)
        equal(d.call("ECHO", "x").data, "x")


def test_a_stopped_server_outlives_ndrxd():
    """The death of ndrxd orphans a process group with a stopped member; the
    kernel sends SIGHUP to it."""
    with Domain() as d:
        d.boot({"srvid": 1, "min": 1, "max": 1, "appopt": "ECHO"})
        before = _pids(d)
        kill(before[1], signal.SIGSTOP)
        wait_for(lambda: _process_state(before[1]) == "T", "stopped")
        _kill_ndrxd(d)
        os.kill(before[1], signal.SIGCONT)
        equal(d.call("ECHO", "x").data, "x")
        d.xadmin("idle")
        wait_for(lambda: _pids(d) == before, "adopted")


def test_new_ndrxd_completes_an_interrupted_restart():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "HANG",
                "end_max": "1", "killtime": "200ms"})
        before = _pids(d)
        for _ in before:
            d.client().begin("call", "HANG", "-", "STRING:x")
        wait_for(lambda: {r.status for r in d.rows("psc")} == {"BUSY"},
                 "both hang")
        d.background("xadmin", "restart", "-i", "1")
        wait_for(lambda: any(e.word == "stop" for e in read_events(d)),
                 "asked to end")
        _kill_ndrxd(d)
        d.xadmin("idle")
        wait_for(lambda: 1 in _pids(d) and _pids(d) != before, "a new one")
        equal(_pids(d)[2], before[2])
        kill(before[2])


def test_stop_without_a_running_ndrxd_stops_the_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"})
        _kill_ndrxd(d)
        d.xadmin("stop", "-y")
        equal(d.leftovers(), [])


def test_the_last_server_clears_the_domain_without_ndrxd():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        pids = _pids(d).values()
        _kill_ndrxd(d)
        for pid in pids:
            kill(pid, 15)
            wait_for(lambda p=pid: not alive(p), "ended")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.close_clients()
        equal(d.leftovers(), [])
        d.dirty = True


def test_a_reload_replaces_what_runs_under_an_older_file():
    with Domain() as d:
        d.boot({"srvid": 1, "max": 3, "appopt": "ECHO"},
               {"srvid": 10, "appopt": "UPPER"}, {"srvid": 20, "appopt": "PID"})
        d.xadmin("start", "-y", "-i", 2)
        pid = d.pid(20)
        d.configure({"srvid": 1, "max": 3, "appopt": "ECHO SRVID"},
                    {"srvid": 20, "appopt": "PID"}, {"srvid": 30, "appopt": "NAME"})
        d.kill_ndrxd()  # before the reload, or in the middle of it
        d.xadmin("idle")
        wait_for(lambda: d.pid(20) == pid, "adopted")
        r = d.xadmin("reload")
        said = r.stdout + r.stderr
        for words in ("id 1: changed: is restarted", "id 2: changed: is restarted",
                      "testsv id 10: was configured, and runs on"):
            contains(said, words)
        d.xadmin("stop", "-y", "-i", 10)
        d.xadmin("start", "-y")
        contains(("1", "2"), d.call("SRVID").data)
        equal(d.call("UPPER").err, "TPENOENT")
        equal(d.call("NAME").ret, 0)
        equal(int(d.call("PID").data), pid, "what has not changed goes on")
        lacks(d.xadmin("reload").stdout, "restarted")


def test_a_reload_replaces_what_runs_with_other_variables():
    def server(srvid, value):
        return {"srvid": srvid, "appopt": "PID",
                "xml": f'<envs><env name="RATE">{value}</env></envs>'}

    with Domain() as d:
        d.boot(server(1, "one"), server(2, "one"))
        pids = d.pid(1), d.pid(2)
        d.configure(server(1, "two"), server(2, "one"))
        d.kill_ndrxd()
        d.xadmin("idle")
        wait_for(lambda: (d.pid(1), d.pid(2)) == pids, "adopted")
        r = d.xadmin("reload")
        contains(r.stdout + r.stderr, "id 1: changed: is restarted")
        wait_for(lambda: d.pid(1) not in (0, None, pids[0]), "replaced")
        equal(d.pid(2), pids[1], "has the variables of its entry")


def test_a_reload_replaces_nothing_for_the_variables_of_another_ndrxd():
    def server(rate):
        return {"srvid": 1, "appopt": "PID",
                "xml": '<envs><env name="RATE">${RATE}x</env><env name="BOTH">'
                f'${{RATE}}y</env><env name="FIX">{rate}</env></envs>'}

    with Domain() as d:
        d.env["RATE"] = "a"
        d.boot(server("1"))
        pid = d.pid(1)
        d.env["RATE"] = "ax"  # as tprecover has it
        d.kill_ndrxd()
        d.xadmin("idle")
        wait_for(lambda: d.pid(1) == pid, "adopted")
        r = d.xadmin("reload")
        lacks(r.stdout + r.stderr, "restarted")
        equal(d.pid(1), pid)
        d.configure(server("2"))
        d.kill_ndrxd()
        d.xadmin("idle")
        wait_for(lambda: d.pid(1) == pid, "adopted")
        r = d.xadmin("reload")
        contains(r.stdout + r.stderr, "id 1: changed: is restarted")
