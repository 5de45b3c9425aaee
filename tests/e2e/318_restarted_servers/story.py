# SPDX-License-Identifier: Apache-2.0
"""The one server of a service is restarted while it has work: what waits is
kept, and callers that come meanwhile wait."""
import os
import time

from checks import at_least, at_most, between, contains, equal, lacks, one_of, soon
from covers import covers
from fixture import Domain, holds, kill, wait_for
from machine import asleep, go_on

N = 120
COST = 56


class Tally:
    """A domain whose service TALLY writes down what it executes."""

    def __init__(self, **kw):
        self.d = Domain(**kw)
        self.file = os.path.join(self.d.home, "tally")
        self.d.env["TALLY"] = self.file
        self.lost = self.d.lost_requests

    def __enter__(self):
        self.d.__enter__()
        return self

    def __exit__(self, *why):
        return self.d.__exit__(*why)

    def done(self):
        """The numbers that were executed, in order."""
        try:
            with open(self.file, encoding="ascii") as f:
                return [int(x) for x in f]
        except FileNotFoundError:
            return []


def _replaced(d, old):
    wait_for(lambda: d.pid(1) not in (0, old), "restarted")


def _kill(d):
    old = d.pid(1)
    kill(old)
    _replaced(d, old)


WAYS = {
    "sreload": lambda d: d.xadmin("sreload", "-y", "-s", "testsv"),
    "restart": lambda d: d.xadmin("restart", "-y", "-i", 1),
    "kill -9": _kill,
}


def _settle(t, n):
    """Wait until `n` numbers were executed, and then no more for a moment."""
    wait_for(lambda: len(t.done()) >= n, f"{n} executed", 20)
    return t.done()


def _interrupted(how, kind, act):
    with Tally() as t:
        t.d.boot({"srvid": 1, "appopt": "TALLY"})
        c = t.d.client()
        c.begin("tally", "TALLY", N, kind, 0)
        wait_for(lambda: len(t.done()) > 5, "at work")
        act(t.d)
        r = c.end(60)
        killed = how == "kill -9"
        refused = sum(r.refused.values())
        at_most(refused, 1 if killed else 0, (how, kind, r))
        if refused:
            equal(r.refused, {"TPESVCERR": 1}, (how, kind))
        in_hand = 1 if killed and kind == "oneway" else 0
        done = _settle(t, r.accepted - in_hand)
        equal(len(set(done)), len(done), "nothing twice")
        between(len(done), r.accepted - in_hand, N, (how, kind))
        if kind == "oneway":
            wait_for(lambda: len(done) + t.lost() == N,
                     f"{how}: each loss is named ({len(done)}, {t.lost()})")


def test_one_way_requests_outlive_a_restart_of_any_kind():
    for how, act in WAYS.items():
        _interrupted(how, "oneway", act)


def test_callers_wait_while_the_server_is_restarted():
    for how, act in WAYS.items():
        _interrupted(how, "call", act)


def test_a_stop_for_good_refuses_what_waits_and_names_it():
    with Tally() as t:
        t.d.boot({"srvid": 1, "appopt": "TALLY SLEEP"})
        block, call, oneway = (t.d.client() for _ in range(3))
        go = f"{t.d.home}/go"
        block.begin("call", "SLEEP", "-", f"STRING:{go}")
        wait_for(lambda: t.d.row("psc", service="SLEEP").status == "BUSY", "busy")
        equal(oneway("tally", "TALLY", 3, "oneway", 0).accepted, 3)
        call.begin("call", "TALLY", "-", "STRING:9")
        wait_for(lambda: t.d.row("pq", service="TALLY").queued == 4, "full")
        p = t.d.background("xadmin", "stop", "-y", "-i", 1)
        holds(lambda: p.poll() is None, "it waits", 0.3)
        go_on(go)
        equal(p.wait(20), 0)
        t.d.xadmin("start", "-y", "-i", 1)
        equal(block.end().err, "OK", "the request in hand is finished")
        # The server may take some more before it reads the order.
        r = call.end()
        one_of(r.err, "TPENOENT", "OK")
        equal(9 in t.done(), r.err == "OK", "what is told is true")
        wait_for(lambda: len([i for i in t.done() if i != 9]) + t.lost() == 3,
                 "each is executed or named")
        equal(t.d.call("TALLY", "7").err, "OK")


