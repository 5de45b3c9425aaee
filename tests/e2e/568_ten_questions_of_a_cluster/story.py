# SPDX-License-Identifier: Apache-2.0
"""Of a cluster: which node is slow, and how slow a service is at each node."""
import threading

from checks import at_least, check, equal
from cluster import BRIDGE, Cluster
from covers import covers
from fixture import kill, wait_for
from openmetrics import parse, value
from questions import command

COST = 9
MAINLY = "shm"
FAST, SLOW = 2, 3


def _bank(c):
    """Node 1 calls; TRANSFER is at nodes 2 and 3, and slow at 3."""
    nodes = [c.domain(n) for n in (1, FAST, SLOW)]
    nodes[1].server(1, "TRANSFER=ECHO")
    nodes[2].server(1, "TRANSFER=SLEEP")
    for d in nodes:
        c.bridge(d)
    for d in nodes[1:]:
        c.sees(nodes[0], "TRANSFER")
    wait_for(lambda: len([r for r in nodes[0].rows("pnet") if r.services])
             == 2, "both nodes")
    return nodes


@covers("xadmin times")
def test_the_slow_node_and_the_p99_of_a_service_by_node():
    with Cluster() as c:
        a, fast, slow = _bank(c)
        cl = a.client()

        def served(d):
            return d.row("psc", service="TRANSFER").succeeded

        while served(fast) < 5 or served(slow) < 5:
            equal(cl.call("TRANSFER", "60").err, "OK")
        wait_for(lambda: sum(r.calls for r in a.rows("times")) ==
                 served(fast) + served(slow), "the bridge shows it")
        rows = {r.node: r for r in a.rows(*command(
            "What is the p99 of TRANSFER by node?"))}
        equal(sorted(rows), [FAST, SLOW])
        equal([(rows[n].kind, rows[n].calls, rows[n].failed)
               for n in (FAST, SLOW)],
              [("remote", served(d), 0) for d in (fast, slow)])
        at_least(rows[SLOW].p99_us, 60000, "us")
        at_least(rows[SLOW].p50_us, 30000, "us")
        check(rows[FAST].p50_us < rows[SLOW].p50_us, rows)
        text = a.xadmin(*command("What is the p99 of TRANSFER by node?"))
        equal(text.stdout.split()[:2], ["TRANSFER", str(SLOW)],
              "the slowest first")
        there = slow.row("times", service="TRANSFER")
        equal((there.kind, there.node, there.calls),
              ("here", SLOW, served(slow)))
        f = parse(a.run("ndrxmetrics", "-1").stdout)
        for d, node in ((fast, FAST), (slow, SLOW)):
            equal(value(f, "onewake_link_service_time_seconds", "_count",
                        srvid=str(BRIDGE), node=str(node),
                        service="TRANSFER"), served(d))


def test_which_node_is_slow_now():
    with Cluster() as c:
        a, fast, slow = _bank(c)
        cl, enough = a.client(), threading.Event()

        def load():
            while not enough.is_set():
                cl.call("TRANSFER", "60")

        t = threading.Thread(target=load)
        t.start()
        wait_for(lambda: min(d.row("psc", service="TRANSFER").succeeded
                             for d in (fast, slow)) > 0, "load")

        def told():  # of the second before: a busy machine may have one
            rows = a.rows(*command("Which node is slow?"))
            return [(r.service, r.node) for r in rows] == [
                ("TRANSFER", SLOW), ("TRANSFER", FAST)] and rows

        try:
            rows = wait_for(told, "the slowest first", 15)
        finally:
            enough.set()
            t.join()
        check(rows[0].p50_us > 30000 and 0 < rows[0].calls < 100, rows)


def test_a_node_that_does_not_answer_is_counted():
    with Cluster() as c:
        a, b = c.domain(1, env={"NDRX_TOUT": "500ms"}), c.domain(2)
        hung = b.server(1, "HANG")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "HANG")
        equal(a.call("HANG", "x").err, "TPETIME")
        row = wait_for(lambda: a.row("times", service="HANG", calls=1),
                       "given up")
        equal((row.node, row.calls, row.failed), (2, 1, 1))
        at_least(row.p99_us, 250000, "us")
        kill(hung.pid)
        b.procs.pop(hung.pid)
