# SPDX-License-Identifier: Apache-2.0
"""What is told about the end of a transaction is true: also to who asks second,
after a restart, and beside a copy of the domain."""
import glob
import json
import os
import shutil
import time

from checks import contains, equal, lacks
from fixture import kill, wait_for
from trans import Trans, transfer, two

COST = 17
XA_HEURCOM = 7


def stages(t):
    return [row["stage"] for row in
            json.loads(t.xadmin("printtrans", "--json").stdout)]


def lose_prepared(t, n):
    """As ROLLBACK PREPARED by hand."""
    for name in t.branches(n, "p"):
        os.remove(os.path.join(t.rm(n), name))


def again(t, p, n, kills=False):
    if kills:
        kill(p.pid)
        p.wait(20)
    else:
        t.stop_server(p)
    t.procs.pop(p.pid, None)
    return t.tm(n)


def coordinator(t):
    """The tmsrv of resource manager 1, at which the client begins."""
    return [p for p in t.procs.values() if "101" in p.args][0]


def forget(t):
    row = json.loads(t.xadmin("printtrans", "--json").stdout)[0]
    t.xadmin("forgetlocal", "-s", row["tm"], "-x", row["xid"], "-y")


def test_a_branch_that_no_commit_has_reached_is_not_taken_for_done():
    with Trans() as t:
        t.tm(1)
        tm2 = t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        transfer(c, 10)
        t.order(1, "prepare", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "prepare") and t.branches(2, "p"),
                 "B has voted")
        t.stop_server(tm2)
        t.procs.pop(tm2.pid, None)
        t.release(1, "prepare")
        c.end()
        equal(len(t.branches(2, "p")), 1)
        lose_prepared(t, 2)
        t.tm(2)
        wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")
        # It is kept over a restart, until an operator has it forgotten.
        again(t, coordinator(t), 1, kills=True)
        wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")
        forget(t)
        equal(stages(t), [])


def test_a_repeated_commit_of_what_was_committed_is_done():
    with Trans() as t:
        c = two(t)
        transfer(c, 10)
        t.order(2, "commit", "result -7")  # XAER_RMFAIL, then it is there
        c.ok("commit")
        t.decided(1, 2)
        wait_for(lambda: stages(t) == [], "it has ended")
        equal((t.total(1), t.total(2)), (-10, 10))


def test_a_commit_that_was_not_sent_over_a_dead_connection_has_done_nothing():
    with Trans() as t:
        c = two(t)
        transfer(c, 10)
        t.order(1, "prepare", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "prepare") and t.branches(2, "p"),
                 "B has voted")
        lose_prepared(t, 2)
        t.order(2, "commit", "unsent")  # then it is there again
        t.release(1, "prepare")
        equal(c.end().err, "TPEHAZARD")
        wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")


def test_a_lost_one_phase_commit_is_kept():
    with Trans() as t:
        tm1 = t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(1)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:5")
        t.order(1, "commit", "result -7 always")  # XAER_RMFAIL
        equal(c.err("commit"), "TPEHAZARD")
        wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")
        for kills in (True, False):
            tm1 = again(t, tm1, 1, kills)
            wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")
        forget(t)
        again(t, tm1, 1, kills=True)
        equal(stages(t), [])


def late(t, pause):
    """A service gets its branch, the transaction is rolled back, and the
    service begins its branch after `pause`."""
    t.tm(1)
    t.sv(11, 1, "A")
    c = t.xaclient(0)
    c.ok("begin", 20)
    t.order(1, "start", "hold")
    c.ok("acall", "-", "A", "add:5")
    wait_for(lambda: t.held(1, "start"), "it has its branch")
    c.ok("abort")
    time.sleep(pause)
    t.release(1, "start")
    wait_for(lambda: t.calls(1, "start"), "it has begun")
    return c


def test_a_branch_that_begins_after_its_rollback_is_rolled_back():
    for pause in (0, 1.5):
        with Trans() as t:
            c = late(t, pause)
            t.settled(1, seconds=5)
            equal(t.total(1), 0)
            wait_for(lambda: stages(t) == [], "it has ended")
            c.ok("begin", 20)
            c.ok("call", "-", "A", "add:7")
            c.ok("commit")
            equal(t.total(1), 7)


