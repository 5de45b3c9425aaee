# SPDX-License-Identifier: Apache-2.0
"""Metrics by OTLP, sent by ndrxotel; exemplars lead from a bucket to a trace."""
import signal
import site
import socket
import sysconfig
import time

from checks import at_least, at_most, check, contains, equal, soon
from fixture import Domain, Skip, kill, wait_for
from openmetrics import parse
from otlp import Receiver, points

import json

site.addsitedir(sysconfig.get_path("purelib"))  # stories run without it
try:
    from prometheus_client.openmetrics.parser import (
        text_string_to_metric_families as families)
except ImportError:
    families = None

MAINLY = "shm"
COST = 20
CALLS = 7
SERVED = "rpc.server.call.duration"
BOTH = {"rpc.system.name": "onewake", "rpc.method": "ECHO"}


def _echo(d, n=CALLS):
    c = d.client()
    for _ in range(n):
        equal(c.call("ECHO", "x").err, "OK")


def _count(p):
    return int(p.raw["count"]) if p else 0


def _served(r, n, service="ECHO"):
    """The histogram of a service, when it has so many calls."""
    return wait_for(lambda: _count(r.point(SERVED, rpc_method=service)) == n and
                    r.point(SERVED, rpc_method=service), f"{n} calls", 20)


def test_figures_are_sent_as_metrics_with_the_names_of_opentelemetry():
    with Receiver() as r, Domain() as d:
        d.server(1, "ECHO")
        before = time.time_ns()
        d.daemon("ndrxotel", "-e", r.url, "-m", r.metrics, "-i", "200")
        wait_for(lambda: r.looks, "metrics")
        _echo(d)
        p = _served(r, CALLS)
        equal((p.unit, p.kind, p.attrs), ("s", "histogram", BOTH))
        equal(p.whole["aggregationTemporality"], 2)
        equal(sum(int(n) for n in p.raw["bucketCounts"]), CALLS)
        equal(len(p.raw["bucketCounts"]), len(p.raw["explicitBounds"]) + 1)
        equal(p.raw["explicitBounds"], sorted(p.raw["explicitBounds"]))
        at_least(p.raw["sum"], 0)
        begin, now = (int(p.raw[k]) for k in ("startTimeUnixNano",
                                              "timeUnixNano"))
        check(before <= begin < now <= time.time_ns(), "times")
        equal({k: p.resource[k] for k in ("service.name", "service.namespace",
                                          "service.instance.id",
                                          "onewake.node.id")},
              {"service.name": "onewake",
               "service.namespace": d.env["NDRX_QPREFIX"].strip("/"),
               "service.instance.id": d.env.get("NDRX_NODEID", "1"),
               "onewake.node.id": int(d.env.get("NDRX_NODEID", "1"))})
        check(p.resource["host.name"], "a host")
        calls = r.point("onewake_service_calls", service="ECHO", result="ok")
        equal((calls.kind, calls.value, calls.whole["isMonotonic"],
               calls.whole["aggregationTemporality"]), ("sum", CALLS, True, 2))
        up = r.point("onewake_up")
        equal((up.kind, up.value, up.unit), ("gauge", 1, "1"))
        names = {x.name for x in r.looks[-1]}
        text = parse(d.run("ndrxmetrics", "-1").stdout)
        here = {f.name for f in text.values() if f.samples}
        equal(here - names, {"onewake_service_time_seconds"},
              "each family is a metric")


def test_counters_do_not_fall_when_a_server_dies():
    with Receiver() as r, Domain() as d:
        p = d.server(1, "ECHO")
        d.daemon("ndrxotel", "-e", r.url, "-m", r.metrics, "-i", "200")
        wait_for(lambda: r.looks, "metrics")
        _echo(d)
        _served(r, CALLS)
        kill(p.pid)
        d.procs.pop(p.pid)
        d.server(2, "ECHO")
        _echo(d, 2)
        point = _served(r, CALLS + 2)
        starts = {x.raw["startTimeUnixNano"] for look in r.looks for x in look
                  if x.name == SERVED}
        equal(starts, {point.raw["startTimeUnixNano"]}, "one beginning")
        seen = [_count(x) for look in r.looks for x in look if x.name == SERVED]
        equal(seen, sorted(seen), "they grow")


