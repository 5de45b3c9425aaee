# SPDX-License-Identifier: Apache-2.0
"""A server within a chain of calls is killed."""
import time

from checks import at_least, equal, one_of, promptly
from fixture import Domain, kill, wait_for


def _boot(d):
    d.boot({"srvid": 1, "appopt": "CALLON FORWARD"},
           {"srvid": 2, "appopt": "SLEEP"})
    equal(d.call("CALLON", "SLEEP 0").data, "0")


def _busy(d, srvid):
    wait_for(lambda: d.row("psc", srvid=srvid, status="BUSY"), "at work")


def test_callee_death_is_reported_through_the_intermediate_server():
    with Domain() as d:
        _boot(d)
        c = d.client()
        c.begin("call", "CALLON", "-", "STRING:SLEEP 10000")
        _busy(d, 2)
        kill(d.pid(2))
        r = c.end()
        equal((r.err, r.urcode), ("TPESVCFAIL", 10), "TPESVCERR inside")


def test_death_of_the_intermediate_server_is_tpesvcerr():
    with Domain() as d:
        _boot(d)
        c = d.client()
        c.begin("call", "CALLON", "-", "STRING:SLEEP 3000")
        _busy(d, 2)
        kill(d.pid(1))
        equal(c.end().err, "TPESVCERR")
        wait_for(lambda: d.call("CALLON", "SLEEP 0").err == "OK", "back")


def test_death_of_the_server_forwarded_to_is_tpesvcerr_at_once():
    with Domain() as d:
        _boot(d)
        c = d.client()
        took = []
        for _ in range(6):
            c.begin("call", "FORWARD", "-", "STRING:SLEEP 10000")
            _busy(d, 2)
            pids = d.pid(1), d.pid(2)
            start = time.monotonic()
            kill(pids[0])  # it has forwarded the request
            kill(pids[1])
            equal(c.end().err, "TPESVCERR")
            took.append((time.monotonic() - start) * 1000)
            wait_for(lambda p=pids: all(d.pid(i) not in (0, *p)
                                        for i in (1, 2)), "restarted")
        promptly(took, 100, 300, "ms until the caller knew")


def test_all_outstanding_calls_to_a_dead_server_end():
    with Domain() as d:
        _boot(d)
        c = d.client()
        cds = [c("acall", "SLEEP", "-", f"STRING:{ms}").ret
               for ms in (10000, 0, 0)]
        _busy(d, 2)
        kill(d.pid(2))
        equal(c("getrply", cds[0]).err, "TPESVCERR")
        for cd in cds[1:]:
            one_of(c("getrply", cd).err, "OK", "TPESVCERR")


def test_a_large_request_of_a_dead_server_is_tpesvcerr():
    with Domain() as d:
        _boot(d)
        c = d.client()
        for _ in range(3):
            text = "10000" + " " * 50000
            at_least(c("acall", "SLEEP", "-", "STRING:" + text).ret, 1)
            _busy(d, 2)
            old = d.pid(2)
            kill(old)
            equal(c("getrply", 0, "TPGETANY").err, "TPESVCERR")
            wait_for(lambda o=old: d.pid(2) not in (0, o), "restarted")
