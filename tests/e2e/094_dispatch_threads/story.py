# SPDX-License-Identifier: Apache-2.0
"""One server process serves several requests at once, each in a thread."""
import glob
import os
import signal
import time

from checks import (at_most, check, contains, equal, lacks, near,
                    promptly)
from fixture import Domain, holds, kill, wait_for
from machine import LONG, go_on

HEAVY = True
COST = 34


def _env(least, most, idle=1):
    return {"NDRX_MINDISPATCHTHREADS": str(least),
            "NDRX_MAXDISPATCHTHREADS": str(most),
            "NDRX_DISPATCHIDLE": str(idle)}


def _serve(d, least, most, idle=1, words=(), srvid=1):
    p = d.spawn(srvid, *words, binary="thrsv", env=_env(least, most, idle))
    d.wait_ready(srvid)
    wait_for(lambda: _threads(d, srvid) >= least, "threads are there")
    return p


def _threads(d, srvid=1):
    """Threads that serve."""
    return len([r for r in d.rows("psc")
                if r.service == "TECHO" and r.srvid == srvid])


def _at_once(d, n, ms):
    """n calls at once of a service that takes so long: (ms, who served)."""
    clients = [d.client() for _ in range(n)]
    for c in clients:
        equal(c("init").ret, 0)
    since = time.monotonic()
    for c in clients:
        c.begin("call", "TSLEEP", "-", f"STRING:{ms}")
    replies = [c.end() for c in clients]
    took = (time.monotonic() - since) * 1000
    equal([r.err for r in replies], ["OK"] * n)
    for c in clients:
        c.close()
        d.clients.remove(c)
    return took, [r.data.split() for r in replies]


def test_one_process_serves_as_many_requests_as_it_has_threads():
    with Domain() as d:
        p = _serve(d, 4, 4)
        took, who = _at_once(d, 4, 500)
        near(took, 450, 950)
        equal({w[0] for w in who}, {str(p.pid)})
        equal(len({w[1] for w in who}), 4, "threads")
        equal({w[3] for w in who}, {"1"}, "server id")


def test_each_thread_has_its_own_context():
    with Domain() as d:
        d.server(9, "ECHO")
        _serve(d, 4, 4)
        for svc in ("RELAY", "FWD", "TECHO"):
            r = d.client()("calls", svc, 100, 8, 300, seconds=60)
            equal((r.ok, r.wrong, r.errors), (800, 0, {}), svc)


def test_a_service_may_be_advertised_in_tpsvrthrinit():
    with Domain() as d:
        _serve(d, 2, 4, words=("extra=1",))
        equal(d.call("TEXTRA", "x").data, "x")
        equal(len([r for r in d.rows("psc") if r.service == "TEXTRA"]), 2)
        _at_once(d, 6, 200)  # threads that are added later have it, too
        equal(d.call("TEXTRA", "y").data, "y")


def test_the_pool_grows_to_its_maximum_and_shrinks_to_its_minimum():
    with Domain() as d:
        p = _serve(d, 1, 4, idle=3)
        equal(_threads(d), 1)

        def grown(least):
            _at_once(d, 6, 100)
            return _threads(d) >= least
        wait_for(lambda: grown(4), "grown")
        took, who = _at_once(d, 4, 300)
        near(took, 250, 550)
        equal(len({w[1] for w in who}), 4)
        wait_for(lambda: _threads(d) == 1, "shrunk", seconds=20)
        equal(d.call("TECHO", "x").data, "x")
        wait_for(lambda: grown(2), "grown again")
        equal(d.stop_server(p), 0)


def test_tpsvrthrinit_and_tpsvrthrdone_run_in_each_thread():
    with Domain() as d:
        p = _serve(d, 3, 3)
        equal(d.stop_server(p), 0)
        with open(f"{d.logs}/thrsv.1.log", encoding="utf-8") as f:
            contains(f.read(),
                     "threads: 0 before tpsvrinit, 3 begun, 3 ended\n")
        equal(d.rows("stat")[0].further_threads if d.rows("stat") else 0, 0)


def test_a_thread_that_cannot_start_fails_the_start():
    with Domain() as d:
        p = d.spawn(1, "fail=2", binary="thrsv", env=_env(3, 3))
        equal(p.wait(20), 1)
        d.procs.pop(p.pid)
        equal(d.rows("psc"), [])


