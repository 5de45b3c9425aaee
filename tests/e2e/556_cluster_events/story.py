# SPDX-License-Identifier: Apache-2.0
"""An event reaches those who have subscribed on all nodes of a cluster, once
each."""
import collections
import itertools

from checks import at_least, at_most, equal
from cluster import BRIDGE, Cluster
from fixture import holds, kill, wait_for
from machine import SLOW

MAINLY = "shm"
QUEUE_KB = 80
ABROAD = "@TPEVABROAD"  # of bridges, while other nodes want events
_numbers = itertools.count()


def _node(c, node, *bridges):
    """A domain with tpevsrv, a server, and bridges."""
    d = c.domain(node)
    d.server(80, binary="tpevsrv")
    d.server(1, "SUBSCRIBE", "UNSUBSCRIBE", f"LOG{node}=LOG",
             f"GETLOG{node}=GETLOG")
    for srvid in bridges or (BRIDGE,):
        c.bridge(d, "-e", "NONE", srvid=srvid)
    return d


def _subscribe(d, node, expr):
    r = d.call("SUBSCRIBE", f"{expr} - LOG{node} 1")
    equal(r.err, "OK")
    return r.data


def _post(cl, name, data, flags="-"):
    r = cl("post", name, flags, f"STRING:{data}")
    equal(r.err, "OK", r.text)
    return r.ret


def _logged(d, node):
    """What the service of the node has logged, but for probes."""
    return [x for x in d.call(f"GETLOG{node}").data.split()
            if not x.startswith("probe")]


def _collect(d, node, n):
    """The same, once there are n."""
    got = []
    wait_for(lambda: got.extend(_logged(d, node)) or len(got) >= n,
             f"{n} events at node {node}", 20)
    return got


def _posts_travel(d, name, to, node):
    """Wait until a post of this name arrives at node `to`. Probes of other
    nodes, and those of `to` itself, are in its log, too."""
    cl, probe = d.client(), f"probe{next(_numbers)}"
    wait_for(lambda: _post(cl, name, probe) >= 0 and
             probe in to.call(f"GETLOG{node}").data.split(),
             f"posts of {name}", 20)


def test_an_event_reaches_subscribers_on_all_nodes_once_each():
    with Cluster() as c:
        d = {n: _node(c, n) for n in (1, 2, 3)}
        for n, one in d.items():
            _subscribe(one, n, "^NEWS$")
        for n in d:
            for m in d:
                if n != m:
                    _posts_travel(d[n], "NEWS", d[m], m)
        for n in d:
            cl = d[n].client()
            for i in range(20):
                equal(_post(cl, "NEWS", f"{n}.{i}"), 1, "subscribers here")
        want = sorted(f"{n}.{i}" for n in d for i in range(20))
        for n, one in d.items():
            equal(sorted(_collect(one, n, 60)), want)
        for n, one in d.items():
            holds(lambda n=n, one=one: not _logged(one, n), "no more", 0.3)


def test_two_bridges_of_each_node_deliver_an_event_once():
    with Cluster() as c:
        a = _node(c, 1, BRIDGE, BRIDGE + 1)
        b = _node(c, 2, BRIDGE, BRIDGE + 1)
        _subscribe(b, 2, "NEWS")
        _posts_travel(a, "NEWS", b, 2)
        wait_for(lambda: len([r for r in a.rows("pnet")
                              if r.state == "up"]) == 4, "all links")
        cl = a.client()
        for i in range(200):
            equal(_post(cl, "NEWS", i), 0)
        equal(sorted(map(int, _collect(b, 2, 200))), list(range(200)))
        holds(lambda: not _logged(b, 2), "no more", 0.5)


def test_a_post_that_no_other_node_wants_does_not_travel():
    with Cluster() as c:
        a, b = _node(c, 1), _node(c, 2)
        id_ = _subscribe(b, 2, "^WANTED$")
        _posts_travel(a, "WANTED", b, 2)

        def served():
            return a.row("psc", service="@TPEVPOST").succeeded
        before = served()
        cl = a.client()
        for _ in range(50):
            equal(_post(cl, "OTHER", "x"), 0)
        equal(served(), before, "posts that left their process")
        b.call("UNSUBSCRIBE", id_)
        c.lacks(a, ABROAD)

        def stays_here():
            n = served()
            return _post(cl, "WANTED", "late") == 0 and served() == n
        wait_for(stays_here, "nobody wants it any more")
        equal(_logged(b, 2), [])


