# SPDX-License-Identifier: Apache-2.0
"""A power cut loses what was not synced: what was promised is kept."""
import os
import shutil
import signal

from checks import at_least, at_most, check, equal
from disk import Disk
from fixture import BUILD, Domain, Skip, kill
from trans import Trans

MAINLY = "posix"
COST = 34

CLIENTS = 4
IMPATIENT = 2  # seconds that a client waits for a server that is dead


def _disk(d, folder, **kw):
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    os.makedirs(folder, exist_ok=True)
    return Disk(folder, os.path.join(d.home, "record"), **kw)


def _cut(d, p):
    kill(p.pid, signal.SIGKILL)
    p.wait()
    d.procs.pop(p.pid, None)


# ---- transactions ----

class Bank:
    """Two resource managers. The tmsrv of the first coordinates, and writes to
    a disk."""

    def __init__(self, t, **kw):
        self.t = t
        self.folder = os.path.join(t.home, "decisions")
        self.disk = _disk(t, self.folder, **kw)
        self.start(self.disk.env)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        self.clients = [t.xaclient(1) for _ in range(CLIENTS)]
        self.told = 0

    def start(self, env):
        self.tms = [self.t.server(
            101, "-s", "200ms", "-l", self.folder, binary="tmsrv",
            env={**self.t.xa(1), **env}), self.t.tm(2)]

    def stop(self):
        for p in self.tms:
            _cut(self.t, p)
        self.tms = []

    def transfer(self, patience=60):
        """Begin in each client, and ask for all commits at once."""
        for c in self.clients:
            c.ok("begin", 60)
            c.ok("call", "-", "A", "add:-1")
            c.ok("call", "-", "B", "add:1")
            c.ok("tout", patience)
        for c in self.clients:
            c.begin("commit")

    def outcome(self):
        self.told += sum(c.end(60).err == "OK" for c in self.clients)

    def cut_power(self):
        """While commits are under way. The folders of the resource managers
        are kept: they sync at once."""
        for _ in range(3):
            self.transfer()
            self.outcome()
        equal(self.told, 3 * CLIENTS)
        self.transfer(patience=IMPATIENT)
        self.stop()
        self.outcome()
        for n in (1, 2):
            shutil.copytree(self.t.rm(n), self.t.rm(n) + ".kept")

    def recover(self, cut):
        """Restart with what the disk has; what has become of it."""
        t = self.t
        self.stop()
        self.disk.restore(cut)
        for n in (1, 2):
            for name in t.branches(n, "a") + t.branches(n, "p") + \
                    t.branches(n, "c"):
                os.remove(os.path.join(t.rm(n), name))
            shutil.copytree(t.rm(n) + ".kept", t.rm(n), dirs_exist_ok=True)
        self.start({})
        t.decided(1, 2, seconds=20)
        return t.total(1), t.total(2)


def test_decisions_that_were_told_survive_a_power_cut():
    with Trans() as t:
        b = Bank(t)
        b.cut_power()
        for cut in b.disk.cuts():
            taken, given = b.recover(cut)
            equal(taken + given, 0, f"{cut} operations after the last sync")
            at_least(given, b.told)
            at_most(given, b.told + CLIENTS)


def test_a_disk_that_loses_what_was_synced_is_noticed():
    with Trans() as t:
        b = Bank(t, lies=True)
        b.transfer()
        b.outcome()
        b.stop()
        equal(b.told, CLIENTS)
        b.disk.restore(0)
        equal(os.listdir(b.folder), [], "nothing was synced")
        b.start({})


# ---- queues ----

class Queues:
    """A tmqueue that writes to a disk. It may be dead before it is ready."""

    def __init__(self, d, wait=True, **kw):
        self.d = d
        self.data = os.path.join(d.home, "qdata")
        self.disk = _disk(d, self.data, **kw)
        with open(os.path.join(d.home, "q.conf"), "w",
                  encoding="utf-8") as f:
            f.write("@\n")
        self.server = self.start(self.disk.env, wait)

    def start(self, env, wait=True):
        return (self.d.server if wait else self.d.spawn)(
            80, "-m", "S", "-q", os.path.join(self.d.home, "q.conf"),
            binary="tmqueue", env={
                "NDRX_XA_RES_ID": "5", "NDRX_XA_OPEN_STR":
                f'datadir="{self.data}",qspace="S"',
                "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so", **env})

    def restart(self, cut):
        if self.server.poll() is None:
            _cut(self.d, self.server)
        self.disk.restore(cut)
        self.server = self.start({})


