# SPDX-License-Identifier: Apache-2.0
"""Servers are killed: which calls fail, how soon, and with which error."""
import time

from checks import check, contains, equal, promptly
from fixture import Domain, alive, kill, wait_for

IDS = range(1, 21)
UNBEGUN = -2**63  # tpurcode


def _busy(d, srvid=1):
    def busy():
        return any(r.srvid == srvid and r.status == "BUSY"
                   for r in d.rows("psc"))
    wait_for(busy, f"server {srvid} at work")


def test_the_death_of_an_idle_server_disturbs_no_caller():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        old = d.pid(1)
        kill(old)
        for i in range(200):
            equal(d.call("ECHO", str(i)).data, str(i))
        wait_for(lambda: d.pid(1) not in (0, old), "restarted")
        equal(d.call("ECHO", "x").data, "x")


def test_the_caller_of_a_killed_server_gets_tpesvcerr_at_once():
    with Domain() as d:
        d.boot(*({"srvid": i, "appopt": f"S{i}=SLEEP"} for i in IDS))
        pids = [d.pid(i) for i in IDS]
        clients = [d.client() for _ in IDS]
        for i, c in zip(IDS, clients):
            c.begin("call", f"S{i}", "-", "STRING:10000")
        wait_for(lambda: [r.status for r in d.rows("psc")] ==
                 ["BUSY"] * len(IDS), "all at work")
        took = []
        for pid, c in zip(pids, clients):
            start = time.monotonic()
            kill(pid)
            r = c.end()
            took.append((time.monotonic() - start) * 1000)
            equal((r.ret, r.err), (-1, "TPESVCERR"))
        promptly(took, 100, 300, "ms until the caller knew")
        wait_for(lambda: all(d.pid(i) not in (0, *pids) for i in IDS),
                 "all restarted")


def test_a_service_that_crashes_its_server_is_tpesvcerr_at_once():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 20, "max": 20, "appopt": "CRASH ECHO"})
        took = []
        for _ in range(15):
            r = d.call("CRASH", "x")
            equal(r.err, "TPESVCERR")
            took.append(r.ms)
        promptly(took, 100, 300)
        equal(d.call("ECHO", "x").data, "x")


def test_the_death_of_the_last_server_fails_only_the_call_in_hand():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP"})
        begun = []
        for _ in range(6):
            clients = [d.client() for _ in range(4)]
            clients[0].begin("call", "SLEEP", "-", "STRING:10000")
            _busy(d)
            for c in clients[1:]:
                c.begin("call", "SLEEP", "-", "STRING:0")
            wait_for(lambda: d.row("pq", service="SLEEP").queued == 3, "full")
            old = d.pid(1)
            start = time.monotonic()
            kill(old)
            equal(clients[0].end().err, "TPESVCERR")
            begun.append((time.monotonic() - start) * 1000)
            equal(d.call("SLEEP", "0").err, "OK", "a new call waits")
            for c in clients[1:]:
                equal(c.end().err, "OK", "so do those in the queue")
            check(not alive(old), "the killed server is gone")
        promptly(begun, 100, 300, "the call in hand")


def test_a_stopped_service_refuses_new_calls_at_once():
    with Domain() as d:
        d.boot({"srvid": 1, "respawn": "N", "appopt": "ECHO"})
        equal(d.call("ECHO", "x").data, "x")
        kill(d.pid(1))
        wait_for(lambda: d.call("ECHO", "x").err == "TPENOENT", "refused", 5)
        promptly([d.call("ECHO", "x").ms for _ in range(20)], 20, 200)
        equal(d.row("ppm", srvid=1).state, "died")
        d.xadmin("start", "-i", 1)
        equal(d.call("ECHO", "x").data, "x")


def _kill_with_a_queue(sections="", **server):
    """The answers to a request that the killed server had begun, and to those
    behind it."""
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP", **server}, sections=sections)
        clients = [d.client() for _ in range(4)]
        clients[0].begin("call", "SLEEP", "-", "STRING:10000")
        _busy(d)
        for c in clients[1:]:
            c.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 3, "queued")
        kill(d.pid(1))
        return [c.end() for c in clients]


def test_requests_that_nobody_had_begun_are_tpenoent_if_no_server_returns():
    begun, *queued = _kill_with_a_queue(respawn="N")
    equal(begun.err, "TPESVCERR")
    contains(begun.text, "had begun the request")
    equal(begun.urcode == UNBEGUN, False)
    for r in queued:
        equal(r.err, "TPENOENT")
        contains(r.text, "no server had begun it")
        equal(r.urcode, UNBEGUN)


def test_the_next_error_of_a_caller_is_not_that_of_a_request_not_begun():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP", "respawn": "N"},
               {"srvid": 2, "appopt": "SOFTERR"})
        first, c = d.client(), d.client()
        first.begin("call", "SLEEP", "-", "STRING:10000")
        _busy(d)
        c.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 1, "queued")
        kill(d.pid(1))
        equal(first.end().err, "TPESVCERR")
        equal(c.end().urcode, UNBEGUN)
        r = c.call("SOFTERR", "13")  # it has worked, and says TPETIME
        equal((r.err, r.urcode == UNBEGUN), ("TPETIME", False))


def test_the_words_of_tpesvcerr_tell_begun_requests_from_queued_ones():
    begun, *queued = _kill_with_a_queue(
        sections="<services><defaults restart=\"refuse\"/>"
                 "<service svcnm=\"SLEEP\"/></services>")
    equal({r.err for r in (begun, *queued)}, {"TPESVCERR"})
    contains(begun.text, "had begun the request")
    equal(begun.urcode == UNBEGUN, False)
    for r in queued:
        contains(r.text, "no server had begun it")
        equal(r.urcode, UNBEGUN)
