# SPDX-License-Identifier: Apache-2.0
"""The wall clock steps by an hour: nothing ends early or late, nobody dies."""
import contextlib
import os
import struct
import tempfile
import time

from checks import at_most, between, check, equal, soon
from fixture import Domain, Skip, holds, kill, wait_for
from machine import BUILD, switches
from openmetrics import parse

COST = 18
HOUR = 3600
SERVER = {"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO SLEEP"}


class Clock:
    """The wall clock of the programs of a domain."""

    def __init__(self, path):
        self._file = open(path, "w+b", buffering=0)
        self.set(0)

    def set(self, seconds):
        self._file.seek(0)
        self._file.write(struct.pack("q", seconds))

    def close(self):
        self._file.close()


@contextlib.contextmanager
def _domain(**env):
    """A domain, booted, and its clock. The real clock of the machine stays as
    it is."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    with tempfile.NamedTemporaryFile(prefix="ow_steps_") as f:
        clock = Clock(f.name)
        try:
            with Domain(env={**env, "OW_STEPS_FILE": f.name, "LD_PRELOAD":
                             f"{BUILD}/tests/e2e/libsteps.so"}) as d:
                d.boot(SERVER, settings={"pingtime": "500ms",
                                         "ping_max": "1500ms"})
                yield d, clock
        finally:
            clock.close()


def test_the_clock_of_this_story_steps():
    with _domain() as (d, clock):
        def last():
            return d.rows("events")[-1].time_ns / 1e9
        before = last()
        clock.set(HOUR)
        d.xadmin("stop", "-i", 1)
        between(last() - before, HOUR, HOUR + 60, "seconds between events")


def _each_step():
    """A domain for a step forward and one for a step back, both by an hour."""
    for seconds in (HOUR, -HOUR):
        with _domain(NDRX_TOUT="2") as (d, clock):
            yield d, lambda s=seconds, c=clock: c.set(s), f"{seconds} s"


def test_a_time_out_comes_when_it_should():
    for d, step, how in _each_step():
        c, other = d.client(), d.client()
        for who in (c, other):
            equal(who.call("ECHO", "x").data, "x", how)
        before = {who.pid: switches(who.pid) for who in (c, other)}
        c.begin("call", "SLEEP", "-", "STRING:3500")
        other.begin("call", "SLEEP", "-", "STRING:1200")
        # On posix the wall clock ends the first 10 ms of each wait between
        # two nudges. The fifth nudge is 0.71 s after the call, the sixth
        # 1.45 s after it.
        wait_for(lambda b=before: all(switches(p) >= n + 2
                                      for p, n in b.items()), "both wait")
        time.sleep(0.95)
        step()
        r = other.end()
        equal(r.err, "OK", f"{how}: {r.text}")
        between(r.ms, 1150, 2000, f"{how}: ms of a call that succeeds")
        r = c.end()
        equal(r.err, "TPETIME", how)
        between(r.ms, 1950, 2900, f"{how}: ms of a time-out")
        # And for calls that begin afterwards.
        r = c.call("SLEEP", "2800")
        equal(r.err, "TPETIME", how)
        between(r.ms, 1950, 2700, f"{how}: ms of a later time-out")
        wait_for(lambda: c.call("ECHO", "x").err == "OK", "a free server")


def test_nobody_is_killed_and_the_dead_come_back_at_once():
    for d, step, how in _each_step():
        before = [d.pid(i) for i in (1, 2, 3)]
        ndrxd = d.ndrxd_pid()
        step()
        holds(lambda: d.call("ECHO", "x").data == "x", how, 3)
        equal([d.pid(i) for i in (1, 2, 3)], before, f"{how}: servers")
        equal(d.ndrxd_pid(), ndrxd, how)
        words = {e.event for e in d.rows("events")}
        check(not words & {"died", "late", "signal"}, f"{how}: {words}")
        kill(before[0])
        begin = time.monotonic()
        wait_for(lambda: d.pid(1) not in (0, before[0]), "restarted", 5)
        soon((time.monotonic() - begin) * 1000, 4000, f"{how}: restart")


def test_calls_go_on_while_the_clock_steps_to_and_fro():
    with _domain(NDRX_TOUT="10") as (d, clock):
        stop = f"{d.home}/stop"
        load = [d.client() for _ in range(2)]
        for c in load:
            c.begin("calls", "ECHO", 0, 3, 40, stop, 100)
        for seconds in (HOUR, 0, -HOUR, 24 * HOUR, -1, 0) * 2:
            clock.set(seconds)
            before = sum(r.succeeded for r in d.rows("psc"))
            wait_for(lambda n=before: sum(
                r.succeeded for r in d.rows("psc")) >= n + 500, "calls")
        with open(stop, "wb"):
            pass
        for c in load:
            r = c.end()
            equal((r.wrong, r.errors), (0, {}))
            soon(r.max_ms, 2000, "the longest call")


def test_figures_stay_what_they_were():
    for d, step, how in _each_step():
        for i in range(20):
            equal(d.call("ECHO", str(i)).data, str(i))
        step()
        for i in range(20):
            equal(d.call("ECHO", str(i)).data, str(i))
        for row in d.rows("psc"):
            for name in ("max_us", "last_us", "sum_us", "wait_sum_us"):
                at_most(row[name], 60_000_000, f"{how}: {name}")
        for row in d.rows("ppm"):
            for name in ("ms_since_state", "ms_since_start",
                         "ms_since_ping"):
                at_most(row[name], 120_000, f"{how}: {name}")
        r = d.run("ndrxtop", "-b", "-d", "0.3", "-w", "160")
        equal((r.returncode, r.stdout.count("ECHO")), (0, 1), r.stdout)
        r = d.run("ndrxmetrics", "-1")
        equal(r.returncode, 0, r.stderr)
        for name, f in parse(r.stdout).items():
            if f.unit != "seconds":
                continue
            for (suffix, _), value in f.samples.items():
                if suffix in ("", "_sum", "_total"):
                    between(value, 0, 600, f"{how}: {name}")
