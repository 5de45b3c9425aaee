# SPDX-License-Identifier: Apache-2.0
"""A service of another domain is called as one of this domain, over NATS."""
import os
import signal
import tempfile

from checks import at_least, contains, equal, lacks, soon
from cluster import BRIDGE, Cluster, Nats, free_port, timed
from covers import covers
from fixture import holds, kill, wait_for
from openmetrics import parse, value

COST = 28
QUEUE_KB = 380


def _pair(c, *services, more_a=(), more_b=()):
    """Domain 1 with a bridge, domain 2 with a server and a bridge; both, and
    the bridges."""
    a, b = c.domain(1), c.domain(2)
    b.server(1, *services)
    pa, pb = c.bridge(a, *more_a), c.bridge(b, *more_b)
    return a, b, pa, pb


def test_a_call_reaches_the_other_domain_and_its_reply_comes_back():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "ECHO", "FAIL", "PID")
        c.sees(a, "ECHO", "FAIL", "PID")
        r = a.call("ECHO", "hello")
        equal((r.err, r.data), ("OK", "hello"), r.text)
        equal(a.call("PID").data, str(next(iter(b.procs))))
        r = a.call("FAIL")
        equal((r.err, r.urcode), ("TPESVCFAIL", b.call("FAIL").urcode))
        equal(a.call("NOSUCH").err, "TPENOENT")
        # No bit of a program says what only the library knows.
        for bit in range(28, 32):
            r = a.call("ECHO", "x", hex(1 << bit))
            equal((r.err, r.data), ("OK", "x"), f"flag 1 << {bit}")


def test_servers_of_the_own_domain_come_first():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "PID")
        c.sees(a, "PID")
        there = a.call("PID").data
        p = a.server(1, "PID")
        wait_for(lambda: a.call("PID").data == str(p.pid), "local first")
        wait_for(lambda: [r.program for r in a.rows("psc")
                          if r.service == "PID"] == ["testsv"],
                 "the bridge has withdrawn")
        for _ in range(50):
            equal(a.call("PID").data, str(p.pid))
        a.stop_server(p)
        wait_for(lambda: a.call("PID").data == there, "at the other node again")


def _shares(client, here, calls):
    """Of so many calls: served here, elsewhere."""
    who = [client.call("PID").data for _ in range(calls)]
    mine = who.count(str(here.pid))
    return mine, calls - mine


def test_a_share_of_the_calls_is_remote_though_servers_are_here():
    with Cluster() as c:
        a, b = c.domain(1, {"NDRX_LDBAL": "25"}), c.domain(2)
        here, there = a.server(1, "PID", "ECHO"), b.server(1, "PID")
        c.bridge(a)
        pb = c.bridge(b)
        c.sees(a, "@>PID")
        equal(_shares(a.client(), here, 100), (75, 25))
        equal(_shares(a.client(NDRX_LDBAL="0"), here, 20), (20, 0))
        equal(_shares(a.client(NDRX_LDBAL="100"), here, 20), (0, 20))
        equal(a.client(NDRX_LDBAL="100").call("ECHO", "x").data, "x")
        wait_for(lambda: "PID" in {r.service for r in b.rows("psc")}, "b")
        equal(b.call("PID").data, str(there.pid), "b sends nothing away")
        a.stop_server(here)  # now all go to another node, by the name of the service
        c.lacks(a, "@>PID")
        c.sees(a, "PID")
        equal(a.call("PID").data, str(there.pid))
        here = a.server(1, "PID")
        c.sees(a, "@>PID")
        b.stop_server(pb)
        c.lacks(a, "@>PID")
        wait_for(lambda: _shares(a.client(), here, 20) == (20, 0), "all here")


