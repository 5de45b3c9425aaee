# SPDX-License-Identifier: Apache-2.0
"""What operators see of HTTP: routes with their figures, metrics, findings.

Without a toolchain for Go, 1.22 or newer, the story is skipped.
"""
import os
import signal
import threading
import time

from certificates import authority, certificate
from checks import between, contains, equal, lacks
from covers import covers
from fixture import kill, wait_for
from httpgate import BANK, GATE, RestinclDomain, gate
from openmetrics import parse, value

COST = 26
MAINLY = "shm"

SERVERS = {"srvid": 1, "appopt": "ECHO SLEEP FAIL"}
ROUTES = ('<route path="/echo" svc="ECHO" conv="text"/>'
          '<route path="/sleep" svc="SLEEP" conv="text" timeout="20"/>'
          '<route path="/fail" svc="FAIL" conv="text"/>'
          '<route path="/none" svc="NONE" conv="text"/>'
          '<route method="GET" path="/talk" conversation="NOCONV" conv="text"/>'
          '<route method="GET" path="/in" staticdir="${NDRX_APPHOME}"/>')


def _route(d, path):
    return d.row("http", srvid=GATE, path=path)


def _calls(d, path, n):
    return wait_for(lambda: (lambda r: r if r and r.calls == n else None)(_route(d, path)), f"{n} calls of {path}")


@covers("xadmin http")
def test_each_route_has_its_figures():
    with gate(ROUTES, SERVERS, http='header_max="16K"') as d:
        for _ in range(5):
            equal(d.post("/echo", "x").status, 200)
        equal(d.post("/sleep", "300").status, 200)
        equal(d.post("/fail", "x").status, 422)
        equal(d.post("/none", "x").status, 503)
        equal(d.get("/nowhere").status, 404)
        r = _calls(d, "/echo", 5)
        equal((r.method, r.kind, r.target, r.state, r.in_flight), ("POST", "service", "ECHO", "up", 0))
        equal((r.refused, r.broken, r.shed, r.not_done, r.unknown), (0, 0, 0, 0, 0))
        between(r.calls_per_1000s, 1, 5000)
        equal(r.age_ms < 5000 and r.address.endswith(str(d.port)), True)
        r = _calls(d, "/sleep", 1)
        between(r.p99_us, 300_000, 3_000_000)
        r = _calls(d, "/fail", 1)
        equal((r.refused, r.not_done, r.unknown), (1, 0, 0))
        r = _calls(d, "/none", 1)
        equal((r.broken, r.shed, r.not_done, r.unknown), (0, 1, 1, 0))
        r = _calls(d, "-", 1)
        equal((r.kind, r.refused), ("none", 1))
        text = d.xadmin("http").stdout
        contains(text, "(no route)")
        contains(text, "ECHO")


def test_ndrxtop_shows_them():
    with gate(ROUTES, SERVERS) as d:
        equal(d.post("/echo", "x").status, 200)
        _calls(d, "/echo", 1)
        text = d.run("ndrxtop", "-b", "-n", "1", "-s", "http").stdout
        row, = [line.split() for line in text.split("\n") if "/echo" in line]
        equal((row[:3], row[-1]), (["POST", "/echo", "ECHO"], "up"))
        contains(text, "(no route)")


def test_routes_of_restincl_are_listed_too():
    with RestinclDomain({"/echo": {"svc": "ECHO", "conv": "text"}, "/p/.*": {"svc": "ECHO", "conv": "text", "format": "regexp"}},
                        SERVERS) as d:
        equal(d.post("/echo", "x").status, 200)
        equal(d.post("/p/1", "x").status, 200)
        r = _calls(d, "/echo", 1)
        equal((r.method, r.target, r.state), ("any", "ECHO", "up"))
        _calls(d, "/p/.*", 1)


def test_what_nobody_knows_is_counted_as_that():
    with gate(ROUTES, SERVERS) as d:
        t = threading.Thread(target=d.post, args=("/sleep", "20000"))
        t.start()
        wait_for(lambda: _route(d, "/sleep").in_flight == 1, "it is in hand")
        kill(d.pid(1))
        t.join()
        r = _calls(d, "/sleep", 1)
        equal((r.broken, r.unknown, r.not_done, r.in_flight), (1, 1, 0, 0))


def _doctor(d):
    return d.xadmin("doctor", ok=False).stdout


def test_a_gate_that_hangs_is_told_from_one_that_is_up():
    with gate(ROUTES, SERVERS) as d:
        wait_for(lambda: d.row("http", path="/echo", state="up"), "its figures")
        os.kill(d.pid(GATE), signal.SIGSTOP)
        try:
            r = wait_for(lambda: d.row("http", path="/echo", state="old"), "they are old")
            equal(r.age_ms >= 5000, True)
            contains(_doctor(d), f"gate {GATE}: writes nothing")
        finally:
            os.kill(d.pid(GATE), signal.SIGCONT)
        wait_for(lambda: d.row("http", path="/echo", state="up"), "it goes on")


