# SPDX-License-Identifier: Apache-2.0
"""A real OpenTelemetry collector stores what ndrxotel sends.

In the long form alone: the collector is built of modules of the Go proxy, two
minutes, once for a build folder. Without Go or the proxy the story is skipped.
"""
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import tempfile

from checks import at_least, check, contains, equal
from cluster import BRIDGE, Cluster, free_port
from databases import Postgres
from fixture import Skip, wait_for
from httpgate import GateDomain
from machine import BUILD, LONG
from otlp import points, read

COST = 30
MAINLY = "shm"

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "collector")
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"
SERVED = "rpc.server.call.duration"


def _go(folder, *words):
    r = subprocess.run(["go", *words], cwd=folder, capture_output=True,
                       text=True, check=False, timeout=900,
                       env={**os.environ, "GOFLAGS": "-mod=mod -buildvcs=false",
                            "GOTOOLCHAIN": "local"})
    return r


def _program():
    """The collector of these sources, built if it is not there yet."""
    if not LONG:
        raise Skip("a collector is built in the long form: ./check --long")
    if shutil.which("go") is None:
        raise Skip("no Go here")
    total = hashlib.sha256()
    for name in sorted(os.listdir(SOURCE)):
        with open(os.path.join(SOURCE, name), "rb") as f:
            total.update(f.read())
    path = os.path.join(BUILD, "collector", total.hexdigest()[:16])
    if os.path.exists(path):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCE, folder, dirs_exist_ok=True)
        r = _go(folder, "mod", "tidy")
        if r.returncode != 0:  # no proxy, or an older Go
            raise Skip("no collector: go mod tidy: " +
                       (r.stderr.strip().splitlines() or ["?"])[-1][:200])
        r = _go(folder, "build", "-p", "2", "-ldflags=-s -w", "-o",
                path + f".{os.getpid()}", ".")
        equal(r.returncode, 0, r.stderr)
    os.rename(path + f".{os.getpid()}", path)
    return path


class Collector:
    """It runs; what it has stored."""

    def __init__(self, home):
        program = _program()
        self.port, self.file = free_port(), f"{home}/stored.jsonl"
        self.base = f"http://127.0.0.1:{self.port}"
        conf = f"{home}/collector.yaml"
        pipe = "{receivers: [otlp], exporters: [lines]}"
        with open(conf, "w", encoding="ascii") as f:
            f.write("receivers: {otlp: {protocols: {http: {endpoint: "
                    f"'127.0.0.1:{self.port}'}}}}}}}}\n"
                    f"exporters: {{lines: {{path: '{self.file}'}}}}\n"
                    "service:\n"
                    "  telemetry: {metrics: {level: none}}\n"
                    f"  pipelines: {{traces: {pipe}, metrics: {pipe}}}\n")
        self.log = open(f"{home}/collector.log", "ab")
        self.proc = subprocess.Popen([program, "--config", "file:" + conf],
                                     stdout=self.log, stderr=self.log,
                                     stdin=subprocess.DEVNULL)

    def __enter__(self):
        wait_for(self._listens, "the collector listens", 30)
        return self

    def __exit__(self, *_):
        self.proc.kill()
        self.proc.wait()
        self.log.close()

    def _listens(self):
        check(self.proc.poll() is None, "the collector runs: collector.log")
        with open(self.log.name, encoding="utf-8") as f:
            return "Everything is ready" in f.read()

    def _lines(self, what):
        with contextlib.suppress(FileNotFoundError):
            with open(self.file, encoding="utf-8") as f:
                for line in f:
                    if line.endswith("\n") and what in line:
                        yield json.loads(line)

    def spans(self, **want):
        return [s for r in self._lines('"resourceSpans"') for s in read(r)
                if all(getattr(s, k) == v for k, v in want.items())]

    def points(self, name):
        return [p for r in self._lines('"resourceMetrics"')
                for p in points(r) if p.name == name]


def _watch(d, collector):
    d.daemon("ndrxotel", "-e", collector.base + "/v1/traces", "-m",
             collector.base + "/v1/metrics", "-i", "500")
    wait_for(lambda: d.rows("spans"), "it reads")