def test_a_view_from_another_node_chooses_its_group_here():
    with tempfile.TemporaryDirectory(prefix="ow_e2e_views_") as folder, \
            Cluster() as c:
        with open(f"{folder}/test.v", "w", encoding="ascii") as f:
            f.write("VIEW PAIR\nshort number - 1 - - -\nEND\n")
        env = {"VIEWDIR": folder, "VIEWFILES": "test.v"}
        a, b = c.domain(1, env), c.domain(2, env)
        b.boot({"srvid": 1, "sysopt": "-g A", "appopt": "SRVID"},
               {"srvid": 2, "sysopt": "-g B", "appopt": "SRVID"},
               sections='<services><service svcnm="SRVID" routing="R"/>'
               '</services><routing><route routing="R"><field>number</field>'
               "<ranges>1:A,2:B</ranges><buftype>VIEW</buftype></route>"
               "</routing>")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "SRVID")
        cl = a.client()
        for _ in range(3):
            for n in ("1", "2"):
                r = cl("call", "SRVID", "-", f"VIEW/PAIR:number={n}")
                equal((r.err, r.data), ("OK", n), r.text)
        r = cl("call", "SRVID", "-", "VIEW/PAIR:number=3")
        equal(r.err, "TPESYSTEM")


def _says_twice(d):
    text = ""
    for name in os.listdir(d.logs):
        with open(f"{d.logs}/{name}", encoding="utf-8",
                  errors="replace") as f:
            text += f.read()
    return [line for line in text.split("\n")
            if "node id 2 is used twice" in line]


def test_a_node_id_that_two_domains_have_is_named_by_all():
    for srvid in (BRIDGE, BRIDGE + 1):
        with Cluster() as c:
            a, b, twin = c.domain(1), c.domain(2), c.domain(2)
            c.bridge(a)
            c.bridge(b)
            c.bridge(twin, srvid=srvid)
            for d in (a, b, twin):
                wait_for(lambda d=d: _says_twice(d), "it is said", 15)
                line, = _says_twice(d)
                contains(line, b.home)
                contains(line, twin.home)
        with Cluster() as c:  # a domain that comes back is itself
            a, b = c.domain(1), c.domain(2)
            c.bridge(a)
            for _ in range(2):
                p = c.bridge(b, srvid=srvid)
                b.server(1, "ECHO")
                c.sees(a, "ECHO")
                kill(p.pid)
                p.wait(20)
                b.procs.pop(p.pid, None)
                b.stop_server(next(iter(b.procs.values())))
            equal(_says_twice(a), [])


def test_errors_and_time_outs_cross_the_link():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.boot({"srvid": 1, "appopt": "SLEEP CRASH"})
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "SLEEP", "CRASH")
        cl = a.client(NDRX_TOUT="1")
        r, ms = timed(cl.call, "SLEEP", "3000")
        equal(r.err, "TPETIME", r.text)
        at_least(ms, 900)
        soon(ms, 2500)
        equal(a.call("CRASH").err, "TPESVCERR")


def test_one_way_calls_are_executed_once_each():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "LOG", "GETLOG", "COUNT")
        c.sees(a, "LOG")
        cl = a.client()
        for i in range(100):
            equal(cl("acall", "LOG", "TPNOREPLY", f"STRING:{i}").err, "OK")
        got = []
        wait_for(lambda: got.extend(b.call("GETLOG").data.split())
                 or len(got) >= 100, "100 calls")
        equal(sorted(map(int, got)), list(range(100)))


def test_one_way_calls_beyond_the_window_wait_and_all_are_executed():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "COUNT")
        c.sees(a, "COUNT")
        cl = a.client(NDRX_TOUT="200")
        r = cl("flood", "COUNT", "TPNOREPLY", "STRING:" + 2500 * "x", 6000,
               seconds=120)
        equal(r.ret, 6000, r)  # 18 MB: several windows
        wait_for(lambda: b.row("psc", service="COUNT").succeeded == 6000,
                 "6000 calls", 60)


def test_services_of_three_domains_are_all_in_reach():
    with Cluster() as c:
        d = [c.domain(n) for n in (1, 2, 3)]
        for i, one in enumerate(d):
            one.server(1, f"ONLY{i}=PID")
            c.bridge(one)
        for one in d:
            c.sees(one, "ONLY0", "ONLY1", "ONLY2")
        for i, to in enumerate(d):
            for one in d:
                equal(one.call(f"ONLY{i}").data,
                      str(next(iter(to.procs))))


