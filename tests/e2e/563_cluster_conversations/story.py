# SPDX-License-Identifier: Apache-2.0
"""Conversations with services of other nodes of a cluster."""
import os
import signal
import struct
import time

from checks import (at_least, at_most, between, equal, near,
                    promptly, soon)
from cluster import BRIDGE, Cluster
from fixture import holds, kill, wait_for
from machine import asleep
from peer import CONTROL, REPLIES, REQUESTS, Peer
from conversations import block_bytes, blocks, connect, convs, traced
from trans import Trans

COST = 48
WINDOW = 32  # messages, libatmi/converse/ends/conversation.h
BYTES = 1 << 20
MOST = 64 << 20


def _pair(c, *services, servers=1, env=None):
    """Domain 1, domain 2 with servers of these services; their bridges."""
    a, b = c.domain(1, env), c.domain(2, env)
    for i in range(servers):
        convs(b, i + 1, *services)
    pa, pb = c.bridge(a), c.bridge(b)
    c.sees(a, *services)
    return a, b, pa, pb


def _rest(*domains):
    """Nothing is under way, and nothing is left in shared memory."""
    for d in domains:
        wait_for(lambda d=d: all(r.outstanding == 0 for r in d.rows("pnet")),
                 "nothing outstanding")
        wait_for(lambda d=d: blocks(d) == 0,
                 f"no block is left at node {d.env['NDRX_NODEID']}")


def test_messages_go_both_ways_and_the_service_returns():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        cl = a.client()
        for _ in range(3):
            cd = connect(cl, "trace:trace all give:two all return:bye")
            equal(cd, 0, "the first descriptor")
            equal(cl("send", cd, "-", "STRING:one").err, "OK")
            equal(cl("send", cd, "TPRECVONLY", "STRING:control").err, "OK")
            equal(cl("send", cd, "-", "STRING:x").err, "TPEPROTO")
            r = cl("recv", cd)
            equal((r.ret, r.err, r.event, r.data),
                  (-1, "TPEEVENT", "SENDONLY", "two"))
            equal(cl("send", cd, "TPRECVONLY", "STRING:three").err, "OK")
            r = cl("recv", cd)
            equal((r.ret, r.err, r.event, r.data, r.urcode),
                  (-1, "TPEEVENT", "SVCSUCC", "bye", 7))
        equal(traced(b), 3 * [("all", "0", "OK", "-", "one"),
                              ("all", "-1", "TPEEVENT", "SENDONLY", "control"),
                              ("give", "0", "OK", "-", "two"),
                              ("all", "-1", "TPEEVENT", "SENDONLY", "three")])
        equal(cl("recv", cd).err, "TPEINVAL", "after the end")
        _rest(a, b)


def test_either_may_speak_first_and_both_where_no_direction_is_given():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        cl = a.client()
        cd = connect(cl, "send:a send:b return:c", "TPRECVONLY")
        equal([cl("recv", cd).data for _ in range(2)], ["a", "b"])
        r = cl("recv", cd)
        equal((r.err, r.event, r.data), ("TPEEVENT", "SVCSUCC", "c"))
        cd = connect(cl, "recv send:x recv return:-", "-")
        equal(cl("send", cd, "-", "STRING:a").err, "OK")
        equal(cl("recv", cd).data, "x")
        equal(cl("send", cd, "TPRECVONLY", "STRING:b").err, "OK")
        equal(cl("recv", cd).event, "SVCSUCC")
        _rest(a, b)


