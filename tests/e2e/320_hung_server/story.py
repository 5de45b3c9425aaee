# SPDX-License-Identifier: Apache-2.0
"""A server hangs: TPETIME for its caller, kill sequence, restart."""
import re
import signal

from checks import contains, differs, equal, near
from covers import covers
from fixture import Domain, kill, wait_for

COST = 8


def test_a_hung_server_is_found_and_replaced():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG PID", "pingtime": "500ms",
                "ping_max": "1500ms", "killseq": "2,15,9"})
        c = d.client(NDRX_TOUT="300ms")
        old = c.call("PID").data
        r = c.call("HANG", "x")
        equal(r.err, "TPETIME")
        near(r.ms, 299, 1400)
        # ping_max, less than a period until the next ping, three signals.
        wait_for(lambda: c.call("PID").err == "OK", "a new server", 6)
        differs(c.call("PID").data, old)
        row = d.row("ppm", srvid=1)
        equal((row.state, row.restarts), ("runok", 1))


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
        wait_for(lambda: re.search(r"testsv 1 \(\d s\), testsv 7 \(",
                                   d.xadmin("doctor", ok=False).stdout),
                 "both requests are named", 3)
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
        old = c.call("PID").data
        kill(int(old), signal.SIGSTOP)
        equal(c.call("PID").err, "TPETIME")
        wait_for(lambda: c.call("PID").err == "OK", "a new server", 6)
        differs(c.call("PID").data, old)
