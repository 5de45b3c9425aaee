# SPDX-License-Identifier: Apache-2.0
"""Spans of finished work, sent to an OpenTelemetry collector by ndrxotel."""
import glob
import os
import signal
import socket
import time

from checks import (at_least, at_most, between, contains, equal, lacks,
                    one_of)
from covers import covers
from fixture import Domain, kill, wait_for
from otlp import Receiver, read_lines

MAINLY = "shm"
COST = 31
INTERNAL, SERVER, CLIENT = 1, 2, 3


def rings(d):
    return glob.glob(d.segment("spans.*"))


def watch(d, *opts):
    """Start ndrxotel and wait until the servers note spans."""
    p = d.daemon("ndrxotel", *opts)
    wait_for(lambda: d.rows("spans"), "it shows its work")
    servers = [p.pid for p in d.procs.values() if p.poll() is None]
    wait_for(lambda: all(glob.glob(d.segment(f"spans.{pid}.*"))
                         for pid in servers), "servers note spans")
    return p


def counts(d):
    return d.rows("spans")[0]


def served(id_):
    """The id of the span that serves request `id_`."""
    return id_[:14] + f"{int(id_[14:], 16) ^ 1:02x}"


def test_a_call_and_what_it_leads_to_is_one_trace():
    with Receiver() as r, Domain() as d:
        d.server(1, "CALLON")
        d.server(2, "FORWARD", "ECHO")
        watch(d, "-e", r.url)
        equal(d.call("CALLON", "FORWARD ECHO hi").data, "hi")
        wait_for(lambda: len(r.find(op="serve")) == 3, "three services")
        wait_for(lambda: len(r.spans) == 9, "all spans", 5)
        first, = [s for s in r.spans if s.parent == ""]
        equal({s.trace for s in r.spans}, {first.trace}, "one trace")
        equal((first.name, first.kind, first.op), ("CALLON", CLIENT, "call"))
        # the call, what serves it, the call there, what serves that, which
        # forwards, and what serves that
        chain, at = [], first
        while True:
            below = [s for s in r.find(parent=at.id) if s.op != "wait"]
            chain.append((at.op, at.name))
            if not below:
                break
            at, = below
        equal(chain, [("call", "CALLON"), ("serve", "CALLON"),
                      ("call", "FORWARD"), ("serve", "FORWARD"),
                      ("forward", "ECHO"), ("serve", "ECHO")])
        for s in r.find(op="wait"):
            sent, = r.find(id=s.parent)
            one, = r.find(id=served(s.parent))
            equal((s.name, s.kind), (f"queue {sent.name}", INTERNAL))
            equal((s.end, one.kind), (one.begin, SERVER))
            equal(sorted([sent.begin, s.end, one.end]),
                  [sent.begin, s.end, one.end])
            between(s.begin, sent.begin, s.end)
        equal(len({s.id for s in r.spans}), 9, "ids")
        equal(first.attrs["rpc.system.name"], "onewake")
        equal(first.attrs["rpc.method"], "CALLON")
        equal(first.attrs["rpc.response.status_code"], "OK")
        lacks(first.attrs, "error.type")
        equal(first.resource["service.name"], "testcl")
        equal(first.resource["service.namespace"], d.prefix)
        equal(first.resource["host.name"], socket.gethostname())
        equal(at.resource["service.name"], "testsv")
        equal(at.attrs["onewake.server.id"], 2)
        one_of(at.resource["process.pid"], *d.procs)
        now = time.time_ns()
        between((now - first.end) / 1e9, 0, 60)
        path, headers = r.requests[0]
        equal((path, headers["Content-Type"]),
              ("/v1/traces", "application/json"))


