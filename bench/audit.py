# SPDX-License-Identifier: Apache-2.0
"""audit.py - every request is executed and told as it should be: audit

Clients and servers write what they send, execute and are told into one file
(ledger.h); servers, clients and ndrxd are killed and stopped meanwhile. At the
end the two sides are compared.
"""
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time

from bindings import Go, Python
from domain import Domain, DomainFailed
from tree import SOURCE
from ways import ways

CLIENTS = 6
SERVERS = 40
HIT_MS = 50
SLOW_START = 5  # a server in Python takes so many times longer to be there again
ENTRY = 32  # bytes (ledger.h)
LEAST = 1.0  # seconds between two deeds of a kind
PATIENCE = 60  # seconds for the last calls to end: the longest time-out is 10
# A call that ends so many ms after its deadline is late. What is not ours is
# measured and added: for how long its thread was ready and waited for a CPU, and
# for how long the whole machine stood still (its host, if it is a virtual one).
SLACK_MS = int(os.environ.get("OW_AUDIT_SLACK_MS", "500"))


class Clients:
    """Client processes; a killed one is replaced."""

    def __init__(self, dom, ledger, entries, number, programs):
        self.dom, self.ledger, self.entries = dom, ledger, entries
        self.programs = programs
        self.procs = [None] * number
        self.kills = self.stops = self.visits = 0
        self.helpers = []
        for i in range(number):
            self.begin(i)

    def begin(self, i):
        """Every third client has calls of 20 ms only."""
        env, words = self.dom.env, ["-c", i]
        if i % 3 == 2:
            env, words = {**env, "NDRX_TOUT": "20ms"}, [*words, "-T", 20]
        self.procs[i] = subprocess.Popen(
            self.dom.command(self.programs[i % len(self.programs)], *words), env=env,
            stdin=subprocess.DEVNULL)

    def check(self):
        """The last to end is the ledger's room."""
        gone = [p.returncode for p in self.procs if p.poll() is not None]
        if gone and _used(self.ledger) < self.entries:
            raise DomainFailed("clients have ended, with status %s" % gone)

    def kill_one(self, rnd):
        i = rnd.randrange(len(self.procs))
        self.procs[i].kill()
        self.procs[i].wait()
        self.begin(i)
        self.kills += 1

    def stop_one(self, rnd):
        """Stopped for 300 ms; the ledger knows when."""
        i = rnd.randrange(len(self.procs))
        self.helpers = [h for h in self.helpers if h.poll() is None]
        self.helpers.append(subprocess.Popen(self.dom.command(
            "ledger", "stop", self.ledger, i, self.procs[i].pid, 300),
            env=self.dom.env))
        self.stops += 1

    def visit(self):
        """A program that makes one call and ends."""
        # One in ten only where a program takes long to start.
        slow = self.programs[0].endswith(".py") and self.visits % 10 > 0
        program = "ledgercl" if slow else self.programs[self.visits % len(self.programs)]
        self.helpers.append(subprocess.Popen(
            self.dom.command(program,
                             "-c", 255, "-t", 1, "-1"),
            env=self.dom.env))
        self.visits += 1

    def end(self):
        """(clients that do not end, since a call of theirs hangs; clients that
        failed). One that has just begun may end by SIGTERM itself."""
        for p in self.procs:
            p.send_signal(signal.SIGTERM)
        hung, failed, until = 0, 0, time.monotonic() + PATIENCE
        for p in self.procs + self.helpers:
            try:
                status = p.wait(max(0.1, until - time.monotonic()))
                if status not in (0, -signal.SIGTERM):
                    failed += 1
                    print("audit: exit status %d: %s" % (
                        status, " ".join(p.args)), file=sys.stderr)
            except subprocess.TimeoutExpired:
                hung += 1
                p.kill()
                p.wait()
        return hung, failed


def _used(path):
    """Entries of the ledger that are in use: the fourth word of the head."""
    with open(path, "rb") as f:
        f.seek(24)
        return int.from_bytes(f.read(8), "little")


def _restart_ndrxd(dom):
    """Kill ndrxd and wait until it is gone; the next one takes the domain
    over."""
    with open(os.path.join(dom.home, "run", "ndrxd.pid")) as f:
        pidfd = os.pidfd_open(int(f.read()))
    signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    select.select([pidfd], [], [], PATIENCE)
    os.close(pidfd)
    dom.xadmin("idle")


def _disturb(dom, clients, calls, ledger):
    """Kill and stop until the ledger is full. Returns kills of ndrxd."""
    rnd, kills = random.Random(7), 0
    next_client = next_ndrxd = time.monotonic() + LEAST
    while _used(ledger) < calls:
        time.sleep(0.02)
        clients.check()
        now = time.monotonic()
        clients.visit()
        if now >= next_client:
            rnd.choice((clients.kill_one, clients.stop_one))(rnd)
            next_client = now + rnd.uniform(0, LEAST)
        if now >= next_ndrxd:
            _restart_ndrxd(dom)
            kills += 1
            next_ndrxd = now + 5 * LEAST
    return kills


