# SPDX-License-Identifier: Apache-2.0
"""All processes are killed at once; the next start, or down, clears up."""
from checks import at_most, contains, differs, equal
from covers import covers
from fixture import Domain, kill, wait_for
from machine import pids_of


def _kill_all(d):
    c = d.client()
    for _ in range(3):
        c("acall", "ECHO", "-", "CARRAY:#100000")
    c.begin("call", "SLEEP", "-", "STRING:10000")
    wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY", "work")
    d._note_queues()
    for pid in pids_of(d.prefix):
        kill(pid)
    wait_for(lambda: not pids_of(d.prefix), "all dead")


def _boot(d):
    d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"},
           {"srvid": 9, "appopt": "SLEEP"})


@covers("xadmin down")
def test_down_clears_a_domain_of_dead_processes():
    with Domain() as d:
        _boot(d)
        _kill_all(d)
        differs(d.leftovers(), [], "something is left")
        d.xadmin("down", "-y")
        equal(d.leftovers(), [])
        d.clients = []


def test_down_clears_a_running_domain():
    with Domain() as d:
        _boot(d)
        c = d.client()
        c("call", "ECHO", "-", "CARRAY:#100000")
        d._note_queues()
        d.xadmin("down", "-y")
        c.proc.wait(5)
        equal(d.leftovers(), [])
        d.clients = []


def test_down_of_no_domain_succeeds():
    with Domain() as d:
        equal(d.xadmin("down", "-y").returncode, 0)
        equal(d.xadmin("down", "-y").returncode, 0)


def test_the_next_start_clears_up():
    with Domain() as d:
        _boot(d)
        _kill_all(d)
        d.clients = []
        contains(d.boot().stderr, "3 processes started")
        for i in range(20):
            equal(d.call("ECHO", str(i)).data, str(i))
        wait_for(lambda: d.rows("stat")[0].clients == 1,
                 "the dead client's slot is free")
        used = [s.used_bytes for s in d.rows("shms") if "blocks" in s.path]
        at_most(sum(used), 1 << 20, "bytes of blocks in use")


def test_a_manually_started_server_clears_up():
    with Domain() as d:
        d.server(1, "ECHO", "SLEEP")
        _kill_all(d)
        d.clients = []
        d.server(1, "ECHO", "SLEEP")
        equal(d.call("ECHO", "x").data, "x")
        # Without ndrxd, only down removes the dead client's queue.
        d.dirty = True
