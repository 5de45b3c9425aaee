# SPDX-License-Identifier: Apache-2.0
"""The server's loop polls descriptors of the program and calls it back."""
import os
import time

from checks import at_most, equal, promptly
from fixture import Domain, holds, wait_for

COST = 5


def _serve(d):
    fifo = os.path.join(d.home, "pipe")
    os.mkfifo(fifo)
    p = d.server(1, "SEEN", "ECHO", f"ext={fifo}")
    equal(d.call("ECHO", "x").data, "x")
    return p, os.open(fifo, os.O_RDWR)


def _seen(d):
    return d.call("SEEN").urcode // 1000


def _periods(d):
    return d.call("SEEN").urcode % 1000


def test_an_idle_server_calls_back_at_once():
    with Domain() as d:
        _, fd = _serve(d)
        c = d.client()
        took = []
        for n in range(1, 20):
            start = time.monotonic()
            os.write(fd, b"x")
            wait_for(lambda: _seen(d) == n, f"{n} heard", 5)
            took.append((time.monotonic() - start) * 1000)
        promptly(took, 100, 400)  # the poll comes once a second
        equal(c("calls", "ECHO", 500, 2, 20).ok, 1000)
        equal(_seen(d), 19)


def test_a_busy_server_calls_back_between_requests():
    with Domain() as d:
        _, fd = _serve(d)
        c = d.client()
        c.begin("calls", "ECHO", 20000, 4, 20)
        os.write(fd, b"xxx")
        wait_for(lambda: _seen(d) == 3, "heard under load", 5)
        equal(c.end(60).ok, 80000)


def test_a_removed_descriptor_is_not_called_back():
    with Domain() as d:
        _, fd = _serve(d)
        os.write(fd, b"d")
        wait_for(lambda: _seen(d) == 1, "heard once")
        os.write(fd, b"x")
        # A callback would come at once.
        holds(lambda: _seen(d) == 1, "not called back", 0.2)


def test_a_callback_can_stop_the_server():
    with Domain() as d:
        p, fd = _serve(d)
        os.write(fd, b"q")
        equal(p.wait(10), 0)
        d.procs.pop(p.pid, None)


def test_the_periodic_callback_comes_once_a_second():
    with Domain() as d:
        start = time.monotonic()
        _serve(d)
        n = wait_for(lambda: _periods(d) >= 3 and _periods(d), "three of them")
        seconds = time.monotonic() - start
        at_most(n - 1, seconds, "periods, and the seconds that passed")