def test_a_call_that_is_forwarded_to_a_third_domain_is_answered():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.server(1, "FWDECHO")
        e.server(1, "ECHO")
        for d in (a, b, e):
            c.bridge(d)
        c.sees(a, "FWDECHO")
        c.sees(b, "ECHO")
        equal(a.call("FWDECHO", "x").data, "x")


def test_an_offer_that_goes_away_vanishes_elsewhere():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "ECHO")
        p = b.server(2, "UPPER")
        c.sees(a, "ECHO", "UPPER")
        b.stop_server(p)
        c.lacks(a, "UPPER")
        equal(a.call("UPPER").err, "TPENOENT")
        equal(a.call("ECHO", "x").data, "x")


def test_exported_and_hidden_services():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "ECHO", "UPPER", "PID",
                           more_b=("-e", "ECHO,UPPER", "-x", "UPPER"))
        c.sees(a, "ECHO")
        holds(lambda: c.offers(a) == {"ECHO"},
              "only ECHO is offered", 0.5)


@covers("cluster", "urls", "node", "exportsvcs", "blacklistsvcs")
def test_the_configuration_says_what_a_bridge_does():
    with Cluster() as c:
        a, b = c.domain(7), c.domain(8)  # NDRX_NODEID: the element wins
        b.boot({"srvid": 1, "appopt": "ECHO UPPER PID"},
               {"name": "ndrxbridge", "srvid": BRIDGE,
                "exportsvcs": "ECHO,UPPER", "blacklistsvcs": "UPPER"},
               sections=c.section(2))
        a.boot({"name": "ndrxbridge", "srvid": BRIDGE},
               sections=c.section(1))
        c.sees(a, "ECHO")
        holds(lambda: c.offers(a) == {"ECHO"},
              "only ECHO is offered", 0.5)
        equal(a.call("ECHO", "x").data, "x")
        wait_for(lambda: [r.node for r in a.rows("pnet")] == [2], "node 2")


@covers("cache", "xadmin cacheinval")
def test_remote_replies_are_kept_where_the_configuration_says_so():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO", "COUNT")
        c.bridge(b)
        a.boot({"name": "ndrxbridge", "srvid": BRIDGE}, sections=c.section(1)
               + '<services><service svcnm="ECHO" cache="ttl=1h drop=E"/>'
               '</services>')
        c.sees(a, "ECHO", "COUNT")
        cl = a.client()
        for n in range(1, 4):
            for _ in range(5):
                equal(cl.call("ECHO", "x").data, "x")
                equal(cl("getrply", cl("acall", "ECHO", "-", "STRING:x").ret,
                         "-").data, "x")
            equal(b.call("COUNT").urcode, n, "requests that went to the other node")
            a.xadmin("cacheinval", "-s", "ECHO")
        # There they are served: no cache is configured at that node.
        equal([b.call("ECHO", "x").data for _ in range(3)], ["x"] * 3)
        equal(b.call("COUNT").urcode, 6)


@covers("cluster", "xadmin reload")
def test_a_reload_of_another_cluster_restarts_the_bridge():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(b)
        bridge = {"name": "ndrxbridge", "srvid": BRIDGE}
        a.boot(bridge, sections=c.section(1, name="other"))
        pid = a.pid(BRIDGE)
        a.configure(bridge, sections=c.section(1))
        a.xadmin("reload", "-y")
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")
        equal(a.pid(BRIDGE) != pid, True, "another process")


