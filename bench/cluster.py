# SPDX-License-Identifier: Apache-2.0
"""cluster.py - benchmark of calls between two domains, over NATS"""
import contextlib
import json
import multiprocessing
import os
import secrets
import shutil
import socket
import subprocess
import time

from domain import Domain, DomainFailed
from report import median
from ways import ways

BULK = 64 << 20  # bytes: the largest payload that goes to another node
BESIDE = 10  # idle nodes
CASES = (("call", 1, 200), ("call", 10, 200), ("call", 10, 8192),
         ("oneway", 4, 200))
TABLE = (
    ("bench", "bench", 7, "%s"), ("transport", "transport", 9, "%s"),
    ("kind", "kind", 6, "%s"), ("threads", "thr", 3, "%d"),
    ("payload", "bytes", 6, "%d"), ("calls_per_s", "calls/s", 9, "%.1f"),
    ("bare_per_s", "bare/s", 9, "%.1f"), ("ratio", "ratio", 5, "%.2f"),
    ("p50_us", "p50 us", 7, "%.0f"), ("bare_p50_us", "bare us", 7, "%.0f"),
    ("above_us", "above us", 8, "%.0f"),
    ("queues_per_s", "queues/s", 8, "%.0f"),
    ("of_queues", "of them", 7, "%.2f"),
)