def _await_empty(dom):
    """One-way requests that were accepted wait in queues: servers serve them
    before the two sides are compared."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        rows = json.loads(dom.xadmin("pq", "--json") or "[]")
        if all(r["queued"] == 0 for r in rows):
            time.sleep(0.5)  # those in hand
            return
        time.sleep(0.2)


def audit(dom, calls, servers, hit_ms=HIT_MS, programs=("ledgercl",)):
    """Run the audit in a domain with ledgersv, and these programs as clients:
    the verdict and what was done to the domain."""
    ledger = dom.env["OW_LEDGER"]
    clients = Clients(dom, ledger, calls, CLIENTS, programs)
    killer = subprocess.Popen(dom.command("ledger", "strike", servers, hit_ms),
                              env=dom.env, stdout=subprocess.PIPE, text=True)
    watcher = subprocess.Popen(dom.command("ledger", "watch", ledger),
                               env=dom.env)
    try:
        ndrxd_kills = _disturb(dom, clients, calls, ledger)
    finally:
        killer.send_signal(signal.SIGTERM)
        deeds = json.loads(killer.communicate(timeout=30)[0] or "{}")
        hung, failed = clients.end()
        watcher.send_signal(signal.SIGTERM)
        watcher.wait(timeout=30)
    _await_empty(dom)
    named = int(subprocess.check_output(dom.command("ledger", "named"),
                                        env=dom.env, text=True))
    done = subprocess.run(dom.command("ledger", "judge", ledger, SLACK_MS,
                                      named), text=True,
                          stdout=subprocess.PIPE, check=False)
    return {**json.loads(done.stdout), "named": named, "hung": hung, "failed": failed, **deeds,
            "ndrxd_kills": ndrxd_kills, "client_kills": clients.kills,
            "client_stops": clients.stops, "visits": clients.visits,
            "clean": done.returncode == 0 and hung + failed == 0}


def _folder(calls):
    """For the ledger and the logs, in memory if there is room: a client that
    writes while the disk is busy waits for it, and its calls are late."""
    room = os.statvfs("/dev/shm")
    enough = room.f_bavail * room.f_frsize > 2 * ENTRY * calls
    return tempfile.TemporaryDirectory(
        prefix="ow-audit-", dir="/dev/shm" if enough else None)


def _crews(m):
    """Servers and clients of a run, and the environment that they need."""
    if m.language == "c":
        return [("ledgersv", ("ledgercl",), {})]
    if m.language == "python":
        return _crews_in_python(m)
    go = Go(m)
    if not go.here():
        raise DomainFailed("there is no Go here")
    path = go.make("goledger", os.path.join(SOURCE, "bench", "languages", "goledger"), ".")
    return [("ledgersv", (path,), go.env()), ("goledger", (path, "ledgercl"), go.env())]


def _crews_in_python(m):
    python = Python(m)
    if not python.here():
        raise DomainFailed("there is no Python here")
    path = os.path.join(SOURCE, "bench", "languages", "ledger.py")
    env = {**python.env(), "OW_LEDGER_SO": os.path.join(
        os.path.dirname(m.bin), "lib", "libowledger.so")}
    return [("ledgersv", (path,), env), ("ledger.py", (path, "ledgercl"), env)]


def bench_audit(m):
    """What servers execute against what clients are told, under fire; with
    --language go or python: clients in it, then its servers, and clients in both."""
    for way in ways(m.transport):
        for crew in _crews(m):
            _audit_once(m, way, *crew)


def _audit_once(m, way, server, programs, env):
    calls = m.calls or 1000000
    servers = (m.servers or [SERVERS])[0]
    names = ", ".join(map(os.path.basename, programs))
    m.report.note("audit: %s, %d requests, %s, %s" % (way, calls, server, names))
    with _folder(calls) as folder, \
            Domain(m.bin, server, servers, restart=0,
                   env={**env, **way.env(), "NDRX_TOUT": "10"},
                   folder=folder) as dom:
        dom.env["OW_LEDGER"] = os.path.join(folder, "ledger")
        subprocess.run(dom.command("ledger", "make",
                                   dom.env["OW_LEDGER"], calls + 1),
                       env=dom.env, check=True)
        dom.start()
        begun = time.monotonic()
        slow = SLOW_START if server.endswith(".py") else 1
        row = audit(dom, calls, servers, m.hit or HIT_MS * slow, programs)
        row["seconds"] = round(time.monotonic() - begun)
        if not row["clean"]:
            m.report.fail(dom.log_tail(3))
        dom.stop()
        left = dom.leftovers()
        row["left_behind"] = len(left)
        if left:
            print("audit: left behind: %s" % ", ".join(left), file=sys.stderr)
    m.report.facts({"bench": "audit", "transport": way.transport, "wake": way.wake,
                    "server": server, "clients": names, **row})
    if not row["clean"] or row["left_behind"]:
        m.report.fail("audit: see the columns above")
