# SPDX-License-Identifier: Apache-2.0
"""Senders, receivers, tpevsrv and subscribers are killed: nothing hangs, nobody
gets what is another's, no block is left."""
import random
import time

from checks import check, equal, soon
from fixture import Domain, kill, wait_for



def _take(c, got):
    """Have the handler run, and add the numbers that it got; how many."""
    n = c("chkunsol").ret
    if n:
        got += [int(g.split(":")[1]) for g in c("got").data.split("|")[:-1]]
    return n


def test_killed_senders_leave_messages_whole_and_in_order():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CLTID"})
        c = d.client()
        c("unsol", "record")
        me = c.call("CLTID").data
        for _ in range(15):
            s = d.client()
            s.begin("notifymany", me, "-", 1000000)
            got = []
            wait_for(lambda: _take(c, got), "messages")
            time.sleep(random.random() * 0.02)  # a kill at any instant
            s.kill()
            while _take(c, got):
                pass
            equal(got, list(range(1, len(got) + 1)))
        s = d.client()
        equal(s("notify", me, "-", "STRING:7").err, "OK")
        wait_for(lambda: c("chkunsol").ret == 1, "a message")


def test_a_killed_receiver_keeps_no_sender():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CLTID"})
        s = d.client()
        for _ in range(5):
            c = d.client()
            c("unsol", "record")
            me = c.call("CLTID").data
            s.begin("notifymany", me, "-", 1000000)
            c.kill()
            r = s.end()
            # ndrxd reaps once a second; until then the inbox is only full.
            equal(r.err, "TPENOENT")
            soon(r.ms, 8000)
            n = d.client()
            n("unsol", "record")
            equal((n("chkunsol").ret, n("got").n), (0, 0))
            n.close()


def test_posts_while_every_tpevsrv_is_killed_again_and_again():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SUBSCRIBE COUNT LOG GETLOG"},
               {"name": "tpevsrv", "srvid": 90, "min": 2, "max": 2})
        equal(d.call("SUBSCRIBE", "E - LOG 1").err, "OK")
        c = d.client()
        results = set()
        for _ in range(25):
            for srvid in (90, 91):
                pid = d.pid(srvid)
                if pid and random.random() < 0.6:
                    kill(pid)
            r = c("post", "E", "-", "STRING:x")
            results.add(r.err)
            soon(r.ms, 5000)
            check(r.err in ("OK", "TPENOENT", "TPESVCERR"), r.text)
            d.call("GETLOG")
        wait_for(lambda: c("post", "E", "-", "STRING:x").ret == 1,
                 "tpevsrv is back with the subscription", 20)


def test_subscriptions_of_a_server_killed_under_posts_end():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SUBSCRIBE LOG GETLOG",
                "max": 1},
               {"srvid": 5, "appopt": "LOG GETLOG"},
               {"name": "tpevsrv", "srvid": 90})
        c = d.client()
        for _ in range(3):
            wait_for(lambda: d.call("SUBSCRIBE", "E - LOG 1").err == "OK",
                     "server 1", 20)
            wait_for(lambda: d.pid(1), "ndrxd knows it", 10)
            pid = d.pid(1)
            c.begin("postmany", "E", 200)
            kill(pid)
            r = c.end()
            equal(r.err, "OK")
            wait_for(lambda: c("post", "E", "-", "-").ret == 0,
                     "the subscription removed", 10)
