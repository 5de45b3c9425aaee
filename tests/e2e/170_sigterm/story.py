# SPDX-License-Identifier: Apache-2.0
"""A server that gets SIGTERM finishes its request before it ends."""
import signal

from checks import contains, equal, near, one_of
from fixture import SLOW, Domain, kill, wait_for

# Milliseconds of work: `psc` has to run while the server is at work.
WORK = str(int(2000 * SLOW))


def _busy(d, service="SLEEP"):
    wait_for(lambda: d.row("psc", service=service).status == "BUSY",
             "the server at work")


def test_the_request_in_hand_is_finished():
    for sig in (signal.SIGTERM, signal.SIGINT):
        with Domain() as d:
            p = d.server(1, "SLEEP")
            c = d.client()
            c.begin("call", "SLEEP", "-", f"STRING:{WORK}")
            _busy(d)
            kill(p.pid, sig)
            r = c.end()
            equal((r.err, r.data), ("OK", WORK))
            equal(p.wait(), 0)
            with open(f"{d.logs}/testsv.1.log", encoding="utf-8") as f:
                contains(f.read(), "tpsvrdone", "tpsvrdone() ran")


def test_queued_calls_get_a_reply_or_an_error_reply():
    with Domain() as d:
        p = d.server(1, "SLEEP")
        clients = [d.client() for _ in range(5)]
        clients[0].begin("call", "SLEEP", "-", f"STRING:{WORK}")
        _busy(d)
        for c in clients[1:]:
            c.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 4, "queued")
        kill(p.pid, signal.SIGTERM)
        equal(clients[0].end().data, WORK)
        answers = [c.end() for c in clients[1:]]
        for r in answers:
            one_of(r.err, "OK", "TPENOENT")
            near(r.ms, 0, 3500)  # the service in hand takes 2 s
        contains([r.err for r in answers], "TPENOENT", "some too late")
        equal(p.wait(), 0)


def test_another_server_takes_over_queued_calls():
    with Domain() as d:
        p = d.server(1, "SLEEP")
        a, b = d.client(), d.client()
        a.begin("call", "SLEEP", "-", f"STRING:{WORK}")
        _busy(d)
        d.server(2, "SLEEP")
        kill(p.pid, signal.SIGTERM)
        equal(b.call("SLEEP", "0").data, "0")
        equal(a.end().data, WORK)
        equal(p.wait(), 0)


def test_a_handler_of_the_server_stays():
    with Domain() as d:
        p = d.server(1, "ECHO", "init=handler")
        kill(p.pid, signal.SIGTERM)
        equal(p.wait(), 7)
        d.dirty = True  # it went without leaving
