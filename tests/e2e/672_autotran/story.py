# SPDX-License-Identifier: Apache-2.0
"""A service with autotran has a transaction, whoever calls it."""
import signal

from checks import equal
from covers import covers
from fixture import kill, wait_for
from trans import Trans, totals

MAINLY = "posix"
COST = 7

XA_RBROLLBACK = 100


def two(t, *rows, **kw):
    """Two resource managers, a server of each, a client without one."""
    t.services(*rows or ['svcnm="A" autotran="Y"'])
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A", **kw)
    t.sv(12, 2, "B")
    return t.xaclient()


@covers("autotran")
def test_a_service_that_succeeds_commits():
    with Trans() as t:
        c = two(t)
        equal(c.ok("call", "-", "A", "add:-4 call:B:add:4").urcode, 1)
        equal(totals(t), (-4, 4))
        equal(len(t.calls(2, "prepare")), 1, "both, or none")
        equal(c.ok("call", "-", "B", "x").urcode, 0)  # no autotran
        c.ok("acall", "TPNOREPLY", "A", "add:-1 call:B:add:1")
        wait_for(lambda: totals(t) == (-5, 5), "nobody waits for it")
        wait_for(lambda: t.rows("printtrans") == [], "it has ended")


def test_a_service_that_fails_rolls_back():
    with Trans() as t:
        c = two(t)
        for words, err in (("fail", "TPESVCFAIL"), ("leave", "TPESVCERR"),
                           ("call:B:fail", "TPESVCFAIL"),
                           ("try:B:fail", "TPESVCERR"),
                           ("suspend", "TPESVCERR"),
                           ("forward:NONE:x", "TPESVCERR"),
                           ("suspend forward:B:x", "TPESVCERR")):
            equal((words, c.err("call", "-", "A",
                                f"add:-4 call:B:add:4 {words}")),
                  (words, err))
            t.settled(1, 2)
            equal(totals(t), (0, 0))
        c.ok("call", "-", "A", "add:1 suspend resume")
        equal(t.total(1), 1)


def test_a_commit_that_fails_is_an_error_of_the_service():
    with Trans() as t:
        c = two(t)
        t.order(2, "prepare", f"result {XA_RBROLLBACK}")
        equal(c.err("call", "-", "A", "add:-4 call:B:add:4"), "TPESVCERR")
        t.settled(1)
        equal(totals(t)[0], 0)


def test_a_transaction_of_the_caller_is_used():
    with Trans() as t:
        c = two(t)
        c = t.xaclient(2)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:3")
        equal(t.total(1), 0)
        equal(c.ok("call", "TPNOTRAN", "A", "add:40").urcode, 1)
        equal(t.total(1), 40)
        c.ok("commit")
        equal(t.total(1), 43)


def test_the_service_cannot_end_it():
    with Trans() as t:
        c = two(t)
        for words in ("begin", "commit"):
            equal(c("call", "-", "A", words).urcode, 9)  # TPEPROTO
        t.settled(1)


def test_with_strict_tuxedo_a_context_that_is_asked_for_keeps_its_transaction():
    with Trans() as t:
        two(t)
        c = t.xaclient(2, NDRX_COMPAT="strict-tuxedo")
        for end, total in (("commit", 3), ("abort", 3)):
            c.ok("begin", 20)
            c.ok("getctxt")
            equal(c.ok("getlev").ret, 1)
            c.ok("call", "-", "A", "add:3")
            c.ok(end)
            equal((end, t.total(1)), (end, total))
        c = t.xaclient(2)  # else the context goes off the thread, with it
        c.ok("begin", 20)
        c.ok("getctxt")
        equal(c.ok("getlev").ret, 0)
        equal(c.err("commit"), "TPEPROTO")


def test_with_strict_enduro_the_service_may_end_it():
    with Trans(env={"NDRX_COMPAT": "strict-enduro"}) as t:
        c = two(t)
        equal(c.ok("call", "-", "A", "add:-4 call:B:add:4 commit").urcode, 0)
        equal(totals(t), (-4, 4))
        equal(c.ok("call", "-", "A", "add:-4 call:B:add:4 abort").urcode, 0)
        equal(totals(t), (-4, 4))
        equal(c.ok("call", "-", "A", "add:-1 commit forward:B:x").urcode, 0)
        equal(totals(t), (-5, 4))
        equal(c.ok("call", "-", "A", "add:-1").urcode, 1)  # else as ever
        equal(totals(t), (-6, 4))
        equal(c.err("call", "-", "A", "add:-1 commit begin add:-1"),
              "TPESVCERR", "what it has begun it must end")
        equal(totals(t), (-7, 4))
        equal(c.err("call", "-", "A", "add:-1 call:B:add:1 suspend"),
              "TPESVCERR")
        t.settled(1, 2)
        equal(totals(t), (-7, 4))


