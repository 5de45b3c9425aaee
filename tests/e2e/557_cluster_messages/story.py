# SPDX-License-Identifier: Apache-2.0
"""Unsolicited messages reach clients of other nodes of a cluster."""
from checks import at_least, at_most, equal
from cluster import BRIDGE, Cluster
from fixture import SLOW, kill, wait_for
from unsolicited import got_all, listener

MAINLY = "shm"
ROOM = 256  # messages in an inbox
ABROAD = "@TPUNSOL"  # of bridges, while they know another node


def _nodes(c, services, n=2, **more):
    """Domains 1 to n with a bridge, and a server in the last one."""
    d = [c.domain(i + 1) for i in range(n)]
    d[-1].server(1, *services)
    for one in d:
        c.bridge(one, *more.get("options", ()))
    for one in d:
        c.sees(one, ABROAD)
    return d


def test_a_service_notifies_its_caller_of_another_node():
    with Cluster() as c:
        a, b = _nodes(c, ("NOTIFY", "CLTID"))
        c.sees(a, "NOTIFY", "CLTID")
        cl = listener(a)
        r = cl.call("NOTIFY", "200")
        equal((r.err, r.data), ("OK", "200"), r.text)
        equal([g.split(":")[1] for g in got_all(cl, 200)],
              [str(i) for i in range(1, 201)])
        # Its id says of which node it is, and nothing more is needed.
        me = cl.call("CLTID").data
        equal((me.split(",")[:2], me.split(",")[4]), (["clt", "@abroad"],
                                                      "1"))
        equal(b.client()("notify", me, "-", "STRING:later").err, "OK")
        equal(got_all(cl, 1), ["STRING:later"])


def test_a_message_to_another_node_leaves_the_priority_to_the_next_call():
    with Cluster() as c:
        a, b = _nodes(c, ("CLTID",))
        c.sees(a, "CLTID")
        cl, s = listener(a), b.client()
        me = cl.call("CLTID").data
        for words in (("notify", me, "-", "STRING:x"),
                      ("broadcast", "-", "-", "-", "STRING:x")):
            equal(s.call("CLTID").err, "OK")
            equal(s("prio", 90, "TPABSOLUTE").ret, 0)
            equal(s(*words).err, "OK")
            equal(s("lastprio").ret, 50, words[0])
            equal(s.call("CLTID").err, "OK")
            equal(s("lastprio").ret, 90, words[0])
        equal(got_all(cl, 2), ["STRING:x", "STRING:x"])


def test_the_caller_of_a_one_way_call_and_of_a_forwarded_one_is_known():
    with Cluster() as c:
        a, b, e = _nodes(c, ("KEEPID", "TELL"), 3)
        b.server(1, "FWDECHO")
        c.sees(a, "KEEPID", "FWDECHO")
        cl = listener(a)
        equal(cl("acall", "KEEPID", "TPNOREPLY", "STRING:x").err, "OK")
        wait_for(lambda: e.call("TELL", "one-way").data == "0", "its id")
        equal(got_all(cl, 1)[0], "STRING:one-way")
        # Node 2 forwards to a service of node 3.
        e.server(2, "ECHO=NOTIFY")
        c.sees(b, "ECHO")
        equal(cl.call("FWDECHO", "3").data, "3")
        equal([g.split(":")[1] for g in got_all(cl, 3)], ["1", "2", "3"])


def test_a_client_is_reached_by_the_text_of_its_id():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        a.server(1, "CLTID")
        for one in (a, b):
            c.bridge(one, "-e", "NONE")
        c.sees(b, ABROAD)
        cl, s = listener(a), b.client()
        me = cl.call("CLTID").data
        want = []
        for size in (0, 200, 5000, 70000, 900000):
            for kind in ("STRING", "CARRAY", "UBF") if size else ("JSON",):
                data = f"{kind}:#{size}" if size else "JSON:{}"
                equal(s("notify", me, "-", data).err, "OK")
                want.append(data)
                equal(got_all(cl, 1)[0].split("=")[0], data)
        equal(s("notify", me, "-", "-").err, "OK")
        equal(got_all(cl, 1), ["-:"])


def test_the_messages_of_a_sender_come_in_order_and_each_once():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        a.server(1, "CLTID")
        for one in (a, b):
            for srvid in (BRIDGE, BRIDGE + 1):
                c.bridge(one, "-e", "NONE", srvid=srvid)
        c.sees(b, ABROAD)
        cl, s = listener(a), b.client()
        me = cl.call("CLTID").data
        s.begin("notifymany", me, "-", 1000)
        got = got_all(cl, 1000)
        equal(s.end().ret, 1000)
        equal([int(g.split(":")[1]) for g in got], list(range(1, 1001)))


def test_a_client_without_room_is_waited_for_as_at_its_own_node():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        a.server(1, "CLTID")
        for one in (a, b):
            c.bridge(one, "-e", "NONE")
        c.sees(b, ABROAD)
        cl, s = listener(a), b.client()
        other = listener(a)
        me, it = cl.call("CLTID").data, other.call("CLTID").data
        r = s("notifymany", me, "TPNOBLOCK", 2 * ROOM)
        equal((r.ret, r.err), (ROOM, "TPEBLOCK"))
        s("tout", 1)
        r = s("notify", me, "-", "STRING:x")
        equal(r.err, "TPETIME", r.text)
        at_least(r.ms, 900)
        at_most(r.ms, 1000 + 2000 * SLOW)
        # Meanwhile others are not held up.
        s("tout", 20)
        s.begin("notify", me, "-", "STRING:late")
        equal(b.client()("notify", it, "-", "STRING:y").err, "OK")
        equal(got_all(other, 1), ["STRING:y"])
        equal(len(got_all(cl, ROOM + 1)), ROOM + 1)
        equal(s.end().err, "OK")


