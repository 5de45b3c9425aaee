# SPDX-License-Identifier: Apache-2.0
"""simulate.py - the benchmark of the waking policy without a machine: sim

bench/sim computes CPUs, run queues, servers and callers, and asks the same
functions as the transports (libatmi/waking). What it is good for: machines
that are not there, and what a constant does, the same in every run
(NDRX_WAKE_POLICY). Its absolute figures follow from the costs it is given."""
import json
import os
import subprocess

SIM_TABLE = (
    ("load", "load", 6, "%s"), ("look_us", "look", 4, "%d"),
    ("cpus", "cpus", 4, "%d"),
    ("servers", "srv", 5, "%d"), ("callers", "thr", 4, "%d"),
    ("calls_per_s", "calls/s", 9, "%.0f"),
    ("p50_us", "p50 us", 7, "%.1f"), ("p99_us", "p99 us", 8, "%.1f"),
    ("wait_max_us", "wait us", 8, "%.0f"),
    ("woken_per_call", "wakes", 6, "%.3f"),
    ("in_vain_per_call", "vain", 6, "%.3f"), ("used", "used", 5, "%d"),
    ("looked_percent", "look %", 7, "%.2f"),
    ("cpu_percent", "CPU %", 6, "%.2f"),
)
CPUS = (2, 16, 128)
LOOK_NS = 50000  # the longest look before a sleep; 0: as built


def simulate(m, **words):
    """One run: its figures."""
    command = [os.path.join(m.bin, "wakesim")]
    for name, value in words.items():
        command.append("--" + name.replace("_", "-"))
        if value is not True:
            command.append(str(value))
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          check=True)
    return json.loads(done.stdout)


def plans(cpus, calls):
    """Loads for a machine with so many CPUs: name and words."""
    callers = 5 * cpus
    yield "lone", {"callers": 1, "calls": calls // 10}
    yield "closed", {"callers": callers, "calls": calls}
    yield "busy", {"callers": callers, "calls": calls, "service": 50000}
    yield "half", {"callers": callers, "calls": calls, "load": "open",
                   "service": 20000, "think": 50000 // cpus}
    yield "burst", {"callers": 1, "calls": 1000, "load": "burst"}
    yield "crowd", {"callers": callers, "calls": calls, "servers": 4000}
    yield "idle", {"callers": 0, "servers": 4000, "until": 10 ** 10}
    yield "hogs", {"callers": callers, "calls": calls, "hogs": cpus}
    yield "stops", {"callers": callers, "calls": calls, "think": 200000,
                    "stop_every": 50000000, "stop": 300000000}


def bench_sim(m):
    """the waking policy on computed machines with 2, 16 and 128 CPUs."""
    for cpus in CPUS:
        for name, words in plans(cpus, m.calls or 100000):
            for look in (0, LOOK_NS):
                m.report.note("sim: %s, %d CPUs" % (name, cpus))
                row = simulate(m, cpus=cpus, look=look, **words)
                m.report.row(SIM_TABLE, {"bench": "sim", "load": name,
                                         "look_us": look // 1000, **row})
