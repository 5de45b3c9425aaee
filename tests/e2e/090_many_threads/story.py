# SPDX-License-Identifier: Apache-2.0
"""Each thread of a client has a context of its own."""
from checks import equal
from fixture import Domain, wait_for

HEAVY = True


def test_a_hundred_threads_get_their_own_replies():
    with Domain() as d:
        for i in (1, 2, 3):
            d.spawn(i, "ECHO")
        d.wait_ready(1, 2, 3)
        r = d.client()("calls", "ECHO", 30, 100, 40, seconds=40)
        equal((r.ok, r.wrong, r.errors), (3000, 0, {}))


def test_mailboxes_of_ended_threads_are_given_back():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        for _ in range(10):
            equal(c("calls", "ECHO", 3, 20).ok, 60)
        wait_for(lambda: len([q for q in d.rows("pqa")
                              if "reply" in q.queue]) == 0,
                 "mailboxes given back")
        equal(d.rows("stat")[0].clients, 0)


def test_large_and_small_messages_do_not_mix():
    with Domain() as d:
        d.server(1, "ECHO")
        d.server(2, "ECHO")
        a, b, c = d.client(), d.client(), d.client()
        a.begin("calls", "ECHO", 200, 4, 10)
        b.begin("calls", "ECHO", 200, 4, 5000)
        c.begin("calls", "ECHO", 50, 2, 300000)
        for x, n in ((a, 800), (b, 800), (c, 100)):
            r = x.end(40)
            equal((r.ok, r.wrong, r.errors), (n, 0, {}))


def test_a_client_may_tpterm_and_tpinit_again():
    with Domain() as d:
        d.server(1, "ECHO", "FDS")
        c = d.client()
        for _ in range(20):
            equal(c("init").ret, 0)
            equal(c.call("ECHO", "x").data, "x")
            equal(c("term").ret, 0)
        equal(c("term").ret, 0, "twice")
        equal(c.call("ECHO", "x").data, "x", "implicit tpinit")
