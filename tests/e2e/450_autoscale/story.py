# SPDX-License-Identifier: Apache-2.0
"""autoscale starts up to max instances while requests wait."""
import time

from checks import at_least, equal, soon
from covers import covers
from events import read_events
from fixture import Domain, wait_for
from machine import go_on

MAINLY = "posix"


def _running(d):
    return sorted(r.srvid for r in d.rows("ppm") if r.state == "runok")


@covers("max", "autoscale")
def test_instances_start_under_load_and_stop_when_idle():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 1, "max": 4, "appopt": "SLEEP",
                "autoscale": "wait=30ms after=300ms calm=500ms"})
        equal(_running(d), [1])
        clients = [d.client() for _ in range(6)]
        end = time.monotonic() + 30
        for c in clients:
            c.begin("call", "SLEEP", "-", "STRING:300")
        while len(_running(d)) < 4 and time.monotonic() < end:
            for c in clients:
                equal(c.end().err, "OK")
                c.begin("call", "SLEEP", "-", "STRING:300")
        equal(_running(d), [1, 2, 3, 4], "up to max")
        for c in clients:
            equal(c.end().err, "OK")
        wait_for(lambda: _running(d) == [1], "down to min", 15)
        texts = [e.text for e in read_events(d) if e.word == "scale"]
        # Where the calls pause for long, one goes and comes back meanwhile.
        up = sum("another instance" in t for t in texts)
        at_least(up, 3, texts)
        equal(sum("not needed any more" in t for t in texts), up, texts)
        equal(d.call("SLEEP", "1").err, "OK")


def test_a_hanging_service_gets_another_server():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 1, "max": 2, "appopt": "SLEEP",
                "autoscale": "wait=100ms after=300ms"})
        stuck, c, go = d.client(), d.client(), f"{d.home}/go"
        stuck.begin("call", "SLEEP", "-", f"STRING:{go}")
        wait_for(lambda: d.row("psc", srvid=1).status == "BUSY", "busy")
        start = time.monotonic()
        equal(c("call", "SLEEP", "-", "STRING:0").err, "OK")
        soon((time.monotonic() - start) * 1000, 1500)
        go_on(go)
        equal(stuck.end().err, "OK")


def test_autoscale_is_off_by_default():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 1, "max": 3, "appopt": "SLEEP"})
        cs = [d.client() for _ in range(3)]
        for c in cs:
            c.begin("call", "SLEEP", "-", "STRING:700")
        for c in cs:
            c.end()
        equal(_running(d), [1])