def test_who_answers_a_forwarded_request_ends_its_transaction():
    with Trans() as t:
        c = two(t, 'svcnm="A" autotran="Y"', 'svcnm="B" autotran="Y"')
        t.sv(13, 0, "PLAIN")
        c.ok("call", "-", "A", "add:-4 forward:PLAIN:forward:B:add:4")
        equal(totals(t), (-4, 4))
        equal(len(t.calls(2, "prepare")), 1)
        equal(c.err("call", "-", "A", "add:-4 forward:B:add:4,fail"),
              "TPESVCFAIL")
        t.settled(1, 2)
        equal(totals(t), (-4, 4))


def test_with_strict_enduro_who_answers_a_forwarded_request_ends_it_too():
    with Trans(env={"NDRX_COMPAT": "strict-enduro"}) as t:
        c = two(t, 'svcnm="A" autotran="Y"', 'svcnm="B" autotran="Y"')
        t.sv(13, 0, "PLAIN")
        c.ok("call", "-", "A", "add:-4 forward:PLAIN:forward:B:add:4")
        equal(totals(t), (-4, 4))


@covers("trantime")
def test_trantime_is_its_time_out():
    with Trans() as t:
        t.services('svcnm="A" autotran="Y" trantime="3"')
        t.tm(1)
        t.sv(11, 1, "A")
        b = t.sv(12, 1, "B")
        c = t.xaclient()
        kill(b.pid, signal.SIGSTOP)
        c.begin("call", "-", "A", "add:1 call:B:add:1")
        wait_for(lambda: t.rows("printtrans"), "it has begun")
        wait_for(lambda: not t.rows("printtrans"), "it is rolled back")
        kill(b.pid, signal.SIGCONT)
        r = c.end(40)
        equal((r.err, r.urcode), ("TPESVCFAIL", 14))  # B: TPETRAN
        equal(t.total(1), 0)


def test_the_transaction_of_a_killed_server_is_rolled_back():
    with Trans() as t:
        c = two(t, 'svcnm="A" autotran="Y" trantime="2"')
        equal(c.err("call", "-", "A", "add:1 call:B:add:1 die"), "TPESVCERR")
        t.settled(2)
        equal(totals(t), (0, 0))


def test_without_a_tmsrv_the_service_is_not_called():
    with Trans() as t:
        t.services('svcnm="A" autotran="Y"')
        t.sv(11, 1, "A")
        c = t.xaclient()
        equal(c.err("call", "-", "A", "add:1"), "TPETRAN")
        equal(t.total(1), 0)
        t.tm(1)
        c.ok("call", "-", "A", "add:1")
        equal(t.total(1), 1)


def test_each_dispatch_thread_has_its_own():
    with Trans() as t:
        two(t)
        t.spawn(21, "T", binary="xasv", env={
            **t.xa(1), "NDRX_MINDISPATCHTHREADS": "4",
            "NDRX_MAXDISPATCHTHREADS": "4"})
        t.wait_ready(21)
        t.services('svcnm="T" autotran="Y"', command="reload")
        wait_for(lambda: t.xaclient().ok("call", "-", "T", "x").urcode == 1,
                 "the configuration counts")
        clients = [t.xaclient() for _ in range(8)]
        for i, c in enumerate(clients):
            c.begin("call", "-", "T", f"add:{10 ** i} call:B:add:1")
        equal([c.end().err for c in clients], ["OK"] * 8)
        equal(totals(t), (11111111, 8))


def test_a_reload_changes_it_without_a_restart():
    with Trans() as t:
        c = two(t)
        equal(c.ok("call", "-", "A", "x").urcode, 1)
        t.services('svcnm="A"', command="reload")
        wait_for(lambda: c.ok("call", "-", "A", "x").urcode == 0,
                 "no transaction")