def test_the_log_has_each_span_beside_the_reader():
    """Spans that only a reader wants go into its ring by a shorter way."""
    with Receiver() as r, Domain(env={
            "NDRX_DEBUG_STR":
            "ndrx=2 trace=y file=${NDRX_APPHOME}/all.log"}) as d:
        d.server(1, "ECHO")
        watch(d, "-e", r.url)
        c = d.client()
        equal([c.call("ECHO", "x").err for _ in range(3)], ["OK"] * 3)
        wait_for(lambda: len(r.find(op="serve")) == 3 and
                 len(r.find(op="call")) == 3, "the reader has them")
        with open(f"{d.home}/all.log", encoding="utf-8") as f:
            lines = [n.split("trace: ")[1].split()[0] for n in f
                     if "trace: " in n]
        equal((lines.count("call"), lines.count("serve")), (3, 3))


def test_a_trace_goes_on_through_durable_queues():
    with Receiver() as r, Domain() as d:
        conf = f"{d.home}/q.conf"
        with open(conf, "w", encoding="ascii") as f:
            f.write(">,waitretry=100ms\nECHO,autoq=Y,svcnm=ECHO\n")
        d.boot({"name": "tmqueue", "srvid": 80, "max": 1,
                "appopt": f"-m S -q {conf}"},
               {"srvid": 1, "appopt": "COUNT ECHO CALLON", "pingtime": 0},
               sections='<services><service svcnm="COUNT" durable="Y"/>'
                        '</services>')
        watch(d, "-e", r.url)
        wait_for(lambda: len(rings(d)) >= 2, "both note spans")
        c = d.client()
        equal(c("acall", "COUNT", "TPNOREPLY", "STRING:x").err, "OK")
        equal(c("enq", "S", "ECHO", "-", "-", "STRING:y").err, "OK")
        wait_for(lambda: r.find(op="serve", name="COUNT") and
                 r.find(op="serve", name="ECHO"), "both are served")
        for name, begins in (("COUNT", "@DURABLE"), ("ECHO", "tpenqueue ECHO")):
            end, = r.find(op="serve", name=name)
            path = [end]
            while path[-1].parent:
                wait_for(lambda: r.find(id=path[-1].parent), "its parent", 5)
                path += r.find(id=path[-1].parent)
            equal(len({s.trace for s in path}), 1, "one trace")
            equal(path[-1].name, begins)
            equal([s.resource["service.name"] for s in path][:3],
                  ["testsv", "tmqueue", "testcl"])


def test_what_fails_is_named():
    with Receiver() as r, Domain() as d:
        d.server(1, "FAIL", "SLEEP")
        watch(d, "-e", r.url)
        equal(d.call("FAIL", "x").err, "TPESVCFAIL")
        equal(d.call("NOSUCH", "x").err, "TPENOENT")
        c = d.client()
        c("blktime", "TPBLK_NEXT", "1")
        equal(c.call("SLEEP", "1300").err, "TPETIME")
        cd = c("acall", "SLEEP", "-", "STRING:1").ret
        equal(c("cancel", cd).err, "OK")
        wait_for(lambda: {s.name for s in r.find(op="call")} ==
                 {"FAIL", "NOSUCH", "SLEEP"} and
                 len(r.find(op="call")) == 4, "four calls")
        errors = sorted((s.name, s.attrs["error.type"]) for s in r.find(op="call"))
        equal(errors, [("FAIL", "TPESVCFAIL"), ("NOSUCH", "TPENOENT"),
                       ("SLEEP", "TPETIME"), ("SLEEP", "cancelled")])
        for s in r.find(op="call"):
            equal((s.status["code"], s.status["message"]),
                  (2, s.attrs["error.type"]))
        fail, = r.find(op="serve", name="FAIL")
        equal(fail.attrs["rpc.response.status_code"], "TPESVCFAIL")
        # The time of the one that was given up goes on in its service.
        wait_for(lambda: r.find(op="serve", name="SLEEP"), "it ends")
        slow = r.find(op="serve", name="SLEEP")[0]
        equal(slow.status, {})
        at_least((slow.end - slow.begin) / 1e9, 1.29)


