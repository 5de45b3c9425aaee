# SPDX-License-Identifier: Apache-2.0
"""Posts and unsolicited messages under fire: none is another's, comes twice,
or is missing between two that live.

Clients that send to each other and post, each checking all that it gets
(programs/herald.c), and a service that counts what was posted to it
(programs/newssv.c), while a server, a tpevsrv or a client is killed every
50 ms. OW_LONG=1: a million messages, and a million posts.
"""
import os
import random
import struct
import time

from checks import at_least, at_most, equal
from fixture import Domain, kill, wait_for
from machine import LONG, SLOW
from conversations import blocks

HEAVY = True
HERALDS, SERVERS, BROKERS = 4, 3, 2
# Messages, and posts that came to somebody.
WANTED = 1000000 if LONG else int(20000 / SLOW)
POSTS = 1000000 if LONG else int(1000 / SLOW)
KILLS = 2000 if LONG else 60
TOUT = 5
NAMES = ("right", "wrong", "news", "told", "untold", "done", "twice",
         "unposted", "hung", "other", "ended", "numbers", "jobs")


def _ledger(d):
    with open(os.path.join(d.home, "news"), "rb") as f:
        return dict(zip(NAMES, struct.unpack("13q", f.read(13 * 8))))


def _herald(d, place, deadline_ms=TOUT * 1000):
    return d.background("herald", place, deadline_ms)


def _shoot(d, heralds):
    """Kill a server or tpevsrv, or one client of five shots, and start that
    again."""
    if random.random() < 0.2:
        i = random.randrange(len(heralds))
        kill(heralds[i].pid)
        heralds[i].wait()
        heralds[i].stderr.close()
        heralds[i] = _herald(d, i)
        return
    pids = [r.pid for r in d.rows("ppm") if r.state == "runok"]
    if pids:
        kill(random.choice(pids))


def _undone(d, jobs):
    """Jobs of which the poster was told, and that nobody has executed."""
    with open(os.path.join(d.home, "news"), "rb") as f:
        f.seek(13 * 8 + 8 * (8 + 96))
        return sum(b & 6 == 2 for b in f.read(jobs))


def _make_file(d, name):
    with open(os.path.join(d.home, name), "wb"):
        pass


def _enough(seen):
    return seen["right"] >= WANTED and seen["news"] + seen["done"] >= POSTS


def _run(d, least, **herald):
    """What all have seen until there is enough, after `least` kills: the
    ledger, and how many kills there were."""
    with open(os.path.join(d.home, "news"), "wb") as f:
        f.truncate(4096)  # before the first herald opens it
    d.boot({"srvid": 1, "name": "newssv", "min": SERVERS, "max": SERVERS},
           {"srvid": 20, "appopt": "SUBSCRIBE"},
           {"srvid": 90, "name": "tpevsrv", "min": BROKERS, "max": BROKERS})
    # TPEVSERVICE and TPEVPERSIST: it outlives the server that asked.
    equal(d.call("SUBSCRIBE", "^JOB$ - DOJOB 9").err, "OK")
    heralds = [_herald(d, i, **herald) for i in range(HERALDS)]
    wait_for(lambda: _ledger(d)["numbers"] == HERALDS, "all have entered", 30)
    kills, begun = 0, time.monotonic()
    while kills < least or (least > 0 and not _enough(_ledger(d))) or \
            _ledger(d)["done"] < 200:
        time.sleep(0.05)  # the rhythm of the kills
        if least > 0:
            _shoot(d, heralds)
            kills += 1
        if time.monotonic() - begun > (1200 if LONG else 90 * SLOW):
            raise AssertionError(f"too slow: {_ledger(d)}")
    _make_file(d, "stop")
    wait_for(lambda: _ledger(d)["ended"] == HERALDS or
             any(h.poll() is not None for h in heralds),
             "all have sent", 60)
    equal([h.poll() for h in heralds], [None] * HERALDS, "all run")
    wait_for(lambda: all(r.queued == 0 for r in d.rows("pq")),
             "queues are empty", 30)
    _make_file(d, "done")
    wait_for(lambda: all(h.poll() == 0 for h in heralds),
             "heralds have ended", 60)
    seen = _ledger(d)
    print(kills, "kills", seen)
    return seen, kills


def test_each_message_and_post_comes_once_and_to_its_own():
    with Domain(env={"NDRX_TOUT": str(TOUT)}) as d:
        seen, kills = _run(d, KILLS)
        equal({k: seen[k] for k in ("wrong", "twice", "unposted", "hung",
                                    "other") if seen[k]}, {},
              "columns that must be 0")
        # What a killed server had in hand is not executed again.
        at_most(_undone(d, seen["jobs"]), kills, "told and not executed")
        at_least(seen["done"], 20, "jobs")
        at_least(seen["news"], 20, "news")
        wait_for(lambda: blocks(d) == 0, "blocks are freed", 30)


def test_the_audit_sees_each_fault():
    columns = {"lost": ["wrong", "undone"], "twice": ["wrong", "twice"],
               "other": ["wrong"], "torn": ["wrong"], "late": ["hung"],
               "invented": ["unposted", "undone"], "error": ["other"]}
    for fault, names in columns.items():
        with Domain(env={"NDRX_TOUT": str(TOUT), "NEWS_FAULT": fault}) as d:
            how = {"deadline_ms": 30} if fault == "late" else {}
            seen, _ = _run(d, 0, **how)
            seen["undone"] = _undone(d, seen["jobs"])
            for name in names:
                at_least(seen[name], 1, f"{fault}: {name}")
