# SPDX-License-Identifier: Apache-2.0
"""Console, metrics and doctor show transactions and durable queues."""
import json
import os
import pathlib
import signal

from checks import contains, equal, lacks
from fixture import Domain, kill, wait_for
from openmetrics import parse
from terminal import Terminal, need_tmux
from trans import Trans, transfer, two

MAINLY = "posix"
COST = 42

ROOT = pathlib.Path(__file__).resolve().parents[3]
XAER_RMFAIL, XA_HEURHAZ = -7, 8
ROWS = 5  # the first line of rows


def _stick(t, c):
    """A committed transaction whose second branch cannot be told."""
    transfer(c, 1, 60)
    t.order(2, "commit", f"result {XAER_RMFAIL} always")
    c.ok("commit")


def _restart_tm(t):
    """What the next process finds in its log is late."""
    tm = next(p for p in t.procs.values() if "101" in p.args)
    kill(tm.pid, signal.SIGKILL)
    t.replace(tm, lambda: t.tm(1))


def _free(t):
    t.countermand(2, "commit")
    t.settled(1, 2)
    wait_for(lambda: t.rows("printtrans") == [], "all have ended")


def _queues(d, *lines):
    path = os.path.join(d.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    return d.server(80, "-m", "S", "-q", path, binary="tmqueue")


def _failing(d):
    """A message that a service has refused lies in queue E."""
    p = _queues(d, "FAIL,autoq=y,tries=1,errorq=E", "E", "A")
    d.server(1, "FAIL")
    equal(d.client()("enq", "S", "FAIL", "-", "-", "STRING:x").err, "OK")
    return p


def _top(d, screen, columns=80, lines=24):
    return Terminal(d, "ndrxtop", "-d", "0.1", "-s", screen,
                    columns=columns, lines=lines)


def _value(d, name, **labels):
    """A sample of the metrics; None: there is none."""
    f = parse(d.run("ndrxmetrics", "-1").stdout)[name]
    for (_, have), value in f.samples.items():
        if labels.items() <= dict(have).items():
            return value
    return None


def _findings(d):
    return d.run("xadmin", "doctor").stdout


# ---- the console ----

def test_the_transaction_in_doubt_is_the_first_row():
    need_tmux()
    with Trans() as t:
        c = two(t)
        other = t.xaclient(1)
        other.ok("begin", 60)
        _stick(t, c)
        for columns, lines in ((80, 24), (200, 50)):
            with _top(t, "transactions", columns, lines) as s:
                s.wait("1c 2p")
                wait_for(lambda s=s: "COMMITTING" in s.screen()[ROWS] and
                         "ACTIVE" in s.screen()[ROWS + 1], "in this order")
                row = s.screen()[ROWS]
                contains(row, f"xacl {c.pid}")
                equal("XAER_RMFAIL" in row, columns == 200, row)
                s.wait("2 under way")
                s.wait("1 branches in doubt")
                s.keys("Enter")
                s.wait("All columns")
        _free_both(t, other)


def _free_both(t, other):
    other.ok("abort")
    _free(t)


def test_an_alarm_says_that_a_branch_is_late():
    need_tmux()
    with Trans() as t:
        c = two(t)
        _stick(t, c)
        _restart_tm(t)
        with _top(t, "services", 132) as s:
            s.wait("branches are in doubt after its time-out (1c 2p)")
            s.keys("7")
            wait_for(lambda: "38;5" in "".join(s.coloured()), "colours")
            _free(t)
            s.wait("no transaction is under way")
            lacks(s.text(), "in doubt after")


def test_durable_queues_with_failures_come_first():
    need_tmux()
    with Domain() as d:
        _failing(d)
        waiter = d.client()
        waiter.begin("deq", "S", "A", "-", "wait")
        for columns, lines in ((80, 24), (200, 50)):
            with _top(d, "durable", columns, lines) as s:
                s.wait("queue E of space S, failed messages: 1;")
                wait_for(lambda s=s: s.screen()[ROWS].split()[:4] ==
                         ["E", "S", "error", "1"], "E is the first row")
                wait_for(lambda s=s: _waiting(s, "A") == "1",
                         "the consumer of A")
        equal(d.client()("enq", "S", "A", "-", "-", "STRING:y").err, "OK")
        equal(waiter.end().data, "y")


def _waiting(s, queue):
    """What the column WAITING says."""
    lines = s.screen()
    if "WAITING" not in lines[ROWS - 1]:
        return None
    end = lines[ROWS - 1].index("WAITING") + len("WAITING")
    row = next((n for n in lines[ROWS:] if n.split()[:1] == [queue]), "")
    return row[:end].split()[-1] if row else None


# ---- metrics ----

def test_metrics_count_how_transactions_end():
    def counted(name, n, **labels):
        wait_for(lambda: _value(t, name, srvid="101", **labels) == n,
                 f"{name} {labels}: {n}")

    with Trans() as t:
        c = two(t)
        for end in ("commit", "commit", "abort"):
            transfer(c, 1, 60)
            c.ok(end)
        counted("onewake_transactions_begun", 3)
        counted("onewake_transactions_ended", 2, outcome="committed")
        counted("onewake_transactions_ended", 1, outcome="rolled_back")
        counted("onewake_transaction_commit_seconds", 2, le="+Inf")
        counted("onewake_transaction_decisions", 2)
        counted("onewake_transaction_branches_in_doubt", 0)
        _stick(t, c)
        counted("onewake_transaction_branches_in_doubt", 1)
        counted("onewake_transactions", 1, state="ending")
        _free(t)
        counted("onewake_transactions", 0, state="ending")
        # The next process of the server id goes on with them.
        _restart_tm(t)
        counted("onewake_transactions_ended", 3, outcome="committed")
        transfer(c, 1, 60)
        c.ok("commit")
        counted("onewake_transactions_ended", 4, outcome="committed")


def test_branches_in_doubt_are_an_alert_when_they_are_late():
    rules = (ROOT / "conf/prometheus/onewake.rules.yml").read_text()
    contains(rules, "expr: onewake_transaction_late_seconds > 0")
    lacks(rules, "branches_in_doubt", "a busy domain always has some")

    def late():
        return _value(t, "onewake_transaction_late_seconds", srvid="101")

    with Trans() as t:
        c = two(t)
        _stick(t, c)
        wait_for(lambda: _value(t, "onewake_transaction_branches_in_doubt",
                                srvid="101") == 1, "in doubt")
        equal(late(), 0, "within its time-out")
        _restart_tm(t)
        wait_for(lambda: late() > 0, "late")
        _free(t)
        wait_for(lambda: late() == 0, "it has ended")


def test_metrics_follow_durable_queues():
    def follows(name, n, **labels):
        wait_for(lambda: _value(d, f"onewake_durable_{name}", space="S",
                                **labels) == n, f"{name} {labels}: {n}")

    with Domain() as d:
        _failing(d)
        c = d.client()
        for text in "abc":
            equal(c("enq", "S", "A", "-", "-", f"STRING:{text}").err, "OK")
        equal(c("deq", "S", "A", "-", "-").data, "a")
        for name, n in (("enqueued", 3), ("dequeued", 1), ("messages", 2),
                        ("bytes", 4), ("failed", 0)):
            follows(f"queue_{name}", n, queue="A")
        follows("queue_failed", 1, queue="FAIL")
        follows("queue_messages", 1, queue="E")
        follows("space_full", 0)
        # Four requests in turn, a forwarded message: a sync for each.
        wait_for(lambda: _value(d, "onewake_durable_space_syncs") >= 5,
                 "syncs are counted")
        wait_for(lambda: _value(d, "onewake_durable_queue_oldest_seconds",
                                queue="A") > 0, "the first message ages")


# ---- doctor ----

def _top_says(t):
    return t.run("ndrxtop", "-b", "-n", "1").stdout


def test_a_database_that_does_not_answer_is_missed_while_nobody_needs_it():
    def silent(rm):
        return _value(t, "onewake_transaction_database_silent_seconds", rm=rm)

    def told(what):
        return [c["text"] for c in json.loads(
            t.xadmin("when", "--json", "5m").stdout) if c["what"] == what]

    with Trans() as t:
        two(t)
        os.makedirs(f"{t.home}/log", exist_ok=True)
        t.spawn(90, "-p", "50", "-m", "2", binary="blackboxsv")
        lacks(_findings(t), "resource manager")
        t.order(1, "recover", f"result {XAER_RMFAIL} always")
        wait_for(lambda: "no answer for" in _findings(t), "it is down", 30)
        contains(_findings(t), "1 (tmsrv 101): no answer for 1")
        lacks(_findings(t), "2 (tmsrv 102)")
        contains(_top_says(t), "! resource manager 1 has not answered for 1")
        equal((silent("1") >= 10, silent("2")), (True, 0))
        # it is read afterwards, too
        wait_for(lambda: "! resource manager 1 has not answered for 1" in
                 t.run("ndrxtop", "-b", "-a", "--at", "0s").stdout, "recorded")
        t.countermand(1, "recover")
        wait_for(lambda: "no answer for" not in _findings(t), "it is back")
        equal(silent("1"), 0)
        wait_for(lambda: "tmsrv misses no answer any more" in told("database"),
                 "recorded, too")
        contains(told("database")[0], "the database had not answered for 1")
        t.order(1, "recover", "hold")
        wait_for(lambda: "no answer for" in _findings(t), "it hangs", 30)
        t.release(1, "recover")
        wait_for(lambda: "no answer for" not in _findings(t), "it goes on")


def test_doctor_finds_branches_that_are_late():
    with Trans() as t:
        c = two(t)
        lacks(_findings(t), "in doubt")
        _stick(t, c)
        lacks(_findings(t), "in doubt")
        _restart_tm(t)
        wait_for(lambda: "1c 2p: XAER_RMFAIL" in _findings(t),
                 "late, and why")
        contains(_findings(t), "branches in doubt")
        _free(t)
        wait_for(lambda: "branches in doubt" not in _findings(t), "cured")
        transfer(c, 1, 60)
        t.order(1, "commit", f"lie {XA_HEURHAZ}")
        equal(c.err("commit"), "TPEHAZARD")
        wait_for(lambda: "heuristic transactions" in _findings(t),
                 "a heuristic outcome")


def test_doctor_finds_messages_that_failed():
    with Domain() as d:
        _failing(d)
        wait_for(lambda: "E of space S: 1" in _findings(d), "named")
        text = _findings(d)
        contains(text, "xadmin mqlm -s S -q E")
        equal(d.client()("deq", "S", "E", "-", "-").data, "x")
        wait_for(lambda: "failed messages" not in _findings(d), "taken")


def test_what_a_dead_server_has_shown_is_not_shown():
    with Domain() as d:
        p = _failing(d)
        wait_for(lambda: _value(d, "onewake_durable_space_full") == 0,
                 "shown")
        kill(p.pid, signal.SIGKILL)
        p.wait()
        d.procs.pop(p.pid, None)
        equal(_value(d, "onewake_durable_space_full"), None)