def test_each_one_way_request_under_kills_is_executed_or_named():
    servers, callers, each = 3, 3, 900
    with Tally() as t:
        t.d.boot({"srvid": 1, "min": servers, "max": servers,
                  "appopt": "TALLY", "pingtime": 0})
        clients = [t.d.client() for _ in range(callers)]
        for c in clients:
            c.begin("tally", "TALLY", each, "oneway", 0)
        kills = 0
        while len(t.done()) < callers * each * 0.9 and kills < 60:
            pids = [r.pid for r in t.d.rows("ppm") if r.state == "runok"]
            if pids:
                kill(pids[kills % len(pids)])
                kills += 1
            time.sleep(0.03)
        accepted = sum(c.end(60).accepted for c in clients)
        equal(accepted, callers * each)
        wait_for(lambda: len(t.done()) + t.lost() >= accepted, "all told", 20)
        # A server may be killed between its work and its answer: then its
        # request is executed, and named all the same.
        between(len(t.done()) + t.lost(), accepted, accepted + kills)
        at_most(accepted - len(t.done()), kills, "one for each kill, at most")
        lost = t.d.run("xadmin", "doctor").stdout
        if t.lost() > 0:
            contains(lost, "lost one-way requests")
            contains(lost, f"{t.lost()}, the last ")


def test_a_one_way_request_that_its_service_cannot_forward_is_named():
    with Tally() as t:
        t.d.boot({"srvid": 1, "appopt": "FWDECHO"})
        equal(t.d.call("FWDECHO", "x").err, "TPESVCERR", "nobody offers ECHO")
        equal(t.d.client()("tally", "FWDECHO", 3, "oneway", 0).accepted, 3)
        wait_for(lambda: t.lost() == 3, "each is named")


def test_a_one_way_request_in_hand_is_named_though_its_time_is_over():
    """Nobody waits for it any more: it is named all the same."""
    with Tally(env={"NDRX_TOUT": "1"}) as t:
        t.d.boot({"srvid": 1, "appopt": "HANG"})
        equal(t.d.client()("tally", "HANG", 1, "oneway", 0).accepted, 1)
        wait_for(lambda: t.d.row("psc", service="HANG").status == "BUSY", "in hand")
        time.sleep(1.2)  # the time of the request
        kill(t.d.pid(1))
        wait_for(lambda: t.lost() == 1, "it is named")


def _said(p, part):
    """What a command has said on stderr until it said this, or ended."""
    said = ""
    for line in p.stderr:
        said += line
        if part in said:
            break
    return said


def test_a_stop_says_what_waits_and_a_drain_serves_it():
    with Tally() as t:
        d = t.d
        d.env["NDRX_MSGMAX"] = "10"
        d.boot({"srvid": 1, "appopt": "TALLY SLEEP"})
        for drain in (False, True):
            block, c = d.client(), d.client()
            go = os.path.join(d.home, f"go.{drain}")
            block.begin("call", "SLEEP", "-", f"STRING:{go}")
            wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                     "busy")
            before = len(t.done()) + t.lost()
            equal(c("tally", "TALLY", 5, "oneway", 0).accepted, 5)
            p = d.background("xadmin", "stop", "-y", "-i", 1,
                             *(["--drain"] * drain))
            contains(_said(p, "requests wait"), "5 requests wait")
            go_on(go)
            equal(p.wait(30), 0, "exit status of stop")
            wait_for(lambda n=before: len(t.done()) + t.lost() == n + 5,
                     "executed or named")
            equal(block.end().err, "OK")
            if drain:
                equal(len(t.done()), before + 5 - t.lost())
                equal(t.lost(), lost, "no further one")
            lost = t.lost()
            equal(d.call("TALLY", "1").err, "TPENOENT")
            d.xadmin("start", "-y", "-i", 1)
            equal(d.call("TALLY", "1").err, "OK", "no mark is left")


@covers("xadmin drain")
def test_a_drain_lets_no_new_call_in():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"})
        a, b, go = d.client(), d.client(), f"{d.home}/go"
        a.begin("call", "SLEEP", "-", f"STRING:{go}")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY", "busy")
        b.begin("call", "ECHO", "-", "STRING:x")
        wait_for(lambda: d.row("pq", service="ECHO").queued == 1, "queued")
        p = d.background("xadmin", "drain", "-y", "-i", "1")
        contains(p.stderr.readline(), "1 requests wait: they are served first")
        r = d.call("ECHO", "y")
        equal(r.err, "TPENOENT")
        contains(r.text, "is drained")
        go_on(go)
        equal(a.end().err, "OK")
        equal(b.end().err, "OK", "what waited is served")
        equal(p.wait(10), 0)
        equal(d.pid(1), 0)


