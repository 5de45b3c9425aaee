# SPDX-License-Identifier: Apache-2.0
"""One message wakes one server."""
import time

from fixture import Domain, equal, only_on
from machine import switches

SERVERS = 12
CALLS = 400


def _wake_ups(d):
    """Sleeps of all servers over CALLS calls, less what is housekeeping."""
    servers = [d.spawn(i, "ECHO") for i in range(1, SERVERS + 1)]
    d.wait_ready(*range(1, SERVERS + 1))
    c = d.client()
    equal(c.call("ECHO", "x").err, "OK")
    before = sum(switches(p.pid) for p in servers)
    start = time.monotonic()
    r = c("calls", "ECHO", CALLS, 1, 20)
    equal((r.ok, r.wrong), (CALLS, 0))
    seconds = time.monotonic() - start
    # Each server looks into its queues once a second and for ndrxd four
    # times a second.
    return sum(switches(p.pid) for p in servers) - before - \
        SERVERS * 6 * (seconds + 0.5)


def test_a_message_wakes_one_server():
    with Domain() as d:
        n = _wake_ups(d)
        equal(n <= CALLS * 1.2, True, f"{n:.0f} wake-ups for {CALLS} calls")


def test_the_kernel_alone_wakes_a_second_one_inside():
    # It also wakes one when a message leaves a queue (its place may be of
    # interest); that one goes back to sleep inside epoll_wait().
    only_on("posix", "servers do not wait in the kernel's queues")
    with Domain(env={"NDRX_WAKE": "exclusive"}) as d:
        n = _wake_ups(d)
        equal(n <= CALLS * 2.2, True, f"{n:.0f} wake-ups for {CALLS} calls")


def test_even_wakes_one_in_turn():
    # By the kernel where it has the flag, else each server steps back.
    only_on("posix", "who is still awake there serves on")
    with Domain(env={"NDRX_WAKE": "even"}) as d:
        n = _wake_ups(d)
        equal(n <= CALLS * 1.2, True, f"{n:.0f} wake-ups for {CALLS} calls")
        done = [d.row("psc", srvid=i)["succeeded"]
                for i in range(1, SERVERS + 1)]
        equal(max(done) < 2 * CALLS / SERVERS, True, f"calls: {done}")


def test_the_herd_is_there_for_comparison():
    only_on("posix", "nobody is woken in vain")
    with Domain(env={"NDRX_WAKE": "herd"}) as d:
        n = _wake_ups(d)
        equal(n > CALLS * 4, True, f"{n:.0f} wake-ups for {CALLS} calls")
