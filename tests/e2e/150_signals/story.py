# SPDX-License-Identifier: Apache-2.0
"""Signals interrupt a wait unless TPSIGRSTRT is given."""
import json

from checks import at_least, equal, near
from fixture import Domain, Row, wait_for
from machine import LONG

COST = 12


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


def _fire(d, how, calls, *service, **env):
    """Calls while a signal comes each 100 us; the handler has SA_RESTART."""
    r = d.run("sigcl", how, calls, *service, env=env, seconds=120)
    equal(r.returncode, 0, r.stderr)
    return Row(json.loads(r.stdout))


def test_signals_end_waits_only_where_the_program_wants_it():
    n = 50000 if LONG else 5000
    with Domain() as d:
        d.server(1, "ECHO")
        for how, env in (("object", {}), ("restart", {}),
                         ("plain", {"NDRX_SIGRSTRT": "1"}),
                         ("get", {"NDRX_SIGRSTRT": "1"})):
            r = _fire(d, how, n, **env)
            at_least(r.calls, n, how)
            equal((r.good, r.cut, r.bad), (r.calls, 0, 0), how)


def test_signals_end_the_waits_of_plain_calls_and_of_contexts_that_ask():
    with Domain() as d:
        d.server(1, "SLEEP")
        for how, env in (("plain", {}), ("get", {}),
                         ("end", {"NDRX_SIGRSTRT": "1"})):
            r = _fire(d, how, 20, "SLEEP", "20", **env)
            at_least(r.cut, 1, how)
            equal(r.bad, 0, how)
        r = _fire(d, "object", 20, "SLEEP", "20")
        equal((r.good, r.cut), (r.calls, 0))


def test_the_environment_continues_all_waits_of_a_client():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client(NDRX_SIGRSTRT="1")
        c("alarm", 20, 20)
        equal(c.call("SLEEP", "400").data, "400")
        c("alarm", 0)
        equal(c("setsig", 2).ret, 0, "TPSIG_END; it was TPSIG_DEFAULT")
        c("alarm", 20, 20)
        equal(c.call("SLEEP", "400").err, "TPGOTSIG")
        c("alarm", 0)
        equal(c("setsig", 7).err, "TPEINVAL")
