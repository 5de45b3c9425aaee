# SPDX-License-Identifier: Apache-2.0
"""tmqueue takes no more memory, and starts no later, the longer its queues are."""
import os
import threading
import time

from checks import at_least, at_most, equal, soon
from fixture import Domain, Skip, kill
from machine import LONG

MAINLY = "posix"

MESSAGES, BYTES = (40000, 8000) if LONG else (6000, 50000)
RSS_MOST = 200 << 20  # pages of the file count up to 96 MB, and 40 more


class Rss:
    """The most memory of a process, pages of its files included."""

    def __init__(self, pid):
        self.pid, self.most, self.ends = pid, 0, threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)
        self.thread.start()

    def look(self):
        while not self.ends.wait(0.01):
            with open(f"/proc/{self.pid}/statm", encoding="ascii") as f:
                self.most = max(self.most, int(f.read().split()[1]) *
                                os.sysconf("SC_PAGE_SIZE"))

    def end(self):
        self.ends.set()
        self.thread.join()
        return self.most


def start(d):
    conf = os.path.join(d.home, "q.conf")
    with open(conf, "w", encoding="utf-8") as f:
        f.write("Q\n")
    t = time.monotonic()
    p = d.server(80, "-m", "S", "-q", conf, binary="tmqueue")
    return p, time.monotonic() - t


def test_memory_and_start_do_not_grow_with_the_queue():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers keep memory that was freed")
    with Domain(small=False) as d:
        p, _ = start(d)
        c, rss = d.client(), Rss(p.pid)
        r = c("enqmany", "S", "Q", MESSAGES, BYTES, seconds=300)
        equal((r.ret, r.err), (MESSAGES, "OK"))
        at_least(os.stat(f"{d.home}/qdata/S.tmq").st_size,
                 MESSAGES * BYTES, "bytes of the file")
        at_most(rss.end(), RSS_MOST, "bytes while it is filled")
        kill(p.pid)
        p.wait()
        d.procs.pop(p.pid, None)
        p, took = start(d)
        soon(took * 1000, 2000, "time of a start")
        rss = Rss(p.pid)
        equal(len(d.rows("mqlm", "-s", "S", "-q", "Q")), MESSAGES)
        for _ in range(MESSAGES // 3):
            r = c("deq", "S", "Q", "-", "-")
            equal((r.err, r.len), ("OK", BYTES), r.text[:200])
        at_most(rss.end(), RSS_MOST, "bytes while it is read")
