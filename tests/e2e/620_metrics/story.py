# SPDX-License-Identifier: Apache-2.0
"""ndrxmetrics: metrics of a domain in OpenMetrics format."""
import http.client
import os
import pathlib
import re
import socket
import time

from checks import (at_least, at_most, between, check, contains, ended, equal,
                    one_of, promptly)
from fixture import Domain, kill, wait_for
from machine import SLOW, switches
from openmetrics import parse, value

MAINLY = "shm"
COST = 17

ROOT = pathlib.Path(__file__).resolve().parents[3]
TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=10)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(10)
        self.sock.connect(self.path)


def ask(conn, method="GET", url="/metrics", body=None):
    conn.request(method, url, body)
    r = conn.getresponse()
    return r.status, r.headers, r.read().decode()


def sock(d):
    return f"{d.home}/run/metrics.sock"


def fetch(d):
    """The metrics, read from the Unix socket."""
    conn = UnixConnection(sock(d))
    status, headers, text = ask(conn)
    conn.close()
    equal((status, headers["Content-Type"]), (200, TYPE))
    return parse(text)


def watch(d, *opts):
    """Start ndrxmetrics and wait for it."""
    os.makedirs(f"{d.home}/run", exist_ok=True)
    p = d.daemon("ndrxmetrics", *opts)
    # The socket has its name a moment before it takes connections.
    wait_for(lambda: answers(d), "it answers", 5)
    return p


def service(figures, name, svc, **labels):
    return value(figures, name, service=svc, **labels)


def test_calls_are_counted_by_service_and_server():
    with Domain() as d:
        d.server(1, "ECHO")
        d.server(2, "ECHO", "FAIL")
        watch(d)
        for i in range(20):
            equal(d.call("ECHO", str(i)).err, "OK")
        equal(d.call("FAIL", "x").err, "TPESVCFAIL")
        wait_for(lambda: service(fetch(d), "onewake_service_calls", "ECHO",
                                 result="ok") == 20 and
                 service(fetch(d), "onewake_service_calls", "FAIL",
                         result="fail") == 1, "twenty-one")
        f = fetch(d)
        equal(service(f, "onewake_service_servers", "ECHO"), 2)
        equal(value(f, "onewake_service_time_seconds", "_count",
                    service="ECHO"), 20)
        equal(value(f, "onewake_service_wait_seconds", "_count",
                    service="ECHO"), 20)
        equal(sum(value(f, "onewake_server_calls", srvid=str(i),
                        program="testsv", result="ok") for i in (1, 2)), 20)
        equal(value(f, "onewake_server_up", srvid="1", program="testsv"), 1)
        equal(value(f, "onewake_client_calls"), 21)
        equal(value(f, "onewake_client_contexts"), 1)
        equal((value(f, "onewake_up"), value(f, "onewake_ndrxd_up")), (1, 0))


def test_a_latency_is_counted_in_its_bucket():
    with Domain() as d:
        d.server(1, "SLEEP")
        watch(d)
        equal(d.call("SLEEP", "100").err, "OK")
        f = fetch(d)
        buckets = {float(dict(labels)["le"]): v for (suffix, labels), v in
                   f["onewake_service_time_seconds"].samples.items()
                   if suffix == "_bucket"}
        equal([v for le, v in buckets.items() if le < 0.1],
              [0] * sum(le < 0.1 for le in buckets))
        equal(buckets[float("inf")], 1)
        seconds = value(f, "onewake_service_time_seconds", "_sum",
                        service="SLEEP")
        between(seconds, 0.09, 5)


def test_queue_depth_age_and_busy_servers_are_shown():
    with Domain() as d:
        d.server(1, "SLEEP")
        watch(d)
        clients = [d.client() for _ in range(4)]
        # The requests behind the first one end at once.
        clients[0].begin("call", "SLEEP", "-", "STRING:6000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the first")
        for c in clients[1:]:
            c.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: service(fetch(d), "onewake_service_queue_depth",
                                 "SLEEP") == 3, "three waiting")
        wait_for(lambda: service(fetch(d), "onewake_service_busy_servers",
                                 "SLEEP") == 1, "one at work")
        f = fetch(d)
        equal(value(f, "onewake_client_outstanding"), 4)
        wait_for(lambda: value(fetch(d), "onewake_server_request_age_seconds",
                               srvid="1", program="testsv") > 0.5, "age")
        wait_for(lambda: service(
            fetch(d), "onewake_service_oldest_request_seconds",
            "SLEEP") > 1, "the oldest")
        for c in clients:
            equal(c.end().err, "OK")
        f = fetch(d)
        equal(service(f, "onewake_service_queue_depth", "SLEEP"), 0)
        equal(service(f, "onewake_service_oldest_request_seconds", "SLEEP"),
              0)


