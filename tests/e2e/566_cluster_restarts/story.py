# SPDX-License-Identifier: Apache-2.0
"""Servers, bridges and nodes are restarted or leave while another node calls
them: nobody hears an error."""
import os
import signal
import time

from checks import at_least, contains, equal
from cluster import BRIDGE, Cluster
from conversations import connect, convs
from fixture import alive, holds, kill, wait_for

MAINLY = "posix"
COST = 30
SLOW_BEAT = ("-b", "1s")  # a busy machine is no silent node


class Load:
    """Calls of ECHO, without a break, by threads of a client of `d`."""

    def __init__(self, d, threads=4):
        self.d = d
        self.enough = f"{d.home}/enough{os.urandom(4).hex()}"
        self.client = d.client(NDRX_TOUT="20")
        self.client.begin("calls", "ECHO", 0, threads, 60, self.enough)
        time.sleep(0.3)

    def end(self):
        """All calls were answered; how many."""
        time.sleep(0.5)
        with open(self.enough, "w", encoding="ascii"):
            pass
        r = self.client.end(60)
        os.remove(self.enough)
        equal((r.errors, r.wrong), ({}, 0))
        at_least(r.ok, 100)
        return r.ok


def _node(c, d, *servers):
    """A node by its ndrxd, with a bridge."""
    d.boot(*servers, {"name": "ndrxbridge", "srvid": BRIDGE},
           sections=c.section(d.env["NDRX_NODEID"]))


ECHO = {"srvid": 1, "appopt": "ECHO"}


def _three(c):
    """Node 1 calls, 2 and 3 serve. The last one is the bridge of node 1."""
    a, b, z = c.domain(1), c.domain(2), c.domain(3)
    _node(c, b, ECHO)
    z.server(1, "ECHO")
    bridge = c.bridge(a, *SLOW_BEAT)
    c.bridge(z, *SLOW_BEAT)
    c.sees(a, "ECHO")
    wait_for(lambda: {r.node for r in a.rows("pnet") if r.state == "up"}
             == {2, 3}, "both are there")
    time.sleep(0.5)
    return a, b, bridge


def _while_stopped(bridge, a, d, srvid, *argv):
    """Give this command of xadmin at node `d`, for its server `srvid`, while the
    bridge of the callers gets no CPU: they are waited for."""
    load, old = Load(a), d.pid(srvid)
    kill(bridge.pid, signal.SIGSTOP)
    more = Load(a, threads=8)
    p = d.background("xadmin", *argv)
    holds(lambda: alive(old), "it waits", 0.8)
    kill(bridge.pid, signal.SIGCONT)
    wait_for(lambda: p.poll() is not None, "done", 20)
    load.end()
    more.end()


def test_calls_of_another_node_wait_for_the_only_server_that_is_restarted():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        _node(c, b, ECHO)
        c.bridge(a, *SLOW_BEAT)
        c.sees(a, "ECHO")
        load = Load(a)
        for _ in range(3):
            b.xadmin("sreload", "-y", "-s", "testsv")
        load.end()


def test_a_suspended_service_is_not_offered_to_others():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        _node(c, b, ECHO)
        c.bridge(a, *SLOW_BEAT)
        c.sees(a, "ECHO")
        b.xadmin("suspend", "-s", "ECHO")
        c.lacks(a, "ECHO")
        b.xadmin("resume", "-s", "ECHO")
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")


def test_a_server_is_drained_while_another_node_calls_it():
    with Cluster() as c:
        a, b, _ = _three(c)
        load = Load(a)
        b.xadmin("drain", "-y", "-i", 1)
        load.end()
        equal(a.call("ECHO", "x").data, "x")


def test_a_bridge_is_reloaded_while_another_node_calls_over_it():
    with Cluster() as c:
        a, b, _ = _three(c)
        load = Load(a)
        for _ in range(2):
            b.xadmin("sreload", "-y", "-i", BRIDGE)
            time.sleep(0.5)
        load.end()


def test_a_node_whose_bridge_gets_no_cpu_is_waited_for():
    with Cluster() as c:
        a, b, bridge = _three(c)
        _while_stopped(bridge, a, b, BRIDGE, "sreload", "-y", "-i", BRIDGE)
        c.link(a, 2)
        _while_stopped(bridge, a, b, 1, "drain", "-y", "-i", 1)
        equal(a.call("ECHO", "x").data, "x")


def test_a_node_that_never_confirms_is_not_waited_for_for_ever():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.boot(ECHO, {"name": "ndrxbridge", "srvid": BRIDGE,
                      "appopt": "-w 500ms"}, sections=c.section(2))
        bridge = c.bridge(a, "-b", "20s")  # silent in a minute
        c.sees(a, "ECHO")
        kill(bridge.pid, signal.SIGSTOP)
        contains(b.xadmin("drain", "-y", "-i", 1).stderr,
                 "other nodes have not confirmed")
        equal(b.pid(1), 0)
        b.xadmin("stop", "-y", "-i", BRIDGE)
        with open(f"{b.logs}/ndrxd.log", encoding="utf-8") as log:
            contains(log.read(),
                     "node 1 has not confirmed that this bridge leaves")
        kill(bridge.pid, signal.SIGCONT)


def test_a_node_is_drained_while_another_node_calls_it():
    with Cluster() as c:
        a, b, _ = _three(c)
        load = Load(a)
        b.xadmin("drain", "-y")
        load.end()


def _talk_over_a_reload(a, d, lasts):
    """A conversation of `a`, while the bridge of `d` is reloaded: what its
    program is told after `lasts` seconds."""
    cl, old = a.client(), d.pid(BRIDGE)
    cd = connect(cl, "all give:two all return:bye")
    equal(cl("send", cd, "-", "STRING:one").err, "OK")
    reload = d.background("xadmin", "sreload", "-y", "-i", BRIDGE)
    time.sleep(lasts)
    r = cl("send", cd, "TPRECVONLY", "STRING:control")
    if r.err == "OK":
        r = cl("recv", cd)
    if r.event == "SENDONLY":
        equal(r.data, "two")
        equal(cl("send", cd, "TPRECVONLY", "STRING:three").err, "OK")
        r = cl("recv", cd)
    wait_for(lambda: d.pid(BRIDGE) not in (0, old), "another bridge", 20)
    wait_for(lambda: reload.poll() is not None, "reloaded", 20)
    return r.event


def test_a_conversation_is_not_cut_by_a_bridge_that_leaves_but_for_its_limit():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        _node(c, a)
        _node(c, b)
        convs(b, 1, "CONV")
        for d in (a, b):
            c.sees(a, "CONV")
            equal(_talk_over_a_reload(a, d, 1), "SVCSUCC", d.env["NDRX_NODEID"])
        d.configure({"name": "ndrxbridge", "srvid": BRIDGE,
                     "appopt": "-w 500ms"}, sections=c.section(2))
        d.xadmin("reload")
        d.xadmin("sreload", "-y", "-i", BRIDGE)
        c.sees(a, "CONV")
        equal(_talk_over_a_reload(a, b, 1.5), "SVCERR", "-w")


def test_the_bridge_of_the_callers_is_reloaded():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(b, *SLOW_BEAT)
        _node(c, a)
        c.sees(a, "ECHO")
        load = Load(a)
        a.xadmin("sreload", "-y", "-i", BRIDGE)
        load.end()


def test_another_node_takes_over_at_once():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        _node(c, a, ECHO)
        b.server(1, "ECHO")
        c.bridge(b, *SLOW_BEAT)
        c.sees(a, "@ABROAD")
        load = Load(a)
        a.xadmin("drain", "-y", "-i", 1)
        load.end()
