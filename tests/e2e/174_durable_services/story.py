# SPDX-License-Identifier: Apache-2.0
"""<service durable="Y">: an accepted one-way call outlives servers, tmqueue and
the domain."""
import os
from collections import Counter

from checks import at_most, contains, equal, lacks
from cluster import BRIDGE, Cluster
from covers import covers
from fixture import BUILD, Domain, kill, wait_for
from trans import Trans

COST = 8
N = 200
QUICK = ">,waitretry=100ms,workers=2"


class Node:
    """A domain whose service TALLY writes down what it executes."""

    def __init__(self, d, *lines, offers="TALLY", services=""):
        self.d = d
        self.file = os.path.join(d.home, "tally")
        d.env["TALLY"] = self.file
        self.conf = os.path.join(d.home, "q.conf")
        self.define(*(lines or (QUICK,)))
        self.servers = [
            {"name": "tmqueue", "srvid": 80, "max": 1,
             "appopt": f"-m S -q {self.conf}"},
            {"srvid": 1, "appopt": offers, "pingtime": 0}]
        self.services = services or '<service svcnm="TALLY" durable="Y"/>'

    def define(self, *lines):
        with open(self.conf, "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")

    def boot(self, *servers, more=""):
        self.d.boot(*(servers or self.servers), sections=more +
                    f"<services>{self.services}</services>")
        return self

    def done(self):
        try:
            with open(self.file, encoding="ascii") as f:
                return [line.strip() for line in f]
        except FileNotFoundError:
            return []

    def all_done(self, *texts):
        wait_for(lambda: set(texts) <= set(self.done()), f"{texts}", 30)

    def queue(self, name):
        return self.d.row("mqlq", queue=name)


def _oneway(c, svc, text):
    return c("acall", svc, "TPNOREPLY", f"STRING:{text}").err


@covers("durable")
def test_what_was_accepted_outlives_kills_of_the_server_and_of_tmqueue():
    with Domain() as d:
        n = Node(d).boot()
        c = d.client()
        c.begin("tally", "TALLY", N, "oneway", 0)
        for srvid in (1, 80, 1, 80):
            before = len(n.done())
            wait_for(lambda b=before: len(n.done()) >= min(N, b + 8), "work")
            old = d.pid(srvid)
            if old:
                kill(old)
                wait_for(lambda s=srvid, o=old: d.pid(s) not in (0, o),
                         f"server {srvid} again")
        r = c.end(60)
        # A request that tmqueue had in hand: its caller does not know.
        at_most(sum(r.refused.values()), 2, r)
        wait_for(lambda: len(set(n.done())) >= r.accepted, "all executed", 30)
        wait_for(lambda: n.queue(">TALLY").queued == 0, "the queue is empty")
        # Once more is what was in hand of a killed one: two of each.
        twice = sum(k - 1 for k in Counter(n.done()).values())
        at_most(twice, 4 * 2, "what was in hand is called again")


def test_a_code_of_the_service_does_not_say_that_it_was_not_called():
    with Domain() as d:
        n = Node(d, ">,waitretry=100ms,tries=2", offers="SOFTERR",
                 services='<service svcnm="SOFTERR" durable="Y"/>').boot()
        c = d.client()
        for i, code in enumerate((5, 6, 7, 8), 1):  # TPELIMIT, ... TPEPERM
            equal(_oneway(c, "SOFTERR", code), "OK")
            wait_for(lambda i=i: n.queue("@FAILED") and
                     n.queue("@FAILED").queued == i, f"{code}: two tries")


def test_success_is_a_promise_while_nobody_serves_and_over_a_stop():
    with Domain() as d:
        n = Node(d, ">,waitretry=100ms")
        n.boot(n.servers[0])
        c = d.client()
        for i in range(5):
            equal(_oneway(c, "TALLY", i), "OK")
        wait_for(lambda: n.queue(">TALLY").queued == 5, "they wait")
        c.close()
        d.clients.remove(c)
        d.xadmin("stop", "-y")
        n.boot()
        wait_for(lambda: len(n.done()) == 5, "executed", 20)
        equal(n.done(), list("01234"), "in their order, once")


def test_a_one_way_request_that_is_forwarded_is_stored():
    with Domain() as d:
        n = Node(d, ">,waitretry=100ms")
        n.boot(n.servers[0], {"srvid": 2, "appopt": "FORWARD"})
        c = d.client()
        for i in range(3):
            equal(_oneway(c, "FORWARD", f"TALLY {i}"), "OK")
        wait_for(lambda: n.queue(">TALLY") and
                 n.queue(">TALLY").queued == 3, "they wait")
        # A call with a reply is not: its caller hears.
        equal(c.call("FORWARD", "TALLY 9").err, "TPESVCERR")
        kill(d.pid(2))
        d.xadmin("stop", "-y")
        n.boot()
        wait_for(lambda: len(n.done()) == 3, "executed", 20)
        equal(n.done(), list("012"), "in their order, once")


