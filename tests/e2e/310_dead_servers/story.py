# SPDX-License-Identifier: Apache-2.0
"""Servers are killed; callers see what they must and nothing else."""
import time

from checks import at_most, check, equal, near, one_of
from fixture import Domain, alive, kill, wait_for
from machine import SLOW


def _busy(d, srvid=1):
    def busy():
        return any(r.srvid == srvid and r.status == "BUSY"
                   for r in d.rows("psc"))
    wait_for(busy, f"server {srvid} at work")


def test_an_idle_server_that_is_killed_is_not_missed():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        old = d.pid(1)
        kill(old)
        for i in range(200):
            equal(d.call("ECHO", str(i)).data, str(i))
        wait_for(lambda: d.pid(1) not in (0, old), "restarted")
        equal(d.call("ECHO", "x").data, "x")


def test_killed_while_serving_is_esvcerr_at_once():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "SLEEP"})
        took = []
        for _ in range(5):
            c = d.client()
            c.begin("call", "SLEEP", "-", "STRING:10000")
            wait_for(lambda: [r for r in d.rows("psc")
                              if r.status == "BUSY"], "at work")
            srvid = [r.srvid for r in d.rows("psc")
                     if r.status == "BUSY"][0]
            pid = d.pid(srvid)
            kill(pid)
            start = time.monotonic()
            r = c.end()
            took.append((time.monotonic() - start) * 1000)
            equal((r.ret, r.err), (-1, "TPESVCERR"))
            wait_for(lambda: d.pid(srvid) not in (0, pid), "restarted")
        # A machine that is busy elsewhere holds up one of them or two.
        at_most(sorted(took)[2], 100 if SLOW == 1 else 500,
                f"ms until the caller knew: {took}")
        at_most(max(took), 5000 * SLOW, f"{took}")


def test_a_service_that_kills_its_server():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "CRASH ECHO"})
        r = d.call("CRASH", "x")
        equal(r.err, "TPESVCERR")
        near(r.ms, 0, 5000)  # NDRX_TOUT is 20 s
        equal(d.call("ECHO", "x").data, "x")


def test_the_last_server_dies_and_comes_back():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP"})
        clients = [d.client() for _ in range(4)]
        clients[0].begin("call", "SLEEP", "-", "STRING:10000")
        _busy(d)
        for c in clients[1:]:
            c.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 3, "queued")
        old = d.pid(1)
        kill(old)
        for c in clients:
            r = c.end()
            equal(r.err, "TPESVCERR")
        r = d.call("SLEEP", "0")
        one_of(r.err, "OK", "TPENOENT")
        near(r.ms, 0, 5000)  # NDRX_TOUT is 20 s
        wait_for(lambda: d.call("SLEEP", "0").err == "OK", "restarted")
        check(not alive(old), "the killed server is gone")


def test_a_stopped_service_refuses_new_calls_at_once():
    with Domain() as d:
        d.boot({"srvid": 1, "respawn": "N", "appopt": "ECHO"})
        equal(d.call("ECHO", "x").data, "x")
        kill(d.pid(1))
        wait_for(lambda: d.call("ECHO", "x").err == "TPENOENT", "refused", 5)
        near(d.call("ECHO", "x").ms, 0, 5000)  # NDRX_TOUT is 20 s
        equal(d.row("ppm", srvid=1).state, "died")
        d.xadmin("start", "-i", 1)
        equal(d.call("ECHO", "x").data, "x")
