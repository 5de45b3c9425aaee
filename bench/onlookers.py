# SPDX-License-Identifier: Apache-2.0
"""onlookers.py - what BANK loses while somebody looks on

In one domain, as two differ by a tenth: with an onlooker and without, in turn. What
the onlooker itself computes is in the figures: the load uses all CPUs. The onlooker
`nobody` is the noise of the job. Of those who ask while 10,000 requests wait `busy` says
what a process costs that computes all the time, and looks at nothing."""
import contextlib
import json
import signal
import subprocess
import threading
import time

from domain import Domain, DomainFailed
from queues import run_lines
from report import median
from spans import await_rings
from ways import ways

TABLE = (
    ("transport", "transport", 9, "%s"), ("onlooker", "onlooker", 9, "%s"),
    ("waiting", "waiting", 7, "%d"),
    ("pairs", "pairs", 5, "%d"), ("alone", "alone", 8, "%.0f"),
    ("watched", "watched", 8, "%.0f"), ("ratio", "ratio", 6, "%.3f"),
    ("low", "25 %", 6, "%.3f"), ("high", "75 %", 6, "%.3f"),
    ("looks", "looks", 6, "%d"),
)

SETTLE_S = 1.2  # a server looks once a second whether spans are wanted


WAITING = 10000
HOLDER = 901  # the server id of who does not serve them


def ask(dom, stop, looks, pause):
    """Which calls are in there? So many seconds between two such questions."""
    while not stop.wait(pause):
        subprocess.run(dom.command("xadmin", "calls", "--stuck", "age>=0"),
                       env=dom.env, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        looks.append(time.monotonic())


@contextlib.contextmanager
def asked(dom, looks, pause=1):
    """`xadmin calls` each second, or again and again."""
    stop = threading.Event()
    thread = threading.Thread(target=ask, args=(dom, stop, looks, pause))
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
# While requests wait.
ASKERS = {
    "nobody": ONLOOKERS["nobody"],
    "busy": lambda dom, _: program(dom, "/bin/sh", "-c", "while :; do :; done"),
    "calls": asked,
    "again": lambda dom, looks: asked(dom, looks, 0),
}


def still_waiting(dom):
    """How many requests `xadmin calls` finds in the queue of SINK."""
    rows = json.loads(dom.xadmin("calls", "--json") or "[]")
    return sum(r["requests"] for r in rows
               if r["service"] == "SINK" and r["state"] != "served")


def fill(dom):
    """So many requests for a server that is stopped. `load` ends with a call,
    which gets no reply."""
    sent = run_lines(dom.command("load", "-w", dom.count, "-s", "SINK", "-1",
                                 "-n", WAITING, "-t", 1, "-z", 200),
                     {**dom.env, "NDRX_TOUT": "1"})[-1]
    if sent["failed"] or still_waiting(dom) < WAITING:
        raise DomainFailed("waiting: %d of %d requests were not sent, %d wait"
                           % (sent["failed"], WAITING, still_waiting(dom)))


@contextlib.contextmanager
def waiting(dom):
    """Requests wait all the time."""
    holder = subprocess.Popen(dom.command("echosv", "-i", HOLDER), env=dom.env,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        dom.run("load", "-w", dom.count + 1, "-s", "ECHO", "-n", 1, "-t", 1)
        holder.send_signal(signal.SIGSTOP)
        fill(dom)
        yield
        if holder.poll() is not None or still_waiting(dom) < WAITING:
            raise DomainFailed("waiting: they did not wait to the end")
    finally:
        holder.kill()
        holder.wait()


def one(m, dom):
    """One round of BANK: calls a second."""
    row = run_lines(dom.command("load", "-w", dom.count, "-s", "BALANCE",
                                "-n", m.calls or 300000, "-t",
                                (m.threads or [10])[0]), dom.env)[-1]
    if row["failed"]:
        m.report.fail("onlookers: %d calls failed" % row["failed"])
    return row["calls_per_s"]


def compare(m, way, name, dom, onlookers, held=0):
    """The rounds with one onlooker, who comes and goes: its row."""
    pairs, looks = [], []
    for i in range(m.rounds):
        m.report.note("onlookers, %s, %s: round %d of %d" % (
            way, name, i + 1, m.rounds))
        got = {}
        for watched in (True, False) if i % 2 else (False, True):
            who = name if watched else "nobody"
            with onlookers[who](dom, looks):
                time.sleep(SETTLE_S)
                got[watched] = one(m, dom)
            time.sleep(SETTLE_S)
        pairs.append((got[False], got[True]))
    ratios = sorted(b / a for a, b in pairs)
    n = len(ratios)
    m.report.row(TABLE, {
        "bench": "onlookers", "transport": way.transport, "onlooker": name,
        "waiting": held, "pairs": n, "alone": median(a for a, _ in pairs),
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
                compare(m, way, name, dom, ONLOOKERS)
            dom.stop()


def bench_waiting(m):
    """BANK while 10,000 requests wait, and `xadmin calls` reads them: pairs."""
    for way in ways(["shm"]):  # kernel queues cannot be looked into
        with Domain(m.bin, "banksv", (m.servers or [250])[0],
                    env={**way.env(), "NDRX_MSGMAX": "16384"}) as dom:
            dom.start()
            one(m, dom)
            with waiting(dom):
                for name in ASKERS:
                    compare(m, way, name, dom, ASKERS, WAITING)
            dom.stop()
