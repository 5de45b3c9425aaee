# SPDX-License-Identifier: Apache-2.0
"""A program waits for its context by a descriptor: tpreplyfd, tpreplytimeout."""
import os

from checks import at_least, at_most, equal, near
from fixture import Domain, kill, wait_for

COST = 12


def _polling(d):
    c = d.client()
    equal(c("replyfd").err, "OK")
    equal(c("readable", 0).ret, 0, "nothing has come")
    return c


def _next(c):
    return c("getrply", 0, "TPGETANY,TPNOBLOCK")


def _names(d):
    return [n for n in os.listdir(os.path.dirname(d.segment("tables")))
            if n.startswith("poll,")]


def test_it_is_readable_until_the_program_has_found_nothing():
    with Domain() as d:
        d.server(1, "ECHO")
        c = _polling(d)
        for i in range(20):
            cd = c("acall", "ECHO", "-", f"STRING:{i}").ret
            equal((c("readable", 5000).ret, c("readable", 0).ret), (1, 1))
            r = _next(c)
            equal((r.ret, r.data), (cd, str(i)))
            equal(_next(c).err, "TPEBLOCK")
            equal(c("readable", 0).ret, 0)


def test_a_reply_that_was_taken_in_by_another_call_is_there():
    with Domain() as d:
        d.server(1, "ECHO")
        d.server(2, "SLEEP")
        c = _polling(d)
        early = c("acall", "ECHO", "-", "STRING:early").ret
        equal(c.call("SLEEP", "100").err, "OK")
        equal(c("readable", 0).ret, 1, "the kept one")
        equal(c("getrply", early).data, "early")
        equal(_next(c).err, "TPEBLOCK")
        equal(c("readable", 0).ret, 0)
        late = c("acall", "SLEEP", "-", "STRING:300").ret
        equal(c.call("ECHO", "x").data, "x")
        _next(c)
        equal(c("readable", 0).ret, 0, "the call has left nothing")
        r = c("readable", 5000)
        equal(r.ret, 1)
        near(r.ms, 250, 1500)
        equal(_next(c).ret, late)


def test_a_thread_may_wait_for_a_moment_and_poll_afterwards():
    with Domain() as d:
        d.server(1, "SLEEP")
        c = d.client()
        equal(c("replywait", 1000).ret, 0, "no call is out")
        equal(c("replyfd").err, "OK")
        for ms in (100, 300):
            cd = c("acall", "SLEEP", "-", f"STRING:{ms}").ret
            r = c("replywait", 20000)
            equal(r.ret, 0)
            at_least(r.ms, 20)
            equal(c("readable", 0).ret, 0, "the mark is there again")
            r = c("replywait", 1000000) if ms == 100 else c("readable", 5000)
            equal(r.ret, 1)
            near(r.ms, 0, ms + 500)
            equal((c("replywait", 0).ret, c("readable", 0).ret), (1, 1))
            equal(_next(c).ret, cd)
            equal((_next(c).err, c("readable", 0).ret), ("TPEBLOCK", 0))


def test_it_is_readable_for_unsolicited_messages():
    with Domain() as d:
        d.server(1, "CLTID")
        c = _polling(d)
        equal(c("unsol", "record").ret, 0)
        me = c.call("CLTID").data
        s = d.client()
        for i in range(3):
            _next(c)
            equal(c("readable", 0).ret, 0)
            equal(s("notify", me, "-", f"STRING:{i}").err, "OK")
            r = c("readable", 5000)
            equal(r.ret, 1)
            near(r.ms, 0, 150)  # not one of the looks each 200 ms
            if i < 2:
                equal(_next(c).err, "TPEBLOCK")
            else:
                equal(c("chkunsol").ret, 1)
                equal(c("chkunsol").ret, 0)
            equal(c("got").data, f"STRING:{i}|")
            equal(c("readable", 0).ret, 0)


def _said(c, cd):
    """The next message of the conversation. tpconnect() has waited by itself, so
    the descriptor may be readable once for nothing."""
    for _ in range(2):
        equal(c("readable", 5000).ret, 1)
        r = c("recv", cd, "TPNOBLOCK")
        if r.err != "TPEBLOCK":
            break
    return r


def test_it_is_readable_for_conversations_and_their_ends():
    with Domain() as d:
        d.server(1, "ECHO")
        p = d.spawn(2, opts=("--", "CONV"), binary="conversesv")
        d.wait_ready(2)
        c = _polling(d)
        cd = c("connect", "CONV", "TPRECVONLY",
               "STRING:send:one sleep:200 send:two return:bye").ret
        equal(_said(c, cd).data, "one")
        equal(c("recv", cd, "TPNOBLOCK").err, "TPEBLOCK")
        equal(c("readable", 0).ret, 0)
        equal(c("readable", 5000).ret, 1)
        equal(c("recv", cd, "TPNOBLOCK").data, "two")
        wait_for(lambda: c("recv", cd, "TPNOBLOCK").event == "SVCSUCC", "end")
        cd = c("connect", "CONV", "TPRECVONLY", "STRING:send:x sleep:60000").ret
        wait_for(lambda: c("recv", cd, "TPNOBLOCK").data == "x", "open")
        kill(p.pid)
        wait_for(lambda: c("looptime").ret == 0, "the death is noticed")
        equal(c("readable", 0).ret, 1)
        equal(c("recv", cd, "TPNOBLOCK").event, "SVCERR")


