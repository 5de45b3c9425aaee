# SPDX-License-Identifier: Apache-2.0
"""durable.py - benchmark of durable queues: enqueue and dequeue, next to bare
commits of LMDB with as many messages as there are clients"""
import os
import subprocess

from domain import Domain
from report import median
from ways import ways

BYTES, CLIENTS = 1024, (1, 10, 50)
TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("clients", "clients", 7, "%d"),
    ("put_per_s", "enqueue/s", 9, "%d"), ("get_per_s", "dequeue/s", 9, "%d"),
    ("bare_put_per_s", "bare put", 9, "%d"),
    ("bare_get_per_s", "bare get", 9, "%d"),
    ("put_ratio", "ratio", 5, "%.2f"), ("get_ratio", "ratio", 5, "%.2f"),
)


def bench_queues(m):
    """Durable queues: messages of 1 KB next to bare LMDB with the same commits."""
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", 1, env=way.env()) as dom:
            dom.start()
            conf = os.path.join(dom.home, "q.conf")
            with open(conf, "w", encoding="utf-8") as f:
                f.write("Q\n")
            server = subprocess.Popen(
                dom.command("tmqueue", "-i", "900", "--", "-m", "S",
                            "-q", conf), env=dom.env,
                stdin=subprocess.DEVNULL)
            for clients in m.threads or CLIENTS:
                case(m, dom, way, clients)
            server.terminate()
            server.wait(20)
            dom.stop()


def case(m, dom, way, clients):
    """One row: the median of the rounds, which alternate."""
    n = m.calls or 20000
    n = max(clients, n if clients > 1 else n // 5)
    runs, bare = [], []
    for i in range(m.rounds):
        m.report.note("queues, %s, %d clients: round %d of %d" % (
            way, clients, i + 1, m.rounds))
        runs.append(dom.run("durable", "queue", clients, n, BYTES))
        path = os.path.join(dom.home, "bare")
        bare.append(dom.run("durable", "bare", clients, n, BYTES, path))
        os.remove(path)
        if runs[-1]["failed"]:
            m.report.fail("%d calls failed\n%s" % (
                runs[-1]["failed"], dom.log_tail()))
    row = {"bench": "queues", "transport": way.transport, "clients": clients}
    for k in ("put", "get"):
        row[k + "_per_s"] = median(r[k + "_per_s"] for r in runs)
        row["bare_" + k + "_per_s"] = median(r[k + "_per_s"] for r in bare)
        row[k + "_ratio"] = round(
            row[k + "_per_s"] / row["bare_" + k + "_per_s"], 3)
    m.report.row(TABLE, row)
