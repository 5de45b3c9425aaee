# SPDX-License-Identifier: Apache-2.0
"""autoq=T: a message, its service and the answer happen in one transaction."""
import glob
import os
import random
import time

from checks import at_least, at_most, equal
from fixture import BUILD, SLOW, kill, wait_for
from trans import Trans

MAINLY = "posix"
COST = 5

XAER_RMERR = -3
RM = 5  # the durable queues; 1 and 2 are folders


def _xa(t):
    return {"NDRX_XA_RES_ID": str(RM),
            "NDRX_XA_OPEN_STR": f'datadir="{t.home}/qdata",qspace="S"',
            "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"}


def _coordinator(t):
    return t.server(105, "-s", "200ms", binary="tmsrv", env=_xa(t))


def _queues(t, options):
    path = os.path.join(t.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"A,autoq=T,{options}\nR\nE\n")
    return t.server(80, "-m", "S", "-q", path, binary="tmqueue", env=_xa(t))


def _boot(t, options="waitretry=50ms,errorq=E"):
    """Service A adds in one resource manager, B in another."""
    _coordinator(t)
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")
    return _queues(t, options)


def _put(c, text):
    r = c("enq", "S", "A", "-", "reply=R", f"STRING:{text}")
    equal(r.err, "OK", r.text)


def _take(c, queue, opts="wait"):
    return c("deq", "S", queue, "-", opts).err


def _ulog(t):
    text = ""
    for path in glob.glob(os.path.join(t.logs, "ULOG.*")):
        with open(path, encoding="utf-8") as f:
            text += f.read()
    return text


def _row(t, queue):
    return t.row("mqlq", queue=queue)


def test_message_work_and_answer_are_committed_together():
    with Trans() as t:
        _boot(t)
        c = t.client()
        _put(c, "add:5")
        _put(c, "call:B:add:7")
        equal([_take(c, "R"), _take(c, "R")], ["OK", "OK"])
        t.settled(1, 2)  # the queues may have been told first
        equal((t.total(1), t.total(2)), (5, 7))
        wait_for(lambda: (_row(t, "A").queued, _row(t, "A").locked,
                          _row(t, "A").succeeded) == (0, 0, 2), "all done")


def test_what_a_failing_service_did_is_undone_and_tries_are_counted():
    with Trans() as t:
        _boot(t, "tries=3,waitretry=50ms,errorq=E")
        c = t.client()
        _put(c, "call:B:add:1,fail")
        equal(_take(c, "E"), "OK")
        equal(t.row("psc", service="B").failed, 3)
        equal(_take(c, "R", "-"), "TPEDIAGNOSTIC")
        t.settled(1, 2)
        equal((t.total(1), t.total(2)), (0, 0))
        wait_for(lambda: (_row(t, "A").queued, _row(t, "A").locked,
                          _row(t, "A").failed) == (0, 0, 1), "it has failed")
        _put(c, "add:1")  # the queue goes on
        equal(_take(c, "R"), "OK")


def test_a_commit_that_fails_is_a_try():
    with Trans() as t:
        _boot(t, "tries=2,waitretry=50ms,errorq=E")
        c = t.client()
        t.order(1, "prepare", f"result {XAER_RMERR} always")
        _put(c, "add:1")
        equal(_take(c, "E"), "OK")
        equal(len(t.calls(1, "prepare")), 2)
        equal(_take(c, "R", "-"), "TPEDIAGNOSTIC")
        t.settled(1)
        equal(t.total(1), 0)
        wait_for(lambda: (_row(t, "A").queued, _row(t, "A").succeeded,
                          _row(t, "A").failed) == (0, 0, 1), "it has failed")


def test_an_answer_without_its_queue_undoes_the_work():
    with Trans() as t:
        _boot(t, "tries=2,waitretry=50ms,errorq=E")
        c = t.client()
        r = c("enq", "S", "A", "-", "reply=NOWHERE", "STRING:add:1")
        equal(r.err, "OK", r.text)
        equal(_take(c, "E"), "OK")
        t.settled(1)
        equal(t.total(1), 0)


def test_without_a_coordinator_messages_wait_and_no_try_is_counted():
    with Trans() as t:
        t.server(1, "A=ECHO")
        _queues(t, "tries=1,waitretry=50ms,errorq=E")
        c = t.client()
        _put(c, "x")
        wait_for(lambda: "no transaction can be begun" in _ulog(t),
                 "it was tried")
        equal(_take(c, "E", "-"), "TPEDIAGNOSTIC")
        _coordinator(t)
        equal(c("deq", "S", "R", "-", "wait").data, "x")


def test_a_tmqueue_that_stops_ends_what_it_has_begun():
    """Its forwarders need it: they take messages, put answers and commit there. It waited
    for them, and they for it, until their time-out."""
    with Trans() as t:
        queues = _boot(t, "tries=1,errorq=E,workers=2")
        c = t.client()
        for _ in range(8):
            _put(c, "sleep:200 add:1")
        wait_for(lambda: t.total(1) > 0, "they are under way")
        began = time.monotonic()
        equal(t.stop_server(queues), 0, "exit status")
        at_most(time.monotonic() - began, 8 * SLOW, "seconds")
        done = t.total(1)
        at_most(done, 7)
        _queues(t, "tries=1,errorq=E,workers=2")
        wait_for(lambda: _row(t, "A").queued == 0, "all are done")
        t.settled(1)
        equal((t.total(1), _row(t, "R").queued, _row(t, "E").queued), (8, 8, 0))


def test_each_message_works_once_while_servers_are_killed():
    n, seed = 40, random.randrange(1 << 30)
    rng = random.Random(seed)
    with Trans() as t:
        options = "tries=1000,waitretry=20ms,txtout=3,workers=3"
        queues = _boot(t, options)
        c = t.client()
        for _ in range(n):
            _put(c, "call:B:add:1")
        for _ in range(4):
            enough = rng.randrange(1, n // 4)
            before = _done(t)
            wait_for(lambda b=before, e=enough: _done(t) >= min(n, b + e),
                     f"seed {seed}: some more are done", 60)
            kill(queues.pid)
            queues = t.replace(queues, lambda: _queues(t, options))
        wait_for(lambda: _done(t) == n, f"seed {seed}: all are done", 60)
        t.decided(1, 2)
        wait_for(lambda: (_row(t, "A").queued, _row(t, "A").locked,
                          _row(t, "R").queued) == (0, 0, n),
                 f"seed {seed}: a message, an answer", 30)
        equal(t.total(2), n, f"seed {seed}")
        at_least(_row(t, "R").enqueued, n)


def _done(t):
    return t.total(2)
