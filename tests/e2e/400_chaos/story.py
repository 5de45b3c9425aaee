# SPDX-License-Identifier: Apache-2.0
"""Servers are killed or stopped at random under load; each call ends."""
import os
import random
import signal
import time

from checks import at_least, equal, soon
from fixture import Domain, kill, wait_for
from machine import LONG, SLOW

COST = 7
HEAVY = True
SERVERS = 20
THREADS = 8
CALLS = 20000 if SLOW == 1 else 4000


def _servers(d):
    return [r.pid for r in d.rows("ppm") if r.state == "runok"]


def _clean(d):
    """Queues empty, no block in use, all servers back."""
    wait_for(lambda: len(_servers(d)) == SERVERS, "all servers back", 20)
    wait_for(lambda: all(r.queued == 0 for r in d.rows("pq")),
             "queues empty", 10)
    wait_for(lambda: d.rows("stat")[0].servers_dead == 0, "no dead slot", 10)
    d.close_clients()
    wait_for(lambda: d.rows("stat")[0].clients == 0, "no client slot", 10)


def _boot(d):
    d.boot({"srvid": 1, "min": SERVERS, "max": SERVERS, "appopt": "ECHO",
            "pingtime": 0})


def _calls_during(d, size, hit, cease=lambda: None):
    """Calls while hit() takes a server every 50 ms, then cease(). Returns the
    results of the calls."""
    rnd = random.Random(6)
    stop = os.path.join(d.home, "stop")
    c = d.client()
    c.begin("calls", "ECHO", 0 if LONG else CALLS // THREADS, THREADS, size,
            stop)
    end = time.monotonic() + (20 if LONG else 2)
    while time.monotonic() < end:
        pids = _servers(d)
        if pids:
            hit(rnd.choice(pids))
        time.sleep(0.05)  # between two hits
    open(stop, "w", encoding="utf-8").close()
    cease()
    r = c.end(60)
    equal(r.wrong, 0, "replies to other calls")
    return r


def test_each_call_ends_while_servers_are_killed():
    for size in (20, 5000):
        with Domain() as d:
            _boot(d)
            r = _calls_during(d, size, kill)
            equal({k: v for k, v in r.errors.items()
                   if k not in ("TPESVCERR", "TPENOENT")}, {}, "errors")
            at_least(r.ok, 100, "calls")
            # A lost wake-up costs a second, until an idle server polls.
            soon(r.max_ms, 1500, "the longest call")
            _clean(d)


def test_no_call_is_lost_while_servers_are_stopped():
    with Domain() as d:
        _boot(d)
        frozen = []

        def freeze(pid):
            kill(pid, signal.SIGSTOP)
            frozen.append(pid)
            if len(frozen) > 5:
                kill(frozen.pop(0), signal.SIGCONT)

        def thaw():
            """The last calls would wait for ever otherwise."""
            for pid in frozen:
                kill(pid, signal.SIGCONT)
        r = _calls_during(d, 20, freeze, thaw)
        equal(r.errors, {})
        _clean(d)
