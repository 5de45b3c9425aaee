# SPDX-License-Identifier: Apache-2.0
"""Random bytes over pages of shared memory cause errors, no crash."""
import glob
import os
import random
from contextlib import ExitStack

from checks import at_least, equal
from fixture import Domain, alive, holds
from machine import LONG

COST = 11
TRANSPORT = "shm"
PAGE = 4096
ROUNDS = 60 if LONG else 6
AT_ONCE = 6

COMMANDS = (["psc"], ["psvc"], ["pq"], ["pqa"], ["ppm"], ["stat"], ["shms"],
            ["doctor"], ["pc"])


def _pages(path):
    """Offsets of the pages that have memory."""
    found = []
    with open(path, "rb") as f:
        end = os.fstat(f.fileno()).st_size
        at = 0
        while at < end:
            try:
                at = os.lseek(f.fileno(), at, os.SEEK_DATA)
                hole = os.lseek(f.fileno(), at, os.SEEK_HOLE)
            except OSError:
                break
            found += range(at, hole, PAGE)
            at = hole
    return found


def _damage(rnd, path, count):
    pages = _pages(path)
    with open(path, "r+b", buffering=0) as f:
        for at in rnd.sample(pages, min(count, len(pages))):
            f.seek(at)
            f.write(rnd.randbytes(PAGE) if rnd.random() < 0.7
                    else bytes([rnd.randrange(256)]) * PAGE)


def _damaged_domain(d, kind, seed):
    """Damage the memory of a running domain; returns its client and ndrxd."""
    rnd = random.Random(seed)
    d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO UPPER"})
    c = d.client()
    equal(c("calls", "ECHO", 50, 4, 700).ok, 200)
    pid = d.ndrxd_pid()
    for path in glob.glob(d.segment(kind)):
        _damage(rnd, path, 3)
    # Calls may fail in any way; the processes must end when killed.
    c.begin("calls", "ECHO", 20, 4, 700)
    for command in COMMANDS:
        r = d.run("xadmin", *command, seconds=10)
        at_least(r.returncode, 0, f"{kind} {seed}: xadmin {command}")
    return c, pid


def _clear(d, c, what):
    c.kill()
    d.clients = []
    r = d.run("xadmin", "down", "-y", seconds=20)
    at_least(r.returncode, 0, f"{what}: xadmin down")
    equal(d.leftovers(), [], what)


def _survive(kind):
    for first in range(0, ROUNDS, AT_ONCE):
        with ExitStack() as stack:
            damaged = []
            for seed in range(first, min(first + AT_ONCE, ROUNDS)):
                d = stack.enter_context(Domain())
                damaged.append((d, *_damaged_domain(d, kind, seed)))
            # ndrxd's tick, once a second, reads the damaged memory too.
            holds(lambda: all(alive(pid) for _, _, pid in damaged),
                  f"{kind} {first}: each ndrxd lives", 1.2)
            for d, c, _ in damaged:
                _clear(d, c, f"{kind} {first}")


def test_damaged_queues_crash_no_process():
    _survive("q,*")


def test_damaged_mailboxes_crash_no_process():
    _survive("mail")


def test_damaged_blocks_crash_no_process():
    _survive("blocks")


def test_damaged_tables_crash_no_process():
    _survive("tables")
