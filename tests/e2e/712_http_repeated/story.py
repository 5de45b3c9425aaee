# SPDX-License-Identifier: Apache-2.0
"""A request that comes again with its Idempotency-Key, and what its caller is told of the work.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import gzip
import os
import signal

from checks import contains, ended, equal, lacks
from covers import covers
from fixture import Domain, kill, wait_for
from httpgate import GateDomain, gate

COST = 8
MAINLY = "shm"

SERVER = {"srvid": 1, "appopt": "ECHO COUNT"}
OTHERS = {"srvid": 2, "appopt": "SLEEP SOFTERR FAIL UPPER"}
KEPT = 'conv="text" idempotency="600"'
ROUTES = f"""
<route path="/after" svc="ECHO" foutman="NONE" {KEPT}/>
<route path="/afterhttp" svc="ECHO" foutman="NONE" errors="http" {KEPT}/>
<route path="/before" svc="NONE" finman="ECHO" {KEPT}/>
<route path="/second" svc="ECHO" finman="UPPER FAIL" {KEPT}/>
<route path="/late" svc="SLEEP" timeout="0.2" status="13:503" {KEPT}/>
<route path="/soft" svc="SOFTERR" {KEPT}/>
<route path="/fails" svc="FAIL" status="11:503" {KEPT}/>
<route path="/none" svc="NONE" {KEPT}/>
<route path="/nonehttp" svc="NONE" errors="http" status="6:410" {KEPT}/>
<route path="/echo" svc="ECHO" timeout_max="10" {KEPT}/>
<route path="/json" svc="ECHO" conv="json" idempotency="600"/>
<route path="/field" svc="ECHO" fields="header.X-Tenant=F_NAME" idempotency="600"/>
"""


def _ask(d, path, body="x", key="k", **headers):
    a = d.ask("POST", path, body, {"Idempotency-Key": key, **headers})
    return a.status, a.headers.get("Onewake-Work"), a.headers.get("Idempotency-Replayed") == "true"


def _counted(d):
    return d.call("COUNT").urcode


@covers("idempotency", "status", "foutman", "finman")
def test_a_key_is_kept_by_what_became_of_the_work_and_not_by_the_status():
    with gate(ROUTES, SERVER, OTHERS) as d:
        for path, body, status, work in (
                ("/after", "x", 502, "done"), ("/afterhttp", "x", 404, "done"), ("/before", "x", 502, "in part"),
                ("/second", "x", 422, "in part"),
                ("/late", "1000", 503, "unknown"), ("/fails", "x", 503, "failed"),
                ("/soft", "6", 502, "unknown"), ("/soft", "4", 502, "unknown"), ("/soft", "18", 502, "unknown"),
                ("/soft", str(-2**63), 502, "unknown")):
            key = path + body
            equal(_ask(d, path, body, key), (status, work, False), path)
            equal(_ask(d, path, body, key), (status, work, True), path)
        equal(_counted(d), 3, "three routes came to ECHO, once each")
        for path, status in (("/none", 503), ("/nonehttp", 410)):
            for _ in range(2):
                equal(_ask(d, path, key=path), (status, "not done", False), path)


def test_what_the_gate_itself_refused_may_be_sent_again_with_its_key():
    with gate(ROUTES, SERVER, OTHERS) as d:
        equal(_ask(d, "/echo", **{"Request-Timeout": "soon"}), (400, "not done", False))
        equal(_ask(d, "/echo"), (200, None, False))
        equal(_ask(d, "/echo"), (200, None, True))
        equal(_ask(d, "/json", "{"), (400, "not done", False))
        equal(_ask(d, "/json", "{"), (400, "not done", False))
        equal(_ask(d, "/echo", key=""), (400, "not done", False), "a key without a character is none")
        equal(_counted(d), 1)


@covers("async")
def test_a_call_that_tmqueue_may_have_stored_is_unknown():
    route = '<route path="/pay" svc="TALLY" async="Y" conv="text"/>'
    d = GateDomain(route, sections='<services><service svcnm="TALLY" durable="Y"/></services>', env={"NDRX_TOUT": "1"})
    conf = os.path.join(d.home, "q.conf")
    d.env["TALLY"] = os.path.join(d.home, "tally")
    with open(conf, "w", encoding="utf-8") as f:
        f.write(">,waitretry=100ms\n")
    d.servers = ({"name": "tmqueue", "srvid": 80, "pingtime": 0, "appopt": f"-m S -q {conf}"},
                 {"srvid": 1, "appopt": "TALLY"}, *d.servers)
    d.write(route)
    with d:
        equal(d.ask("POST", "/pay", "first").status, 202)
        kill(d.pid(80), signal.SIGSTOP)
        try:
            a = d.ask("POST", "/pay", "second")  # TPETIME: it hangs, perhaps at its disk
        finally:
            kill(d.pid(80), signal.SIGCONT)
        equal((a.status, a.headers.get("Onewake-Work")), (504, "unknown"))


@covers("fields")
def test_a_header_that_goes_to_a_field_tells_requests_apart():
    with gate(ROUTES, SERVER, OTHERS) as d:
        for tenant, want in (("1", (200, None, False)), ("1", (200, None, True)), ("2", (422, "not done", False))):
            equal(_ask(d, "/field", "{}", **{"X-Tenant": tenant, "User-Agent": str(want)}), want)
        equal(_counted(d), 1)


@covers("idempotency")
def test_what_is_told_of_a_key_is_counted():
    with gate(ROUTES, SERVER, OTHERS) as d:
        for body, want in (("x", (200, None, False)), ("y", (422, "not done", False)), ("x", (200, None, True))):
            equal(_ask(d, "/echo", body), want)
        wait_for(lambda: d.row("http", path="/echo").calls == 3, "three requests")
        r = d.row("http", path="/echo")
        equal((r.refused, r.not_done, r.unknown), (1, 1, 0))


@covers("async")
def test_a_kept_answer_without_a_body_has_no_type():
    with gate('<route path="/one" svc="ECHO" async="Y" conv="text" idempotency="60"/>', SERVER) as d:
        for again in (False, True):
            a = d.ask("POST", "/one", "x", {"Idempotency-Key": "k"})
            equal((a.status, a.body, a.headers.get("Content-Type"), "Idempotency-Replayed" in a.headers),
                  (202, b"", None, again))


@covers("gzip")
def test_a_kept_answer_is_compressed_for_who_takes_that():
    with gate(ROUTES, SERVER, OTHERS, http='gzip="Y"') as d:
        body = "abc" * 1000
        for accept in ("gzip", "identity", "gzip"):
            a = d.ask("POST", "/echo", body, {"Idempotency-Key": "k", "Accept-Encoding": accept})
            equal((a.status, a.headers.get("Content-Encoding")), (200, "gzip" if accept == "gzip" else None))
            equal((gzip.decompress(a.body) if accept == "gzip" else a.body).decode(), body)
        equal(_counted(d), 1)


@covers("idempotency", "events", "staticdir", "queue")
def test_what_has_no_answer_that_can_be_kept_has_no_keys():
    for target, fine in (('events="A.*"', False), ('method="GET" queue="S/Q"', False), ('staticdir="/tmp"', False),
                         ('method="POST" queue="S/Q"', True), ('svc="ECHO"', True)):
        for keep in ("600", "0"):
            with Domain() as d:
                d.configure(SERVER, sections=f'<http port="1"><route path="/a" {target} idempotency="{keep}"/></http>')
                r = d.run("xadmin", "testcfg")
                if fine or keep == "0":
                    ended(r, 0)
                    lacks(r.stderr, "idempotency")
                else:
                    ended(r, 1)
                    contains(r.stdout + r.stderr, "idempotency")