def test_each_end_has_its_event():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        cl = a.client()
        for script, event, data, urcode in (
                ("return:yes", "SVCSUCC", "yes", 7),
                ("fail:no", "SVCFAIL", "no", 7),
                ("fail:-", "SVCFAIL", "", 7),
                ("noreturn", "SVCERR", "", None),
                ("forward:CONV", "SVCERR", "", None),
                ("discon", "DISCONIMM", "", None)):
            cd = connect(cl, "send:a " + script, "TPRECVONLY")
            equal(cl("recv", cd).data, "a", "what came before")
            r = cl("recv", cd)
            equal((r.err, r.event, r.data), ("TPEEVENT", event, data), script)
            if urcode is not None:
                equal(r.urcode, urcode, script)
        for script, event in (("return:x", "SVCERR"), ("fail:-", "SVCFAIL")):
            cd = connect(cl, script)  # while the client is to send
            wait_for(lambda cd=cd: cl("send", cd, "-", "STRING:a").event ==
                     event, f"{event} of {script}")
        cd = connect(cl, "trace:trace all return:x")
        equal(cl("send", cd, "-", "STRING:a").err, "OK")
        equal(cl("discon", cd).ret, 0)
        wait_for(lambda: len(traced(b)) == 2, "the service knows")
        equal(traced(b), [("all", "0", "OK", "-", "a"),
                          ("all", "-1", "TPEEVENT", "DISCONIMM", "a")])
        _rest(a, b)


def test_a_service_converses_with_a_third_node_meanwhile():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        convs(b, 1, "CONV")
        convs(e, 1, "OTHER")
        for d in (a, b, e):
            c.bridge(d)
        c.sees(a, "CONV", "OTHER")
        c.sees(b, "OTHER")
        cl = a.client()
        cd = connect(cl, "trace:trace connect:OTHER:give:inner+all all "
                         "return:done")
        cl("send", cd, "TPRECVONLY", "STRING:a")
        r = cl("recv", cd)
        equal((r.event, r.data), ("SVCSUCC", "done"))
        equal([t[3:] for t in traced(b)][1:],
              [("SENDONLY", "inner"), ("SENDONLY", "a")])
        _rest(a, b, e)


def test_any_type_and_any_size_to_64_mib_arrives_whole_both_ways():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        cl = a.client()
        for spec in ("STRING:#10", "CARRAY:#100", "CARRAY:#3000", "JSON:#20",
                     "CARRAY:#300000", "UBF:#500", "UBF:#100000"):
            cd = connect(cl, "recv all last")
            equal(cl("send", cd, "-", spec).err, "OK", spec)
            equal(cl("send", cd, "TPRECVONLY", spec).err, "OK", spec)
            r = cl("recv", cd)
            equal((r.event, r.type), ("SVCSUCC", spec.split(":")[0]), spec)
            at_least(r.len, int(spec.split("#")[1]), spec)
        for size in (5000000, MOST):  # each byte is checked at both ends
            cd = connect(cl, f"stream:2:{size} return:-", "TPRECVONLY")
            r = cl("drain", cd, seconds=60)
            equal((r.got, r.right, r.event), (2, 2, "SVCSUCC"), size)
            cd = connect(cl, "all last")
            equal(cl("stream", cd, 1, size, "TPRECVONLY", seconds=60).err,
                  "OK")
            r = cl("drain", cd, seconds=60)
            equal((r.got, r.event), (0, "SVCSUCC"))
        cd = connect(cl, f"stream:1:{MOST + 8} return:-", "TPRECVONLY")
        equal(cl("drain", cd, seconds=60).event, "SVCERR", "too large")
        _rest(a, b)


