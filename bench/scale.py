# SPDX-License-Identifier: Apache-2.0
"""scale.py - benchmarks of size: boot, idle

boot measures the cost of servers; idle measures how many idle processes slow
down the busy ones."""
import contextlib
import json
import subprocess

from calls import alternate
from domain import Domain, DomainFailed
from report import median
from rest import bench_rest
from ways import ways

CROWD = (10, 30, 100, 300, 1000, 2000, 4000)
RESERVE = 16  # client slots kept free for those that call
IDLE_TABLE = (
    ("bench", "bench", 5, "%s"), ("transport", "transport", 9, "%s"),
    ("wake", "wake", 9, "%s"), ("idle", "idle", 7, "%s"),
    ("wanted", "wanted", 6, "%d"), ("crowd", "there", 5, "%d"),
    ("calls_per_s", "calls/s", 8, "%.0f"),
    ("of_smallest", "of least", 8, "%.2f"),
    ("p50_us", "p50 us", 6, "%.0f"), ("p99_us", "p99 us", 6, "%.0f"),
    ("ctx_switches_per_call", "switch", 6, "%.2f"),
)


def pss_kb(pid):
    """Memory of a process, shared pages divided among their users."""
    with open("/proc/%d/smaps_rollup" % pid) as f:
        for line in f:
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return None


def bench_boot(m):
    """Start and stop of 250 servers, and what an idle one holds."""
    for way in ways(m.transport):
        for servers in m.servers or [250]:
            starts, stops, memory = [], [], []
            for i in range(m.rounds):
                m.report.note("boot, %s: round %d of %d" % (
                    way, i + 1, m.rounds))
                with Domain(m.bin, "banksv", servers,
                            env=way.env()) as dom:
                    starts.append(dom.start())
                    memory += [pss_kb(s["pid"]) for s in dom.servers()]
                    stops.append(dom.stop())
            m.report.facts({
                "bench": "boot", "transport": way.transport,
                "servers": servers, "rounds": m.rounds,
                "start_s": round(median(starts), 3),
                "start_best_s": round(min(starts), 3),
                "stop_s": round(median(stops), 3),
                "stop_best_s": round(min(stops), 3),
                "pss_kb": median(memory)})


class Flatness:
    """Rows of one curve; each knows its share of the first."""

    def __init__(self, m, way, idle):
        self.m, self.way, self.idle = m, way, idle
        self.first = None

    def add(self, wanted, crowd, runs):
        """One point: `crowd` of `wanted` were there."""
        rate = median(r["calls_per_s"] for r in runs)
        self.first = self.first or rate
        row = {"bench": "idle", "transport": self.way.transport,
               "wake": self.way.wake, "idle": self.idle, "wanted": wanted,
               "crowd": crowd, "calls_per_s": rate,
               "of_smallest": round(rate / self.first, 3)}
        for key in ("p50_us", "p99_us", "ctx_switches_per_call"):
            row[key] = median(r[key] for r in runs)
        self.m.report.row(IDLE_TABLE, row)


def idle_servers(m, way, threads, calls):
    """Calls against servers of which nearly all have nothing to do."""
    curve = Flatness(m, way, "servers")
    for servers in m.servers or CROWD:
        with Domain(m.bin, "banksv", servers, env=way.env()) as dom:
            m.report.note("idle, %s: %d servers" % (way, servers))
            dom.start()
            runs, _ = alternate(
                m, dom, "idle, %s, %d servers" % (way, servers),
                ("-s", "BALANCE", "-n", calls, "-t", threads), None)
            dom.stop()
        curve.add(servers, servers, runs)


@contextlib.contextmanager
def idlers(dom, count, *words):
    """Clients that stay connected while the body runs: what they said."""
    with subprocess.Popen(
            dom.command("idlers", "-n", count, *words), env=dom.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True) as crowd:
        line = crowd.stdout.readline()
        if not line:
            raise DomainFailed("idlers ended with status %d" % crowd.wait())
        try:
            yield json.loads(line)
        finally:
            crowd.stdin.close()
            crowd.wait(timeout=60)


def idle_clients(m, way, threads, calls):
    """Calls next to clients that are connected and silent."""
    curve = Flatness(m, way, "clients")
    for wanted in m.servers or CROWD:
        with Domain(m.bin, "echosv", 4, env=way.env()) as dom:
            m.report.note("idle, %s: %d clients" % (way, wanted))
            dom.start()
            with idlers(dom, wanted, "-r", RESERVE) as crowd:
                runs, _ = alternate(
                    m, dom, "idle, %s, %d clients" % (way, wanted),
                    ("-s", "ECHO", "-n", calls, "-t", threads), None)
            dom.stop()
        curve.add(wanted, crowd["clients"], runs)
        if crowd["clients"] < wanted:
            if not m.report.as_json:
                print("(%s: no more clients than that: %s)" % (
                    way, crowd["why"]))
            break


def bench_idle(m):
    """Calls against 10 to 4,000 idle servers, idle connected clients;
       first, what 250 servers at rest do (rest)."""
    if m.servers is None:
        bench_rest(m)
    threads = (m.threads or [10])[0]
    calls = m.calls or 100000
    for way in ways(m.transport):
        idle_servers(m, way, threads, calls)
        idle_clients(m, way, threads, calls)
