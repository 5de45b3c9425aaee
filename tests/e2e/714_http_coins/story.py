# SPDX-License-Identifier: Apache-2.0
"""Coins are paid by HTTP while the gate and servers are killed: each has its Idempotency-Key,
and is sent again until its caller knows enough. No coin is paid twice, and none that was
said not to be paid is.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import collections
import http.client
import os
import random
import threading
import time

from checks import at_least, equal
from covers import covers
from fixture import kill, wait_for
from httpgate import GATE, gate

COST = 8
MAINLY = "shm"
LONG = "OW_LONG" in os.environ

KEPT = 'conv="text" idempotency="600"'
# A filter behind the payment, or before it, whose server is killed, too; one that fails, and
# is told as 503, in the form of restincl; a time that is often over; no room for all.
ROUTES = (f'<route path="/pay" svc="TALLY" timeout="5" {KEPT}/>'
          f'<route path="/behind" svc="TALLY" foutman="FILTER" timeout="5" {KEPT}/>'
          f'<route path="/fails" svc="TALLY" foutman="FAIL" status="11:503" errors="http" timeout="5" {KEPT}/>'
          f'<route path="/before" svc="TALLY" finman="FILTER" timeout="5" {KEPT}/>'
          f'<route path="/late" svc="TALLY" timeout="0.002" status="13:503" {KEPT}/>'
          f'<route path="/narrow" svc="TALLY" concurrency="1" queue_max="0" timeout="5" {KEPT}/>')
PATHS = ("/pay", "/behind", "/fails", "/before", "/late", "/narrow", "/narrow")
SERVERS = ({"srvid": 1, "min": 2, "max": 2, "appopt": "TALLY"}, {"srvid": 5, "appopt": "FILTER=NAP FAIL"})
ENDS = ("done", "in part", "failed", "unknown")


class Callers:
    def __init__(self, d, n=4):
        self.d, self.over, self.ends, self.said = d, False, {}, collections.Counter()
        self.wrong = []
        self.threads = [threading.Thread(target=self._run, args=(i,)) for i in range(n)]
        for t in self.threads:
            t.start()

    def _ask(self, path, coin):
        try:
            a = self.d.ask("POST", path, coin, {"Idempotency-Key": coin})
        except (OSError, http.client.HTTPException):
            self.said["broken"] += 1
            return "broken", False
        work = "paid" if a.status == 200 else a.headers["Onewake-Work"]
        kind = a.json.get("type", "") if a.kind == "application/problem+json" else ""
        if kind.endswith(":running"):
            work = "running"
        if a.status == 200 and a.body.decode() != coin:
            self.wrong.append((coin, a.body))
        self.said[work, a.status] += 1
        return work, kind.endswith(":in-doubt")

    def _pay(self, path, coin):
        """The last word of a coin; what ends it is asked for again, and must be the same."""
        while True:
            work, _ = self._ask(path, coin)
            if work == "paid" or work in ENDS:
                break
            if self.over and work == "not done":
                return work
            time.sleep(0.005)
        again, doubt = self._ask(path, coin)
        if again not in (work, "broken") and not doubt:
            self.wrong.append((coin, work, again))
        return work

    def _run(self, me):
        for n in range(1, 1000000):
            if self.over:
                return
            coin = f"C{me}.{n}"
            self.ends[coin] = self._pay(PATHS[n % len(PATHS)], coin)

    def end(self):
        self.over = True
        for t in self.threads:
            t.join()


def _tally(path):
    with open(path, encoding="utf-8") as f:
        return collections.Counter(f.read().split())


@covers("idempotency", "foutman", "status")
def test_no_coin_is_paid_twice_and_none_that_was_said_not_to_be():
    d = gate(ROUTES, *SERVERS)
    path = os.path.join(d.home, "tally")
    with open(path, "w", encoding="utf-8"):
        pass
    d.env["TALLY"] = path
    with d:
        callers, seed = Callers(d), random.randrange(1 << 32)
        print("seed", seed)
        dice = random.Random(seed)
        try:
            for _ in range(200 if LONG else 25):
                n = len(callers.ends) + dice.randrange(1, 20)
                srvid = dice.choice((GATE, GATE, 1, 2, 5))
                old = d.pid(srvid)
                kill(old)
                wait_for(lambda srvid=srvid, old=old: d.pid(srvid) not in (0, old), "restarted")
                wait_for(lambda n=n: len(callers.ends) >= n, "coins go on")
        finally:
            callers.end()
        equal(callers.wrong, [])
        paid = _tally(path)
        ends = collections.Counter(callers.ends.values())
        print(dict(ends), dict(callers.said))
        equal({c: k for c, k in paid.items() if k > 1}, {}, "paid twice")
        for coin, work in callers.ends.items():
            want = {"paid": (1,), "done": (1,), "not done": (0,), "in part": (0,)}.get(work, (0, 1))
            if paid[coin] not in want:
                raise AssertionError(f"{coin}: told {work!r}, and paid {paid[coin]} times")
        at_least(ends["paid"], 50)
        at_least(ends["done"], 20)
        at_least(callers.said["unknown", 503], 1)
        at_least(callers.said["broken"], 1)