def test_counters_do_not_fall_when_a_server_dies():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO PID"})
        watch(d)

        def calls():
            return service(fetch(d), "onewake_service_calls", "PID",
                           result="ok")
        for i in range(30):
            d.call("PID")
        wait_for(lambda: calls() == 30, "thirty")
        killed = {0}
        for i in (1, 2, 3):
            killed.add(d.pid(i))
            kill(d.pid(i))
            at_least(calls(), 30)
        wait_for(lambda: not killed & {d.pid(i) for i in (1, 2, 3)},
                 "restarted", 15)
        for _ in range(30):
            equal(d.call("PID").err, "OK")
        equal(calls(), 60)
        restarts = [value(fetch(d), "onewake_server_restarts", srvid=str(i),
                          program="testsv") for i in (1, 2, 3)]
        at_least(sum(restarts), 1, restarts)


def test_findings_of_doctor_are_shown():
    with Domain() as d:
        d.server(1, "ECHO")
        text = d.run("ndrxmetrics", "-1").stdout
        f = parse(text)
        grades = {dict(labels)["what"]: v for (_, labels), v in
                  f["onewake_doctor_grade"].samples.items()}
        equal(grades["ndrxd"], 1)  # a warning: servers without a supervisor
        equal(grades["waiting requests"], 0)
        one_of(grades["RLIMIT_MSGQUEUE"], 0, 1, 2)


def test_ndrxmetrics_outlives_the_domain():
    with Domain() as d:
        watch(d)
        equal(value(fetch(d), "onewake_up"), 0)
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.call("ECHO", "x")
        f = fetch(d)
        equal((value(f, "onewake_up"), value(f, "onewake_ndrxd_up")), (1, 1))
        d.close_clients()
        d.xadmin("stop", "-y")
        equal(value(fetch(d), "onewake_up"), 0)
        d.xadmin("start", "-y")
        equal(service(fetch(d), "onewake_service_calls", "ECHO",
                      result="ok"), 0)
        d.xadmin("down", "-y")  # ndrxmetrics is an onlooker, and not killed
        equal(value(fetch(d), "onewake_up"), 0)
        d.xadmin("start", "-y")
        equal(value(fetch(d), "onewake_up"), 1)


def test_only_the_metrics_page_is_served():
    with Domain() as d:
        port = free_port()
        watch(d, "-p", port)
        equal(os.stat(sock(d)).st_mode & 0o777, 0o600)
        conn = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        status, headers, text = ask(conn)
        equal((status, headers["Content-Type"]), (200, TYPE))
        equal(value(parse(text), "onewake_up"), 0)
        equal(ask(conn, url="/")[0], 404)
        equal(ask(conn, url="/../etc/passwd")[0], 404)
        status, headers, text = ask(conn, "POST", body="x" * 100000)
        equal((status, headers["Allow"]), (405, "GET, HEAD"))
        status, _, text = ask(conn, "HEAD")
        equal((status, text), (200, ""))
        conn.close()
        raw = socket.create_connection(("127.0.0.1", port), 10)
        raw.sendall(b"rubbish\r\n\r\n")
        raw.settimeout(10)
        one_of(raw.recv(100)[:9], b"HTTP/1.1 ", b"HTTP/1.0 ", b"")
        raw.close()
        equal(value(fetch(d), "onewake_up"), 0)  # it goes on


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _free_port(family=socket.AF_INET, host="127.0.0.1"):
    with socket.socket(family) as s:
        s.bind((host, 0))
        return s.getsockname()[1]


