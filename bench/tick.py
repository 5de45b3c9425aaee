# SPDX-License-Identifier: Apache-2.0
"""tick.py - the benchmark of ndrxd beside many processes: tick

ndrxd looks at the domain once a second. The figure is the CPU time that it
needs while nothing happens, beside many servers and many connected client
processes; then the longest call that a killed server did not answer, and the
longest time from such a kill to the answer that its caller gets."""
import os
import time

from domain import Domain
from scale import idlers
from ways import ways

SIZES = ((10, 10), (2000, 1), (10, 10000), (2000, 10000))
SETTLE_S = 5  # a crowd that has just come is looked at for the first time
COLUMNS = (
    ("bench", "bench", 5, "%s"), ("transport", "transport", 9, "%s"),
    ("servers", "servers", 7, "%d"), ("clients", "clients", 7, "%d"),
    ("cpu_percent", "% of a CPU", 10, "%.2f"),
    ("ticks_percent", "utime+stime", 11, "%.2f"),
    ("longest_ms", "longest ms", 10, "%.1f"),
    ("error_max_ms", "error ms", 8, "%.1f"),
    ("told_max_ms", "told ms", 7, "%.1f"),
)


def cpu(pid):
    """CPU time of a process: exact ns, and utime + stime of stat."""
    with open("/proc/%d/schedstat" % pid) as f:
        exact = int(f.read().split()[0])
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    ticks = int(fields[11]) + int(fields[12])
    return exact, ticks / os.sysconf("SC_CLK_TCK")


def watch(pid, seconds):
    """Shares of a CPU in percent; ms of the busiest 50 ms and more."""
    first = cpu(pid)
    begun, longest, before = time.monotonic(), 0, first[0]
    while time.monotonic() < begun + seconds:
        time.sleep(0.25)
        now = cpu(pid)[0]
        longest, before = max(longest, now - before), now
    took, last = time.monotonic() - begun, cpu(pid)
    return ((last[0] - first[0]) / took / 1e7,
            (last[1] - first[1]) / took * 100, longest / 1e6)


def ndrxd_of(dom):
    """The process id of ndrxd."""
    with open(os.path.join(dom.home, "run", "ndrxd.pid")) as f:
        return int(f.read())


def bench_tick(m):
    """CPU time of ndrxd beside 2,000 servers, 10,000 client processes."""
    seconds = max(m.seconds, 20)
    for way in ways(m.transport):
        for servers, clients in SIZES:
            m.report.note("tick, %s: %d servers, %d clients" % (
                way, servers, clients))
            with Domain(m.bin, "banksv", servers, restart=0, ping=0,
                        env=way.env()) as dom:
                dom.start()
                with idlers(dom, max(clients, 1), "-s", "BALANCE",
                            "-p") as crowd:
                    time.sleep(SETTLE_S)
                    share, ticks, longest = watch(ndrxd_of(dom), seconds)
                    told = dom.run("chaos", "-m", "busy", "-n", 200000, "-t",
                                   4, "-w", servers)
                dom.stop()
            m.report.row(COLUMNS, {
                "bench": "tick", "transport": way.transport,
                "servers": servers, "clients": crowd["clients"],
                "cpu_percent": share, "ticks_percent": ticks,
                "longest_ms": longest,
                "error_max_ms": told.get("longest_error_ms"),
                "told_max_ms": told.get("longest_told_ms")})
