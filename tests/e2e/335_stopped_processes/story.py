# SPDX-License-Identifier: Apache-2.0
"""A process that is stopped, or hangs, holds up nothing but itself."""
import os
import random
import signal
import subprocess
import time

from checks import at_most, contains, ended, equal, lacks, promptly, soon
from fixture import Domain, kill, wait_for
from machine import LONG, stopped

COST = 54
STOPS = 1000 if LONG else 400
QUICK = {"pingtime": 0, "end_max": "300ms", "killtime": "100ms",
         "killseq": "9"}


class Holder:
    """A process that keeps the domain lock."""

    def __init__(self, d, *words):
        self.proc = subprocess.Popen(
            [d.program("holder"), *words], env=d.env, cwd=d.home,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        d.helpers.append(self.proc)
        self.pid = self.proc.pid
        equal(self.proc.stdout.readline(), "held\n")

    def end(self):
        self.proc.kill()  # unless it has ended
        self.proc.wait()
        self.proc.stdin.close()
        self.proc.stdout.close()


def _come_and_go(c):
    """The time in ms of a new context's first call."""
    start = time.monotonic()
    equal(c("init").err, "OK")
    equal(c.call("ECHO", "x").data, "x")
    equal(c("term").err, "OK")
    return (time.monotonic() - start) * 1000


def test_clients_stopped_at_any_moment_hold_up_nobody():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        rnd = random.Random(3)
        end = os.path.join(d.home, "stop")
        busy = [d.client() for _ in range(2)]
        for c in busy:
            c.begin("churn", "ECHO", end)
        old, new = d.client(), d.client()
        calls, joins = [], []
        for i in range(STOPS):
            victim = rnd.choice(busy).pid
            time.sleep(rnd.uniform(0, 0.003))  # a random moment
            kill(victim, signal.SIGSTOP)
            calls.append(old.call("ECHO", "x").ms)
            joins.append(_come_and_go(new))
            if i % 100 == 0:
                equal(len(d.rows("ppm")), 2, "ndrxd answers")
            kill(victim, signal.SIGCONT)
        open(end, "w", encoding="utf-8").close()
        for c in busy:
            r = c.end(30)
            equal((r.wrong, r.errors), (0, {}))
        promptly(calls, 50, 100, "ms of an established caller")
        promptly(joins, 50, 150, "ms of a new context's first call")


def test_any_process_stopped_for_a_while_holds_up_no_call_of_others():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 4, "max": 4, "appopt": "ECHO",
                "pingtime": 0})
        rnd = random.Random(7)
        end = os.path.join(d.home, "stop")
        busy, old = d.client(), d.client()
        busy.begin("churn", "ECHO", end)
        servers = [r.pid for r in d.rows("ppm")]
        waits, taken = [], 0
        for i in range(STOPS if LONG else STOPS // 10):
            pids = [busy.pid, d.ndrxd_pid(), servers[i % len(servers)]]
            victim = pids[i % len(pids)]
            time.sleep(rnd.uniform(0, 0.003))  # a random moment
            kill(victim, signal.SIGSTOP)
            until = time.monotonic() + 0.3
            longest = 0
            while time.monotonic() < until:
                longest = max(longest, old.call("ECHO", "x").ms)
                time.sleep(0 if LONG else 0.002)
            kill(victim, signal.SIGCONT)
            # The server that was stopped may have had the request.
            if victim in servers and longest > 50:
                taken += 1
            else:
                waits.append(longest)
        open(end, "w", encoding="utf-8").close()
        r = busy.end(30)
        equal((r.wrong, r.errors), (0, {}))
        promptly(waits, 50, 150, "ms of an established caller")
        at_most(taken, len(servers), "calls that waited for a server")


def test_a_server_stopped_while_it_starts_holds_up_no_other():
    with Domain() as d:
        d.boot({**QUICK, "srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"},
               {**QUICK, "srvid": 10, "appopt": "UPPER"},
               {**QUICK, "srvid": 20, "appopt": "SRVID"})
        rnd = random.Random(5)
        c = d.client()
        calls = []
        for _ in range(100 if LONG else 10):
            first, other = d.pid(10), d.pid(20)
            kill(first)
            row = wait_for(lambda p=first: [
                r for r in d.rows("ppm") if r.srvid == 10 and
                r.pid not in (0, p)], "it starts")[0]
            time.sleep(rnd.uniform(0, 0.02))  # a random moment
            kill(row.pid, signal.SIGSTOP)
            kill(other)
            calls.append(c.call("ECHO", "x").ms)
            wait_for(lambda p=other: d.pid(20) not in (0, p), "restarted")
            kill(row.pid, signal.SIGCONT)
            wait_for(lambda: d.pid(10) != 0, "it has started")
        promptly(calls, 50, 150, "ms of an established caller")


def test_while_a_process_keeps_the_lock_all_but_changes_goes_on():
    with Domain() as d:
        d.boot({**QUICK, "srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"},
               {**QUICK, "srvid": 10, "appopt": "UPPER"})
        old, new = d.client(), d.client()
        h = Holder(d)
        dead = d.pid(1)
        kill(dead)
        calls, joins, asked = [], [], []
        for _ in range(30):
            calls.append(old.call("ECHO", "x").ms)
            joins.append(_come_and_go(new))
            start = time.monotonic()
            equal(len(d.rows("ppm")), 3)
            asked.append((time.monotonic() - start) * 1000)
        promptly(calls, 50, 200, "ms of an established caller")
        promptly(joins, 100, 300, "ms of a new context's first call")
        promptly(asked, 300, 800, "ms of xadmin ppm")
        r = d.xadmin("doctor", ok=False)
        contains(r.stdout, f"process {h.pid} (holder), for ")
        equal(d.pid(1), 0, "it cannot join")
        h.end()
        wait_for(lambda: d.pid(1) not in (0, dead), "restarted", 15)
        lacks(d.xadmin("doctor", ok=False).stdout, "(holder)")
        equal(d.call("ECHO", "x").data, "x")


def test_a_stopped_process_that_keeps_the_lock_is_continued():
    with Domain() as d:
        d.boot({**QUICK, "srvid": 1, "appopt": "ECHO"},
               {**QUICK, "srvid": 2, "appopt": "UPPER"})
        h = Holder(d, "stop")
        wait_for(lambda: stopped(h.pid), "stopped with the lock")
        dead = d.pid(1)
        start = time.monotonic()
        kill(dead)
        wait_for(lambda: d.pid(1) not in (0, dead), "restarted", 15)
        soon((time.monotonic() - start) * 1000, 5000)
        equal(h.proc.wait(5), 0, "it went on")
        h.end()
        equal(d.call("ECHO", "x").data, "x")


def test_a_server_that_gets_no_lock_says_who_has_it():
    with Domain() as d:
        d.server(1, "ECHO")
        h = Holder(d)
        r = d.run("testsv", "-i", "7", "--", "UPPER", seconds=40)
        ended(r, 1, f"the domain lock is held by process {h.pid} (holder)")
        equal(d.call("ECHO", "x").data, "x")
        h.end()
        d.server(7, "UPPER")


def test_advertising_and_subscribing_fail_while_the_lock_is_kept():
    with Domain() as d:
        d.server(90, binary="tpevsrv")
        d.server(1, "ADV", "ECHO")
        c = d.client()
        h = Holder(d)
        equal(d.call("ADV", "LATER=ECHO").urcode, 12, "TPESYSTEM")
        r = c("subscribe", "E", "-", "ECHO")
        equal(r.err, "TPESVCFAIL")
        contains(r.text, "TPESYSTEM")
        h.end()
        wait_for(lambda: d.call("ADV", "LATER=ECHO").err == "OK", "advertised")
        wait_for(lambda: c("subscribe", "E", "-", "ECHO").err == "OK",
                 "subscribed")
        equal(d.call("LATER", "x").data, "x")
