# SPDX-License-Identifier: Apache-2.0
"""One end of a conversation is killed: the other end knows within 100 ms.

Without ndrxd, too: the end that waits looks for itself.
"""
import time

from checks import equal, promptly
from fixture import Domain, kill, wait_for
from machine import asleep
from conversations import blocks, connect, convs, traced

N = 12
# Milliseconds. A busy machine runs a process that has been woken late.
MEDIAN, LATE = 70, 250


def _after_kill(d, pid, c, *words):
    """Milliseconds from the kill to the end of the command, and its result."""
    c.begin(*words)
    wait_for(lambda: asleep(c.pid), "it waits")
    start = time.monotonic()
    kill(pid)
    r = c.end()
    return (time.monotonic() - start) * 1000, r


def test_a_client_that_waits_hears_of_the_death_of_the_server():
    with Domain() as d:
        took = []
        for i in range(1, N + 1):
            p = convs(d, i, f"T{i}")
            c = d.client()
            cd = connect(c, "sleep:100000", "TPRECVONLY", f"T{i}")
            ms, r = _after_kill(d, p.pid, c, "recv", cd)
            equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
            took.append(ms)
        promptly(took, MEDIAN, LATE)
        d.dirty = True


def test_the_same_under_ndrxd_and_for_a_client_that_sends():
    with Domain() as d:
        ids = range(1, N + 1)
        d.boot(*({"srvid": i, "name": "conversesv", "appopt": f"T{i}"}
                 for i in ids))
        took = []
        for i in ids:
            c = d.client()
            cd = connect(c, "sleep:100000", "TPSENDONLY", f"T{i}")
            ms, r = _after_kill(d, d.pid(i), c, "stream", cd, 1000, 100)
            equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
            took.append(ms)
        promptly(took, MEDIAN, LATE)


def _served(d, name, start):
    """Milliseconds until the service was told."""
    wait_for(lambda: any(t[2:4] == ("TPEEVENT", "DISCONIMM")
                         for t in traced(d, name)), f"{name}: told")
    return (time.monotonic() - start) * 1000


def test_a_service_that_waits_hears_of_the_death_of_the_client():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "conversesv", "appopt": "CONV"})
        took, pid = [], d.pid(1)
        for i in range(N):
            c = d.client()
            name = f"t{i}"
            script, flags = (("all", "TPSENDONLY") if i % 2 == 0 else
                             ("stream:1000:100", "TPRECVONLY"))
            connect(c, f"trace:{name} {script}", flags)
            wait_for(lambda: asleep(pid), "the service waits")
            start = time.monotonic()
            c.kill()
            took.append(_served(d, name, start))
        promptly(took, MEDIAN, LATE)


def test_a_server_that_exits_in_a_conversation_is_svcerr():
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "send:a exit", "TPRECVONLY")
        equal(c("recv", cd).data, "a", "what was sent before")
        r = c("recv", cd)
        equal((r.err, r.event), ("TPEEVENT", "SVCERR"))
        d.dirty = True


def _only_busy(d):
    """The id of the server that works, when it is the only one."""
    busy = [r.srvid for r in d.rows("psc") if r.status == "BUSY"]
    return busy[0] if len(busy) == 1 else None


def test_what_dead_ends_leave_is_freed():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "conversesv", "min": 4, "max": 4,
                "appopt": "CONV"})

        c = d.client()
        connect(c, "return:-")
        before = blocks(d)
        for i in range(16):
            c = d.client()
            cd = connect(c, "stream:1000:50000", "TPRECVONLY")
            if i % 2:
                # Not the one that has still to hear of its client's death.
                busy = wait_for(lambda: _only_busy(d), "one is busy")
                pid = d.pid(busy)
                kill(pid)
                wait_for(lambda pid=pid: pid not in
                         [d.pid(i) for i in range(1, 5)] and
                         len(d.rows("psc")) == 4, "started again")
                equal(c("drain", cd).event, "SVCERR")
            else:
                c("recv", cd)
                c.kill()
        wait_for(lambda: blocks(d) <= before, "blocks freed", 20)
        c = d.client()
        for _ in range(8):
            cd = connect(c, "all last")
            c("send", cd, "TPRECVONLY", "STRING:mine")
            equal(c("recv", cd).data, "mine")