def test_a_drained_service_waits_for_what_is_under_way():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"})
        a, b, go = d.client(), d.client(), f"{d.home}/go"
        a.begin("call", "SLEEP", "-", f"STRING:{go}")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY", "busy")
        b.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 1, "queued")
        p = d.background("xadmin", "drain", "-v", "SLEEP")
        holds(lambda: p.poll() is None, "it waits", 0.3)
        go_on(go)
        equal(p.wait(20), 0)
        equal((a.end().err, b.end().err), ("OK", "OK"))
        equal(d.call("SLEEP", "0").err, "TPENOENT")
        equal(d.call("ECHO", "x").err, "OK", "its server runs on")
        d.xadmin("resume", "-s", "SLEEP")
        equal(d.call("SLEEP", "0").err, "OK")


def test_requests_keep_their_order_over_a_restart():
    with Tally() as t:
        t.d.boot({"srvid": 1, "appopt": "TALLY"})
        c = t.d.client()
        c.begin("tally", "TALLY", N, "oneway", 0)
        wait_for(lambda: len(t.done()) > 5, "at work")
        WAYS["restart"](t.d)
        equal(c.end(60).accepted, N)
        equal(_settle(t, N), list(range(N)))


def test_a_server_that_is_given_up_leaves_nobody_waiting():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP", "restart_tries": 3})
        clients = [d.client() for _ in range(5)]
        for c in clients:
            c.begin("call", "SLEEP", "-", "STRING:10000")
        for left in (4, 3, 2):
            wait_for(lambda n=left: d.row("pq", service="SLEEP").queued == n
                     and d.pid(1) != 0, "one in hand")
            kill(d.pid(1))
        start = time.monotonic()
        errors = sorted(c.end(20).err for c in clients)
        equal(errors, ["TPENOENT"] * 2 + ["TPESVCERR"] * 3)
        soon((time.monotonic() - start) * 1000, 1000)
        equal(d.call("SLEEP", "0").err, "TPENOENT")
        equal(d.row("ppm", srvid=1).state, "died")


def test_a_service_that_its_server_has_withdrawn_is_not_awaited():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"})
        equal(d.call("ECHO", "x").err, "OK")
        d.xadmin("unadv", "-i", 1, "-s", "ECHO")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        old = d.pid(1)
        kill(old)
        equal(d.call("SLEEP", "0").err, "OK", "this one is awaited")
        _replaced(d, old)
        equal(d.call("ECHO", "x").err, "OK", "offered anew")


@covers("restart")
def test_a_service_may_refuse_at_once_instead():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"}, sections="<services>"
               "<service svcnm=\"SLEEP\" restart=\"refuse\"/></services>",
               settings={"restart_min": "2s", "restart_max": "2s"})
        clients = [d.client() for _ in range(3)]
        clients[0].begin("call", "SLEEP", "-", "STRING:10000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY", "busy")
        for c in clients[1:]:
            c.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 2, "queued")
        start = time.monotonic()
        kill(d.pid(1))
        for c in clients:
            equal(c.end().err, "TPESVCERR")
        one_of(d.call("SLEEP", "0").err, "TPENOENT", "OK")
        soon((time.monotonic() - start) * 1000, 500)
        equal(d.call("ECHO", "x").err, "OK", "the other one is awaited")


def test_without_ndrxd_callers_do_not_wait_for_ever():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, settings={"restart_min": "3s", "restart_max": "3s"})
        old = d.pid(1)
        # It comes back too late: ndrxd dies while it waits.
        kill(old)  # its first minute: no pause before the next process
        _replaced(d, old)
        old = d.pid(1)
        kill(old)
        wait_for(lambda: d.row("ppm", srvid=1).state == "died", "down")
        d.kill_ndrxd()
        c = d.client()
        c("tout", 1)
        r = c.call("ECHO", "x")
        equal(r.err, "TPETIME", "it waits")
        end = time.monotonic() + 20
        while r.err == "TPETIME" and time.monotonic() < end:
            r = c.call("ECHO", "x")
        equal(r.err, "TPENOENT")
        contains(r.text, "nor does ndrxd")
        d.xadmin("idle")
        wait_for(lambda: d.call("ECHO", "x").err == "OK", "adopted", 15)


def _logs(d):
    text = ""
    for name in os.listdir(d.logs):
        with open(f"{d.logs}/{name}", errors="replace") as f:
            text += f.read()
    return text