def test_a_stream_arrives_in_order_and_once_each_way():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        cl = a.client()
        for n, size in ((3000, 8), (1000, 300), (200, 20000), (30, 900000)):
            cd = connect(cl, f"stream:{n}:{size} return:-", "TPRECVONLY")
            r = cl("drain", cd)
            equal((r.got, r.right, r.err, r.event),
                  (n, n, "TPEEVENT", "SVCSUCC"), (n, size))
        cd = connect(cl, "trace:t all return:-")
        equal(cl("stream", cd, 500, 200).sent, 500)
        equal(cl("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(cl("recv", cd).event, "SVCSUCC")
        equal(len(traced(b, "t")), 501)
        # At each other, beyond what the queues hold.
        cd = connect(cl, "stream:20:200 recv recv recv all return:-", "-")
        equal(cl("stream", cd, 20, 200).sent, 20)
        equal(cl("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        r = cl("drain", cd)
        equal((r.got, r.right, r.event), (20, 20, "SVCSUCC"))
        _rest(a, b)


# ---- windows ----

def _peak(p):
    """The most memory that a process ever had, in bytes."""
    with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) * 1024 for line in f
                    if line.startswith("VmHWM"))


def test_a_fast_sender_waits_and_fills_no_memory_on_the_way():
    with Cluster() as c:
        a, b, pa, pb = _pair(c, "CONV", servers=2)
        cl = a.client(NDRX_TOUT="1")
        cd = connect(cl, "return:-", "TPRECVONLY")  # all threads run
        equal(cl("recv", cd).event, "SVCSUCC")
        before = [_peak(p) for p in (pa, pb)]
        cd = connect(cl, "sleep:4000 all return:-")
        r = cl("stream", cd, 1000, 100000)
        equal(r.err, "TPETIME")
        at_most(r.sent * 100000, BYTES + 100000, "bytes under way")
        equal(cl("stream", cd, 1000, 10, "TPNOBLOCK").err, "TPEBLOCK")
        cl("discon", cd)
        cd = connect(cl, "sleep:4000 all return:-")
        r = cl("stream", cd, 1000, 10, "TPNOBLOCK")
        equal(r.err, "TPEBLOCK")
        between(r.sent, 4, WINDOW, "messages until it would wait")
        cl("discon", cd)
        # The client fetches nothing for a while.
        cl = a.client()
        cd = connect(cl, "stream:2000:100000 return:-", "TPRECVONLY")
        wait_for(lambda: block_bytes(a) > BYTES / 2, "it has begun")
        holds(lambda: block_bytes(a) < 4 * BYTES and
              block_bytes(b) < 4 * BYTES, "bytes of shared memory", 1)
        r = cl("drain", cd, seconds=60)
        equal((r.got, r.right, r.event), (2000, 2000, "SVCSUCC"))
        # Sanitizers keep memory that was freed.
        kept = 400 * BYTES if os.environ.get("OW_SANITIZE") else 24 * BYTES
        for p, was in zip((pa, pb), before):
            at_most(_peak(p) - was, kept, "memory of a bridge")
        _rest(a, b)


def test_many_at_once_and_slow_ones_hold_up_no_others():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        n = 100 if a.env["NDRX_TRANSPORT"] == "shm" else 30
        b.boot({"srvid": 101, "name": "conversesv", "appopt": "CONV", "min": n,
                "max": n})
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "CONV")
        cl, slow = a.client(), a.client(NDRX_TOUT="1")
        half = n // 2
        held = [connect(slow, "sleep:6000 all return:-") for _ in range(2)]
        for cd in held:
            equal(slow("stream", cd, 1000, 100000).err, "TPETIME")
        cds = [connect(cl, "all last") for _ in range(half)]
        equal(cds, list(range(half)))
        more = [connect(cl, f"stream:40:{i + 8} return:-", "TPRECVONLY")
                for i in range(n - half - 2)]
        start = time.monotonic()
        for cd in cds:
            equal(cl("send", cd, "TPRECVONLY", f"STRING:{cd}").err, "OK")
        for cd in cds:
            r = cl("recv", cd)
            equal((r.event, r.data), ("SVCSUCC", str(cd)))
        for cd in more:
            r = cl("drain", cd)
            equal((r.got, r.right, r.event), (40, 40, "SVCSUCC"))
        soon((time.monotonic() - start) * 1000, 3000, "beside slow ones")
        for cd in held:
            equal(slow("send", cd, "TPRECVONLY,TPNOTIME", "STRING:x").err,
                  "OK")
            equal(slow("recv", cd, "TPNOTIME").event, "SVCSUCC")
        _rest(a, b)


# ---- deadlines, errors of tpconnect() ----

def test_deadlines_signals_and_tpnoblock_are_those_of_one_domain():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        cl = a.client(NDRX_TOUT="1")
        cd = connect(cl, "sleep:2500 send:late return:x", "TPRECVONLY")
        r = cl("recv", cd)
        equal(r.err, "TPETIME")
        near(r.ms, 950, 2000)
        equal(cl("recv", cd, "TPNOBLOCK").err, "TPEBLOCK")
        cl("alarm", 100, 30)
        equal(cl("recv", cd, "TPNOTIME").err, "TPGOTSIG")
        equal(cl("recv", cd, "TPNOTIME,TPSIGRSTRT").data, "late")
        cl("alarm", 0, 0)
        equal(cl("recv", cd).event, "SVCSUCC")
        _rest(a, b)


def test_tpconnect_says_why_no_server_began():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "CONV")
        first, cl = a.client(), a.client(NDRX_TOUT="1")
        equal(cl("connect", "NOBODY", "TPSENDONLY", "-").err, "TPENOENT")
        cd = connect(first, "all return:-")
        r = cl("connect", "CONV", "TPSENDONLY", "STRING:trace:late all")
        equal(r.err, "TPETIME")
        near(r.ms, 950, 2500)
        equal(first("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(first("recv", cd).event, "SVCSUCC")
        wait_for(lambda: len(traced(b, "late")) == 1, "it began too late")
        equal(traced(b, "late")[0][3], "DISCONIMM")
        b.server(2, "JTALK", binary="conversesv", opts=("-x", "CONV:JSON2UBF"))
        c.sees(a, "JTALK")
        r = cl("connect", "JTALK", "TPSENDONLY", "JSON:{no json")
        equal(r.err, "TPEITYPE")
        _rest(a, b)


def test_a_server_that_leaves_refuses_what_waits():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV"})
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "CONV")
        first, cl = a.client(), a.client()
        cd = connect(first, "all return:-")
        cl.begin("connect", "CONV", "TPSENDONLY", "-")
        wait_for(lambda: any("svc,CONV" in r.queue and r.queued == 1
                             for r in b.rows("pqa")), "queued")
        b.xadmin("stop", "-i", 1)
        equal(cl.end().err, "TPENOENT")
        wait_for(lambda: first("send", cd, "-", "STRING:x").event == "SVCERR",
                 "the server was killed for its conversation")
        _rest(a, b)


def test_the_service_knows_its_client():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "CLTID")
        for d in (a, b):
            c.bridge(d)
        c.sees(a, "CLTID")
        cl = a.client()
        cd = connect(cl, "-", "TPRECVONLY", "CLTID")
        r = cl("recv", cd)
        equal((r.event, r.data.split(",")[:2], r.data.split(",")[4]),
              ("SVCSUCC", ["clt", "@abroad"], "1"))
        equal(r.data, cl.call("CLTID").data, "as of a call")


