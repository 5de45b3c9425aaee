# SPDX-License-Identifier: Apache-2.0
"""xadmin acts on single servers and services of a running domain."""
import signal

from checks import contains, differs, equal, soon
from covers import covers
from fixture import Domain, kill, wait_for
from machine import stopped

MAINLY = "posix"


@covers("xadmin unadv", "xadmin readv")
def test_unadv_withdraws_a_service_and_readv_restores_it():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO UPPER"})
        for _ in range(3):
            d.xadmin("unadv", "-i", 1, "-s", "ECHO")
            wait_for(lambda: d.call("ECHO", "x").err == "TPENOENT", "gone")
            equal(d.call("UPPER", "x").data, "X")
            d.xadmin("readv", "-i", 1, "-s", "ECHO")
            wait_for(lambda: d.call("ECHO", "x").err == "OK", "back")


@covers("xadmin restart")
def test_restart_replaces_one_server():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "PID"}, {"srvid": 2,
                                               "appopt": "P2=PID"})
        one, two = d.call("PID").data, d.call("P2").data
        d.xadmin("restart", "-i", 1)
        differs(d.call("PID").data, one)
        equal(d.call("P2").data, two)


@covers("xadmin dping", "xadmin dpid")
def test_dping_and_dpid_reach_ndrxd():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        r = d.xadmin("dping", "-c", 2)
        contains(r.stdout + r.stderr, "loop 0: ndrxd_ping_seq=1")
        contains(d.xadmin("dpid").stdout, str(d.ndrxd_pid()))


def test_a_manually_started_server_joins_the_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        p = d.server(50, "HAND=ECHO")
        equal(d.call("HAND", "x").data, "x")
        equal(d.stop_server(p), 0)
        equal(d.call("HAND", "x").err, "TPENOENT")
        equal(d.call("ECHO", "x").data, "x")


def test_a_manually_started_server_is_reaped_after_its_death():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        p = d.server(50, "HAND=SLEEP")
        c = d.client()
        c.begin("call", "HAND", "-", "STRING:10000")
        wait_for(lambda: d.row("psc", service="HAND").status == "BUSY",
                 "at work")
        kill(p.pid)
        p.wait()
        equal(c.end().err, "TPESVCERR")
        wait_for(lambda: d.call("HAND", "x").err == "TPENOENT", "gone")


def test_unknown_commands_and_server_ids_have_exit_codes():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.xadmin("stpo", ok=False).returncode, 255)
        equal(d.xadmin("stop", "-i", 999, ok=False).returncode, 1)
        equal(d.xadmin("start", "-i", 999, ok=False).returncode, 1)
        equal(d.call("ECHO", "x").data, "x")


def test_with_strict_enduro_what_has_no_success_is_said_and_no_more():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.env["NDRX_COMPAT"] = "strict-enduro"
        for words in (("stop", "-i", 999), ("start", "-i", 999),
                      ("restart", "-y", "-s", "nosuch"), ("sreload", "-i", 999)):
            contains(d.xadmin(*words).stderr, "no server")
        equal(d.xadmin("stpo", ok=False).returncode, 255)
        equal(d.call("ECHO", "x").data, "x")


def test_a_manual_server_that_dies_before_ndrxd_hears_of_it_is_reaped():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        ndrxd = d.ndrxd_pid()
        kill(ndrxd, signal.SIGSTOP)
        wait_for(lambda: stopped(ndrxd), "stopped")
        p = d.spawn(50, "HAND=SLEEP")
        d.wait_ready(50)
        c = d.client()
        c.begin("call", "HAND", "-", "STRING:10000")
        wait_for(lambda: d.row("psc", service="HAND").status == "BUSY",
                 "at work")
        kill(p.pid)
        p.wait()
        kill(ndrxd, signal.SIGCONT)
        r = c.end()
        equal(r.err, "TPESVCERR")
        soon(r.ms, 3000)