def test_whoever_is_not_there_is_an_error():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        a.server(1, "CLTID")
        pa = c.bridge(a, "-e", "NONE")
        c.bridge(b, "-e", "NONE")
        c.sees(b, ABROAD)
        cl, s = listener(a), b.client()
        me = cl.call("CLTID").data
        equal(s("notify", me, "-", "STRING:x").err, "OK")
        parts = me.split(",")
        equal(s("notify", ",".join([*parts[:4], "77"]), "-",
                "STRING:x").err, "TPENOENT")
        equal(s("notify", "clt,@abroad,7,1,1", "-", "STRING:x").err,
              "TPENOENT")
        equal(s("notify", "clt,@abroad,7,1,x", "-", "STRING:x").err,
              "TPEINVAL")
        mute = a.client()
        mute_id = mute.call("CLTID").data
        equal(s("notify", mute_id, "-", "STRING:x").err, "OK")
        cl.close()
        equal(s("notify", me, "-", "STRING:x").err, "TPENOENT")
        a.stop_server(pa)
        c.lacks(b, ABROAD)
        equal(s("notify", mute_id, "-", "STRING:x").err, "TPENOENT")


def test_a_broadcast_reaches_clients_of_all_nodes():
    with Cluster() as c:
        d = [c.domain(n) for n in (1, 2, 3)]
        for one in d:
            for srvid in (BRIDGE, BRIDGE + 1):
                c.bridge(one, "-e", "NONE", srvid=srvid)
        for one in d:
            c.sees(one, ABROAD)
            wait_for(lambda one=one: len([r for r in one.rows("pnet") if
                                          r.state == "up"]) == 8, "links")
        cl = [listener(one) for one in d]
        s = d[0].client()
        equal(s("broadcast", "-", "-", "-", "STRING:all").err, "OK")
        equal([got_all(x, 1) for x in cl], [["STRING:all"]] * 3)
        equal(s("broadcast", "2", "testcl", "-", "STRING:two").err, "OK")
        equal(got_all(cl[1], 1), ["STRING:two"])
        equal(s("broadcast", "1", "-", "-", "STRING:here").err, "OK")
        equal(got_all(cl[0], 1), ["STRING:here"])
        equal(s("broadcast", "-", "nobody", "-", "STRING:no").err, "OK")
        equal(s("broadcast", "-", "-", "-", "STRING:end").err, "OK")
        equal([got_all(x, 1) for x in cl], [["STRING:end"]] * 3)


def test_a_broadcast_reaches_a_user_of_any_node():
    with Cluster() as c:
        d = [c.domain(n) for n in (1, 2)]
        for one in d:
            c.bridge(one, "-e", "NONE")
        for one in d:
            c.sees(one, ABROAD)
        strict = {"NDRX_COMPAT": "strict-tuxedo"}
        cl = []
        for one, user in zip(d + d, ("anna", "berta", "carla", "anna")):
            cl.append(one.client(**strict))
            equal(cl[-1]("login", user, "~").err, "OK")
            equal(cl[-1]("unsol", "record").ret, 0)
        s = d[0].client(**strict)
        equal(s("broadcast", "-", "-", "-", "STRING:one", "anna").err, "OK")
        equal([got_all(x, 1) for x in (cl[0], cl[3])], [["STRING:one"]] * 2)
        equal(s("broadcast", "-", "-", "TPREGEXMATCH", "STRING:two",
                "^[bc]").err, "OK")
        equal([got_all(x, 1) for x in cl[1:3]], [["STRING:two"]] * 2)
        # Elsewhere users do not count.
        equal(d[1].client()("broadcast", "-", "-", "-", "STRING:end",
                            "anna").err, "OK")
        equal([got_all(x, 1) for x in cl], [["STRING:end"]] * 4)


def test_no_message_comes_twice_while_bridges_are_killed():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        bridge = {"name": "ndrxbridge", "srvid": BRIDGE, "min": 2, "max": 2,
                  "appopt": " ".join(c.options())}
        a.boot({"srvid": 1, "appopt": "CLTID"}, bridge)
        b.boot(bridge)
        c.sees(b, ABROAD)
        cl, s = listener(a), b.client(NDRX_TOUT="2")
        me = cl.call("CLTID").data
        told, got = {}, []
        for i in range(6):
            for k in range(60):
                n = str(i * 100 + k)
                if k == 30:
                    d = (a, b)[i % 2]
                    pid = d.pid(BRIDGE) or d.pid(BRIDGE + 1)
                    if pid:
                        kill(pid)
                told[n] = s("notify", me, "-", f"STRING:{n}").err
            cl("chkunsol")
            got += [g.split(":")[1] for g in cl("got").data.split("|")[:-1]]
        wait_for(lambda: s("notify", me, "-", "STRING:end").err == "OK",
                 "messages travel again", 20)
        while "end" not in got:
            got += [g.split(":")[1] for g in got_all(cl, 1)]
        for n, err in told.items():
            at_most(got.count(n), 1, f"{n}, of which the sender got {err}")
            if err == "OK":
                equal(got.count(n), 1, f"{n}, which was sent")
            elif err == "TPENOENT":
                equal(got.count(n), 0, f"{n}, which was not delivered")
        at_least(list(told.values()).count("OK"), 100)
