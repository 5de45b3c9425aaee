# SPDX-License-Identifier: Apache-2.0
"""A transaction ends at all nodes, or at none."""
import os
import random
import signal
import threading
import time

from checks import at_most, contains, equal
from cluster import Cluster
from fixture import kill, wait_for
from machine import LONG, holds
from trans import Trans

COST = 39
XA_RDONLY = 3


class Pair:
    """Nodes 1 and 2: service A with resource manager 1 here, B with resource
    manager 2 there; a client here. C at node 2 has none."""

    def __init__(self, c, *more):
        self.c = c
        self.nodes = [self._node(n) for n in (1, 2, *more)]
        self.a, self.b = self.nodes[:2]
        self.start = {}
        self.run = {}
        self.add("tm1", lambda: self.a.tm(1))
        self.add("tm2", lambda: self.b.tm(2))
        self.add("A", lambda: self.a.sv(11, 1, "A"))
        self.add("B", lambda: self.b.sv(12, 2, "B", "B2"))
        self.add("br1", lambda: c.bridge(self.a))
        self.add("br2", lambda: c.bridge(self.b))
        self.sees()
        self.client = self.a.xaclient(1)

    def _node(self, n):
        return self.c.stack.enter_context(
            Trans(env={"NDRX_NODEID": str(n)}))

    def add(self, name, start):
        self.start[name] = start
        self.run[name] = start()

    def sees(self):
        """Both nodes reach each other."""
        self.c.sees(self.a, "B", "@TMABROAD")
        self.c.sees(self.b, "A", "@TMABROAD")

    def of(self, name):
        return self.a if name in ("tm1", "tm3", "A", "br1") else self.b

    def again(self, name):
        """It was killed: start it again."""
        self.run[name] = self.of(name).replace(self.run[name],
                                               self.start[name])

    def kill(self, name):
        kill(self.run[name].pid)
        self.again(name)

    def transfer(self, n=1, client=None):
        cl = client or self.client
        cl.ok("begin", 20)
        cl.ok("call", "-", "A", f"add:-{n}")
        cl.ok("call", "-", "B", f"add:{n}")

    def totals(self):
        return self.a.total(1), self.b.total(2)

    def decided(self, seconds=20):
        """Nothing is in doubt; the same has become of both."""
        self.a.decided(1, seconds=seconds)
        self.b.decided(2, seconds=seconds)
        a, b = self.totals()
        equal(a + b, 0)
        return b


def test_a_commit_reaches_both_nodes():
    with Cluster() as c:
        p = Pair(c)
        p.transfer(5)
        equal(p.totals(), (0, 0))
        p.client.ok("commit")
        equal(p.totals(), (-5, 5))
        p.a.settled(1)
        p.b.settled(2)
        equal([r for _, _, r in p.b.calls(2, "prepare")], [0])


def test_an_abort_reaches_both_nodes():
    with Cluster() as c:
        p = Pair(c)
        p.transfer(5)
        p.client.ok("abort")
        p.a.settled(1)
        p.b.settled(2)
        equal(p.totals(), (0, 0))


def test_a_remote_failure_dooms_the_transaction():
    with Cluster() as c:
        p = Pair(c)
        cl = p.client
        for words in (("B", "add:9 fail"), ("A", "call:B:fail")):
            p.transfer()
            equal((words, cl.err("call", "-", *words)),
                  (words, "TPESVCFAIL"))
            equal(cl.err("commit"), "TPEABORT")
        p.transfer()
        cl.ok("call", "-", "A", "try:B:fail add:1")  # nobody is told
        equal(cl.err("commit"), "TPEABORT")
        p.transfer()
        before = len(p.b.calls(2, "end"))
        cl.ok("acall", "-", "B", "fail")  # nobody fetches the reply
        wait_for(lambda: len(p.b.calls(2, "end")) > before, "it ends")
        equal(cl.err("commit"), "TPEABORT")
        p.a.settled(1)
        p.b.settled(2)
        equal(p.totals(), (0, 0))
        p.transfer()
        equal(cl.err("call", "TPNOABORT", "B", "fail"), "TPESVCFAIL")
        cl.ok("commit")
        equal(p.decided(), 1)


def test_calls_with_tpnotran_are_outside():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 20)
        equal(p.client.ok("call", "TPNOTRAN", "B", "add:7").urcode, 0)
        equal(p.client.ok("call", "-", "B", "add:1").urcode, 1)
        p.client.ok("abort")
        equal(p.b.total(2), 7)


