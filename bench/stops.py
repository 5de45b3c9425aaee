# SPDX-License-Identifier: Apache-2.0
"""stops.py - a stopped process holds up nothing but itself: stops

Clients call, others join, call and leave; meanwhile processes of the domain,
chosen at random, are stopped for 300 ms, one after the other. A call is
*touched* if its caller, or the server that served it, was stopped meanwhile. No
other call may take 50 ms longer than the longest one without stops."""
import collections
import json
import os
import random
import select
import signal
import subprocess
import time

from domain import Domain, DomainFailed
from tick import ndrxd_of
from ways import ways

STOPS = 1000
SERVERS = 8
CALLERS = 4
JOINERS = 2
STOP_S = 0.3
GAP_S = 0.05  # at most, between two stops
LATE_S = 0.05  # a process that was continued has run after that
ABOVE_MS = 50
TOUT_S = 10
BASE_S = 3  # without stops, at least; more for many stops
PATIENCE_S = 30
KINDS = ("ndrxd", "server", "caller", "joiner")
COLUMNS = (
    ("bench", "bench", 5, "%s"), ("transport", "way", 5, "%s"),
    *((kind, kind, 6, "%d") for kind in KINDS),
    ("calls", "calls", 8, "%d"), ("untouched", "untouched", 9, "%d"),
    ("without_ms", "without", 7, "%.1f"), ("with_ms", "with", 6, "%.1f"),
    ("above", ">+50", 4, "%d"), ("joins", "joins", 7, "%d"),
    ("join_ms", "join", 6, "%.1f"), ("violations", "wrong", 5, "%d"),
)


class Clients:
    """Processes that call, and processes that join, call and leave."""

    def __init__(self, dom):
        self.procs = {
            "caller": [_steady(dom) for _ in range(CALLERS)],
            "joiner": [_steady(dom, "-j") for _ in range(JOINERS)]}

    def pids(self, kind):
        """The process ids of the clients of this kind."""
        return [p.pid for p in self.procs[kind]]

    def check(self):
        """None ends by itself."""
        for p in sum(self.procs.values(), []):
            if p.poll() is not None:
                raise DomainFailed("steady ended: %d" % p.returncode)

    def end(self):
        """What each said: {kind: [(pid, result)]}."""
        for p in sum(self.procs.values(), []):
            p.send_signal(signal.SIGTERM)
        return {kind: [(p.pid, json.loads(p.communicate(
            timeout=PATIENCE_S)[0])) for p in procs]
            for kind, procs in self.procs.items()}

    def kill(self):
        """Whatever happened, none is left."""
        for p in sum(self.procs.values(), []):
            if p.poll() is None:
                p.kill()
            p.wait()
            p.stdout.close()


def _steady(dom, *words):
    return subprocess.Popen(dom.command("steady", *words), env=dom.env,
                            stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, text=True)


# ---- stopping ----

def _stop(pid):
    """Stop a process for a while: when it began, when it was over."""
    pidfd = os.pidfd_open(pid)
    try:
        begun = time.monotonic()
        signal.pidfd_send_signal(pidfd, signal.SIGSTOP)
        gone = select.select([pidfd], [], [], STOP_S)[0]
        signal.pidfd_send_signal(pidfd, signal.SIGCONT)
    finally:
        os.close(pidfd)
    if gone:
        raise DomainFailed("process %d ended while it was stopped" % pid)
    return begun, time.monotonic() + LATE_S


def _stop_many(m, dom, clients, number):
    """({pid: [(begin, end)]}, {pid: kind}, {kind: stops})."""
    rnd, times = random.Random(11), collections.defaultdict(list)
    count = dict.fromkeys(KINDS, 0)
    pids = {"ndrxd": [ndrxd_of(dom)],
            "server": [s["pid"] for s in dom.servers()],
            "caller": clients.pids("caller"),
            "joiner": clients.pids("joiner")}
    for i in range(number):
        m.report.note("stops: %d of %d" % (i, number))
        kind = rnd.choice(KINDS)
        pid = rnd.choice(pids[kind])
        time.sleep(rnd.uniform(0, GAP_S))  # a random moment
        times[pid].append(_stop(pid))
        count[kind] += 1
        clients.check()
    return times, {p: k for k in KINDS for p in pids[k]}, count


