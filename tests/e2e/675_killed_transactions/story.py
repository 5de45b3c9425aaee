# SPDX-License-Identifier: Apache-2.0
"""Whoever is killed: no transaction ends by halves, nobody is told a wrong
outcome."""
import random
import threading

from checks import equal
from fixture import kill, wait_for
from trans import Trans, transfer

COST = 11


def two(t):
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")
    return t.xaclient(1)


def _kill_coordinator(op, order, want):
    """The tmsrv of the transaction is killed in xa_OP of its branch; `want`:
    what must have become of it, None: either."""
    with Trans() as t:
        tm = t.tm(1)
        t.tm(2)
        c = two(t)
        transfer(c, 1)
        t.order(1, op, order)
        told = t.through_death(c, ["commit"], tm, lambda: t.tm(1)).err
        t.decided(1, 2)
        equal(t.total(1) + t.total(2), 0)
        done = t.total(2) == 1
        if want is not None:
            equal(done, want)
        # Its outcome is not known to the client, who is not told one.
        equal(told, "TPESVCERR")
        transfer(c, 1)
        c.ok("commit")
        equal(t.total(2), 2 if done else 1)


def test_killed_before_it_prepares():
    _kill_coordinator("prepare", "kill", False)


def test_killed_after_it_has_prepared():
    _kill_coordinator("prepare", "killafter", False)


def test_killed_after_the_decision_before_it_commits():
    _kill_coordinator("commit", "kill", True)


def test_killed_after_it_has_committed_one_branch():
    _kill_coordinator("commit", "killafter", True)


def test_killed_when_it_rolls_back():
    with Trans() as t:
        tm = t.tm(1)
        t.tm(2)
        c = two(t)
        transfer(c, 1)
        t.order(2, "prepare", "result 100")
        t.order(1, "rollback", "kill")
        equal(t.through_death(c, ["commit"], tm, lambda: t.tm(1)).err,
              "TPESVCERR")
        t.decided(1, 2)  # one was prepared: an orphan
        equal((t.total(1), t.total(2)), (0, 0))


def test_the_tmsrv_of_another_branch_is_killed():
    for op, order, err in (("prepare", "kill", "TPEABORT"),
                           ("prepare", "killafter", "TPEABORT"),
                           ("commit", "kill", "OK"),
                           ("commit", "killafter", "OK")):
        with Trans() as t:
            t.tm(1)
            tm = t.tm(2)
            c = two(t)
            transfer(c, 1)
            t.order(2, op, order)
            equal((op, t.through_death(c, ["commit"], tm,
                                       lambda: t.tm(2)).err), (op, err))
            t.decided(1, 2)
            done = int(err == "OK")
            equal((t.total(1), t.total(2)), (-done, done))


def test_a_server_killed_in_its_branch_dooms_the_transaction():
    with Trans() as t:
        t.tm(1)
        t.tm(2)
        p = t.sv(13, 2, "C")
        c = two(t)
        transfer(c, 1)
        equal(t.through_death(c, ["call", "-", "C", "add:9 die"], p,
                              lambda: t.sv(13, 2, "C")).err, "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        equal((t.total(1), t.total(2)), (0, 0))


def test_a_killed_client_leaves_nothing():
    with Trans() as t:
        t.tm(1, args=("-t", "3", "-s", "200ms"))
        t.tm(2)
        c = two(t)
        c.ok("begin", 0)
        c.ok("call", "-", "A", "add:-1")
        c.ok("call", "-", "B", "add:1")
        c.kill()
        t.settled(1, 2)
        equal((t.total(1), t.total(2)), (0, 0))


def test_a_transaction_of_a_killed_tmsrv_is_rolled_back():
    with Trans() as t:
        tm = t.tm(1)
        t.tm(2)
        c = two(t)
        transfer(c, 1)
        kill(tm.pid)
        new = t.replace(tm, lambda: t.tm(1))
        equal(c.err("call", "-", "A", "add:1"), "TPETRAN")
        equal(c.err("commit"), "TPEABORT")
        c.ok("begin", 20)
        held = c.ok("suspend").data
        kill(new.pid)
        t.replace(new, lambda: t.tm(1))
        equal(c.err("resume", held), "TPEMATCH")


def _entry(t, name, srvid, n, appopt):
    envs = "".join(f'<env name="{k}">{v}</env>' for k, v in t.xa(n).items())
    return {"name": name, "srvid": srvid, "appopt": appopt,
            "xml": f"<envs>{envs}</envs>"}


def test_ndrxd_restarts_a_tmsrv_that_ends_what_was_in_doubt():
    with Trans() as t:
        t.boot(_entry(t, "tmsrv", 101, 1, "-s 200ms"),
               _entry(t, "tmsrv", 102, 2, "-s 200ms"),
               _entry(t, "xasv", 11, 1, "A"), _entry(t, "xasv", 12, 2, "B"))
        c = t.xaclient(1)
        done = 0
        for op, order, commits in (("prepare", "killafter", 0),
                                   ("commit", "kill", 1)):
            pid = t.pid(101)
            transfer(c, 1)
            t.order(1, op, order)
            equal(c.err("commit", seconds=30), "TPESVCERR")
            wait_for(lambda old=pid: t.pid(101) not in (0, old),
                     "tmsrv is restarted", 20)
            t.decided(1, 2)
            done += commits
            equal((t.total(1), t.total(2)), (-done, done))


def _work(c, seconds, told, stop):
    """Transfer until told to stop; note what was told."""
    while not stop.is_set():
        r = c("begin", 20, seconds=seconds)
        if r.err != "OK":
            continue
        a = c("call", "-", "A", "add:-1", seconds=seconds).err
        b = c("call", "-", "B", "add:1", seconds=seconds).err
        if (a, b) == ("OK", "OK"):
            told.append(c("commit", seconds=seconds).err)
        else:
            c("abort", seconds=seconds)


def test_sums_are_exact_after_many_kills():
    """Servers and tmsrv are killed under load, and started again."""
    with Trans() as t:
        start = {101: lambda: t.tm(1), 102: lambda: t.tm(2),
                 11: lambda: t.sv(11, 1, "A"), 12: lambda: t.sv(12, 2, "B"),
                 13: lambda: t.sv(13, 1, "A"), 14: lambda: t.sv(14, 2, "B")}
        run = {i: f() for i, f in start.items()}
        clients = [t.xaclient(1 if i % 2 else 0) for i in range(4)]
        stop, told = threading.Event(), [[] for _ in clients]
        threads = [threading.Thread(target=_work,
                                    args=(c, 60, told[i], stop))
                   for i, c in enumerate(clients)]
        for th in threads:
            th.start()
        rng = random.Random(int(t.prefix[1:], 16))
        try:
            for _ in range(12):
                before = sum(len(x) for x in told)
                wait_for(lambda: sum(len(x) for x in told) > before + 5,
                         "progress", 30)
                i = rng.choice(sorted(run))
                kill(run[i].pid)
                run[i] = t.replace(run[i], start[i])
        finally:
            stop.set()
            for th in threads:
                th.join()
        everything = [x for one in told for x in one]
        t.decided(1, 2)
        committed = everything.count("OK")
        unknown = sum(x in ("TPESVCERR", "TPETIME", "TPEHAZARD")
                      for x in everything)
        equal(t.total(1) + t.total(2), 0)
        assert committed <= t.total(2) <= committed + unknown, \
            (committed, unknown, t.total(2))
        assert committed > 20, everything
