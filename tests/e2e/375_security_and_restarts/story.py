# SPDX-License-Identifier: Apache-2.0
"""Whoever must log in or not: what was accepted is executed or named, while
servers and bridges are killed and replaced.

A matrix: what is demanded of callers x what happens x how the work comes: one-way
calls and calls of another node, one-way calls of this node, messages of a durable
queue."""
import os
import signal
import threading
from collections import Counter

from checks import at_most, between, equal
from cluster import BRIDGE, Cluster
from fixture import kill, wait_for

MAINLY = "posix"
COST = 12
ONEWAY, MESSAGES = 150, 25


class Node:
    """A node whose service TALLY writes down what it executes."""

    def __init__(self, c, number, auth, *servers):
        self.d = d = c.domain(number)
        self.named = d.lost_requests
        self.auth = auth
        self.file = d.env["TALLY"] = os.path.join(d.home, "tally")
        passwords = os.path.join(d.home, "passwords")
        with open(f"{d.home}/q.conf", "w", encoding="ascii") as f:
            f.write("Q,autoq=y,svcnm=TALLY,waitretry=100ms,tries=50\n")
        if auth:
            equal(d.run("xadmin", "passwd", "-f", passwords, "anna",
                        text="secret\n").returncode, 0)
        d.boot(*servers, {"name": "ndrxbridge", "srvid": BRIDGE},
               sections=c.section(number) + (
                   f'<security auth="{auth}" passwords="{passwords}"/>'
                   if auth else ""))

    def client(self):
        c = self.d.client(NDRX_TOUT="20")
        if self.auth:
            equal(c("login", "anna", "secret").err, "OK")
        return c

    def done(self):
        try:
            with open(self.file, encoding="ascii") as f:
                return Counter(line.strip() for line in f)
        except FileNotFoundError:
            return Counter()


def _replaced(d, srvid, old):
    wait_for(lambda: d.pid(srvid) not in (0, old), f"server {srvid} again", 20)


def _kill_server(d):
    old = d.pid(1)
    kill(old)
    _replaced(d, 1, old)


def _reload_server(d):
    d.xadmin("sreload", "-y", "-s", "testsv")


def _reload_bridge(d):
    d.xadmin("sreload", "-y", "-i", BRIDGE)


def _kill_queues(d):
    old = d.pid(80)
    kill(old)
    _replaced(d, 80, old)

DEEDS = {"kill -9 of the server": _kill_server,
         "sreload of the server": _reload_server,
         "sreload of the callers' bridge": _reload_bridge,
         "sreload of the servers' bridge": _reload_bridge,
         "kill -9 of tmqueue": _kill_queues}
ONLY_WAY = "sreload of the servers' bridge"


class Work:
    """All kinds of work at once; each piece has a text of its own."""

    def __init__(self, here, there):
        self.here = here
        if os.path.exists(here.file):
            os.remove(here.file)
        self.named = here.named() + there.named()
        self.there = there
        self.far, self.near, self.queue, self.calls = (
            there.client(), here.client(), here.client(), there.client())
        self.told = {}

    def run(self, deed, where):
        self.far.begin("tally", "TALLY", ONEWAY, "oneway", 1)
        for i in range(MESSAGES):
            r = self.queue("enq", "S", "Q", "-", "-", f"STRING:q{i}")
            equal(r.err, "OK", r.text)
        failed = []

        def happen():
            try:
                deed(where)
            except BaseException as e:
                failed.append(e)
        t = threading.Thread(target=happen)
        t.start()
        i = 0
        while t.is_alive() or i < 20:
            self.told[f"c{i}"] = self.calls.call("TALLY", f"c{i}").err
            r = self.near("acall", "TALLY", "TPNOREPLY", f"STRING:n{i}")
            equal(r.err, "OK", r.text)
            i += 1
        t.join()
        equal(failed, [])
        self.near_sent = i
        self.far_sent = self.far.end(60)

    def judge(self, deed, in_hand):
        """`in_hand`: how many a killed process can have had."""
        here = self.here
        absent = [t for t, e in self.told.items() if e == "TPENOENT"]
        if deed == ONLY_WAY:  # nobody else offers the service meanwhile
            for text in absent:
                equal(here.done()[text], 0, (deed, text))
                del self.told[text]
            self.far_sent.refused.pop("TPENOENT", None)
        bad = Counter(e for e in self.told.values() if e != "OK")
        at_most(sum(bad.values()), in_hand, (deed, bad))
        equal(set(bad) - {"TPESVCERR"}, set(), (deed, bad))
        for text, err in self.told.items():
            if err == "OK":
                equal(here.done()[text], 1, (deed, text))
        equal(self.far_sent.refused, {}, deed)

        def oneway():
            return sum(n for t, n in here.done().items()
                       if t[0] == "n" or t.isdigit())

        def named():
            return here.named() + self.there.named() - self.named
        sent = self.far_sent.accepted + self.near_sent
        wait_for(lambda: oneway() + named() >= sent,
                 f"{deed}: {sent} accepted, {oneway()} executed, {named()} "
                 "named", 20)
        # One that was executed as its server died is named, too.
        between(oneway() + named(), sent, sent + in_hand, deed)
        if deed != ONLY_WAY:
            at_most(named(), in_hand, deed)
        wait_for(lambda: all(here.done()[f"q{i}"]
                             for i in range(MESSAGES)), f"{deed}: messages", 30)
        again = sum(here.done()[f"q{i}"] - 1 for i in range(MESSAGES))
        at_most(again, in_hand + (deed == "kill -9 of tmqueue"), deed)

    def close(self):
        for c in (self.far, self.near, self.queue, self.calls):
            c.close()
            c.domain.clients.remove(c)


def _matrix(auth):
    with Cluster() as c:
        here = Node(c, 2, auth, {"srvid": 1, "appopt": "TALLY", "pingtime": 0},
                    {"name": "tmqueue", "srvid": 80,
                     "appopt": "-m S -q ${NDRX_APPHOME}/q.conf"})
        there = Node(c, 1, auth)
        c.sees(there.d, "TALLY")
        if auth:
            r = there.d.client().call("TALLY", "stranger")
            equal(r.err, "TPEPERM", "who has not logged in")
        for name, deed in DEEDS.items():
            work = Work(here, there)
            work.run(deed, (there if "callers" in name else here).d)
            work.judge(name, 1 if "server" in name and "kill" in name else 0)
            work.close()
            c.sees(there.d, "TALLY")


def test_nothing_that_was_accepted_vanishes_where_nobody_logs_in():
    _matrix(None)


def test_nothing_that_was_accepted_vanishes_where_all_log_in():
    _matrix("SYS")


def test_one_way_requests_that_wait_at_another_node_outlive_the_bridge_they_came_by():
    with Cluster() as c:
        here = Node(c, 2, None, {"srvid": 1, "appopt": "TALLY", "pingtime": 0})
        there = Node(c, 1, None)
        c.sees(there.d, "TALLY")
        server, far = here.d.pid(1), there.client()
        kill(server, signal.SIGSTOP)
        try:
            for i in range(40):  # more than the queue has places
                r = far("acall", "TALLY", "TPNOREPLY", f"STRING:w{i}")
                equal(r.err, "OK", r.text)
            _reload_bridge(there.d)
        finally:
            kill(server, signal.SIGCONT)
        wait_for(lambda: sum(here.done().values()) + here.named() +
                 there.named() >= 40, "all are executed, or named", 20)
        equal((len(here.done()), here.named(), there.named()), (40, 0, 0))