def test_without_a_tmqueue_that_stores_nothing_is_accepted():
    with Domain() as d:
        n = Node(d, "@")
        n.boot(n.servers[1])
        c = d.client()
        r = c("acall", "TALLY", "TPNOREPLY", "STRING:x")
        equal(r.err, "TPENOENT")
        contains(r.text, "durable")
        contains(d.run("xadmin", "doctor").stdout, "durable services")
        d.configure(*n.servers, sections=f"<services>{n.services}</services>")
        d.xadmin("reload")
        d.xadmin("start", "-y")
        equal(_oneway(c, "TALLY", "y"), "TPENOENT", "it has no queue >")
        equal(c.call("TALLY", "called").err, "OK", "calls are not stored")
        equal(n.done(), ["called"])


def test_an_operator_who_suspends_the_service_wants_no_calls():
    with Domain() as d:
        n = Node(d).boot()
        c = d.client()
        equal(_oneway(c, "TALLY", "a"), "OK")
        n.all_done("a")
        d.xadmin("suspend", "-s", "TALLY")
        equal(_oneway(c, "TALLY", "b"), "TPENOENT")
        d.xadmin("resume", "-s", "TALLY")
        equal(_oneway(c, "TALLY", "c"), "OK")
        n.all_done("c")
        equal(n.done(), ["a", "c"])


def test_a_reload_takes_the_attribute_away_and_what_is_stored_is_executed():
    with Domain() as d:
        n = Node(d)
        n.boot(n.servers[0])
        c = d.client()
        equal(_oneway(c, "TALLY", "stored"), "OK")
        equal(d.row("prtsvc", service="TALLY").durable, True)
        lacks(d.run("xadmin", "doctor").stdout, "durable services")
        d.configure(*n.servers)
        d.xadmin("reload")
        d.xadmin("start", "-y")
        n.all_done("stored")
        enqueued = n.queue(">TALLY").enqueued
        equal(_oneway(c, "TALLY", "direct"), "OK")
        n.all_done("direct")
        equal(n.queue(">TALLY").enqueued, enqueued, "not by the queue")


def test_a_call_that_kills_each_server_is_set_apart_with_its_name():
    with Domain() as d:
        n = Node(d, ">,tries=2,waitretry=100ms,workers=1",
                 offers="CRASH TALLY",
                 services='<service svcnm="CRASH" durable="Y"/>'
                 '<service svcnm="TALLY" durable="Y"/>').boot()
        c = d.client()
        equal(_oneway(c, "CRASH", "poison"), "OK")
        wait_for(lambda: (n.queue("@FAILED") or {"queued": 0})["queued"] == 1,
                 "set apart", 20)
        r = c("deq", "S", "@FAILED", "-", "-")
        equal((r.err, r.data), ("OK", "poison"))
        contains(r.event, "corrid=CRASH")
        equal(_oneway(c, "TALLY", "goes on"), "OK")
        n.all_done("goes on")


def test_a_service_that_fails_was_called():
    with Domain() as d:
        n = Node(d, offers="FAIL",
                 services='<service svcnm="FAIL" durable="Y"/>').boot()
        equal(_oneway(d.client(), "FAIL", "x"), "OK")
        wait_for(lambda: (n.queue(">FAIL").queued,
                          n.queue(">FAIL").succeeded) == (0, 1), "called")
        equal(d.row("psc", service="FAIL").failed, 1)


def test_a_kept_reply_does_not_stand_for_a_call():
    with Domain() as d:
        n = Node(d, services='<service svcnm="TALLY" durable="Y" '
                 'cache="ttl=1h"/>').boot()
        c = d.client()
        for _ in range(2):
            equal(c.call("TALLY", "x").err, "OK")
        equal(n.done(), ["x"], "the second one got a kept reply")
        equal(_oneway(c, "TALLY", "x"), "OK")
        wait_for(lambda: n.queue(">TALLY").queued == 0, "done with")
        equal(n.done(), ["x", "x"])


