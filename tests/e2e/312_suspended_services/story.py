# SPDX-License-Identifier: Apache-2.0
"""An operator suspends a service: no call reaches it until it is resumed."""
from checks import contains, ended, equal, lacks, promptly
from covers import covers
from fixture import Domain, kill, wait_for


def _suspended(d, svc="ECHO"):
    r = d.call(svc, "x")
    equal(r.err, "TPENOENT")
    contains(r.text, f"service {svc} is suspended")


@covers("xadmin suspend", "xadmin resume")
def test_callers_of_a_suspended_service_get_tpenoent_until_it_is_resumed():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO UPPER FORWARD"})
        c = d.client()
        equal(c.call("ECHO", "x").data, "x")
        for _ in range(3):
            d.xadmin("suspend", "-s", "ECHO")
            _suspended(d)
            equal(c.call("ECHO", "x").err, "TPENOENT", "of an open queue")
            equal(c("acall", "ECHO", "-", "STRING:x").err, "TPENOENT")
            equal(c("connect", "ECHO", "TPSENDONLY", "-").err, "TPENOENT")
            equal(c.call("FORWARD", "ECHO x").err, "TPESVCERR")
            equal(c.call("UPPER", "x").data, "X", "another service")
            d.xadmin("resume", "-s", "ECHO")
            equal(d.call("ECHO", "x").data, "x")
            equal(c.call("ECHO", "x").data, "x")
            equal(c.call("FORWARD", "ECHO x").data, "x")


def test_it_stays_suspended_whoever_dies_and_starts():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("suspend", "-s", "ECHO")
        for _ in range(3):
            old = d.pid(1)
            kill(old)
            wait_for(lambda: d.pid(1) not in (0, old), "restarted")
            _suspended(d)
        d.xadmin("stop", "-y", "-i", 1)
        equal(d.row("psvc", service="ECHO").suspended, True)
        d.xadmin("start", "-y", "-i", 1)
        p = d.server(50, "ECHO")
        _suspended(d)
        equal(d.stop_server(p), 0)
        d.kill_ndrxd()
        _suspended(d)
        d.xadmin("idle")
        _suspended(d)
        d.xadmin("reload")
        _suspended(d)
        d.xadmin("resume", "-s", "ECHO")
        equal(d.call("ECHO", "x").data, "x")


def test_requests_in_the_queue_are_served():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP"})
        one, two = d.client(), d.client()
        one.begin("call", "SLEEP", "-", "STRING:5000")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "at work")
        two.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLEEP").queued == 1, "it waits")
        d.xadmin("suspend", "-s", "SLEEP")
        _suspended(d, "SLEEP")
        equal((one.end().err, two.end().err), ("OK", "OK"))
        _suspended(d, "SLEEP")


def test_listings_metrics_and_the_history_show_it():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO UPPER"})
        d.xadmin("suspend", "-s", "ECHO")
        psc = {r.service: (r.status, r.suspended) for r in d.rows("psc")}
        equal(psc["ECHO"], ("SUSP", True))
        equal(psc["UPPER"], ("AVAIL", False))
        equal(d.row("psvc", service="ECHO").servers, 1)
        flags = {w[1]: w[3] for w in
                 (n.split() for n in d.xadmin("psvc").stdout.splitlines())}
        equal((flags["ECHO"], flags["UPPER"]), ("1", "0"))
        contains(d.xadmin("doctor", ok=False).stdout, "suspended services")
        r = d.run("ndrxtop", "-b", "-d", "0.1", "-w", "180", "-s", "services")
        contains(r.stdout, "ECHO is suspended")
        text = d.run("ndrxmetrics", "-1").stdout
        contains(text, 'onewake_service_suspended{service="ECHO"} 1')
        contains(text, 'onewake_service_suspended{service="UPPER"} 0')
        contains(text, 'onewake_service_servers{service="ECHO"} 1')
        events = d.xadmin("events").stdout
        contains(events, "suspend ECHO")
        d.xadmin("resume", "-s", "ECHO")
        lacks(d.xadmin("doctor", ok=False).stdout, "suspended services")
        equal(d.row("psc", service="ECHO").status, "AVAIL")


def test_what_cannot_be_suspended():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               {"name": "tpevsrv", "srvid": 9})
        ended(d.xadmin("suspend", "-s", "NOSUCH", ok=False), 1,
              "NOSUCH: no such service")
        ended(d.xadmin("suspend", "-s", "@TPEVPOST", ok=False), 1,
              "a service of the system")
        ended(d.xadmin("suspend", ok=False), 2, "-s SVC")
        contains(d.xadmin("resume", "-s", "ECHO").stdout, "not suspended")
        d.xadmin("suspend", "-s", "ECHO")
        contains(d.xadmin("susp", "-s", "ECHO").stdout, "already")
        r = d.run("tmadmin", text="res -s ECHO\n")
        equal(r.returncode, 0, r.stderr)
        equal(d.call("ECHO", "x").data, "x")


def test_another_domain_of_the_same_name_begins_without():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("suspend", "-s", "ECHO")
        d.xadmin("stop", "-y")
        d.xadmin("start", "-y")
        equal(d.call("ECHO", "x").data, "x")


def test_a_resumed_service_is_there_at_once():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c, took = d.client(), []
        for _ in range(10):
            d.xadmin("suspend", "-s", "ECHO")
            r = c.call("ECHO", "x")
            equal(r.err, "TPENOENT")
            took.append(r.ms)
            d.xadmin("resume", "-s", "ECHO")
            equal(c.call("ECHO", "x").data, "x")
        promptly(took, 5, 50, "refusals")