def test_services_of_a_node_share_its_branch():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 20)
        for svc, n in (("B", 1), ("B2", 2), ("B", 3)):
            p.client.ok("call", "-", svc, f"add:{n}")
        p.client.ok("commit")
        equal((p.b.total(2), len(p.b.branches(2, "c"))), (6, 1))


def test_a_node_that_has_only_read_needs_no_second_phase():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 20)
        p.client.ok("call", "-", "A", "add:1")
        p.client.ok("call", "-", "B", "x")
        p.client.ok("commit")
        equal([r for _, _, r in p.b.calls(2, "prepare")], [XA_RDONLY])
        equal(p.b.calls(2, "commit"), [])
        equal(p.totals(), (1, 0))
        p.client.ok("begin", 20)  # here nobody does anything
        p.client.ok("call", "-", "B", "add:1")
        p.client.ok("commit")
        equal(p.totals(), (1, 1))


def test_a_remote_vote_against_it_rolls_back_both():
    with Cluster() as c:
        p = Pair(c)
        for order in ("result 100", "result -3"):
            p.transfer()
            p.b.order(2, "prepare", order)
            equal(p.client.err("commit"), "TPEABORT")
            p.a.settled(1)
            p.b.decided(2)
            equal(p.totals(), (0, 0))


def test_a_time_out_rolls_back_at_both_nodes():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 3)
        p.client.ok("call", "-", "A", "add:1")
        p.client.ok("call", "-", "B", "add:1")
        p.a.settled(1)
        p.b.settled(2)
        equal(p.client.err("commit"), "TPEABORT")
        equal(p.totals(), (0, 0))


def test_a_forwarded_request_takes_its_transaction_to_another_node():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 20)
        p.client.ok("call", "-", "A", "add:-3 forward:B:add:3")
        equal(p.totals(), (0, 0))
        p.client.ok("commit")
        equal(p.totals(), (-3, 3))


def test_a_forwarded_request_that_no_other_node_takes_is_no_tpenoent():
    """A has worked: its half must not be committed alone."""
    with Cluster() as c:
        p = Pair(c)
        other = p.b.xaclient(0)
        other.begin("call", "TPNOTRAN", "B", "sleep:1500")
        wait_for(lambda: p.b.row("psc", service="B").status == "BUSY",
                 "B is busy")
        p.client.ok("begin", 20)
        p.client.begin("call", "-", "A", "add:-100 forward:B:add:100")
        wait_for(lambda: p.b.row("pq", service="B") is None
                 or p.b.row("pq", service="B").queued > 0, "it waits there")
        kill(p.run["B"].pid, signal.SIGTERM)
        r = p.client.end(40)
        other.end()
        if r.err == "OK":  # it was served before the server left
            p.client.ok("commit")
        else:
            equal(r.err, "TPESVCERR")
            equal(p.client.err("commit"), "TPEABORT")
        p.a.decided(1)
        p.b.decided(2)
        equal(sum(p.totals()), 0)


def test_a_forwarded_request_to_a_node_that_has_gone_is_no_tpenoent():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 20)
        p.client.ok("call", "-", "A", "add:1")
        for name in ("br2",):  # silent: it is found out later
            kill(p.run[name].pid, signal.SIGSTOP)
        p.client.begin("call", "-", "A", "add:-100 forward:B:add:100")
        r = p.client.end(60)
        kill(p.run["br2"].pid, signal.SIGCONT)
        contains(("TPESVCERR", "TPETIME"), r.err)
        equal(p.client.err("commit"), "TPEABORT")
        equal(p.decided(), 0)


def _withdraws(c, p, *then):
    """B is withdrawn after its node was chosen for a request in a transaction,
    and before it is sent: the tmsrv here, which is asked in between, is stopped
    meanwhile. `then`: what starts before that."""
    p.client.ok("begin", 60)
    p.client.ok("call", "-", "A", "add:-5")
    kill(p.run["tm1"].pid, signal.SIGSTOP)
    p.client.begin("call", "-", "B", "add:5")
    wait_for(lambda: any(r.queued > 0 for r in p.a.rows("pq")
                         if r.service.startswith("@TM")), "it is asked for")
    for start in then:
        start()
    p.b.stop_server(p.run["B"])
    wait_for(lambda: c.link(p.a, 2).services == 0, "it is withdrawn")
    kill(p.run["tm1"].pid, signal.SIGCONT)
    return p.client.end(40).err


