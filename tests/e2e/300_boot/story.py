# SPDX-License-Identifier: Apache-2.0
"""xadmin starts and stops a domain; a stop leaves nothing behind."""
from checks import contains, equal
from covers import covers
from fixture import Domain, wait_for


@covers("endurox", "defaults", "servers", "server", "name",
        "srvid", "min", "appopt", "xadmin start", "xadmin stop", "xadmin ppm")
def test_a_domain_starts_serves_and_stops():
    with Domain() as d:
        r = d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO PID"},
                   {"srvid": 10, "appopt": "UPPER"})
        contains(r.stderr, "4 processes started")
        equal(d.call("ECHO", "x").data, "x")
        equal(d.call("UPPER", "x").data, "X")
        equal([r.state for r in d.rows("ppm")], ["runok"] * 4)
        r = d.xadmin("stop", "-y")
        contains(r.stderr, "4 processes stopped")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.close_clients()
        equal(d.leftovers(), [], "after stop")


def test_servers_stop_in_reverse_order():
    with Domain() as d:
        d.boot(*({"srvid": i, "appopt": f"S{i}=ECHO"} for i in (1, 2, 3)))
        r = d.xadmin("stop", "-y")
        lines = [x for x in r.stderr.splitlines() if "Id = " in x]
        ids = [int(x.split("Id = ")[1].split()[0]) for x in lines]
        equal(ids, [3, 2, 1], r.stderr)


def test_one_server_is_stopped_and_started_again():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "PID"})
        pid = d.call("PID").data
        d.xadmin("stop", "-i", 1)
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.xadmin("start", "-i", 1)
        equal(d.call("ECHO", "x").data, "x")
        equal(d.call("PID").data, pid)


def test_starting_twice_starts_nothing_more():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "PID"})
        pid = d.call("PID").data
        r = d.xadmin("start", "-y", ok=False)
        contains(r.stderr, "0 processes started")
        equal(d.call("PID").data, pid)


def test_a_stopped_domain_starts_again():
    with Domain() as d:
        d.configure({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        for _ in range(5):
            d.boot()
            equal(d.client().call("ECHO", "x").data, "x")
            d.xadmin("stop", "-y")


def test_a_client_outlives_its_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = d.client()
        for _ in range(3):
            equal(c.call("ECHO", "x").data, "x")
            d.xadmin("stop", "-y")
            wait_for(lambda: c.call("ECHO", "x").err == "TPENOENT", "gone")
            d.boot()
            wait_for(lambda: c.call("ECHO", "x").err == "OK", "back")
