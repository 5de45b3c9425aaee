# SPDX-License-Identifier: Apache-2.0
"""Messages that were acknowledged outlive the death of producers, consumers and tmqueue."""
import os
import random

from checks import at_least, contains, equal
from fixture import Domain, kill, wait_for
from machine import LONG

COST = 2

MESSAGES = 20000 if LONG else 400


def boot(d):
    conf = os.path.join(d.home, "q.conf")
    with open(conf, "w", encoding="utf-8") as f:
        f.write("Q\n")
    d.boot({"name": "tmqueue", "srvid": 80, "appopt": f"-m S -q {conf}"})


class Loop:
    """A client that does one long command, and is started again when it is
    killed."""

    def __init__(self, d, *words):
        self.d, self.words, self.result = d, words, None
        self.begin()

    def begin(self):
        self.c = self.d.client()
        self.c.begin(*self.words)

    def kill(self):
        if self.c.proc.poll() is None:
            self.c.kill()
        self.d.clients.remove(self.c)
        self.begin()

    def end(self):
        equal(self.c.end(120).ret, 0)


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as f:
        return f.read().split()


def kill_server(d):
    pid = d.pid(80)
    if pid:
        kill(pid)


def check_log(log, producers):
    """All that was acknowledged was read, in the order of each producer."""
    first = list(dict.fromkeys(log))
    for name, acked in producers.items():
        got = [int(m.split(".")[1]) for m in first
               if m.split(".")[0] == name]
        equal(got, list(range(MESSAGES)), f"messages of {name}")
        equal(sorted(set(acked) - set(first)), [], "lost")


def test_no_acknowledged_message_is_lost_and_fifo_order_is_kept():
    with Domain() as d:
        boot(d)
        at = {n: os.path.join(d.home, n) for n in ("A", "B", "read", "stop")}
        makers = {n: Loop(d, "produce", "S", "Q", n, MESSAGES, at[n])
                  for n in "AB"}
        reader = Loop(d, "consume", "S", "Q", at["read"], at["stop"])
        victims = [makers["A"].kill, makers["B"].kill, reader.kill,
                   lambda: kill_server(d), lambda: kill_server(d)]
        rng, kills, done = random.Random(7), 0, 0

        def acked():
            return len(lines(at["A"])) + len(lines(at["B"]))

        while acked() < 2 * MESSAGES:
            seen = done
            wait_for(lambda: acked() >= min(seen + 10, 2 * MESSAGES),
                     "producers go on", 60)
            done = acked()
            if kills < 60 or LONG:
                rng.choice(victims)()
                kills += 1
        at_least(kills, 10, "kills")
        for m in makers.values():
            m.end()
        open(at["stop"], "w", encoding="utf-8").close()
        reader.end()
        check_log(lines(at["read"]), {n: lines(at[n]) for n in "AB"})
        equal(d.row("mqlq", queue="Q").queued, 0)


def test_a_waiting_caller_of_a_killed_tmqueue_hears_of_it():
    with Domain() as d:
        boot(d)
        c = d.client()
        c.begin("deq", "S", "Q", "-", "wait")
        wait_for(lambda: d.row("mqlq", queue="Q") and
                 d.row("mqlq", queue="Q").waiting == 1, "it waits")
        kill_server(d)
        r = c.end()
        equal(r.err, "TPESVCERR")
        wait_for(lambda: c("enq", "S", "Q", "-", "-", "STRING:x").err == "OK",
                 "tmqueue is back")
        r = c("deq", "S", "Q", "-", "-")
        equal((r.err, r.data), ("OK", "x"))
        contains(r.event, "diag=0")
