# SPDX-License-Identifier: Apache-2.0
"""Damage to what was on disk is told; nothing is given away or presumed."""
import glob
import os
import signal

from checks import check, contains, ended, equal, lacks
from covers import covers
from fixture import BUILD, Domain, kill, wait_for
from trans import Trans

MAINLY = "shm"
COST = 14

PAGE = 4096


def _cut(d, p):
    kill(p.pid, signal.SIGKILL)
    p.wait()
    d.procs.pop(p.pid, None)


def _flip(path, at):
    with open(path, "r+b") as f:
        f.seek(at)
        byte = f.read(1)
        f.seek(at)
        f.write(bytes([byte[0] ^ 1]))


def _refuses(d, p, *words):
    """The server ends, and says why in the ULOG."""
    equal(p.wait(20) != 0, True, "its exit status")
    d.procs.pop(p.pid, None)
    logs = "".join(open(f, errors="replace").read() for f in
                   glob.glob(f"{d.home}/**/*", recursive=True)
                   if os.path.isfile(f) and ("ULOG" in f or f.endswith(".log"))
                   and not os.path.basename(f).startswith("TRN"))
    for w in words:
        contains(logs, w)


def _queue(d, wait=True):
    with open(f"{d.home}/q.conf", "w", encoding="utf-8") as f:
        f.write("@\n")
    return (d.server if wait else d.spawn)(
        80, "-m", "S", "-q", f"{d.home}/q.conf", binary="tmqueue", env={
            "NDRX_XA_RES_ID": "5", "NDRX_XA_OPEN_STR":
            f'datadir="{d.home}/qdata",qspace="S"',
            "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"})


def _rest(c):
    got = []
    while True:
        r = c("deq", "S", "Q", "-", "-")
        if r.err != "OK":
            return got
        got.append(r.data)


def _told(d):
    """Doctor and repair say it, also by their exit status."""
    r = d.xadmin("doctor", ok=False)
    equal(r.returncode != 0, True, "doctor's exit status")
    contains(r.stdout, "xadmin repair")
    r = d.xadmin("repair", ok=False)
    equal(r.returncode, 1)
    return r.stdout


@covers("xadmin repair")
def test_a_damaged_journal_loses_no_batch_silently():
    with Domain() as d:
        q, c = _queue(d), d.client()
        equal(d.xadmin("repair").returncode, 0)
        for i in range(20):
            equal(c("enq", "S", "Q", "-", "-", f"STRING:m{i}").err, "OK")
        _cut(d, q)
        _flip(f"{d.home}/qdata/S.tmj", 5 * PAGE + 100)
        _refuses(d, _queue(d, wait=False), "with batch 5, and batch 21 was on",
                 "xadmin repair")
        contains(_told(d), "lost: batches 6 to 21, but for those that are")
        r = d.xadmin("repair", "-a", "-y", "", ok=False)  # of an unset variable
        ended(r, 2, "an empty word")
        lacks(r.stdout, "accepted")
        contains(d.xadmin("repair", "-a", "-y").stdout, "accepted")
        q, c = _queue(d), d.client()
        # The first batch has the key of rights; messages are put one by one: of
        # batch 6 nothing else depends.
        equal(sorted(_rest(c)), sorted(f"m{i}" for i in range(20) if i != 4))
        equal(d.xadmin("repair").returncode, 0)
        equal(d.stop_server(q), 0)


def test_a_message_that_has_changed_is_not_delivered():
    with Domain() as d:
        q, c = _queue(d), d.client()
        for i in range(5):
            equal(c("enq", "S", "Q", "-", "-", f"STRING:pay {i}00").err, "OK")
        equal(d.stop_server(q), 0)
        path = f"{d.home}/qdata/S.tmq"
        with open(path, "rb") as f:
            at = f.read(1 << 20).find(b"pay 300")
        check(at > 0, "the message is in the data base")
        _flip(path, at + 4)
        _refuses(d, _queue(d, wait=False), "1 records have a wrong checksum")
        _told(d)
        d.xadmin("repair", "-a", "-y")
        q, c = _queue(d), d.client()
        equal(_rest(c), ["pay 000", "pay 100", "pay 200", "pay 400"])
        equal(d.stop_server(q), 0)


def test_an_older_copy_of_a_queue_space_is_refused():
    with Domain() as d:
        q, c = _queue(d), d.client()
        equal(c("enq", "S", "Q", "-", "-", "STRING:one").err, "OK")
        equal(d.stop_server(q), 0)
        with open(f"{d.home}/qdata/S.tmq", "rb") as f:
            older = f.read()
        q, c = _queue(d), d.client()
        equal(_rest(c), ["one"])
        equal(d.stop_server(q), 0)
        with open(f"{d.home}/qdata/S.tmq", "wb") as f:
            f.write(older)
        _refuses(d, _queue(d, wait=False), "was on disk", "xadmin repair")


def _transfer(c, amount):
    c.ok("begin", 20)
    c.ok("call", "-", "A", f"add:-{amount}")
    c.ok("call", "-", "B", f"add:{amount}")
    return c("commit").err


def test_a_decision_that_is_lost_is_not_presumed():
    with Trans() as t:
        tm = t.tm(1)
        t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        for _ in range(3):
            equal(_transfer(c, 1), "OK")
        # Resource manager 1 is away: decisions stay in the log.
        t.order(1, "commit", "result -7 always")
        for _ in range(3):
            _transfer(c, 10)
        equal(len(t.branches(1, "p")), 3)
        _cut(t, tm)
        log = [f for f in glob.glob(f"{t.home}/**/TRN-*-1-*.log",
                                    recursive=True)][0]
        _flip(log, 64 + 9)
        t.countermand(1, "commit")
        _refuses(t, t.spawn(101, "-s", "200ms", binary="tmsrv",
                            env=t.xa(1)), "damaged at byte", "xadmin repair")
        contains(_told(t), "lost may be: decisions")
        d = t.xadmin("repair", "-a", "-y")
        contains(d.stdout, "accepted")
        t.tm(1)
        # All that the log still has is committed, and nothing is rolled back.
        wait_for(lambda: len(t.branches(1, "p")) == 0 and
                 t.total(1) + t.total(2) == 0, "the sum is exact")


def test_branches_of_a_lost_decision_wait_for_an_operator():
    with Trans() as t:
        tm = t.tm(1)
        t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        t.order(1, "commit", "result -7 always")
        for _ in range(3):
            _transfer(c, 10)
        _cut(t, tm)
        log = [f for f in glob.glob(f"{t.home}/**/TRN-*-1-*.log",
                                    recursive=True)][0]
        with open(log, "rb") as f:
            used = len(f.read().rstrip(b"\0"))
        _flip(log, used - 6)  # the last decision
        t.countermand(1, "commit")
        _refuses(t, t.spawn(101, "-s", "200ms", binary="tmsrv",
                            env=t.xa(1)), "up to 1 records", "xadmin repair")
        t.xadmin("repair", "-a", "-y")
        t.tm(1)
        wait_for(lambda: "branches without a tmsrv" in
                 t.xadmin("doctor", ok=False).stdout,
                 "doctor says that nobody ends it", seconds=30)
        equal(len(t.branches(1, "p")), 1)
        equal((t.total(1), t.total(2)), (-20, 30))
