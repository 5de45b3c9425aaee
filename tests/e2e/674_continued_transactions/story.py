# SPDX-License-Identifier: Apache-2.0
"""A thread that answers a request works in its transaction."""
import os

from checks import equal
from fixture import wait_for
from trans import Trans, totals

MAINLY = "posix"
COST = 4


def two(t, **kw):
    """Two resource managers, a server of each, a client of the first."""
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A", **kw)
    t.sv(12, 2, "B")
    return t.xaclient(1)


def _log(t, srvid):
    with open(os.path.join(t.logs, f"xasv.{srvid}.log"),
              encoding="utf-8") as f:
        return f.read()


def test_the_thread_works_in_the_transaction():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        equal(c.ok("call", "-", "A",
                   "add:-3 thread add:-4 call:B:add:7").urcode, 1)
        equal(totals(t), (0, 0))
        c.ok("commit")
        equal(totals(t), (-7, 7))
        equal(c.ok("call", "-", "A", "thread add:1").urcode, 0)


def test_its_failure_dooms_the_transaction():
    with Trans() as t:
        t.services('svcnm="A"')  # ndrxd tells of the death of a server
        c = two(t)
        for words, err in (("thread fail", "TPESVCFAIL"),
                           ("thread add:1 leave", "TPESVCERR"),
                           ("thread forward:NONE:x", "TPESVCERR"),
                           ("thread die", "TPESVCERR")):
            c.ok("begin", 20)
            c.ok("add", 1)
            equal((words, c.err("call", "-", "A", "add:1 " + words)),
                  (words, err))
            equal(c.err("commit"), "TPEABORT")
            t.settled(1)
            equal(totals(t), (0, 0))


def test_the_service_has_no_transaction_once_it_has_handed_it_on():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        equal(c.ok("call", "-", "A", "add:1 handon").urcode, 0)
        c.ok("call", "-", "A", "add:2 handon add:50")
        equal(t.total(1), 50)
        c.ok("commit")
        equal(t.total(1), 53)
        # It answers the request, so it decides for the transaction.
        c.ok("begin", 20)
        c.ok("call", "TPNOABORT", "B", "add:1")
        equal(c.err("call", "-", "A", "add:1 handon fail"), "TPESVCFAIL")
        equal(c.err("commit"), "TPEABORT")
        equal(totals(t), (53, 0))


def test_a_thread_forwards_the_request_with_its_transaction():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-3 thread forward:B:add:3")
        c.ok("commit")
        equal(totals(t), (-3, 3))


def test_a_service_begins_no_transaction_to_hand_it_on():
    with Trans() as t:
        c = two(t)
        equal(c.ok("call", "-", "A", "begin add:1 handon commit").urcode, 0)
        equal(t.total(1), 1)


def test_a_thread_cannot_take_a_request_whose_transaction_has_ended():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("add", 1)
        t.sv(13, 1, "-n", "C")  # its service does not join, the thread does
        t.order(1, "start", "result -3")  # XAER_RMERR
        equal(c.err("call", "-", "C", "thread add:1"), "TPESVCERR")
        wait_for(lambda: "thread: TPETRAN" in _log(t, 13), "the thread fails")
        equal(c.err("commit"), "TPEABORT")


def test_the_answer_of_a_thread_ends_the_transaction_of_autotran():
    with Trans() as t:
        t.services('svcnm="A" autotran="Y"')
        c = two(t)
        equal(c.ok("call", "-", "A",
                   "add:-3 thread add:-4 call:B:add:7").urcode, 1)
        equal(totals(t), (-7, 7))
        for words, err in (("thread add:1 fail", "TPESVCFAIL"),
                           ("thread add:1 forward:B:add:1,fail",
                            "TPESVCFAIL"),
                           ("add:1 handon fail", "TPESVCFAIL")):
            equal((words, c.err("call", "-", "A", words)), (words, err))
            t.settled(1, 2)
            equal(totals(t), (-7, 7))
        c.ok("call", "-", "A", "thread add:-1 forward:B:add:1")
        c.ok("call", "-", "A", "add:-1 handon")
        equal(totals(t), (-9, 8))


def test_dispatch_threads_work_in_transactions():
    with Trans() as t:
        c = two(t)
        t.spawn(21, "T", binary="xasv", env={
            **t.xa(1), "NDRX_MINDISPATCHTHREADS": "4",
            "NDRX_MAXDISPATCHTHREADS": "4"})
        t.wait_ready(21)
        clients = [t.xaclient() for _ in range(6)]
        for i, c in enumerate(clients):
            c.ok("begin", 30)
            c.begin("call", "-", "T", f"add:{10 ** i} call:B:add:1")
        equal([c.end().err for c in clients], ["OK"] * 6)
        equal(totals(t), (0, 0))
        for c in clients[1:]:
            c.ok("commit")
        clients[0].ok("abort")
        equal(totals(t), (111110, 5))