# ---- judging ----

def _overlaps(times, begin, end):
    return any(b < end and begin < e for b, e in times)


def _is_touched(call, pid, times):
    begin, end, server = call
    return (_overlaps(times.get(pid, ()), begin, end) or
            _overlaps(times.get(server, ()), begin, end))


def _longest(said):
    return max(r["longest_ms"] for _, r in said)


def _failures(said):
    return sum(r["failed"] for _, r in sum(said.values(), []))


def _ms(call):
    return 1000 * (call[1] - call[0])


def _explain(call, times, kinds):
    """A long call, and who was stopped while it lasted."""
    who = [kinds[pid] for pid, t in times.items() if _overlaps(t, *call[:2])]
    return "%.1f ms at %.3f, stopped: %s" % (
        _ms(call), call[0], " ".join(who) or "nobody")


def _judge_calls(said, times, kinds, without_ms):
    """The columns about calls of established callers. A long call while nobody
    was stopped is the machine's."""
    slow = [(call, _is_touched(call, pid, times))
            for pid, r in said for call in r["slow"]]
    alone = [call for call, touched in slow if not touched]
    above = [call for call in alone if _ms(call) > without_ms + ABOVE_MS]
    calls = sum(r["rounds"] for _, r in said)
    return {"calls": calls,
            "untouched": calls - sum(touched for _, touched in slow),
            "with_ms": round(max(map(_ms, alone), default=1.0), 3),
            "above": sum(any(_overlaps(t, *call[:2]) for t in times.values())
                         for call in above),
            "long": [_explain(call, times, kinds) for call in above]}


def _judge_joins(said, times):
    """The columns about joins: nobody waits for the stop of another one's
    join, nor for longer than its time-out."""
    took = [_ms(call) for pid, r in said for call in r["slow"]
            if not _is_touched(call, pid, times)]
    return {"joins": sum(r["rounds"] for _, r in said),
            "join_ms": round(max(took, default=1.0), 3),
            "joins_late": sum(ms > 1000 * TOUT_S for ms in took)}


def _phase(dom, act):
    """Clients run while `act` does: (what they said, what it returned)."""
    clients = Clients(dom)
    try:
        done = act(clients)
        return clients.end(), done
    finally:
        clients.kill()


def _measure(m, dom, number):
    """One row."""
    rest = max(BASE_S, number * STOP_S / 5)
    base, _ = _phase(dom, lambda _: time.sleep(rest))
    without_ms = _longest(base["caller"])
    before = {s["pid"] for s in dom.servers()}
    said, (times, kinds, count) = _phase(
        dom, lambda clients: _stop_many(m, dom, clients, number))
    failed = _failures(base) + _failures(said)
    restarted = len({s["pid"] for s in dom.servers()} ^ before)
    row = {**count, "without_ms": without_ms,
           **_judge_calls(said["caller"], times, kinds, without_ms),
           "join_without_ms": _longest(base["joiner"]),
           **_judge_joins(said["joiner"], times),
           "failed": failed, "restarted": restarted}
    row["violations"] = (row["above"] + row["joins_late"] + failed +
                         restarted)
    if failed:
        row["why"] = [r["why"] for _, r in sum(said.values(), []) if r["why"]]
    return row


def bench_stops(m):
    """1,000 stops of any process: who else waits? (--calls: stops)"""
    number = m.calls or STOPS
    servers = (m.servers or [SERVERS])[0]
    for way in ways(m.transport):
        m.report.note("stops: %s" % (way,))
        with Domain(m.bin, "whosv", servers, ping=0,
                    env={**way.env(), "NDRX_TOUT": str(TOUT_S)}) as dom:
            dom.start()
            row = _measure(m, dom, number)
            if row["violations"]:
                m.report.fail(dom.log_tail(3))
            dom.stop()
            row["left_behind"] = len(dom.leftovers())
        m.report.row(COLUMNS, {"bench": "stops", "transport": way.transport,
                               **row})
        if row["violations"] or row["left_behind"]:
            m.report.fail("stops: see the columns above")