def test_a_branch_that_somebody_works_in_is_rolled_back_when_he_leaves():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        c = t.xaclient(0)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:5")
        t.order(1, "rollback", "result -6 always")  # XAER_PROTO
        c.ok("abort")
        wait_for(lambda: len(t.calls(1, "rollback")) > 11, "it goes on", 30)
        t.countermand(1, "rollback")
        t.settled(1, seconds=5)


def test_a_new_log_gives_other_numbers_than_the_one_before():
    with Trans() as t:
        tm1 = t.tm(1)
        t.sv(11, 1, "A")
        numbers = set()
        for _ in range(2):
            c = t.xaclient(0)
            c.ok("begin", 20)
            numbers.add(json.loads(
                t.xadmin("printtrans", "--json").stdout)[0]["xid"][-16:])
            c.ok("abort")
            t.stop_server(tm1)
            t.procs.pop(tm1.pid, None)
            for name in glob.glob(f"{t.home}/**/TRN-*-1-101.log*",
                                  recursive=True):
                os.remove(name)
            tm1 = t.tm(1)
        equal(len(numbers), 2)


def test_a_hazard_outlives_its_tmsrv():
    with Trans() as t:
        tm1 = t.tm(1)
        t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        transfer(c, 10)
        t.order(1, "commit", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "commit"), "it is to be committed")
        lose_prepared(t, 1)
        t.release(1, "commit")
        equal(c.end().err, "TPEHAZARD")
        for kills in (True, False):
            tm1 = again(t, tm1, 1, kills)
            wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")
        forget(t)
        equal(stages(t), [])
        again(t, tm1, 1, kills=True)
        equal(stages(t), [])


def test_a_rollback_that_was_a_commit_outlives_its_tmsrv():
    with Trans() as t:
        tm1 = t.tm(1)
        t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        transfer(c, 10)
        t.order(1, "rollback", f"result {XA_HEURCOM}")
        equal(c.err("abort"), "TPEHEURISTIC")
        for kills in (True, False):
            tm1 = again(t, tm1, 1, kills)
            wait_for(lambda: stages(t) == ["HEURISTIC"], "it is kept")
        forget(t)
        again(t, tm1, 1, kills=True)
        equal(stages(t), [])


def held_twice(t):
    """A transaction on two contexts, each of which may end it. They work in no
    resource manager: who does so keeps the other from preparing."""
    c, d, e = two(t), t.xaclient(0), t.xaclient(0)
    transfer(c, 10)
    ref = c.ok("suspend", 0).data
    d.ok("resume", ref)
    e.ok("resume", ref)
    return d, e


def test_who_commits_second_is_not_told_rolled_back():
    for second in ("commit", "abort"):
        with Trans() as t:
            d, e = held_twice(t)
            d.ok("commit")
            equal(e.err(second), "TPEPROTO")
            equal(e("getlev").ret, 0)
            equal((t.total(1), t.total(2)), (-10, 10))


def test_who_commits_amid_another_commit_is_not_told_rolled_back():
    with Trans() as t:
        d, e = held_twice(t)
        t.order(1, "commit", "hold")
        d.begin("commit")
        wait_for(lambda: t.held(1, "commit"), "it is to be committed")
        equal(e.err("commit"), "TPEPROTO")
        t.release(1, "commit")
        equal(d.end().err, "OK")


def test_who_asks_after_the_end_of_the_coordinator_is_not_told_rolled_back():
    for second in ("commit", "abort"):
        with Trans() as t:
            d, e = held_twice(t)
            d.ok("commit")
            t.stop_server(coordinator(t))
            equal(e.err(second), "TPESVCERR")
            equal((t.total(1), t.total(2)), (-10, 10))


def test_who_commits_after_an_abort_is_told_so():
    with Trans() as t:
        d, e = held_twice(t)
        d.ok("abort")
        equal(e.err("commit"), "TPEABORT")
        equal((t.total(1), t.total(2)), (0, 0))


def test_after_a_restart_nobody_knows_what_another_context_did():
    with Trans() as t:
        d, e = held_twice(t)
        d.ok("commit")
        again(t, coordinator(t), 1)
        equal(e.err("commit"), "TPEHAZARD")


def ended(t):
    """Wait until the log says that all transactions have ended."""
    t.settled(1, 2)
    wait_for(lambda: not t.rows("printtrans"), "no transaction is open", 10)


def copied(t, u):
    """The folder of the log of `t`, at another domain."""
    src = os.path.dirname(glob.glob(f"{t.home}/**/TRN-*-1-101.log",
                                    recursive=True)[0])
    dst = os.path.join(u.home, "copy")
    shutil.copytree(src, dst)
    return dst