def test_what_was_not_sent_to_a_node_that_withdrew_dooms_nothing():
    with Cluster() as c:
        p = Pair(c)
        equal(_withdraws(c, p), "TPENOENT")
        p.client.ok("commit")
        equal(p.totals(), (-5, 0))


def test_another_node_gets_what_was_not_sent_to_one_that_withdrew():
    with Cluster() as c:
        p = Pair(c, 3)
        third = p.nodes[2]
        third.tm(3)
        c.bridge(third)
        def start():
            third.sv(13, 3, "B")
            wait_for(lambda: c.link(p.a, 3).services == 1, "it has B, too")

        c.link(p.a, 3)
        equal(_withdraws(c, p, start), "OK")
        p.client.ok("commit")
        equal((p.totals(), third.total(3)), ((-5, 0), 5))


def test_a_call_back_is_of_the_same_branch():
    with Cluster() as c:
        p = Pair(c)
        p.transfer(1)
        p.client.ok("call", "-", "B", "add:4 call:A:add:-4")
        equal(p.totals(), (0, 0))
        p.client.ok("commit")
        equal((p.totals(), len(p.a.branches(1, "c"))), ((-5, 5), 1))
        p.transfer(1)
        equal(p.client.err("call", "-", "B", "add:4 call:A:fail"),
              "TPESVCFAIL")
        equal(p.client.err("commit"), "TPEABORT")
        equal(p.decided(), 5)


def test_a_third_node_is_a_branch_of_the_second():
    with Cluster() as c:
        p = Pair(c, 3)
        d = p.nodes[2]
        d.tm(3)
        d.sv(13, 3, "D")
        c.bridge(d)
        c.sees(p.b, "D")
        c.sees(d, "A", "B")
        p.client.ok("begin", 20)
        p.client.ok("call", "-", "A", "add:-3")
        p.client.ok("call", "-", "B", "add:1 call:D:add:2")
        equal((p.totals(), d.total(3)), ((0, 0), 0))
        p.client.ok("commit")
        equal((p.totals(), d.total(3)), ((-3, 1), 2))
        for n, t in enumerate(p.nodes):
            t.settled(n + 1)
        # From there back to the first: refused, not a branch beside it.
        p.client.ok("begin", 20)
        equal(p.client.err("call", "-", "B", "call:D:call:A:add:1"),
              "TPESVCFAIL")
        equal(p.client.err("commit"), "TPEABORT")
        equal((p.totals(), d.total(3)), ((-3, 1), 2))
        for n, t in enumerate(p.nodes):
            t.settled(n + 1)


def test_autotran_joins_and_begins():
    with Cluster() as c:
        p = Pair(c)
        p.b.services('svcnm="B" autotran="Y"')
        p.a.services('svcnm="A" autotran="Y"')
        p.client.ok("begin", 20)
        p.client.ok("call", "-", "B", "add:5")
        p.client.ok("abort")
        equal(p.totals(), (0, 0))
        p.client.ok("call", "-", "A", "add:-2 call:B:add:2")
        equal(p.totals(), (-2, 2))
        # The request takes its own transaction along: it cannot end there.
        equal(p.client.err("call", "-", "A", "add:-1 forward:B:add:1"),
              "TPESVCERR")
        equal(p.decided(), 2)


def test_what_cannot_be_is_refused():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 20)
        equal(p.client.err("call", "-", "NONE", "x"), "TPENOENT")
        p.client.ok("abort")
        p.b.stop_server(p.run["tm2"])
        p.client.ok("begin", 20)
        p.client.ok("call", "-", "A", "add:1")
        equal(p.client.err("call", "-", "B", "add:1"), "TPETRAN")
        equal(p.client.err("commit"), "TPEABORT")
        equal(p.totals(), (0, 0))
        equal(p.client.ok("call", "-", "B", "add:0").urcode, 0)


def test_a_killed_client_leaves_nothing():
    with Cluster() as c:
        p = Pair(c)
        p.client.ok("begin", 3)
        p.client.ok("call", "-", "A", "add:-1")
        p.client.ok("call", "-", "B", "add:1")
        p.client.kill()
        p.a.settled(1)
        p.b.settled(2)
        equal(p.totals(), (0, 0))