def _enq(c, text):
    c.begin("enq", "S", "Q", "-", "-", f"STRING:{text}")


def _rest(c):
    """What is in the queue; it is empty then."""
    got = []
    while True:
        r = c("deq", "S", "Q", "-", "-")
        if r.err != "OK":
            return got
        got.append(r.data)


def test_messages_that_were_acknowledged_survive_a_power_cut():
    with Domain() as d:
        q = Queues(d)
        clients = [d.client() for _ in range(CLIENTS)]
        kept, gone = set(), set()
        for i in range(5):
            for n, c in enumerate(clients):
                _enq(c, f"{i}-{n}")
            for n, c in enumerate(clients):
                equal(c.end().err, "OK")
                kept.add(f"{i}-{n}")
        for c in clients:
            gone.add(c("deq", "S", "Q", "-", "-").data)
        for c in clients:
            c("tout", IMPATIENT)
        for n, c in enumerate(clients):
            _enq(c, f"last-{n}")
        _cut(d, q.server)
        sent = {f"last-{n}" for n in range(CLIENTS)}
        kept |= {f"last-{n}" for n, c in enumerate(clients)
                 if c.end(60).err == "OK"}
        equal(len(gone), CLIENTS)
        for cut in q.disk.cuts():
            q.restart(cut)
            got = _rest(d.client())
            equal(len(got), len(set(got)), "each once")
            equal(kept - gone - set(got), set(), "lost")
            check(set(got) <= (kept | sent) - gone, "gone, or never sent")

BIG = "-" + "x" * 9000  # three pages, which a cut can tear


def _numbers(texts):
    """Of messages, which a client shows by their beginning."""
    return [int(text.split("-")[0]) for text in texts]


def _put_until_it_dies(q, c):
    """Messages that were acknowledged, those that were sent, those that were
    taken."""
    acked, sent, gone = [], [], []
    while q.server.poll() is None:
        n = len(sent)
        r = c("enq", "S", "Q", "-", "-", f"STRING:{n}{BIG}")
        if r.err == "TPENOENT":  # it is being started
            continue
        sent.append(n)
        if r.err == "OK":
            acked.append(n)
        if len(acked) % 3 == 2:
            r = c("deq", "S", "Q", "-", "-")
            # One that was not answered is gone, or it is not.
            gone += _numbers([r.data]) if r.err == "OK" else [acked[len(gone)]]
    return acked, sent, gone


def test_a_power_cut_at_any_sync_loses_nothing_that_was_acknowledged():
    promised = torn = 0
    for cut in range(1, 22, 3):
        with Domain() as d:
            q = Queues(d, wait=False, cut=cut)
            c = d.client()
            c("tout", IMPATIENT)
            acked, sent, gone = _put_until_it_dies(q, c)
            q.server.wait()
            d.procs.pop(q.server.pid, None)
            promised += len(acked)
            for n in q.disk.cuts(3):
                q.restart(n)
                got = _numbers(_rest(d.client()))
                torn += n > 0
                equal(got, sorted(set(got)), "each once, in order")
                equal(set(acked) - set(gone) - set(got), set(), f"lost, {cut}")
                check(set(got) <= set(sent) - set(gone[:-1]),
                      "gone, or never sent")
    at_least(promised, 10, "acknowledged messages")
    at_least(torn, 10, "cuts that keep a part of what was not synced")


def test_a_disk_that_loses_what_was_synced_loses_messages():
    with Domain() as d:
        q = Queues(d, lies=True)
        c = d.client()
        _enq(c, "a")
        equal(c.end().err, "OK")
        q.restart(0)
        equal(_rest(d.client()), [])
