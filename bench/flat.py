# SPDX-License-Identifier: Apache-2.0
"""flat.py - the memory of clients in other languages does not grow: flat

A driver says its memory after a tenth, and at the end: of calls, and of contexts that
are made, used and freed.
"""
import json
import subprocess

from bindings import Go, Python, environment
from domain import Domain, DomainFailed
from ways import ways

# What may be added: an arena of malloc() for a thread, a span of Go's heap.
SLACK_KB = 2048
WORK = (("calls", "echo", 1, 4), ("contexts", "contexts", 100, 1))
TABLE = (
    ("bench", "bench", 6, "%s"), ("transport", "transport", 9, "%s"),
    ("language", "language", 8, "%s"), ("what", "what", 9, "%s"), ("times", "times", 10, "%d"),
    ("early_kb", "kB, 1/10", 9, "%d"), ("end_kb", "kB, end", 9, "%d"),
)


def bench_flat(m):
    """Memory of clients in Go and Python over --calls calls (1,000,000), and a hundredth as
    many contexts made and freed."""
    found = [x for x in (Go(m), Python(m)) if x.here()]
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", 1, env={**environment(found), **way.env()}) as dom:
            dom.start()
            for x in found:
                for what, job, less, callers in WORK:
                    _one(m, dom, way, x, what, job, (m.calls or 1000000) // less, callers)
            dom.stop()


def _one(m, dom, way, x, what, job, times, callers):
    m.report.note("flat: %s, %d %s" % (x.name, times, what))
    r = subprocess.run(x.driver(job, "threads", times, callers), env=dom.env, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if r.returncode:
        raise DomainFailed("the driver in %s ended with status %d" % (x.name, r.returncode))
    told = json.loads(r.stdout)
    early, end = told["rss_kb"]
    m.report.row(TABLE, {"bench": "flat", "transport": way.transport, "language": x.name,
                         "what": what, "times": times, "early_kb": early, "end_kb": end})
    if told["failed"]:
        m.report.fail("%s: %d of %d %s failed" % (x.name, told["failed"], times, what))
    if end > early + SLACK_KB:
        m.report.fail("%s: %d kB, then %d, over %d %s" % (x.name, early, end, times, what))