def _begin(gate, collector):
    """Until all processes on the way note spans."""
    def noted():
        gate.post("/pay", "update a set n = n where id = 1")
        ops = {(s.op, s.resource["service.name"]) for s in collector.spans()}
        return {("http", "httpgate"), ("send", "ndrxbridge"), ("serve", "pgsv"),
                ("serve", "tmsrv")} <= ops
    wait_for(noted, "spans of all", 30)


def _nodes(c, pg):
    """Node 1 has the gate; at node 2 PG is stored, and writes to PostgreSQL."""
    pg.sql("create table a (id int primary key, n int)")
    pg.sql("insert into a values (1, 100)")
    gate = c.stack.enter_context(GateDomain(
        '<route path="/pay" svc="PG" async="Y" conv="text"/>',
        {"name": "ndrxbridge", "srvid": BRIDGE + 5}, sections=c.section(1),
        env={"NDRX_NODEID": "1"}))
    there = c.domain(2)
    queues = f"{there.home}/q.conf"
    with open(queues, "w", encoding="ascii") as f:
        f.write(">,waitretry=100ms\n")
    there.boot({"name": "tmqueue", "srvid": 80, "max": 1,
                "appopt": f"-m S -q {queues}"},
               {"name": "ndrxbridge", "srvid": BRIDGE},
               sections=c.section(2) + '<services><service svcnm="PG" '
               'durable="Y" autotran="Y"/></services>')
    there.server(103, "-s", "200ms", binary="tmsrv", env=pg.env)
    there.server(13, "PG", binary="pgsv", env=pg.env)
    c.sees(gate, "PG")
    return gate, there


def _path(spans, end):
    """The spans from `end` to the one without a parent here."""
    by = {s.id: s for s in spans}
    path = [end]
    while path[-1].parent in by:
        path.append(by[path[-1].parent])
    return path


def test_one_trace_from_http_through_two_nodes_and_a_queue_to_a_commit():
    _program()
    with Postgres() as pg, Cluster() as c:
        gate, there = _nodes(c, pg)
        with Collector(gate.home) as collector:
            _watch(gate, collector)
            _watch(there, collector)
            _begin(gate, collector)
            a = gate.ask("POST", "/pay",
                         "update a set n = n + 11 where id = 1",
                         {"traceparent": f"00-{TRACE}-{CALLER}-01"})
            equal(a.status, 202, a.body)
            wait_for(lambda: pg.sql("select n from a") == "111", "paid", 20)
            commit = wait_for(lambda: [
                s for s in collector.spans(trace=TRACE) if s.op == "commit"],
                "the commit is stored", 20)[0]
            wait_for(lambda: collector.spans(trace=TRACE, op="http"), "all", 20)
            spans = collector.spans(trace=TRACE)
            path = _path(spans, commit)
            print([(s.op, s.name, s.resource["service.name"],
                    s.resource["onewake.node.id"]) for s in path])
            equal((path[-1].op, path[-1].parent), ("http", CALLER))
            equal([s.resource["onewake.node.id"] for s in path],
                  sorted((s.resource["onewake.node.id"] for s in path),
                         reverse=True), "from node 1 to node 2")
            equal({s.resource["onewake.node.id"] for s in path}, {1, 2})
            for program in ("httpgate", "ndrxbridge", "tmqueue", "pgsv"):
                contains([s.resource["service.name"] for s in path], program)
            contains([(s.op, s.name) for s in path], ("serve", "PG"))
            asked = [s for s in spans if s.parent == commit.id]
            check(asked, "tmsrv was asked for the commit")
            equal({s.resource["host.name"] for s in spans},
                  {commit.resource["host.name"]})
            wait_for(lambda: [p for p in collector.points(SERVED)
                              if p.attrs["rpc.method"] == "PG" and
                              "exemplars" in p.raw], "its time", 20)
            p = [p for p in collector.points(SERVED)
                 if p.attrs["rpc.method"] == "PG" and
                 "exemplars" in p.raw][-1]
            at_least(int(p.raw["count"]), 1)
            stored = {(s.trace, s.id) for s in collector.spans(op="serve")}
            for e in p.raw["exemplars"]:
                contains(stored, (e["traceId"], e["spanId"]))
            equal(p.resource["onewake.node.id"], 2)
