# SPDX-License-Identifier: Apache-2.0
"""A disk refuses a write, a sync, an allocation, a rename of tmqueue or of a tmsrv, wherever that
is: what was accepted is kept, each caller heard what can have been done, and it goes on when the
disk does. OW_SEED=n: other places."""
import errno
import os
import random

from checks import at_least, at_most, equal
from fixture import BUILD, Domain, Skip, wait_for
from machine import LONG
from trans import Trans

COST = 40
MAINLY = "shm"

SEED = int(os.environ.get("OW_SEED", "1"))
PLACES = 40 if LONG else 4  # of each kind
LENGTH = 60000
FEW, MANY = 12, 90  # many are more than a journal has
REFUSED = ("TPENOENT", "TPEDIAGNOSTIC", "TPEOS", "TPEBLOCK", "TPESYSTEM")  # nothing was done


def refusing(d, folder, at=0, error=errno.EIO, times=1):
    """The environment of a program whose disk refuses operation `at` and the next ones."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    return {"LD_PRELOAD": f"{BUILD}/tests/e2e/librefusing.so", "OW_REFUSING_FOLDER": folder,
            "OW_REFUSING_COUNT": f"{d.home}/count", "OW_REFUSING_AT": str(at),
            "OW_REFUSING_ERROR": str(error), "OW_REFUSING_TIMES": str(times)}


def count(d):
    """Operations so far."""
    def read():
        with open(f"{d.home}/count", encoding="ascii") as f:
            return f.read()  # it is perhaps being written
    return int(wait_for(read, "a number"))


class Queues:
    """A tmqueue, and what its client was told."""

    def __init__(self, d):
        self.d, self.data = d, f"{d.home}/qdata"
        self.kept, self.doubt, self.gone, self.number, self.deaths = [], set(), set(), 0, 0
        with open(f"{d.home}/q.conf", "w", encoding="ascii") as f:
            f.write("Q\n")
        self.p, self.c = None, d.client(NDRX_TOUT="1")

    def start(self, env=None, wait=True):
        self.p = (self.d.server if wait else self.d.spawn)(
            80, "-m", "S", "-q", f"{self.d.home}/q.conf", binary="tmqueue",
            env={"NDRX_XA_OPEN_STR": f'datadir="{self.data}",qspace="S"', **(env or {})})

    def stop(self):
        status = self.d.stop_server(self.p) if self.p.poll() is None else self.p.wait()
        self.d.procs.pop(self.p.pid, None)
        return status

    def start_with(self, env):
        """It may refuse to start; then it starts on a good disk."""
        self.start(env, wait=False)
        wait_for(lambda: self.p.poll() is not None or self.d.rows("psc"), "it starts, or ends")
        self.look()

    def look(self):
        """If it has ended, the next one has a good disk."""
        if self.p.poll() is None:
            return
        equal(self.p.returncode > 0, True, "it has ended by itself")
        self.d.procs.pop(self.p.pid, None)
        self.deaths += 1
        self.start()

    def put(self):
        self.number += 1
        text = f"{self.number}"
        err = self.c("enq", "S", "Q", "-", "-", f"STRING:{text}-{'x' * LENGTH}").err
        if err == "OK":
            self.kept.append(text)
        elif err not in REFUSED:
            self.doubt.add(text)
        return err == "OK"

    def take(self):
        """The first one, by its id."""
        r = self.c("deq", "S", "Q", "-", "peek")
        if r.err != "OK":
            return
        text, msgid = r.data.split("-")[0], r.event.split("msgid=")[1].split(";")[0]
        err = self.c("deq", "S", "Q", "-", f"msgid={msgid}").err
        if err == "OK":
            self.gone.add(text)
        elif err not in REFUSED:
            self.doubt.add(text)

    def work(self, n=FEW):
        for i in range(n):
            self.put()
            if i % 3 == 2:
                self.take()
            if self.p.poll() is not None:
                self.look()

    def judge(self):
        """All that is left is what was told."""
        wait_for(self.put, "it goes on", 20)
        got = []
        while (r := self.c("deq", "S", "Q", "-", "-")).err == "OK":
            got.append(r.data.split("-")[0])
        equal((r.err, r.event.split(";")[0]), ("TPEDIAGNOSTIC", "diag=-11"), r.text)
        equal(got, sorted(set(got), key=int), "each once, in order")
        equal(set(self.kept) - self.gone - self.doubt - set(got), set(), "lost")
        equal(set(got) - (set(self.kept) - self.gone) - self.doubt, set(), "gone, or never put")
        self.gone |= set(got)
        self.doubt.clear()


def _begin(d, fresh):
    """A space that is new, or has a message."""
    q = Queues(d)
    if not fresh:
        q.start()
        q.put()
        equal(q.stop(), 0)
    return q


def _operations(fresh, n, file=""):
    """So many operations there are, if the disk refuses none."""
    with Domain() as d:
        q = _begin(d, fresh)
        q.start(refusing(d, q.data + file))
        q.work(n)
        last = count(d)
        equal((q.deaths, q.stop()), (0, 0))
        return last


def _refused(fresh, n, at, error, times=1, file=""):
    """What became of it when operation `at` was refused: of how many tmqueues."""
    with Domain() as d:
        q = _begin(d, fresh)
        try:
            q.start_with(refusing(d, q.data + file, at, error, times))
            q.work(n)
            q.judge()
            q.stop()
            q.start()
            q.judge()
        except AssertionError as e:
            raise AssertionError(f"at {at} of {file or 'all'}, fresh {fresh}, "
                                 f"{os.strerror(error)}, {times} times: {e}") from e
        return q.deaths


def test_tmqueue_loses_nothing_when_the_disk_refuses():
    rnd, deaths = random.Random(SEED), 0
    for fresh in True, False:
        last = _operations(fresh, FEW)
        for error, times in (errno.EIO, 1), (errno.ENOSPC, rnd.choice((1, 4, 20))):
            for at in sorted(rnd.sample(range(1, last + 1), min(PLACES, last))):
                deaths += _refused(fresh, FEW, at, error, times)
    at_least(deaths, 1, "some end it")


def test_tmqueue_goes_on_when_the_disk_has_refused_its_data_base():
    """The last operation of a checkpoint is to write the first page: LMDB refuses all then."""
    last = _operations(False, MANY, "/S.tmq")
    for at in range(1 if LONG else max(1, last - 2), last + 1):
        for error in errno.ENOSPC, errno.EIO:
            _refused(False, MANY, at, error, file="/S.tmq")


# ---- decisions ----

class Bank:
    """Two resource managers; the tmsrv of the first one coordinates."""

    def __init__(self, t):
        self.t, self.folder = t, f"{t.home}/decisions"
        self.yes = self.maybe = self.deaths = 0
        t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        self.p, self.c = None, None

    def start(self, env=None, wait=True):
        self.p = (self.t.server if wait else self.t.spawn)(
            101, "-s", "200ms", "-l", self.folder, binary="tmsrv",
            env={**self.t.xa(1), **(env or {})})

    def look(self):
        if self.p.poll() is None:
            return
        equal(self.p.returncode > 0, True, "it has ended by itself")
        self.t.procs.pop(self.p.pid, None)
        self.deaths += 1
        self.start()

    def start_with(self, env):
        self.start(env, wait=False)
        wait_for(lambda: self.p.poll() is not None or
                 any("TM-" in r.service and r.srvid == 101 for r in self.t.rows("psc")),
                 "it starts, or ends")
        self.look()

    def transfer(self):
        c = self.c
        if c is None:
            c = self.c = self.t.xaclient(1, NDRX_TOUT="1")
        if c.err("begin", 20) != "OK":
            return False
        if c.err("call", "-", "A", "add:-1") != "OK" or c.err("call", "-", "B", "add:1") != "OK":
            c("abort")
            return False
        err = c.err("commit")
        self.yes += err == "OK"
        self.maybe += err not in ("OK", "TPEABORT")
        return err == "OK"

    def work(self):
        for _ in range(8):
            self.transfer()
            self.look()

    def judge(self):
        wait_for(self.transfer, "it goes on", 20)
        self.t.settled(1, 2)
        taken, given = self.t.total(1), self.t.total(2)
        equal(taken + given, 0, "half of a transfer")
        at_least(given, self.yes)
        at_most(given, self.yes + self.maybe)


def test_a_tmsrv_loses_no_decision_when_the_disk_refuses():
    rnd = random.Random(SEED)
    with Trans() as t:
        b = Bank(t)
        b.start(refusing(t, b.folder))
        b.work()
        equal((b.yes, b.maybe, b.deaths), (8, 0, 0))
        last = count(t)
    deaths = 0
    places = [(errno.EIO, 1), (errno.ENOSPC, 1), (errno.ENOSPC, 6)]
    for error, times in places:
        for at in sorted(rnd.sample(range(1, last + 1), min(PLACES, last))):
            with Trans() as t:
                b = Bank(t)
                try:
                    b.start_with(refusing(t, b.folder, at, error, times))
                    b.work()
                    b.judge()
                except AssertionError as e:
                    raise AssertionError(f"at {at} of {last}, {os.strerror(error)}, {times} "
                                         f"times: {e}") from e
                deaths += b.deaths
    at_least(deaths, 1, "some end it")
