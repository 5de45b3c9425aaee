# SPDX-License-Identifier: Apache-2.0
"""soak.py - messages through two durable queues while everybody is killed:
each is delivered once, and none is lost

Producers, movers and consumers work in transactions and write what they were told
(soak.c). At the end it is compared."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

from domain import Domain, DomainFailed
from ways import ways

BYTES, BATCH, EACH = 1024, 20, 2  # EACH: clients of a kind
HIT_S = (0.02, 0.3)
PATIENCE = 60  # seconds in which no message moves
TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("messages", "messages", 9, "%d"), ("kills", "kills", 6, "%d"),
    ("elapsed_s", "seconds", 7, "%.0f"), ("per_s", "messages/s", 10, "%d"),
    ("untold", "untold", 7, "%d"), ("left", "left", 5, "%d"), ("lost", "lost", 5, "%d"),
    ("twice", "twice", 5, "%d"), ("never_sent", "undone", 6, "%d"),
    ("split", "split", 5, "%d"),
)


class Soak:
    """All processes of one soak; a killed one is started again."""

    def __init__(self, m, dom, total):
        self.m, self.dom, self.kills = m, dom, 0
        self.data = os.path.join(dom.home, "qdata")
        self.stop = os.path.join(dom.home, "stop")
        conf = self._path("q.conf")
        with open(conf, "w", encoding="utf-8") as f:
            f.write("Q\nR\n")
        lib = os.path.join(os.path.dirname(m.bin), "lib")
        self.xa = {"NDRX_XA_RES_ID": "5", "NDRX_XA_OPEN_STR":
                   'datadir="%s",qspace="S"' % self.data,
                   "NDRX_XA_DRIVERLIB": lib + "/libndrxxaqdisk.so"}
        # Shorter than a user's: more ends in the same time.
        short = {"tmsrv": ("-s", "200ms"), "tmqueue": ("-T", 5)}
        if m.defaults:
            short = {"tmsrv": (), "tmqueue": ()}
        self.words = {"tmsrv": ("tmsrv", "-i", 901, "--", "-l",
                                self._path("decisions"), *short["tmsrv"]),
                      "tmqueue": ("tmqueue", "-i", 900, "--", "-q", conf,
                                  *short["tmqueue"])}
        for i in range(EACH):
            self.words["p%d" % i] = ("soak", "produce", i + 1,
                                     total // EACH, BATCH, BYTES,
                                     self._path("p%d" % i))
            self.words["m%d" % i] = ("soak", "move", BATCH, self.stop)
            self.words["c%d" % i] = ("soak", "consume", BATCH,
                                     self._path("c%d" % i), self.stop)
        self.procs = {}
        for name in self.words:
            self.begin(name)

    def _path(self, name):
        return os.path.join(self.dom.home, name)

    def begin(self, name):
        env = {**self.dom.env, **(self.xa if name in ("tmsrv", "tmqueue")
                                  else {})}
        with open(self._path("log/told"), "ab") as told:
            self.procs[name] = subprocess.Popen(
                self.dom.command(*self.words[name]), env=env, stderr=told,
                stdin=subprocess.DEVNULL)

    def is_producing(self):
        return any(self.procs["p%d" % i].poll() is None for i in range(EACH))

    def kill_one(self, rnd):
        """Any process that is not done."""
        name = rnd.choice(sorted(self.procs))
        p = self.procs[name]
        if p.poll() == 0 and name[0] == "p":
            return
        p.send_signal(signal.SIGKILL)
        p.wait()
        self.kills += 1
        self.begin(name)

    def rows(self):
        try:
            return json.loads(self.dom.xadmin("mqlq", "--json") or "[]")
        except (DomainFailed, ValueError):
            return []

    def drain(self):
        """Until both queues are empty, with nobody killed any more, or until
        nothing has moved for a while: messages that are left."""
        before, end = None, time.monotonic() + PATIENCE
        while time.monotonic() < end:
            rows = self.rows()
            left = sum(r["queued"] for r in rows)
            if rows and left == 0:
                return 0
            now = [(r["queue"], r["enqueued"], r["dequeued"]) for r in rows]
            if rows and now != before:
                before, end = now, time.monotonic() + PATIENCE
            time.sleep(0.2)
        return sum(r["queued"] for r in self.rows())

    def end(self):
        with open(self.stop, "w", encoding="utf-8"):
            pass
        for name, p in self.procs.items():
            if name in ("tmsrv", "tmqueue"):
                continue
            p.wait(60)
        for name in ("tmqueue", "tmsrv"):
            self.procs[name].terminate()
            self.procs[name].wait(30)

    # ---- the comparison ----

    def produced(self):
        """(committed ids, undone ones, batches of which nobody knows)."""
        done, undone, unknown = set(), set(), []
        for i in range(EACH):
            last = None
            for kind, first, n in _lines(self._path("p%d" % i)):
                ids = range(int(first), int(first) + int(n))
                if kind == "t":
                    unknown += [last] if last else []
                    last = ids
                else:
                    (done if kind == "a" else undone).update(ids)
                    last = None
            unknown += [last] if last else []
        return done, undone, unknown

    def consumed(self):
        """(how often each id was committed, ids of which nobody knows)."""
        count, unknown = {}, set()
        for i in range(EACH):
            last = []
            for kind, *ids in _lines(self._path("c%d" % i)):
                if kind == "t":
                    unknown.update(last)
                    last = ids
                    continue
                for x in last if kind == "a" else []:
                    count[int(x)] = count.get(int(x), 0) + 1
                last = []
            unknown.update(last)
        return count, {int(x) for x in unknown}

    def compare(self):
        done, undone, unknown = self.produced()
        count, untold = self.consumed()
        seen = set(count) | untold
        split = [b for b in unknown
                 if 0 < len(seen.intersection(b)) < len(b)]
        return {"messages": len(done), "untold": len(untold - set(count)),
                "lost": len(done - seen),
                "twice": sum(n > 1 for n in count.values()),
                "never_sent": len(seen & undone), "split": len(split)}


def _lines(path):
    """Words of whole lines; none if there is no file."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as f:
        return [line.split() for line in f if line.endswith("\n")]


def bench_soak(m):
    """100,000 messages (--calls; the proof: 1,000,000) through two durable queues
    while producers, movers, consumers, tmqueue and tmsrv are killed."""
    total = m.calls or 100000
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", 1, env=way.env()) as dom:
            dom.start()
            begun = time.monotonic()
            p, rnd = Soak(m, dom, total), random.Random(3)
            while p.is_producing():
                m.report.note("soak, %s: %d kills" % (way, p.kills))
                time.sleep(rnd.uniform(*HIT_S))
                p.kill_one(rnd)
            left = p.drain()
            took = time.monotonic() - begun
            p.end()
            row = {"bench": "soak", "transport": way.transport,
                   "kills": p.kills, "elapsed_s": took, "left": left,
                   **p.compare()}
            row["per_s"] = row["messages"] / took
            m.report.row(TABLE, row)
            judge(m, dom, row)
            shutil.rmtree(p.data, ignore_errors=True)
            dom.stop()


def judge(m, dom, row):
    """What must not be."""
    for k in ("left", "lost", "twice", "never_sent", "split"):
        if row[k]:
            m.report.fail("soak: %d %s\n%s" % (row[k], k, dom.log_tail()))