def test_a_killed_remote_server_dooms_the_transaction():
    with Cluster() as c:
        p = Pair(c)
        p.transfer()
        p.client.begin("call", "-", "B", "add:9 die")
        p.again("B")
        equal(p.client.end(40).err, "TPESVCERR")
        equal(p.client.err("commit"), "TPEABORT")
        equal(p.decided(), 0)
        p.b.settled(2)


def test_the_bridge_dooms_by_number_and_log():
    """A number alone may be one that another log has given again."""
    with Cluster() as c:
        p = Pair(c)
        p.start["tm1"] = lambda: p.a.server(
            101, "-s", "200ms", binary="tmsrv",
            env={**p.a.xa(1), "NDRX_DEBUG_STR": "ndrx=4 ubf=3 tp=3"})
        p.kill("tm1")

        def asked():
            return sum(r.succeeded + r.failed for r in p.a.rows("psc")
                       if r.srvid == 101)

        p.transfer()
        was = asked()
        p.client.begin("call", "-", "B", "add:9 die")
        p.again("B")
        equal(p.client.end(40).err, "TPESVCERR")
        # It enlists the node once more; then it and the client say "doomed".
        wait_for(lambda: asked() >= was + 3, "it is doomed twice")
        with open(p.a.logs + "/tmsrv.101.log", encoding="utf-8") as f:
            equal("does not say which log" in f.read(), False)
        equal(p.client.err("commit"), "TPEABORT")


def test_a_silent_tmsrv_holds_up_its_own_transactions():
    with Cluster() as c:
        p = Pair(c)
        p.add("tm3", lambda: p.a.tm(3))
        tasks = f"/proc/{p.run['br1'].pid}/task"
        p.transfer()  # the bridge begins with some threads for this
        p.client.ok("abort")
        threads = len(os.listdir(tasks))
        silent = [p.a.xaclient(1) for _ in range(6)]
        other = p.a.xaclient(3)
        for s in silent:
            s.ok("begin", 60)
        tm1 = p.run["tm1"].pid
        kill(tm1, signal.SIGSTOP)
        try:
            for s in silent:
                s.begin("call", "-", "B", "add:1")
            wait_for(lambda: len([r for r in p.a.rows("calls")
                                  if r.service == "B"]) == 6, "they wait")
            wait_for(lambda: len(os.listdir(tasks)) > threads, "more threads")
            other.ok("begin", 60)
            since = time.monotonic()
            other.ok("call", "-", "B", "add:5")
            at_most(time.monotonic() - since, 2, "s behind six that wait for "
                    "a silent tmsrv")
            other.ok("commit")
        finally:
            kill(tm1, signal.SIGCONT)
        for s in silent:
            s.end(60)
        equal(p.b.total(2), 5)
        wait_for(lambda: len(os.listdir(tasks)) <= threads,
                 "the threads that it has more end", 20)


def test_the_tmsrv_there_is_killed():
    with Cluster() as c:
        p = Pair(c)
        done = 0
        for op, order, err in (("prepare", "kill", "TPEABORT"),
                               ("prepare", "killafter", "TPEABORT"),
                               ("commit", "kill", "OK"),
                               ("commit", "killafter", "OK")):
            p.transfer()
            p.b.order(2, op, order)
            p.client.begin("commit")
            p.again("tm2")
            equal((op, order, p.client.end(40).err), (op, order, err))
            done += err == "OK"
            equal((op, order, p.decided()), (op, order, done))


def test_the_tmsrv_here_is_killed():
    with Cluster() as c:
        p = Pair(c)
        done = 0
        for op, order, commits in (("prepare", "kill", 0),
                                   ("prepare", "killafter", 0),
                                   ("commit", "kill", 1),
                                   ("commit", "killafter", 1)):
            p.transfer()
            p.a.order(1, op, order)
            p.client.begin("commit")
            p.again("tm1")
            equal((op, order, p.client.end(40).err),
                  (op, order, "TPESVCERR"))
            done += commits
            equal((op, order, p.decided()), (op, order, done))
            p.b.settled(2)


def test_a_transaction_of_a_killed_tmsrv_is_rolled_back_at_other_nodes():
    with Cluster() as c:
        p = Pair(c)
        p.transfer()
        p.kill("tm1")
        p.b.settled(2)  # long before its time-out
        equal(p.client.err("commit"), "TPEABORT")
        equal(p.totals(), (0, 0))


