# SPDX-License-Identifier: Apache-2.0
"""Queued requests are served by priority."""
from checks import equal
from covers import covers
from fixture import SLOW, Domain, wait_for

# Milliseconds of work: `psc` has to run while the server is at work.
WORK = int(1500 * SLOW)
# Requests wait meanwhile, on a busy machine for long: none is lost.
TOUT = {"NDRX_TOUT": f"{60 * SLOW:.0f}"}


def _send(c, prio, flags="TPABSOLUTE"):
    equal(c("prio", prio, flags).ret, 0)
    equal(c("acall", "LOG", "TPNOREPLY", f"STRING:{prio}").ret, 0)


def _order(d, *prios, flags="TPABSOLUTE"):
    c = d.client()
    c("acall", "SLEEP", "TPNOREPLY", f"STRING:{WORK}")
    wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
             "the server at work")
    for p in prios:
        _send(c, p, flags)
    wait_for(lambda: d.row("psc", service="LOG").succeeded >= len(prios),
             "all served")
    return d.call("GETLOG").data.split()


def test_requests_of_higher_priority_are_served_first():
    with Domain(env=TOUT) as d:
        d.server(1, "SLEEP", "LOG", "GETLOG")
        equal(_order(d, 10, 90, 50, 100), ["100", "90", "50", "10"])


def test_relative_priorities_change_the_order():
    with Domain(env=TOUT) as d:
        d.server(1, "SLEEP", "LOG", "GETLOG")
        equal(_order(d, -20, 20, 0, flags="-"), ["20", "0", "-20"])


def test_requests_of_equal_priority_keep_their_order():
    with Domain() as d:
        d.server(1, "SLEEP", "LOG", "GETLOG")
        c = d.client()
        for i in range(4):
            c("acall", "LOG", "TPNOREPLY", f"STRING:{i}")
        wait_for(lambda: d.row("psc", service="LOG").succeeded == 4, "all")
        equal(d.call("GETLOG").data, "0 1 2 3 ")


@covers("prio")
def test_the_configuration_sets_the_priority_of_a_service():
    rows = ('<services><defaults prio="{}"/><service svcnm="LOG"/>'
            '<service svcnm="SLEEP" prio="3"/></services>')
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "SLEEP LOG GETLOG"},
                    sections=rows.format(80))
        d.xadmin("start", "-y")
        c = d.client()
        equal((c.call("LOG", "x").err, c("lastprio").ret), ("OK", 80))
        equal((c.call("SLEEP", "0").err, c("lastprio").ret), ("OK", 3))
        equal((c.call("GETLOG").err, c("lastprio").ret), ("OK", 50))
        d.configure({"srvid": 1, "appopt": "SLEEP LOG GETLOG"},
                    sections=rows.format(20))
        d.xadmin("reload")
        equal((c.call("LOG", "x").err, c("lastprio").ret), ("OK", 20))
        d.configure({"srvid": 1, "appopt": "SLEEP LOG GETLOG"})
        d.xadmin("reload")
        equal((c.call("LOG", "x").err, c("lastprio").ret), ("OK", 50))
