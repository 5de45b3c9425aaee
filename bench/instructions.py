# SPDX-License-Identifier: Apache-2.0
"""instructions.py - user instructions of one call, by callgrind

One caller and one server, each under callgrind, on one CPU, so that they take
turns in the same way each time. Two runs of different length are subtracted:
what is left is the calls. Looks and yields are turned off, as they poll:
their number depends on the speed of valgrind. What still differs from run to
run (who is asleep when a message comes) is one or two per cent.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from domain import Domain, DomainFailed
from report import median
from ways import ways

JOBS = {"BALANCE": "banksv", "ECHO": "echosv"}
CALLS = 2000
FEW = 500  # calls of the shorter run
READY_S = 60
QUIET = {"NDRX_WAKE_POLICY": "look_max_ns=0 yields=0"}
TABLE = (
    ("bench", "bench", 12, "%s"), ("transport", "transport", 9, "%s"),
    ("service", "service", 8, "%s"), ("rounds", "rounds", 6, "%d"),
    ("server", "server", 7, "%.0f"), ("client", "client", 7, "%.0f"),
    ("both", "both", 7, "%.0f"),
)


def counted(dom, name, *words):
    """The command line of a program under callgrind."""
    out = os.path.join(dom.home, name + ".callgrind")
    return ["valgrind", "-q", "--tool=callgrind",
            "--callgrind-out-file=" + out, *dom.command(*words)]


def total(dom, name):
    """Instructions of a program that has ended."""
    with open(os.path.join(dom.home, name + ".callgrind")) as f:
        found = re.search(r"^totals: (\d+)", f.read(), re.M)
    if not found:
        raise DomainFailed("instructions: callgrind counted nothing")
    return int(found.group(1))


def await_service(dom, service):
    """Wait until the server has advertised the service."""
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        try:
            rows = json.loads(dom.xadmin("psc", "--json") or "[]")
        except (DomainFailed, ValueError):
            rows = []  # no domain yet
        if any(r.get("service") == service for r in rows):
            return
        time.sleep(0.1)
    raise DomainFailed("instructions: the server does not start")


def count(m, way, service, calls, beside=None, conf=None):
    """Instructions of so many calls: of the server, of the client. `beside`
    starts a program that runs meanwhile; `conf` is the debug configuration."""
    with Domain(m.bin, env={**way.env(), **QUIET}) as dom:
        if conf:
            dom.env["NDRX_DEBUG_CONF"] = os.path.join(dom.home, "debug.conf")
            with open(dom.env["NDRX_DEBUG_CONF"], "w", encoding="ascii") as f:
                f.write(conf)
        words = counted(dom, "server", JOBS[service], "-i", "1")
        with subprocess.Popen(words, env=dom.env, stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as server:
            other = None
            try:
                await_service(dom, service)
                other = beside(dom) if beside else None
                done = subprocess.run(
                    counted(dom, "client", "load", "-s", service, "-t", 1,
                            "-n", calls),
                    env=dom.env, stdout=subprocess.DEVNULL, check=False)
            finally:
                server.send_signal(signal.SIGTERM)
                server.wait(timeout=READY_S)
                if other:
                    other.terminate()
                    other.wait(timeout=READY_S)
        if done.returncode != 0:
            raise DomainFailed("instructions: calls failed")
        return total(dom, "server"), total(dom, "client")


def per_call(m, way, service, beside=None, conf=None):
    """Instructions of a call: of the server, of the client."""
    calls = m.calls or CALLS
    few = count(m, way, service, FEW, beside, conf)
    many = count(m, way, service, FEW + calls, beside, conf)
    return [(b - a) / calls for a, b in zip(few, many)]


def each_round(m, bench, measure):
    """For each way and service, what measure(way, service) gave in each round;
    all of it on one CPU."""
    if not shutil.which("valgrind"):
        raise DomainFailed(bench + ": valgrind counts them: install it")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        for way in ways(m.transport):
            for service in JOBS:
                found = []
                for i in range(m.rounds):
                    m.report.note("%s, %s, %s: round %d of %d" % (
                        bench, way, service, i + 1, m.rounds))
                    found.append(measure(way, service))
                yield way, service, found
    finally:
        os.sched_setaffinity(0, before)


def bench_instructions(m):
    """User instructions of one call (valgrind), of server and client."""
    for way, service, pairs in each_round(
            m, "instructions", lambda w, s: per_call(m, w, s)):
        m.report.row(TABLE, {
            "bench": "instructions", "transport": way.transport,
            "service": service, "rounds": m.rounds,
            "server": median(p[0] for p in pairs),
            "client": median(p[1] for p in pairs),
            "both": median(sum(p) for p in pairs)})