# ---- whoever dies ----

def _bridge(c, *more):
    return {"name": "ndrxbridge", "srvid": BRIDGE,
            "appopt": " ".join(c.options(*more))}


def _supervised(c, n=1, more=()):
    """Two domains of ndrxd, the second with n servers CONV."""
    a, b = c.domain(1), c.domain(2)
    a.boot(_bridge(c, *more))
    b.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV", "min": n,
            "max": n}, _bridge(c, *more))
    c.sees(a, "CONV")
    return a, b


def _begin(cl, script, flags="TPSENDONLY"):
    """The descriptor of a conversation, as soon as there is a way."""
    got = []
    wait_for(lambda: got.append(cl("connect", "CONV", flags,
                                   "STRING:" + script)) or
             got[-1].err == "OK", "a conversation begins", 20)
    return got[-1].ret


def _told(d, event="DISCONIMM", name="t"):
    return any(t[2:4] == ("TPEEVENT", event) for t in traced(d, name))


def test_a_client_that_dies_is_disconimm_for_the_service():
    with Cluster() as c:
        a, b = _supervised(c)
        took = []
        for i in range(6):
            cl = a.client()
            script = "all" if i % 2 else "stream:1000:100"
            connect(cl, f"trace:t{i} {script}",
                    "TPSENDONLY" if i % 2 else "TPRECVONLY")
            if not i % 2:
                equal(cl("recv", 0).ret, 0)
            start = time.monotonic()
            cl.kill()
            wait_for(lambda i=i: _told(b, name=f"t{i}"), "told")
            took.append((time.monotonic() - start) * 1000)
        promptly(took, 150, 400)
        cl = a.client()
        connect(cl, "trace:term all")
        cl("term")
        wait_for(lambda: _told(b, name="term"), "told of tpterm()")
        _rest(a, b)