def test_spans_of_a_killed_server_are_read_and_its_ring_goes():
    with Receiver() as r, Domain() as d:
        p = d.server(1, "ECHO")
        reader = watch(d, "-e", r.url)
        kill(reader.pid, signal.SIGSTOP)
        for i in range(20):
            equal(d.call("ECHO", str(i)).err, "OK")
        kill(p.pid)
        p.wait()
        equal(len(glob.glob(d.segment(f"spans.{p.pid}.*"))), 1)
        kill(reader.pid, signal.SIGCONT)
        wait_for(lambda: len(r.find(op="serve")) == 20, "all of them")
        wait_for(lambda: not glob.glob(d.segment(f"spans.{p.pid}.*")),
                 "no ring")
        equal(counts(d).torn, 0)
        d.server(1, "ECHO")  # takes over what the dead one had


def test_nothing_is_noted_when_nobody_reads():
    with Receiver() as r, Domain() as d:
        d.server(1, "ECHO")
        equal(d.call("ECHO", "x").err, "OK")
        equal((rings(d), d.rows("spans")), ([], []))
        reader = watch(d, "-e", r.url)
        other = d.run("ndrxotel")
        equal(other.returncode, 1)
        contains(other.stderr, "another ndrxotel reads the spans")
        equal(d.call("ECHO", "x").err, "OK")
        wait_for(lambda: r.find(op="serve"), "one is noted")
        kill(reader.pid)  # nobody says that it has ended; five seconds do
        reader.wait()
        d.daemons.remove(reader)
        d.helpers.remove(reader)
        equal(d.rows("spans"), [])
        wait_for(lambda: noted(d) == noted(d, again=True), "they cease", 20)
        # The next reader goes on.
        watch(d, "-e", r.url)
        d.call("ECHO", "x")
        wait_for(lambda: len(r.find(op="serve")) >= 2, "one more")


def noted(d, again=False):
    """How many spans the ring of the server has had; after two calls."""
    path, = glob.glob(d.segment(f"spans.{list(d.procs)[0]}.*"))
    if again:
        for _ in range(2):
            equal(d.call("ECHO", "x").err, "OK")
    with open(path, "rb") as f:
        f.seek(128)
        return int.from_bytes(f.read(8), "little")


@covers("xadmin spans")
def test_what_a_slow_receiver_does_not_take_is_dropped_and_said():
    late = (503, {"Retry-After": "1"}, "later")
    with Receiver(late, (200, {}, "{}")) as r, Domain() as d:
        d.server(1, "ECHO")
        watch(d, "-e", r.url)
        equal(d.call("ECHO", "x").err, "OK")
        wait_for(lambda: len(r.spans) == 3, "the second try")
        equal(counts(d).failures, 1)
    with Receiver((503, {}, "never")) as r, Domain() as d:
        d.server(1, "ECHO")
        watch(d, "-e", r.url, "-q", "512")
        equal(d.client()("calls", "ECHO", 400, 1).ok, 400)
        # 800 spans: a batch of 512 waits, the rest has no room.
        wait_for(lambda: counts(d).dropped_by_reader == 288, "dropped")
        row = counts(d)
        equal((row.read, row.waiting, row.sent), (800, 512, 0))
        contains(row.error, "HTTP 503")
        contains(d.xadmin("doctor", ok=False).stdout, "traces have gaps")
        r.answer((200, {}, "{}"))


def test_a_receiver_that_comes_back_gets_what_is_new():
    with Receiver((503, {}, "later")) as r, Domain() as d:
        d.server(1, "ECHO", "NEW=ECHO")
        watch(d, "-e", r.url, "-q", "1100")
        equal(d.client()("calls", "ECHO", 1000, 1).ok, 1000)
        wait_for(lambda: counts(d).waiting + counts(d).dropped_by_reader ==
                 2000, "all have come")
        equal(d.client()("calls", "NEW", 100, 1).ok, 100)
        wait_for(lambda: counts(d).waiting + counts(d).dropped_by_reader ==
                 2200, "all have come")
        r.answer((200, {}, "{}"))
        wait_for(lambda: counts(d).waiting == 0, "sent", 40)
        equal(len(r.find(op="serve", name="NEW")), 100)
        at_least(counts(d).dropped_by_reader, 1000)


