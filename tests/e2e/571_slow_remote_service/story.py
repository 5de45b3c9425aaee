# SPDX-License-Identifier: Apache-2.0
"""A slow service of another node takes only its own calls down: those of others
pass what waits for it, here and there. What was accepted is served."""
import os
import select
import signal
import time

from checks import at_most, equal
from cluster import BRIDGE, Cluster
from fixture import kill, wait_for

QUEUE_KB = 180
MANY = 10000  # requests, more than the credit of a lane is for


class _Pair:
    """Node 1 calls; node 2 has services that wait until a gate is opened, and
    one that does not."""

    def __init__(self, c, *slow):
        self.c = c
        self.a, self.b = c.domain(1), c.domain(2)
        self.gate = os.path.join(self.b.home, "gate")
        # One process: while it waits none of them is served.
        self.slow = self.b.server(1, *(n if "=" in n else f"{n}=SLEEP"
                                       for n in slow), "COUNT")
        self.b.server(2, "ECHO")
        self.near, self.far = c.bridge(self.a), c.bridge(self.b)
        c.sees(self.a, "ECHO", *(n.split("=")[0] for n in slow))
        self.clients = []

    def flood(self, svc, n=MANY):
        """One-way calls, of a client of their own."""
        cl = self.a.client()
        cl.begin("flood", svc, "TPNOREPLY,TPNOTIME", f"STRING:{self.gate}",
                 n)
        self.clients.append(cl)

    def waiting(self):
        """Requests that wait in the bridge of node 1."""
        return self.c.link(self.a, 2).waiting

    def held_up(self, least=500):
        """Wait until so much waits that no more is taken."""
        last = [0]

        def stands():
            before, last[0] = last[0], self.waiting()
            time.sleep(0.3)  # pnet shows a new figure
            return before >= least and before == last[0]

        wait_for(stands, "requests wait", 20)

    def others_are_served(self):
        cl = self.a.client()
        for i in range(5):
            equal(cl("call", "ECHO", "-", f"STRING:{i}", seconds=60).err,
                  "OK")

    def open(self):
        with open(self.gate, "w", encoding="utf-8"):
            pass

    def accepted(self):
        """How many calls were, when all callers are through."""
        n = [cl.end(60).ret for cl in self.clients]
        self.clients = []
        return sum(n)

    def served(self):
        return int(self.b.call("COUNT").data)


def test_calls_of_others_pass_one_way_calls_that_wait():
    with Cluster() as c:
        p = _Pair(c, "SLEEP")
        p.flood("SLEEP")
        p.held_up()
        p.others_are_served()
        p.open()
        n = p.accepted()
        equal(n, MANY)
        wait_for(lambda: p.served() == n, "all are served", 40)
        equal(p.a.row("pnet", node=2).lost, 0)
        p.others_are_served()


def test_several_slow_services_leave_room_for_others():
    with Cluster() as c:
        names = [f"S{i}" for i in range(5)]
        p = _Pair(c, *names)
        for s in names:
            p.flood(s, MANY // 4)
        p.held_up()
        p.others_are_served()
        p.open()
        equal(p.accepted(), len(names) * (MANY // 4))
        wait_for(lambda: p.served() == len(names) * (MANY // 4),
                 "all are served", 40)


def test_a_caller_that_does_not_wait_hears_it_and_deadlines_hold():
    with Cluster() as c:
        p = _Pair(c, "SLEEP")
        p.flood("SLEEP")
        p.held_up()
        cl = p.a.client()
        wait_for(lambda: cl("call", "SLEEP", "TPNOBLOCK", "STRING:1").err ==
                 "TPEBLOCK", "refused at once")
        p.a.env["NDRX_TOUT"] = "1"
        late = p.a.client()
        equal(late("call", "SLEEP", "-", f"STRING:{p.gate}").err, "TPETIME")
        p.others_are_served()
        p.open()
        n = p.accepted()
        wait_for(lambda: p.served() >= n, "all are served", 40)


def _rss(process):
    """Megabytes."""
    with open(f"/proc/{process.pid}/status", encoding="utf-8") as f:
        return next(int(x.split()[1]) for x in f if x.startswith("VmRSS")) >> 10


def test_large_requests_that_wait_take_no_memory_without_end():
    with Cluster() as c:
        p = _Pair(c, "LARGE=ECHO")
        kill(p.slow.pid, signal.SIGSTOP)
        try:
            cl = p.a.client()
            cl.begin("flood", "LARGE", "TPNOREPLY,TPNOTIME", "CARRAY:#1000000",
                     300)
            p.held_up(10)
            p.others_are_served()
            # 128 MB may wait in the lane before the other end says ALLOW.
            at_most(_rss(p.near), 170, "MB here")
            at_most(_rss(p.far), 120, "MB there")
        finally:
            kill(p.slow.pid, signal.SIGCONT)
        equal(cl.end(60).ret, 300)
        wait_for(lambda: p.served() == 300, "all are served", 40)


def _is_through(client):
    """Has it come to the end of its command?"""
    return bool(select.select([client.proc.stdout], [], [], 0)[0])


def _calls_pass_a_line(a, b, n):
    """Node 1 calls NAP twice, while callers of node 2 stand in the line of its
    queue all the time, with so many calls each."""
    local = [b.client() for _ in range(25)]
    for cl in local:
        cl.begin("calls", "NAP", n, 1, 100)
    wait_for(lambda: b.row("pq", service="NAP").queued == 4, "full")
    for _ in range(2):
        equal(a.call("NAP", "x").err, "OK")
    equal(sum(_is_through(cl) for cl in local), 0)
    for cl in local:
        equal(cl.end(60).ok, n)


def test_callers_of_that_node_do_not_keep_others_out_of_a_full_queue():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "NAP")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "NAP")
        _calls_pass_a_line(a, b, 40)


def test_what_a_bridge_that_ends_has_not_sent_is_named():
    with Cluster() as c:
        p = _Pair(c, "SLEEP")
        p.flood("SLEEP")
        p.held_up()
        n = p.waiting()
        equal(p.a.stop_server(p.near), 0)
        p.open()
        with open(os.path.join(p.a.logs, f"ndrxbridge.{BRIDGE}.log"),
                  encoding="utf-8") as f:
            named = [x for x in f if "SLEEP: one-way request" in x and
                     "the link to the other node was lost" in x]
        equal(len(named), n)


def test_a_bridge_is_killed_while_requests_wait():
    with Cluster() as c:
        p = _Pair(c, "SLEEP")
        for killed, d in ((p.far, p.b), (p.near, p.a)):
            p.flood("SLEEP")
            p.held_up()
            kill(killed.pid)
            killed.wait()
            c.bridge(d)
            c.sees(p.a, "ECHO", "SLEEP")
            wait_for(lambda: p.a.call("ECHO", "x").err == "OK", "both again",
                     20)
            p.others_are_served()
        p.open()
        n = p.accepted()
        wait_for(lambda: p.a.call("SLEEP", p.gate).err == "OK", "served", 40)
        at_most(p.served(), n + 1, "none twice")
        before = p.served()
        p.flood("SLEEP", 100)
        equal(p.accepted(), 100)
        wait_for(lambda: p.served() >= before + 100, "the next ones", 40)