def _get(host, port, seconds=10):
    conn = http.client.HTTPConnection(host, port, timeout=seconds)
    status, headers, _ = ask(conn)
    conn.close()
    equal(headers["Connection"], "close")
    return status


def test_the_port_is_of_the_address_that_is_given():
    with Domain() as d:
        d.server(1, "ECHO")
        port = _free_port(host="127.0.0.9")
        watch(d, "-p", f"127.0.0.9:{port}")
        equal(_get("127.0.0.9", port), 200)
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            raise AssertionError("it listens on 127.0.0.1, too")
        except ConnectionRefusedError:
            pass
        for wrong, says in (("x:9464", "give an address in numbers"),
                            (":9464", "give a port"), ("1.2.3.4:0", "a port"),
                            ("203.0.113.1:9464", "203.0.113.1:9464: ")):
            r = d.run("ndrxmetrics", "-n", "-p", wrong)
            check(r.returncode in (1, 2), r.returncode)
            contains(r.stderr, says)


def test_requests_that_never_end_keep_nobody_out():
    with Domain() as d:
        d.server(1, "ECHO")
        port = _free_port()
        watch(d, "-p", port)
        half = []
        for _ in range(200):
            s = socket.create_connection(("127.0.0.1", port), 5)
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost:")
            half.append(s)
        promptly([_timed(lambda: equal(_get("127.0.0.1", port), 200))
                  for _ in range(20)], 200, 1000, "next to half requests")
        for s in half:
            s.close()
        promptly([_timed(lambda: equal(_get("127.0.0.1", port), 200))
                  for _ in range(20)], 200, 1000, "after they were closed")
        # A byte at a time does not renew the time of a request.
        slow = socket.create_connection(("127.0.0.1", port), 20)
        slow.sendall(b"GET /metrics HTTP/1.1\r\nX:")
        begin = time.monotonic()
        wait_for(lambda: _cut_off(slow), "the slow one is cut off", 15)
        between(time.monotonic() - begin, 4, 8 * SLOW)
        equal(_get("127.0.0.1", port), 200)


def test_a_host_with_many_connections_does_not_cut_off_another():
    with Domain() as d:
        port = free_port()
        watch(d, "-p", port)
        first = socket.create_connection(("127.0.0.1", port), 5,
                                         ("127.0.0.3", 0))
        first.sendall(b"GET /metrics HTTP/1.1\r\n")
        crowd = [socket.create_connection(("127.0.0.1", port), 5,
                                          ("127.0.0.2", 0))
                 for _ in range(100)]
        wait_for(lambda: _cut_off(crowd[0]), "the crowd's oldest is cut off")
        first.sendall(b"Host: x\r\n\r\n")
        contains(first.recv(100).decode(), "200 OK")
        for s in [first, *crowd]:
            s.close()


def test_of_many_that_start_at_once_one_serves_the_socket():
    with Domain() as d:
        os.makedirs(f"{d.home}/run", exist_ok=True)
        for _ in range(20):
            some = [d.background("ndrxmetrics") for _ in range(6)]
            wait_for(lambda: sum(p.poll() is None for p in some) == 1,
                     "one is left")
            wait_for(lambda: answers(d), "it answers")
            for p in some:
                if p.poll() is None:
                    kill(p.pid)
                p.wait()


def _timed(what):
    begin = time.monotonic()
    what()
    return (time.monotonic() - begin) * 1000


def _cut_off(s):
    """Send a byte; has the other side closed the connection?"""
    try:
        s.sendall(b"x")
        s.settimeout(0.2)
        return s.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_a_socket_in_use_is_refused_and_a_stale_one_replaced():
    with Domain() as d:
        p = watch(d)
        r = d.run("ndrxmetrics")
        ended(r, 1, "another process serves this socket")
        kill(p.pid)
        p.wait()
        check(os.path.exists(sock(d)), "the socket is left over")
        p = d.daemon("ndrxmetrics")
        wait_for(lambda: answers(d), "a new one", 5)
        p.terminate()
        equal(p.wait(10), 0)
        check(not os.path.exists(sock(d)), "the socket is removed")


def answers(d):
    try:
        return value(fetch(d), "onewake_up") is not None
    except (OSError, http.client.HTTPException):
        return False


