# SPDX-License-Identifier: Apache-2.0
"""Traces go through the gate for HTTP: in, through services, and out again.

Without a toolchain for Go, 1.22 or newer, the story is skipped.
"""
import json
import os
import threading

from checks import contains, equal
from fixture import wait_for
from http_peer import Peer
from httpgate import gate
from otlp import read_lines
from websockets import Socket

COST = 14
MAINLY = "shm"

CLIENT, SERVER = 3, 2
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
PARENT = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
SERVERS = ({"srvid": 1, "min": 3, "max": 3, "appopt": "CALLON FAIL"}, {"srvid": 11, "appopt": "ECHO"})
ROUTES = ('<route path="/on/{to}" svc="CALLON" conv="text"/><route path="/echo" svc="ECHO" conv="text"/>'
          '<route path="/fail" svc="FAIL" conv="text"/><route path="/none" svc="NONE" conv="text"/>')


def _watch(d):
    path = os.path.join(d.home, "spans.json")
    d.daemon("ndrxotel", "-f", path)
    wait_for(lambda: d.rows("spans"), "it shows its work")
    return path


def _spans(path, op, **attrs):
    return [s for s in read_lines(path) if s.op == op and all(s.attrs.get(k) == v for k, v in attrs.items())]


def _begin(d, path, ask="/echo"):
    """Until the gate notes spans."""
    def noted():
        d.post(ask, "x")
        return _spans(path, "http")
    wait_for(noted, "the gate notes spans")


def test_one_trace_goes_from_a_caller_through_services_to_a_url():
    with Peer(lambda r: (200, {}, b"paid")) as peer, gate(
            ROUTES + f'<host name="h" base="{peer.url}"/><outgoing svc="PAY" url="/pay" host="h" conv="text"/>',
            *SERVERS, http='access_log="${NDRX_APPHOME}/access.log"') as d:
        path = _watch(d)
        _begin(d, path)
        a = d.ask("POST", "/on/1", "PAY hi", {**PARENT, "tracestate": "congo=t61, rojo=00f"})
        equal(peer.seen[-1].headers["Tracestate"], "congo=t61, rojo=00f")
        equal((a.status, a.body, a.headers["Trace-Id"]), (200, b"paid", TRACE))
        mine = lambda: [s for s in read_lines(path) if s.trace == TRACE and s.op != "wait"]  # noqa: E731
        spans = wait_for(lambda: mine() if len(mine()) == 6 else None, "all spans")
        by = {s.parent: s for s in spans}
        chain, at = [], by[CALLER]
        while at:
            chain.append((at.op, at.name, at.kind))
            at = by.get(at.id)
        equal(chain, [("http", "POST /on/{to}", SERVER), ("call", "CALLON", CLIENT), ("serve", "CALLON", SERVER),
                      ("call", "PAY", CLIENT), ("serve", "PAY", SERVER), ("http", "POST", CLIENT)])
        first, = [s for s in spans if s.parent == CALLER]
        equal({k: v for k, v in first.attrs.items() if k.startswith("http.")},
              {"http.request.method": "POST", "http.route": "/on/{to}", "http.response.status_code": 200})
        out, = [s for s in spans if s.op == "http" and s.kind == CLIENT]
        equal((out.attrs["server.address"], out.attrs["http.response.status_code"]), (peer.url[7:], 200))
        equal(peer.seen[-1].headers["Traceparent"], f"00-{TRACE}-{out.id}-01")
        equal(first.begin <= out.begin <= out.end <= first.end, True)
        log = os.path.join(d.home, "access.log")
        wait_for(lambda: os.path.exists(log) and TRACE in open(log, encoding="utf-8").read(), "its line")
        with open(log, encoding="utf-8") as f:
            equal([x["route"] for x in map(json.loads, f) if x["trace"] == TRACE], ["/on/{to}"])


