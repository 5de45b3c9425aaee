# SPDX-License-Identifier: Apache-2.0
"""Signals interrupt a wait unless TPSIGRSTRT is given."""
from checks import equal, near
from fixture import Domain, wait_for

COST = 5


def test_a_signal_interrupts_tpcall():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        c("alarm", 100, 100)
        r = c.call("SLEEP", "1500")
        c("alarm", 0)
        equal((r.ret, r.err), (-1, "TPGOTSIG"))
        near(r.ms, 0, 1400)
        equal(c("getrply", 0, "TPGETANY").data, "1500", "still to be had")


def test_an_interrupted_call_is_forgotten_at_its_deadline():
    with Domain(env={"NDRX_TOUT": "700ms"}) as d:
        d.server(1, "SLEEP")
        d.server(2, "ECHO")
        c = d.client()
        c("alarm", 100, 100)
        equal(c.call("SLEEP", "1500").err, "TPGOTSIG")
        c("alarm", 0)

        def forgotten():
            equal(c.call("ECHO", "x").data, "x")
            return c("getrply", 0, "TPGETANY").err == "TPEBADDESC"
        wait_for(forgotten, "no call is outstanding")


def test_tpsigrstrt_continues_the_wait():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        c("alarm", 20, 20)
        r = c.call("SLEEP", "400", "TPSIGRSTRT")
        equal((r.err, r.data), ("OK", "400"))
        c("alarm", 0)


def test_a_restarted_wait_keeps_its_deadline():
    with Domain(env={"NDRX_TOUT": "300ms"}) as d:
        d.server(1, "SLEEP")
        c = d.client()
        c("alarm", 20, 20)
        r = c.call("SLEEP", "1200", "TPSIGRSTRT")
        c("alarm", 0)
        equal(r.err, "TPETIME")
        near(r.ms, 299, 1100)


def test_a_signal_interrupts_a_send_to_a_full_queue():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        c("acall", "SLEEP", "TPNOREPLY", "STRING:4000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the server at work")
        c("flood", "SLEEP", "TPNOBLOCK,TPNOREPLY", "STRING:0")
        c("alarm", 100, 100)
        equal(c("acall", "SLEEP", "TPNOREPLY", "STRING:0").err, "TPGOTSIG")
        c("alarm", 20, 20)
        r = c("acall", "SLEEP", "TPNOREPLY,TPSIGRSTRT", "STRING:0")
        c("alarm", 0)
        equal(r.err, "OK", "restarted until there was room")
