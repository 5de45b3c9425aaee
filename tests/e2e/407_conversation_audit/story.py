# SPDX-License-Identifier: Apache-2.0
"""Conversations under fire: nobody gets a message of another one.

Clients with several conversations at once, each message checked at both ends
(programs/converser.c), while a server or a client is killed every 50 ms. OW_LONG=1:
a million messages.
"""
import os
import random
import struct
import time

from checks import at_least, equal
from fixture import Domain, kill, wait_for
from machine import LONG, SLOW
from conversations import blocks

HEAVY = True
CLIENTS, AT_ONCE, SERVERS, MESSAGES = 4, 3, 14, 60
WANTED = 1000000 if LONG else int(50000 / SLOW)
KILLS = 2000 if LONG else 60
NAMES = ("right", "wrong", "whole", "cut", "hung", "other", "keys")
TOUT = 5


def _ledger(d):
    with open(os.path.join(d.home, "convs"), "rb") as f:
        return dict(zip(NAMES, struct.unpack("7q", f.read(56))))


def _talker(d, deadline_ms=TOUT * 1000):
    return d.background("converser", AT_ONCE, MESSAGES, deadline_ms)


def _shoot(d, clients):
    """Kill a server, or one client of five shots, and start that again."""
    if random.random() < 0.2:
        i = random.randrange(len(clients))
        kill(clients[i].pid)
        clients[i].wait()
        clients[i].stderr.close()
        clients[i] = _talker(d)
        return
    pids = [r.pid for r in d.rows("ppm") if r.state == "runok"]
    if pids:
        kill(random.choice(pids))


def _run(d, least, **talker):
    """What both ends have seen until there is enough, after `least` kills."""
    with open(os.path.join(d.home, "convs"), "wb") as f:
        f.truncate(4096)  # before the first end opens it
    d.boot({"srvid": 1, "name": "conversesv", "min": SERVERS, "max": SERVERS,
            "appopt": "AUDIT"})
    clients = [_talker(d, **talker) for _ in range(CLIENTS)]
    kills, begun = 0, time.monotonic()
    while kills < least or \
            _ledger(d)["right"] < (WANTED if least else 500):
        time.sleep(0.05)  # the rhythm of the kills
        if least:
            _shoot(d, clients)
            kills += 1
        if time.monotonic() - begun > (1500 if LONG else 90 * SLOW):
            raise AssertionError(f"too slow: {_ledger(d)}")
    with open(os.path.join(d.home, "stop"), "wb"):
        pass
    wait_for(lambda: all(c.poll() == 0 for c in clients),
             "clients have ended", 60)
    seen = _ledger(d)
    print(kills, "kills", seen)
    return seen


def test_each_end_gets_its_own_messages_although_ends_are_killed():
    with Domain(env={"NDRX_TOUT": str(TOUT)}) as d:
        seen = _run(d, KILLS)
        equal((seen["wrong"], seen["hung"], seen["other"]), (0, 0, 0),
              "wrong messages, late functions, other errors")
        at_least(seen["whole"], KILLS, "conversations to their end")
        at_least(seen["cut"], KILLS // 10, "conversations that a kill ended")
        wait_for(lambda: len([r for r in d.rows("ppm")
                              if r.state == "runok"]) == SERVERS,
                 "all servers run", 30)
        wait_for(lambda: blocks(d) == 0, "blocks are freed", 30)


def test_the_audit_sees_each_fault():
    columns = {"lost": "wrong", "other": "wrong", "twice": "wrong",
               "torn": "wrong", "late": "hung", "error": "other"}
    for fault, column in columns.items():
        with Domain(env={"NDRX_TOUT": str(TOUT), "CONV_FAULT": fault}) as d:
            how = {"deadline_ms": 100} if fault == "late" else {}
            at_least(_run(d, 0, **how)[column], 1, fault)