def test_a_slow_reader_costs_spans_and_no_calls():
    with Domain() as d:
        d.server(1, "ECHO")
        out = f"{d.home}/spans.jsonl"
        reader = watch(d, "-f", out)
        kill(reader.pid, signal.SIGSTOP)
        equal(d.client()("calls", "ECHO", 3000, 2).ok, 6000)
        kill(reader.pid, signal.SIGCONT)
        # The server goes on while calls come, and so does the client, unless
        # all that took longer than spans are wanted without a reader.
        wait_for(lambda: counts(d).read >= 2048 and
                 counts(d).dropped_by_processes > 0, "the ring was full")
        row = counts(d)
        equal((row.torn, row.dropped_by_reader), (0, 0))
        equal(stop(d, reader), 0)
        at_least(len([s for s in read_lines(out) if s.op != "wait"]), row.read)


def stop(d, reader):
    """End ndrxotel; its exit status."""
    reader.terminate()
    status = reader.wait(10)
    d.daemons.remove(reader)
    d.helpers.remove(reader)
    return status


def test_a_refusal_is_counted():
    with Receiver((400, {}, "what is this?"),
                  (200, {}, '{"partialSuccess":{"rejectedSpans":"1"}}'),
                  (200, {}, "{}")) as r, Domain() as d:
        d.server(1, "ECHO")
        watch(d, "-e", r.url)
        equal(d.call("ECHO", "x").err, "OK")
        wait_for(lambda: counts(d).refused >= 2, "refused")
        contains(counts(d).error, "HTTP 400: what is this?")
        text = d.xadmin("doctor", ok=False).stdout
        contains(text, "traces have gaps")
        equal(d.call("ECHO", "x").err, "OK")
        wait_for(lambda: counts(d).refused >= 3, "one of them")


def _thirty_and_two(d, out):
    """Thirty good calls, one that fails, one that is slow: two traces."""
    for i in range(30):
        equal(d.call("ECHO", str(i)).err, "OK")
    equal(d.call("CALLON", "FAIL x").err, "TPESVCFAIL")
    equal(d.call("SLEEP", "1000").err, "OK")
    wait_for(lambda: {s.name for s in read_lines(out)} >=
             {"SLEEP", "FAIL", "CALLON"}, "two traces")


def test_at_the_source_only_what_failed_or_was_slow_is_noted():
    """-N: the ring has nothing else, so the reader reads nothing else."""
    with Domain() as d:
        out = f"{d.home}/spans.jsonl"
        d.server(1, "ECHO", "FAIL", "SLEEP", "CALLON")
        d.server(2, "FAIL")
        watch(d, "-f", out, "-N", "1000000000", "-s", "900")
        _thirty_and_two(d, out)
        spans = [s for s in read_lines(out) if s.op != "wait"]
        equal(sorted((s.op, s.name) for s in spans),
              [("call", "CALLON"), ("call", "FAIL"), ("call", "SLEEP"),
               ("serve", "CALLON"), ("serve", "FAIL"), ("serve", "SLEEP")])
        wait_for(lambda: counts(d).read >= len(spans), "it shows what it read")
        equal(counts(d).read, len(spans), "spans that were noted")
        # what is said at the end of a call that nobody had chosen
        of = {(s.op, s.name): s for s in spans}
        first = of["call", "CALLON"]
        equal((first.parent, first.kind), ("", CLIENT))
        lacks(first.attrs, "onewake.server.id")
        for kind, name, above in (("serve", "CALLON", "call CALLON"),
                                  ("call", "FAIL", "serve CALLON"),
                                  ("serve", "FAIL", "call FAIL")):
            s = of[kind, name]
            equal((s.trace, s.parent, s.attrs["onewake.server.id"]),
                  (first.trace, of[tuple(above.split())].id,
                   {"FAIL": 2}.get(name, 1) if kind == "serve" else 1))
        for s in spans:
            between((s.end - s.begin) / 1e9, 0.9 if s.name == "SLEEP" else 0,
                    20)
            at_least(s.attrs["onewake.request.size"], 1)
            one_of(s.attrs["rpc.response.status_code"],
                   "OK" if s.name == "SLEEP" else "TPESVCFAIL")


