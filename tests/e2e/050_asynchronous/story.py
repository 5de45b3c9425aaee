# SPDX-License-Identifier: Apache-2.0
"""Asynchronous calls: tpacall, tpgetrply, tpcancel."""
from checks import at_least, equal, near
from fixture import Domain, wait_for


def test_a_reply_is_fetched_by_its_descriptor():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        cds = [c("acall", "ECHO", "-", f"STRING:{i}").ret for i in range(4)]
        equal(len(set(cds)), 4)
        for i in (2, 0, 3, 1):
            r = c("getrply", cds[i])
            equal((r.ret, r.data), (cds[i], str(i)))
        equal(c("getrply", cds[0]).err, "TPEBADDESC", "fetched twice")


def test_tpgetany_takes_replies_in_the_order_of_arrival():
    with Domain() as d:
        d.server(1, "SLEEP")
        d.server(2, "FAST=SLEEP")
        c = d.client()
        slow = c("acall", "SLEEP", "-", "STRING:1500").ret
        fast = c("acall", "FAST", "-", "STRING:50").ret
        equal(c("getrply", 0, "TPGETANY").ret, fast)
        equal(c("getrply", 0, "TPGETANY").ret, slow)


def test_a_cancelled_call_is_forgotten():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        a = c("acall", "ECHO", "-", "STRING:a").ret
        b = c("acall", "ECHO", "-", "STRING:b").ret
        equal(c("cancel", a).ret, 0)
        equal(c("getrply", a).err, "TPEBADDESC")
        equal(c("getrply", 0, "TPGETANY").ret, b)
        equal(c("cancel", b).ret, 0, "of a descriptor never in use now")
        d.server(2, "SLEEP")
        last = c("acall", "SLEEP", "-", "STRING:1500").ret
        equal(c("cancel", last).ret, 0)
        equal(c("getrply", 0, "TPGETANY,TPNOBLOCK").err, "TPEBLOCK",
              "only a cancelled one is left")


def test_tpnoblock_returns_at_once_without_a_reply():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        cd = c("acall", "SLEEP", "-", "STRING:1000").ret
        r = c("getrply", cd, "TPNOBLOCK")
        equal(r.err, "TPEBLOCK")
        near(r.ms, 0, 900)
        equal(c("getrply", cd).data, "1000")


def test_a_full_queue_refuses_tpnoblock():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        c("acall", "SLEEP", "-", "STRING:3000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the server at work")
        r = c("flood", "SLEEP", "TPNOBLOCK", "STRING:0")
        equal((r.ret, r.err), (4, "TPEBLOCK"))
        at_least(d.row("psvc", service="SLEEP").queue_full, 1)
        for _ in range(5):
            equal(c("getrply", 0, "TPGETANY").err, "OK")


def test_a_thousand_outstanding_calls_do_not_deadlock():
    with Domain() as d:
        d.server(1, "ECHO")
        d.server(2, "ECHO")
        for how in ("any", "each"):
            r = d.client()("many", "ECHO", 1000, how)
            equal((r.sent, r.got, r.right, r.err), (1000, 1000, 1000, "OK"))


def test_replies_that_find_no_room_outlive_their_server():
    with Domain() as d:
        first = d.server(1, "ECHO")
        d.server(2, "ECHO")
        c = d.client(NDRX_TOUT="60")
        c.begin("many", "ECHO", 5000, "each")
        d.stop_server(first)
        r = c.end(60)
        equal((r.sent, r.got, r.right, r.err), (5000, 5000, 5000, "OK"))


def test_a_tpnoreply_request_is_served_without_a_reply():
    with Domain() as d:
        d.server(1, "LOG", "GETLOG")
        c = d.client()
        for i in range(10):
            equal(c("acall", "LOG", "TPNOREPLY", f"STRING:{i}").ret, 0)
        wait_for(lambda: d.row("psc", service="LOG").succeeded == 10,
                 "ten requests served")
        equal(c.call("GETLOG").data, "0 1 2 3 4 5 6 7 8 9 ")
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
        equal(c("getrply", 0, "TPGETANY,TPNOBLOCK").err, "TPEBLOCK")


def test_a_descriptor_of_the_domain_before_is_of_no_call_of_this_one():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO SLEEP"})
        c = d.client()
        before = [c("acall", "SLEEP", "-", "STRING:20000").ret for _ in range(2)]
        d.xadmin("stop", "-y")
        d.boot()
        now = [c("acall", "ECHO", "-", f"STRING:{i}").ret for i in range(2)]
        equal(sorted({*before, *now}), sorted(before + now), "four descriptors")
        for cd in before:
            equal(c("getrply", cd).err, "TPEBADDESC")
        equal([c("getrply", cd).data for cd in now], ["0", "1"])