@covers("xadmin doctor")
def test_doctor_finds_routes_that_nobody_serves():
    with gate(ROUTES, SERVERS) as d:
        wait_for(lambda: _route(d, "/none"), "its figures")
        text = _doctor(d)
        contains(text, "NONE (POST /none")
        contains(text, "NOCONV (GET /talk")
        for served in ("ECHO (", "SLEEP (", "/in"):
            lacks([line for line in text.split("\n") if "routes of HTTP" in line][0], served)


def test_doctor_finds_a_certificate_that_ends_soon():
    for days, want in ((30, None), (13, "ends in 1"), (0, "has ended since 0.")):
        d = gate(ROUTES, SERVERS)
        authority(d.home, "ca")
        certificate(d.home, "ca", "gate", days=days)
        d.attributes = f'tls_cert_file="{d.home}/gate.pem" tls_key_file="{d.home}/gate.key"'
        d.write(ROUTES)
        with d:
            wait_for(lambda d=d: d.rows("http"), "its figures")
            if want is None:
                lacks(_doctor(d), "certificates of HTTP")
            else:
                contains(_doctor(d), f"certificates of HTTP: gate {GATE}: {want}")
                contains(d.run("ndrxtop", "-b", "-n", "1", "-w", "160").stdout,
                         f"! gate {GATE} for HTTP: its certificate {want.split(' since')[0]}")
            if want == "ends in 1":
                certificate(d.home, "ca", "gate", days=30)
                wait_for(lambda d=d: "certificates of HTTP" not in _doctor(d), "the new one is seen")


def test_doctor_finds_a_gate_that_nobody_runs():
    with gate(ROUTES, SERVERS, sections='<http name="other" port="1"/>') as d:
        wait_for(lambda: d.rows("http"), "its figures")
        contains(_doctor(d), 'gates for HTTP: <http name="other"> at port 1: nobody listens')
        equal(_doctor(d).count("nobody listens"), 1)
        d.xadmin("stop", "-y", "-i", GATE)
        equal(_doctor(d).count("nobody listens"), 2)


def test_a_reload_keeps_figures_and_lists_what_is_in_force():
    with gate(ROUTES, SERVERS) as d:
        equal(d.post("/echo", "x").status, 200)
        equal(d.post("/fail", "x").status, 422)
        _calls(d, "/fail", 1)
        d.write('<route path="/echo" svc="SLEEP" conv="text"/>')
        d.xadmin("reload")
        wait_for(lambda: _route(d, "/fail") is None, "it is taken away")
        r = _route(d, "/echo")
        equal((r.target, r.calls), ("SLEEP", 1))
        m = parse(d.run("ndrxmetrics", "-1").stdout)
        equal(value(m, "http_server_request_duration_seconds", "_count", srvid=str(GATE), http_route="/fail",
                    http_request_method="POST", http_response_status_code="422"), 1)


def test_a_killed_gate_is_said_and_a_stopped_one_leaves_nothing():
    with gate(ROUTES, SERVERS, gate={"respawn": "N"}) as d:
        wait_for(lambda: _route(d, "/echo"), "its figures")
        kill(d.pid(GATE))
        r = wait_for(lambda: d.row("http", path="/echo", state="dead"), "it is dead")
        equal(r.srvid, GATE)
        contains(d.xadmin("http").stdout, "dead")
        contains(_doctor(d), f"gate {GATE}: dead")
        d.xadmin("stop", "-y", "-i", GATE)
        lacks(_doctor(d), f"gate {GATE}: dead", "an operator has settled it")
        d.xadmin("start", "-y", "-i", GATE)
        wait_for(lambda: d.row("http", path="/echo", state="up"), "it is up")
        d.xadmin("stop", "-y", "-i", GATE)
        equal(d.rows("http"), [])
        equal(os.path.exists(os.path.join(d.home, "run", f"http.{GATE}")), False)


@covers("xadmin config")
def test_config_lists_gates_and_routes():
    with gate(ROUTES, SERVERS, http='name="g" header_max="8K"', gate={"appopt": "-n g"}) as d:
        listed = lambda: {(r.section, r.name): (r.value, r.pending) for r in d.rows("config", "-g")}  # noqa: E731
        at = listed()
        equal(at["http g", "header_max"], ("8K", ""))
        equal(at["http g route POST /echo", "svc"], ("ECHO", ""))
        equal(at["http g route GET /in", "staticdir"], (d.home, ""))
        contains(d.row("config", section="http g route POST /echo", name="conv").origin, "ndrxconfig.xml:")
        d.write('<route path="/echo" svc="SLEEP" conv="text"/><auth name="a" kind="basic" file="/x"/>')
        at = listed()
        equal(at["http g route POST /echo", "svc"], ("ECHO", "change"))
        equal(at["http g route POST /fail", "svc"], ("FAIL", "remove"))
        equal(at["http g auth a", "kind"], ("basic", "add"))


def _log(d):
    with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8", errors="replace") as f:
        return f.read()


def _fields(d, service, direction):
    return {r.field: (r.type, r.seen, r.least, r.most) for r in d.rows("schema", service)
            if r.direction == direction and r.field}