def test_each_request_of_a_killed_server_gets_its_error_at_once():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "thrsv", "mindispatchthreads": 4,
                "maxdispatchthreads": 4}, {"srvid": 2, "appopt": "ECHO"})
        times = []
        for _ in range(10 if LONG else 4):
            wait_for(lambda: _threads(d) == 4, "threads are there")
            clients = [d.client() for _ in range(4)]
            for c in clients:
                c.begin("call", "THANG", "TPNOTIME")
            wait_for(lambda: len([r for r in d.rows("psc")
                                  if r.service == "THANG" and
                                  r.status == "BUSY"]) == 4, "all busy")
            old = d.pid(1)
            since = time.monotonic()
            kill(old)
            equal([c.end().err for c in clients], ["TPESVCERR"] * 4)
            times.append((time.monotonic() - since) * 1000)
            wait_for(lambda o=old: d.pid(1) not in (0, o), "restarted")
            for c in clients:
                c.close()
                d.clients.remove(c)
        promptly(times, 200, 500)
        equal(d.rows("stat")[0].servers_dead, 0)
        at_most(d.rows("stat")[0].further_threads, 3)


def test_nothing_is_lost_while_servers_with_threads_are_killed():
    seconds = 20 if LONG else 5
    with Domain() as d:
        d.boot({"srvid": 1, "name": "thrsv", "min": 2, "max": 2,
                "mindispatchthreads": 1, "maxdispatchthreads": 4},
               {"srvid": 5, "appopt": "ECHO"})
        c = d.client(NDRX_TOUT="20")
        c.begin("calls", "RELAY", 400 if LONG else 150, 8, 200)
        end, n = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            pid = d.pid(1 + n % 2)
            if pid > 0:
                kill(pid)
                n += 1
            time.sleep(0.25)  # the rate of the deaths
        r = c.end(120)
        equal(r.wrong, 0)
        equal(set(r.errors) - {"TPESVCERR", "TPENOENT"}, set())
        wait_for(lambda: d.call("RELAY", "x").data == "x", "serves again")
        wait_for(lambda: d.rows("stat")[0].servers_dead == 0, "reaped")
        living = d.rows("stat")[0].further_threads
        at_most(living, 6, "threads of the dead are gone")


def test_a_thread_that_hangs_is_seen_and_the_others_serve_on():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "thrsv", "mindispatchthreads": 3,
                "maxdispatchthreads": 3})
        c = d.client()
        c.begin("call", "THANG", "TPNOTIME")

        wait_for(lambda: "in THANG for" in d.rows("ppm")[0].threads_busy,
                 "in ppm")
        equal([(r.srvid, r.threads) for r in d.rows("ppm")], [(1, 3)])
        contains(d.xadmin("ppm").stdout, " in THANG")
        wait_for(lambda: "THANG" in d.run("ndrxtop", "-b", "-s", "servers",
                                          "-n", "1").stdout, "in ndrxtop")
        for i in range(20):
            equal(d.call("TECHO", str(i)).data, str(i))
        d.xadmin("stop", "-y")


def test_a_service_that_ends_its_thread_fails_and_the_others_serve_on():
    with Domain() as d:
        p = _serve(d, 3, 3)
        clients, times = [d.client() for _ in range(3)], []
        for _ in range(10):
            for c in clients:
                c.begin("call", "GONE", "-", "-")
            for r in [c.end() for c in clients]:
                if r.err == "TPESVCERR":
                    times.append(r.ms)
                else:
                    equal(r.err, "TPESVCFAIL", "the main thread")
            equal(d.call("TECHO", "x").data, "x")
        check(times, "threads have ended")
        promptly(times, 200, 400)
        equal(d.stop_server(p), 0)


def test_a_stop_waits_for_the_requests_in_hand():
    with Domain() as d:
        p = _serve(d, 3, 3)
        clients, go = [d.client() for _ in range(3)], f"{d.home}/go"
        for c in clients:
            equal(c("init").ret, 0)
            c.begin("call", "TSLEEP", "-", f"STRING:{go}")
        wait_for(lambda: len([r for r in d.rows("psc")
                              if r.status == "BUSY" and
                              r.service == "TSLEEP"]) == 3, "all busy")
        kill(p.pid, signal.SIGTERM)
        holds(lambda: p.poll() is None, "it waits", 0.3)
        go_on(go)
        equal(p.wait(15), 0)
        d.procs.pop(p.pid)
        equal([c.end().err for c in clients], ["OK"] * 3)


