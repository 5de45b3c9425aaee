# SPDX-License-Identifier: Apache-2.0
"""queues.py - benchmarks of queue operations without servers: wake, depth

The transports' queues are compared with bare kernel objects."""
import json
import os
import subprocess

from domain import Domain, DomainFailed
from report import median
from ways import ways

WAKE_TABLE = (
    ("kind", "waits on", 8, "%s"), ("wake", "woken", 9, "%s"),
    ("elapsed_s", "seconds", 7, "%.2f"),
    ("switches_per_event", "switch", 6, "%.2f"),
    ("wakeups_per_event", "wakes", 5, "%.2f"),
    ("waiters_used", "used", 4, "%d"), ("least", "least", 5, "%d"),
    ("median", "median", 6, "%d"), ("most", "most", 5, "%d"),
    ("late_p50_us", "p50 us", 7, "%.1f"),
    ("late_p99_us", "p99 us", 8, "%.1f"),
)
DEPTH_TABLE = (
    ("kind", "queue", 7, "%s"), ("priorities", "priority", 8, "%s"),
    ("depth", "depth", 6, "%d"),
    ("send_empty_ns", "send empty", 10, "%.0f"),
    ("send_full_ns", "send full", 9, "%.0f"),
    ("recv_empty_ns", "recv empty", 10, "%.0f"),
    ("recv_full_ns", "recv full", 9, "%.0f"),
    ("ratio", "ratio", 5, "%.2f"),
)
DEPTH = 65528
KERNEL_WAKES = ("herd", "exclusive", "balanced")


def run_lines(command, env=None):
    """Run a program that prints JSON lines: its rows."""
    done = subprocess.run(list(map(str, command)), env=env, text=True,
                          stdout=subprocess.PIPE, check=False)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 and not rows:
        raise DomainFailed("%s ended with status %d" % (
            os.path.basename(command[0]), done.returncode))
    return rows


def middle(rows):
    """Rows of the same thing: one, with the median of each figure."""
    return {k: median(r[k] for r in rows) if isinstance(v, (int, float))
            else v for k, v in rows[0].items()}


def measure_wake(m, label, command, env=None):
    """Rounds of one kind of waiting: a row."""
    rows = []
    for i in range(m.rounds):
        m.report.note("wake, %s: round %d of %d" % (label, i + 1, m.rounds))
        rows += run_lines(command, env)
    for r in rows:
        if r["taken"] != r["events"]:
            m.report.fail("wake, %s: %d of %d events were taken" % (
                label, r["taken"], r["events"]))
    return middle(rows)


def bench_wake(m):
    """100 waiters, an event each 100 us: who wakes, and how often."""
    words = ["-n", (m.servers or [100])[0], "-e", m.calls or 20000]
    program = os.path.join(m.bin, "wake")
    for kind in ("pipe", "mqueue"):
        for wake in KERNEL_WAKES:
            row = measure_wake(m, kind + ", " + wake,
                               [program, "-k", kind, "-w", wake, *words])
            m.report.row(WAKE_TABLE, {"bench": "wake", **row})
    for way in ways(m.transport, ("bell", "exclusive", "herd", "hot",
                                  "even")):
        with Domain(m.bin, env=way.env()) as dom:
            row = measure_wake(m, str(way), dom.command(
                "wake", "-k", "queue", "-w", way.wake, *words), dom.env)
        m.report.row(WAKE_TABLE, {"bench": "wake", **row,
                                  "kind": way.transport})


def measure_depth(m, label, command, env=None):
    """Rows of one kind of queue, one for each pattern of priorities."""
    m.report.note("depth, %s" % label)
    rows = run_lines(command, env)
    for row in rows:
        m.report.row(DEPTH_TABLE, {"bench": "depth", **row, "kind": label})
    if rows[0]["depth"] < rows[0]["wanted_depth"] and not m.report.as_json:
        print("(%s: the limits of this user allow %d messages, not %d)" % (
            label, rows[0]["depth"], rows[0]["wanted_depth"]))


def bench_depth(m):
    """Cost of send and receive, queue empty and full, four priorities."""
    words = ["-d", DEPTH, "-n", m.calls or 20000]
    measure_depth(m, "mqueue", [os.path.join(m.bin, "depth"), "-k",
                                "mqueue", *words])
    for way in ways(m.transport):
        with Domain(m.bin, env=way.env()) as dom:
            measure_depth(m, way.transport, dom.command(
                "depth", "-k", "queue", *words), dom.env)
