# SPDX-License-Identifier: Apache-2.0
"""Servers and callers look for a message before they sleep.

How often a process looks depends on the machine. These facts let processes
look for long, whenever they wait: 100 ms, <spin>always</spin>. What a look
leaves behind is what a sleep leaves behind.
"""
import signal

from checks import equal, promptly
from covers import covers
from fixture import Domain, kill, wait_for
from machine import stopped
from openmetrics import parse, value

LONG = {"NDRX_WAKE_POLICY": "look_max_ns=100000000 look_min_ns=100000000 "
        "look_sample=1"}
ALWAYS = "<spin>always</spin>"
CALLS = 500


def _looks(d, by):
    """Looks so far, and those that found a message."""
    families = parse(d.run("ndrxmetrics", "-1").stdout)
    return tuple(value(families, name, by=by) for name in (
        "onewake_looks", "onewake_look_hits"))


def _callers_look_as_usual(d):
    """Else a caller would nudge after 100 ms only."""
    del d.env["NDRX_WAKE_POLICY"]


def _call(d, calls=CALLS):
    r = d.client()("calls", "ECHO", calls, 1, 20)
    equal((r.ok, r.wrong), (calls, 0))


def _looks_find(d, *kinds):
    """Call until processes of these kinds have found messages by looking. A
    process counts its looks 256 at a time; on a busy machine many messages are
    there before it waits."""
    def found():
        _call(d)
        return all(_looks(d, by)[1] >= 256 for by in kinds)
    wait_for(found, f"messages found by looks of {kinds}")


def test_servers_and_callers_find_messages_by_looking():
    with Domain(env=LONG) as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"},
               appconfig=ALWAYS)
        _looks_find(d, "server", "caller")


@covers("spin")
def test_with_spin_0_no_process_looks():
    with Domain(env=LONG) as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"},
               appconfig="<spin>0</spin>")
        _call(d)
        equal([_looks(d, by) for by in ("server", "caller")], 2 * [(0, 0)])
    with Domain(env=LONG) as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, appconfig=ALWAYS)
        _looks_find(d, "server")  # what the default is depends on the machine


def test_the_setting_changes_while_the_domain_runs():
    with Domain(env=LONG) as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, appconfig="<spin>0</spin>")
        _call(d)
        equal(_looks(d, "server"), (0, 0))
        equal(d.xadmin("appconfig", "spin", "always").stdout, "always\n")
        _looks_find(d, "server")


def test_a_server_that_is_stopped_while_it_looks_delays_a_call_by_a_nudge():
    with Domain(env=LONG) as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "SRVID",
                "pingtime": 0}, appconfig=ALWAYS)
        _callers_look_as_usual(d)
        took = []
        for _ in range(20):
            # The server that has just replied looks for 100 ms.
            pid = d.pid(int(d.call("SRVID").data))
            kill(pid, signal.SIGSTOP)
            wait_for(lambda p=pid: stopped(p), "stopped")
            r = d.call("SRVID")
            equal(r.err, "OK")
            took.append(r.ms)
            kill(pid, signal.SIGCONT)
            wait_for(lambda: {r.status for r in d.rows("psc")} == {"AVAIL"},
                     "idle")
        promptly(took, 60, 300)


def test_a_server_that_is_killed_while_it_looks_loses_no_call():
    with Domain(env=LONG) as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "SRVID"},
               appconfig=ALWAYS)
        _callers_look_as_usual(d)
        took = []
        for _ in range(15):
            kill(d.pid(int(d.call("SRVID").data)), signal.SIGKILL)
            r = d.call("SRVID")
            equal(r.err, "OK")
            took.append(r.ms)
            wait_for(lambda: [r.status for r in d.rows("psc")] ==
                     3 * ["AVAIL"], "restarted")
        promptly(took, 60, 1200)