def test_a_server_that_dies_is_svcerr_for_the_client():
    with Cluster() as c:
        a, b = _supervised(c)
        took = []
        for i in range(6):
            cl = a.client()
            cd = _begin(cl, "send:a sleep:100000",
                        "-" if i % 2 else "TPRECVONLY")
            equal(cl("recv", cd).data, "a")
            cl.begin(*(("stream", cd, 1000, 100) if i % 2 else ("recv", cd)))
            wait_for(lambda: asleep(cl.pid), "it waits")
            start = time.monotonic()
            kill(b.pid(1))
            r = cl.end()
            took.append((time.monotonic() - start) * 1000)
            equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
        promptly(took, 200, 500)
        cl = a.client()
        cd = _begin(cl, "send:a crash", "TPRECVONLY")
        equal(cl("recv", cd).data, "a", "what was sent before")
        equal(cl("recv", cd).event, "SVCERR")
        _rest(a, b)


def _kill_a_bridge(number):
    """The client and the service are told; later conversations go."""
    with Cluster() as c:
        d = _supervised(c, 2)
        a, b = d
        for i in range(4):
            cl, late = a.client(), a.client()
            _begin(cl, f"trace:t{i} all")
            cd = connect(cl, f"trace:u{i} send:a all", "-")
            equal(cl("recv", cd).data, "a")
            # All servers are busy: this one waits in the queue there.
            late.begin("connect", "CONV", "TPRECVONLY", "STRING:return:-")
            wait_for(lambda: any("svc,CONV" in r.queue and r.queued == 1
                                 for r in b.rows("pqa")), "queued")
            cl.begin("recv", cd)
            wait_for(lambda: asleep(cl.pid), "it waits")
            wait_for(lambda: d[number].pid(BRIDGE), "it has come back")
            pid = d[number].pid(BRIDGE)
            start = time.monotonic()
            kill(pid)
            r = cl.end()
            equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
            soon((time.monotonic() - start) * 1000, 1500, "the client")
            wait_for(lambda: _told(b, name=f"t{i}") and
                     _told(b, name=f"u{i}"), "the services")
            soon((time.monotonic() - start) * 1000, 2500, "the services")
            wait_for(lambda: cl("send", 0, "-", "STRING:x").event ==
                     "SVCERR", "the other one")
            equal(late.end().err, "TPESVCERR")
        _rest(a, b)


def test_the_death_of_the_clients_bridge_is_told_to_both():
    _kill_a_bridge(0)


def test_the_death_of_the_servers_bridge_is_told_to_both():
    _kill_a_bridge(1)


def _two_open(a, b, i):
    """A client that waits in one conversation, and has another one."""
    cl = a.client()
    _begin(cl, f"trace:t{i} all")
    cd = connect(cl, f"trace:u{i} send:a all", "-")
    equal(cl("recv", cd).data, "a")
    cl.begin("recv", cd)
    wait_for(lambda: asleep(cl.pid), "it waits")
    return cl


def _both_told(b, cl, i, start, bound):
    r = cl.end()
    equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
    soon((time.monotonic() - start) * 1000, bound, "the client")
    wait_for(lambda: _told(b, name=f"t{i}") and _told(b, name=f"u{i}"),
             "the services", 20)
    wait_for(lambda: cl("send", 0, "-", "STRING:x").event == "SVCERR",
             "the other conversation")


def test_a_bridge_that_ends_in_order_ends_its_conversations_after_its_limit():
    with Cluster() as c:
        a, b = _supervised(c, 2, ("-w", "300ms"))
        for i, d in enumerate((a, b, a, b)):
            cl = _two_open(a, b, i)
            start = time.monotonic()
            d.xadmin("stop", "-i", str(BRIDGE), "-y")
            _both_told(b, cl, i, start, 1500)
            _rest(b)
            d.xadmin("start", "-i", str(BRIDGE), "-y")
        _rest(a, b)