@covers("xadmin schema", "schema")
def test_fields_that_services_take_and_give_are_noted_without_values():
    routes = ('<route path="/balance/{id}" svc="BALANCE" fields="path.id=T_ACCNUM"/>'
              '<route path="/text" svc="ECHO" conv="text"/><route path="/json" svc="ECHO" conv="json"/>')
    with gate(routes, BANK, {"srvid": 1, "appopt": "ECHO"}, http='schema="Y" openapi="Y"') as d:
        equal(d.post("/balance/ACC00000000001", {"T_ACCCUR": ["EUR", "USD"]}).status, 200)
        equal(d.post("/text", "a-secret").status, 200)
        wait_for(lambda: "T_AMTAVL" in _fields(d, "BALANCE", "gives"), "it is noted")
        equal(_fields(d, "BALANCE", "takes"), {"T_ACCNUM": ("string", 1, 1, 1), "T_ACCCUR": ("string", 1, 2, 2)})
        equal(_fields(d, "BALANCE", "gives")["T_AMTAVL"], ("double", 1, 1, 1))
        equal({(r.direction, r.buffer, r.field) for r in d.rows("schema", "ECHO")},
              {("takes", "STRING", ""), ("gives", "STRING", "")})

        def again():
            equal(d.post("/json", {"a-secret": "a-secret"}).status, 200)
            return d.row("schema", service="ECHO", direction="takes", buffer="mixed")
        wait_for(again, "JSON is another type, without names")
        path = os.path.join(d.home, "run", f"schema.{GATE}")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for secret in ("a-secret", "ACC0000", "EUR"):
            lacks(text + d.xadmin("schema").stdout, secret)
        schemas = d.get("/openapi.json").json["components"]["schemas"]
        equal(set(schemas["Takes_BALANCE"]["properties"]), {"T_ACCNUM", "T_ACCCUR"})
        old = d.pid(GATE)
        kill(old)
        wait_for(lambda: d.pid(GATE) not in (0, old), "restarted")
        d.wait_listens()
        equal(d.post("/balance/ACC00000000002", {"T_ACCCUR": "EUR"}).status, 200)
        wait_for(lambda: _fields(d, "BALANCE", "takes")["T_ACCNUM"] == ("string", 2, 1, 1), "it goes on")
        d.attributes = ""
        d.write(routes + '<route method="GET" path="/files" staticdir="/nonexistent"/>')
        d.xadmin("reload")
        wait_for(lambda: "the one before is kept" in _log(d), "it is refused")
        equal((os.path.exists(path), "T_ACCNUM" in _fields(d, "BALANCE", "takes")), (True, True))
        d.write(routes)
        d.xadmin("reload")
        wait_for(lambda: not os.path.exists(path), "it is forgotten")
        equal(d.rows("schema"), [])


def test_nothing_is_noted_unless_an_operator_allows_it():
    with gate('<route path="/echo" svc="ECHO"/>', SERVERS) as d:
        equal(d.post("/echo", {"T_ACCNUM": "A"}).status, 200)
        _calls(d, "/echo", 1)
        equal(d.rows("schema"), [])


def test_metrics_have_the_names_of_opentelemetry():
    with gate(ROUTES, SERVERS) as d:
        for _ in range(3):
            equal(d.post("/echo", "x").status, 200)
        equal(d.get("/nowhere").status, 404)
        _calls(d, "/echo", 3)
        _calls(d, "-", 1)
        m = parse(d.run("ndrxmetrics", "-1").stdout)
        at = {"srvid": str(GATE), "http_route": "/echo", "http_request_method": "POST"}
        name = "http_server_request_duration_seconds"
        equal(value(m, name, "_count", http_response_status_code="200", **at), 3)
        equal(value(m, name, "_bucket", http_response_status_code="200", le="+Inf", **at), 3)
        equal(value(m, name, "_count", srvid=str(GATE), http_request_method="GET",
                    http_response_status_code="404"), 1)
        equal(value(m, "http_server_active_requests", **at), 0)
        equal(value(m, "onewake_http_gate_up", srvid=str(GATE)), 1)


def test_the_black_box_has_the_routes_of_then():
    box = {"name": "blackboxsv", "srvid": 95, "appopt": "-p 50 -m 2"}
    with gate(ROUTES, SERVERS, box) as d:
        def then(at="0s"):
            """Of the routes that were recorded: by path, the words behind it."""
            text = d.run("ndrxtop", "-b", "-a", "--at", at, "-s", "http", "-w", "200").stdout
            return {x[1]: x[2:] for x in map(str.split, text.splitlines()) if len(x) > 3 and x[0] in ("POST", "GET")}

        for _ in range(3):
            equal(d.post("/fail", "x").status, 422)
        wait_for(lambda: "/fail" in then() and then()["/fail"][5] == "3", "its 4XX, recorded", 20)
        at = time.strftime("%H:%M:%S", time.localtime(time.time() + 1))
        time.sleep(2.1)  # that second is over: it is asked for as a whole
        d.xadmin("stop", "-y")
        d.xadmin("down", "-y")
        routes = then(at)
        equal((routes["/fail"][0], routes["/fail"][5]), ("FAIL", "3"))
        equal((routes["/echo"][0], routes["/echo"][5]), ("ECHO", "0"))
