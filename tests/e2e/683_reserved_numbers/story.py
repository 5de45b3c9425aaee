# SPDX-License-Identifier: Apache-2.0
"""The answer to the end of a transaction brings the number of the next one: it
begins without a question, and in doubt as if it had asked."""
import time

from checks import equal
from fixture import Skip, kill, wait_for
from trans import Trans

MAINLY = "shm"
COST = 15

XAER_NOTA = -4
SECONDS = 30
FIRST = 4  # questions of the first two transactions, which ask for their number


def asked(t, srvid=101):
    """What a tmsrv was asked so far."""
    return sum(r.succeeded + r.failed for r in t.rows("psc")
               if r.srvid == srvid)


def settle(t, want, srvid=101):
    """What a thread has answered is counted a moment later."""
    wait_for(lambda: asked(t, srvid) == want,
             f"{want} questions, not {asked(t, srvid)}")


def end(c, *words, n=1, seconds=SECONDS):
    for _ in range(n):
        c.ok("begin", seconds)
        c.ok(*words or ("commit",))


def test_the_third_of_a_row_and_those_that_follow_ask_once():
    with Trans() as t:
        t.tm(1)
        c = t.xaclient()
        end(c, n=2)
        settle(t, FIRST)
        end(c, n=3)
        settle(t, FIRST + 3)
        end(c, "abort", n=3)
        settle(t, FIRST + 6)
        # Now and then one asks, so that another tmsrv may get it.
        equal(c.ok("bench", 200, "-", "x").ret, 0)
        settle(t, FIRST + 6 + 200 + 2)


def test_a_branch_is_reserved_with_it():
    with Trans() as t:
        t.tm(1)
        t.tm(2)
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        for n in range(5):
            c.ok("begin", SECONDS)
            c.ok("add", -1)
            c.ok("call", "-", "B", "add:1")
            c.ok("abort" if n == 3 else "commit")
        equal((t.total(1), t.total(2)), (-4, 4))
        settle(t, FIRST + 3 + 5)  # 5: B joins
        t.settled(1, 2)
        # Each branch has begun once, and none is left.
        equal(len(t.calls(1, "start")), 5)


def test_a_service_with_autotran_begins_without_a_question():
    with Trans() as t:
        t.services('svcnm="A" autotran="Y"')
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.client()
        for _ in range(5):
            equal(c.call("A", "add:1").err, "OK")
        settle(t, FIRST + 3)
        equal(t.total(1), 5)


def test_without_a_resource_manager_it_comes_from_where_the_branches_are():
    with Trans() as t:
        t.tm(1)
        t.tm(2)
        t.sv(12, 2, "B")
        c = t.xaclient()
        late, last = 0, time.monotonic()
        for _ in range(7):
            c.ok("begin", SECONDS)
            c.ok("call", "-", "B", "add:1")
            c.ok("commit")
            late += time.monotonic() - last > 0.9  # on a busy machine
            last = time.monotonic()
        # The first two ask for their number; in each B joins, and it ends. After
        # a second two ask again. If the first began at the other tmsrv, that asks
        # this one to commit the branch.

        def questions():
            other = asked(t, 101)
            return other + asked(t, 102) - (other > 0)
        wait_for(lambda: 16 <= questions() <= 16 + 2 * late, "16 questions")
        equal(t.total(2), 7)


def test_who_waits_or_wants_another_time_out_asks():
    with Trans() as t:
        t.tm(1)
        c = t.xaclient(1)
        end(c, n=3)
        settle(t, FIRST + 1)
        time.sleep(1.1)
        end(c)
        settle(t, FIRST + 3)
        end(c, n=2)  # the first of them begins soon after one that did not
        settle(t, FIRST + 3 + 3)
        end(c, seconds=SECONDS + 1)
        settle(t, FIRST + 3 + 3 + 2)
        # What was not used is given back: no branch is to be rolled back.
        equal(t.calls(1, "rollback"), [])