def test_without_nats_server_all_conversations_end_at_once():
    with Cluster() as c:
        a, b = _supervised(c, 2)
        for i in range(3):
            cl = _two_open(a, b, i)
            start = time.monotonic()
            c.nats.stop()
            _both_told(b, cl, i, start, 1000)
            soon((time.monotonic() - start) * 1000, 1500, "the services")
            c.nats.start()
        _rest(a, b)


def test_a_silent_node_is_lost_after_three_heartbeats():
    with Cluster() as c:
        a, b = _supervised(c, 2, ("-b", "400ms"))
        for i in range(2):
            cl = _two_open(a, b, i)
            pid = b.pid(BRIDGE)
            start = time.monotonic()
            kill(pid, signal.SIGSTOP)
            r = cl.end()
            equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
            near((time.monotonic() - start) * 1000, 700, 3000)
            kill(pid, signal.SIGCONT)
            wait_for(lambda i=i: _told(b, name=f"t{i}") and
                     _told(b, name=f"u{i}"), "the services")
            wait_for(lambda: cl("send", 0, "-", "STRING:x").event == "SVCERR",
                     "the other conversation")
        _rest(a, b)


# ---- who may, and what a node may say ----

def _err(client, flags="TPSENDONLY"):
    r = client("connect", "CONV", flags, "STRING:all")
    if r.err == "OK":
        client("discon", r.ret)
    return r.err


def test_a_list_says_which_nodes_and_logins_may_begin_one():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV"},
               {"name": "ndrxbridge", "srvid": BRIDGE},
               sections=c.section(2) + '<services><service svcnm="CONV" '
               'acl="node:1/anna"/></services>')
        for d, n in ((a, 1), (e, 3)):
            for name in ("anna", "bob"):
                r = d.run("xadmin", "passwd", "-f", f"{d.home}/passwords",
                          name, text=f"pw-{name}\n")
                equal(r.returncode, 0, r.stderr)
            d.boot({"name": "ndrxbridge", "srvid": BRIDGE},
                   sections=c.section(n) + '<security auth="SYS" '
                   f'passwords="{d.home}/passwords"/>')
            wait_for(lambda d=d: any(r.service == "CONV"
                                     for r in d.rows("psc")), "CONV", 15)
        who = {}
        for d, name in ((a, "anna"), (a, "bob"), (e, "anna")):
            cl = who[d, name] = d.client()
            equal(cl("login", name, f"pw-{name}").err, "OK")
        wait_for(lambda: _err(who[a, "anna"]) == "OK", "anna of node 1")
        for _ in range(3):
            equal([_err(cl) for cl in who.values()],
                  ["OK", "TPEPERM", "TPEPERM"])


def test_what_a_node_does_not_offer_or_import_is_not_there():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        convs(b, 1, "CONV", "HIDDEN")
        c.bridge(a)
        c.bridge(b, "-x", "HIDDEN")
        e.boot({"name": "ndrxbridge", "srvid": BRIDGE},
               sections=c.section(3, importsvcs="2:HIDDEN"))
        c.sees(a, "CONV")
        equal(a.client()("connect", "HIDDEN", "-", "-").err, "TPENOENT")
        equal(_err(a.client()), "OK")
        equal(_err(e.client()), "TPENOENT")


def test_a_transaction_stays_at_its_node():
    with Cluster() as c:
        a, b = (c.stack.enter_context(Trans(env={"NDRX_NODEID": str(n)}))
                for n in (1, 2))
        a.tm(1)
        convs(b, 1, "CONV")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "CONV")
        cl = a.xaclient(1)
        cl.ok("begin", 20)
        cd = cl.ok("connect", "TPNOTRAN", "CONV", "all").ret
        cl.ok("discon", cd)
        equal(cl.err("connect", "-", "CONV", "all"), "TPETRAN")
        cl.ok("abort")
        cd = cl.ok("connect", "-", "CONV", "all").ret
        cl.ok("discon", cd)