def test_a_call_whose_time_is_over_ends():
    with Domain() as d:
        d.server(1, "SLEEP")
        d.server(2, "ECHO")
        c = _polling(d)
        at_most(c("looptime").ret, 1000)
        equal(c("blktime", "TPBLK_NEXT", 1).ret, 0)
        slow = c("acall", "SLEEP", "-", "STRING:2500").ret
        fast = c("acall", "ECHO", "-", "STRING:x").ret
        wait_for(lambda: _next(c).ret == fast, "another reply")
        at_least(c("looptime").ret, 1)
        equal(_next(c).err, "TPEBLOCK")
        wait_for(lambda: c("looptime").ret == 0, "the time-out")
        equal(_next(c).err, "TPETIME")
        equal(c("getrply", slow).err, "TPEBADDESC", "it has ended")
        at_least(c("looptime").ret, 1)


def test_it_ends_with_its_context_and_leaves_no_name():
    with Domain() as d:
        d.server(1, "ECHO")
        c = _polling(d)
        equal((c("fdopen").ret, len(_names(d))), (1, 1))
        equal(c("term").err, "OK")
        equal((c("fdopen").ret, _names(d)), (0, []))
        equal(c("looptime").err, "TPEPROTO")
        equal(c("replyfd").err, "OK")
        c("acall", "ECHO", "-", "STRING:again")
        equal(c("readable", 5000).ret, 1)
        equal(_next(c).data, "again")


def test_a_killed_program_leaves_no_name():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = _polling(d)
        equal(len(_names(d)), 1)
        kill(c.pid)
        wait_for(lambda: _names(d) == [], "the sweep")


def test_a_cached_reply_makes_it_readable():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, sections='<services>'
               '<service svcnm="ECHO" cache="ttl=1h"/></services>')
        equal(d.call("ECHO", "x").data, "x")
        c = _polling(d)
        for _ in range(3):
            cd = c("acall", "ECHO", "-", "STRING:x").ret
            equal(c("readable", 0).ret, 1, "at once")
            r = _next(c)
            equal((r.ret, r.data), (cd, "x"))
            equal((_next(c).err, c("readable", 0).ret), ("TPEBLOCK", 0))
        at_least(d.row("cacheshow", service="ECHO").hits, 3)


def test_a_server_calls_between_requests_in_its_own_loop():
    with Domain() as d:
        d.server(1, "ECHO")
        p = d.spawn(2, binary="loopsv")
        d.wait_ready(2)
        for n in (1, 5, 40, 40, 40):
            before = d.call("KICKED").urcode
            equal(d.call("KICK", str(n)).err, "OK")
            wait_for(lambda: d.call("KICKED").urcode == before + n, "replies")
        d.stop_server(p)
        equal(p.returncode, 0)


def test_a_forked_child_has_its_own():
    with Domain() as d:
        d.server(1, "ECHO")
        c = _polling(d)
        equal(c("forkfd").ret, 0)
        cd = c("acall", "ECHO", "-", "STRING:parent").ret
        equal(c("readable", 5000).ret, 1)
        equal(_next(c).ret, cd)


def test_ten_thousand_calls_of_one_context_are_one_descriptor():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.run("loopcl", "many", "10000", "ECHO", seconds=60)
        equal(r.stdout, "10000 replies, then 0\n", r.stderr)


def test_the_examples_with_loops_get_every_balance():
    with Domain() as d:
        for i in (1, 2):
            d.spawn(i, binary="banksv")
            d.wait_ready(i)
        for client in ("epollcl", "evcl"):
            r = d.run(client, "20000", "5000", seconds=60)
            equal(r.stdout, "right 20000, wrong 0\n", r.stderr)


def test_no_reply_stays_unnoticed():
    with Domain() as d:
        for i in (1, 2, 3):
            d.server(i, "ECHO", "UPPER")
        for calls, window in ((5000, 1), (15000, 37), (15000, 500)):
            r = d.run("loopcl", "storm", 4, calls, window, 5000, "ECHO",
                      "UPPER", seconds=60)
            good, bad, vain, _ = map(int, r.stderr.split())
            equal((good, bad, vain), (4 * calls, 0, 0), r.stdout)


def test_servers_that_are_killed_keep_no_caller_waiting():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 4, "max": 4, "appopt": "ECHO UPPER"})
        p = d.background("loopcl", "storm", "4", "6000", "20", "0", "ECHO",
                         "UPPER")
        kills = 0
        while p.poll() is None:
            pid = d.pid(1 + kills % 4)
            if pid:
                kill(pid)
                kills += 1
        good, bad, _, longest = map(int, p.communicate()[1].split())
        at_least(kills, 3)
        equal(good + bad, 24000)
        at_least(good, 20000)
        at_most(longest, 5000)
