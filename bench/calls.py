# SPDX-License-Identifier: Apache-2.0
"""calls.py - benchmarks of calls: bank, herd, echo, oneway, conversation,
payload, threads"""
import json
import os
import subprocess

from domain import Domain, DomainFailed
from report import calls_row
from ways import ways

ECHO_SERVERS = 4
BARE_MAX = 1024  # bytes of a message of the bare-queue baseline
ECHO_SIZES = (200, 1024, 8192, 61440, 1 << 20)
PAYLOADS = (200, 1 << 10, 4 << 10, 16 << 10, 60 << 10, 256 << 10, 1 << 20,
            4 << 20, 16 << 20)
PAYLOAD_TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("wake", "wake", 9, "%s"), ("payload", "bytes", 9, "%d"),
    ("us_per_call", "us/call", 9, "%.2f"),
    ("ns_per_byte", "ns/byte", 8, "%.3f"),
    ("copy_us", "copy us", 9, "%.3f"),
    ("above_small_us", "above 200 B", 11, "%.2f"),
    ("copies", "copies", 7, "%.1f"),
)


def run_baseline(m, mode, servers, threads, calls, size=200):
    """One run over bare queues."""
    done = subprocess.run(
        [os.path.join(m.bin, "baseline"), mode] +
        [str(n) for n in (servers, threads, calls, size)],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise DomainFailed("baseline: status %d" % done.returncode)
    return json.loads(done.stdout)


def alternate(m, dom, name, load, baseline):
    """Rounds of baseline and load in turn: both lists of results."""
    runs, bare = [], []
    for i in range(m.rounds):
        m.report.note("%s: round %d of %d" % (name, i + 1, m.rounds))
        if baseline:
            bare.append(run_baseline(m, *baseline))
        runs.append(dom.run("load", "-w", dom.count, *load))
        if runs[-1]["failed"]:
            m.report.fail(dom.log_tail())
    return runs, bare


def balance(m, name, way, servers, threads, calls):
    """BALANCE in a domain of its own: a row against its bare queues."""
    with Domain(m.bin, "banksv", servers, env=way.env()) as dom:
        dom.start()
        runs, bare = alternate(
            m, dom, "%s, %s" % (name, way),
            ("-s", "BALANCE", "-n", calls, "-t", threads),
            (way.bare, servers, threads, calls))
        dom.stop()
    m.report.calls(calls_row(name, 200, runs, bare, way))


def bench_bank(m):
    """BALANCE of 250 servers, against bare queues in the same minute."""
    for servers in m.servers or [250]:
        for threads in m.threads or [10]:
            for way in ways(m.transport, ("bell", "exclusive", "hot")):
                balance(m, "bank", way, servers, threads, m.calls or 200000)


def bench_herd(m):
    """BALANCE with every idle server woken each time; so are bare ones."""
    for servers in m.servers or [250]:
        for way in ways(("posix",), ("herd",)):  # no other transport can
            balance(m, "herd", way, servers, 10, m.calls or 5000)


def bench_echo(m):
    """ECHO of 4 servers, payloads from 200 bytes to 1 MB."""
    calls = m.calls or 100000
    count = (m.servers or [ECHO_SERVERS])[0]
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", count, env=way.env()) as dom:
            dom.start()
            for threads in m.threads or [1, 4]:
                for size in m.payload or ECHO_SIZES:
                    n = calls_for(calls, size)
                    bare = (way.bare, count, threads, n, size)
                    runs, bases = alternate(
                        m, dom, "echo %d, %s" % (size, way),
                        ("-s", "ECHO", "-n", n, "-t", threads, "-z", size),
                        bare if size <= BARE_MAX else None)
                    m.report.calls(calls_row("echo", size, runs, bases, way))
            dom.stop()


def bench_oneway(m):
    """tpacall(TPNOREPLY) of 200 bytes, 4 threads."""
    calls = m.calls or 400000
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", (m.servers or [ECHO_SERVERS])[0],
                    env=way.env()) as dom:
            dom.start()
            for threads in m.threads or [4]:
                runs, _ = alternate(
                    m, dom, "oneway, %s" % (way,),
                    ("-s", "SINK", "-1", "-n", calls, "-t", threads,
                     "-z", 200), None)
                m.report.calls(calls_row("oneway", 200, runs, [], way))
            dom.stop()


