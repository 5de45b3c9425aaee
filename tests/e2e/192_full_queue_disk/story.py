# SPDX-License-Identifier: Apache-2.0
"""A full disk refuses messages, loses none, and can be emptied."""
import os
import signal

from checks import at_least, check, equal
from fixture import Domain, kill, wait_for
from machine import small_disk

MAINLY = "shm"


def start(d):
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("Q\n")
    return d.server(80, "-m", "S", "-q", path, binary="tmqueue")


def take(c, numbers):
    for i in numbers:
        r = c("deq", "S", "Q", "-", "-")
        equal((r.err, int(r.data)), ("OK", i), r.text)


def test_a_disk_with_room_for_a_journal_fills_up_and_nothing_is_lost():
    with Domain(small=False) as d:
        folder = os.path.join(d.home, "qdata")
        os.mkdir(folder)
        with small_disk(folder, "100m"):
            p, c = start(d), d.client()
            check(os.path.exists(f"{folder}/S.tmj"), "a journal is there")
            r = c("enqmany", "S", "Q", 100000, 4000, seconds=120)
            equal(r.err, "TPEOS")
            n = r.ret
            at_least(n, 5000, "messages")
            kill(p.pid, signal.SIGKILL)
            p.wait()
            d.procs.pop(p.pid, None)
            p = start(d)
            take(c, range(n // 2))
            wait_for(lambda: c("enq", "S", "Q", "-", "-", "STRING:more").err
                     == "OK", "there is room again")
            take(c, range(n // 2, n))
            equal(c("deq", "S", "Q", "-", "-").data, "more")
            equal(d.stop_server(p), 0)


def test_a_full_disk_is_teos_nothing_is_lost_and_it_goes_on():
    with Domain(small=False) as d:
        folder = os.path.join(d.home, "qdata")
        os.mkdir(folder)
        with small_disk(folder, "12m"):
            p, c = start(d), d.client()
            r = c("enqmany", "S", "Q", 100000, 4000, seconds=120)
            equal(r.err, "TPEOS")
            n = r.ret
            at_least(n, 1000, "messages")
            r = c("enq", "S", "Q", "-", "-", "STRING:#8000")
            equal((r.err, r.event.split(";")[0]), ("TPEOS", "diag=-13"))
            take(c, range(n // 2))
            wait_for(lambda: c("enq", "S", "Q", "-", "-", "STRING:more").err
                     == "OK", "there is room again")
            take(c, range(n // 2, n))
            equal(c("deq", "S", "Q", "-", "-").data, "more")
            equal(d.stop_server(p), 0)