def test_counters_of_another_domain_have_another_beginning():
    """It begins between two looks of ndrxotel."""
    with Receiver() as r, Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        p = d.daemon("ndrxotel", "-e", r.url, "-m", r.metrics, "-i", "200")
        wait_for(lambda: r.looks, "metrics")
        _echo(d)
        before = int(_served(r, CALLS).raw["startTimeUnixNano"])
        kill(p.pid, signal.SIGSTOP)
        d.close_clients()
        d.xadmin("stop", "-y")
        wait_for(lambda: not d.exists(), "it is gone")
        d.boot({"srvid": 1, "appopt": "ECHO"})
        between = time.time_ns()
        kill(p.pid, signal.SIGCONT)
        _echo(d, 2)
        begin = int(_served(r, 2).raw["startTimeUnixNano"])
        check(before < between <= begin, f"{before} {between} {begin}")


def test_what_was_sent_and_dropped_of_metrics_is_counted():
    with Receiver((200, {}, "{}"), (400, {}, "no")) as r, Domain() as d:
        d.server(1, "ECHO")
        d.daemon("ndrxotel", "-f", f"{d.home}/spans", "-m", r.metrics, "-i",
                 "200")
        row = wait_for(lambda: [x for x in d.rows("spans")
                                if x.metrics_dropped > 0], "refused", 20)[0]
        check(row.metrics_sent > 0 and row.metrics_failures > 0, f"{row}")
        contains(row.metrics_error, "400")
        equal(row.metrics_to, r.metrics)
        words = next(x.split() for x in d.xadmin("spans").stdout.splitlines()
                     if " metrics " in x)
        equal((words[1:5], words[-1] != "-"), (["metrics", "-", "-", "-"], True))


def test_the_reader_of_prometheus_takes_exemplars():
    if families is None:
        raise Skip("prometheus_client (PyPI) is needed")
    with Receiver() as r, Domain() as d:
        d.server(1, "ECHO", "SLEEP")
        d.daemon("ndrxotel", "-e", r.url, "-m", r.metrics, "-i", "200")
        wait_for(lambda: d.rows("spans"), "it reads")
        wait_for(lambda: d.call("SLEEP", "150").err == "OK" and
                 r.find(op="serve", name="SLEEP"), "a span of it", 20)

        def read():
            text = d.run("ndrxmetrics", "-1").stdout
            return [s.exemplar for f in families(text) for s in f.samples
                    if s.exemplar is not None and
                    s.labels["service"] == "SLEEP"]
        e = wait_for(read, "its exemplar")[0]
        equal(set(e.labels), {"trace_id", "span_id"})
        wait_for(lambda: e.labels["trace_id"] in
                 [s.trace for s in r.find(op="serve")], "its trace is sent")
        check(e.value >= 0.131072, f"{e}")


def test_a_receiver_that_is_away_gets_the_newest_counts_later():
    with Receiver((503, {"Retry-After": "1"}, "busy"),
                  (200, {}, "{}")) as r, Domain() as d:
        d.server(1, "ECHO")
        d.daemon("ndrxotel", "-f", f"{d.home}/spans", "-m", r.metrics, "-i",
                 "100")
        _echo(d)
        _served(r, CALLS)


def test_a_receiver_that_hangs_holds_it_up_for_three_seconds_at_its_end():
    with socket.create_server(("127.0.0.1", 0)) as deaf, Domain() as d:
        d.server(1, "ECHO")
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1/"
        p = d.daemon("ndrxotel", "-e", f"{url}traces", "-m", f"{url}metrics",
                     "-i", "100")
        wait_for(lambda: d.rows("spans"), "it reads")
        _echo(d)
        # Spans and metrics are on their way.
        held = [deaf.accept()[0] for _ in range(2)]
        start = time.monotonic()
        p.terminate()
        equal(p.wait(60), 0)
        soon((time.monotonic() - start) * 1000, 5000)
        for s in held:
            s.close()