class Nats:
    """A nats-server of our own."""

    def __init__(self):
        program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.url = "nats://127.0.0.1:%d" % port
        try:
            self.proc = subprocess.Popen(
                [program, "-a", "127.0.0.1", "-p", str(port)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
        except OSError as why:
            raise DomainFailed("nats-server: %s" % why) from None
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise DomainFailed("nats-server does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proc.terminate()
        self.proc.wait(20)


def start_bridge(dom, name, node, url):
    """A bridge of the domain, started by hand; it ends with the domain."""
    return subprocess.Popen(
        dom.command("ndrxbridge", "-i", "900", "--", "-c", name, "-u", url,
                    "-n", str(node)), env=dom.env,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def wait_offered(dom, service):
    """Until the bridge offers it."""
    for _ in range(400):
        rows = json.loads(dom.xadmin("psc", "--json") or "[]")
        if any(r["service"] == service for r in rows):
            return
        time.sleep(0.05)
    raise DomainFailed("%s is not offered\n%s" % (service, dom.log_tail()))


def bench_cluster(m):
    """Calls from one domain to another over NATS, against bare libnats."""
    for way in ways(m.transport):
        name = "b" + secrets.token_hex(4)
        with Nats() as nats, Domain(m.bin, "echosv", 4, env=way.env()) as to, \
                Domain(m.bin, "tpevsrv", 1, env=way.env()) as dom:
            to.start()
            dom.start()
            bridges = [start_bridge(to, name, 2, nats.url),
                       start_bridge(dom, name, 1, nats.url)]
            wait_offered(dom, "ECHO")
            for kind, threads, size in CASES:
                if not m.threads or threads in m.threads:
                    case(m, dom, way, nats, kind, threads, size)
            bulk(m, dom, way)
            with contextlib.ExitStack() as idle:
                for i in range(BESIDE):
                    join_idle(m, idle, (name, i + 3, nats.url))
                case(m, dom, way, nats, "beside", 10, 200)
            for b in bridges:
                end_bridge(b)
            dom.stop()
            to.stop()


def end_bridge(bridge):
    """It says good-bye."""
    bridge.terminate()
    bridge.wait(20)


def join_idle(m, stack, node):
    """One more node of the cluster, which does nothing, until `stack` ends. On
    shm: a user has few POSIX queues."""
    name, number, url = node
    env = next(iter(ways(["shm"]))).env()
    dom = stack.enter_context(Domain(m.bin, "tpevsrv", 1, env=env))
    dom.start()
    stack.callback(dom.stop)
    stack.callback(end_bridge, start_bridge(dom, name, number, url))
    wait_offered(dom, "ECHO")


def tcp_answer(listener, size):
    """Send back `size` bytes at a time, until there are no more."""
    room = memoryview(bytearray(size))
    with listener.accept()[0] as s:
        while True:
            n = 0
            while n < size:
                got = s.recv_into(room[n:])
                if got == 0:
                    return
                n += got
            s.sendall(room)


def tcp_trips_per_s(size, trips):
    """Bytes over loopback TCP and back, nothing else: trips a second."""
    room = memoryview(bytearray(size))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        child = multiprocessing.get_context("fork").Process(
            target=tcp_answer, args=(listener, size), daemon=True)
        child.start()
        with socket.create_connection(listener.getsockname()) as s:
            begun = time.monotonic()
            for _ in range(trips):
                s.sendall(room)
                n = 0
                while n < size:
                    n += s.recv_into(room[n:])
            took = time.monotonic() - begun
        child.join(20)
    return trips / took


def bulk(m, dom, way):
    """One row: calls with 64 MB each way, beside loopback TCP."""
    calls = 4
    runs, bare = [], []
    for i in range(m.rounds):
        m.report.note("cluster, %s, 64 MB: round %d of %d" % (
            way, i + 1, m.rounds))
        bare.append(tcp_trips_per_s(BULK, calls))
        runs.append(dom.run("load", "-s", "ECHO", "-n", calls, "-t", 1, "-z",
                            BULK))
        if runs[-1]["failed"]:
            m.report.fail("64 MB: %d calls failed\n%s" % (
                runs[-1]["failed"], dom.log_tail()))
    p50 = median([r["p50_us"] for r in runs])
    ours = 1e6 / p50
    m.report.row(TABLE, {
        "bench": "cluster", "transport": way.transport, "kind": "bulk",
        "threads": 1, "payload": BULK, "calls_per_s": ours,
        "bare_per_s": median(bare), "ratio": round(ours / median(bare), 3),
        "p50_us": p50, "bare_p50_us": None, "above_us": None,
        "queues_per_s": None, "of_queues": None})


def probe(m, nats, *words):
    """One run of bare libnats."""
    done = subprocess.run(
        [os.path.join(m.bin, "natsprobe"), nats.url, *map(str, words)],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise DomainFailed("natsprobe: status %d" % done.returncode)
    return json.loads(done.stdout)


def case(m, dom, way, nats, kind, threads, size):
    """One row: the medians of the rounds, bare and bridge in turn. One-way
    calls on posix: beside bare POSIX queues on each side of NATS, too."""
    calls = m.calls or (10000 if threads == 1 else 60000)
    runs, bare, queues = [], [], []
    oneway = kind == "oneway"
    on_queues = oneway and way.transport == "posix"
    for i in range(m.rounds):
        m.report.note("cluster, %s, %s %d: round %d of %d" % (
            way, kind, threads, i + 1, m.rounds))
        bare.append(probe(m, nats, threads, calls, size,
                          *(["oneway"] if oneway else [])))
        if on_queues:
            queues.append(probe(m, nats, threads, calls, size, "queues"))
        runs.append(dom.run("load", "-s", "SINK" if oneway else "ECHO", "-n",
                            calls, "-t", threads, "-z", size,
                            *(["-1"] if oneway else [])))
        if runs[-1]["failed"] or bare[-1]["failed"]:
            m.report.fail("%d calls failed, %d bare ones\n%s" % (
                runs[-1]["failed"], bare[-1]["failed"], dom.log_tail()))
    ours, theirs = (median([r["calls_per_s"] for r in x])
                    for x in (runs, bare))
    least = median([r["calls_per_s"] for r in queues])
    p50, bare50 = (median([r["p50_us"] for r in x]) for x in (runs, bare))
    m.report.row(TABLE, {
        "bench": "cluster", "transport": way.transport, "kind": kind,
        "threads": threads, "payload": size, "calls_per_s": ours,
        "bare_per_s": theirs, "ratio": round(ours / theirs, 3),
        "p50_us": p50, "bare_p50_us": bare50,
        "above_us": round(p50 - bare50, 1), "queues_per_s": least,
        "of_queues": round(ours / least, 3) if least else None})
