# SPDX-License-Identifier: Apache-2.0
"""One message wakes one server."""
import time

from checks import at_least, at_most, equal
from fixture import Domain, only_on
from machine import switches, wait_for

SERVERS = 12
CALLS = 400


def _wake_ups(d):
    """Sleeps of all servers during CALLS calls, less their periodic work."""
    servers = [d.spawn(i, "ECHO") for i in range(1, SERVERS + 1)]
    d.wait_ready(*range(1, SERVERS + 1))
    c = d.client()
    equal(c.call("ECHO", "x").err, "OK")
    before = sum(switches(p.pid) for p in servers)
    start = time.monotonic()
    r = c("calls", "ECHO", CALLS, 1, 20)
    equal((r.ok, r.wrong), (CALLS, 0))
    seconds = time.monotonic() - start
    # Each server polls its queues once a second, and tries to connect to
    # ndrxd four times a second.
    return sum(switches(p.pid) for p in servers) - before - \
        SERVERS * 6 * (seconds + 0.5)


def test_a_message_wakes_one_server():
    with Domain() as d:
        n = _wake_ups(d)
        at_most(n, CALLS * 1.2, "wake-ups")


def test_exclusive_wakes_a_second_server_inside_the_kernel():
    # The kernel also wakes one waiter when a message leaves a queue, since
    # there is room now; that one goes back to sleep inside epoll_wait().
    only_on("posix", "servers do not wait in the kernel's queues")
    with Domain(env={"NDRX_WAKE": "exclusive"}) as d:
        n = _wake_ups(d)
        at_most(n, CALLS * 2.2, "wake-ups")


def test_even_wakes_servers_in_turn():
    # The kernel does it where it has the flag; elsewhere a server that was
    # woken moves to the end of the list of waiters.
    only_on("posix", "a server that is awake takes the next message there")
    with Domain(env={"NDRX_WAKE": "even"}) as d:
        n = _wake_ups(d)
        at_most(n, CALLS * 1.2, "wake-ups")
        done = [d.row("psc", srvid=i)["succeeded"]
                for i in range(1, SERVERS + 1)]
        at_most(max(done), 2 * CALLS / SERVERS, f"calls of one server: {done}")


def test_herd_wakes_many_servers():
    only_on("posix", "shm wakes no server in vain")
    with Domain(env={"NDRX_WAKE": "herd"}) as d:
        n = _wake_ups(d)
        # Twelve on an idle machine. On a busy one a server often has not gone
        # back to sleep when the next message comes.
        at_least(n, CALLS * 2, "wake-ups")


def test_a_busy_service_does_not_hold_up_another_of_its_server():
    with Domain() as d:
        d.server(1, "NAP", "ECHO")
        busy, c = d.client(), d.client()
        stop = f"{d.home}/stop"
        busy.begin("calls", "NAP", 0, 10, 10, stop)
        wait_for(lambda: _done(d, "NAP") > 10, "it is busy")
        before = _done(d, "NAP")
        for _ in range(40):
            equal(c.call("ECHO", "x").err, "OK")
        naps = (_done(d, "NAP") - before) / 40
        with open(stop, "w", encoding="utf-8"):
            pass
        equal(busy.end().wrong, 0)
        at_most(naps, 3.5, "naps for each call: a run of them")


def test_an_order_to_stop_waits_for_few_long_services():
    """The server would serve a second one at once, each time."""
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP"})
        c = d.client()
        cds = [c("acall", "SLEEP", "-", "STRING:300").ret for _ in range(6)]
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "it serves")
        d.xadmin("stop", "-i", "1")
        served = [c("getrply", cd, "-").err for cd in cds].count("OK")
        at_most(served, 3, "served after the order, or before it")


def _done(d, service):
    return d.row("psc", service=service).succeeded
