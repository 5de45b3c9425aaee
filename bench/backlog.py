# SPDX-License-Identifier: Apache-2.0
"""backlog.py - benchmark of long durable queues: does a message cost more, does
tmqueue take more memory, does it start later, the more messages lie there?"""
import os
import shutil
import signal
import subprocess
import threading
import time

from domain import Domain
from ways import ways

BYTES, CLIENTS, PROBE, STEPS = 1024, 50, 5000, 5
RSS_MOST_MB, START_MOST_S = 300, 2.0
TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("depth", "messages", 9, "%d"), ("fill_per_s", "fill/s", 7, "%d"),
    ("put_per_s", "enqueue/s", 9, "%d"), ("get_per_s", "dequeue/s", 9, "%d"),
    ("file_mb", "file MB", 7, "%d"), ("rss_mb", "RSS MB", 6, "%d"),
    ("start_s", "start s", 7, "%.2f"),
)


class Rss:
    """The most memory that the process has had (file pages that it has read
    count, too)."""

    def __init__(self):
        self.most, self.pid, self.ends = 0, 0, threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()

    def _look(self):
        page = os.sysconf("SC_PAGE_SIZE")
        while not self.ends.wait(0.02):
            try:
                with open("/proc/%d/statm" % self.pid, encoding="ascii") as f:
                    self.most = max(self.most,
                                    int(f.read().split()[1]) * page)
            except (OSError, IndexError):
                continue

    def end(self):
        self.ends.set()
        self.thread.join()


class Server:
    """A tmqueue that is killed and started again."""

    def __init__(self, dom, data):
        self.dom, self.rss = dom, Rss()
        self.conf = os.path.join(dom.home, "q.conf")
        with open(self.conf, "w", encoding="utf-8") as f:
            f.write("Q\n")
        self.env = {**dom.env, "NDRX_XA_OPEN_STR":
                    'datadir="%s",qspace="S"' % data}
        self.proc = None

    def start(self):
        """Seconds until it has answered."""
        begun = time.monotonic()
        self.proc = subprocess.Popen(
            self.dom.command("tmqueue", "-i", "900", "--", "-q", self.conf),
            env=self.env, stdin=subprocess.DEVNULL)
        self.rss.pid = self.proc.pid
        self.dom.run("durable", "queue", 1, 1, BYTES)
        return time.monotonic() - begun

    def restart(self):
        self.proc.send_signal(signal.SIGKILL)
        self.proc.wait()
        return self.start()

    def stop(self):
        self.proc.terminate()
        self.proc.wait(60)
        self.rss.end()


def bench_backlog(m):
    """Long durable queues: cost, memory and start with up to 1,000,000 messages
    (--calls) of 1 KB."""
    total = m.calls or 1000000
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", 1, env=way.env()) as dom:
            dom.start()
            data = os.path.join(dom.home, "qdata")
            server = Server(dom, data)
            server.start()
            try:
                for i in range(STEPS + 1):
                    step(m, dom, server, way, total, i)
            finally:
                server.stop()
                shutil.rmtree(data, ignore_errors=True)
            dom.stop()


def step(m, dom, server, way, total, i):
    """One row: more messages, then some in and out, then a start."""
    depth, fill = total * i // STEPS, 0
    m.report.note("backlog, %s: %d messages" % (way, depth))
    server.rss.most = 0
    if i > 0:
        fill = dom.run("durable", "put", CLIENTS, depth - total * (i - 1) //
                       STEPS, BYTES)["put_per_s"]
    probe = dom.run("durable", "queue", 10, min(PROBE, total), BYTES)
    row = {"bench": "backlog", "transport": way.transport, "depth": depth,
           "fill_per_s": fill, "put_per_s": probe["put_per_s"],
           "get_per_s": probe["get_per_s"], "start_s": server.restart(),
           "rss_mb": server.rss.most / 1e6, "file_mb": os.stat(os.path.join(
               dom.home, "qdata", "S.tmq")).st_size / 1e6}
    m.report.row(TABLE, row)
    if probe["failed"]:
        m.report.fail("backlog: %d calls failed" % probe["failed"])
    if row["rss_mb"] > RSS_MOST_MB:
        m.report.fail("backlog: RSS %d MB" % row["rss_mb"])
    if row["start_s"] > START_MOST_S:
        m.report.fail("backlog: a start took %.2f s" % row["start_s"])
