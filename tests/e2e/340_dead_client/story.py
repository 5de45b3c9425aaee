# SPDX-License-Identifier: Apache-2.0
"""A client is killed: its slot, queue and blocks are freed."""
from checks import equal, near, promptly
from fixture import Domain, kill, wait_for

COST = 12


def _gone(d):
    """Only living clients have mailboxes."""
    living = sum(c.proc.poll() is None for c in d.clients)
    wait_for(lambda: sum(",clt,reply,testcl," in r.queue
                         for r in d.rows("pqa")) <= living,
             "its mailbox given back")  # ndrxd sweeps once a second


def test_slot_and_queue_of_a_dead_client_are_freed():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        keeper = d.client()
        equal(keeper.call("ECHO", "x").data, "x")
        before = d.rows("stat")[0].clients
        c = d.client()
        equal(c.call("ECHO", "x").data, "x")
        equal(d.rows("stat")[0].clients, before + 1)
        c.kill()
        _gone(d)
        wait_for(lambda: d.rows("stat")[0].clients == before, "its slot")
        equal(keeper.call("ECHO", "x").data, "x")


def test_a_client_killed_while_waiting_delays_no_server():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"})
        c = d.client()
        c.begin("call", "SLEEP", "-", "STRING:2000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "the server at work")
        c.kill()
        r = d.call("ECHO", "x")
        equal(r.err, "OK")
        near(r.ms, 0, 2600)  # SLEEP takes 2 s
        _gone(d)


def test_a_dead_client_that_fetched_nothing_delays_no_server():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        took, dead = [], []
        for _ in range(6):
            c = d.client()
            dead.append(c)
            for _ in range(70):
                c("acall", "ECHO", "-", "STRING:x")
            kill(c.pid)
            r = d.call("ECHO", "y")
            equal(r.err, "OK")
            took.append(r.ms)
        # The server waits 20 ms for room before it parks a reply.
        promptly(took, 60, 300)
        for c in dead:
            _gone(d)


def test_blocks_of_dead_clients_are_swept():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.call("ECHO", "x").data, "x")
        for _ in range(5):
            c = d.client()
            for _ in range(3):
                c("acall", "ECHO", "-", "CARRAY:#4000000")
            c.kill()
            _gone(d)

        def small():
            used = [s.used_bytes for s in d.rows("shms")
                    if "blocks" in s.path]
            return used and used[0] < 2 << 20
        wait_for(small, "the memory of their messages given back", 15)
