# SPDX-License-Identifier: Apache-2.0
"""Calls end at their deadlines; late replies and requests are dropped."""
from checks import at_least, equal, near, promptly
from fixture import Domain, wait_for

COST = 12


def test_a_call_is_tpetime_at_its_deadline():
    with Domain(env={"NDRX_TOUT": "400ms"}) as d:
        d.server(1, "SLEEP")
        clients = [d.client() for _ in range(20)]
        for c in clients:
            c.begin("call", "SLEEP", "-", "STRING:1500")
        results = [c.end() for c in clients]
        equal({(r.ret, r.err) for r in results}, {(-1, "TPETIME")})
        took = [r.ms for r in results]
        at_least(min(took), 399, "ms")
        promptly(took, 500, 1200)


def test_tptoutset_applies_from_the_first_call():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        equal(c("tout", 1).ret, 0)
        r = c.call("SLEEP", "2000")
        equal(r.err, "TPETIME")
        near(r.ms, 999, 1900)


def test_a_late_reply_is_never_given_to_the_next_call():
    with Domain(env={"NDRX_TOUT": "150ms"}) as d:
        d.server(1, "SLEEP", "SLEEP2=SLEEP")
        d.server(2, "ECHO")
        c = d.client()
        for i in range(3):
            equal(c.call("SLEEP", "500").err, "TPETIME")
            for j in range(100):
                equal(c.call("ECHO", f"{i}.{j}", "TPNOTIME").data,
                      f"{i}.{j}")
            wait_for(lambda: d.row("psc", srvid=1).status == "AVAIL",
                     "the end of the late service")
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
        equal(c("getrply", 0, "TPGETANY,TPNOBLOCK").err, "TPEBLOCK")


def test_tpnotime_waits_past_the_time_out():
    with Domain(env={"NDRX_TOUT": "150ms"}) as d:
        d.server(1, "SLEEP")
        r = d.call("SLEEP", "400", "TPNOTIME")
        equal((r.err, r.data), ("OK", "400"))


def test_an_expired_request_is_not_served():
    with Domain(env={"NDRX_TOUT": "200ms"}) as d:
        d.server(1, "SLEEP", "COUNT")
        a, b = d.client(), d.client()
        a.begin("call", "SLEEP", "-", "STRING:2000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the server at work")
        equal(b.call("SLEEP", "0").err, "TPETIME")
        equal(a.end().err, "TPETIME")
        wait_for(lambda: d.row("psvc", service="SLEEP").expired == 1,
                 "the second request dropped")
        equal(d.call("COUNT", flags="TPNOTIME").data, "1")


def test_a_time_out_of_tpgetrply_keeps_the_call():
    with Domain(env={"NDRX_TOUT": "200ms"}) as d:
        d.server(1, "SLEEP")
        c = d.client()
        cd = c("acall", "SLEEP", "TPNOTIME", "STRING:2000").ret
        equal(c("getrply", cd).err, "TPETIME")
        equal(c("getrply", cd, "TPNOTIME").data, "2000")


def test_a_program_that_only_looks_sees_the_time_out_of_its_call():
    with Domain(env={"NDRX_TOUT": "1"}) as d:
        d.server(1, "SLEEP")
        c = d.client()
        cd = c("acall", "SLEEP", "-", "STRING:4000").ret
        forever = c("acall", "SLEEP", "TPNOTIME", "STRING:0").ret
        equal(c("getrply", cd, "TPNOBLOCK").err, "TPEBLOCK")
        wait_for(lambda: c("getrply", cd, "TPNOBLOCK").err == "TPETIME",
                 "its time-out")
        equal(c("getrply", cd, "TPNOBLOCK").err, "TPEBADDESC")
        equal(c("getrply", forever, "TPNOBLOCK").err, "TPEBLOCK")
        equal(c("getrply", forever, "TPNOTIME").data, "0")
