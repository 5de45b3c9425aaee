# SPDX-License-Identifier: Apache-2.0
"""A resource manager with TMREGISTER joins by itself, with its first work."""
from checks import equal
from trans import Trans

MAINLY = "shm"

TM_OK, TM_JOIN = 0, 2


def _two(t):
    t.env["TESTXA_REGISTERS"] = "1"
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")
    return t.xaclient(1)


def _registered(t, n):
    return [r for _, _, r in t.calls(n, "ax_reg")]


def test_a_branch_begins_with_the_first_work():
    with Trans() as t:
        c = _two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-5")
        c.ok("call", "-", "B", "add:5")
        equal((t.total(1), t.total(2)), (0, 0))
        c.ok("commit")
        t.settled(1, 2)
        equal((t.total(1), t.total(2)), (-5, 5))
        equal((_registered(t, 1), _registered(t, 2)), ([TM_OK], [TM_OK]))
        equal(t.calls(1, "start") + t.calls(2, "start"), [])


def test_work_that_follows_is_of_the_same_branch():
    with Trans() as t:
        c = _two(t)
        c.ok("begin", 20)
        for _ in range(3):
            c.ok("call", "-", "A", "add:1 add:1")
        c.ok("commit")
        equal(t.total(1), 6)
        equal(_registered(t, 1), [TM_OK, TM_JOIN, TM_JOIN])


def test_abort_takes_its_work_back():
    with Trans() as t:
        c = _two(t)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-5")
        c.ok("call", "-", "B", "add:5")
        c.ok("abort")
        t.settled(1, 2)
        equal((t.total(1), t.total(2)), (0, 0))


def test_work_outside_of_a_transaction_is_its_own():
    with Trans() as t:
        c = _two(t)
        c.ok("call", "-", "A", "add:3")
        equal(t.total(1), 3)
        equal(_registered(t, 1), [TM_OK])


def test_without_a_tmsrv_that_could_prepare_it_the_transaction_is_lost():
    with Trans() as t:
        t.env["TESTXA_REGISTERS"] = "1"
        t.tm(1)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:-5")
        c.ok("call", "-", "B", "add:5")
        equal(c.err("commit"), "TPEABORT")
        equal((t.total(1), t.total(2)), (0, 0))
