# SPDX-License-Identifier: Apache-2.0
"""xadmin calls: which requests wait or are served, whose they are, why they wait."""
import json
import os
import signal
import time

from checks import at_least, check, contains, equal, lacks
from conversations import connect, convs
from covers import covers
from fixture import Domain, Skip, kill, only_on, wait_for
from machine import LONG, TRANSPORT, go_on

COST = 22
TABLE = "AMOUNT 2001 double\nCARD 2002 string\nNAME 2003 string\nPAD 2004 string\n"
SECONDS = int(os.environ.get("OW_SECONDS", "300")) if LONG else 2


def _domain(**kw):
    d = Domain(small=kw.pop("small", True))
    with open(os.path.join(d.home, "t.fd"), "w", encoding="utf-8") as f:
        f.write(TABLE)
    d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
    return d


def _states(d, *words):
    return sorted((r.service, r.state) for r in d.rows("calls", *words))


@covers("xadmin calls")
def test_each_request_is_listed_with_its_caller():
    with _domain() as d:
        d.server(1, "SLEEP")
        c, go = [d.client() for _ in range(3)], f"{d.home}/go"
        for i in c:
            i.begin("call", "SLEEP", "-", f"STRING:{go}")
            wait_for(lambda: [r.state for r in d.rows("calls")].count(
                "served") == 1, "the first one at work")
        wait_for(lambda: len(_states(d)) == 3 and
                 ("SLEEP", "unseen") not in _states(d), "all seen")
        rows = d.rows("calls", "-s", "SLEEP")
        equal(sorted(r.state for r in rows), ["served", "waits", "waits"])
        served = next(r for r in rows if r.state == "served")
        equal((served.pid, served.srvid, served.server, served.program),
              (c[0].pid, 1, "testsv", "testcl"))
        equal({r.pid for r in rows}, {x.pid for x in c})
        check(all(0 < r.age_us < 60e6 and r.deadline and
                  0 < r.left_us <= 20e6 for r in rows), f"age, left: {rows}")
        go_on(go)
        for i in c:
            equal(i.end().err, "OK")
        equal(d.rows("calls"), [])


def test_waiting_requests_have_places_priorities_traces_and_sizes():
    only_on("shm", "kernel queues cannot be looked into")
    with _domain() as d:
        d.server(1, "SLEEP")
        c, go = d.client(), f"{d.home}/go"
        c("acall", "SLEEP", "TPNOREPLY", f"STRING:{go}")
        wait_for(lambda: _states(d) == [("SLEEP", "served")], "at work")
        for prio in (30, 70, 50):
            c("prio", prio, "TPABSOLUTE")
            c("acall", "SLEEP", "TPNOREPLY", "STRING:0" + "0" * prio)
        rows = [r for r in d.rows("calls") if r.state == "waits"]
        equal([(r.position, r.priority, r.one_way) for r in rows],
              [(1, 70, True), (2, 50, True), (3, 30, True)])
        equal([r.size for r in rows], [72, 52, 32])
        equal(len({r.trace_id for r in rows}), 3)
        equal({len(r.trace_id) for r in rows}, {32})
        out = d.xadmin("calls", "priority==50 && position==2").stdout
        contains(out, "queue 2")
        equal(len(out.splitlines()), 1)
        go_on(go)
        wait_for(lambda: d.rows("calls") == [], "all served")


def _hold(d, svc="SLEEP", ms=20000):
    """Keep the server of a service at work."""
    c = d.client()
    c("acall", svc, "TPNOREPLY", f"STRING:{ms}")
    wait_for(lambda: (svc, "served") in _states(d), "at work")


