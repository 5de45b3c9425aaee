# SPDX-License-Identifier: Apache-2.0
"""What callers of HTTP cannot do: take the gate, its memory, or the places of others."""
import gzip
import json
import os
import socket
import subprocess
import sys
import threading
import time

from checks import at_most, contains, equal, soon
from covers import covers
from fixture import BUILD, wait_for
from httpgate import ROOT, gate

COST = 26
MAINLY = "shm"

SERVER = {"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO SLEEP"}
ECHO = '<route path="/echo" svc="ECHO" conv="json"/>'


def _raw(d, data, seconds=10):
    """All that the gate says to these bytes, until it closes."""
    with socket.create_connection(("127.0.0.1", d.port), seconds) as s:
        s.sendall(data)
        said = b""
        while part := s.recv(65536):
            said += part
        return said


def _closed(s, seconds):
    s.settimeout(seconds)
    try:
        while s.recv(65536):
            pass
        return True
    except ConnectionError:
        return True
    except TimeoutError:
        return False


@covers("body_max", "header_max")
def test_large_headers_and_bodies_are_refused():
    with gate(ECHO + '<route path="/big" svc="ECHO" conv="raw" body_max="3M"/>', SERVER,
              http='body_max="1000" header_max="2K"') as d:
        equal(d.post("/echo", [1] * 300).status, 200)
        equal(d.post("/echo", [1] * 600).status, 413)
        a = _raw(d, b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                 b"1000\r\n" + b" " * 4096 + b"\r\n" * 2)
        equal(a[:12], b"HTTP/1.1 413")
        equal(d.post("/big", b"x" * 2000000).status, 200)
        try:
            said = _raw(d, b"POST /echo HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 10000)[:12]
        except ConnectionError:  # the end comes before what it has said is read
            said = b"HTTP/1.1 431"
        equal(said, b"HTTP/1.1 431")


def test_a_large_request_changes_nothing_for_those_after_it():
    with gate('<route path="/ubf" svc="ECHO"/>', SERVER) as d:
        for size in (10, 3000, 10, 300000, 1, 40000, 100):
            a = d.post("/ubf", {"F_NAME": "x" * size})
            equal((a.status, a.json), (200, {"F_NAME": "x" * size}), size)


@covers("header_time", "body_time", "idle_time")
def test_slow_callers_are_left():
    with gate(ECHO, SERVER, http='header_time="300ms" body_time="300ms" idle_time="300ms"') as d:
        def begins(data):
            s = socket.create_connection(("127.0.0.1", d.port))
            s.sendall(data)
            return s
        head = b"POST /echo HTTP/1.1\r\nHost: a\r\n"
        slow = [begins(b"POST /echo HT"), begins(head), begins(head + b"Content-Length: 5\r\n\r\n[1")]
        drip = begins(head)
        for _ in range(8):  # a byte now and then is no excuse
            time.sleep(0.1)
            try:
                drip.sendall(b"X")
            except OSError:
                break
        # In less than the default of header_time, 5 s: it would do the same without it.
        end = time.monotonic() + 3
        equal([_closed(s, max(end - time.monotonic(), 0.01)) for s in [*slow, drip]], [True] * 4)
        c = d.connect()
        c.request("POST", "/echo", "[1]")
        c.getresponse().read()
        equal(_closed(c.sock, 5), True)
        equal(d.post("/echo", "[1]").status, 200)


@covers("json_depth", "json_keys", "json_digits")
def test_bombs_of_json_are_refused():
    with gate(ECHO + '<route path="/ubf" svc="ECHO"/>', SERVER,
              http='json_depth="10" json_keys="100" json_digits="20"') as d:
        equal(d.post("/echo", "[" * 10 + "]" * 10).status, 200)
        for bomb in ("[" * 11 + "]" * 11, "[" * 100000, json.dumps([0] * 101), "9" * 21,
                     '{"a":' * 50000, '{"F_NAME":"x"} {"F_NAME":"y"}', '"\\ud800'):
            for path in ("/echo", "/ubf"):
                equal(d.post(path, bomb).status, 400, bomb[:20])


def test_requests_cannot_be_smuggled():
    with gate(ECHO, SERVER) as d:
        for head in (b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                     b"Content-Length: 3\r\nContent-Length: 4\r\n",
                     b"Content-Length: +3\r\n", b"Transfer-Encoding: xchunked\r\n",
                     b"Transfer-Encoding: chunked, identity\r\n", b"Content-Length : 3\r\n",
                     b"X: a\rb\r\n", b"X: a\0b\r\n", b"Transfer-Encoding: \x0bchunked\r\n",
                     b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                     b"Content-Length: 3, 3\r\n", b"Transfer-Encoding: chunked\r\nTrailer: Content-Length\r\n"):
            said = _raw(d, b"POST /echo HTTP/1.1\r\nHost: a\r\n" + head +
                        b"Connection: close\r\n\r\n0\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            equal(said.count(b"HTTP/1.1 ") <= 1, True, head)
            equal(b"/second" in said or b" 404 " in said, False, head)
        chunked = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        equal(_raw(d, chunked + b"3\r\n[1]\r\n0\r\n\r\n")[:12], b"HTTP/1.1 200")
        # No chunks, and none of a length that is one: said at once, nothing is waited for.
        for body in (b"-3\r\n[1]\r\n0\r\n\r\n", b"f" * 17 + b"\r\n[1]", b"3\r\n[1]0\r\n\r\n"):
            said = _raw(d, chunked + body)
            equal((said[:12], b"not done" in said), (b"HTTP/1.1 400", True), body[:20])


@covers("connections", "connections_per_peer")
def test_connections_are_counted():
    for limits in ('connections_per_peer="5"', 'connections="5"'):
        with gate(ECHO, SERVER, http=limits) as d:
            held = []
            def served():
                c = d.connect(5)
                try:
                    c.request("POST", "/echo", "[1]")
                    ok = c.getresponse().read() == b"[1]"
                except (ConnectionError, OSError):
                    ok = False
                if ok:
                    held.append(c)
                return ok
            equal([served() for _ in range(8)], [True] * 5 + [False] * 3)
            held.pop().close()
            wait_for(served, "a place is free again")


@covers("concurrency", "queue_max")
def test_a_slow_service_fills_its_own_places():
    with gate(ECHO + '<route path="/slow" svc="SLEEP" conv="text" concurrency="2" queue_max="1" timeout="20"/>',
              SERVER) as d:
        said = []
        def slow():
            said.append(d.post("/slow", "700").status)
        threads = [threading.Thread(target=slow) for _ in range(6)]
        for t in threads:
            t.start()
        wait_for(lambda: said.count(503) == 3, "those that are too many are refused")
        equal(d.post("/echo", "[1]").status, 200)
        for t in threads:
            t.join()
        equal(sorted(said), [200] * 3 + [503] * 3)


def test_a_caller_with_a_short_deadline_does_not_wait_in_vain():
    with gate('<route path="/slow" svc="SLEEP" conv="text" concurrency="1" timeout="20"/>', SERVER) as d:
        equal(d.post("/slow", "1000").status, 200)  # so long it takes
        t = threading.Thread(target=d.post, args=("/slow", "1000"))
        t.start()
        time.sleep(0.1)
        from_ = time.monotonic()
        a = d.post("/slow", "1", {"Request-Timeout": "0.4"})
        equal((a.status, a.json["work"]), (503, "not done"))
        soon(time.monotonic() - from_, 0.3)
        t.join()


def test_a_request_does_not_join_a_queue_that_is_too_long_for_it():
    """Others fill the queue: the gate sees it by the figures of the domain."""
    with gate('<route path="/slow" svc="SLEEP" conv="text" timeout="1"/>'
              '<route path="/patient" svc="SLEEP" conv="text" timeout="60"/>',
              {"srvid": 1, "min": 1, "max": 1, "appopt": "SLEEP"}) as d:
        equal(d.post("/slow", "500").status, 200)  # so long it takes
        c = d.client()
        calls = [c("acall", "SLEEP", "TPNOTIME", "STRING:500").ret for _ in range(8)]
        from_ = time.monotonic()
        a = d.post("/slow", "1")
        equal((a.status, a.json["work"]), (503, "not done"))
        contains(a.json["detail"], "wait for SLEEP")
        equal(int(a.headers["Retry-After"]) >= 1, True)
        soon(time.monotonic() - from_, 0.6)
        equal(d.post("/patient", "1").status, 200, "who has the time waits")
        for cd in calls:
            equal(c("getrply", cd, "TPNOTIME").data, "500")


@covers("rate")
def test_more_requests_than_the_rate_are_refused():
    with gate('<route path="/echo" svc="ECHO" conv="json" rate="3"/>', SERVER) as d:
        said = [d.post("/echo", "[1]") for _ in range(12)]
        equal({a.status for a in said}, {200, 429})
        refused = [a for a in said if a.status == 429]
        equal(refused[0].headers["Retry-After"], "1")
        at_most(sum(a.status == 200 for a in said), 9)


def test_nothing_of_a_request_becomes_a_header():
    with gate(ECHO, SERVER, http='cors_origins="https://a"') as d:
        for trace in ("x\ty", "00-" + "0" * 32 + "-" + "1" * 16 + "-01", "00-zz"):
            a = d.post("/echo", "[1]", {"traceparent": trace})
            equal(len(a.headers["Trace-Id"]), 32)
            equal(trace in str(a.headers), False)
        a = d.post("/echo", "[1]", {"traceparent": "00-" + "ab" * 16 + "-" + "1" * 16 + "-01"})
        equal(a.headers["Trace-Id"], "ab" * 16)
        a = d.ask("OPTIONS", "/echo", None, {"Origin": "https://evil", "Access-Control-Request-Method": "POST"})
        equal(a.headers["Access-Control-Allow-Origin"], None)


@covers("cors_origins", "cors_max_age")
def test_pages_of_known_origins_may_call():
    with gate(ECHO, SERVER, http='cors_origins="https://a" cors_max_age="77"') as d:
        a = d.ask("OPTIONS", "/echo", None, {
            "Origin": "https://a", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type"})
        equal((a.status, a.headers["Access-Control-Allow-Origin"], a.headers["Access-Control-Max-Age"],
               a.headers["Access-Control-Allow-Headers"]), (204, "https://a", "77", "content-type"))
        a = d.post("/echo", "[1]", {"Origin": "https://a"})
        equal((a.status, a.headers["Access-Control-Allow-Origin"]), (200, "https://a"))


def test_pages_of_other_origins_make_no_calls():
    """A browser sends a form, or text, for any page, and with it the passwords that it knows."""
    theirs = {"Origin": "https://evil", "Content-Type": "text/plain"}
    with gate(ECHO + '<route method="GET" path="/get" svc="ECHO"/>', SERVER, http='cors_origins="https://a"') as d:
        for headers in (theirs, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                        {"Origin": "https://evil", "Sec-Fetch-Site": "same-site"}):
            a = d.post("/echo", "[1]", headers)
            equal((a.status, a.json["work"]), (403, "not done"), headers)
        for headers in ({}, {"Origin": "https://a", "Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "none"},
                        {"Origin": f"http://127.0.0.1:{d.port}"}, {"Origin": "https://proxied", "Sec-Fetch-Site": "same-origin"}):
            equal(d.post("/echo", "[1]", headers).status, 200, headers)
        equal(d.get("/get", theirs).status, 200)
    with gate(ECHO, SERVER, http='cors_origins="*"') as d:
        equal(d.post("/echo", "[1]", theirs).status, 200)


@covers("gzip")
def test_replies_are_compressed_for_those_who_take_that():
    with gate(ECHO, SERVER, http='gzip="Y"') as d:
        body = json.dumps(["abc"] * 1000)
        a = d.post("/echo", body, {"Accept-Encoding": "br, gzip;q=0.5"})
        equal(a.headers["Content-Encoding"], "gzip")
        equal(gzip.decompress(a.body), body.encode())
        equal(d.post("/echo", body, {"Accept-Encoding": "gzip;q=0"}).headers["Content-Encoding"], None)


def test_lists_of_services_hold_for_callers_whom_nobody_knows():
    with gate(ECHO + '<route path="/up" svc="SLEEP" conv="text"/>', SERVER,
              sections='<services><service svcnm="ECHO" acl="login:anna"/></services>') as d:
        a = d.post("/echo", "[1]")
        equal((a.status, a.json["error"], a.json["work"]), (403, "TPEPERM", "not done"))
        equal(d.post("/up", "1").status, 200)


def test_the_benchmark_of_dead_connections_runs():
    with gate("", SERVER):
        pass  # Skip without httpgate
    for more, want in ((("--dead", "0,40"), {"httpgate,": "0 40", "poll(),": "0 40"}), (("--load",), {"BALANCE": "32", "1": ""})):
        r = subprocess.run([sys.executable, "-B", os.path.join(ROOT, "bench/http_dead.py"), BUILD, "--ms", "100", "--rounds", "1",
                            *more], capture_output=True, text=True, timeout=100, check=False)
        equal(r.returncode, 0, r.stderr + r.stdout)
        rows = [line.split() for line in r.stdout.splitlines()]
        for name, words in want.items():
            equal(all(any(row[0] == name and (not w or w in row) for row in rows) for w in words.split() or [""]), True, (name, r.stdout))
