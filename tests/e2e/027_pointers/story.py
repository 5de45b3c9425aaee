# SPDX-License-Identifier: Apache-2.0
"""Buffers that a UBF buffer points to are sent with it."""
import os

from checks import at_most, equal
from fixture import Domain, Skip


def test_pointed_to_buffers_arrive_and_return():
    with Domain() as d:
        d.server(1, "POINTS", "FWDPOINTS")
        c = d.client()
        for svc in ("POINTS", "FWDPOINTS"):
            for size in (0, 10, 1000, 100000):
                r = c("points", svc, size, 3)
                equal((r.err, r.ok), ("OK", 3), f"{svc} {size}")


def _rss_kb(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * 4


def test_pointed_to_buffers_are_freed():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer keeps freed memory, and looks for leaks")
    with Domain() as d:
        d.server(1, "POINTS", "FWDPOINTS", "PID")
        c = d.client()
        pid = int(c("call", "PID").data)
        for svc in ("POINTS", "FWDPOINTS"):
            own = c("points", svc, 20000, 100).rss_kb
            server = _rss_kb(pid)
            r = c("points", svc, 20000, 600)
            equal(r.ok, 600)
            # One text kept by each call would be 12 MB.
            at_most(r.rss_kb - own, 6000, "kB that the client has kept")
            at_most(_rss_kb(pid) - server, 6000, "kB that the server has kept")
        used = [s.used_bytes for s in d.rows("shms") if "blocks" in s.path]
        at_most(used[0], 4 << 20, "bytes in use: blocks are given back")
