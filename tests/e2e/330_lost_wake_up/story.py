# SPDX-License-Identifier: Apache-2.0
"""A wake-up goes to a server that cannot use it; the call does not wait.

epoll wakes the first of those that wait. Stopping them all but one gives
every wake-up a chance to go astray.
"""
import signal

from checks import equal, near
from fixture import Domain, kill, wait_for
from machine import stopped

SERVERS = 6


def _stop_all_but(d, last):
    pids = [d.pid(i) for i in range(1, SERVERS + 1)]
    for i, pid in enumerate(pids, 1):
        if i != last:
            kill(pid, signal.SIGSTOP)
            wait_for(lambda p=pid: stopped(p), "stopped")
    return pids


def _boot(d):
    d.boot({"srvid": 1, "min": SERVERS, "max": SERVERS, "appopt": "SRVID",
            "pingtime": 0})
    equal(d.call("SRVID").err, "OK")


def test_a_stopped_server_holds_up_no_call_for_long():
    with Domain() as d:
        _boot(d)
        for last in (1, SERVERS // 2, SERVERS):
            pids = _stop_all_but(d, last)
            for _ in range(3):
                r = d.call("SRVID")
                equal((r.err, r.data), ("OK", str(last)))
                near(r.ms, 0, 5000)  # NDRX_TOUT is 20 s
            for pid in pids:
                kill(pid, signal.SIGCONT)
        for _ in range(100):
            equal(d.call("SRVID").err, "OK")


def test_a_killed_server_that_was_woken_is_made_good_by_a_nudge():
    with Domain() as d:
        _boot(d)
        pids = _stop_all_but(d, SERVERS)
        c = d.client()
        c.begin("call", "SRVID", "-", "-")
        for pid in pids[:-1]:
            kill(pid)
        r = c.end()
        equal(r.err, "OK")
        near(r.ms, 0, 5000)  # NDRX_TOUT is 20 s
        wait_for(lambda: all(d.pid(i) for i in range(1, SERVERS)),
                 "all restarted", 20)
