# SPDX-License-Identifier: Apache-2.0
"""spans.py - what spans cost: instructions of a call without and with them

As instructions.py counts them, of BALANCE and ECHO. With spans, ndrxotel reads
them into /dev/null beside; what it needs itself is not in the figures. The
same of each call in the log: `trace=n` and `trace=y`, lines to /dev/null.
"""
import glob
import subprocess
import time

import instructions
from domain import DomainFailed
from report import median

TABLE = (
    ("bench", "bench", 6, "%s"), ("what", "what", 6, "%s"),
    ("transport", "transport", 9, "%s"),
    ("service", "service", 8, "%s"), ("rounds", "rounds", 6, "%d"),
    ("off", "off", 7, "%.0f"), ("on", "on", 7, "%.0f"),
    ("more", "more", 6, "%.0f"), ("percent", "percent", 7, "%.1f"),
)


LOG = "* ndrx=2 ubf=2 tp=2 file=/dev/null trace=%s\n"


def await_rings(dom):
    """Wait until the server notes spans."""
    end = time.monotonic() + instructions.READY_S
    while time.monotonic() < end:
        if glob.glob("/dev/shm/%s,shm/spans.*" %
                     dom.env["NDRX_QPREFIX"].lstrip("/")):
            return
        time.sleep(0.1)
    raise DomainFailed("spans: the server notes none")


def with_reader(dom, *words):
    """ndrxotel, beside the server."""
    reader = subprocess.Popen(
        dom.command("ndrxotel", "-f", "/dev/null", *words), env=dom.env,
        stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    await_rings(dom)
    return reader


def with_one_in_100(dom):
    """The same, of one trace in a hundred."""
    return with_reader(dom, "-N", "100")


def bench_spans(m):
    """User instructions of one call (valgrind) without spans, and with."""
    def pairs(way, service):
        each = ({}, {"beside": with_reader},
                {"beside": with_one_in_100},
                {"conf": LOG % "n"}, {"conf": LOG % "y"})
        return [sum(instructions.per_call(m, way, service, **how))
                for how in each]

    for way, service, found in instructions.each_round(m, "spans", pairs):
        for what, pair in (("spans", (0, 1)), ("1in100", (0, 2)),
                           ("trace", (3, 4))):
            off, on = (median(f[i] for f in found) for i in pair)
            m.report.row(TABLE, {
                "bench": "spans", "what": what, "transport": way.transport,
                "service": service, "rounds": m.rounds, "off": off, "on": on,
                "more": on - off, "percent": 100 * (on - off) / off})
