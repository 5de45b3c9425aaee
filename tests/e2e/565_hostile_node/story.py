# SPDX-License-Identifier: Apache-2.0
"""A node that takes more than its share is cut off by name; others go on."""
import os
import struct

from checks import at_least, at_most, contains, equal, lacks
from cluster import BRIDGE, Cluster
from fixture import wait_for
from peer import CONTROL, FRAME, HEAD, REQUEST, REQUESTS, Peer

MAINLY = "shm"
COST = 22
BEAT, PING, WAITS = 4, 7, 112
NODE = 7


class Hostile(Peer):
    """Node 7, which invents bridges and sends what it likes."""

    def message(self, bridge, *frames, lane=CONTROL, number=0, session=None):
        data = HEAD.pack(0x5242574f, 1, lane, 0, NODE, bridge,
                         session or 4711 + bridge, self.session, 1, 0, number,
                         0, 0) + b"".join(frames)
        to = "all" if lane == CONTROL else f"2.{BRIDGE}"
        return (f"PUB {self.root}.{NODE}.{to} {len(data)}\r\n".encode() +
                data + b"\r\n")

    @staticmethod
    def frame(kind, payload=b"", ident=0, buftype=3, svc=b"", total=None):
        room = (len(payload) + 7) & ~7
        total = len(payload) if total is None else total
        return FRAME.pack(FRAME.size + room, kind, buftype, 0, 50, ident,
                          total, 0, len(payload), 10 ** 11, 0, 0, 0, b"", b"",
                          0, svc) + payload.ljust(room, b"\0")

    def flood(self, *messages):
        """Send them; nats-server has them all when it answers."""
        for i in range(0, len(messages), 500):
            self.sock.sendall(b"".join(messages[i:i + 500]))
        self.sock.sendall(b"PING\r\n")


def _beat(offers=0):
    return Hostile.frame(BEAT, struct.pack("<QQIIII", 1, 0, 1000, 0, 0,
                                           offers))


def _waits(ident, sender, why, outs=()):
    """What node 7 tells of a request that node `sender` has sent to it: it
    waits for those of `outs` alone."""
    return struct.pack("<8sIIII32s8s208s", ident, sender, 1, len(outs), 0,
                       b"".join(outs), b"", why)


def _shown(d):
    """What was told to the bridge of a node: [(node, id, words)]."""
    folder = os.path.join(d.env.get("NDRX_SHMPATH", "/dev/shm"),
                          d.env["NDRX_QPREFIX"].strip("/") + ",shm")
    with open(os.path.join(folder, f"waits.{BRIDGE}"), "rb") as f:
        data = f.read()
    n, = struct.unpack_from("<I", data, 24)
    rows = (data[32 + 288 * i:32 + 288 * (i + 1)] for i in range(n))
    return [(struct.unpack_from("<I", r)[0], r[16:24],
             r[80:].split(b"\0")[0]) for r in rows]


def _log(d):
    with open(os.path.join(d.logs, f"ndrxbridge.{BRIDGE}.log"),
              encoding="utf-8", errors="surrogateescape", newline="\n") as f:
        return f.read()


class Nodes:
    """Node 2 serves; nodes 1 and, later, 3 call."""

    def __init__(self, c, *services):
        self.c = c
        self.a, self.b = c.domain(1), c.domain(2)
        self.b.server(1, "ECHO", *services)
        c.bridge(self.a)
        c.bridge(self.b)
        c.sees(self.a, "ECHO")
        self.client = self.a.client()
        self.hostile = Hostile(c)

    def others_go_on(self):
        # What the flood has pushed out of the buffers of libnats before it was
        # cut off is lost, whoever sent it: that link begins anew.
        wait_for(lambda: self.client.call("ECHO", "x").err == "OK",
                 "node 1 is served", 10)
        for _ in range(20):
            r = self.client.call("ECHO", "x")
            equal((r.err, r.data), ("OK", "x"), r.text)
        e = self.c.domain(3)
        self.c.bridge(e)
        self.c.sees(e, "ECHO")
        equal(e.call("ECHO", "y").data, "y")
        wait_for(lambda: self.c.link(self.b, 3).state == "up", "node 3 is up")

    def is_cut(self, why):
        wait_for(lambda: "cut" in {r.state for r in self.b.rows("pnet")
                                   if r.node == NODE}, "it is cut off", 20)
        equal({r.state for r in self.b.rows("pnet") if r.node == 1}, {"up"})
        contains(_log(self.b), f"node {NODE} is cut off")
        contains(_log(self.b), why)
        found = [r for r in self.b.rows("doctor")
                 if f"node {NODE} is cut off" in r.found]
        equal(len(found), 1)
        contains(found[0].found, why)


def test_a_node_that_invents_bridges_is_cut_off():
    with Cluster() as c:
        n = Nodes(c)
        h = n.hostile
        h.flood(*(h.message(i, _beat()) for i in range(100, 1300)))
        n.is_cut("invented too many bridges")
        at_most(len([r for r in n.b.rows("pnet") if r.node == NODE]), 32)
        n.others_go_on()
        h.close()


