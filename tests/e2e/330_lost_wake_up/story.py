# SPDX-License-Identifier: Apache-2.0
"""A woken server does not take the message; another server takes it.

Wake-ups go to servers that are stopped, or killed before they run. On shm a
caller that waits nudges after 23 ms, then after twice as long each time; where
nobody waits, an idle server's poll finds the message within a second. On posix
the kernel does not wake a stopped process.
"""
import signal
import time

from checks import equal, promptly
from fixture import Domain, kill, wait_for
from machine import stopped

COST = 16

SERVERS = 6
REPEAT = 40


def _boot(d):
    d.boot({"srvid": 1, "min": SERVERS, "max": SERVERS, "appopt": "SRVID",
            "pingtime": 0})
    equal(d.call("SRVID").err, "OK")
    return {i: d.pid(i) for i in range(1, SERVERS + 1)}


def _stop(pids):
    for pid in pids:
        kill(pid, signal.SIGSTOP)
    wait_for(lambda: all(map(stopped, pids)), "stopped")


def _go_on(d, pids):
    for pid in pids:
        kill(pid, signal.SIGCONT)
    wait_for(lambda: {r.status for r in d.rows("psc")} == {"AVAIL"}, "idle")


def test_a_call_that_woke_a_stopped_server_is_served_by_another():
    with Domain() as d:
        pids = _boot(d)
        took = []
        for _ in range(REPEAT):
            last = d.call("SRVID").data  # on shm the next one to be woken
            _stop([pids[int(last)]])
            r = d.call("SRVID")
            equal((r.err, r.data == last), ("OK", False))
            took.append(r.ms)
            _go_on(d, [pids[int(last)]])
        promptly(took, 60, 300)


def test_a_call_reaches_the_only_server_that_runs():
    with Domain() as d:
        pids = _boot(d)
        took = []
        for n in range(REPEAT):
            last = 1 + n % SERVERS
            others = [pid for i, pid in pids.items() if i != last]
            _stop(others)
            r = d.call("SRVID")
            equal((r.err, r.data), ("OK", str(last)))
            took.append(r.ms)
            _go_on(d, others)
        # Half of the servers are nudged within 161 ms; a poll comes after a
        # second at the latest.
        promptly(took, 300, 1200)


def test_a_call_that_woke_a_killed_server_is_served_by_another():
    with Domain() as d:
        _boot(d)
        c = d.client()
        took = []
        for _ in range(15):
            pids = {i: d.pid(i) for i in range(1, SERVERS + 1)}
            others = list(pids.values())[:-1]
            _stop(others)
            c.begin("call", "SRVID", "-", "-")
            for pid in others:
                kill(pid)
            r = c.end()
            equal(r.err, "OK")
            took.append(r.ms)
            wait_for(lambda o=others: all(d.pid(i) not in (0, *o)
                                          for i in pids), "restarted", 20)
        promptly(took, 60, 300)


def test_a_poll_finds_a_one_way_message_of_a_stopped_server():
    with Domain() as d:
        names = [f"S{i}" for i in range(12)]
        d.boot(*({"srvid": 2 * i + 1, "min": 2, "max": 2, "pingtime": 0,
                  "appopt": f"{name}=SRVID"} for i, name in enumerate(names)))
        last = [int(d.call(name).data) for name in names]
        _stop([d.pid(i) for i in last])
        c = d.client()
        took = {}
        start = time.monotonic()
        for name in names:
            c("acall", name, "TPNOREPLY", "-")

        def served():
            for r in d.rows("psc"):  # of the server that runs
                if r.srvid not in last and r.succeeded == 1:
                    took.setdefault(r.service,
                                    (time.monotonic() - start) * 1000)
            return len(took) == len(names)
        wait_for(served, "all served")
        promptly(list(took.values()), 1100, 1500)
        _go_on(d, [d.pid(i) for i in last])
