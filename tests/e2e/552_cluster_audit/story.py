# SPDX-License-Identifier: Apache-2.0
"""An audit of calls between two domains while bridges and nats-server die, and
the network between them is cut, or slow.

Each call has an id, which the service notes. What was executed is compared
with what the callers were told: answered: once; TPENOENT: never; TPESVCERR and
TPETIME: nobody knows, but not twice. OW_LONG=1: 240 rounds of mischief;
OW_SECONDS=3600 as well: for an hour.
"""
import collections
import signal
import time

from checks import at_least, at_most, contains, equal, one_of
from cluster import BRIDGE, Cluster
from fixture import kill, wait_for
from machine import LONG, SECONDS
from network import Network

COST = 37
CLIENTS = 5
ROUNDS = 14 if not LONG else 240  # of mischief, half a second each
TOUT = 2
UNKNOWN = "TPESVCERR", "TPETIME", "TPEBLOCK"


def _judge(told, done):
    """What callers were told, and how often each id was executed."""
    for i, err in told.items():
        n = done[i]
        at_most(n, 1, f"executions of {i}, whose caller got {err}")
        if err == "OK":
            equal(n, 1, f"executions of {i}, which was answered")
        elif err == "TPENOENT":
            equal(n, 0, f"executions of {i}, whose caller got TPENOENT")
        else:
            one_of(err, *UNKNOWN)
    equal(set(done) - set(told), set(), "ids that nobody sent")


class Audit:
    def __init__(self, c):
        self.a, self.b = c.domain(1), c.domain(2)
        self.net = Network(c.nats.port)
        c.stack.callback(self.net.close)
        self.b.boot({"srvid": 1, "appopt": "LOG GETLOG"},
                    self._bridge(c, 1, c.nats.url))
        self.a.boot(self._bridge(c, 2, self.net.url))
        c.sees(self.a, "LOG")
        self.clients = [self.a.client(NDRX_TOUT=str(TOUT))
                        for _ in range(CLIENTS)]
        self.told = {}
        self.done = collections.Counter()
        self.ids = 0
        self.errors = collections.Counter()

    @staticmethod
    def _bridge(c, n, url):
        return {"name": "ndrxbridge", "srvid": BRIDGE, "min": n, "max": n,
                "appopt": " ".join(c.options("-u", url))}

    def _begin(self):
        """A call of each client; the ids."""
        ids = [str(self.ids + i) for i in range(CLIENTS)]
        self.ids += CLIENTS
        for cl, i in zip(self.clients, ids):
            cl.begin("call", "LOG", "-", f"STRING:{i}")
        return ids

    def _end(self, ids):
        for cl, i in zip(self.clients, ids):
            self.told[i] = cl.end(60).err

    def call_during(self, mischief):
        ids = self._begin()
        mischief()
        self._end(ids)

    def call(self):
        """One call of each client, at the same time."""
        self._end(self._begin())

    def call_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(20):
                self.call()
            self.collect()

    def collect(self):
        self.done.update(self.b.call("GETLOG").data.split())

    def check(self):
        """All until now."""
        time.sleep(TOUT)  # nothing is executed after its deadline
        self.collect()
        _judge(self.told, self.done)
        self.errors.update(self.told.values())
        self.told.clear()
        self.done.clear()


def _stop_a_while(pid):
    kill(pid, signal.SIGSTOP)
    time.sleep(0.3)  # for as long as the mischief lasts
    kill(pid, signal.SIGCONT)


def _mischief(c, audit):
    """What happens to the cluster, in turn."""
    def bridge_of(d):
        return wait_for(lambda: d.pid(BRIDGE) or d.pid(BRIDGE + 1),
                        "a bridge runs")

    def restart_nats():
        c.nats.stop()
        c.nats.start()

    def cut():
        audit.net.cut = True
        time.sleep(0.3)  # as above
        audit.net.cut = False

    def slow_down():
        audit.net.delay = 0.0 if audit.net.delay else 0.05

    return (lambda: kill(bridge_of(audit.a)),
            lambda: kill(bridge_of(audit.b)),
            lambda: _stop_a_while(bridge_of(audit.b)),
            cut,
            restart_nats,
            slow_down,
            lambda: _stop_a_while(c.nats.proc.pid))


def test_no_call_is_executed_twice_or_answered_wrongly():
    with Cluster() as c:
        audit = Audit(c)
        mischief = _mischief(c, audit)
        i, end = 0, time.monotonic() + SECONDS
        while i < ROUNDS or time.monotonic() < end:
            c.sees(audit.a, "LOG")
            audit.call_for(0.2)
            audit.call_during(mischief[i % len(mischief)])
            audit.call_for(0.1)
            i += 1
            if i % 70 == 0:
                audit.check()
        wait_for(lambda: audit.a.call("LOG", "last").err == "OK",
                 "calls again", 20)
        audit.told["last"] = "TPESVCERR"  # tried several times
        audit.collect()
        audit.done.pop("last")
        audit.call_for(0.2)
        audit.check()
        print(i, "rounds", dict(audit.errors))
        at_least(audit.errors["OK"], 100, "answered")


def _sabotaged(told, done, change, *words):
    """The audit names what this has changed."""
    told, done = dict(told), collections.Counter(done)
    change(told, done)
    try:
        _judge(told, done)
    except AssertionError as e:
        for word in words:
            contains(str(e), word)
        return
    raise AssertionError(f"not seen: {words}")


def test_the_audit_sees_each_fault():
    with Cluster() as c:
        audit = Audit(c)
        for _ in range(4):
            audit.call()
        audit.collect()
        told, done = audit.told, audit.done
        equal((set(told.values()), len(done)), ({"OK"}, 4 * CLIENTS))
        _judge(told, done)
        _sabotaged(told, done, lambda _, d: d.pop("7"), "executions of 7,")
        _sabotaged(told, done, lambda _, d: d.update(["7"]),
                   "executions of 7,")
        _sabotaged(told, done, lambda t, _: t.update({"7": "TPENOENT"}),
                   "executions of 7,", "TPENOENT")
        for err in UNKNOWN:
            _sabotaged(told, done, lambda t, d, err=err: (
                t.update({"7": err}), d.update(["7"])), "executions of 7,", err)
        _sabotaged(told, done, lambda t, _: t.update({"7": "TPEOS"}), "TPEOS")
        _sabotaged(told, done, lambda _, d: d.update(["77"]),
                   "ids that nobody sent", "77")
        _sabotaged(told, done, lambda t, d: (d.pop("7"), d.update(["77"])),
                   "executions of 7,")
