# SPDX-License-Identifier: Apache-2.0
"""commits.py - benchmark of transactions: what one costs without a resource
manager, and with two branches next to the same statements sent by hand, with the
log or the last resource deciding"""
import os

from money import Money, databases
from report import median
from ways import ways

CLIENTS = (1, 10)
TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("clients", "clients", 7, "%d"), ("kind", "branches", 8, "%s"),
    ("per_s", "trans/s", 8, "%d"), ("us", "us each", 9, "%.1f"),
    ("commit_us", "us commit", 9, "%.1f"),
    ("hand_per_s", "by hand", 8, "%d"),
    ("hand_commit_us", "us commit", 9, "%.1f"),
    ("ratio", "ratio", 5, "%.2f"), ("commit_ratio", "commit", 6, "%.2f"),
)


def bench_commits(m):
    """Transactions without a resource manager, and of two branches in PostgreSQL next to the same by hand."""
    for way in ways(m.transport):
        for last in False, True:
            one_domain(m, way, last)


def one_domain(m, way, last):
    """`last`: one of the two branches is the last resource, whose commit is
    the decision; otherwise also what no branch costs."""
    dbs = databases(os.path.join(os.path.dirname(m.bin), "lib"), ("PG",))
    most = max(m.threads or CLIENTS)
    if last and not dbs:
        return
    with Money(m.bin, dbs, env=way.env(), servers=2 * most, last=last) as dom:
        for db in dbs.values():
            db.sql("insert into account select n, 0 from "
                   "generate_series(100, %d) n" % (100 + 2 * most))
        dom.open()
        for clients in m.threads or CLIENTS:
            if not last:
                without(m, dom, way, clients)
            if dbs:
                two(m, dom, way, clients, dbs["PG"])
        dom.stop()


def run(m, dom, *words):
    """One round; its failures are told."""
    row = dom.run(*words)
    if row["failed"]:
        m.report.fail("%s: %d failed\n%s" % (
            " ".join(map(str, words)), row["failed"], dom.log_tail()))
    return row


def without(m, dom, way, clients):
    """No branch: what tpbegin() and tpcommit() cost."""
    n = (m.calls or 20000) // clients
    rows = [run(m, dom, "commits", "none", clients, n)
            for _ in range(m.rounds)]
    row = {k: median(r[k] for r in rows) for k in ("per_s", "us", "commit_us")}
    m.report.row(TABLE, {"bench": "commits", "transport": way.transport,
                         "clients": clients, "kind": "none", **row})


def two(m, dom, way, clients, pg):
    """Two branches, and the same by hand, in turn."""
    n = (m.calls or 2000) // clients
    url = "host=%s dbname=postgres user=%s" % (pg.home, pg.user)
    rows, hand = [], []
    for i in range(m.rounds):
        m.report.note("commits, %s, %d clients: round %d of %d" % (
            way, clients, i + 1, m.rounds))
        rows.append(run(m, dom, "commits", "two", clients, n))
        hand.append(run(m, dom, "byhand", clients, n, url))
    row = {k: median(r[k] for r in rows) for k in ("per_s", "us", "commit_us")}
    row["hand_per_s"] = median(r["per_s"] for r in hand)
    row["hand_commit_us"] = median(r["commit_us"] for r in hand)
    row["ratio"] = median(a["per_s"] / b["per_s"] for a, b in zip(rows, hand))
    row["commit_ratio"] = median(b["commit_us"] / max(a["commit_us"], 1)
                                 for a, b in zip(rows, hand))
    m.report.row(TABLE, {"bench": "commits", "transport": way.transport,
                         "clients": clients, "kind": "last" if dom.last else "two",
                         **row})