def test_services_with_long_names_have_queues_of_their_own():
    names = [f"PAYMENTS.OF.ALL.ACCOUNTS.{i}" for i in range(3)]
    with Domain() as d:
        n = Node(d, offers=" ".join(f"{s}=TALLY" for s in names),
                 services="".join(f'<service svcnm="{s}" durable="Y"/>'
                                  for s in names))
        n.boot(n.servers[0])
        c = d.client()
        for s in names:
            equal(_oneway(c, s, s), "OK")
        wait_for(lambda: len([r for r in d.rows("mqlq") if r.queued == 1]) == 3,
                 "three queues")
        kill(d.pid(80))  # the next one reads whose they are
        d.configure(*n.servers,
                    sections=f"<services>{n.services}</services>")
        d.xadmin("reload")
        d.xadmin("start", "-y")
        n.all_done(*names)


def test_a_list_is_asked_before_a_call_is_stored():
    with Domain() as d:
        passwords = os.path.join(d.home, "passwords")
        equal(d.run("xadmin", "passwd", "-f", passwords, "anna",
                    text="secret\n").returncode, 0)
        n = Node(d, services='<service svcnm="TALLY" durable="Y" '
                 'acl="login:anna"/>')
        n.boot(more=f'<security auth="SYS" passwords="{passwords}"/>')
        stranger, anna = d.client(), d.client()
        equal(_oneway(stranger, "TALLY", "no"), "TPEPERM")
        equal(anna("login", "anna", "secret").err, "OK")
        equal(_oneway(anna, "TALLY", "yes"), "OK")
        n.all_done("yes")
        equal(n.done(), ["yes"])


def test_in_transactions_each_accepted_call_works_once():
    n, options = 40, ">,autoq=T,tries=1000,waitretry=20ms,workers=3,txtout=3"
    with Trans() as t:
        rm = {"NDRX_XA_RES_ID": "5",
              "NDRX_XA_OPEN_STR": f'datadir="{t.home}/qdata",qspace="S"',
              "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"}
        conf = os.path.join(t.home, "q.conf")
        with open(conf, "w", encoding="ascii") as f:
            f.write(options + "\n")

        def server(srvid, name, opts, env):
            path = f"{t.home}/env.{srvid}"
            with open(path, "w", encoding="ascii") as f:
                f.writelines(f"{k}={v}\n" for k, v in env.items())
            return {"name": name, "srvid": srvid, "env": path, "appopt": opts}
        t.boot(server(105, "tmsrv", "-s 200ms", rm),
               server(101, "tmsrv", "-s 200ms", t.xa(1)),
               server(80, "tmqueue", f"-m S -q {conf}", rm),
               server(11, "xasv", "A", t.xa(1)),
               sections='<services><service svcnm="A" durable="Y"/>'
               '</services>')
        c = t.client()
        for srvid in (11, 80, 11, 80):
            for _ in range(n // 4):
                equal(_oneway(c, "A", "add:1"), "OK")
            old = t.pid(srvid)
            kill(old)
            wait_for(lambda s=srvid, o=old: t.pid(s) not in (0, o), "again")
        wait_for(lambda: t.total(1) >= n, "all are done", 60)
        t.decided(1)
        wait_for(lambda: (t.row("mqlq", queue=">A").queued,
                          t.row("mqlq", queue=">A").locked) == (0, 0), "empty",
                 30)
        equal(t.total(1), n, "once each")


def test_callers_of_other_nodes_have_their_calls_stored_here_or_there():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        bridge = {"name": "ndrxbridge", "srvid": BRIDGE}
        there = Node(b)
        there.boot(*there.servers, bridge, more=c.section(2))
        here = Node(a)
        here.boot(here.servers[0], bridge, more=c.section(1))
        c.sees(a, "TALLY")
        cl = a.client()
        # By the queue of this node, whatever becomes of the other one.
        equal(_oneway(cl, "TALLY", "by ours"), "OK")
        there.all_done("by ours")
        equal(here.queue(">TALLY").enqueued, 1)
        equal(there.queue(">TALLY"), None, "a call that comes is a call")
        # By the queue of theirs.
        a.configure(here.servers[0], bridge, sections=c.section(1))
        a.xadmin("reload")
        wait_for(lambda: not a.row("prtsvc", service="TALLY").durable, "plain")
        equal(_oneway(cl, "TALLY", "by theirs"), "OK")
        there.all_done("by theirs")
        equal(there.queue(">TALLY").enqueued, 1)
        equal(here.queue(">TALLY").enqueued, 1)
        # It is their queue's, not in the hands of who has stored it.
        old = b.pid(80)
        kill(old)
        wait_for(lambda: b.pid(80) not in (0, old), "again")
        equal(_oneway(cl, "TALLY", "and on"), "OK")
        there.all_done("and on")
        equal(b.lost_requests(), 0)
