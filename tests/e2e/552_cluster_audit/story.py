# SPDX-License-Identifier: Apache-2.0
"""An audit of calls between two domains while bridges and nats-server die.

Each call has an id, which the service notes. What was executed is compared
with what the callers were told: answered: once; TPENOENT: never; TPESVCERR and
TPETIME: nobody knows, but not twice.
"""
import collections
import signal
import time

from checks import at_least, at_most, equal, one_of
from cluster import BRIDGE, Cluster
from fixture import kill, wait_for
from machine import LONG

COST = 40
CLIENTS = 5
ROUNDS = 10 if not LONG else 240  # of mischief, half a second each
UNKNOWN = "TPESVCERR", "TPETIME", "TPEBLOCK"


class Audit:
    def __init__(self, c):
        self.a, self.b = c.domain(1), c.domain(2)
        self.b.boot({"srvid": 1, "appopt": "LOG GETLOG"}, self._bridge(c, 1))
        self.a.boot(self._bridge(c, 2))
        c.sees(self.a, "LOG")
        self.clients = [self.a.client(NDRX_TOUT="2") for _ in range(CLIENTS)]
        self.told = {}
        self.done = collections.Counter()

    @staticmethod
    def _bridge(c, n):
        return {"name": "ndrxbridge", "srvid": BRIDGE, "min": n, "max": n,
                "appopt": " ".join(c.options())}

    def call(self):
        """One call of each client, at the same time."""
        ids = [str(len(self.told) + i) for i in range(CLIENTS)]
        for cl, i in zip(self.clients, ids):
            cl.begin("call", "LOG", "-", f"STRING:{i}")
        for cl, i in zip(self.clients, ids):
            self.told[i] = cl.end().err

    def call_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(20):
                self.call()
            self.collect()

    def collect(self):
        self.done.update(self.b.call("GETLOG").data.split())

    def check(self):
        self.collect()
        for i, err in self.told.items():
            n = self.done[i]
            at_most(n, 1, f"executions of {i}, whose caller got {err}")
            if err == "OK":
                equal(n, 1, f"executions of {i}, which was answered")
            elif err == "TPENOENT":
                equal(n, 0, f"executions of {i}, whose caller got TPENOENT")
            else:
                one_of(err, *UNKNOWN)
        equal(set(self.done) - set(self.told), set(), "ids that nobody sent")


def _stop_a_while(pid):
    kill(pid, signal.SIGSTOP)
    time.sleep(0.3)  # for as long as the mischief lasts
    kill(pid, signal.SIGCONT)


def test_no_call_is_executed_twice_or_answered_wrongly():
    with Cluster() as c:
        audit = Audit(c)
        a, b = audit.a, audit.b

        def restart_nats():
            c.nats.stop()
            c.nats.start()

        def bridge_of(d):
            return wait_for(lambda: d.pid(BRIDGE) or d.pid(BRIDGE + 1),
                            "a bridge runs")

        mischief = [
            lambda: kill(bridge_of(a)),
            lambda: kill(bridge_of(b)),
            lambda: _stop_a_while(bridge_of(b)),
            restart_nats,
            lambda: _stop_a_while(c.nats.proc.pid),
        ]
        for i in range(ROUNDS):
            audit.call_for(0.2)
            for cl in audit.clients:  # under way while it happens
                cl.begin("call", "LOG", "-", f"STRING:m{i}.{cl.pid}")
            mischief[i % len(mischief)]()
            for cl in audit.clients:
                audit.told[f"m{i}.{cl.pid}"] = cl.end().err
            audit.call_for(0.1)
        wait_for(lambda: a.call("LOG", "last").err == "OK", "calls again", 20)
        audit.told["last"] = "TPESVCERR"  # tried several times
        audit.collect()
        audit.done.pop("last")
        audit.call_for(0.2)
        audit.check()
        at_least(sum(e == "OK" for e in audit.told.values()), 100, "answered")