@covers("xadmin pnet")
def test_pnet_and_psvc_show_the_other_node():
    with Cluster() as c:
        a, _, _, _ = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        a.call("ECHO", "x")
        row = wait_for(lambda: a.row("pnet", calls_out=1), "one call")
        equal((row.srvid, row.node, row.bridge, row.up, row.services,
               row.cluster), (BRIDGE, 2, BRIDGE, True, 1, c.name))
        wait_for(lambda: c.link(a, 2).rtt_us > 0, "a round trip")
        line = [x for x in a.xadmin("psvc").stdout.splitlines()
                if "ECHO" in x][0].split()
        equal(line[-1][:3], "110", "CNODES")
        row = a.row("psvc", service="ECHO")
        equal((row.abroad, row.nodes[:3]), (1, "110"))


def _doctor(d):
    return d.xadmin("doctor", ok=False).stdout


def _wrong(d):
    """What ndrxtop says is wrong."""
    return "\n".join(n for n in d.run("ndrxtop", "-b", "-n", "1", "-w", "160").stdout
                     .splitlines() if n.startswith("!"))


@covers("xadmin doctor")
def test_doctor_names_nodes_that_are_silent_and_a_missing_nats_server():
    with Cluster() as c:
        a, b, _, pb = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        wait_for(lambda: "no node is silent" in _doctor(a), "all is well")
        b.procs.pop(pb.pid)
        kill(pb.pid)
        pb.wait()
        b.dirty = True
        wait_for(lambda: a.row("pnet", node=2, state="down"), "down")
        contains(_doctor(a), f"node 2, bridge {BRIDGE}: silent for")
        contains(_wrong(a), "! node 2 is silent for ")
        c.nats.stop()
        wait_for(lambda: a.row("pnet", node=2, nats=False), "no nats-server")
        contains(_doctor(a), f"nats-server: bridge {BRIDGE}, cluster "
                 f"{c.name}: not connected")
        contains(_wrong(a), f"! bridge {BRIDGE} is not connected to "
                 "nats-server")


def test_a_stopped_bridge_is_no_stopped_client():
    with Cluster() as c:
        a, b, _, pb = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")
        kill(pb.pid, signal.SIGSTOP)
        try:
            contains(_doctor(b), f"stopped servers: ndrxbridge {BRIDGE}")
            lacks(_doctor(b), "stopped clients")
        finally:
            kill(pb.pid, signal.SIGCONT)


def test_a_bridge_that_ends_in_order_is_not_missed():
    with Cluster() as c:
        a, b, _, pb = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        b.stop_server(pb)
        wait_for(lambda: a.row("pnet", node=2, state="left"), "left")
        contains(_doctor(a), "no node is silent")


def _links(d):
    """The rows of the screen nodes: the first words of each."""
    lines = d.run("ndrxtop", "-b", "-s", "nodes").stdout.splitlines()
    at = [i for i, x in enumerate(lines) if x.split()[:1] == ["NODE"]][0]
    return [x.split()[:3] for x in lines[at + 1:]]


def test_ndrxtop_shows_the_links():
    with Cluster() as c:
        a, b, _, pb = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        wait_for(lambda: _links(a) == [["2", str(BRIDGE), "up"]], "up")
        b.stop_server(pb)
        wait_for(lambda: _links(a) == [["2", str(BRIDGE), "left"]], "left")


def test_metrics_have_the_links():
    with Cluster() as c:
        a, _, _, _ = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        for _ in range(3):
            a.call("ECHO", "x")
        wait_for(lambda: a.row("pnet", calls_out=3), "3 calls")
        m = parse(a.run("ndrxmetrics", "-1").stdout)
        link = {"srvid": str(BRIDGE), "node": "2", "bridge": str(BRIDGE)}
        equal(value(m, "onewake_link_calls_out", **link), 3)
        equal(value(m, "onewake_link_up", **link), 1)
        equal(value(m, "onewake_bridge_connected", srvid=str(BRIDGE)), 1)


def test_large_payloads_come_in_parts():
    with Cluster() as c:
        a, _, _, _ = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        for size in (1000, 100000, 300000, 3000000, 20000000):
            r = a.client()("calls", "ECHO", 2, 1, size, seconds=60)
            equal((r.ok, r.wrong), (2, 0), f"{size} bytes: {r}")
        for data in ("XML:#1", "XML:#300000", "MBSTRING:#5000", "CARRAY:#70000",
                     "JSON:{\"a\":1}", "UBF:#300000"):
            r = a.client()("call", "ECHO", "-", data)
            equal((r.err, r["sum"], r.type), ("OK", r.sent, data.split(":")[0]),
                  data)


