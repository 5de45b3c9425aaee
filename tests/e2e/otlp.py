# SPDX-License-Identifier: Apache-2.0
"""otlp.py - an OTLP/HTTP receiver that keeps what it gets, and spans as it
reads them."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Span:
    """One span; attributes and those of its resource are dicts."""

    def __init__(self, raw, resource, scope):
        self.trace, self.id = raw["traceId"], raw["spanId"]
        self.parent = raw.get("parentSpanId", "")
        self.name, self.kind = raw["name"], raw["kind"]
        self.begin = int(raw["startTimeUnixNano"])
        self.end = int(raw["endTimeUnixNano"])
        self.attrs = attributes(raw["attributes"])
        self.status = raw.get("status", {})
        self.resource, self.scope = resource, scope

    @property
    def op(self):
        return self.attrs["onewake.operation"]

    def __repr__(self):
        return (f"{self.op} {self.name} {self.trace[-4:]}/{self.id}"
                f"<{self.parent} {self.status} {self.resource['service.name']}")


def attributes(rows):
    result = {}
    for row in rows:
        (kind, value), = row["value"].items()
        assert kind in ("stringValue", "intValue"), row
        result[row["key"]] = int(value) if kind == "intValue" else value
    return result


def read(request):
    """The spans of an ExportTraceServiceRequest."""
    for r in request["resourceSpans"]:
        resource = attributes(r["resource"]["attributes"])
        for s in r["scopeSpans"]:
            for raw in s["spans"]:
                yield Span(raw, resource, s["scope"])


def read_lines(path):
    """The same of a file with a request in each line; the last one may be at
    work."""
    try:
        with open(path, encoding="utf-8") as f:
            return [s for line in f if line.endswith("\n")
                    for s in read(json.loads(line))]
    except FileNotFoundError:
        return []


class Point:
    """A data point of a metric; its own members are those of OTLP."""

    def __init__(self, metric, raw, kind, resource):
        self.name, self.unit, self.kind = metric["name"], metric["unit"], kind
        self.whole = metric[kind]
        self.attrs = attributes(raw.get("attributes", []))
        self.raw, self.resource = raw, resource

    @property
    def value(self):
        return (int(self.raw["asInt"]) if "asInt" in self.raw
                else self.raw.get("asDouble"))


def points(request):
    """The data points of an ExportMetricsServiceRequest."""
    for r in request["resourceMetrics"]:
        resource = attributes(r["resource"]["attributes"])
        for s in r["scopeMetrics"]:
            for metric in s["metrics"]:
                kind, = set(metric) - {"name", "unit", "description",
                                       "metadata"}
                for raw in metric[kind].get("dataPoints", []):
                    yield Point(metric, raw, kind, resource)


class Receiver:
    """It answers with `answers`, the first one first, the last one for ever:
    (status, headers, body). It outlives the domain: ndrxotel tries for some
    seconds to send what it has when it ends."""

    def __init__(self, *answers):
        self.answers = list(answers) or [(200, {}, "{}")]
        self.requests, self.spans = [], []
        self.looks = []  # of each request with metrics: its points
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers, text = outer.take(self, body)
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.http.server_port}"
        self.url, self.metrics = (f"{self.base}/v1/{x}"
                                  for x in ("traces", "metrics"))
        threading.Thread(target=self.http.serve_forever, args=(0.02,),
                         daemon=True).start()

    def answer(self, *answers):
        """From now on."""
        with self.lock:
            self.answers = list(answers)

    def take(self, handler, body):
        with self.lock:
            answer = self.answers[0]
            if len(self.answers) > 1:
                self.answers.pop(0)
            self.requests.append((handler.path, dict(handler.headers)))
            if answer[0] != 200:
                return answer
            if handler.path.endswith("/metrics"):
                self.looks.append(list(points(json.loads(body))))
            else:
                self.spans += read(json.loads(body))
            return answer

    def point(self, name, **attrs):
        """The point of this metric in the last look; of attributes with _ for
        dots those that are given."""
        with self.lock:
            found = [p for p in (self.looks or [[]])[-1] if p.name == name and
                     all(p.attrs.get(k.replace("_", ".")) == v
                         for k, v in attrs.items())]
        assert len(found) < 2, found
        return found[0] if found else None

    def find(self, **want):
        """Spans with these members; of attributes with _ for dots."""
        with self.lock:
            return [s for s in self.spans
                    if all(getattr(s, k) == v for k, v in want.items())]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()
