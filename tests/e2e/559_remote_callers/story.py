# SPDX-License-Identifier: Apache-2.0
"""Each node decides what others may call here, who may, and what they may
offer."""
from checks import contains, equal
from cluster import BRIDGE, Cluster
from covers import covers
from fixture import holds, kill, only_on, wait_for
from peer import REQUEST, REQUESTS, Peer

MAINLY = "shm"
SERVED = {"srvid": 1, "appopt": "ECHO PAY=ECHO OPEN=ECHO SHUT=ECHO HERE=ECHO"}
LISTS = ('<services><service svcnm="PAY" acl="node:1"/>'
         '<service svcnm="OPEN" acl="any"/><service svcnm="SHUT" acl="none"/>'
         '<service svcnm="HERE" acl="user:root login:anna"/></services>')


def _err(d, service):
    r = d.call(service, "x")
    if r.err == "OK":
        equal(r.data, "x")
    return r.err


def _join(c, d):
    c.bridge(d)
    return d


def _bridge(d):
    """The bridge as a server of ndrxd, and its log."""
    return {"name": "ndrxbridge", "srvid": BRIDGE,
            "sysopt": f"-e {d.logs}/bridge.log"}


@covers("acl")
def test_a_list_names_the_nodes_that_may_call():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.boot(SERVED, _bridge(b), sections=LISTS + c.section(2))
        for d in (a, e):
            _join(c, d)
            c.sees(d, "ECHO", "PAY", "OPEN", "SHUT", "HERE")
        for d, pay in ((a, "OK"), (e, "TPEPERM")):
            equal({s: _err(d, s) for s in
                   ("ECHO", "PAY", "OPEN", "SHUT", "HERE")},
                  {"ECHO": "OK", "PAY": pay, "OPEN": "OK", "SHUT": "TPEPERM",
                   "HERE": "TPEPERM"})
        with open(f"{b.logs}/bridge.log", encoding="utf-8") as f:
            contains(f.read(), " is refused: not in its acl")
        row = [r for r in b.rows("acl") if r.name == "PAY"][0]
        equal((row.kind, row.who), ("call", "node:1"))
        equal(_err(b, "PAY"), "TPEPERM", "a program of node 2")


def test_a_reload_of_a_list_counts_for_the_next_remote_request():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.boot(SERVED, _bridge(b), sections=c.section(2))
        _join(c, a)
        c.sees(a, "PAY")
        equal(_err(a, "PAY"), "OK")
        for acl, err in (("node:3", "TPEPERM"), ("node:3 node:1", "OK"),
                         ("node:2", "TPEPERM"), ("any", "OK")):
            b.configure(SERVED, _bridge(b), sections=c.section(2) +
                        f'<services><service svcnm="PAY" acl="{acl}"/>'
                        "</services>")
            b.xadmin("reload", "-y")
            equal(_err(a, "PAY"), err, acl)


def _set(d, *names):
    for name in names:
        r = d.run("xadmin", "passwd", "-f", f"{d.home}/passwords", name,
                  text=f"pw-{name}\n")
        equal(r.returncode, 0, r.stderr)
    return f'<security auth="SYS" passwords="{d.home}/passwords"/>'


def _logged_in(d, name):
    cl = d.client()
    equal(cl("login", name, f"pw-{name}").err, "OK")
    return cl


def test_the_login_of_a_caller_counts_together_with_its_node():
    with Cluster() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.boot(SERVED, _bridge(b), sections=c.section(2) +
               '<services><service svcnm="PAY" acl="node:1/anna login:bob"/>'
               "</services>")
        for d, n in ((a, 1), (e, 3)):
            d.boot(_bridge(d), sections=c.section(n) + _set(d, "anna", "bob"))
            wait_for(lambda d=d: any(r.service == "PAY"
                                     for r in d.rows("psc")), "PAY", 15)
        anna, bob, other = (_logged_in(a, "anna"), _logged_in(a, "bob"),
                            _logged_in(e, "anna"))
        # Until the heartbeat of node 2 has said that it wants to know callers.
        wait_for(lambda: anna.call("PAY", "x").err == "OK", "anna of node 1")
        for _ in range(3):
            equal(anna.call("PAY", "x").data, "x")
            equal(bob.call("PAY", "x").err, "TPEPERM", "bob of another node")
            equal(other.call("PAY", "x").err, "TPEPERM", "anna of node 3")
            equal(bob.call("ECHO", "x").data, "x", "without a list")
        for client, err in ((anna, "OK"), (bob, "TPEPERM")):
            r = client("call", "PAY", "-", "STRING:#400000")
            equal(r.err, err, "in parts")