def logs_of(u):
    text = ""
    for name in glob.glob(f"{u.logs}/*"):
        with open(name, encoding="utf-8", errors="replace") as f:
            text += f.read()
    return text


def test_a_copy_leaves_the_transactions_of_the_original_alone():
    with Trans() as t, Trans() as u:
        c = two(t)
        transfer(c, 10)
        c.ok("commit")
        ended(t)
        dst = copied(t, u)
        u.server(101, "-s", "100ms", "-l", dst, binary="tmsrv", env=t.xa(1))
        contains(logs_of(u), "was made elsewhere")
        equal(len(glob.glob(f"{dst}/*-1-101.log.copied")), 1)
        equal(len(glob.glob(f"{dst}/*-1-101.log.copied.mark")), 1)
        for _ in range(3):
            transfer(c, 10)
            t.order(2, "prepare", "sleep 1500")
            c.ok("commit")
        t.settled(1, 2)
        equal((t.total(1), t.total(2)), (-40, 40))
        # It does not ask itself for what it does not know.
        equal(sum(r.succeeded + r.failed for r in u.rows("psc")), 0)
        # What its own coordinator has left is none of the original's.
        again(u, next(iter(u.procs.values())), 1)
        transfer(c, 10)
        c.ok("commit")


def test_a_copy_that_was_left_half_is_left_by_the_next_start():
    with Trans() as t, Trans() as u:
        c = two(t)
        transfer(c, 10)
        c.ok("commit")
        ended(t)
        dst = copied(t, u)
        log = glob.glob(f"{dst}/TRN-*-1-101.log")[0]
        os.rename(log, log + ".copied")  # killed before its watermark went
        u.server(101, "-l", dst, binary="tmsrv", env=t.xa(1))
        equal(len(glob.glob(f"{dst}/*-1-101.log.copied.mark")), 1)
        transfer(c, 10)
        c.ok("commit")


def test_a_copy_with_open_decisions_is_refused_until_it_is_said_to_have_moved():
    with Trans() as t, Trans() as u:
        c = two(t)
        transfer(c, 10)
        t.order(2, "commit", "result -7 always")
        c.ok("commit")
        dst = copied(t, u)
        p = u.spawn(101, "-l", dst, binary="tmsrv", env=t.xa(1))
        equal(p.wait(20) != 0, True)
        contains(logs_of(u), "have not ended")
        u.procs.pop(p.pid, None)
        for name in glob.glob(f"{dst}/*.place"):
            os.remove(name)
        u.server(101, "-l", dst, binary="tmsrv", env=t.xa(1))
        equal(len(glob.glob(f"{dst}/TRN-*-1-101.log.place")), 1)
        t.countermand(2, "commit")
        t.decided(1, 2)
        equal((t.total(1), t.total(2)), (-10, 10))


def test_a_log_whose_folder_was_renamed_is_no_copy():
    with Trans() as t:
        tm1 = t.server(101, "-l", f"{t.home}/a/b/c", binary="tmsrv",
                       env=t.xa(1))
        t.tm(2)
        t.stop_server(tm1)
        t.procs.pop(tm1.pid, None)
        os.rename(f"{t.home}/a/b/c", f"{t.home}/a/moved")
        t.server(101, "-l", f"{t.home}/a/moved", binary="tmsrv", env=t.xa(1))
        equal(glob.glob(f"{t.home}/a/moved/*.copied"), [])


def test_who_joins_says_which_log_has_given_the_number():
    with Trans(env={"NDRX_DEBUG_STR": "ndrx=4 ubf=0 tp=0"}) as t:
        c = two(t)
        t.sv(13, 0, "VIA")  # without a resource manager: it passes it on
        for words in (("A", "add:1"), ("VIA", "call:B:add:1"),
                      ("VIA", "forward:A:add:1")):
            c.ok("begin", 20)
            c.ok("call", "-", *words)
            c.ok("commit")
        for name in glob.glob(f"{t.logs}/tmsrv*"):
            with open(name, encoding="utf-8") as log:
                lacks(log.read(), "does not say which log")


def test_who_resumes_after_the_end_of_its_tmsrv_is_told_that_it_has_gone():
    with Trans() as t:
        p = t.tm(1)
        c = t.xaclient()
        c.ok("begin", 20)
        held = c.ok("suspend").data
        t.stop_server(p)
        equal(c.err("resume", held), "TPEMATCH")