def test_a_node_that_sends_without_credit_is_cut_off():
    """Its requests wait for a service that is busy."""
    with Cluster() as c:
        n = Nodes(c)
        n.b.server(2, "SLEEP")
        n.c.sees(n.a, "SLEEP")
        h = n.hostile
        big = b"3000".ljust(200_000, b"\0")
        h.flood(*(h.message(90, h.frame(REQUEST, big, ident=i, buftype=5,
                                        svc=b"SLEEP"),
                            lane=REQUESTS, number=i, session=4711)
                  for i in range(1, 61)))
        n.is_cut("sends without credit")
        n.others_go_on()
        h.close()


def test_a_node_that_floods_is_cut_off():
    with Cluster() as c:
        n = Nodes(c)
        h = n.hostile
        ping = h.message(90, h.frame(PING, total=1))
        h.flood(*[ping] * 200_000)
        n.is_cut("floods us")
        n.others_go_on()
        h.close()


def test_garbage_in_masses_is_cut_off_too():
    with Cluster() as c:
        n = Nodes(c)
        h = n.hostile
        h.flood(h.message(90, _beat()),
                *[f"PUB {h.root}.{NODE}.all 4\r\nabcd\r\n".encode()]
                * 200_000)
        n.is_cut("floods us")
        n.others_go_on()
        h.close()


def test_an_honest_node_is_never_cut_off():
    with Cluster() as c:
        n = Nodes(c, "UPPER")
        for _ in range(3):
            for size in (10, 5000, 2_000_000):
                r = n.client("call", "ECHO", "-", f"CARRAY:#{size}")
                equal((r.err, r["sum"]), ("OK", r.sent), r.text)
        for i in range(300):
            cd = n.client("acall", "ECHO", "TPNOREPLY", "STRING:#20000")
            equal(cd.err, "OK", i)
        equal(n.client.call("UPPER", "x").data, "X")
        equal({r.state for r in n.b.rows("pnet")}, {"up"})
        n.hostile.close()


def test_names_of_a_peer_reach_the_log_without_controls():
    with Cluster() as c:
        n = Nodes(c)
        h = n.hostile
        # Refused, and so named, as all whose names begin with a dot.
        evil = b".E\x1b[2J\nN:NDRX:0:forged\x9b"
        h.flood(h.message(90, _beat()),
                *(h.message(90, h.frame(REQUEST, b"x\0", ident=i, buftype=4,
                                        svc=evil),
                            lane=REQUESTS, number=i, session=4711 + 90)
                  for i in range(1, 4)))
        wait_for(lambda: "forged" in _log(n.b) or "malformed" in _log(n.b),
                 "it was noticed")
        text = _log(n.b)
        equal([x for x in text if x < " " and x not in "\n\t"], [])
        equal([x for x in text.split("\n") if x.startswith("N:NDRX:0:forged")],
              [])
        at_least(len(text), 10)
        n.others_go_on()
        h.close()


def test_only_the_node_that_has_a_request_says_why_it_waits():
    """Node 7 calls a request that node 2 serves a deadlock."""
    with Cluster() as c:
        n = Nodes(c)
        n.b.server(2, "SLEEP")
        c.sees(n.a, "SLEEP")
        n.client.begin("call", "SLEEP", "TPNOTIME", "STRING:4000")
        row = wait_for(lambda: [r for r in n.a.rows("calls") if
                                (r.service, r.server) ==
                                ("SLEEP", "ndrxbridge")], "it is there")[0]
        ident = bytes.fromhex(row.request_id)
        h = n.hostile
        h.flood(h.message(BRIDGE, _beat(), h.frame(
            WAITS, _waits(ident, 1, b"a lie of node 7") +
            _waits(ident, 3, b"another lie") +
            _waits(8 * b"n", 1, b"of a request that is not there") +
            _waits(8 * b"x", 3, b"of others \x1b[2J"))))
        wait_for(lambda: 7 in {x[0] for x in _shown(n.a)}, "it is heard", 20)
        equal([x[2] for x in _shown(n.a) if x[0] == NODE],
              [b"of others \x1b[2J"])
        text = n.a.xadmin("calls", "--stuck").stdout
        lacks(text, "DEADLOCK")
        lacks(text, "lie")
        lacks(text, "\x1b")
        h.close()
        equal(n.client.end().err, "OK")


def test_a_node_with_many_bridges_takes_no_room_of_what_others_tell():
    with Cluster() as c:
        n = Nodes(c)
        h = n.hostile
        ids = [struct.pack("<Q", i + 1) for i in range(30 * 64)]
        for b in range(30):
            h.flood(h.message(100 + b, _beat(), h.frame(WAITS, b"".join(
                _waits(i, 3, b"x") for i in ids[64 * b:64 * (b + 1)]))))
        wait_for(lambda: ids[-1] in {x[1] for x in _shown(n.a)},
                 "all were heard", 20)
        at_most(len(_shown(n.a)), 128)
        n.others_go_on()
        h.close()


def test_why_a_one_way_request_was_refused_is_in_the_log():
    """Nobody waits for its answer."""
    with Cluster() as c:
        n = Nodes(c)
        h = n.hostile
        h.flood(h.message(90, _beat()),
                h.message(90, h.frame(REQUEST, b"x\0", buftype=4,
                                      svc=b"NOSUCH"),
                          lane=REQUESTS, number=1, session=4711 + 90))
        line = wait_for(lambda: [x for x in _log(n.b).splitlines()
                                 if "NOSUCH: one-way request" in x], "named")
        contains(line[0], "is lost: it was refused here: TPENOENT, ")
        h.close()