def test_what_a_caller_has_sampled_is_noted_and_what_is_noted_is_told():
    other = TRACE[::-1]
    with Peer(lambda r: (200, {}, b"paid")) as peer, gate(
            ROUTES + f'<host name="h" base="{peer.url}"/><outgoing svc="PAY" url="/pay" host="h" conv="text"/>',
            *SERVERS) as d:

        def told(*traceparent):
            equal(d.ask("POST", "/on/1", "PAY hi", *({"traceparent": t} for t in traceparent)).status, 200)
            return peer.seen[-1].headers["Traceparent"][-3:]
        equal(told(), "-00", "nobody notes it")
        d.env.update(OTEL_TRACES_SAMPLER="parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG="0")
        path = _watch(d)
        _begin(d, path, "/none")
        equal([told(f"00-{other}-{CALLER}-00"), told(f"00-{TRACE}-{CALLER}-01")], ["-00", "-01"])
        wait_for(lambda: len([s for s in read_lines(path) if s.trace == TRACE and s.op != "wait"]) == 6, "all of it")
        equal([s for s in read_lines(path) if s.trace == other], [])
        reader = d.daemons.pop()
        d.helpers.remove(reader)
        reader.terminate()
        equal(reader.wait(10), 0)
        wait_for(lambda: told() == "-00", "nobody notes any more")
        del d.env["OTEL_TRACES_SAMPLER"]
        _watch(d)
        wait_for(lambda: told() == "-01", "all is noted, which is told")


def test_tracestate_goes_to_another_process_with_its_trace_alone():
    d = gate(ROUTES, *SERVERS, {"name": "restoutsv", "srvid": 50})
    with Peer(lambda r: (200, {}, b"paid")) as peer:
        with open(os.path.join(d.home, "app.ini"), "w", encoding="utf-8") as f:
            f.write("[@restout]\nservice PAY=" + json.dumps({"urlbase": peer.url, "url": "/pay", "errors": "text"}) + "\n")
        d.env["NDRX_CCONFIG"] = os.path.join(d.home, "app.ini")
        with d:
            for parent, state, want in ((PARENT["traceparent"], "congo=t61", "congo=t61"), ("00-0-0-00", "bad=1", None),
                                        (f"00-{TRACE[::-1]}-{CALLER}-01", None, None), (PARENT["traceparent"], None, "congo=t61")):
                headers = {"traceparent": parent, **({"tracestate": state} if state else {})}
                equal(d.ask("POST", "/on/1", "PAY hi", headers).status, 200)
                equal(peer.seen[-1].headers.get("Tracestate"), want)
            equal(os.stat(os.path.join(d.home, "run/tracestate")).st_mode & 0o777, 0o600)


def test_a_request_without_a_trace_begins_one():
    with gate(ROUTES, *SERVERS) as d:
        path = _watch(d)
        _begin(d, path)
        for given in (None, {"traceparent": "00-0-0-00"}, {"traceparent": f"ff-{TRACE}-{CALLER}-01"}):
            a = d.ask("POST", "/echo", "x", given)
            trace = a.headers["Trace-Id"]
            equal(len(trace) == 32 and trace != TRACE and trace != 32 * "0", True)
            of = wait_for(lambda t=trace: [s for s in _spans(path, "serve") if s.trace == t], "it is served in it")
            equal(of[0].name, "ECHO")
            first, = wait_for(lambda t=trace: [s for s in _spans(path, "http") if s.trace == t], "its span")
            equal(first.parent, "")


def test_errors_are_those_of_opentelemetry():
    with gate(ROUTES, *SERVERS) as d:
        path = _watch(d)
        _begin(d, path)
        d.post("/none", "x")
        d.post("/fail", "x")
        one, = wait_for(lambda: _spans(path, "http", **{"http.route": "/none"}), "the route's span")
        equal((one.attrs["error.type"], one.status["code"]), ("503", 2))
        two, = wait_for(lambda: _spans(path, "http", **{"http.route": "/fail"}), "the route's span")
        equal(("error.type" in two.attrs, two.status), (False, {}), "422: the caller's mistake")


def test_calls_that_share_a_context_keep_their_traces():
    with gate(ROUTES, *SERVERS) as d:
        path = _watch(d)
        _begin(d, path)
        said = []

        def some(i):
            trace = f"{i + 1:032x}"
            for _ in range(10):
                a = d.ask("POST", "/on/x", "ECHO x", {"traceparent": f"00-{trace}-{CALLER}-00"})
                said.append((a.status, a.headers["Trace-Id"] == trace))
        threads = [threading.Thread(target=some, args=(i,)) for i in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        equal(set(said), {(200, True)})
        count = lambda: [len([s for s in _spans(path, "serve") if s.trace == f"{i + 1:032x}"]) for i in range(6)]  # noqa: E731
        wait_for(lambda: count() == [20] * 6, "each has its own calls")
        contains(json.dumps([s.attrs for s in _spans(path, "http")]), "/on/{to}")


def test_a_conversation_by_websocket_is_of_the_trace_that_began_it():
    with gate(ROUTES + '<route path="/talk" conversation="TALK" conv="text"/>', *SERVERS,
              {"name": "conversesv", "srvid": 21, "appopt": "TALK"}) as d:
        path = _watch(d)
        _begin(d, path)
        with Socket(d.port, "/talk", PARENT) as s:
            s.send("send:one return:two")
            equal([s.next(), s.next(), s.next()], ["one", "two", 1000])
        one, = wait_for(lambda: [x for x in _spans(path, "conversation") if x.trace == TRACE], "its span")
        first, = wait_for(lambda: [x for x in _spans(path, "http") if x.trace == TRACE], "the request's")
        equal((one.name, one.parent, first.parent), ("TALK", first.id, CALLER))
