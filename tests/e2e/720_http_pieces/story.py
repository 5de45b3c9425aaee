# SPDX-License-Identifier: Apache-2.0
"""Bodies that are larger than memory for them: in pieces to and from services, files, uploads.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import http.client
import json
import os
import socket
import tempfile
import threading

from checks import at_most, contains, ended, equal
from covers import covers
from fixture import Domain, kill, wait_for
from httpgate import GATE, GateDomain, gate
from machine import small_disk

MAINLY = "shm"
COST = 12

SERVER = {"name": "piecesv", "srvid": 1, "min": 4, "max": 4}
ROUTES = ('<route path="/take" svc="TAKE" conv="raw" stream="Y" body_max="65M" timeout="20"/>'
          '<route path="/how/{how}" svc="TAKE" conv="raw" stream="Y" body_max="65M" fields="path.how=F_NAME"/>'
          '<route method="GET" path="/give/{n}" svc="GIVE" conv="raw" stream="Y" fields="path.n=F_COUNT query.how=F_NAME"/>'
          '<route path="/none" svc="NONE" conv="raw" stream="Y"/>')
MANY = 64 << 20
PIECE = bytes(i % 251 for i in range(251 * 256))


def _most(d):
    """The most memory that the gate has had since _forget(), in KiB."""
    with open(f"/proc/{d.pid(GATE)}/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM"))


def _forget(d):
    with open(f"/proc/{d.pid(GATE)}/clear_refs", "w", encoding="ascii") as f:
        f.write("5")
    return _most(d)


def _pieces(n):
    for at in range(0, n, len(PIECE)):
        yield PIECE[:min(len(PIECE), n - at)]


def _sum(n):
    """As the service adds up, by repeated squaring over whole pieces."""
    def add(total, data):
        for b in data:
            total = (total * 31 + b) & (2 ** 64 - 1)
        return total
    whole, rest = divmod(n, len(PIECE))
    one, factor, total = add(0, PIECE), pow(31, len(PIECE), 2 ** 64), 0
    for _ in range(whole):
        total = (total * factor + one) & (2 ** 64 - 1)
    return add(total, PIECE[:rest])


def _upload(d, path, n, chunked=False):
    c = d.connect(60)
    try:
        c.request("POST", path, _pieces(n), {} if chunked else {"Content-Length": str(n)}, encode_chunked=chunked)
        r = c.getresponse()
        return r.status, r.read()
    finally:
        c.close()


def _download(d, path):
    """Bytes, and whether each is what it should be."""
    c = d.connect(60)
    try:
        c.request("GET", path)
        r = c.getresponse()
        n, fine = 0, r.status == 200
        while part := r.read(251 * 256):
            fine = fine and part == (PIECE + PIECE)[n % 251:n % 251 + len(part)]
            n += len(part)
        return r.status, n, fine
    finally:
        c.close()


def _busy(d, service):
    return [p.srvid for p in d.rows("psc") if p.service == service and p.status == "BUSY"]


class _RestinGate(GateDomain):
    """With a route of restincl that takes uploads."""

    def __init__(self, routes, folder):
        super().__init__("", SERVER, {"srvid": 20, "appopt": "ECHO"}, http='restin="@restin"')
        with open(os.path.join(self.home, "app.ini"), "w", encoding="utf-8") as f:
            f.write("[@restin]\n/photo=" + json.dumps({"svc": "ECHO", "conv": "ext", "fileupload": True, "tempdir": folder}) + "\n")
        self.env["NDRX_CCONFIG"] = os.path.join(self.home, "app.ini")
        self.write(routes)


@covers("stream")
def test_bodies_of_any_length_go_in_pieces():
    with gate(ROUTES, SERVER) as d:
        for n in (0, 1, 65535, 65536, 65537, 131072, 1000000):
            for chunked in (False, True):
                equal(_upload(d, "/take", n, chunked), (200, f"{n} {_sum(n)}".encode()), n)
            status, got, fine = _download(d, f"/give/{n}")
            equal((status, got, fine), (200, n, True) if n else (204, 0, False))
        equal(_upload(d, "/how/-", 100000)[0], 200)


def test_pieces_have_their_time_and_the_whole_has_no_limit():
    with gate(ROUTES, SERVER, http='body_time="1"') as d:
        equal(_download(d, "/give/6000000?how=slow"), (200, 6000000, True), "in 2.4 s")
        n = 30 << 20
        equal(_upload(d, "/how/late", n), (200, f"{n} {_sum(n)}".encode()), "the service holds up the caller for 3 s")
        c = d.connect(60)
        c.request("GET", "/give/100000?how=late")
        r = c.getresponse()
        equal(r.read(50000) == (PIECE + PIECE)[:50000], True)
        equal(len(_busy(d, "GIVE")), 1, "a piece is passed on before the next one comes")
        equal(len(r.read()), 50000)
        c.close()


def test_what_cannot_be_told_apart_is_refused():
    with gate(ROUTES, SERVER) as d:
        a = d.ask("POST", "/take", b"x", {"Content-Encoding": "gzip"})
        equal((a.status, a.json["work"]), (415, "not done"))
        with socket.create_connection(("127.0.0.1", d.port), 20) as s:
            s.sendall(b"GET /give/100000 HTTP/1.0\r\n\r\n")
            contains(s.recv(4096).decode(), "505 HTTP Version Not Supported", "its end would be that of the connection")
        equal([d.row("psc", service=name).succeeded for name in ("TAKE", "GIVE")], [0, 0])


def _form(n, whole=True):
    """A form with a file of n bytes, in pieces."""
    head = (b'--b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhello\r\n'
            b'--b\r\nContent-Disposition: form-data; name="photo"; filename="big"\r\n\r\n')
    yield head
    yield from _pieces(n)
    if whole:
        yield b"\r\n--b--\r\n"


def _send_form(d, n, cut=0, whole=True):
    c = d.connect(60)
    try:
        length = n + len(b"".join(_form(0)))
        c.request("POST", "/photo", _form(n - cut, whole),
                  {"Content-Type": "multipart/form-data; boundary=b", "Content-Length": str(length)})
        if cut:
            c.sock.shutdown(socket.SHUT_WR)
        r = c.getresponse()
        return r.status, r.read()
    finally:
        c.close()


@covers("body_max")
def test_64_megabytes_need_little_memory():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "big"), "wb") as f:
            for part in _pieces(MANY):
                f.write(part)
        with _RestinGate(ROUTES + f'<route method="GET" path="/files" staticdir="{folder}"/>', folder) as d:
            equal(d.get("/give/1").status, 200)
            most = _forget(d)
            equal(_upload(d, "/take", MANY), (200, f"{MANY} {_sum(MANY)}".encode()))
            equal(_download(d, f"/give/{MANY}"), (200, MANY, True))
            equal(_download(d, "/files/big"), (200, MANY, True))
            equal(_send_form(d, 60 << 20)[0], 200)
            equal(os.listdir(folder), ["big"], "uploads are removed")
            threads = [threading.Thread(target=_upload, args=(d, "/how/slow", 3 << 20)) for _ in range(3)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            at_most(_most(d) - most, 16 << 10, "KiB of the gate")


def test_what_is_too_long_is_refused_before_it_comes():
    with tempfile.TemporaryDirectory() as folder, _RestinGate(ROUTES + '<route path="/raw" svc="TAKE" conv="raw"/>', folder) as d:
        for path, limit, words in (("/take", 65 << 20, "body_max"), ("/raw", 1 << 20, "whose bodies are one message"),
                                   ("/photo", 64 << 20, "")):
            with socket.create_connection(("127.0.0.1", d.port), 20) as s:
                s.sendall(f"POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n"
                          f"Content-Length: {limit + 1}\r\n\r\n".encode())
                said = s.recv(4096).decode()
                contains(said, "413 Request Entity Too Large")
                contains(said, words)
        a = d.ask("POST", "/none", b"x" * 100)
        equal((a.status, a.json["work"]), (503, "not done"))
        # Chunks say nothing of the whole.
        status, body = _upload(d, "/take", (65 << 20) + 1, True)
        equal((status, json.loads(body)["work"]), (413, "unknown"))
        for whole in (True, False):
            equal(_send_form(d, 1000000, 1000, whole)[0], 408)
        wait_for(lambda: os.listdir(folder) == [], "half a file is removed")


def _begin_form(d, n):
    """A form of which n bytes of its file have come: the socket."""
    s = socket.create_connection(("127.0.0.1", d.port), 20)
    s.sendall(b"POST /photo HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\n"
              b"Content-Length: 50000000\r\n\r\n" + next(_form(0)) + b"x" * n)
    return s


def _written(d, folder):
    """Bytes of files in the folder that the gate has open, also of those without a name."""
    found = 0
    for fd in os.listdir(f"/proc/{d.pid(GATE)}/fd"):
        path = f"/proc/{d.pid(GATE)}/fd/{fd}"
        try:
            if os.readlink(path).startswith(folder + "/"):
                found += os.stat(path).st_size
        except FileNotFoundError:
            pass
    return found


def test_a_gate_that_is_killed_leaves_no_half_uploads():
    with tempfile.TemporaryDirectory() as folder, _RestinGate(ROUTES, folder) as d:
        with _begin_form(d, 1000000):
            wait_for(lambda: _written(d, folder) > 500000, "the upload is being written")
            equal(os.listdir(folder), [])
            kill(old := d.pid(GATE))
            wait_for(lambda: d.pid(GATE) not in (None, 0, old), "the gate is started again")
            equal(os.listdir(folder), [])
        wait_for(lambda: _answers(d), "it listens")
        equal(_send_form(d, 100000)[0], 200)
        equal(os.listdir(folder), [])


def _answers(d):
    try:
        return d.get("/give/1").status == 200
    except OSError:
        return False


def test_a_full_disk_refuses_uploads_and_nothing_else():
    with tempfile.TemporaryDirectory() as folder, small_disk(folder, "1m"), _RestinGate(ROUTES, folder) as d:
        for _ in range(3):
            equal(_send_form(d, 3000000)[0], 503)
            equal(os.listdir(folder), [])
            equal(_upload(d, "/take", 3000000), (200, f"3000000 {_sum(3000000)}".encode()))
            equal(_send_form(d, 500000)[0], 200)
            equal(os.listdir(folder), [])


def test_half_a_body_is_no_body_and_half_an_answer_no_answer():
    with gate(ROUTES, SERVER) as d:
        a = d.ask("POST", "/how/fail", b"x" * 1000000)
        equal((a.status, a.headers["Onewake-Work"], a.json["urcode"]), (422, "failed", 7))
        with socket.create_connection(("127.0.0.1", d.port), 20) as s:
            s.sendall(b"POST /take HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 500000)
            s.shutdown(socket.SHUT_WR)
            said = s.recv(4096).decode()
            contains(said, "408 Request Timeout")
            contains(said, "Onewake-Work: unknown")
        try:
            _download(d, "/give/1000000?how=fail")
            raise AssertionError("it looks whole")
        except http.client.IncompleteRead:
            pass
        equal(d.get("/give/1000?how=turn").status, 502)
        with socket.create_connection(("127.0.0.1", d.port), 20) as s:
            s.sendall(b"GET /give/100000000 HTTP/1.1\r\nHost: a\r\n\r\n")
            contains(s.recv(100).decode(), "200 OK")
        wait_for(lambda: not _busy(d, "GIVE"), "the service hears that the caller has gone")
        with socket.create_connection(("127.0.0.1", d.port), 20) as s:
            s.sendall(b"POST /take HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 200000)
            old = d.pid(wait_for(lambda: _busy(d, "TAKE"), "it is taken")[0])
            kill(old)
            wait_for(lambda: not _busy(d, "TAKE"), "it is noticed")
            s.sendall(b"x" * 200000)
            said = s.recv(4096).decode()
            contains(said, "502 Bad Gateway")
            contains(said, "Onewake-Work: unknown")
        equal(_upload(d, "/take", 1000)[0], 200)


def test_a_route_that_cannot_go_in_pieces_is_refused():
    for more in ('svc="A"', 'svc="A" conv="raw" async="Y"', 'svc="A" conv="raw" idempotency="60"', 'queue="S/Q" conv="raw"',
                 'svc="A" conv="raw" finman="B"'):
        with Domain() as d:
            d.configure(SERVER, sections=f'<http port="1"><route path="/a" stream="Y" {more}/></http>')
            r = d.run("xadmin", "testcfg")
            ended(r, 1)
            contains(r.stdout + r.stderr, "stream is for svc and conv raw")
