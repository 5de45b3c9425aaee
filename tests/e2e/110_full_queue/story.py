# SPDX-License-Identifier: Apache-2.0
"""A queue stays full: callers wait, no call is lost, no caller starves."""
import os
import signal
import time

from checks import at_least, at_most, equal, near, promptly
from fixture import Domain, kill, wait_for
from machine import LONG

SECONDS = 30 if LONG else 2
HEAVY = True


def test_a_queue_kept_full_serves_all_callers():
    with Domain() as d:
        d.server(1, "NAP")
        d.server(2, "NAP")
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "NAP", 0, 20, 30, stop)
        end = time.monotonic() + SECONDS
        wait_for(lambda: d.row("pq", service="NAP").queued == 4, "full")
        full, looks = 0, 0
        while time.monotonic() < end:
            full += d.row("pq", service="NAP").queued >= 3
            looks += 1
        open(stop, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.wrong, r.errors), (0, {}))
        at_least(r.ok, SECONDS * 20, "calls served")
        at_least(full, looks / 2, "looks that found the queue full")
        # None of them has another call out: each waits in its send.
        at_least(d.row("psvc", service="NAP").queue_full, r.ok / 4,
                 "senders that found it full")
        # Twenty callers, two servers, 10 ms for each call: 100 ms. A call
        # that finds the queue full again and again takes longer.
        near(r.max_ms, 5, 2000, "the longest call")


def test_who_has_waited_for_a_second_is_not_overtaken():
    """150 callers, one server of 10 ms: each waits a second and a half."""
    with Domain() as d:
        d.server(1, "NAP")
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "NAP", 0, 150, 30, stop)
        wait_for(lambda: d.row("psvc", service="NAP").queue_full >= 700,
                 "seven seconds", 60)
        open(stop, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.wrong, r.errors), (0, {}))
        # Else until the others end.
        at_most(r.max_ms, r.ms * 0.8, "ms of the longest call")


def test_who_has_calls_out_is_not_overtaken():
    """Those who wait in their sends have none."""
    with Domain() as d:
        d.server(1, "NAP")
        d.server(2, "ECHO")
        stop = os.path.join(d.home, "stop")
        c, other = d.client(), d.client()
        c.begin("calls", "NAP", 0, 60, 30, stop)
        wait_for(lambda: d.row("psvc", service="NAP").queue_full >= 100,
                 "a line")
        cd = other("acall", "ECHO", "-", "STRING:x").ret
        for _ in range(3):  # else until its time-out
            equal(other.call("NAP", "x").err, "OK")
        equal(other("getrply", cd).data, "x")
        open(stop, "w", encoding="utf-8").close()
        equal(c.end(30).errors, {})


def test_a_call_to_a_full_queue_is_tpetime_at_its_deadline():
    with Domain(env={"NDRX_TOUT": "300ms"}) as d:
        d.server(1, "SLEEP")
        c = d.client()
        equal(c("acall", "SLEEP", "TPNOREPLY", "STRING:4000").ret, 0)
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the server at work")
        equal(c("flood", "SLEEP", "TPNOBLOCK,TPNOREPLY", "STRING:0").ret, 4)
        r = d.call("SLEEP", "0")
        equal(r.err, "TPETIME")
        near(r.ms, 299, 1300)


def test_a_client_with_unfetched_replies_delays_no_other_client():
    with Domain() as d:
        d.server(1, "ECHO")
        lazy = d.client()
        sent = sum(lazy("acall", "ECHO", "-", "STRING:x").ret > 0
                   for _ in range(8))
        equal(sent, 8)
        took = []
        for _ in range(20):
            r = d.call("ECHO", "y")
            equal(r.data, "y")
            took.append(r.ms)
        promptly(took, 60, 300, "calls of another client")
        for _ in range(8):
            equal(lazy("getrply", 0, "TPGETANY").data, "x", "none was lost")


def test_a_stopped_client_with_5000_calls_delays_nobody_and_each_call_ends():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        lazy = d.client()
        equal(lazy("flood", "ECHO", "TPNOTIME", "STRING:x", 5000).ret, 5000)
        kill(lazy.pid, signal.SIGSTOP)
        took = [d.call("ECHO", "y").ms for _ in range(50)]
        victim = d.pid(1)
        kill(victim)  # replies that found no room outlive it
        took += [d.call("ECHO", "y").ms for _ in range(50)]
        wait_for(lambda: d.pid(1) not in (0, victim), "restarted", 10)
        took += [d.call("ECHO", "y").ms for _ in range(50)]
        kill(lazy.pid, signal.SIGCONT)
        promptly(took, 60, 300, "calls of another client")
        ends = [lazy("getrply", 0, "TPGETANY,TPNOTIME").err
                for _ in range(5000)]
        # The killed server may have had one of them in hand: it waits for room
        # in the mailbox for a moment.
        equal(set(ends) - {"OK", "TPESVCERR"}, set())
        at_most(ends.count("TPESVCERR"), 1, "requests in hand")
        equal(lazy("getrply", 0, "TPGETANY").err, "TPEBADDESC")