@covers("security")
def test_where_all_must_log_in_remote_callers_must_too():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.boot(SERVED, _bridge(b), sections=c.section(2) + _set(b, "anna") +
               '<services><service svcnm="PAY" acl="node:1"/></services>')
        _join(c, a)
        c.sees(a, "ECHO", "PAY")
        equal(_err(a, "ECHO"), "TPEPERM", "has not logged in")
        equal(_err(a, "PAY"), "OK", "its node is on the list")


# ---- what is offered ----

def _call(peer, ident, service):
    """The tperr of its reply."""
    peer.send(REQUESTS, REQUEST, b"x\0", ident=ident, buftype=4,
              number=10 ** 10, svc=service.encode())
    _, of, tperr, _ = next(peer.hears())
    equal(of, ident, "the reply of this call")
    return tperr


def test_a_node_cannot_call_what_is_not_offered_to_it():
    with Cluster() as c:
        b = c.domain(2)
        b.server(1, "ECHO", "PRIVATE=ECHO")
        b.server(2, "HIDDEN=ECHO")
        c.bridge(b, "-x", "PRIVATE,HIDDEN")
        by_hand = Peer(c)
        equal(_call(by_hand, 1, "ECHO"), 0)
        for n, name in enumerate(("PRIVATE", "HIDDEN", ".TMIB", "@X", "NONE")):
            equal(_call(by_hand, 2 + n, name), 6, f"{name}: TPENOENT")
        equal(_call(by_hand, 9, "ECHO"), 0)
        equal(b.row("psc", service="PRIVATE").succeeded, 0)
        by_hand.close()


def _seen(d):
    return Cluster.offers(d)


@covers("importsvcs")
def test_a_node_offers_here_what_it_may():
    with Cluster() as c:
        a, b, e, f = (c.domain(n) for n in (1, 2, 3, 4))
        a.boot(_bridge(a), sections=c.section(
            1, importsvcs="2:ECHO,OTHER;*:UPPER;4:"))
        for d, names in ((b, ("ECHO", "PID")), (e, ("UPPER", "COUNT")),
                         (f, ("REVERSE=ECHO",))):
            d.server(1, *names)
            c.bridge(d)
        c.sees(a, "ECHO", "UPPER")
        holds(lambda: _seen(a) == {"ECHO", "UPPER"}, "no other one", 1)
        equal(a.call("ECHO", "x").data, "x")
        equal(a.call("PID").err, "TPENOENT")
        b.server(2, "OTHER=ECHO", "MORE=ECHO")  # as news
        c.sees(a, "OTHER")
        holds(lambda: _seen(a) == {"ECHO", "UPPER", "OTHER"}, "no MORE", 0.5)
        c.sees(b, "UPPER", "COUNT", "REVERSE")


@covers("importsvcs", "xadmin testcfg")
def test_wrong_lists_of_imports_are_named():
    with Cluster() as c:
        a = c.domain(1)
        for text in ("x:ECHO", "0:ECHO", "256:ECHO", "2", "2;3:ECHO"):
            a.configure(_bridge(a), sections=c.section(1, importsvcs=text))
            r = a.xadmin("testcfg", ok=False)
            equal(r.returncode, 1, text)
            contains(r.stdout + r.stderr, "importsvcs")


# ---- many services ----

def _offered_by(d, srvid):
    return {r.service for r in d.rows("psc")
            if r.srvid == srvid and r.program == "ndrxbridge" and
            not r.service.startswith("@")}


def test_two_bridges_offer_more_services_than_one_can():
    only_on("shm", "the kernel allows 256 queues")
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        names = [f"N{i:03}" for i in range(300)]
        b.server(1, *(f"{n}=ECHO" for n in names[:150]))
        b.server(2, *(f"{n}=ECHO" for n in names[150:]))
        c.bridge(b)
        two = {"min": 2, "max": 2, "start_max": 30}
        a.boot({**_bridge(a), **two}, sections=c.section(1))
        wait_for(lambda: _seen(a) == set(names), "all", 30)
        wait_for(lambda: all(len(_offered_by(a, BRIDGE + i)) == 150
                             for i in (0, 1)), "half of them each", 30)
        for n in names[::37]:
            equal(a.call(n, "x").data, "x")
        second = a.pid(BRIDGE + 1)
        kill(second)
        wait_for(lambda: a.pid(BRIDGE + 1) not in (0, second)
                 and _seen(a) == set(names), "all, from another process", 30)
        for n in names[::37]:
            equal(a.call(n, "x").data, "x")
        a.xadmin("stop", "-i", str(BRIDGE + 1), "-y")
        wait_for(lambda: len(_offered_by(a, BRIDGE)) == 300
                 and _seen(a) == set(names), "all, from one", 30)
        for n in names[::37]:
            equal(a.call(n, "x").data, "x")
