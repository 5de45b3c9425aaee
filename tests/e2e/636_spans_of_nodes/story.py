# SPDX-License-Identifier: Apache-2.0
"""One trace over two nodes, a transaction and a conversation."""
import glob

from checks import equal
from cluster import Cluster
from conversations import connect, convs
from fixture import Domain, wait_for
from otlp import Receiver
from trans import Trans

MAINLY = "shm"
COST = 8


def watch(d, url, n):
    """Start ndrxotel, and wait until `n` processes note spans."""
    d.daemon("ndrxotel", "-e", url)
    wait_for(lambda: len(glob.glob(d.segment("spans.*"))) >= n,
             f"{n} processes note spans")


def path_of(r, span):
    """The span, its parent, and so on."""
    path = [span]
    while path[-1].parent:
        wait_for(lambda: r.find(id=path[-1].parent), f"parent of {path}", 5)
        path += r.find(id=path[-1].parent)
    return path


def test_a_request_of_another_node_is_in_the_trace_of_its_caller():
    with Cluster() as c, Receiver() as r:
        a, b = c.domain(1), c.domain(2)
        a.server(1, "CALLON")
        b.server(2, "ECHO")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "ECHO")
        watch(a, r.url, 2)
        watch(b, r.url, 2)
        equal(a.call("CALLON", "ECHO hi").data, "hi")
        wait_for(lambda: r.find(op="serve", name="ECHO"), "it is served")
        end, = r.find(op="serve", name="ECHO")
        path = path_of(r, end)
        equal([(s.op, s.name, s.resource["onewake.node.id"]) for s in path],
              [("serve", "ECHO", 2), ("hop", "ECHO", 2), ("call", "ECHO", 1),
               ("serve", "CALLON", 1), ("call", "CALLON", 1)])
        equal({s.trace for s in path}, {end.trace}, "one trace")


def test_a_commit_is_part_of_the_trace_of_its_service():
    with Trans() as d, Receiver() as r:
        d.tm(1)
        d.sv(1, 1, "WRITE")
        watch(d, r.url, 2)
        c = d.xaclient(1)
        c.ok("begin", 20)
        c.ok("call", "-", "WRITE", "add:5")
        c.ok("commit")
        c.ok("begin", 20)
        c.ok("call", "-", "WRITE", "add:5")
        c.ok("abort")
        wait_for(lambda: r.find(op="commit") and r.find(op="abort"),
                 "both ends")
        commit, = r.find(op="commit")
        wait_for(lambda: r.find(parent=commit.id), "what tmsrv was asked", 5)
        asked, = r.find(parent=commit.id)
        equal((asked.op, asked.resource["service.name"]), ("call", "xacl"))
        served, = [s for s in r.find(parent=asked.id) if s.op == "serve"]
        equal(served.resource["service.name"], "tmsrv")
        write = next(s for s in r.find(op="serve", name="WRITE")
                     if s.attrs["onewake.transaction.id"] ==
                     commit.attrs["onewake.transaction.id"])
        equal(write.attrs["onewake.server.id"], 1)
        equal(d.total(1), 5)


def test_a_conversation_is_a_span_from_its_begin_to_its_end():
    with Receiver() as r, Domain() as d:
        convs(d, 1, "CONV")
        watch(d, r.url, 1)
        c = d.client()
        cd = connect(c, "recv return:bye")
        equal(c("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(c("recv", cd).event, "SVCSUCC")
        cd = connect(c, "recv return:bye")
        equal(c("discon", cd).err, "OK")
        wait_for(lambda: len(r.find(op="conversation")) == 2, "two")
        ended, cut = sorted(r.find(op="conversation"), key=lambda s: s.begin)
        equal((ended.name, ended.status), ("CONV", {}))
        equal(cut.attrs["error.type"], "cancelled")
        one, = [s for s in r.find(parent=ended.id) if s.op == "serve"]
        equal(sorted([ended.begin, one.begin, one.end]),
              [ended.begin, one.begin, one.end])
