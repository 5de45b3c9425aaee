# SPDX-License-Identifier: Apache-2.0
"""nodes.py - the benchmark of large clusters: nodes

bench/nodesim.c has the bridges of all nodes in one process, with the code of
ndrxbridge and without NATS: what a bridge must hear, keep and do when it joins,
in a minute of rest, and when a node leaves and comes back."""
import json
import os
import subprocess

from domain import DomainFailed

TABLE = (
    ("bench", "bench", 5, "%s"), ("nodes", "nodes", 5, "%d"),
    ("services", "each", 6, "%d"), ("known", "known", 8, "%d"),
    ("memory_mb", "MB", 7, "%.1f"), ("join_ms", "join ms", 8, "%.1f"),
    ("join_mb", "join MB", 7, "%.1f"), ("minute_ms", "min. ms", 8, "%.1f"),
    ("minute_mb", "min. MB", 7, "%.1f"), ("leave_ms", "leave ms", 8, "%.2f"),
    ("back_ms", "back ms", 8, "%.2f"), ("choice_ns", "choice ns", 9, "%.0f"),
)
CASES = ((2, 100), (10, 100), (100, 100), (2, 10000), (5, 10000),
         (10, 10000), (20, 10000), (50, 10000), (100, 10000), (10, 100000))


def bench_nodes(m):
    """Clusters of up to 100 nodes with 10,000 services each, simulated."""
    program = os.path.join(m.bin, "nodesim")
    if not os.access(program, os.X_OK):
        raise DomainFailed("nodesim is not built: libnats-dev is missing")
    for nodes, services in CASES:
        m.report.note("nodes: %d nodes, %d services" % (nodes, services))
        done = subprocess.run(
            [program, "-n", str(nodes), "-s", str(services), "-o", "1"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            check=False)
        if done.returncode != 0:
            raise DomainFailed("nodesim: status %d" % done.returncode)
        r = json.loads(done.stdout)
        if r["known"] != (nodes - 1) * services or \
                r["known_again"] != r["known"] or \
                r["known_then"] != (nodes - 2) * services:
            m.report.fail("not all services are known: %s" % r)
        m.report.row(TABLE, {
            "bench": "nodes", "nodes": nodes, "services": services,
            "known": r["known"], "memory_mb": r["memory_mb"],
            "join_ms": r["join"]["work_ms"],
            "join_mb": r["join"]["bytes"] / 1e6,
            "minute_ms": r["minute"]["work_ms"],
            "minute_mb": r["minute"]["bytes"] / 1e6,
            "leave_ms": r["leave"]["work_ms"],
            "back_ms": r["back"]["work_ms"], "choice_ns": r["choice_ns"]})
