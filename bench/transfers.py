# SPDX-License-Identifier: Apache-2.0
"""transfers.py - no money is lost, whoever is killed: transfers

Ten clients move money between PostgreSQL, MariaDB and a durable queue while
servers, coordinators, ndrxd and the databases are killed and stopped. Then: the
sum is exact, nothing stays in doubt, and every row, every coin and every client's
answer agree (ledgers.py).
"""
import os
import random
import select
import signal
import time

from domain import DomainFailed
from money import Money, databases
from ways import ways

CLIENTS = 10
SECONDS = 60
PAUSE = (0.2, 1.2)  # seconds between two deeds
STOPPED = 0.5	    # seconds
SILENT = 3	    # seconds, of a database, at most
DOUBT = 5	    # seconds that a branch is prepared after that
PATIENCE = 60


def _pid_ends(pid):
    try:
        fd = os.pidfd_open(pid)
    except OSError:
        return
    try:
        signal.pidfd_send_signal(fd, signal.SIGKILL)
        select.select([fd], [], [], PATIENCE)
    except ProcessLookupError:
        pass
    finally:
        os.close(fd)


class Fire:
    """What is done to the domain, and how often."""

    def __init__(self, dom, rnd):
        self.dom, self.rnd = dom, rnd
        self.deeds = {}

    def _count(self, what):
        self.deeds[what] = self.deeds.get(what, 0) + 1

    def _choose(self):
        """A server that runs: accounts, tmqueue, a tmsrv; 0: none does."""
        pids = [r["pid"] for r in self.dom.servers()]
        return self.rnd.choice(pids) if pids else 0

    def kill_server(self):
        pid = self._choose()
        if pid:
            _pid_ends(pid)
            self._count("server_kills")

    def stop_server(self):
        pid = self._choose()
        try:
            if not pid:
                return
            os.kill(pid, signal.SIGSTOP)
            time.sleep(STOPPED)
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass
        self._count("server_stops")

    def supervisor(self):
        with open(os.path.join(self.dom.home, "run", "ndrxd.pid"),
                  encoding="ascii") as f:
            _pid_ends(int(f.read()))
        self.dom.xadmin("idle")
        self._count("ndrxd_kills")

    def database(self):
        name = self.rnd.choice(sorted(self.dom.dbs))
        self.dom.dbs[name].kill()
        time.sleep(self.rnd.uniform(0, 0.5))
        self.dom.dbs[name].start()
        self._count("database_kills")

    def silent_database(self):
        name = self.rnd.choice(sorted(self.dom.dbs))
        self.dom.dbs[name].pause(self.rnd.uniform(0.1, SILENT))
        self._count("database_stops")

    def deed(self):
        databases = 1 if self.dom.dbs else 0
        self.rnd.choices((self.kill_server, self.stop_server,
                          self.supervisor, self.database,
                          self.silent_database),
                         (6, 2, 1, 1.5 * databases, databases))[0]()


def all_back(dom, patience=PATIENCE):
    """Wait until all servers run: no start is under way."""
    until = time.monotonic() + patience
    while len(dom.servers()) < dom.count:
        if time.monotonic() > until:
            raise DomainFailed("servers do not come back\n" + dom.log_tail())
        time.sleep(0.05)


def settle(dom):
    """From now on: seconds that the last branch stays prepared. A server that
    still waits for a lock may prepare what its client has given up: each branch
    has its own time."""
    begun = now = time.monotonic()
    first, longest, quiet = {}, 0, 0
    while quiet < 5 and now < begun + PATIENCE:
        branches = dom.in_doubt()
        now = time.monotonic()
        first = {b: first.get(b, now) for b in branches}
        longest = max([longest, *(now - t for t in first.values())])
        quiet = 0 if branches or dom.queued()[1] else quiet + 1
        time.sleep(0.1)
    if quiet < 5:
        raise DomainFailed("after %d s branches or messages are still locked: "
                           "%s" % (PATIENCE, sorted(branches)[:5]))
    return longest


def verdict(dom):
    """After the last process is back: what became of the money."""
    hung = dom.end_clients()
    doubt = settle(dom)
    told = [t[2] for t in dom.told().values()]
    total = dom.total()
    wrong = dom.books().problems()
    row = {"transfers": len(told), "done": told.count("done"),
           "undone": told.count("undone"), "unknown": told.count("unknown"),
           "hung": hung, "doubt_s": round(doubt, 2), "total": total,
           "expected": dom.expected, "wrong": len(wrong)}
    row["clean"] = hung == 0 and not wrong and doubt <= DOUBT and \
        row["total"] == row["expected"] and row["done"] > 0
    return row, wrong


def burn(dom, seconds, rnd):
    """Do deeds for some seconds: what was done."""
    fire = Fire(dom, rnd)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        fire.deed()
        time.sleep(rnd.uniform(*PAUSE))
    return fire.deeds


def bench_transfers(m):
    """Money between two databases and a durable queue, under fire: is the sum exact?"""
    seconds = m.seconds if m.seconds != 2 else SECONDS
    seed = int.from_bytes(os.urandom(4), "little")
    for way in ways(m.transport):
        m.report.note("transfers: %s, %g s" % (way, seconds))
        lib = os.path.join(os.path.dirname(m.bin), "lib")
        with Money(m.bin, databases(lib), env=way.env(),
                   defaults=m.defaults) as dom:
            dom.open()
            dom.begin_clients((m.threads or [CLIENTS])[0])
            deeds = burn(dom, seconds, random.Random(seed))
            all_back(dom)
            row, wrong = verdict(dom)
            if not row["clean"]:
                m.report.fail("%s\n%s" % ("\n".join(wrong[:10]),
                                         dom.log_tail(5)))
            m.report.facts({"bench": "transfers", "transport": way.transport,
                            "places": " ".join(dom.places), "seed": seed,
                            "options": "default" if m.defaults else "short",
                            "seconds": seconds, **row, **deeds})
            dom.stop()
            for left in dom.leftovers():
                m.report.fail("left behind: " + left)