def test_parts_are_as_large_as_nats_server_allows():
    with Cluster("max_payload: 20000") as c:
        a, _, _, _ = _pair(c, "ECHO")
        c.sees(a, "ECHO")
        for size in (1000, 19900, 300000, 1000000):
            r = a.client()("calls", "ECHO", 2, 1, size, seconds=60)
            equal((r.ok, r.wrong), (2, 0), f"{size} bytes: {r}")


def test_offers_go_in_parts_where_nats_server_takes_small_messages():
    with Cluster("max_payload: 4096") as c:
        a, b = c.domain(1), c.domain(2)
        names = [f"S{i:03}" for i in range(140)]  # 4.5 KB of names
        b.server(1, "ECHO")
        many = b.server(5, *(f"{n}=ECHO" for n in names))
        # Few of them are offered here: the kernel allows so many queues.
        c.bridge(a, "-I", "2:ECHO,S000,S070,S139")
        c.bridge(b)
        c.sees(a, "ECHO", "S000", "S070", "S139")
        equal(a.call("S139", "x").data, "x")
        b.stop_server(many)
        c.lacks(a, "S000", "S070", "S139")
        b.server(5, *(f"{n}=ECHO" for n in names[:135]))
        c.sees(a, "S000", "S070")
        equal(c.offers(a), {"ECHO", "S000", "S070"})
        equal(c.link(a, 2).lost, 0)


def test_without_nats_local_calls_go_on_and_all_comes_back_by_itself():
    with Cluster() as c:
        a, b, _, _ = _pair(c, "ECHO")
        a.server(1, "UPPER")
        c.sees(a, "ECHO")
        c.nats.stop()
        _, ms = timed(wait_for, lambda: a.call("ECHO", "x").err == "TPENOENT",
                      "TPENOENT")
        soon(ms, 1000, "until TPENOENT")
        equal(a.call("UPPER", "x").data, "X")
        equal(b.call("ECHO", "y").data, "y")
        c.lacks(a, "ECHO")
        c.nats.start()
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")


def test_of_three_nats_servers_each_may_die():
    with Cluster() as c:
        routes = [free_port() for _ in range(3)]
        known = ", ".join(f"nats://127.0.0.1:{r}" for r in routes)
        servers = [Nats(f"cluster {{ name: {c.name}, listen: "
                        f"127.0.0.1:{r}, routes: [{known}] }}")
                   for r in routes]
        for s in servers:
            c.stack.callback(s.close)
        urls = ",".join(s.url for s in servers)
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(a, url=urls)
        c.bridge(b, url=urls)
        for s in servers:
            c.sees(a, "ECHO")
            wait_for(lambda: a.call("ECHO", "x").err == "OK", "a call")
            s.stop()
            wait_for(lambda: a.call("ECHO", "x").err == "OK"
                     or s is servers[-1], "another server", 30)
            if s is not servers[-1]:
                s.start()
        servers[-1].start()
        c.sees(a, "ECHO", seconds=30)


def test_a_bridge_starts_without_nats():
    with Cluster() as c:
        c.nats.stop()
        a, b, _, _ = _pair(c, "ECHO")
        holds(lambda: not c.offers(a), "nothing is offered", 0.3)
        c.nats.start()
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")


