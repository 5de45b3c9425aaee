# SPDX-License-Identifier: Apache-2.0
"""spans.py - what spans cost: instructions of a call without and with them

As instructions.py counts them, of BALANCE and ECHO. With spans, ndrxotel reads
them into /dev/null beside; what it needs itself is not in the figures.
"""
import glob
import os
import shutil
import subprocess
import time

import instructions
from domain import DomainFailed
from report import median
from ways import ways

JOBS = ("BALANCE", "ECHO")
CALLS = 2000
TABLE = (
    ("bench", "bench", 6, "%s"), ("transport", "transport", 9, "%s"),
    ("service", "service", 8, "%s"), ("rounds", "rounds", 6, "%d"),
    ("off", "off", 7, "%.0f"), ("on", "on", 7, "%.0f"),
    ("more", "more", 6, "%.0f"), ("percent", "percent", 7, "%.1f"),
)


def await_rings(dom):
    """Wait until the server notes spans."""
    end = time.monotonic() + instructions.READY_S
    while time.monotonic() < end:
        if glob.glob("/dev/shm/%s,shm/spans.*" %
                     dom.env["NDRX_QPREFIX"].lstrip("/")):
            return
        time.sleep(0.1)
    raise DomainFailed("spans: the server notes none")


def with_reader(dom):
    """ndrxotel, beside the server."""
    reader = subprocess.Popen(
        dom.command("ndrxotel", "-f", "/dev/null"), env=dom.env,
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_rings(dom)
    return reader


def per_call(m, way, service, calls, beside):
    """Instructions of server and client for a call."""
    few = instructions.count(m, way, service, 500, beside)
    many = instructions.count(m, way, service, 500 + calls, beside)
    return sum(b - a for a, b in zip(few, many)) / calls


def bench_spans(m):
    """User instructions of one call (valgrind) without spans, and with."""
    if not shutil.which("valgrind"):
        raise DomainFailed("spans: valgrind counts them: install it")
    calls = m.calls or CALLS
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        for way in ways(m.transport):
            for service in JOBS:
                pairs = []
                for i in range(m.rounds):
                    m.report.note("spans, %s, %s: round %d of %d" % (
                        way, service, i + 1, m.rounds))
                    pairs.append((per_call(m, way, service, calls, None),
                                  per_call(m, way, service, calls,
                                           with_reader)))
                off, on = (median(p[i] for p in pairs) for i in (0, 1))
                m.report.row(TABLE, {
                    "bench": "spans", "transport": way.transport,
                    "service": service, "rounds": m.rounds, "off": off,
                    "on": on, "more": on - off,
                    "percent": 100 * (on - off) / off})
    finally:
        os.sched_setaffinity(0, before)

