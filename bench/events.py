# SPDX-License-Identifier: Apache-2.0
"""events.py - benchmark of events: posts to 0, 1, 10, 100 subscribers"""
import subprocess

from domain import Domain
from report import median
from ways import ways

# Subscribers, subscriptions to other names.
CASES = (0, 0), (0, 100000), (1, 0), (10, 0), (100, 0), (1, 100000)
TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("subscribers", "subscribers", 11, "%d"), ("others", "others", 8, "%d"),
    ("us_per_post", "us/post", 9, "%.2f"),
    ("posts_per_s", "posts/s", 10, "%d"),
    ("deliveries_per_s", "deliveries/s", 12, "%d"),
)


def bench_events(m):
    """tppost() of 200 bytes to services, one tpevsrv."""
    for way in ways(m.transport):
        sinks = {"SINKS": str(max(n for n, _ in CASES))}
        with Domain(m.bin, "echosv", 4, env={**way.env(), **sinks}) as dom:
            dom.start()
            broker = subprocess.Popen(dom.command("tpevsrv", "-i", "900"),
                                      env=dom.env, stdin=subprocess.DEVNULL)
            for subscribers, others in CASES:
                case(m, dom, way, subscribers, min(others, m.calls or others))
            broker.terminate()
            broker.wait(20)
            dom.stop()


def case(m, dom, way, subscribers, others):
    """One row: the median of the rounds."""
    posts = (m.calls or 20000) // max(1, subscribers // 5)
    posts *= 50 if subscribers == 0 else 1
    runs = []
    for i in range(m.rounds):
        m.report.note("events, %s, %d: round %d of %d" % (
            way, subscribers, i + 1, m.rounds))
        runs.append(dom.run("poster", subscribers, others, posts))
        if runs[-1]["failed"]:
            m.report.fail("%d deliveries failed\n%s" % (
                runs[-1]["failed"], dom.log_tail()))
    ns = median([r["ns_per_post"] for r in runs])
    m.report.row(TABLE, {
        "bench": "events", "transport": way.transport,
        "subscribers": subscribers, "others": others,
        "us_per_post": round(ns / 1e3, 3), "posts_per_s": int(1e9 / ns),
        "deliveries_per_s": int(1e9 / ns * subscribers)})
