# SPDX-License-Identifier: Apache-2.0
"""A transaction commits when all of its work is known to be done: a call whose
reply nobody has, a forwarded request that nobody takes, a mark of another
context roll it back."""
import signal
import time

from checks import equal
from fixture import kill, wait_for
from trans import Trans, totals

COST = 16


def three(t):
    """Services A and B, A2 and B2 of the same resource managers; a client
    without one, and one that keeps B busy."""
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")
    return t.xaclient(0), t.xaclient(0)


def begin_held(t, c, o):
    """A transaction that has worked in A; B is busy with another's request."""
    o.begin("call", "TPNOTRAN", "B", "sleep:1500")
    wait_for(lambda: t.row("psc", service="B").status == "BUSY", "B is busy")
    c.ok("begin", 20)
    c.ok("call", "-", "A", "add:-100")


def rolled_back(t, c):
    """A branch that a service begins meanwhile is left to its resource
    manager."""
    equal(c.err("commit"), "TPEABORT")
    t.decided(1, 2)
    equal(totals(t), (0, 0))


def test_a_commit_does_not_go_before_replies_that_are_out():
    with Trans() as t:
        c, o = three(t)
        begin_held(t, c, o)
        cd = c.ok("acall", "-", "B", "add:100").ret
        rolled_back(t, c)
        equal(c.err("getrply", cd), "TPEBADDESC")
        o.end()
        # The work is done, but nobody has fetched the reply.
        c.ok("begin", 20)
        c.ok("acall", "-", "B", "add:100")
        wait_for(lambda: t.calls(2, "end"), "the service has ended")
        rolled_back(t, c)


def test_fetched_replies_and_calls_outside_hold_up_nothing():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 20)
        a = c.ok("acall", "-", "A", "add:-1").ret
        out = c.ok("acall", "TPNOTRAN", "B", "add:7").ret
        b = c.ok("acall", "-", "B", "add:1").ret
        c.ok("getrply", b)
        c.ok("getrply", a)
        c.ok("commit")
        c.ok("getrply", out)
        equal(totals(t), (-1, 8))


def test_a_commit_that_cannot_be_asked_for_is_told_rolled_back():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 3)
        c.ok("call", "-", "A", "add:-1")
        c.ok("call", "-", "B", "add:1")
        for _ in range(16383):  # all descriptors
            c.ok("acall", "TPNOTRAN", "A", "x")
        equal(c.err("commit"), "TPEABORT")
        c.ok("term")
        t.settled(1, 2)
        equal(totals(t), (0, 0))


def test_an_abort_drops_the_calls_of_the_transaction():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 20)
        a = c.ok("acall", "-", "A", "add:-1").ret
        out = c.ok("acall", "TPNOTRAN", "B", "add:7").ret
        c.ok("abort")
        equal(c.err("getrply", a), "TPEBADDESC")
        c.ok("getrply", out)


def test_a_call_of_the_transaction_cannot_be_cancelled():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 20)
        out = c.ok("acall", "TPNOTRAN", "B", "add:7").ret
        c.ok("cancel", out)
        cd = c.ok("acall", "-", "A", "add:1").ret
        equal(c.err("cancel", cd), "TPETRAN")
        c.ok("getrply", cd)
        c.ok("commit")
        equal(t.total(1), 1)


def interrupt(t, c, *words):
    """A call that a signal ends."""
    c.begin("call", *words)
    time.sleep(0.3)
    kill(c.pid, signal.SIGUSR1)
    equal(c.end().err, "TPGOTSIG")


def test_an_interrupted_call_is_under_way():
    with Trans() as t:
        c, _ = three(t)
        c.ok("signals")
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-1")
        interrupt(t, c, "-", "B", "sleep:1000 add:1")
        rolled_back(t, c)
        c.ok("begin", 20)
        interrupt(t, c, "-", "B", "sleep:1000 add:1")
        c.ok("getrply", 0, "TPGETANY")
        c.ok("commit")
        equal(t.total(2), 1)
        c.ok("begin", 20)
        interrupt(t, c, "TPNOTRAN", "B", "sleep:1000 add:1")
        c.ok("call", "-", "A", "add:1")
        c.ok("commit")
        equal(t.total(1), 1)


def test_interrupted_calls_that_are_forgotten_doom_it():
    with Trans() as t:
        c, _ = three(t)
        c.ok("signals")
        c.ok("begin", 20)
        c.ok("tout", 1)
        interrupt(t, c, "-", "B", "sleep:2500 add:1")
        time.sleep(1.2)
        c.ok("tout", 20)
        c.ok("call", "-", "A", "add:1")  # it is looked at here
        rolled_back(t, c)


