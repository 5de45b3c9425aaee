# SPDX-License-Identifier: Apache-2.0
"""onlookers.py - what BANK loses while somebody looks on

In one domain, as two differ by a tenth: with an onlooker and without, in turn. What
the onlooker itself computes is in the figures: the load uses all CPUs. The onlooker
`nobody` is the noise of the job."""
import contextlib
import subprocess
import threading
import time

from domain import Domain
from queues import run_lines
from report import median
from spans import await_rings
from ways import ways

TABLE = (
    ("transport", "transport", 9, "%s"), ("onlooker", "onlooker", 9, "%s"),
    ("pairs", "pairs", 5, "%d"), ("alone", "alone", 8, "%.0f"),
    ("watched", "watched", 8, "%.0f"), ("ratio", "ratio", 6, "%.3f"),
    ("low", "25 %", 6, "%.3f"), ("high", "75 %", 6, "%.3f"),
    ("looks", "looks", 6, "%d"),
)

SETTLE_S = 1.2  # a server looks once a second whether spans are wanted


def ask(dom, stop, looks):
    """Once a second: which calls are in there?"""
    while not stop.wait(1):
        subprocess.run(dom.command("xadmin", "calls", "--stuck", "age>=0"),
                       env=dom.env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        looks.append(time.monotonic())


@contextlib.contextmanager
def asked(dom, looks):
    """`xadmin calls` each second."""
    stop = threading.Event()
    thread = threading.Thread(target=ask, args=(dom, stop, looks))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@contextlib.contextmanager
def program(dom, *words, ready=lambda dom: None):
    """One that reads as long as it lives."""
    reader = subprocess.Popen(dom.command(*words), env=dom.env,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        ready(dom)
        yield
    finally:
        reader.terminate()
        reader.wait(20)


ONLOOKERS = {
    "nobody": lambda dom, _: contextlib.nullcontext(),
    "calls": asked,
    "spans": lambda dom, _: program(dom, "ndrxotel", "-f", "/dev/null",
                                    ready=await_rings),
    "1 in 100": lambda dom, _: program(dom, "ndrxotel", "-f", "/dev/null",
                                       "-N", "100", ready=await_rings),
    "blackbox": lambda dom, _: program(dom, "blackboxsv", "-i", "900"),
}


def one(m, dom):
    """One round of BANK: calls a second."""
    row = run_lines(dom.command("load", "-w", dom.count, "-s", "BALANCE",
                                "-n", m.calls or 300000, "-t",
                                (m.threads or [10])[0]), dom.env)[-1]
    if row["failed"]:
        m.report.fail("onlookers: %d calls failed" % row["failed"])
    return row["calls_per_s"]


def compare(m, way, name, dom):
    """The rounds with one onlooker, who comes and goes: its row."""
    pairs, looks = [], []
    for i in range(m.rounds):
        m.report.note("onlookers, %s, %s: round %d of %d" % (
            way, name, i + 1, m.rounds))
        got = {}
        for watched in (True, False) if i % 2 else (False, True):
            who = name if watched else "nobody"
            with ONLOOKERS[who](dom, looks):
                time.sleep(SETTLE_S)
                got[watched] = one(m, dom)
            time.sleep(SETTLE_S)
        pairs.append((got[False], got[True]))
    ratios = sorted(b / a for a, b in pairs)
    n = len(ratios)
    m.report.row(TABLE, {
        "bench": "onlookers", "transport": way.transport, "onlooker": name,
        "pairs": n, "alone": median(a for a, _ in pairs),
        "watched": median(b for _, b in pairs),
        "ratio": round(median(ratios), 4), "low": round(ratios[n // 4], 4),
        "high": round(ratios[n - 1 - n // 4], 4), "looks": len(looks)})


def bench_onlookers(m):
    """BANK beside `xadmin calls` each second, spans on, the black box: pairs."""
    for way in ways(m.transport):
        with Domain(m.bin, "banksv", (m.servers or [250])[0],
                    env=way.env()) as dom:
            dom.start()
            one(m, dom)
            for name in ONLOOKERS:
                compare(m, way, name, dom)
            dom.stop()
