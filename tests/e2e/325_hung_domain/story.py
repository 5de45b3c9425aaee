# SPDX-License-Identifier: Apache-2.0
"""A domain in which everything hangs stops in bounded time.

The bound is the longest end_max and three killtimes of its servers. Nothing
is left behind.
"""
import signal
import time

from checks import at_most, differs, ended, equal, lacks
from events import read_events
from fixture import Domain, alive, kill, wait_for
from machine import SLOW, children_of

COST = 40

QUICK = {"end_max": "500ms", "killtime": "200ms", "killseq": "2,15,9",
         "pingtime": 0}
DEAF = ("<clients><client cmdline=\"sh -c 'trap : INT TERM; while :; do "
        "sleep 0.1; done'\"><exec tag=\"DEAF\" autostart=\"Y\" "
        "klevel=\"2\"/></client></clients>")


def _hung(d, sections=""):
    """Two servers hang in a request, two ignore all signals but SIGKILL, two
    are stopped."""
    d.boot({**QUICK, "srvid": 1, "min": 2, "max": 2, "appopt": "HANG"},
           {**QUICK, "name": "mixsv", "srvid": 10, "min": 2, "max": 2,
            "appopt": "DEAF deaf"},
           {**QUICK, "srvid": 20, "min": 2, "max": 2, "appopt": "ECHO"},
           sections=sections)
    clients = [d.client(NDRX_TOUT="300ms") for _ in range(2)]
    for c in clients:
        c.begin("call", "HANG", "-", "STRING:x")
    for c in clients:
        equal(c.end().err, "TPETIME")
    for srvid in (20, 21):
        pid = d.pid(srvid)
        kill(pid, signal.SIGSTOP)
    return [r.pid for r in d.rows("ppm") + d.rows("pc") if r.pid]


def _stop(d, *words, seconds=30):
    start = time.monotonic()
    r = d.xadmin(*words, ok=False, seconds=seconds)
    return r, (time.monotonic() - start) / SLOW


def test_stop_ends_a_domain_in_which_everything_hangs():
    with Domain() as d:
        pids = _hung(d, DEAF)
        equal(len(pids), 7)
        r, took = _stop(d, "stop", "-y")
        at_most(took, 20, "seconds")
        ended(r, 0, "6 processes stopped")
        equal([p for p in pids if alive(p)], [])
        d.close_clients()
        equal(d.leftovers(), [])


def test_hung_entries_are_stopped_in_parallel():
    with Domain() as d:
        d.boot({"srvid": 100, "appopt": "LAST=ECHO", "srvstopwait": "2"},
               *[{"srvid": i, "appopt": "ECHO", "pingtime": 0,
                  "end_max": "1500ms", "killtime": "300ms",
                  "srvstopwait": "2"} for i in range(1, 13)])
        pids = [d.pid(i) for i in range(1, 13)]
        for pid in pids:
            kill(pid, signal.SIGSTOP)
        r, took = _stop(d, "stop", "-y")
        # 12 x 2.1 s if stopped one by one; in parallel 2 s, 10 x 0.2 s and
        # 2.1 s.
        at_most(took, 9, "seconds")
        ended(r, 0, "13 processes stopped")
        equal(d.leftovers(), [])


def test_servers_that_obey_still_stop_in_order():
    with Domain() as d:
        hung = {"pingtime": 0, "end_max": "700ms", "killtime": "100ms",
                "srvstopwait": "500ms"}
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "PID"},
               {**hung, "srvid": 3, "appopt": "UPPER"},
               {**hung, "srvid": 4, "appopt": "SRVID"})
        for srvid in (3, 4):
            kill(d.pid(srvid), signal.SIGSTOP)
        d.xadmin("stop", "-y", "-s", "testsv", ok=False)
        equal([e.srvid for e in read_events(d) if e.word == "stop"],
              [4, 3, 2, 1])
        wait_for(lambda: {r.state for r in d.rows("ppm")} == {"exit"}, "all")


def test_stop_k_kills_without_asking():
    with Domain() as d:
        pids = _hung(d)
        _, took = _stop(d, "stop", "-y", "-k")
        at_most(took, 4, "seconds")
        equal([p for p in pids if alive(p)], [])
        d.close_clients()
        equal(d.leftovers(), [])


def test_stopping_hung_servers_leaves_no_zombie():
    with Domain() as d:
        _hung(d)
        ndrxd = d.ndrxd_pid()
        for name in ("testsv", "mixsv"):
            d.xadmin("stop", "-s", name)
        equal(children_of(ndrxd), [], "nobody, dead or alive")
        d.xadmin("start", "-y")
        equal(len(children_of(ndrxd)), 6)


def test_stop_ends_a_hanging_start():
    with Domain() as d:
        d.configure({**QUICK, "srvid": 1, "appopt": "ECHO"},
                    {**QUICK, "srvid": 2, "start_max": 60,
                     "srvstartwait": 60, "appopt": "init=sleep:60000 SLOW"},
                    {**QUICK, "srvid": 3, "appopt": "UPPER"})
        p = d.background("xadmin", "start", "-y")
        wait_for(lambda: [r for r in d.rows("ppm") if r.state == "start"
                          and r.srvid == 2], "it hangs")
        r, took = _stop(d, "stop", "-y")
        at_most(took, 4, "seconds")
        differs(p.wait(10), 0, "the start has failed")
        equal(d.leftovers(), [])


def test_down_ends_a_domain_whose_ndrxd_hangs():
    with Domain() as d:
        pids = _hung(d, DEAF) + [d.ndrxd_pid()]
        kill(pids[-1], signal.SIGSTOP)
        r, took = _stop(d, "stop", "-y")
        ended(r, 4, "xadmin down -y")
        at_most(took, 15, "seconds")
        lacks(r.stderr, "finished")
        d.close_clients()
        r, took = _stop(d, "down", "-y")
        ended(r, 0)
        at_most(took, 15, "seconds")
        equal([p for p in pids if alive(p)], [])
        wait_for(lambda: d.leftovers() == [], "its last sleep is over")
