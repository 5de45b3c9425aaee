# SPDX-License-Identifier: Apache-2.0
"""What scripts of existing domains rely on: facts observed elsewhere."""
from checks import check, contains, equal
from fixture import Domain, alive, wait_for


def test_stop_returns_when_all_processes_are_gone_ndrxd_included():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"})
        pids = [d.ndrxd_pid(), *(r.pid for r in d.rows("ppm"))]
        equal(len(pids), 4)
        d.xadmin("stop", "-y")
        equal([p for p in pids if alive(p)], [])


def test_start_without_servers_starts_ndrxd():
    with Domain() as d:
        d.configure()
        r = d.xadmin("start", "-y")
        equal(r.returncode, 0)
        contains(r.stderr, "no server to start")
        check(alive(d.ndrxd_pid()), "ndrxd runs")


def test_cpmsrv_is_the_client_monitor_that_ndrxd_has():
    with Domain() as d:
        r = d.boot({"srvid": 1, "appopt": "ECHO"},
                   {"name": "cpmsrv", "srvid": 9999, "sysopt": "-e cpm -r",
                    "appopt": "-k3 -i1"},
                   sections='<clients><client cmdline="sleep 1000"><exec '
                   'tag="NAP" autostart="Y"/></client></clients>')
        contains(r.stderr, "1 processes started")
        wait_for(lambda: "NAP/- - running pid" in d.xadmin("pc").stdout,
                 "the client")


def test_settings_of_features_to_come_are_accepted():
    with Domain() as d:
        d.env["NDRX_NORMWAITMAX"] = "120"
        d.boot({"srvid": 1, "appopt": "ECHO"},
               appconfig="<brrefresh>6</brrefresh><rqaddrttl>10</rqaddrttl>"
               "<ddrreload>60</ddrreload>")
        equal(d.xadmin("appconfig", "brrefresh").stdout, "6\n")
        contains(d.xadmin("psvc", "-r").stdout, "ECHO")


def test_defaults_hold_for_the_servers_that_follow_them():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    sections="<defaults><min>2</min><max>2</max></defaults>"
                    '<servers><server name="testsv"><srvid>10</srvid>'
                    "<appopt>UPPER</appopt></server></servers>")
        d.xadmin("start", "-y")
        equal(sorted(r.srvid for r in d.rows("ppm")), [1, 10, 11])
        equal(d.call("UPPER", "x").data, "X")
