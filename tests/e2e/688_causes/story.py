# SPDX-License-Identifier: Apache-2.0
"""Whoever is refused is told why, wherever the cause lies."""
from checks import contains, equal, lacks
from cluster import Cluster
from fixture import Domain
from trans import Trans

COST = 6
DOWN = ("resource manager 1 (testxa): xa_start: XAER_RMFAIL, it cannot be "
        "reached")
DATABASE_DOWN = "result -7 always"


def _log(d, name):
    with open(f"{d.logs}/{name}", encoding="utf-8", errors="replace") as f:
        return f.read()


def test_a_database_that_is_down_is_named_to_the_caller():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(0)
        c.ok("begin", 20)
        t.order(1, "start", DATABASE_DOWN)
        r = c("call", "-", "A", "add:1")
        equal(r.err, "TPETRAN")
        contains(r.text, f"no server had begun it: {DOWN}")
        c.ok("abort")
        t.countermand(1, "start")
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:1")
        c.ok("commit")
        equal(t.total(1), 1)


def test_both_sides_log_it():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(0, NDRX_DEBUG_STR="ndrx=3")
        c.ok("begin", 20)
        t.order(1, "start", DATABASE_DOWN)
        equal(c("call", "-", "A", "add:1").err, "TPETRAN")
        contains(_log(t, "xacl.log"), f"the service reports TPETRAN: {DOWN}")
        contains(_log(t, "xasv.11.log"), DOWN)
        c.ok("abort")


def test_what_a_service_did_wrong_is_told():
    with Domain() as d:
        d.server(1, "NOTRETURN", "FOREIGN", "FWDFOREIGN", "SOFTERR")
        c = d.client()
        for svc, why in (
                ("NOTRETURN", "it returned without tpreturn()"),
                ("FOREIGN", "it gave tpreturn() no buffer of tpalloc()"),
                ("FWDFOREIGN", "tpforward: ")):
            r = c.call(svc, "x")
            equal(r.err, "TPESVCERR")
            contains(r.text, f"the service failed: {why}")
        # What a service says by itself has no cause of ours.
        r = c.call("SOFTERR", "5")
        lacks(r.text, "the service failed")


def test_a_cause_crosses_nodes():
    with Cluster() as c:
        a, b = (c.stack.enter_context(Trans(env={"NDRX_NODEID": str(n)}))
                for n in (1, 2))
        a.tm(2)
        b.tm(1)
        b.sv(12, 1, "B")
        b.server(13, "NOTRETURN")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "B", "NOTRETURN", "@TMABROAD")
        c.sees(b, "@TMABROAD")
        cl = a.xaclient(0)
        contains(cl("call", "-", "NOTRETURN", "x").text,
                 "the service failed: node 2: it returned without tpreturn()")
        cl.ok("begin", 20)
        b.order(1, "start", DATABASE_DOWN)
        r = cl("call", "-", "B", "add:1")
        equal(r.err, "TPETRAN")
        contains(r.text, f"no server had begun it: node 2: {DOWN}")
        cl.ok("abort")