def test_at_the_source_calls_without_a_reply_are_noted_too():
    """-N: one that is not answered in time, one that nobody serves, one of several
    whose replies come later, and none that is cancelled."""
    with Domain() as d:
        out = f"{d.home}/spans.jsonl"
        d.server(1, "ECHO", "FAIL")
        d.server(2, "SLEEP")
        watch(d, "-f", out, "-N", "1000000000")
        c = d.client(NDRX_TOUT="1")
        equal(c("call", "ECHO", "-", "STRING:x").err, "OK") # now it looks
        equal(c("call", "NOBODY", "-", "STRING:x").err, "TPENOENT")
        equal(c("call", "SLEEP", "-", "STRING:1500").err, "TPETIME")
        cds = [c("acall", s, "-", "STRING:x").ret
               for s in ("ECHO", "FAIL", "ECHO")]
        equal(c("cancel", cds[0]).err, "OK")
        equal(c("getrply", cds[1]).err, "TPESVCFAIL")
        equal(c("getrply", cds[2]).err, "OK")
        wait_for(lambda: len([s for s in read_lines(out) if s.op != "wait"]) >= 4,
                 "what failed")
        equal(sorted((s.op, s.name, s.attrs["error.type"])
                     for s in read_lines(out) if s.op != "wait"),
              [("call", "FAIL", "TPESVCFAIL"), ("call", "NOBODY", "TPENOENT"),
               ("call", "SLEEP", "TPETIME"), ("serve", "FAIL", "TPESVCFAIL")])


def test_the_sampler_of_opentelemetry_is_known():
    with Domain() as d:
        out = f"{d.home}/spans.jsonl"
        d.server(1, "ECHO")
        d.env["OTEL_TRACES_SAMPLER"] = "parentbased_traceidratio"
        d.env["OTEL_TRACES_SAMPLER_ARG"] = "0.05"
        watch(d, "-f", out)
        for i in range(400):
            equal(d.call("ECHO", str(i)).err, "OK")

        def ops():
            of = {}
            for s in read_lines(out):
                of.setdefault(s.trace, []).append(s.op)
            return of
        wait_for(lambda: ops() and all(sorted(o) == ["call", "serve", "wait"]
                                       for o in ops().values()),
                 "one in twenty, each whole")
        between(len(ops()), 1, 80, "of 400 traces")
        # as TraceIdRatioBased of OpenTelemetry's SDKs chooses
        at_most(max(int(t[16:], 16) for t in ops()), 2**64 // 20)
    with Domain() as d:
        for name, value, says in (
                ("jaeger_remote", "1", "OTEL_TRACES_SAMPLER=jaeger_remote"),
                ("traceidratio", "2", "OTEL_TRACES_SAMPLER_ARG=2")):
            d.env["OTEL_TRACES_SAMPLER"] = name
            d.env["OTEL_TRACES_SAMPLER_ARG"] = value
            contains(d.run("ndrxotel", "-f", "/none/spans").stderr, says)
        contains(d.run("ndrxotel", "-n", "2", "-N", "2").stderr,
                 "give -n or -N")


def test_failed_and_slow_traces_are_chosen():
    with Domain() as d:
        out = f"{d.home}/spans.jsonl"
        d.server(1, "ECHO", "FAIL", "SLEEP", "CALLON")
        d.server(2, "FAIL")
        watch(d, "-f", out, "-n", "1000000", "-s", "900", "-w", "1500")
        _thirty_and_two(d, out)
        wait_for(lambda: counts(d).left_out == 60, "the others are left out")
        spans = read_lines(out)
        equal(len({s.trace for s in spans}), 2, "traces")
        # Each whole: also what did not fail in it.
        equal(sorted((s.op, s.name) for s in spans if s.op != "wait"),
              [("call", "CALLON"), ("call", "FAIL"), ("call", "SLEEP"),
               ("serve", "CALLON"), ("serve", "FAIL"), ("serve", "SLEEP")])
        equal(os.stat(out).st_mode & 0o777, 0o600)
        wait_for(lambda: (counts(d).held, counts(d).sent) == (0, 6), "sent")
