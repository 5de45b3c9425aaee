# SPDX-License-Identifier: Apache-2.0
"""Durable queues, events and transactions over HTTP."""
import os
import socket
import threading
import time

from checks import at_least, contains, equal
from covers import covers
from fixture import kill, wait_for
from httpgate import GATE, GateDomain
from trans import Trans

COST = 3
MAINLY = "shm"

SERVER = {"srvid": 1, "appopt": "ECHO"}


def _envs(values):
    return "<envs>" + "".join(f'<env name="{k}">{v}</env>' for k, v in values.items()) + "</envs>"


def _with_queues(routes, env=None):
    d = GateDomain(routes, SERVER, env=env, http='body_max="8M"' if env else "")
    with open(os.path.join(d.home, "q.conf"), "w", encoding="utf-8") as f:
        f.write("@\n")
    d.servers = ({"name": "tpevsrv", "srvid": 70},
                 {"name": "tmqueue", "srvid": 80, "appopt": f"-q {d.home}/q.conf",
                  "xml": _envs({"NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"'})},
                 *d.servers)
    d.write(routes)
    return d


QUEUE = ('<route path="/q" queue="S/ORDERS"/><route method="GET" path="/q" queue="S/ORDERS"/>'
         '<route path="/raw" queue="S/RAW" conv="raw"/><route method="GET" path="/raw" queue="S/RAW" conv="raw"/>'
         '<route path="/gone" queue="NONE/X"/>')


@covers("queue")
def test_a_message_is_durable_when_202_is_told():
    with _with_queues(QUEUE) as d:
        a = d.post("/q", {"F_NAME": "first", "F_COUNT": 1})
        equal((a.status, len(a.json["id"])), (202, 64))
        d.post("/q", {"F_NAME": "second"})
        kill(d.pid(80))
        wait_for(lambda: d.row("psc", srvid=80) is not None, "tmqueue again")
        wait_for(lambda: (b := d.get("/q")).status == 200 and b.json == {"F_NAME": "first", "F_COUNT": 1}
                 and b.headers["Message-Id"] == a.json["id"], "the first message")
        equal(d.get("/q").json, {"F_NAME": "second"})
        a = d.get("/q")
        equal((a.status, a.body), (204, b""))
        got = []
        t = threading.Thread(target=lambda: got.append(d.get("/raw?wait=10").body))
        t.start()
        time.sleep(0.2)
        equal(d.post("/raw", b"\0\1").status, 202)
        t.join()
        equal(got, [b"\0\1"])
        equal(d.get("/q?wait=soon").status, 400)
        a = d.post("/gone", {})
        at_least(a.status, 500)
        equal(a.json["work"] in ("not done", "unknown"), True)


def test_only_the_method_of_the_route_takes_a_message():
    with _with_queues(QUEUE + '<route path="/events" events="ORDER.*"/>') as d:
        equal(d.post("/raw", b"kept").status, 202)
        a = d.ask("HEAD", "/raw?wait=1")
        equal((a.status, a.headers["Allow"]), (405, "GET"))
        equal(d.ask("HEAD", "/events", timeout=5).status, 405)
        equal(d.get("/raw").body, b"kept")


def test_a_message_whose_caller_has_gone_is_put_back():
    with _with_queues(QUEUE) as d:
        s = socket.create_connection(("127.0.0.1", d.port))
        s.sendall(b"GET /raw?wait=20 HTTP/1.1\r\nHost: a\r\n\r\n")
        time.sleep(0.2)
        s.close()
        time.sleep(0.2)
        equal(d.post("/raw", b"kept").status, 202)
        equal(d.get("/raw?wait=5").body, b"kept")


def test_a_message_of_which_the_caller_takes_half_is_put_back():
    """It is larger than what sockets hold, so the gate sees that its caller has gone."""
    text = "0123456789abcdef" * (6 << 16)
    with _with_queues(QUEUE, {"NDRX_MSGSIZEMAX": "8388608"}) as d:
        equal(d.post("/raw", text).status, 202)
        for _ in range(3):
            with socket.socket() as s:
                s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                s.connect(("127.0.0.1", d.port))
                s.sendall(b"GET /raw HTTP/1.1\r\nHost: a\r\n\r\n")
                contains(s.recv(100).decode(), "200 OK")
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            a = d.get("/raw?wait=10")
            equal((a.status, len(a.body)), (200, len(text)))
            equal(a.body.decode() == text, True)
            equal(d.get("/raw").status, 204, "it is there once")
            equal(d.post("/raw", text).status, 202)


def test_a_message_that_the_route_cannot_say_stays_in_its_queue():
    """JSON has no word for a number that is none."""
    text = '<route method="GET" path="/text" queue="S/ORDERS" conv="text"/>'
    with _with_queues(QUEUE + text) as d:
        c = d.client()
        equal(c("enq", "S", "ORDERS", "-", "-", "FIELDS:F_AMOUNT=nan").err, "OK")
        for path in ("/q", "/text"):
            a = d.get(path)
            equal((a.status, a.json["work"]), (502, "not done"), path)
            contains(a.json["detail"], "it is at the end of its queue")
        equal(c("deq", "S", "ORDERS", "-", "-").err, "OK")
        equal(d.get("/text").status, 204)


class Stream:
    def __init__(self, d, last=None):
        self.c = d.connect()
        self.c.request("GET", "/events", headers={"Last-Event-ID": last} if last else {})
        self.r = self.c.getresponse()
        equal((self.r.status, self.r.getheader("Content-Type")), (200, "text/event-stream"))
        self.last = self.next()["id"]

    def next(self):
        """The next event that is none of the heartbeat."""
        e = {}
        while line := self.r.fp.readline().decode():
            if line == "\n" and "id" in e:
                return e
            if not line.startswith(":") and ":" in line:
                key, value = line.rstrip("\n").split(":", 1)
                e[key] = value.strip()
        raise AssertionError("the stream has ended")

    def close(self):
        self.c.close()
        self.r.close()


@covers("events")
def test_events_come_and_are_resumed():
    with _with_queues('<route path="/events" events="ORDER.*"/>') as d:
        s = Stream(d)
        c = d.client()
        def post(n):
            r = c("post", "ORDER.NEW", "-", f"STRING:{n}")
            equal(r.err, "OK")
        for n in range(3):
            post(n)
        seen = [s.next() for _ in range(3)]
        equal([e["data"] for e in seen], ['"0"', '"1"', '"2"'])
        s.close()
        post(3)
        s = Stream(d, seen[1]["id"])
        equal([s.next()["data"] for _ in range(2)], ['"2"', '"3"'])
        s.close()
        s = Stream(d, "0123456789ab-7")  # of a gate before this one
        equal(s.next()["event"], "gap")
        s.close()


TRAN = '<route path="/tran" transaction_handler="Y"/><route path="/a" svc="A" conv="text" errors="text"/>'


class TranGate(GateDomain, Trans):
    """A gate and a resource manager."""


def _operate(d, operation, token="", **more):
    return d.post("/tran", {"operation": operation, "tptranid": token, **more})


@covers("transaction_handler")
def test_transactions_begin_and_end_over_http():
    d = TranGate(TRAN)
    rm = _envs(d.xa(1))
    d.servers = ({"name": "tmsrv", "srvid": 101, "appopt": "-s 200ms", "xml": rm},
                 {"name": "xasv", "srvid": 11, "appopt": "A", "xml": rm},
                 {"name": "httpgate", "srvid": GATE, "xml": rm})
    d.write(TRAN)
    with d:
        def add(n, token):
            return d.post("/a", f"add:{n}", {"endurox-tptranid-req": token})
        a = _operate(d, "tpbegin", timeout=20)
        equal((a.status, a.json["error_code"]), (200, 0))
        token = a.json["tptranid"]
        equal([add(n, token).headers["endurox-tptranid-rsp"] for n in (1, 2)], [token] * 2)
        a = _operate(d, "tpcommit", token)
        equal((a.status, a.json["error_code"]), (200, 0), a.body)
        equal(d.total(1), 3)
        token = _operate(d, "tpbegin", timeout=20).json["tptranid"]
        add(10, token)
        equal(_operate(d, "tpabort", token).json["error_code"], 0)
        equal(d.total(1), 3)
        # What has ended is over; nobody guesses a number.
        for t in (token, "0" * 32, ""):
            equal(_operate(d, "tpcommit", t).status, 400)
        contains(add(1, token).body.decode(), "9: ")
        equal(_operate(d, "dance").status, 400)
        # Its time rolls it back.
        token = _operate(d, "tpbegin", timeout=1).json["tptranid"]
        add(100, token)
        wait_for(lambda: add(0, token).body.startswith(b"9: "), "it is over")
        wait_for(lambda: d.total(1) == 3, "it is rolled back")
        # A gate that is killed leaves nothing.
        token = _operate(d, "tpbegin", timeout=2).json["tptranid"]
        add(1000, token)
        old = d.pid(GATE)
        kill(old)
        wait_for(lambda: d.pid(GATE) not in (0, old), "the gate again")
        d.wait_listens()
        wait_for(lambda: _operate(d, "tpcommit", token).status == 400, "its transactions are gone")
        wait_for(lambda: d.total(1) == 3, "and rolled back")
