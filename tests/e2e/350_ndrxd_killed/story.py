# SPDX-License-Identifier: Apache-2.0
"""The supervisor is killed, and no call notices."""
import os
import time

from fixture import Domain, alive, equal, kill, wait_for

HEAVY = True
SERVERS = 6


def _pids(d):
    return {r.srvid: r.pid for r in d.rows("ppm") if r.state == "runok"}


def _kill_ndrxd(d):
    pid = d.ndrxd_pid()
    kill(pid)
    wait_for(lambda: not alive(pid), "ndrxd dead")


def test_killed_ten_times_under_load():
    with Domain() as d:
        d.boot({"srvid": 1, "min": SERVERS, "max": SERVERS,
                "appopt": "ECHO"})
        before = _pids(d)
        equal(len(before), SERVERS)
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "ECHO", 0, 4, 50, stop)
        worst = 0
        for _ in range(10):
            _kill_ndrxd(d)
            equal(d.xadmin("psc").returncode, 0, "psc without ndrxd")
            start = time.monotonic()
            equal(d.run("ndrxd").returncode, 0, "a new one")
            wait_for(lambda: _pids(d) == before, "all adopted", 3)
            worst = max(worst, time.monotonic() - start)
        open(stop, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.wrong, r.errors), (0, {}))
        equal(r.ok > 1000, True, f"{r.ok} calls")
        equal(_pids(d), before, "no server was restarted")
        equal(worst < 1.5, True, f"adopted within {worst:.2f} s")


def test_a_server_that_died_meanwhile_is_restarted():
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
        equal(after[1] == before[1], False)


def test_stop_after_a_death_of_ndrxd_stops_everything():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"})
        _kill_ndrxd(d)
        d.xadmin("stop", "-y")
        equal(d.leftovers(), [])


def test_servers_stop_without_ndrxd_too():
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
