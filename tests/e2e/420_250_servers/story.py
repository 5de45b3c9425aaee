# SPDX-License-Identifier: Apache-2.0
"""250 servers and 60 client contexts stay within the stock limits."""
from checks import contains, equal
from fixture import Domain

COST = 8
HEAVY = True


def test_a_domain_of_250_servers_starts_serves_and_stops():
    with Domain(small=False) as d:
        r = d.boot({"srvid": 1, "min": 250, "max": 250, "appopt": "ECHO PID"})
        contains(r.stderr[-500:], "250 processes started")
        r = d.client()("contexts", "ECHO", 60)
        equal((r.ok, r.wrong, r.errors), (120, 0, {}))
        r = d.client()("calls", "ECHO", 100, 60, 20, seconds=40)
        equal((r.ok, r.wrong, r.errors), (6000, 0, {}))
        served = [x for x in d.rows("psc") if x.service == "ECHO"]
        equal(len(served), 250)
        equal(sum(x.succeeded for x in served), 6120)
        d.close_clients()
        d.xadmin("stop", "-y", seconds=40)
        equal(d.leftovers(), [])