def test_wrong_options_are_refused():
    with Domain() as d:
        for words, what in ((("-p", "0"), "1 to 65535"),
                            (("-p", "x"), "1 to 65535"),
                            (("-s", "/" + "x" * 200), "107 characters"),
                            (("-s", "/nonexistent/m.sock"), "No such file")):
            r = d.run("ndrxmetrics", *words)
            one_of(r.returncode, 1, 2)
            contains(r.stderr, what)
        r = d.run("ndrxmetrics", env={"NDRX_APPHOME": ""})
        ended(r, 2, "NDRX_APPHOME")


def test_ndrxmetricssv_runs_under_ndrxd():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               {"name": "ndrxmetricssv", "srvid": 900})
        equal(d.call("ECHO", "x").err, "OK")
        equal(service(fetch(d), "onewake_service_calls", "ECHO",
                      result="ok"), 1)
        kill(d.pid(900))
        wait_for(lambda: answers(d), "it is back", 15)


def test_reading_metrics_wakes_no_server():
    with Domain() as d:
        servers = [d.server(i, "ECHO") for i in range(1, 4)]
        watch(d)
        before = [switches(p.pid) for p in servers]
        for _ in range(200):
            fetch(d)
        after = [switches(p.pid) for p in servers]
        # Servers wake up by their own timers only, once a second.
        at_most(sum(after) - sum(before), 60, "wake-ups of servers")


def test_actions_of_ndrxd_are_counted():
    def events(d, kind):
        return value(fetch(d), "onewake_ndrxd_events", kind=kind)

    with Domain() as d:
        watch(d)
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"},
               {"srvid": 10, "appopt": "PID", "respawn": "N"})
        equal((events(d, "start"), events(d, "ready")), (4, 4))
        kill(d.pid(1))
        kill(d.pid(10))
        wait_for(lambda: (events(d, "died"), events(d, "gave up"),
                          events(d, "start")) == (2, 1, 5), "counted", 10)
        d.kill_ndrxd()
        d.xadmin("idle")
        wait_for(lambda: events(d, "adopt") == 3, "three are adopted")
        equal(events(d, "died"), 2)


def test_a_stopped_server_is_not_wanted():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 3, "appopt": "ECHO"},
               {"srvid": 10, "appopt": "PID", "respawn": "N"})
        watch(d)
        kill(d.pid(10))
        d.xadmin("stop", "-i", 1)
        for srvid, up, wanted in ((1, 0, 0), (2, 1, 1), (10, 0, 1)):
            wait_for(lambda i=srvid, u=up, w=wanted:
                     [value(fetch(d), f"onewake_server_{name}", srvid=str(i),
                            program="testsv") for name in ("up", "wanted")]
                     == [u, w], f"{srvid}: {up} {wanted}", 10)


def test_dashboard_and_alerts_use_existing_metrics():
    with Domain() as d:
        d.server(1, "ECHO")
        names, labels = set(), set()
        for f in parse(d.run("ndrxmetrics", "-1").stdout).values():
            labels |= {k for _, ls in f.samples for k, _ in ls}
            suffixes = {"counter": ["_total"], "info": ["_info"],
                        "histogram": ["", "_bucket", "_count", "_sum"]}
            names |= {f.name + s for s in suffixes.get(f.type, [""])}
    for path in ("conf/grafana/onewake.json",
                 "conf/prometheus/onewake.rules.yml", "doc/metrics.md"):
        text = (ROOT / path).read_text()
        used = set(re.findall(r"\bonewake_[a-z_]+[a-z]\b", text))
        equal(used - names, set(), path)
        at_least(len(used), 11, path)
    rules = (ROOT / "conf/prometheus/onewake.rules.yml").read_text()
    guide = (ROOT / "doc/operating.md").read_text()
    alerts = set(re.findall(r"alert: (\w+)", rules))
    equal(alerts - set(re.findall(r"\bOnewake\w+", guide)), set(),
          "the guide says what to do about each")
    # Names in braces are labels.
    board = (ROOT / "conf/grafana/onewake.json").read_text()
    equal(set(re.findall(r"[{,](\w+)(?:=~|=)", rules + board)) -
          {"job", "instance", *labels}, set(), "labels")
