# SPDX-License-Identifier: Apache-2.0
"""latency.py - the benchmark of latency at shares of the saturation rate

pace.c explains the measurement."""
from domain import Domain
from queues import middle, run_lines
from ways import ways

TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("wake", "wake", 9, "%s"), ("percent", "load %", 6, "%d"),
    ("calls_per_s", "calls/s", 8, "%.0f"), ("p50_us", "p50 us", 7, "%.0f"),
    ("p99_us", "p99 us", 7, "%.0f"), ("p999_us", "p99.9 us", 8, "%.0f"),
    ("max_us", "max us", 7, "%.0f"), ("lag_p50_us", "lag50", 6, "%.0f"),
    ("lag_p99_us", "lag99", 6, "%.0f"),
    ("call_p50_us", "call50", 6, "%.0f"), ("call_p99_us", "call99", 6, "%.0f"),
    ("call_p999_us", "call999", 7, "%.0f"),
)
PERCENTS = (10, 50, 80, 95)


def bench_latency(m):
    """p50, p99, p99.9, max at 10, 50, 80, 95 % of the saturation rate."""
    servers = (m.servers or [250])[0]
    words = ["-s", "BALANCE", "-w", servers, "-t", (m.threads or [10])[0],
             "-d", m.seconds]
    for percent in PERCENTS:
        words += ["-p", percent]
    for way in ways(m.transport):
        rounds = []
        with Domain(m.bin, "banksv", servers, env=way.env()) as dom:
            dom.start()
            for i in range(m.rounds):
                m.report.note("latency, %s: round %d of %d" % (
                    way, i + 1, m.rounds))
                rounds.append(run_lines(dom.command("pace", *words),
                                        dom.env))
            dom.stop()
        for row in map(middle, zip(*rounds)):
            show_step(m, way, servers, row)


def show_step(m, way, servers, row):
    """One share of the saturation rate, or saturation itself (0)."""
    # Saturation: threads that wait for one another, a closed loop.
    loop = "open" if row["percent"] else "closed"
    if row["failed"]:
        m.report.fail("latency: %d calls failed" % row["failed"])
    m.report.row(TABLE, {
        "bench": "latency", "transport": way.transport, "wake": way.wake,
        "servers": servers, "loop": loop, **row,
        "percent": row["percent"] or 100})