def test_tpexit_in_a_thread_ends_the_process():
    for svc, err in (("TTPEXIT", "OK"), ("TEXIT", "TPESVCFAIL")):
        for _ in range(3):  # in whatever thread
            with Domain() as d:
                p = _serve(d, 3, 3)
                equal(d.call(svc, "x").err, err)
                equal(p.wait(20), 0)
                d.procs.pop(p.pid)


def test_all_threads_follow_an_order_to_withdraw_a_service():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "thrsv", "mindispatchthreads": 3,
                "maxdispatchthreads": 3})
        wait_for(lambda: _threads(d) == 3, "threads are there")
        d.xadmin("unadv", "-i", 1, "-s", "TECHO")
        wait_for(lambda: _threads(d) == 0, "withdrawn")
        equal(d.call("TECHO", "x").err, "TPENOENT")
        near(_at_once(d, 3, 300)[0], 250, 650)
        d.xadmin("readv", "-i", 1, "-s", "TECHO")
        wait_for(lambda: _threads(d) == 3, "published again")
        equal(d.call("TECHO", "x").data, "x")


def test_services_and_callbacks_are_the_main_threads_affair():
    with Domain() as d:
        _serve(d, 4, 4)
        seen = {d.call("REFUSED").data for _ in range(60)}
        for text in seen:
            contains(text, "TPEPROTO TPEPROTO ")
            lacks(text, "OK")


def test_a_program_that_is_not_built_for_threads_has_one():
    with Domain() as d:
        d.spawn(1, "ECHO", env=_env(3, 3))
        d.wait_ready(1)
        equal(len(d.rows("psc")), 1)
        said = "".join(open(name, encoding="utf-8").read() for name in
                       glob.glob(os.path.join(d.home, "**/ULOG*"),
                                 recursive=True))
        contains(said, "not built for them")


def test_a_new_ndrxd_adopts_the_process_not_its_threads():
    with Domain() as d:
        d.boot({"srvid": 1, "name": "thrsv", "mindispatchthreads": 4,
                "maxdispatchthreads": 4})
        wait_for(lambda: _threads(d) == 4, "threads are there")
        pid = d.pid(1)
        d.kill_ndrxd()
        equal(d.call("TECHO", "x").data, "x")
        d.xadmin("idle")
        wait_for(lambda: d.pid(1) == pid, "adopted")
        equal([(r.srvid, r.threads) for r in d.rows("ppm")], [(1, 4)])
        equal(_threads(d), 4)
        kill(pid)
        wait_for(lambda: d.pid(1) not in (0, pid), "restarted")
        wait_for(lambda: _threads(d) == 4, "threads are there")


def test_one_way_calls_of_tpsvrinit_to_the_server_itself_come_when_it_is_ready():
    for least in (1, 4):
        with Domain() as d:
            # More than a queue of posix holds here.
            _serve(d, least, least, words=("early=12",))
            wait_for(lambda d=d: sorted(map(int, d.call("TALLY").data.split()))
                     == list(range(12)), "all are served", 60)


def test_threads_that_work_for_ever_leave_the_main_thread_to_ndrxd():
    with Domain() as d:
        for n in range(5):
            d.boot({"name": "thrsv", "srvid": 1, "appopt": "forever=3",
                    "mindispatchthreads": 4, "maxdispatchthreads": 4,
                    "pingtime": 1, "ping_max": 2, "end_max": 1,
                    "killseq": "9"})
            pid = d.pid(1)
            wait_for(lambda: d.row("ppm", srvid=1).threads_busy.count(
                " in THANG for") == 3, "three work")
            lacks(d.row("ppm", srvid=1).threads_busy, "1 in THANG")
            if n == 0:  # pings are answered
                holds(lambda: d.pid(1) == pid, "the same process", 5)
            equal(d.call("TECHO", "x").data, "x")
            d.xadmin("stop", "-y")
