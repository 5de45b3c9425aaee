# SPDX-License-Identifier: Apache-2.0
"""rest.py - wake-ups and CPU time of servers that have nothing to do

As powertop counts them: how often a process gave a CPU up and was woken
again (voluntary context switches of all its threads, /proc), by second. Servers
have been idle for a while: what follows a start is not counted.
"""
import os
import re
import time

from domain import Domain, DomainFailed
from ways import ways

SERVERS = 250
SETTLE_S = 5  # looks of ndrxd at what has just started
LIMIT = 2.0   # wake-ups of a server and second
TABLE = (
    ("bench", "bench", 5, "%s"), ("transport", "transport", 9, "%s"),
    ("resting", "resting", 7, "%d"), ("seconds", "s", 4, "%.0f"),
    ("wakes_per_s", "wakes/s", 7, "%.2f"), ("most_per_s", "most", 5, "%.2f"),
    ("cpu_percent", "% of a CPU", 10, "%.3f"),
    ("ndrxd_wakes_per_s", "ndrxd", 6, "%.1f"),
    ("ndrxd_cpu_percent", "% of a CPU", 10, "%.3f"),
)


def sample(pid):
    """Voluntary switches and ns of CPU time so far, of all threads."""
    folder = "/proc/%d/task" % pid
    switches = cpu = 0
    for thread in os.listdir(folder):
        with open("%s/%s/status" % (folder, thread)) as f:
            switches += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)",
                                      f.read(), re.M).group(1))
        with open("%s/%s/schedstat" % (folder, thread)) as f:
            cpu += int(f.read().split()[0])
    return switches, cpu


def watch(pids, seconds):
    """Of each process: wake-ups, and percent of a CPU; how long."""
    before = {p: sample(p) for p in pids}
    begun = time.monotonic()
    time.sleep(seconds)
    after = {p: sample(p) for p in pids}
    took = time.monotonic() - begun
    return {p: ((after[p][0] - before[p][0]) / took,
                (after[p][1] - before[p][1]) / took / 1e7)
            for p in pids}, took


def rest(dom, seconds):
    """One row."""
    servers = [s["pid"] for s in dom.servers()]
    with open(os.path.join(dom.home, "run", "ndrxd.pid")) as f:
        ndrxd = int(f.read())
    time.sleep(SETTLE_S)
    try:
        seen, took = watch([*servers, ndrxd], seconds)
    except OSError as why:
        raise DomainFailed("a server at rest has ended: %s" % why) from why
    wakes = [seen[p][0] for p in servers]
    return {"resting": len(servers), "seconds": took,
            "wakes_per_s": round(sum(wakes) / len(wakes), 3),
            "most_per_s": round(max(wakes), 3),
            "cpu_percent": sum(seen[p][1] for p in servers),
            "ndrxd_wakes_per_s": seen[ndrxd][0],
            "ndrxd_cpu_percent": seen[ndrxd][1]}


def bench_rest(m):
    """Wake-ups a second, and CPU time, of 250 servers at rest."""
    for way in ways(m.transport):
        for servers in m.servers or [SERVERS]:
            m.report.note("rest, %s: %d servers" % (way, servers))
            with Domain(m.bin, "banksv", servers, env=way.env()) as dom:
                dom.start()
                row = rest(dom, max(m.seconds, 10))
                dom.stop()
            m.report.row(TABLE, {"bench": "rest",
                                 "transport": way.transport, **row})
            if row["wakes_per_s"] > LIMIT:
                m.report.fail("rest: a server wakes up %.1f times a second" %
                              row["wakes_per_s"])