def test_an_expression_chooses_by_fields_of_what_waits():
    only_on("shm", "kernel queues cannot be looked into")
    with _domain() as d:
        p = d.server(1, "SLEEP")
        _hold(d)
        c = d.client()
        for amount, name in ((5, "Ann"), (20000, "Bea"), (10001, "O'Hara")):
            c("acall", "SLEEP", "TPNOREPLY",
              f"FIELDS:AMOUNT={amount},NAME={name},CARD=4711")
        rows = d.rows("calls", "-b", "AMOUNT>10000 && age>0")
        equal([r.position for r in rows], [2, 3])
        equal([{f["field"]: f["value"] for f in r.buffer}["NAME"]
               for r in rows], ["Bea", "O'Hara"])
        equal(len(d.rows("calls", "NAME %% 'A.*' && service=='SLEEP'")), 1)
        equal(len(d.rows("calls", "!(AMOUNT<100) && state=='waits'")), 2)
        # The STRING in hand has no fields.
        equal(len(d.rows("calls", "CARD=='4711'")), 3)
        kill(p.pid)
        d.dirty = True


def test_contents_of_a_request_in_hand_are_read_where_they_lie():
    with _domain() as d:
        p = d.server(1, "HANG")
        c = d.client()
        c("acall", "HANG", "TPNOREPLY", "FIELDS:AMOUNT=7.5,NAME=Ann")
        wait_for(lambda: _states(d) == [("HANG", "served")], "in hand")
        row, = d.rows("calls", "-b", "AMOUNT==7.5 && server==1")
        equal([(f["field"], f["value"]) for f in row.buffer],
              [("AMOUNT", "7.500000"), ("NAME", "Ann")])
        large = "x" * 3000
        kill(p.pid)
        d.procs.pop(p.pid)
        d.server(2, "HANG")
        c("acall", "HANG", "TPNOREPLY", f"FIELDS:AMOUNT=8,NAME={large}")
        wait_for(lambda: d.rows("calls", "AMOUNT==8 && size>3000") != [],
                 "a large one, in a block")
        d.dirty = True


@covers("mask")
def test_masked_fields_are_starred_and_cannot_be_asked_for():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG"}, settings={"mask": "CARD, PIN"})
        d.client()("acall", "HANG", "TPNOREPLY",
                   "FIELDS:AMOUNT=1,CARD=4711,NAME=Ann")
        wait_for(lambda: _states(d) == [("HANG", "served")], "in hand")
        out = d.xadmin("calls", "-b").stdout
        contains(out, "AMOUNT='1.000000' CARD='***' NAME='Ann'")
        lacks(d.xadmin("calls", "-b", "--json").stdout, "4711")
        r = d.xadmin("calls", "CARD %% '4.*'", ok=False)
        equal(r.returncode, 2)
        contains(r.stderr, "CARD is masked")
        equal(len(d.rows("calls", "NAME=='Ann'")), 1)
        d.dirty = True


def test_what_cannot_be_asked_is_said():
    with _domain() as d:
        d.server(1, "SLEEP")
        r = d.xadmin("calls", "NOSUCH>1", ok=False)
        equal(r.returncode, 2)
        contains(r.stderr, "NOSUCH")
        r = d.xadmin("calls", "age>", ok=False)
        equal(r.returncode, 2)


