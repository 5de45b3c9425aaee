# SPDX-License-Identifier: Apache-2.0
"""In strict-tuxedo threads share a context: calls, replies, conversations, transactions.
They put on one that has a handle, or have that of their process without asking."""
import os

from checks import equal
from conversations import convs
from fixture import Domain, wait_for
from machine import LONG, Skip
from trans import Trans

STRICT = {"NDRX_COMPAT": "strict-tuxedo"}


def _well(d, *words, **env):
    r = d.run("sharecl", *words, env={**STRICT, **env}, seconds=90)
    equal(r.stdout + r.stderr, "ok\n", words[0])
    equal(r.returncode, 0)


def _nobody(d):
    """No context of a client is left, and no mailbox."""
    equal([c.cltid for c in d.rows("clients") if c.srvid == 0], [])
    equal([q.queue for q in d.rows("pqa") if "clt,reply" in q.queue], [])


def _domain(d):
    d.server(1, "ECHO", "SLEEP")
    d.server(2, "ECHO", "SLEEP")


def test_threads_call_at_the_same_time():
    with Domain() as d:
        _domain(d)
        _well(d, "calls", 20000 if LONG else 500)
        _nobody(d)


def test_a_thread_fetches_the_reply_that_another_has_asked_for():
    with Domain() as d:
        _domain(d)
        _well(d, "replies")
        _nobody(d)


def test_one_thread_waits_for_any_reply_or_several_for_one_each():
    with Domain() as d:
        _domain(d)
        _well(d, "any")
        _nobody(d)


def test_a_thread_that_waits_keeps_nobody_from_calling():
    with Domain() as d:
        _domain(d)
        _well(d, "beside")


def test_it_is_one_client():
    with Domain(env=STRICT) as d:
        _domain(d)
        p = d.background("sharecl", "beside")
        wait_for(lambda: d.rows("stat")[0].clients > 0, "it has joined")
        equal(d.rows("stat")[0].clients, 1)
        equal(p.wait(60), 0)


def test_a_thread_that_ends_it_leaves_the_others_without_a_valid_one():
    with Domain() as d:
        _domain(d)
        d.server(3, "SLEEP")
        _well(d, "term")
        _nobody(d)


def test_it_is_freed_by_its_handle():
    with Domain() as d:
        _domain(d)
        _well(d, "free")
        _nobody(d)


def test_each_thread_has_its_conversation():
    with Domain() as d:
        _domain(d)
        for i in range(4):
            convs(d, 11 + i, "CONV")
        _well(d, "conv")
        _nobody(d)


def test_threads_fill_a_queue_and_take_the_replies():
    with Domain() as d:
        _domain(d)
        _well(d, "full")
        _nobody(d)


def test_threads_stand_in_the_line_of_senders_as_others_do():
    with Domain() as d:
        d.server(1, "NAP")
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "NAP", 0, 20, 60, stop)
        wait_for(lambda: d.row("psvc", service="NAP").queue_full >= 100,
                 "a line")
        _well(d, "line")
        open(stop, "w", encoding="utf-8").close()
        equal(c.end(30).errors, {})
        _nobody(d)


def test_a_thread_that_is_cancelled_leaves_it_to_the_others():
    with Domain() as d:
        for i in range(5):
            d.server(1 + i, "ECHO", "SLEEP")
        _well(d, "cancel")


def test_the_object_api_calls_in_it():
    with Domain() as d:
        _domain(d)
        _well(d, "object")
        _nobody(d)


def test_a_forked_child_has_none_of_it():
    if os.environ.get("OW_SANITIZE") == "thread":
        raise Skip("takes a lock that the child makes anew for a held one")
    with Domain() as d:
        _domain(d)
        _well(d, "child")


def _started_again(command):
    """Threads that call, a stop, a start, and the same threads."""
    with Domain(env=STRICT) as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO SLEEP"})
        p = d.background("sharecl", command, f"{d.home}/go")
        wait_for(lambda: os.path.exists(f"{d.home}/go.all"), "all have called")
        d.xadmin("stop", "-y")
        d.xadmin("start", "-y")
        with open(f"{d.home}/go", "wb"):
            pass
        equal(p.wait(60), 0)
        _nobody(d)


def test_a_domain_that_is_started_again_is_joined_again():
    _started_again("again")


def test_threads_work_in_one_transaction_that_any_of_them_commits():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        t.sv(12, 1, "A")
        _well(t, "tran", "A", "add:3")
        equal(t.total(1), 24)
        _nobody(t)


def test_one_thread_begins_it_the_others_are_in_it():
    with Trans() as t:
        t.tm(1)
        _well(t, "begin")
        equal(t.rows("printtrans"), [])


def test_commit_while_another_thread_calls_is_rollback():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        t.server(1, "ECHO")
        r = t.run("sharecl", "early", "A", "add:3 sleep:1500", env=STRICT, seconds=90)
        # On a busy machine its service begins behind the end, which is logged.
        equal((r.stdout, r.returncode), ("ok\n", 0), r.stderr)
        t.settled(1)
        equal(t.total(1), 0)


def test_without_tpmulticontexts_a_process_has_one_for_all_its_threads():
    with Domain() as d:
        _domain(d)
        d.server(3, "SLEEP")
        for command in ("one", "one_first", "one_replies", "one_any", "one_beside"):
            _well(d, command)
            _nobody(d)


def test_one_of_a_process_ends_for_all_and_the_next_one_begins():
    with Domain() as d:
        _domain(d)
        _well(d, "one_ends")
        _nobody(d)


def test_a_process_has_one_or_many_but_not_both():
    with Domain() as d:
        _domain(d)
        _well(d, "one_or_many")
        _well(d, "one_new")
        _nobody(d)


def test_one_of_a_process_is_one_client():
    with Domain(env=STRICT) as d:
        _domain(d)
        p = d.background("sharecl", "one_beside")
        wait_for(lambda: d.rows("stat")[0].clients > 0, "it has joined")
        equal(d.rows("stat")[0].clients, 1)
        equal(p.wait(60), 0)


def test_one_of_a_process_holds_conversations_and_fills_queues():
    with Domain() as d:
        for i in range(5):
            d.server(1 + i, "ECHO", "SLEEP")
        for i in range(4):
            convs(d, 11 + i, "CONV")
        for command in ("one_conv", "one_full", "one_cancel"):
            _well(d, command)
        _nobody(d)


def test_a_forked_child_has_one_of_its_own():
    if os.environ.get("OW_SANITIZE") == "thread":
        raise Skip("takes a lock that the child makes anew for a held one")
    with Domain() as d:
        _domain(d)
        _well(d, "one_child")


def test_one_of_a_process_joins_a_domain_that_is_started_again():
    _started_again("one_again")


def test_threads_of_a_process_work_in_its_transaction():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        t.sv(12, 1, "A")
        _well(t, "one_tran", "A", "add:3")
        equal(t.total(1), 24)
        _well(t, "one_begin")
        equal(t.rows("printtrans"), [])
        _nobody(t)


def test_commit_while_another_thread_of_the_process_calls_is_rollback():
    with Trans() as t:
        t.tm(1)
        t.sv(11, 1, "A")
        t.server(1, "ECHO")
        r = t.run("sharecl", "one_early", "A", "add:3 sleep:1500", env=STRICT, seconds=90)
        equal((r.stdout, r.returncode), ("ok\n", 0), r.stderr)
        t.settled(1)
        equal(t.total(1), 0)
