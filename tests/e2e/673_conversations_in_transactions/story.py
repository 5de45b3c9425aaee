# SPDX-License-Identifier: Apache-2.0
"""A conversation takes part in the transaction of who has begun it."""
import signal

from checks import equal
from fixture import kill, wait_for
from trans import Trans, totals, two

MAINLY = "shm"
COST = 2


def converse(c, words, flags="-"):
    return c.ok("connect", flags, "B", words).ret


def event(c, cd):
    r = c("recv", cd)
    equal(r.err, "TPEEVENT")
    return r.data


def test_the_work_of_a_conversation_is_committed_with_the_rest():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("add", -7)
        cd = converse(c, "add:5 hand")
        equal(event(c, cd), "SENDONLY")
        c.ok("send", cd, "add:2")
        equal(event(c, cd), "SVCSUCC")
        equal(c("getlev").ret, 1)
        equal(totals(t), (0, 0))
        c.ok("commit")
        equal(totals(t), (-7, 7))


def test_a_service_converses_in_the_transaction_of_its_request():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-3 converse:B:add:3")
        c.ok("commit")
        equal(totals(t), (-3, 3))


def test_an_event_of_failure_dooms_the_transaction():
    with Trans() as t:
        c = two(t)
        for words, what in (("add:1 fail", "SVCFAIL"),
                            ("add:1 leave", "SVCERR"),
                            ("add:1 die", "SVCERR")):
            c.ok("begin", 20)
            c.ok("add", 1)
            equal((words, event(c, converse(c, words))), (words, what))
            equal(c.err("commit"), "TPEABORT")
            t.settled(1)
            equal(totals(t), (0, 0))


def test_what_is_not_fetched_counts_as_well():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        converse(c, "add:1 fail")
        wait_for(lambda: t.calls(2, "end"), "the service ends")
        equal(c.err("commit"), "TPEABORT")
        equal(totals(t), (0, 0))


def test_tpnotran_keeps_a_conversation_outside():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("add", 1)
        equal(event(c, converse(c, "add:40", "TPNOTRAN")), "SVCSUCC")
        equal(t.total(2), 40)
        equal(event(c, converse(c, "fail", "TPNOTRAN")), "SVCFAIL")
        c.ok("commit")
        equal(totals(t), (1, 40))


def test_tpdiscon_does_not_end_the_transaction_of_who_calls_it():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        c.ok("add", 1)
        cd = converse(c, "add:1 hand")
        equal(event(c, cd), "SENDONLY")
        c.ok("discon", cd)
        equal(c("getlev").ret, 1)
        # The service sees it, and fails: its part cannot be committed.
        wait_for(lambda: t.calls(2, "end"), "the service ends")
        equal(c.err("commit"), "TPEABORT")
        t.settled(1, 2)
        equal(totals(t), (0, 0))


def test_a_service_that_leaves_a_conversation_open_fails():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        equal(c.err("call", "-", "A", "add:1 connect:B:add:1,hand"),
              "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        t.settled(1, 2)
        equal(totals(t), (0, 0))


def test_the_death_of_who_has_begun_it_rolls_back():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        cd = converse(c, "add:1 hand")
        equal(event(c, cd), "SENDONLY")
        kill(c.pid, signal.SIGKILL)
        wait_for(lambda: t.calls(2, "end"), "the service ends")
        t.xadmin("aborttrans", "-t", t.rows("printtrans")[0].tm, "-x",
                 t.rows("printtrans")[0].xid, "-y")
        t.settled(2)
        equal(totals(t), (0, 0))


def test_a_transaction_with_an_open_conversation_is_not_suspended():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        cd = converse(c, "hand")
        equal(event(c, cd), "SENDONLY")
        equal(c.err("suspend"), "TPEPROTO")
        c.ok("send", cd, "add:1")
        equal(event(c, cd), "SVCSUCC")
        held = c.ok("suspend").data
        c.ok("resume", held)
        c.ok("commit")
        equal(t.total(2), 1)


def test_tpconnect_fails_when_the_transaction_cannot_be_joined():
    with Trans() as t:
        c = two(t)
        c.ok("begin", 20)
        equal(c.err("connect", "-", "NONE", "x"), "TPENOENT")
        t.order(2, "start", "result -3")  # XAER_RMERR
        equal(c.err("connect", "-", "B", "add:1"), "TPETRAN")
        equal(c.err("commit"), "TPEABORT")


def test_a_service_with_autotran_converses_in_a_transaction():
    with Trans() as t:
        t.services('svcnm="B" autotran="Y"')
        c = two(t)
        equal(event(c, converse(c, "add:1 call:A:add:2")), "SVCSUCC")
        equal(totals(t), (2, 1))
        equal(event(c, converse(c, "add:1 call:A:add:2 fail")), "SVCFAIL")
        t.settled(1, 2)
        equal(totals(t), (2, 1))