def test_chains_and_deadlocks_are_told():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "A=CALLON"},
               {"srvid": 2, "appopt": "B=CALLON"},
               {"srvid": 3, "appopt": "SLEEP"})
        c, e, go = d.client(), d.client(), f"{d.home}/go"
        c.begin("call", "A", "TPNOTIME", f"STRING:B SLEEP {go}")
        wait_for(lambda: ("SLEEP", "served") in _states(d), "a chain")
        time.sleep(0.1)
        e.begin("call", "A", "TPNOTIME", "STRING:SLEEP 0")
        wait_for(lambda: ("A", "waits") in _states(d), "one waits")
        rows = d.rows("calls", "--stuck")
        first = next(r for r in rows if r.service == "A" and
                     r.state == "served")
        equal(first.why, "with server 1 testsv, which waits for B: with "
              "server 2 testsv, which waits for SLEEP: with server 3 testsv, "
              "which works")
        waits = next(r for r in rows if r.state == "waits")
        contains(waits.why, "its server is busy: server 1 testsv, which waits"
                            " for B: with server 2")
        check(not any(r.deadlock for r in rows), f"no deadlock: {rows}")
        go_on(go)
        equal((c.end().err, e.end().err), ("OK", "OK"))
        c.begin("call", "A", "-", "STRING:B A x")
        wait_for(lambda: any(r.deadlock for r in d.rows("calls", "--stuck")),
                 "a deadlock")
        rows = d.rows("calls", "--stuck")
        equal([(r.service, r.state, r.deadlock) for r in rows],
              [("A", "waits", True), ("A", "served", True),
               ("B", "served", True)])
        contains(d.xadmin("calls", "--stuck").stdout, "DEADLOCK: ")
        contains(d.run("ndrxtop", "-b", "-n", "1", "-s", "calls", "-w",
                       "250").stdout, "DEADLOCK: ")
        contains(rows[0].why, "server 1 testsv again: a deadlock")
        line = wait_for(lambda: [n for n in d.run("xadmin", "doctor").stdout
                                 .splitlines() if "deadlock:" in n], "doctor")[0]
        contains(line, "A (testsv 1), B (testsv 2)")
        kill(d.pid(2))
        c.end()


def test_a_request_whose_time_is_over_says_so():
    """The server is in a call that its caller does not wait for any more; one-way calls
    behind it wait no longer than theirs."""
    with _domain() as d:
        d.server(1, "HANG")
        c = d.client()
        c("blktime", "TPBLK_ALL", 1)
        equal(c("call", "HANG", "-", "STRING:x").err, "TPETIME")
        row, = d.rows("calls", "--stuck")
        equal(row.why, "its time is over, and its caller waits no more: with server 1 testsv, "
              "which works")
        if TRANSPORT == "shm":
            c("acall", "HANG", "TPNOREPLY", "STRING:y")
            wait_for(lambda: [r.left_us < 0 for r in d.rows("calls")] == [True, True], "both late")
            row, = (r for r in d.rows("calls", "--stuck") if r.state == "waits")
            contains(row.why, "its time is over, and it is dropped when a server comes to it: "
                     "number 1 in the queue, its server is busy")
        d.dirty = True


def test_a_wait_for_any_of_several_replies_is_no_deadlock():
    """ANYOF calls B, which calls it, and SLEEP: the reply of SLEEP will do."""
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "A=ANYOF"},
               {"srvid": 2, "appopt": "B=CALLON"},
               {"srvid": 3, "appopt": "SLEEP"})
        c, go = d.client(), f"{d.home}/go"
        c.begin("call", "A", "TPNOTIME", f"STRING:B SLEEP {go}")
        wait_for(lambda: {("A", "served"), ("A", "waits"), ("B", "served"),
                          ("SLEEP", "served")} <= set(_states(d)), "all wait")
        time.sleep(0.1)
        rows = d.rows("calls", "--stuck")
        equal([r.service for r in rows if r.deadlock], [])
        contains([r.why for r in rows if r.service == "B"][0],
                 "with server 2 testsv, which waits for A: ")
        go_on(go)
        equal(c.end().err, "OK")


def test_the_thread_that_has_the_request_is_the_one_that_is_told_of():
    with _domain() as d:
        d.boot({"srvid": 1, "name": "thrsv", "mindispatchthreads": 4,
                "maxdispatchthreads": 4},
               {"srvid": 2, "appopt": "ECHO=SLEEP"})
        wait_for(lambda: len([r for r in d.rows("psc")
                              if r.service == "TECHO"]) == 4, "its threads")
        sleeps, waits, go = d.client(), d.client(), f"{d.home}/go"
        waits.begin("call", "RELAY", "TPNOTIME", f"STRING:{go}")
        wait_for(lambda: ("ECHO", "served") in _states(d), "it has called")
        sleeps.begin("call", "TSLEEP", "TPNOTIME", f"STRING:{go}")
        wait_for(lambda: ("TSLEEP", "served") in _states(d), "the other one")
        time.sleep(0.1)
        rows = {r.service: r for r in d.rows("calls", "--stuck")}
        equal(rows["TSLEEP"].why, "with server 1 thrsv, which works")
        equal(rows["RELAY"].why, "with server 1 thrsv, which waits for ECHO: "
              "with server 2 testsv, which works")
        go_on(go)
        equal((sleeps.end().err, waits.end().err), ("OK", "OK"))


