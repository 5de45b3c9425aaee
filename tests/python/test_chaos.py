# SPDX-License-Identifier: Apache-2.0
"""Servers in Python and C are killed while clients in Python call: each call has one outcome."""
import asyncio
import os
import random
import signal
import threading
import time

import pytest

import onewake
from onewake import aio

COST = 12
KILLS = 200 if os.environ.get("OW_LONG") else 12
LOST = (onewake.TPESVCERR, onewake.TPENOENT)


@pytest.fixture(scope="module")
def domain(boot):
    return boot([{"program": "basicsv.py", "srvid": 1, "min": 3, "max": 3},
                 {"program": "testsv", "srvid": 50, "min": 2, "max": 2,
                  "appopt": "CECHO=ECHO ECHO"}])


class Tally:
    def __init__(self):
        self.right, self.lost, self.wrong = 0, 0, []

    def note(self, want, got):
        if got == want:
            self.right += 1
        else:
            self.wrong.append((want, got))

    def add(self, other):
        self.right += other.right
        self.lost += other.lost
        self.wrong += other.wrong


def thread(n, stop, total, lock):
    """Calls by one thread: what it counted goes into `total`."""
    t, i = Tally(), 0
    while not stop.is_set():
        i += 1
        want = {"P_STRING": [f"{n} {i}"], "P_LONG": [i]}
        try:
            t.note(want, onewake.call(("ECHO", "CECHO")[i % 2], want, timeout=15))
        except LOST:
            t.lost += 1
        except onewake.AtmiError as e:
            t.wrong.append((want, e))
    onewake.term()
    with lock:
        total.add(t)


async def tasks(stop, total):
    async def one(n):
        i = 0
        while not stop.is_set():
            i += 1
            want = f"task {n} {i}"
            try:
                if i % 10 == 0:
                    want = "late 0.01"
                    total.note(want, await aio.call("LATE", "0.01", timeout=15))
                else:
                    total.note(want, await aio.call("ECHO", want, timeout=15))
            except LOST:
                total.lost += 1
            except onewake.AtmiError as e:
                total.wrong.append((want, e))
    await asyncio.gather(*(one(n) for n in range(50)))
    await aio.close()


def kill_some(domain):
    rng, done = random.Random(36), 0
    while done < KILLS:
        pid = domain.wait_for(lambda: domain.pid(rng.choice((1, 2, 3, 50, 51))), "one serves", 30)
        try:
            os.kill(pid, signal.SIGKILL)
            done += 1
        except ProcessLookupError:
            pass  # of the kill before, and ndrxd has not noticed yet
        time.sleep(0.1)


def test_each_call_has_one_outcome(domain):
    total, of_tasks, lock, stop = Tally(), Tally(), threading.Lock(), threading.Event()
    workers = [threading.Thread(target=thread, args=(n, stop, total, lock)) for n in range(4)]
    workers.append(threading.Thread(target=lambda: asyncio.run(tasks(stop, of_tasks))))
    for w in workers:
        w.daemon = True  # one that does not end fails the test, and holds nothing
        w.start()
    try:
        kill_some(domain)
    finally:
        stop.set()
    for w in workers:
        w.join(40)
        assert not w.is_alive(), "a call that does not end"
    total.add(of_tasks)
    assert not total.wrong and of_tasks.right
    assert total.right > 100, (total.right, total.lost)
    # A kill ends what the process had in hand: one request, or its coroutines.
    assert total.lost <= KILLS * 60, total.lost
    domain.wait_for(lambda: all(domain.pid(n) for n in (1, 2, 3, 50, 51)), "all are back", 20)
    assert onewake.call("ECHO", "x") == "x"
