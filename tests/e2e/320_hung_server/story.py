# SPDX-License-Identifier: Apache-2.0
"""A server hangs: TPETIME for its caller, kill sequence, restart. One that
works, or waits for the hung one, is left alone."""
import re
import signal
import time

from checks import at_least, contains, differs, equal, near, one_of
from covers import covers
from events import read_events
from fixture import Domain, holds, kill, wait_for
from machine import asleep

COST = 23

# Pinged often: a server that answers no ping is found soon.
PINGED = {"pingtime": "100ms", "ping_max": "300ms", "killseq": "9"}


def _signals(d, srvid):
    return [e.text for e in read_events(d)
            if e.word == "signal" and e.srvid == srvid]


def test_a_hung_server_is_found_and_replaced():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG PID", "pingtime": "500ms",
                "ping_max": "1500ms", "killseq": "2,15,9"})
        c = d.client(NDRX_TOUT="300ms")
        old = d.call("PID").data
        r = c.call("HANG", "x")
        equal(r.err, "TPETIME")
        near(r.ms, 299, 1400)
        # ping_max, less than a period until the next ping, three signals.
        wait_for(lambda: c.call("PID").err == "OK", "a new server", 6)
        differs(c.call("PID").data, old)
        wait_for(lambda: d.row("ppm", srvid=1).state == "runok", "it runs")
        equal(d.row("ppm", srvid=1).restarts, 1)


def test_a_long_service_is_not_killed_without_pings():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP PID", "pingtime": 0,
                "ping_max": "200ms"})
        pid = d.call("PID").data
        equal(d.call("SLEEP", "1500").err, "OK")
        equal(d.call("PID").data, pid)


@covers("xadmin doctor")
def test_doctor_names_requests_that_outlive_their_time_out():
    with Domain() as d:
        quick = {"pingtime": 0, "end_max": "300ms", "killseq": "9"}
        d.boot({"srvid": 1, "appopt": "HANG ECHO", **quick},
               {"srvid": 7, "appopt": "HANG", **quick})
        d.env["NDRX_TOUT"] = "1"
        text = d.xadmin("doctor", ok=False).stdout
        contains(text, "within the time-out of their callers")
        c = d.client()
        equal([c.call("HANG", "x").err for _ in range(2)], ["TPETIME"] * 2)
        # A server may take its request a moment after the call began: it is
        # in hand for longer than the time-out that moment later.
        wait_for(lambda: re.search(r"testsv 1 \(\d+ s\), testsv 7 \(",
                                   d.xadmin("doctor", ok=False).stdout),
                 "both requests are named")
        contains(d.xadmin("doctor", ok=False).stdout, "xadmin restart -i ID")


def test_stop_kills_a_hung_server_after_end_max():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG PID",
                "end_max": "500ms", "pingtime": 0})
        c = d.client(NDRX_TOUT="200ms")
        equal(c.call("HANG", "x").err, "TPETIME")
        r = d.xadmin("stop", "-y", seconds=20, ok=False)
        contains(r.stderr, "1 processes stopped")


def test_a_stopped_server_is_found_and_replaced():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "PID", "pingtime": "500ms",
                "ping_max": "1500ms", "killseq": "2,9"})
        c = d.client(NDRX_TOUT="300ms")
        old = d.call("PID").data
        # Stopped before it has told that its service is over it would be within it.
        wait_for(lambda: asleep(int(old)), "the server waits")
        kill(int(old), signal.SIGSTOP)
        equal(c.call("PID").err, "TPETIME")
        wait_for(lambda: c.call("PID").err == "OK", "a new server", 6)
        differs(c.call("PID").data, old)


# ---- a server in a service is judged by the limit of the service ----

@covers("svctimeout")
def test_the_hung_server_is_killed_and_not_the_one_that_waits_for_it():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CALLON", **PINGED},
               {"srvid": 2, "appopt": "HANG", **PINGED},
               defaults="<svctimeout>0.7</svctimeout>")
        before = (d.pid(1), d.pid(2))
        r = d.call("CALLON", "HANG x")
        contains(r.data, "TPESVCERR")
        near(r.ms, 699, 3000)
        wait_for(lambda: d.pid(2) not in (0, before[1]), "replaced")
        equal(d.pid(1), before[0])
        equal(_signals(d, 1), [])
        contains(_signals(d, 2)[0], "service HANG has taken")
        contains(_signals(d, 2)[0], "<svctimeout>")


