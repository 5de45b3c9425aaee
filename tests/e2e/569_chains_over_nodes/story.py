# SPDX-License-Identifier: Apache-2.0
"""xadmin calls --stuck follows calls to other nodes, and names deadlocks over nodes."""
import os
import signal

from checks import check, contains, equal, lacks
from cluster import Cluster
from covers import covers
from fixture import kill, wait_for

MAINLY = "posix"
COST = 13
SECONDS = 20


def _why(d, service, state=None):
    """Why the requests of a service are not finished, and whether it is a deadlock."""
    return [(r.why, r.deadlock) for r in d.rows("calls", "--stuck")
            if r.service == service and state in (None, r.state)]


def _told(d, service, words):
    """The rows of a service, when one of them has these words."""
    return wait_for(lambda: [r for r in _why(d, service) if words in r[0]],
                    f"{service}: {words}", SECONDS)


@covers("xadmin calls")
def test_a_chain_is_followed_to_the_server_at_its_end():
    with Cluster() as c:
        a, b, e = c.domain(1), c.domain(2), c.domain(3)
        a.server(1, "A=CALLON")
        b.server(1, "B=CALLON")
        hung = e.server(1, "HANG")
        for d in (a, b, e):
            c.bridge(d)
        c.sees(a, "B")
        c.sees(b, "HANG")
        cl = a.client()
        cl.begin("call", "A", "TPNOTIME", "STRING:B HANG x")
        (why, deadlock), = _told(a, "A", "node 3: ")
        equal(why, "with server 1 testsv, which waits for B: with server 90 "
              "ndrxbridge, which has sent it to another node; node 2: with "
              "server 1 testsv, which waits for HANG: with server 90 "
              "ndrxbridge, which has sent it to another node; node 3: with "
              "server 1 testsv, which works")
        check(not deadlock, "no deadlock")
        _leave(cl, e, hung, a)


def _leave(cl, d, server, *others):
    """A chain is there still: its servers go with the domains."""
    cl.kill()
    kill(server.pid)
    d.procs.pop(server.pid)
    for x in (d, *others):
        x.dirty = True


def _cross(c, *more):
    """A of node 1 calls B of node 2, which calls A of node 1."""
    a, b = c.domain(1), c.domain(2)
    one, two = a.server(1, "A=CALLON", *more), b.server(1, "B=CALLON")
    for d in (a, b):
        c.bridge(d)
    c.sees(a, "B")
    c.sees(b, "A")
    return a, b, one, two


def test_a_deadlock_over_two_nodes_is_named_at_both():
    with Cluster() as c:
        a, b, one, _ = _cross(c)
        cl = a.client()
        cl.begin("call", "A", "TPNOTIME", "STRING:B A x")
        for d, service in ((a, "A"), (b, "B")):
            wait_for(lambda: any(x[1] for x in _why(d, service, "served")),
                     f"a deadlock, at {d.home}", SECONDS)
        (why, _), = _why(a, "A", "served")
        contains(why, "with server 1 testsv, which waits for B: with server 90"
                      " ndrxbridge, which has sent it to another node; node 2:"
                      " with server 1 testsv, which waits for A: with server"
                      " 90 ndrxbridge, which has sent it to another node; "
                      "node 1: ")
        contains(why, "its server is busy: server 1 testsv, which waits for "
                      "B: with server 90 ndrxbridge, which has sent it to "
                      "another node; again that at node 2: a deadlock")
        contains(a.xadmin("calls", "--stuck").stdout, "DEADLOCK: ")
        _leave(cl, a, one, b)
        for d in (a, b):
            wait_for(lambda: not any(r.deadlock for r in
                                     d.rows("calls", "--stuck")), "over", SECONDS)


def test_a_server_that_is_free_at_the_other_end_is_no_deadlock():
    """Node 1 has a second server of A, at work elsewhere: it may take the request."""
    with Cluster() as c:
        a, b, _, _ = _cross(c)
        a.server(2, "A=CALLON", "SLEEP")
        b.server(2, "ECHO")
        c.sees(a, "ECHO")
        keeper, cl = a.client(), a.client()
        keeper.begin("call", "SLEEP", "TPNOTIME", "STRING:5000")
        wait_for(lambda: [r for r in a.rows("calls")
                          if (r.service, r.state) == ("SLEEP", "served")],
                 "the second one at work")
        cl.begin("call", "A", "TPNOTIME", "STRING:B A ECHO x")
        _told(b, "B", "node 1: ")
        for d in (a, b):
            rows = d.rows("calls", "--stuck")
            check(not any(r.deadlock for r in rows), f"no deadlock: {rows}")
        equal(keeper.end().err, "OK")
        equal(cl.end().err, "OK")


def test_what_a_silent_node_has_told_is_old_and_proves_nothing():
    with Cluster() as c:
        a, b, one, _ = _cross(c)
        cl = a.client()
        cl.begin("call", "A", "TPNOTIME", "STRING:B A x")
        wait_for(lambda: any(x[1] for x in _why(a, "A")), "a deadlock",
                 SECONDS)
        bridge = next(p.pid for p in b.procs.values()
                      if "ndrxbridge" in p.args[0])
        kill(bridge, signal.SIGSTOP)
        try:
            wait_for(lambda: not any(x[1] for x in _why(a, "A")),
                     "nobody says so any more", SECONDS)
        finally:
            kill(bridge, signal.SIGCONT)
        _leave(cl, a, one, b)


def test_nobody_looks_while_calls_are_answered_soon():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "ECHO")
        for _ in range(200):
            equal(a.call("ECHO", "x").err, "OK")
        folder = os.path.join(b.env.get("NDRX_SHMPATH", "/dev/shm"),
                              b.env["NDRX_QPREFIX"].strip("/") + ",shm")
        with open(os.path.join(folder, "waits.90"), "rb") as f:
            lacks(f.read().hex(), "server 1".encode().hex())