def test_a_killed_bridge_is_known_at_once_and_its_calls_are_told():
    with Cluster() as c:
        a, b, _, pb = _pair(c, "ECHO", "SLEEP")
        c.sees(a, "ECHO", "SLEEP")
        cl = a.client()
        cl.begin("call", "SLEEP", "-", "STRING:20000")
        wait_for(lambda: b.row("psc", service="SLEEP").status == "BUSY",
                 "under way")
        b.procs.pop(pb.pid)
        b.helpers.append(pb)
        kill(pb.pid)
        pb.wait()
        r, ms = timed(cl.end)
        equal(r.err, "TPESVCERR", r.text)
        soon(ms, 1500, "until the caller is told")
        c.lacks(a, "ECHO")
        kill(b.procs and next(iter(b.procs)))
        for p in list(b.procs.values()):
            p.wait()
        b.dirty = True


def test_the_callers_of_a_killed_bridge_of_their_own_are_told():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO", "SLEEP")
        c.bridge(b)
        a.boot({"name": "ndrxbridge", "srvid": BRIDGE,
                "appopt": " ".join(c.options())})
        c.sees(a, "ECHO", "SLEEP")
        cl = a.client()
        cl.begin("call", "SLEEP", "-", "STRING:3000")
        wait_for(lambda: b.row("psc", service="SLEEP").status == "BUSY",
                 "under way")
        kill(a.pid(BRIDGE))
        r, ms = timed(cl.end)
        equal(r.err, "TPESVCERR", r.text)
        soon(ms, 1000, "until the caller is told")
        c.sees(a, "ECHO")
        wait_for(lambda: a.call("ECHO", "x").err == "OK", "calls again")


def test_with_two_bridges_the_death_of_one_fails_no_later_call():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(b)
        first = c.bridge(a)
        c.bridge(a, srvid=BRIDGE + 1)
        wait_for(lambda: len([r for r in a.rows("psc")
                              if r.service == "ECHO"]) == 2, "both offer it")
        a.procs.pop(first.pid)
        kill(first.pid)
        first.wait()
        for _ in range(200):
            equal(a.call("ECHO", "x").err, "OK")
        a.dirty = True


def test_a_silent_node_is_gone_after_three_heartbeats_and_comes_back():
    with Cluster() as c:
        often = ("-b", "400ms")
        a, _, _, pb = _pair(c, "ECHO", more_a=often, more_b=often)
        c.sees(a, "ECHO")
        kill(pb.pid, 19)  # SIGSTOP
        c.lacks(a, "ECHO")
        kill(pb.pid, 18)
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")


def test_a_slow_node_does_not_hold_up_calls_to_others():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.server(1, "SLEEP")
        e.server(1, "ECHO")
        for d in (a, b, e):
            c.bridge(d)
        c.sees(a, "SLEEP", "ECHO")
        slow = a.client()
        for _ in range(20):
            equal(slow("acall", "SLEEP", "-", "STRING:100").err, "OK")
        for _ in range(50):
            equal(a.call("ECHO", "x").err, "OK")


def test_garbage_is_counted_and_dropped():
    with Cluster() as c:
        beat = "-b", "1s"  # a busy machine is no silent node
        a, _, _, _ = _pair(c, "ECHO", more_a=beat, more_b=beat)
        c.sees(a, "ECHO")
        root = f"ow.{c.name}"
        for n in (0, 1, 55, 56, 64, 200, 5000):
            c.nats.say(f"{root}.2.1.{BRIDGE}", os.urandom(n))
            c.nats.say(f"{root}.7.all", os.urandom(n))
        wait_for(lambda: (a.row("pnet", node=2) or {}).get("garbage", 0) >= 14,
                 "counted")
        equal(a.call("ECHO", "x").data, "x")


@covers("cluster", "xadmin testcfg")
def test_an_entry_of_tpbridge_with_a_tcp_link_joins_the_cluster():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(b)
        a.configure({"name": "tpbridge", "srvid": BRIDGE,
                     "appopt": "-n 2 -r -i 127.0.0.1 -p 5555 -t A -z 30"},
                    sections=c.section(1))
        contains(a.xadmin("testcfg").stdout, "a TCP link: no effect")
        a.boot()
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")


def test_tpbridge_is_another_name_of_the_bridge():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(b)
        a.boot({"name": "tpbridge", "srvid": BRIDGE,
                "appopt": " ".join(c.options())})
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")