REPLY, BEAT, NEWS, CONNECT, CONV = 2, 4, 6, 96, 97
ACCEPT, DATA, TAKEN, END = range(2, 6)
OF_CONV, BACK = 1, 2
TPESVCERR = 10


class TalkPeer(Peer):
    """One that has conversations."""

    def beat(self, ms):
        """A heartbeat, which says that the next one comes after `ms`."""
        self.send(CONTROL, BEAT, struct.pack("<QQIIII", 5, 0, ms, 0, 0, 1))

    def connect(self, ident, script):
        self.send(REQUESTS, CONNECT, script.encode() + b"\0", ident=ident,
                  buftype=4, number=10 ** 10, svc=b"CONV")

    def say(self, ident, op, number=0, flags=OF_CONV):
        data = b"data\0" if op == DATA else b""
        self.send(REPLIES, CONV, data, ident=ident, tperr=op, number=number,
                  flags=flags, buftype=4 if op == DATA else 3)


def test_a_bridge_that_never_accepts_costs_the_time_of_the_caller():
    with Cluster() as c:
        b = c.domain(2)
        c.bridge(b)
        peer = TalkPeer(c)
        c.stack.callback(peer.close)
        peer.beat(1000)
        peer.send(CONTROL, NEWS, struct.pack("<QIIII32s", 5, 1, 1, 0, 0,
                                             b"MUTE"))
        c.sees(b, "MUTE")
        cl = b.client(NDRX_TOUT="1")
        equal(cl("connect", "MUTE", "TPSENDONLY", "-").err, "TPETIME")


def test_a_node_that_breaks_the_rules_ends_its_own_conversation_only():
    with Cluster() as c:
        a, b, _, pb = _pair(c, "CONV", servers=3)
        cl = a.client()
        good = connect(cl, "all last")
        peer = TalkPeer(c)
        c.stack.callback(peer.close)
        peer.beat(20000)  # it has no more of them
        heard = peer.hears()
        for flags in (OF_CONV, OF_CONV | BACK):  # of no conversation
            for op in (DATA, ACCEPT, TAKEN, END):
                peer.say(99, op, 1, flags)
            for _ in (DATA, ACCEPT):
                equal(next(heard), (CONV, 99, END, flags ^ BACK))

        def ended(ident):
            # How many were fetched may be told before.
            f = next(f for f in heard if f[:3] != (CONV, ident, TAKEN))
            equal(f, (REPLY, ident, TPESVCERR, OF_CONV | BACK))
            wait_for(lambda: _told(b, name=f"p{ident}"), "the service")

        def accepted(ident, script):
            peer.connect(ident, f"trace:p{ident} {script}")
            equal(next(heard), (CONV, ident, ACCEPT, OF_CONV | BACK))

        for ident, wrong in ((1, 3), (2, 1), (3, 2 ** 31)):
            accepted(ident, "all return:-")
            peer.say(ident, DATA, 1)
            peer.say(ident, DATA, wrong)  # not the next one
            ended(ident)
        accepted(4, "sleep:1000 all return:-")
        for n in range(1, WINDOW + 2):  # more than it may
            peer.say(4, DATA, n)
        ended(4)
        accepted(5, "all return:-")
        peer.connect(5, "trace:p5 all return:-")  # twice
        peer.say(5, ACCEPT)
        peer.say(5, TAKEN)
        peer.send(REPLIES, REPLY, ident=5, flags=OF_CONV)
        ended(5)
        equal(len(traced(b, "p5")), 1, "one service")
        accepted(6, "all return:-")
        peer.say(6, END)
        wait_for(lambda: _told(b, name="p6"), "the service")
        equal(cl("send", good, "TPRECVONLY", "STRING:good").err, "OK")
        r = cl("recv", good)
        equal((r.event, r.data), ("SVCSUCC", "good"))
        equal(pb.poll(), None, "the bridge runs")
        _rest(a, b)