def test_a_server_that_waits_for_its_conversation_is_no_one_that_works():
    with _domain() as d:
        convs(d, 1, "CONV")
        c, other = d.client(), d.client()
        cd = connect(c, "recv return:-")
        other.begin("connect", "CONV", "TPSENDONLY", "STRING:return:-")
        waits = (f"server 1 conversesv, which waits for a message of its "
                 f"conversation with testcl {c.pid}, which sends none")

        def whys():
            return {(r.pid, r.state): (r.why, r.deadlock)
                    for r in d.rows("calls", "--stuck")}

        wait_for(lambda: whys().get((c.pid, "served")) ==
                 ("with " + waits, False), "its client sends nothing")
        kill(c.pid, signal.SIGSTOP)
        try:
            wait_for(lambda: "which is stopped by a signal" in
                     whys()[(c.pid, "served")][0], "its client is stopped")
        finally:
            kill(c.pid, signal.SIGCONT)
        equal(c("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(other.end().err, "OK")


def test_two_ends_that_wait_for_each_other_are_a_deadlock():
    with _domain() as d:
        convs(d, 1, "CONV")
        c = d.client()
        cd = connect(c, "recv return:-", "-")  # both may send, and nobody does
        c.begin("recv", cd, "TPNOTIME")
        row = wait_for(lambda: [r for r in d.rows("calls", "--stuck")
                                if r.deadlock], "a deadlock")[0]
        equal(row.why, f"with server 1 conversesv, which waits for a message of "
              f"its conversation with testcl {c.pid}, which waits for one, "
              "too: a deadlock")
        c.kill()
        d.clients.remove(c)


def test_a_client_that_calls_while_a_server_waits_for_it_is_a_link_of_the_chain():
    with _domain() as d:
        convs(d, 1, "CONV")
        d.server(2, "SLEEP")
        c, go = d.client(), f"{d.home}/go"
        cd = connect(c, "recv return:-")
        c.begin("call", "SLEEP", "TPNOTIME", f"STRING:{go}")
        wait_for(lambda: any(
            r.why == f"with server 1 conversesv, which waits for a message of "
            f"its conversation with testcl {c.pid}, which waits for SLEEP: with "
            "server 2 testsv, which works" and not r.deadlock
            for r in d.rows("calls", "--stuck")), "the chain")
        go_on(go)
        equal(c.end().err, "OK")
        c.begin("call", "CONV", "TPNOTIME", "STRING:return:-")
        wait_for(lambda: len([r for r in d.rows("calls", "--stuck")
                              if r.deadlock]) == 2, "it waits for itself")
        c.kill()
        d.clients.remove(c)


def test_a_server_that_waits_in_tpconnect_is_no_one_that_works():
    with _domain() as d:
        server = convs(d, 1, "CONV")
        convs(d, 2, "OTHER")
        c, e = d.client(), d.client()
        cd = connect(c, "recv return:-", service="OTHER")
        e.begin("connect", "CONV", "TPSENDONLY,TPNOTIME",
                "STRING:connect:OTHER:return:-")
        wait_for(lambda: ("OTHER", "waits") in _states(d), "it connects")
        busy = (f"server 2 conversesv, which waits for a message of its "
                f"conversation with testcl {c.pid}, which sends none")

        def why():
            return [r.why for r in d.rows("calls", "--stuck", "-s", "CONV")]

        wait_for(lambda: why() and why()[0].endswith(
            f"the queue, its server is busy: {busy}"), "the chain")
        contains(why()[0], "with server 1 conversesv, which waits for OTHER: ")
        check(not any(r.deadlock for r in d.rows("calls", "--stuck")), "none")
        equal(c("send", cd, "TPRECVONLY", "STRING:x").err, "OK")
        equal(e.end().err, "OK")
        wait_for(lambda: _states(d) == [], "all have ended")
        # the only server of a service connects to it
        e.begin("connect", "CONV", "TPSENDONLY,TPNOTIME",
                "STRING:connect:CONV:return:-")
        rows = wait_for(lambda: [r for r in d.rows("calls", "--stuck")
                                 if r.deadlock], "a deadlock")
        equal([r.service for r in rows], ["CONV", "CONV"])
        contains(rows[0].why, "server 1 conversesv again: a deadlock")
        kill(server.pid)
        d.dirty = True


def test_a_request_whose_caller_has_the_reply_is_not_listed():
    """The server is behind its reply: it has not taken the request off the record."""
    with Domain() as d:
        if not os.path.exists(d.program("nojumpsv")):
            raise Skip("no compiler of C++ was there")
        d.boot({"srvid": 1, "name": "nojumpsv"}, {"srvid": 2, "appopt": "SLEEP"})
        c, e, go = d.client(), d.client(), f"{d.home}/go"
        equal(c.call("LINGER", "1500").data, "1500")
        equal(_states(d), [])
        c.begin("call", "SLEEP", "TPNOTIME", f"STRING:{go}")
        e.begin("call", "LINGER", "TPNOTIME", "STRING:0")
        wait_for(lambda: _states(d) == [("LINGER", "waits"), ("SLEEP", "served")],
                 "those that have no reply")
        contains(d.rows("calls", "--stuck", "-s", "LINGER")[0].why,
                 "its server is busy: server 1 nojumpsv, which works")
        go_on(go)
        equal((c.end().err, e.end().err), ("OK", "OK"))


def test_a_stopped_server_is_no_idle_one():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        server, c = d.pid(1), d.client()
        kill(server, signal.SIGSTOP)
        try:
            c.begin("call", "ECHO", "TPNOTIME", "STRING:x")
            wait_for(lambda: d.rows("calls"), "it is listed")
            contains(d.xadmin("calls", "--stuck").stdout,
                     "its server does not take it: server 1 testsv, which is "
                     "stopped by a signal")
        finally:
            kill(server, signal.SIGCONT)
        equal(c.end().err, "OK")


def _asked_by_xadmin(d):
    """Rows that the command chooses are what was asked for: how many."""
    rows = [r for r in d.rows("calls", "-b", "AMOUNT<2000 && !(NAME %% 'n9.*')")
            if r.unreadable == ""]
    for r in rows:
        fields = {f["field"]: f["value"] for f in r.buffer}
        n = int(float(fields["AMOUNT"]))
        check(n < 2000 and not str(n).startswith("9"), f"not chosen: {r}")
        equal((fields["NAME"], fields["PAD"]),
              (f"n{n}", "p" * (n % 3000) if n % 3000 < 1024 else
               f"({n % 3000 + 1} bytes, string)"), "of one request")
    return len(rows)


def _looked_while_killed(d, servers, questions=0):
    """What the onlooker has seen while the servers 1 to `servers` were killed in turn."""
    p = d.background("onlooker", SECONDS, questions)
    killed = commands = rows = 0
    while p.poll() is None:
        pid = d.pid(1 + killed % servers)
        if pid:
            kill(pid)
            killed += 1
        time.sleep(0.2)
        if killed % 5 == 2:
            rows += _asked_by_xadmin(d)
            commands += 1
    seen = json.loads(p.stderr.read().splitlines()[-1])
    print(seen, f"{killed} killed, {commands} commands chose {rows}")
    equal((p.returncode, seen["wrong"], seen["deadlocks"]), (0, 0, 0))
    at_least(killed, 2, "servers killed")
    at_least(commands, 1, "commands")
    return seen


def test_no_row_is_wrong_while_servers_are_killed():
    with _domain(small=False) as d:
        d.boot({"srvid": 1, "min": 4, "max": 4, "appopt": "S_ECHO=ECHO S_NAP=NAP"})
        callers = [d.client() for _ in range(4)]
        for i, c in enumerate(callers):
            c.begin("spray", "S_NAP" if i == 0 else "S_ECHO", 1000000)
        seen = _looked_while_killed(d, 4, 1000000)
        at_least(seen["chosen"], 20, "requests chosen")
        for c in callers:
            c.kill()
        d.dirty = True


def test_ten_thousand_waiting_requests_are_asked_while_servers_are_killed():
    """Of each request a random expression is asked, another one each time: a
    million in the long form."""
    only_on("shm", "kernel queues cannot be looked into")
    with _domain(small=False) as d:
        d.env["NDRX_MSGMAX"] = "16384"
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "S_ECHO=ECHO"},
               {"srvid": 9, "appopt": "S_SLEEP=SLEEP", "pingtime": 3000,
                "ping_max": 3000})
        _hold(d, "S_SLEEP", 1000000)
        equal(d.client()("spray", "S_SLEEP", 10000, "oneway").ret, 10000)
        for _ in range(2):
            d.client().begin("spray", "S_ECHO", 10000000)
        seen = _looked_while_killed(d, 2, 1000000)
        at_least(seen["asked"], 1000000 if LONG else 10000, "questions")
        at_least(seen["rows"], 10000 * seen["looks"], "requests of each look")
        at_least(seen["chosen"], seen["asked"] // 10, "requests chosen")
        for c in d.clients:
            c.kill()
        d.clients.clear()
        kill(d.pid(9))
        d.dirty = True


def test_a_client_that_floods_one_way_is_listed():
    with _domain(small=False) as d:
        d.server(1, "ECHO")
        c, e = d.client(), d.client()
        equal(c("flood", "ECHO", "TPNOREPLY", "STRING:x", 15).ret, 15)
        equal(d.row("clients", pid=c.pid), None)
        e("call", "ECHO", "-", "STRING:x")
        c.begin("flood", "ECHO", "TPNOREPLY", "STRING:x", 1000000)
        wait_for(lambda: d.row("clients", pid=c.pid), "listed")
        rows = d.rows("clients", "-r")
        equal([r.pid for r in rows], [c.pid, e.pid])
        at_least(rows[0].calls_per_second, 100)
        equal((rows[0].calls, rows[0].oneway), (rows[0].oneway,) * 2)
        equal((rows[1].calls, rows[1].oneway), (1, 0))
        check(d.xadmin("clients", "-r").stdout.startswith("testcl"), "text")
        c.kill()
        d.dirty = True


def test_ten_thousand_waiting_requests_are_listed():
    """On posix as many as the limits allow: kernel queues show their number."""
    shm = TRANSPORT == "shm"
    with _domain(small=False) as d:
        d.env["NDRX_MSGMAX"] = "16384" if shm else "10"
        p = d.server(1, "SLEEP")
        _hold(d)
        n = 10000 if shm else 10
        c = d.client()
        equal(c("flood", "SLEEP", "TPNOBLOCK,TPNOREPLY",
                "FIELDS:AMOUNT=20001,NAME=Ann", n).ret, n)
        rows = [r for r in d.rows("calls") if r.state != "served"]
        equal(sum(r.requests for r in rows), n)
        if shm:
            equal([r.position for r in rows], list(range(1, n + 1)))
            equal(len(d.rows("calls", "AMOUNT>10000 && position<=77")), 77)
        else:
            equal([r.state for r in rows], ["unseen"])
        kill(p.pid)
        d.dirty = True