def test_onlookers_see_it_when_it_has_begun():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient()
        end(c, n=3)
        equal(t.rows("printtrans"), [])
        c.ok("begin", SECONDS)
        c.ok("call", "-", "A", "add:1")
        row, = t.rows("printtrans")
        equal(row.stage, "ACTIVE")
        c.ok("commit")
        equal(t.rows("printtrans"), [])


def test_its_time_runs_from_tpbegin():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient()
        end(c, n=3, seconds=1)
        was = FIRST + 1
        settle(t, was)
        time.sleep(0.7)
        c.ok("begin", 1)
        c.ok("call", "-", "A", "add:1")
        time.sleep(0.6)  # 1.3 after it was given
        c.ok("commit")
        settle(t, was + 2)
        equal(t.total(1), 1)
        # Its tmsrv, which knows it by the call, ends it.
        c.ok("begin", 1)
        c.ok("call", "-", "A", "add:1")
        begun = time.monotonic()
        t.settled(1)
        if time.monotonic() - begun > 1.9:
            raise AssertionError("its time ran from the reservation")
        equal(c.err("commit"), "TPEABORT")
        # A tmsrv that does not know it has begun: the client does.
        end(c, n=2, seconds=1)
        was = asked(t)
        c.ok("begin", 1)
        equal(asked(t), was)
        time.sleep(1.1)
        equal(c.err("commit"), "TPEABORT")
        equal(t.total(1), 1)


def test_one_that_is_never_begun_leaves_nothing():
    with Trans() as t:
        t.tm(1, args=("-t", "1", "-s", "200ms"))
        c = t.xaclient(1)
        end(c, n=3, seconds=0)
        c.kill()
        wait_for(lambda: t.calls(1, "rollback"), "it is dropped")
        equal({r for _, _, r in t.calls(1, "rollback")}, {XAER_NOTA})
        equal(t.rows("printtrans"), [])


def test_one_that_has_begun_unseen_is_rolled_back():
    with Trans() as t:
        t.tm(1, args=("-t", "1", "-s", "200ms"))
        c = t.xaclient(1)
        end(c, n=3, seconds=0)
        was = FIRST + 1
        settle(t, was)
        c.ok("begin", 0)
        c.ok("add", 5)
        equal(asked(t), was)
        wait_for(lambda: t.calls(1, "rollback"), "its time is over")
        equal(c.err("commit"), "TPEABORT")
        t.settled(1)
        equal(t.total(1), 0)
        end(c)


def test_a_context_that_ends_gives_it_back():
    with Trans() as t:
        t.tm(1, args=("-t", "1", "-s", "200ms"))
        c = t.xaclient(1)
        end(c, n=3, seconds=0)
        was = FIRST + 1
        settle(t, was)
        c.ok("term")
        settle(t, was + 1)
        time.sleep(2.3)
        equal(t.calls(1, "rollback"), [])


def test_the_tmsrv_that_gave_it_is_killed():
    with Trans() as t:
        tm = t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(1)
        n, in_time = 0, False
        while not in_time:  # else the number is too old anyway
            end(c, n=2)
            given = time.monotonic()
            end(c)
            kill(tm.pid)
            tm = t.replace(tm, lambda: t.tm(1))
            c.ok("begin", SECONDS)
            in_time = time.monotonic() < given + 0.9
            c.ok("call", "-", "A", "add:1")
            c.ok("commit")
            n += 1
            equal(t.total(1), n)
            if n == 10:
                raise Skip("the machine is too busy")
        t.settled(1)


def test_it_is_killed_after_the_number_was_taken():
    with Trans() as t:
        tm = t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(1)
        end(c, n=3)
        c.ok("begin", SECONDS)
        kill(tm.pid)
        t.replace(tm, lambda: t.tm(1))
        equal(c.err("call", "-", "A", "add:1"), "TPETRAN")
        equal(c.err("commit"), "TPEABORT")
        end(c, n=3)
        equal(t.total(1), 0)