def _in_doubt(p):
    """Node 2 has voted, node 1 not yet: until _go_on()."""
    before = len(p.b.calls(2, "prepare"))
    p.transfer()
    p.a.order(1, "prepare", "hold")
    p.client.begin("commit")
    wait_for(lambda: len(p.b.calls(2, "prepare")) > before, "its vote")
    wait_for(lambda: "PREPARED" in p.b.xadmin("printtrans").stdout,
             "it is prepared")
    wait_for(lambda: p.a.held(1, "prepare"), "node 1 prepares")


def _go_on(p):
    p.a.release(1, "prepare")


def _stop_nats(p, c):
    """Both nodes know that."""
    c.nats.stop()
    for t in (p.a, p.b):
        wait_for(lambda t=t: {r.nats for r in t.rows("pnet")} == {False},
                 "pnet shows it")


def test_whoever_is_killed_between_vote_and_decision_all_commit():
    with Cluster() as c:
        p = Pair(c)
        for n, name in enumerate(("tm2", "br1", "br2", "B")):
            _in_doubt(p)
            p.kill(name)
            _go_on(p)
            equal((name, p.client.end(40).err), (name, "OK"))
            p.sees()
            equal((name, p.decided()), (name, n + 1))


def test_nats_is_away_between_vote_and_decision():
    with Cluster() as c:
        p = Pair(c)
        _in_doubt(p)
        _stop_nats(p, c)
        _go_on(p)
        equal(p.client.end(40).err, "OK")
        equal(p.totals(), (-1, 0))
        assert p.b.branches(2, "p"), "in doubt"
        c.nats.start()
        p.sees()
        equal(p.decided(), 1)


def test_the_tmsrv_here_is_killed_between_vote_and_decision():
    with Cluster() as c:
        p = Pair(c)
        _in_doubt(p)
        p.kill("tm1")
        _go_on(p)
        equal(p.client.end(40).err, "TPESVCERR")
        equal(p.decided(), 0)


def test_a_bridge_is_killed_while_the_transaction_rests():
    with Cluster() as c:
        p = Pair(c)
        for n, name in enumerate(("br1", "br2")):
            p.transfer()
            p.kill(name)
            p.sees()
            p.client.ok("call", "-", "B", "add:0")
            p.client.ok("commit")
            equal((name, p.decided()), (name, n + 1))


def test_a_bridge_is_killed_during_a_call():
    with Cluster() as c:
        p = Pair(c)
        for name in ("br1", "br2"):
            p.transfer()
            before = len(p.b.calls(2, "start"))
            p.client.begin("call", "-", "B", "add:1 sleep:2000")
            wait_for(lambda n=before: len(p.b.calls(2, "start")) > n,
                     "the call is there")
            p.kill(name)
            equal((name, p.client.end(40).err), (name, "TPESVCERR"))
            equal((name, p.client.err("commit")), (name, "TPEABORT"))
            equal((name, p.decided()), (name, 0))
            p.b.settled(2)
            p.sees()


def test_a_bridge_is_killed_during_an_operation_there():
    with Cluster() as c:
        p = Pair(c)
        done = 0
        for name, op, err in (("br1", "prepare", "TPEABORT"),
                              ("br2", "prepare", "TPEABORT"),
                              ("br1", "commit", "OK"),
                              ("br2", "commit", "OK")):
            p.transfer()
            before = len(p.b.calls(2, op))
            p.b.order(2, op, "hold")
            p.client.begin("commit")
            wait_for(lambda o=op: p.b.held(2, o), "it works")
            p.kill(name)
            p.b.release(2, op)
            equal((name, op, p.client.end(40).err), (name, op, err))
            p.sees()
            done += err == "OK"
            wait_for(lambda n=before, o=op: len(p.b.calls(2, o)) > n, op)
            equal((name, op, p.decided()), (name, op, done))
            p.b.settled(2)


def _only(t):
    rows = t.rows("printtrans")
    equal(len(rows), 1, rows)
    return rows[0]


def _by_hand(p, command):
    """An operator of node 2 decides; the row before."""
    row = _only(p.b)
    equal((row.stage, row.superior_node, row.by_hand),
          ("PREPARED", 1, "none"))
    p.b.xadmin(command, "-t", row.tm, "-x", row.xid, "-y")
    wait_for(lambda: not p.b.branches(2, "p"), "it is decided")
    return row


