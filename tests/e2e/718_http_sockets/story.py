# SPDX-License-Identifier: Apache-2.0
"""Events and conversations by WebSocket.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import json
import os
import threading

from checks import contains, ended, equal
from covers import covers
from fixture import Domain, kill, wait_for
from httpgate import GATE, gate
from websockets import PING, PONG, Socket

COST = 4
MAINLY = "shm"

TALKER = {"name": "conversesv", "srvid": 1, "appopt": "TALK"}
TALK = '<route path="/talk" conversation="TALK" conv="text"/>'


@covers("conversation")
def test_a_socket_is_a_conversation():
    with gate(TALK + '<route path="/none" conversation="NONE" conv="text"/>', TALKER) as d:
        with Socket(d.port, "/talk") as s:
            equal(s.status, 101)
            s.send("send:one send:two give:three all send:four return:five")
            equal([s.next() for _ in range(3)], ["one", "two", "three"])
            s.frame(PING, b"x")
            equal(s._take(), (PONG, b"x"))  # pylint: disable=protected-access
            s.send("mine")
            equal([s.next(), s.next(), s.next()], ["four", "five", 1000])
        for script, code, reason in (("fail:-", 4011, "TPESVCFAIL: failed"), ("send:x crash", 4010, "TPESVCERR: unknown"),
                                     ("noreturn", 4010, "TPESVCERR: unknown")):
            with Socket(d.port, "/talk") as s:
                s.send(script)
                said = s.next()
                while isinstance(said, str):
                    said = s.next()
                equal((said, s.reason), (code, reason), script)
            wait_for(lambda: d.row("psc", service="TALK") is not None, "the server again")
        with Socket(d.port, "/none") as s:
            s.send("x")
            equal((s.next(), s.reason), (4006, "TPENOENT: not done"))


def test_a_caller_that_goes_is_told_to_the_service():
    with gate(TALK, TALKER) as d:
        trace = os.path.join(d.home, "trace")
        s = Socket(d.port, "/talk")
        with s:
            s.send(f"trace:{trace} give:x recv")
            equal(s.next(), "x")
        wait_for(lambda: os.path.exists(trace) and "DISCONIMM" in open(trace, encoding="utf-8").read(),
                 "the service hears of it")
        with Socket(d.port, "/talk") as s:
            s.send("return:again")
            equal(s.next(), "again")


def test_what_is_no_socket_or_of_another_page_is_refused():
    with gate(TALK, TALKER, http='cors_origins="https://shop.example"') as d:
        a = d.get("/talk")
        equal((a.status, a.headers["Upgrade"], a.json["work"]), (426, "websocket", "not done"))
        equal(d.ask("HEAD", "/talk").status, 405)
        for origin, status in (("https://evil.example", 403), ("https://shop.example", 101), ("http://shop.example", 403),
                               (f"http://127.0.0.1:{d.port}", 101)):
            with Socket(d.port, "/talk", {"Origin": origin}) as s:
                equal(s.status, status, origin)
    for more in ('idempotency="60"', 'svc="X"'):
        with Domain() as d:
            d.configure(TALKER, sections=f'<http port="1"><route path="/a" conversation="TALK" {more}/></http>')
            ended(d.run("xadmin", "testcfg"), 1)


@covers("body_max")
def test_messages_have_a_limit_and_wait_for_their_turn():
    with gate(TALK.replace("/>", ' body_max="100"/>'), TALKER) as d:
        with Socket(d.port, "/talk") as s:
            s.send("x" * 101)
            equal(s.next(), 1009)
        with Socket(d.port, "/talk") as s:
            s.send("give:a recv give:b recv return:c")
            s.send("1")
            s.send("2")  # before its turn
            equal([s.next() for _ in range(4)], ["a", "b", "c", 1000])
        with Socket(d.port, "/talk") as s:
            s.send("sleep:3000 return:x")
            for _ in range(40):
                s.send("more")
            equal(s.next(), 1008)


def test_events_come_by_socket_and_are_resumed():
    with gate('<route path="/events" events="ORDER.*"/>', {"name": "tpevsrv", "srvid": 70}) as d:
        c = d.client()
        with Socket(d.port, "/events") as s:
            first = json.loads(s.next())["id"]
            for n in range(2):
                equal(c("post", "ORDER.NEW", "-", f"STRING:{n}").err, "OK")
            equal([json.loads(s.next())["data"] for _ in range(2)], ["0", "1"])
        with Socket(d.port, f"/events?last-event-id={first}") as s:
            s.next()
            equal(json.loads(s.next())["data"], "0")
        with Socket(d.port, "/events?last-event-id=0123456789ab-7") as s:
            s.next()
            equal(json.loads(s.next())["event"], "gap")


def test_a_gate_that_stops_says_so_and_a_killed_one_leaves_no_conversation():
    with gate(TALK + '<route path="/events" events="A"/>', TALKER, {"name": "tpevsrv", "srvid": 70}) as d:
        trace = os.path.join(d.home, "trace")
        with Socket(d.port, "/talk") as s:
            s.send(f"trace:{trace} give:x recv")
            equal(s.next(), "x")
            old = d.pid(GATE)
            kill(old)
            wait_for(lambda: os.path.exists(trace) and "recv" in open(trace, encoding="utf-8").read(),
                     "the service hears of it")
            wait_for(lambda: d.pid(GATE) not in (0, old), "the gate again")
            d.wait_listens()
        with Socket(d.port, "/talk") as s, Socket(d.port, "/events") as e:
            s.send("give:x recv")
            equal(s.next(), "x")
            contains(e.next(), "id")
            said = []
            t = threading.Thread(target=lambda: said.extend((s.next(), e.next())))
            t.start()
            d.xadmin("stop", "-i", GATE)
            t.join()
            equal(said, [1001, 1001])