def test_patterns_and_data_of_all_kinds_cross():
    with Cluster() as c:
        a, b = _node(c, 1), _node(c, 2)
        s, cl = b.client(), a.client()
        equal(s("unsol", "record").ret, 0)
        equal(s("subscribe", "^(X|Y)Z*$", "-", "-").err, "OK")
        c.sees(a, ABROAD)
        wait_for(lambda: cl("post", "XZ", "-", "STRING:probe").err == "OK" and
                 s("chkunsol").ret > 0, "posts travel", 20)
        sizes = 0, 200, 5000, 70000, 3000000
        want = [f"{kind}:#{n}" for kind in ("STRING", "CARRAY", "UBF", "XML",
                                            "MBSTRING")
                for n in sizes[1:]]
        got = []

        def come(number):
            """An inbox has room for 1 MiB, or for one larger message."""
            wait_for(lambda: s("chkunsol").ret >= 0 and
                     got.extend(g for g in s("got").data.split("|")[:-1]
                                if g != "STRING:probe") or
                     len(got) >= number, f"{number} events", 20)
        for number, data in enumerate(want, 1):
            equal(cl("post", "XZZ", "-", data).err, "OK")
            come(number)
        equal(cl("post", "Q", "-", "STRING:no").err, "OK")
        equal(cl("post", "Y", "-", "-").err, "OK")
        come(len(want) + 1)
        equal([g.split("=")[0] for g in got], [*want, "-:"])


def test_an_unsubscribed_or_gone_node_gets_no_more():
    with Cluster() as c:
        a, b = _node(c, 1), _node(c, 2)
        _subscribe(b, 2, "NEWS")
        _posts_travel(a, "NEWS", b, 2)
        bridge = next(p for p in b.procs.values()
                      if f" {BRIDGE} " in f" {' '.join(p.args)} ")
        b.stop_server(bridge)
        c.lacks(a, ABROAD)
        equal(_post(a.client(), "NEWS", "x"), 0)
        c.bridge(b, "-e", "NONE")
        _posts_travel(a, "NEWS", b, 2)


def test_no_event_comes_twice_while_bridges_are_killed():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        bridge = {"name": "ndrxbridge", "srvid": BRIDGE, "min": 2, "max": 2,
                  "appopt": " ".join(c.options())}
        broker = {"name": "tpevsrv", "srvid": 80}
        b.boot({"srvid": 1, "appopt": "SUBSCRIBE LOG2=LOG GETLOG2=GETLOG"},
               bridge, broker)
        a.boot({"srvid": 1, "appopt": "ECHO"}, bridge, broker)
        _subscribe(b, 2, "NEWS")
        _posts_travel(a, "NEWS", b, 2)
        cl, got, n = a.client(), [], 0
        for i in range(6):
            for d in (a, b)[i % 2], (a, b)[i // 2 % 2]:
                for _ in range(100):
                    r = cl("post", "NEWS", "-", f"STRING:{n}")
                    equal(r.err, "OK", r.text)
                    n += 1
                pid = d.pid(BRIDGE) or d.pid(BRIDGE + 1)
                if pid:
                    kill(pid)
            got += b.call("GETLOG2").data.split()
        _posts_travel_again(cl, b, got)
        seen = collections.Counter(g for g in got if g.isdigit())
        at_most(max(seen.values()), 1, "deliveries of an event")
        at_least(len(seen), 1)
        at_most(max(map(int, seen)), n - 1)


def _posts_travel_again(cl, to, got):
    def arrives():
        cl("post", "NEWS", "-", "STRING:probe")
        came = to.call("GETLOG2").data.split()
        got.extend(came)
        return "probe" in came
    wait_for(arrives, "posts travel again", 20 * SLOW)