def test_a_caller_without_time_out_does_not_wait_for_the_dead_for_ever():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"})
        c, e = d.client(), d.client()
        c.begin("call", "SLEEP", "TPNOTIME", "STRING:60000")
        wait_for(lambda: asleep(c.pid), "in hand")
        cd = e("acall", "ECHO", "TPNOTIME", "STRING:x").ret
        e.begin("getrply", cd, "TPNOTIME")
        pid = d.pid(1)
        d.kill_ndrxd()
        kill(pid)
        start = time.monotonic()
        equal(e.end(60).err, "TPETIME")
        at_least(time.monotonic() - start, 8, "the next ndrxd may come")
        one_of(c.end(60).err, "TPETIME", "TPESVCERR")
        contains(_logs(d), "call without time-out is given up")
        d.xadmin("idle")


def test_a_new_ndrxd_keeps_what_waits():
    with Tally() as t:
        d = t.d
        d.boot({"srvid": 1, "appopt": "TALLY"})
        c = d.client()
        c.begin("tally", "TALLY", N, "oneway", 0)
        wait_for(lambda: len(t.done()) > 5, "at work")
        old = d.pid(1)
        d.kill_ndrxd()
        kill(old)
        d.xadmin("idle")
        equal(c.end(60).accepted, N)
        done = _settle(t, N - 1)
        equal(len(set(done)), len(done))
        wait_for(lambda: len(t.done()) + t.lost() == N, "the rest is named")


CLIENT = ('<clients><client cmdline="sleep 600"><exec tag="IDLE" autostart="Y"/>'
          '</client></clients>')


def _held(d):
    return "maintenance mode" in d.row("ppm", srvid=1).reason


@covers("xadmin mmon", "xadmin mmoff")
def test_in_maintenance_mode_nothing_is_started_by_itself():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "HERE=ECHO"},
               sections=CLIENT)
        equal(d.xadmin("mmon").stdout, "maintenance mode is on\n")
        equal(d.xadmin("mmon").stdout, "maintenance mode is already on\n")
        contains(d.xadmin("doctor", ok=False).stdout, "maintenance mode")
        idle = d.row("pc", tag="IDLE").pid
        kill(d.pid(1))
        kill(idle)
        wait_for(lambda: _held(d), "held")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        equal(d.call("HERE", "x").err, "OK")
        # The next ndrxd knows it, and what has died without one stays down.
        here = d.pid(2)
        d.kill_ndrxd()
        kill(here)
        d.xadmin("idle")
        wait_for(lambda: d.row("ppm", srvid=2).pid == 0 and _held(d), "held")
        equal(d.call("HERE", "x").err, "TPENOENT")
        contains(d.xadmin("doctor", ok=False).stdout, "xadmin mmoff")
        # Orders are executed.
        d.xadmin("start", "-y", "-i", 2)
        equal(d.call("HERE", "x").err, "OK")
        equal(d.row("ppm", srvid=1).pid, 0)
        equal(d.row("pc", tag="IDLE").pid, 0)
        equal(d.xadmin("mmoff").stdout, "maintenance mode is off\n")
        wait_for(lambda: d.call("ECHO", "x").err == "OK", "started")
        wait_for(lambda: d.row("pc", tag="IDLE").pid, "started, too")
        contains(d.xadmin("events").stdout, "mmoff by")
        lacks(d.xadmin("doctor", ok=False).stdout, "maintenance mode")


def test_maintenance_mode_takes_no_group_over():
    group = ('<procgroups><procgroup name="ONE" grpno="3" singleton="Y" '
             'lockfile="{}"/></procgroups>')
    with Domain() as a, Domain() as b:
        text = group.format(os.path.join(a.home, "lock"))
        server = {"srvid": 1, "appopt": "ECHO", "procgrp": "ONE"}
        a.boot(server, {"srvid": 2, "appopt": "HERE=ECHO"}, sections=text)
        b.boot_any(server, {"srvid": 2, "appopt": "HERE=ECHO"}, sections=text)
        b.xadmin("mmon")
        a.kill_ndrxd()
        a.xadmin("idle")
        equal(a.call("ECHO", "x").err, "OK")
        a.xadmin("stop", "-y", "-i", 1)
        wait_for(lambda: not a.row("psg", grpno=3).lock_held, "it is free")
        for _ in range(3):
            time.sleep(1)  # a tick of ndrxd each
            equal(b.row("ppm", srvid=1).pid, 0)
        equal([r.maintenance for r in b.rows("psg")], [True])
        b.xadmin("mmoff")
        wait_for(lambda: b.call("ECHO", "x").err == "OK", "taken over")


def test_maintenance_mode_ends_with_the_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("mmon")
        d.close_clients()
        d.xadmin("stop", "-y")
        d.xadmin("start", "-y")
        _kill(d)