def test_a_service_that_leaves_a_call_open_fails():
    with Trans() as t:
        c, o = three(t)
        t.sv(13, 1, "A2")
        for flags in ("-", "TPNOABORT"):
            c.ok("begin", 20)
            equal(c.err("call", flags, "A2", "add:-100 acall:B:add:100"),
                  "TPESVCERR")
            rolled_back(t, c)
            c.ok("begin", 20)
            equal(c.err("call", flags, "A2", "acall:B:add:100 forward:A:x"),
                  "TPESVCERR")
            rolled_back(t, c)
            c.ok("begin", 20)
            equal(c.err("call", flags, "A2", "acall:B:add:100 leave"),
                  "TPESVCERR")
            rolled_back(t, c)
        c.ok("begin", 20)
        c.ok("call", "-", "A2", "add:-3 noacall:B:x")
        c.ok("commit")
        equal(t.total(1), -3)


def test_a_request_handed_on_with_a_call_open_fails():
    with Trans() as t:
        c, o = three(t)
        t.sv(13, 1, "A2")
        c.ok("begin", 20)
        equal(c.err("call", "-", "A2", "acall:B:add:100 thread add:1"),
              "TPESVCERR")
        rolled_back(t, c)
        c.ok("begin", 20)
        equal(c.err("call", "-", "A2", "thread add:1 acall:B:add:100"),
              "TPESVCERR")
        rolled_back(t, c)


def test_a_service_with_autotran_that_leaves_a_call_open_fails():
    with Trans() as t:
        t.services('svcnm="A2" autotran="Y"')
        c, o = three(t)
        t.sv(13, 1, "A2")
        equal(c.err("call", "-", "A2", "add:-100 acall:B:add:100"),
              "TPESVCERR")
        t.decided(1, 2)
        equal(totals(t), (0, 0))
        c.ok("call", "-", "A2", "add:-1 call:B:add:1")
        equal(totals(t), (-1, 1))


def test_an_open_conversation_is_under_way():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 20)
        cd = c.ok("connect", "-", "B", "add:1").ret
        wait_for(lambda: t.calls(2, "end"), "the service has ended")
        rolled_back(t, c)
        equal(c.err("recv", cd), "TPEINVAL")
        c.ok("begin", 20)
        cd = c.ok("connect", "-", "B", "add:1").ret
        equal(c("recv", cd).data, "SVCSUCC")
        c.ok("commit")
        equal(t.total(2), 1)


def test_tpdiscon_cuts_off_work():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 20)
        cd = c.ok("connect", "-", "B", "add:1 sleep:500 add:1").ret
        c.ok("discon", cd)
        rolled_back(t, c)


def _forwarded(t, c, o, leave):
    """A request that A has forwarded waits for Y, which leaves."""
    y = t.sv(14, 2, "Y")
    o.begin("call", "TPNOTRAN", "Y", "sleep:1500")
    wait_for(lambda: t.row("psc", service="Y").status == "BUSY", "Y is busy")
    c.ok("begin", 20)
    c.begin("call", "-", "A", "add:-100 forward:Y:add:100")
    wait_for(lambda: t.calls(1, "end"), "A has forwarded")
    leave(y)
    r = c.end(40)
    o.end()
    t.procs.pop(y.pid, None)
    y.wait(20)
    return r


def test_a_forwarded_request_that_nobody_takes_is_no_tpenoent():
    with Trans() as t:
        c, o = three(t)
        r = _forwarded(t, c, o, lambda y: kill(y.pid, signal.SIGTERM))
        if r.err == "OK":  # it was served before the server left
            c.ok("commit")
            equal(totals(t), (-100, 100))
        else:
            equal(r.err, "TPESVCERR")
            rolled_back(t, c)


def test_forwarding_to_nowhere_fails():
    with Trans() as t:
        c, _ = three(t)
        c.ok("begin", 20)
        equal(c.err("call", "-", "A", "add:-100 forward:NONE:x"), "TPESVCERR")
        rolled_back(t, c)
        # What was never queued dooms nothing.
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-3")
        equal(c.err("call", "-", "NONE", "x"), "TPENOENT")
        c.ok("commit")
        equal(t.total(1), -3)


def test_the_mark_of_one_context_holds_for_all():
    with Trans() as t:
        c, o = three(t)
        e = t.xaclient(0, NDRX_TOUT="1")
        begin_held(t, c, o)
        ref = c.ok("suspend", 0).data
        e.ok("resume", ref)
        equal(e.err("call", "-", "B", "add:100", seconds=60), "TPETIME")
        c.ok("resume", ref)
        rolled_back(t, c)
        o.end()
