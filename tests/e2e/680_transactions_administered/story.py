# SPDX-License-Identifier: Apache-2.0
"""Operators see transactions that have not ended, and end them."""
import signal

from checks import contains, equal
from covers import covers
from fixture import kill, wait_for
from trans import Trans, transfer, two

MAINLY = "posix"

XAER_RMFAIL, XA_HEURHAZ = -7, 8


def _only(t):
    rows = t.rows("printtrans")
    equal(len(rows), 1)
    return rows[0]


@covers("xadmin printtrans", "xadmin aborttrans")
def test_an_operator_rolls_back_what_is_not_decided():
    with Trans() as t:
        c = two(t)
        equal(t.rows("printtrans"), [])
        transfer(c, 1)
        row = _only(t)
        equal((row.stage, row.tm, row.srvid, row.rollback_only,
               [(b["rmid"], b["status"]) for b in row.branches]),
              ("ACTIVE", "@TM-1-1-101", 101, False,
               [(1, "active"), (2, "active")]))
        text = t.xadmin("pt").stdout
        assert f"xid=[{row.xid}]" in text, text
        assert f"(TM ref: -t@TM-1-1-101 -x{row.xid})" in text, text
        assert "grpno: 2, btid: 2 status: a-active" in text, text
        equal(t.xadmin("commit", "-t", row.tm, "-x", row.xid, "-y",
                       ok=False).returncode, 1)
        t.xadmin("aborttrans", "-t", row.tm, "-x", row.xid, "-y")
        t.settled(2)
        equal(c.err("commit"), "TPEABORT")
        equal((t.total(1), t.total(2)), (0, 0))
        equal(t.rows("printtrans"), [])
        equal(t.xadmin("aborttrans", "-t", row.tm, "-x", row.xid, "-y",
                       ok=False).returncode, 1)
        equal(t.xadmin("aborttrans", "-t", row.tm,
                       ok=False).returncode, 2)


@covers("xadmin committrans")
def test_a_decided_transaction_is_shown_until_all_have_confirmed():
    with Trans() as t:
        c = two(t)
        transfer(c, 1)
        row = _only(t)
        equal(t.xadmin("committrans", "-t", row.tm, "-x", row.xid, "-y",
                       ok=False).returncode, 1, "nothing is decided")
        t.order(2, "commit", f"result {XAER_RMFAIL} always")
        c.ok("commit")
        row = _only(t)
        equal((row.stage, [b["status"] for b in row.branches]),
              ("COMMITTING", ["committed", "prepared"]))
        equal(t.xadmin("aborttrans", "-t", row.tm, "-x", row.xid, "-y",
                       ok=False).returncode, 1)
        t.xadmin("committrans", "-t", row.tm, "-x", row.xid, "-y")
        t.countermand(2, "commit")
        t.settled(1, 2)
        wait_for(lambda: t.rows("printtrans") == [], "it has ended")
        equal((t.total(1), t.total(2)), (-1, 1))


@covers("xadmin recoverlocal", "xadmin commitlocal", "xadmin abortlocal")
def test_prepared_branches_are_listed_and_ended_by_hand():
    with Trans() as t:
        c = two(t)
        tm = next(p for p in t.procs.values() if "101" in p.args)
        for word in ("commitlocal", "abortlocal"):
            transfer(c, 1)
            t.order(2, "commit", f"result {XAER_RMFAIL} always")
            c.ok("commit")
            kill(tm.pid, signal.SIGSTOP)  # which would repeat it
            rows = t.rows("recoverlocal", "-s", "@TM-1-2-102")
            equal([(r.tm, r.ours) for r in rows], [("@TM-1-2-102", True)])
            assert rows[0].xid in t.xadmin(
                "recoverlocal", "-s", "@TM-1-2-102", "--wide").stdout
            wait_for(lambda: t.branches(2, "p"), "a branch is prepared")
            t.countermand(2, "commit")
            t.xadmin(word, "-s", "@TM-1-2-102", "-x", rows[0].xid, "-y")
            equal((t.branches(2, "p"), t.total(2)), ([], 1))
            kill(tm.pid, signal.SIGCONT)
            wait_for(lambda: t.rows("printtrans") == [], "it has ended")
        equal(t.xadmin("commitlocal", "-s", "@TM-1-2-102", "-x", "0" * 48,
                       "-y", ok=False).returncode, 1)


def test_orders_for_what_does_not_exist_say_so():
    with Trans() as t:
        t.tm(1)
        tm = ("-t", "@TM-1-1-101")
        for words, status, text in (
                (("aborttrans", *tm, "-x", "1"), 2, "give 32 digits"),
                (("committrans", *tm, "-x", "z" * 32), 2,
                 "give 32 digits"),
                (("aborttrans", *tm, "-x", "0" * 32), 1,
                 "no such transaction"),
                (("aborttrans", "-t", "NOPE", "-x", "0" * 32), 1,
                 "no tmsrv offers NOPE"),
                (("abortlocal", "-s", "@TM-1-1-101", "-x", "0" * 32), 2,
                 "give 48 digits"),
                (("commitlocal", "-s", "NOPE", "-x", "0" * 48), 1,
                 "no tmsrv offers NOPE")):
            done = t.xadmin(*words, "-y", ok=False)
            equal((words, done.returncode), (words, status))
            contains(done.stderr, text)


@covers("xadmin forgetlocal")
def test_a_heuristic_outcome_is_kept_until_it_is_forgotten():
    with Trans() as t:
        c = two(t)
        transfer(c, 1)
        t.order(1, "commit", f"lie {XA_HEURHAZ}")
        equal(c.err("commit"), "TPEHAZARD")
        row = _only(t)
        equal(row.stage, "HEURISTIC")
        t.xadmin("forgetlocal", "-s", row.tm, "-x", row.xid, "-y")
        equal(t.rows("printtrans"), [])
        equal(len(t.calls(1, "forget")), 1)