def test_an_operator_decides_for_a_node_that_is_cut_off():
    with Cluster() as c:
        p = Pair(c)
        _in_doubt(p)
        _stop_nats(p, c)
        _go_on(p)
        equal(p.client.end(40).err, "OK")
        above = _only(p.a)
        equal(_by_hand(p, "committrans").superior_xid, above.xid)
        equal(p.totals(), (-1, 1))
        contains(p.b.xadmin("printtrans").stdout,
                 f"superior: node 1, xid=[{above.xid}], by hand: commit")
        equal([b.get("node") for b in above.branches], [None, 2])
        contains(p.a.xadmin("printtrans").stdout, "node: 2, btid: 2 status: "
                 "p-prepared, errorcode: -101, reason: not reached")
        p.kill("tm2")  # it stays decided
        wait_for(lambda: _only(p.b).stage == "HEURISTIC", "it stays")
        c.nats.start()
        p.sees()
        wait_for(lambda: not p.a.rows("printtrans") and
                 not p.b.rows("printtrans"), "both agree")
        equal(p.decided(), 1)


def _forget(t):
    row = _only(t)
    t.xadmin("forgetlocal", "-s", row.tm, "-x", row.xid, "-y")
    equal(t.rows("printtrans"), [])


def test_an_operator_decides_otherwise():
    with Cluster() as c:
        p = Pair(c)
        _in_doubt(p)
        _stop_nats(p, c)
        _go_on(p)
        equal(p.client.end(40).err, "OK")
        row = _by_hand(p, "aborttrans")
        equal(p.totals(), (-1, 0))
        c.nats.start()
        p.sees()
        wait_for(lambda: _only(p.a).stage == "HEURISTIC", "it is told")
        with open(os.path.join(p.a.logs, "tmsrv.101.log"),
                  encoding="utf-8") as f:
            contains(f.read(), "node 2: XA_HEURRB")
        equal(_only(p.b).by_hand, "rollback")
        _forget(p.a)
        p.kill("tm2")  # what it was told stays known
        p.sees()
        holds(lambda: _only(p.b).by_hand == "rollback",
              "it is listed", 3)  # it would ask each second
        _forget(p.b)
        # The same, and its superior has never decided.
        _in_doubt(p)
        kill(p.run["tm1"].pid)
        wait_for(lambda: _only(p.b).xid != row.xid, "another one")
        row = _by_hand(p, "committrans")
        p.again("tm1")
        equal(p.client.end(40).err, "TPESVCERR")
        p.a.decided(1)
        equal(p.totals(), (-1, 1))
        p.b.xadmin("forgetlocal", "-s", row.tm, "-x", row.xid, "-y")
        equal(p.b.rows("printtrans"), [])


def _work(client, told, stop):
    """Transfer until told to stop; note what was told."""
    while not stop.is_set():
        if client("begin", 20, seconds=60).err != "OK":
            continue
        did = [client("call", "-", s, w, seconds=60).err
               for s, w in (("A", "add:-1"), ("B", "add:1"))]
        if did == ["OK", "OK"]:
            told.append(client("commit", seconds=60).err)
        else:
            client("abort", seconds=60)


def _kill_some(p, rng, told, rounds):
    for _ in range(rounds):
        before = sum(map(len, told))
        wait_for(lambda n=before: sum(map(len, told)) > n + 3, "progress",
                 40)
        name = rng.choice(["nats", *sorted(p.run)])
        if name == "nats":
            p.c.nats.stop()
            p.c.nats.start()
        else:
            p.kill(name)


def test_the_sum_is_exact_after_many_kills():
    with Cluster() as c:
        p = Pair(c)
        clients = [d.xaclient(n) for n, d in ((0, p.a), (1, p.a), (0, p.b),
                                              (2, p.b))]
        stop, told = threading.Event(), [[] for _ in clients]
        threads = [threading.Thread(target=_work, args=(cl, told[i], stop))
                   for i, cl in enumerate(clients)]
        for th in threads:
            th.start()
        try:
            _kill_some(p, random.Random(int(c.name[1:], 16)), told,
                       300 if LONG else 25)
        finally:
            stop.set()
            for th in threads:
                th.join()
        p.sees()
        done = p.decided()
        all_told = [x for one in told for x in one]
        unknown = sum(x in ("TPESVCERR", "TPETIME", "TPEHAZARD")
                      for x in all_told)
        committed = all_told.count("OK")
        assert committed <= done <= committed + unknown, \
            (committed, unknown, done)
        assert committed > 10, all_told