def bench_conversation(m):
    """Messages of 10 conversations, 200 bytes, against one-way calls (bare)."""
    calls, pairs = m.calls or 400000, (m.threads or [10])[0]
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", pairs, env=way.env()) as dom:
            dom.start()
            runs, oneway = [], []
            for i in range(m.rounds):
                m.report.note("conversation, %s: round %d of %d" % (
                    way, i + 1, m.rounds))
                oneway.append(dom.run(
                    "load", "-w", pairs, "-s", "SINK", "-1", "-n", calls,
                    "-t", pairs, "-z", 200))
                runs.append(dom.run(
                    "load", "-w", pairs, "-s", "CONV", "-c", "-n", calls,
                    "-t", pairs, "-z", 200))
            m.report.calls(calls_row("conversation", 200, runs, oneway, way))
            dom.stop()


def bench_threads(m):
    """ECHO of 8 dispatch threads of one server, against 8 servers of one."""
    n = (m.servers or [8])[0]
    callers, calls = (m.threads or [8])[0], m.calls or 100000
    words = ("load", "-w", n, "-s", "ECHO", "-n", calls, "-t", callers,
             "-z", 200)
    for way in ways(m.transport):
        one, many = [], []
        with Domain(m.bin, "echosv", 1, env=way.env(), threads=n) as server, \
                Domain(m.bin, "echosv", n, env=way.env()) as servers:
            server.start()
            servers.start()
            for i in range(m.rounds):
                m.report.note("threads, %s: round %d of %d" % (
                    way, i + 1, m.rounds))
                many.append(servers.run(*words))
                one.append(server.run(*words))
            for r in one + many:
                if r["failed"]:
                    m.report.fail("threads: %d calls failed" % r["failed"])
            server.stop()
            servers.stop()
        m.report.calls(calls_row("threads", 200, one, many, way))


def calls_for(calls, size):
    """Fewer calls the more bytes each has; never less than 20."""
    return max(20, int(calls / (1 + size / 20000)))


def copy_costs(m, sizes):
    """Nanoseconds of one memcpy() of each size."""
    out = subprocess.run([os.path.join(m.bin, "copy"), *map(str, sizes)],
                         stdout=subprocess.PIPE, text=True, check=True)
    rows = [json.loads(line) for line in out.stdout.splitlines()]
    return {r["payload"]: r["copy_ns"] for r in rows}


def bench_payload(m):
    """ECHO of 200 B to 16 MB, one thread: what a byte costs."""
    # The best of the rounds: what is above it is the machine.
    sizes = m.payload or PAYLOADS
    copies = copy_costs(m, sizes)
    for way in ways(m.transport):
        with Domain(m.bin, "echosv", 1, env=way.env()) as dom:
            dom.start()
            small = None
            for size in sizes:
                n = calls_for(m.calls or 30000, size)
                runs, _ = alternate(
                    m, dom, "payload %d, %s" % (size, way),
                    ("-s", "ECHO", "-n", n, "-t", 1, "-z", size), None)
                us = min(1e6 / r["calls_per_s"] for r in runs)
                small = us if small is None else small
                copy_us = copies[size] / 1e3
                m.report.row(PAYLOAD_TABLE, {
                    "bench": "payload", "transport": way.transport,
                    "wake": way.wake, "payload": size,
                    "us_per_call": round(us, 3),
                    "ns_per_byte": round(us * 1e3 / size, 4),
                    "copy_us": round(copy_us, 4),
                    "above_small_us": round(us - small, 3),
                    "copies": round((us - small) / copy_us, 2)})
            dom.stop()
