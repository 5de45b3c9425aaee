# SPDX-License-Identifier: Apache-2.0
"""harvest.py - system calls of a busy server per request

`perf stat` counts the system calls of the servers' processes (a tracepoint
counter, with negligible cost). Where the kernel or the user does not allow
that, `strace -c` counts them; it stops the server at each system call, so that
the server is even busier. Context switches are read from /proc/PID/status;
those of clients are not counted. Calls need a reply, which wakes a sleeping
caller; posts (tpacall with TPNOREPLY) show the cost of receiving alone.
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from domain import Domain, DomainFailed
from report import median
from ways import ways

TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("wake", "wake", 9, "%s"), ("kind", "of", 5, "%s"),
    ("servers", "srv", 4, "%d"),
    ("threads", "thr", 3, "%d"), ("calls_per_s", "calls/s", 8, "%.0f"),
    ("syscalls_per_call", "syscalls", 8, "%.2f"),
    ("switches_per_call", "switches", 8, "%.2f"),
    ("wakeups_per_call", "wakes", 5, "%.2f"),
    ("counted_by", "by", 6, "%s"),
)
EVENT = "raw_syscalls:sys_enter"
KINDS = {"calls": ("-s", "ECHO"), "posts": ("-s", "SINK", "-1")}


def perf_works():
    """May this user count system calls with perf?"""
    if not shutil.which("perf"):
        return False
    done = subprocess.run(["perf", "stat", "-x,", "-e", EVENT, "true"],
                          stdout=subprocess.DEVNULL, text=True,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode == 0 and \
        re.search(r"^\d+,,%s" % EVENT, done.stderr, re.M) is not None


class Counter:
    """A program that counts the system calls of processes meanwhile."""

    def __init__(self, pids):
        self.by = "perf" if perf_works() else "strace"
        if self.by == "strace" and not shutil.which("strace"):
            raise DomainFailed("harvest: system calls are counted by perf "
                               "(as root) or strace: install one of them")
        self.out = tempfile.NamedTemporaryFile("r")
        if self.by == "perf":
            command = ["perf", "stat", "-x,", "-o", self.out.name, "-e",
                       EVENT, "-p", ",".join(map(str, pids))]
        else:
            command = ["strace", "-c", "-f", "-q", "-o", self.out.name]
            for pid in pids:
                command += ["-p", str(pid)]
        self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL)
        time.sleep(0.5)  # neither says when it has attached
        if self.child.poll() is not None:
            raise DomainFailed("harvest: %s does not run" % self.by)

    def stop(self):
        """The count."""
        self.child.send_signal(signal.SIGINT)
        self.child.wait(timeout=30)
        text = self.out.read()
        self.out.close()
        form = r"^(\d+),,%s" % EVENT if self.by == "perf" else \
            r"^\s*100\.00\s+\S+\s+\S*\s+(\d+)\s+(?:\d+\s+)?total"
        found = re.search(form, text, re.M)
        if not found:
            raise DomainFailed("harvest: %s said: %s" % (self.by, text[-300:]))
        return int(found.group(1))


def switches(pids):
    """Context switches so far of these processes."""
    total = 0
    for pid in pids:
        with open("/proc/%d/status" % pid) as f:
            total += sum(int(n) for n in re.findall(
                r"^(?:non)?voluntary_ctxt_switches:\s+(\d+)", f.read(),
                re.M))
    return total


def harvest_once(dom, kind, calls, threads):
    """One run, counted."""
    pids = [s["pid"] for s in dom.servers()]
    counter = Counter(pids)
    try:
        before = switches(pids)
        run = dom.run("load", *KINDS[kind], "-n", calls, "-t", threads)
        switched = switches(pids) - before
    finally:
        if counter.child.poll() is None:
            syscalls = counter.stop()
    if run["failed"] or run["wrong"]:
        raise DomainFailed("harvest: %d calls failed" % run["failed"])
    return {"calls_per_s": run["calls_per_s"],
            "wakeups_per_call": run["wakeups_per_call"],
            "syscalls_per_call": syscalls / calls,
            "switches_per_call": switched / calls}, counter.by


def harvest(m, dom, kind, way, threads):
    """Rounds of one kind of load: a row."""
    rows, by = [], ""
    for i in range(m.rounds):
        m.report.note("harvest of %s, %s: round %d of %d" % (
            kind, way, i + 1, m.rounds))
        row, by = harvest_once(dom, kind, m.calls or 100000, threads)
        rows.append(row)
    m.report.row(TABLE, {
        "bench": "harvest", "transport": way.transport, "wake": way.wake,
        "kind": kind, "servers": dom.count, "threads": threads,
        **{k: round(median(r[k] for r in rows), 3) for k in rows[0]},
        "counted_by": by})


def bench_harvest(m):
    """System calls and switches of busy servers, for each request."""
    threads = (m.threads or [10])[0]
    for way in ways(m.transport, ("bell", "exclusive", "hot")):
        for servers in m.servers or [1, 4]:
            with Domain(m.bin, "echosv", servers, env=way.env()) as dom:
                dom.start()
                for kind in KINDS:
                    harvest(m, dom, kind, way, threads)
                dom.stop()
