# SPDX-License-Identifier: Apache-2.0
"""A full disk refuses messages, loses none, and can be emptied."""
import os

from checks import at_least, equal
from fixture import Domain, wait_for
from machine import small_disk


def test_a_full_disk_is_teos_nothing_is_lost_and_it_goes_on():
    with Domain(small=False) as d:
        folder = os.path.join(d.home, "qdata")
        os.mkdir(folder)
        with small_disk(folder, "12m"):
            path = os.path.join(d.home, "q.conf")
            with open(path, "w", encoding="utf-8") as f:
                f.write("Q\n")
            p = d.server(80, "-m", "S", "-q", path, binary="tmqueue")
            c = d.client()
            r = c("enqmany", "S", "Q", 100000, 4000, seconds=120)
            equal(r.err, "TPEOS")
            n = r.ret
            at_least(n, 1000, "messages")
            r = c("enq", "S", "Q", "-", "-", "STRING:#8000")
            equal((r.err, r.event.split(";")[0]), ("TPEOS", "diag=-13"))
            for i in range(n // 2):
                r = c("deq", "S", "Q", "-", "-")
                equal((r.err, int(r.data)), ("OK", i), r.text)
            wait_for(lambda: c("enq", "S", "Q", "-", "-", "STRING:more").err
                     == "OK", "there is room again")
            for i in range(n // 2, n):
                r = c("deq", "S", "Q", "-", "-")
                equal((r.err, int(r.data)), ("OK", i), r.text)
            equal(c("deq", "S", "Q", "-", "-").data, "more")
            equal(d.stop_server(p), 0)
