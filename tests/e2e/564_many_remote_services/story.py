# SPDX-License-Identifier: Apache-2.0
"""One bridge serves any number of services of other nodes: those for which the
domain has no queue share one."""
from checks import at_least, equal
from cluster import BRIDGE, Cluster
from fixture import kill, wait_for
from conversations import connect, convs

MAINLY = "shm"
NAMES = [f"N{i:03}" for i in range(600)]
LAST = NAMES[-1]  # it has no queue of its own


def _many(c):
    """Node 2 offers them; its domain is on shm: posix has not so many
    queues."""
    b = c.domain(2, {"NDRX_TRANSPORT": "shm"})
    servers = [b.server(i + 1, *(f"{n}={f}" for n in NAMES[i * 200:][:200]))
               for i, f in enumerate(("ECHO", "ECHO", "PID"))]
    c.bridge(b)
    return b, servers


def _rows(d, service):
    return [(r.program, r.srvid) for r in d.rows("psc")
            if r.service == service]


def test_one_bridge_serves_what_has_no_queue_of_its_own():
    with Cluster() as c:
        a = c.domain(1)
        b, servers = _many(c)
        c.bridge(a)
        c.sees(a, *NAMES, seconds=40)
        equal(c.offers(a), set(NAMES))
        for n in NAMES[:400:37]:
            equal(a.call(n, n).data, n)
        equal(a.call(LAST).data, str(servers[2].pid))
        equal(_rows(a, LAST), [("ndrxbridge", BRIDGE)])
        wait_for(lambda: a.row("psvc", service=LAST).abroad == 1, "psvc")
        row = a.row("psvc", service=LAST)
        equal((row.servers, row.queue), (1, False))
        own = [r for r in a.rows("psvc") if r.queue and
               r.service[0] not in "@."]
        at_least(253, len(own), "have queues of their own")
        r = a.client()("calls", NAMES[399], 200, 4, 3000)
        equal((r.ok, r.wrong), (800, 0), r)
        for p in servers[1:]:
            b.stop_server(p)
        c.lacks(a, *NAMES[200:])
        equal(a.call(LAST).err, "TPENOENT")
        equal(a.call("N001", "x").data, "x")


def test_a_server_here_comes_first():
    with Cluster() as c:
        a = c.domain(1)
        _, servers = _many(c)
        c.bridge(a)
        c.sees(a, *NAMES, seconds=40)
        cl = a.client()
        equal(cl.call(LAST).data, str(servers[2].pid))
        p = a.server(1, f"{LAST}=PID")
        wait_for(lambda: cl.call(LAST).data == str(p.pid), "local first")
        wait_for(lambda: _rows(a, LAST) == [("testsv", 1)], "no bridge")
        for _ in range(20):
            equal(cl.call(LAST).data, str(p.pid))
        a.stop_server(p)
        wait_for(lambda: cl.call(LAST).data == str(servers[2].pid), "remote")


def test_callers_of_a_killed_bridge_are_told_and_the_next_one_serves():
    with Cluster() as c:
        a = c.domain(1)
        b, servers = _many(c)
        b.server(9, "ZSLEEP=SLEEP")  # the last of all names
        p = c.bridge(a)
        c.sees(a, *NAMES, "ZSLEEP", seconds=40)
        cl = a.client()
        cl.begin("call", "ZSLEEP", "-", "STRING:4000")
        wait_for(lambda: any(r.outstanding == 1 for r in a.rows("pnet")),
                 "under way")
        kill(p.pid)
        p.wait()
        a.procs.pop(p.pid)
        q = c.bridge(a, "-I", f"2:N000,{LAST}")
        equal(cl.end().err, "TPESVCERR")
        c.sees(a, "N000", LAST)
        wait_for(lambda: c.offers(a) == {"N000", LAST},
                 "what the dead one had marked is gone", 20)
        equal(a.call(LAST).data, str(servers[2].pid))
        equal(a.call("N400").err, "TPENOENT")
        a.stop_server(q)
        equal(a.call(LAST).err, "TPENOENT")
        equal(c.offers(a), set())


def test_two_bridges_share_the_queue():
    with Cluster() as c:
        a = c.domain(1)
        _many(c)
        a.boot({"name": "ndrxbridge", "srvid": BRIDGE, "min": 2, "max": 2},
               sections=c.section(1))
        c.sees(a, *NAMES, seconds=40)
        first = a.pid(BRIDGE)
        r = a.client()("calls", NAMES[399], 200, 4, 3000)
        equal((r.ok, r.wrong), (800, 0), r)
        kill(first)
        wait_for(lambda: a.pid(BRIDGE) not in (0, first), "restarted", 30)
        for n in NAMES[:400:37]:
            wait_for(lambda n=n: a.call(n, n).data == n, n)
        c.sees(a, *NAMES, seconds=40)


def test_lists_and_suspension_hold_for_what_has_no_queue():
    with Cluster() as c:
        a = c.domain(1)
        _many(c)
        a.boot({"name": "ndrxbridge", "srvid": BRIDGE}, sections=(
            f'<services><service svcnm="{LAST}" acl="none"/></services>' +
            c.section(1)))
        c.sees(a, *NAMES, seconds=40)
        equal(a.call(LAST).err, "TPEPERM")
        equal(a.call(NAMES[-2]).err, "OK")
        a.xadmin("suspend", "-s", NAMES[-2])
        equal(a.call(NAMES[-2]).err, "TPENOENT")
        a.xadmin("resume", "-s", NAMES[-2])
        equal(a.call(NAMES[-2]).err, "OK")


def test_a_conversation_goes_to_a_service_without_a_queue():
    with Cluster() as c:
        a = c.domain(1)
        b, _ = _many(c)
        convs(b, 9, "ZCONV")
        c.bridge(a)
        c.sees(a, *NAMES, "ZCONV", seconds=40)
        equal(a.row("psvc", service="ZCONV").queue, False)
        cl = a.client()
        cd = connect(cl, "send:a send:b return:c", "TPRECVONLY", "ZCONV")
        equal([cl("recv", cd).data for _ in range(2)], ["a", "b"])
        r = cl("recv", cd)
        equal((r.err, r.event, r.data), ("TPEEVENT", "SVCSUCC", "c"))
