# SPDX-License-Identifier: Apache-2.0
"""work.py - services that compute or wait, beside bare queues: work"""
import json
import os
import subprocess

from domain import Domain, DomainFailed
from report import median
from ways import ways

BARE = ("block", "bell", "shm")
# What the service does, and how many call it.
LOADS = (("burn100", 10), ("sleep1000", 100), ("net", 200), ("mixed", 50))
TABLE = (
    ("work", "work", 9, "%s"), ("by", "by", 10, "%s"),
    ("threads", "thr", 4, "%d"), ("calls_per_s", "calls/s", 7, "%.0f"),
    ("ratio", "ratio", 5, "%.2f"), ("p50_us", "p50 us", 6, "%.0f"),
    ("p99_us", "p99 us", 6, "%.0f"), ("p99_ratio", "ratio", 5, "%.2f"),
    ("p999_us", "p99.9", 6, "%.0f"), ("to_p99_us", "to", 5, "%.0f"),
    ("over_p99_us", "over", 5, "%.0f"), ("back_p99_us", "back", 5, "%.0f"),
    ("first_p99_us", "first", 6, "%.0f"),
)


def _bare(m, mode, load, servers, callers):
    done = subprocess.run(
        [os.path.join(m.bin, "workbare"), mode, load, str(servers),
         str(callers), str(m.seconds)],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise DomainFailed("workbare: status %d" % done.returncode)
    return json.loads(done.stdout)


def _row(load, name, runs, bare):
    """Medians; beside them the better of the bare queues of the same round:
    most calls, least p99."""
    row = {"bench": "work", "work": load, "by": name,
           "threads": runs[0]["threads"], "calls": sum(
               r["calls"] for r in runs)}
    for key in runs[0]:
        if key.endswith("_us") or key == "calls_per_s":
            row[key] = median(r[key] for r in runs)
    if bare:
        row["ratio"] = round(median(
            r["calls_per_s"] / max(b["calls_per_s"] for b in round_)
            for r, round_ in zip(runs, bare)), 3)
        row["p99_ratio"] = round(median(
            r["p99_us"] / max(1, min(b["p99_us"] for b in round_))
            for r, round_ in zip(runs, bare)), 3)
    return row


def _rounds(m, doms, load, servers, callers):
    """All in turn, so many rounds: their results, those of bare queues."""
    runs, bare = {name: [] for name in doms}, []
    for i in range(m.rounds):
        m.report.note("work %s, %d callers: round %d of %d" % (
            load, callers, i + 1, m.rounds))
        bare.append([_bare(m, mode, load, servers, callers)
                     for mode in BARE])
        for name, dom in doms.items():
            runs[name].append(dom.run("workcl", load, callers, m.seconds))
            if runs[name][-1]["failed"]:
                m.report.fail("work: %d calls failed" %
                              runs[name][-1]["failed"])
    return runs, bare


def bench_work(m):
    """Services that compute, sleep or wait for a network, against bare ones."""
    for servers in m.servers or [250]:
        doms = {}
        try:
            for way in ways(m.transport):
                doms[way.transport] = Domain(m.bin, "worksv", servers,
                                             env=way.env())
                doms[way.transport].start()
            for load, usual in LOADS:
                for callers in m.threads or [usual]:
                    runs, bare = _rounds(m, doms, load, servers, callers)
                    for i, mode in enumerate(BARE):
                        m.report.row(TABLE, _row(
                            load, "bare " + mode, [b[i] for b in bare], None))
                    for name, own in runs.items():
                        m.report.row(TABLE, _row(load, name, own, bare))
            for dom in doms.values():
                dom.stop()
        finally:
            for dom in doms.values():
                dom.close()