def test_variables_of_opentelemetry_say_where_metrics_go():
    with Receiver() as r, Domain() as d:
        d.server(1, "ECHO")
        d.env.update(OTEL_EXPORTER_OTLP_ENDPOINT=r.base,
                     OTEL_METRIC_EXPORT_INTERVAL="200")
        d.daemon("ndrxotel")
        _echo(d)
        _served(r, CALLS)
        wait_for(lambda: d.call("ECHO", "x").err == "OK" and
                 r.find(op="serve"), "spans, too", 20)
    with Receiver() as r, Domain() as d:
        d.server(1, "ECHO")
        d.env.update(OTEL_EXPORTER_OTLP_ENDPOINT=r.base,
                     OTEL_METRICS_EXPORTER="none",
                     OTEL_METRIC_EXPORT_INTERVAL="100")
        d.daemon("ndrxotel")
        wait_for(lambda: d.rows("spans"), "it reads")
        wait_for(lambda: d.call("ECHO", "x").err == "OK" and
                 r.find(op="serve"), "spans", 20)
        equal(r.looks, [])


def test_metrics_go_to_a_file():
    with Domain() as d:
        d.server(1, "ECHO")
        out = f"{d.home}/metrics.jsonl"
        p = d.daemon("ndrxotel", "-f", f"{d.home}/spans", "-m", out)
        wait_for(lambda: d.rows("spans"), "it reads")
        _echo(d)
        p.terminate()
        equal(p.wait(10), 0)
        d.daemons.remove(p)
        d.helpers.remove(p)
        with open(out, encoding="utf-8") as f:
            looks = [list(points(json.loads(line))) for line in f]
        last = next(x for x in looks[-1] if x.name == SERVED)
        equal(_count(last), CALLS)


def test_a_slow_bucket_leads_to_its_trace():
    with Receiver() as r, Domain() as d:
        d.server(1, "ECHO", "SLEEP")
        d.daemon("ndrxotel", "-e", r.url, "-m", r.metrics, "-i", "200")
        wait_for(lambda: d.rows("spans"), "it reads")
        text = d.run("ndrxmetrics", "-1").stdout
        equal([f.exemplars for f in parse(text).values() if f.exemplars], [])

        def slow():
            equal(d.call("SLEEP", "150").err, "OK")
            return r.find(op="serve", name="SLEEP")

        wait_for(slow, "a span of it", 20)
        time_of = parse(d.run("ndrxmetrics", "-1").stdout)[
            "onewake_service_time_seconds"]
        found = {dict(k[1])["service"]: (dict(k[1])["le"], v)
                 for k, v in time_of.exemplars.items()}
        equal(set(found), {"SLEEP"})
        le, (labels, value, when) = found["SLEEP"]
        at_least(value, 0.131072)
        check(float(le) / 2 <= value <= float(le), f"{value} in {le}")
        at_most(abs(time.time() - when), 60)
        key = labels["trace_id"], labels["span_id"]
        span = wait_for(lambda: {(s.trace, s.id): s for s in r.find(
            op="serve")}.get(key), "that span has come, too")
        equal(span.name, "SLEEP")
        at_most(abs((span.end - span.begin) / 1e9 - value), 0.001)
        p = wait_for(lambda: [x for x in r.looks[-1] if x.name == SERVED and
                              "exemplars" in x.raw], "in OTLP, too", 20)[0]
        e = p.raw["exemplars"][0]
        contains([s.trace for s in r.find(op="serve")], e["traceId"])
        check(e["asDouble"] >= 0.131072 and e["spanId"], f"{e}")
