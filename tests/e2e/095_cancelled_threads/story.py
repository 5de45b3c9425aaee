# SPDX-License-Identifier: Apache-2.0
"""Threads are cancelled between functions of the library, or in a wait."""
import os

from checks import equal, check
from fixture import Domain, Skip, wait_for
from machine import LONG
from conversations import convs, traced



def _needs_plain_stacks():
    """Cancelling leaves functions by a jump that AddressSanitizer does not see:
    it goes on guarding the variables that were left behind."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer takes cancelled frames for living ones")


def test_no_function_is_a_cancellation_point():
    with Domain() as d:
        d.server(1, "ECHO")
        equal(d.client()("cancelself", "ECHO"), {"cut": "", "after": 0})


def test_a_thread_that_waits_for_a_reply_is_cancelled_soon():
    _needs_plain_stacks()
    with Domain() as d:
        d.server(1, "SLEEP", "ECHO")
        c = d.client()
        r = c("cancelwait", "SLEEP", 300)
        equal(r.cancelled, 1)
        check(r.ms < 1500, f"{r.ms} ms")
        wait_for(lambda: d.rows("stat")[0].clients == 0, "slot given back")


def test_a_thread_that_waits_in_a_conversation_leaves_it():
    _needs_plain_stacks()
    with Domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        r = c("canceltalk", "CONV", 300)
        equal(r.cancelled, 1)
        check(r.ms < 1500, f"{r.ms} ms")
        wait_for(lambda: [t[3] for t in traced(d, "cancelled")] ==
                 ["DISCONIMM"], "the other end knows")
        wait_for(lambda: d.rows("stat")[0].clients == 1,
                 "its slot given back; the server keeps its own")


def test_a_thousand_threads_are_cancelled_at_any_moment():
    _needs_plain_stacks()
    n = 5000 if LONG else 1000
    with Domain() as d:
        for i in (1, 2):
            d.spawn(i, "ECHO")
        d.wait_ready(1, 2)
        c = d.client()
        before = blocks(d)
        r = c("cancelstorm", "ECHO", n, seconds=100)
        equal((r.cancelled, r.errors), (n, 0))
        check(r.calls > 0, "bystanders call")
        equal(c.call("ECHO", "x").data, "x")
        # The one that called just now.
        wait_for(lambda: d.rows("stat")[0].clients <= 1, "slots given back")
        wait_for(lambda: len([q for q in d.rows("pqa")
                              if "reply" in q.queue]) <= 1,
                 "mailboxes given back")
        wait_for(lambda: blocks(d) <= before + 16, "blocks freed")


def blocks(d):
    """Blocks that are not free."""
    return int(d.run("holder", "blocks").stdout.split()[1])