def test_a_server_that_waits_at_a_full_queue_is_not_killed():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CALLON", "svctimeout": "0.3",
                **PINGED},
               {"srvid": 2, "appopt": "ECHO", "pingtime": 0})
        pid = d.pid(1)
        kill(d.pid(2), signal.SIGSTOP)
        c = d.client()
        c("flood", "ECHO", "TPNOBLOCK,TPNOREPLY", "STRING:0")
        c.begin("call", "CALLON", "-", "STRING:ECHO x")
        holds(lambda: d.pid(1) == pid, "server 1 runs, and answers pings", 2)
        kill(d.pid(2), signal.SIGCONT)
        equal(c.end().err, "OK")
        equal(d.pid(1), pid)


def test_a_service_may_take_longer_than_ping_max():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP PID", **PINGED})
        pid = d.call("PID").data
        c = d.client()
        c.begin("call", "SLEEP", "-", "STRING:4000")
        wait_for(lambda: "in service SLEEP" in d.row("ppm", srvid=1).reason,
                 "ppm says what it does")
        equal(c.end().err, "OK")
        equal(d.call("PID").data, pid)
        wait_for(lambda: d.row("ppm", srvid=1).reason == "", "answers again")
        # Outside of a service ping_max counts. Its caller may have the reply
        # of PID before the server has left that service.
        wait_for(lambda: asleep(pid), "the server waits for requests")
        kill(int(pid), signal.SIGSTOP)
        wait_for(lambda: d.pid(1) not in (0, int(pid)), "replaced", 5)
        contains(_signals(d, 1)[0], "no answer to ping for 300 ms")


def test_without_a_limit_of_the_service_its_caller_s_deadline_counts():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG PID", **PINGED})
        pid = d.pid(1)
        begin = time.monotonic()
        # Its own clock is first, unless the machine is very busy.
        one_of(d.client(NDRX_TOUT="1200ms").call("HANG").err, "TPETIME",
               "TPESVCERR")
        wait_for(lambda: d.pid(1) not in (0, pid), "replaced", 5)
        at_least(time.monotonic() - begin, 1.2)
        contains(_signals(d, 1)[0], "time-out of its caller")


def test_a_caller_without_a_time_out_sets_no_limit():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP", **PINGED})
        pid = d.pid(1)
        c = d.client(NDRX_TOUT="300ms")
        c.begin("call", "SLEEP", "TPNOTIME", "STRING:1500")
        equal(c.end().err, "OK")
        equal(d.pid(1), pid)


@covers("svctimeout")
def test_a_service_has_a_limit_of_its_own():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG", **PINGED},
               {"srvid": 2, "appopt": "OTHER=HANG", **PINGED},
               defaults="<svctimeout>60</svctimeout>",
               sections="<services><service svcnm=\"HANG\" "
               "svctimeout=\"0.5\"/></services>")
        c, other = d.client(), d.client()
        other.begin("call", "OTHER", "-", "-")
        r = c.call("HANG")
        equal(r.err, "TPESVCERR")
        near(r.ms, 499, 3000)
        equal(_signals(d, 2), [])
        kill(d.pid(2))
        equal(other.end().err, "TPESVCERR")


@covers("xadmin doctor")
def test_doctor_tells_the_hung_server_from_those_that_wait():
    with Domain() as d:
        quick = {"pingtime": 0, "end_max": "300ms", "killseq": "9"}
        d.boot({"srvid": 1, "appopt": "CALLON", **quick},
               {"srvid": 7, "appopt": "HANG", **quick})
        c = d.client()
        c.begin("call", "CALLON", "-", "STRING:HANG x")
        d.env["NDRX_TOUT"] = "1"

        def text():
            return d.xadmin("doctor", ok=False).stdout
        wait_for(lambda: re.search(r"testsv 7 \(\d+ s\); 1 more", text()),
                 "named")
        contains(text(), "1 more wait for others")
        kill(d.pid(7))
        c.end()
