# SPDX-License-Identifier: Apache-2.0
"""Clients are killed at random moments, or live for one call only; they leave
nothing behind, with ndrxd or without."""
import random
import time

from checks import equal, soon
from fixture import Domain, wait_for
from machine import LONG

HEAVY = True
COST = 31
ROUNDS = 60 if LONG else 20


def _clean(d):
    wait_for(lambda: d.rows("stat")[0].clients == 0, "slots given back", 10)
    wait_for(lambda: not [q for q in d.rows("pqa") if "reply" in q.queue],
             "mailboxes given back", 10)
    equal(d.call("ECHO", "x").data, "x")


def _killed_at_random(d, *command):
    rnd = random.Random(7)
    for _ in range(ROUNDS):
        clients = [d.client() for _ in range(3)]
        for c in clients:
            c.begin(*command)
        time.sleep(rnd.uniform(0, 0.02))  # a random moment
        for c in clients:
            c.kill()
        d.clients = []
        r = d.run("testcl", "call", "ECHO", "-", "STRING:x")
    equal(r.returncode, 0, r.stderr[-3000:])


def test_clients_killed_while_contexts_come_and_go_leave_nothing():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        _killed_at_random(d, "calls", "ECHO", 1, 12, 10)
        _clean(d)


def test_clients_killed_with_large_messages_leave_no_block():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        _killed_at_random(d, "calls", "ECHO", 50, 2, 300000)
        _clean(d)

        def small():
            used = [s.used_bytes for s in d.rows("shms")
                    if "blocks" in s.path]
            return used[0] < 4 << 20
        wait_for(small, "memory given back", 15)


# More processes than there are process slots (65,535).
MANY = 70000 if LONG else 2000


def _short(d, how):
    """Nobody but the clients themselves puts in order what they leave."""
    d.server(1, "ECHO")
    d.server(2, "ECHO")
    r = d.client()("short", "ECHO", MANY, 3, how, seconds=1200)
    equal((r.good, r.bad, r.err), (MANY, 0, "OK"))
    soon(r.max_ms, 5000, "the longest life")


def test_short_clients_join_without_ndrxd_as_many_as_come():
    with Domain() as d:
        _short(d, "exit")
        equal(d.rows("stat")[0].clients, 0)
        equal([q for q in d.rows("pqa") if "reply" in q.queue], [])
        equal(d.call("ECHO", "x").data, "x")


def test_killed_clients_without_ndrxd_use_nothing_up():
    """Neither slots, nor the kernel's queues, nor memory."""
    with Domain() as d:
        _short(d, "kill")
        equal(d.call("ECHO", "x").data, "x")
        # The next server, or ndrxd, clears what the last ones left.
        d.server(3, "ECHO")
        equal(d.rows("stat")[0].clients, 1)
        d.client()("short", "ECHO", 10, 3, "kill")
        d.configure()
        d.xadmin("idle")
        wait_for(lambda: d.rows("stat")[0].clients == 1, "slots given back")
