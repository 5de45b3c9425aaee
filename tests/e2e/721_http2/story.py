# SPDX-License-Identifier: Apache-2.0
"""HTTP/2: many requests of a connection at once, and callers who try to get more than their part.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import socket
import ssl
import threading
import time

from certificates import authority, certificate
from checks import at_least, at_most, contains, equal
from fixture import wait_for
from http2 import CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST, Http2, field, packed
from httpgate import GATE, gate

COST = 22
MAINLY = "shm"

SERVER = {"srvid": 1, "min": 4, "max": 4, "appopt": "ECHO SLEEP"}
EVENTS = {"name": "tpevsrv", "srvid": 70}
ROUTES = ('<route path="/echo" svc="ECHO" conv="text" timeout="20"/><route path="/two" svc="ECHO" conv="text" concurrency="2" timeout="20"/>'
          '<route path="/sleep" svc="SLEEP" conv="text" timeout="20"/>'
          '<route path="/small" svc="ECHO" conv="text" body_max="1000"/><route path="/events" events="A.*"/>')
CALM, PROTOCOL = 11, 1


def _gate(http=""):
    d = gate("", SERVER, EVENTS, http='tls_cert_file="${NDRX_APPHOME}/gate.pem" tls_key_file="${NDRX_APPHOME}/gate.key" ' + http)
    authority(d.home, "ca")
    certificate(d.home, "ca", "gate")
    d.write(ROUTES)
    return d


def _memory(d):
    with open(f"/proc/{d.pid(GATE)}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def _closed(c):
    """It is closed while we say something, or when we listen."""
    try:
        return c.until_closed()
    except TimeoutError:
        raise AssertionError("it is not closed") from None


def test_the_protocol_is_chosen_by_tls():
    with _gate() as d:
        for offered, want in ((["h2", "http/1.1"], "h2"), (["http/1.1"], "http/1.1"), (["x"], None), ([], None)):
            context = ssl.create_default_context(cafile=f"{d.home}/ca.pem")
            if offered:
                context.set_alpn_protocols(offered)
            try:
                with context.wrap_socket(socket.create_connection(("localhost", d.port), 20), server_hostname="localhost") as s:
                    equal(s.selected_alpn_protocol(), want, offered)
                    if want != "h2":
                        s.sendall(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
                        contains(s.recv(4096).decode(), "200 OK")
            except ssl.SSLError:  # RFC 7301: no protocol in common
                equal(offered, ["x"])
        with Http2(d) as c:
            c.request(1, "/echo", b"x")
            equal(c.answer(1), (200, b"x"))
            c.request(3, "/none", b"x")
            equal(c.answer(3)[0], 404)


def test_many_streams_of_a_connection_are_served_at_once():
    with _gate() as d:
        with Http2(d) as c:
            began = time.monotonic()
            streams = range(1, 401, 2)
            for n in streams:
                c.request(n, "/echo" if n > 40 else "/sleep", b"%d" % (n if n > 40 else 200))
            for n in streams:
                equal(c.answer(n), (200, b"%d" % (n if n > 40 else 200)))
            at_most(time.monotonic() - began, 10)  # 20 of 200 ms, by 4 servers
            c.request(401, "/echo", b"x" * 16384)
            equal(c.answer(401), (200, b"x" * 16384))


def test_no_more_streams_are_open_than_the_gate_lets():
    with _gate() as d:
        with Http2(d) as c:
            c.request(1, "/echo", b"x")
            c.answer(1)
            most = c.settings[3]
            at_most(most, 1000)
            for n in range(most + 20):  # each has sent half its request
                c.frame(HEADERS, END_HEADERS, 3 + 2 * n, c.block("/echo"))
            equal([c.answer(3 + 2 * n)[0] for n in range(most, most + 20)], [f"reset {PROTOCOL}"] * 20)
            c.frame(DATA, END_STREAM, 3, b"first")
            equal(c.answer(3), (200, b"first"))


def test_requests_that_are_taken_back_at_once_do_not_reach_services():
    """CVE-2023-44487: a request costs its caller nothing, as it takes it back."""
    with _gate() as d:
        said, over = [], threading.Event()

        def others():
            with Http2(d) as c:
                for n in range(1, 100000, 2):
                    if over.is_set():
                        return
                    c.request(n, "/echo", b"%d" % n)
                    said.append(c.answer(n))
                    if said[-1] != (200, b"%d" % n):
                        return
        t = threading.Thread(target=others)
        t.start()
        with Http2(d) as c:
            block, many = c.block("/sleep"), 20000
            try:
                for n in range(1, 2 * many, 2):
                    c.s.sendall(packed(HEADERS, END_HEADERS, n, block) + packed(DATA, END_STREAM, n, b"100") + packed(RST, 0, n, b"\0\0\0\10"))
            except (ConnectionError, ssl.SSLError):
                pass
            equal(_closed(c), CALM)
        wait_for(lambda: d.row("http", path="/sleep").in_flight == 0, "nothing is in hand")
        at_most(d.row("http", path="/sleep").calls, 300)
        before = len(said)
        wait_for(lambda: len(said) > before + 20, "others are served")
        over.set()
        t.join()
        equal({status for status, _ in said}, {200})


def test_headers_without_end_are_cut_off():
    """CVE-2024-27316 and its like: frames of headers, and never their end."""
    with _gate('header_max="16K"') as d:
        with Http2(d) as c:
            c.request(1, "/echo", b"x")
            c.answer(1)
            before = _memory(d)
            try:
                c.frame(HEADERS, 0, 3, c.block("/echo"))
                for n in range(20000):
                    c.frame(CONTINUATION, 0, 3, field(f"x-{n}", "y" * 1000))
                raise AssertionError("it takes them all")
            except (ConnectionError, ssl.SSLError):
                pass
        # A name of the table costs one byte, and is 4,000 in the request.
        with Http2(d) as c:
            try:
                c.frame(HEADERS, END_HEADERS | END_STREAM, 1, c.block("/echo", more=field("x-bomb", "b" * 4000, 0x40) + b"\xbe" * 10000))
                equal(c.answer(1)[0] in (431, None, f"reset {PROTOCOL}", f"reset {CALM}"), True)
            except (ConnectionError, ssl.SSLError):
                pass
        at_most(_memory(d) - before, 20 << 10, "KiB")
        with Http2(d) as c:
            c.request(1, "/echo", b"x", more=field("x-long", "y" * 20000)[:16000])
            equal(c.until_closed() != 0, True)
        with Http2(d) as c:
            c.request(1, "/echo", b"x")
            equal(c.answer(1), (200, b"x"))


def test_what_would_be_another_request_in_http1_is_refused():
    bad = (field("transfer-encoding", "chunked"), field("connection", "keep-alive, x-a"), field("X-Upper", "a"),
           field("x-a", "b\r\nGET /second HTTP/1.1"), field("x\r\na", "b"), field("x-a", b"b\0"), field(":path", "/second"),
           field("content-length", "3") + field("content-length", "4"), field("content-length", "+1"), field("host", "other\r\nX: y"))
    with _gate() as d:
        for more in bad:
            with Http2(d) as c:
                c.request(1, "/echo", b"x", more=more)
                try:
                    status = c.answer(1)[0]
                except (ConnectionError, ssl.SSLError):
                    status = None
                equal(status in (400, None, f"reset {PROTOCOL}"), True, (more, status))
        for body in (b"", b"xx", b"xxxx"):  # not of the length that it says
            with Http2(d) as c:
                c.request(1, "/echo", body, more=field("content-length", "3"))
                equal(c.answer(1)[0] in (400, 408, None, f"reset {PROTOCOL}"), True, body)
        for path in ("/echo HTTP/1.1\r\nX: y", "echo", "", "/echo\0"):
            with Http2(d) as c:
                c.request(1, path, b"x")
                equal(c.answer(1)[0] in (400, 404, None, f"reset {PROTOCOL}"), True, path)
        equal(d.row("http", path="/echo").calls <= 3, True)


def test_who_says_nothing_useful_is_left():
    with _gate('header_time="1" body_time="1" idle_time="1"') as d:
        before = _memory(d)
        with Http2(d) as c:  # after its settings nothing
            _closed(c)
        with Http2(d) as c:  # half a body
            c.frame(HEADERS, END_HEADERS, 1, c.block("/echo"))
            c.frame(DATA, 0, 1, b"x")
            at_least(c.answer(1)[0] or 999, 400)
        with Http2(d) as c:  # pings, and no answer is read
            c.s.settimeout(3)
            try:
                for _ in range(300):
                    c.s.sendall(packed(PING, 0, 0, b"12345678") * 1000)
            except (OSError, ssl.SSLError):
                pass
        at_most(_memory(d) - before, 20 << 10, "KiB")


def test_who_takes_no_answer_keeps_no_place():
    """Its window stays shut: the connection has nothing to write."""
    with _gate('body_time="1"') as d:
        with Http2(d, 0) as c:
            for n in (1, 3):
                c.request(n, "/two", b"x" * 10000)
            for n in (1, 3):
                c.answer(n)
            equal(sorted(c.reset), [1, 3])
            with Http2(d) as other:
                other.request(1, "/two", b"x")
                equal(other.answer(1), (200, b"x"))


def test_who_is_refused_while_it_sends_can_read_why():
    """A stream that is broken off takes with it what its caller (curl) has not read yet."""
    with _gate() as d:
        with Http2(d) as c:
            c.frame(HEADERS, END_HEADERS, 1, c.block("/small", more=field("content-length", "3000")))
            while not c.body.get(1, b"").endswith(b"}"):
                c.take()
            equal((c.status[1], c.ended, c.reset), (413, set(), {}))
            contains(c.body[1].decode(), "more than 1000 bytes")
            c.frame(DATA, END_STREAM, 1, b"x" * 3000)
            c.answer(1)
            equal((c.reset, c.gone), ({}, None))
        with Http2(d) as c:  # who sends nothing more is not waited for
            c.frame(HEADERS, END_HEADERS, 1, c.block("/small", more=field("content-length", "3000")))
            equal(c.answer(1)[0], 413)


def test_events_may_be_far_apart():
    with _gate('body_time="1"') as d:
        with Http2(d) as c:
            c.request(1, "/events", method="GET")
            while 1 not in c.body:
                c.take()
            time.sleep(2.5)  # nothing may end it meanwhile
            equal(d.client()("post", "A.NEW", "-", "STRING:1").err, "OK")
            while b"data:" not in c.body[1]:
                c.take()
            equal(c.ended, set())
