# SPDX-License-Identifier: Apache-2.0
"""Programs ask whether a process group is locked in their domain."""
import os

from checks import equal
from fixture import Domain, wait_for

MAINLY = "shm"

GROUPS = ('<procgroups><procgroup name="ONE" grpno="3" singleton="Y" '
          'lockfile="{}"/><procgroup name="PLAIN" grpno="4"/></procgroups>')
SERVERS = [{"srvid": 1, "appopt": "LOCKED", "procgrp": "ONE"},
           {"srvid": 2, "appopt": "ASK=LOCKED"}]
NONSGSUCC = 0x1000


def _ask(d, svc, group, flags=0):
    """(error, result * 1000 + flags of the group)"""
    r = d.call(svc, f"{group} {flags}")
    return (r.data, r.urcode)


def test_members_and_others_see_who_holds_the_lock():
    lock = f"/tmp/ow_e2e_locked_{os.getpid()}"
    try:
        with Domain() as a, Domain() as b:
            a.boot(*SERVERS, sections=GROUPS.format(lock))
            b.boot(*SERVERS, sections=GROUPS.format(lock))
            equal(_ask(a, "LOCKED", 0), ("OK", 1032))
            equal(_ask(a, "ASK", 3), ("OK", 1032))
            equal(_ask(b, "ASK", 3), ("OK", 32))
            equal(b.client()("locked", 3).result, 0)
            a.close_clients()
            a.xadmin("stop", "-y")
            wait_for(lambda: _ask(b, "ASK", 3) == ("OK", 1032),
                     "it has moved", 5)
    finally:
        os.unlink(lock)


def test_errors_are_told_apart():
    lock = f"/tmp/ow_e2e_locked_{os.getpid()}"
    try:
        with Domain() as d:
            d.boot(*SERVERS, sections=GROUPS.format(lock))
            equal(_ask(d, "ASK", 4), ("TPEINVAL", -1000))
            equal(_ask(d, "ASK", 4, NONSGSUCC), ("OK", 1000))
            equal(_ask(d, "ASK", 5), ("TPENOENT", -1000))
            equal(_ask(d, "ASK", 0), ("TPEINVAL", -1000))
            equal(_ask(d, "ASK", 65), ("TPEINVAL", -1000))
            equal(_ask(d, "ASK", -1), ("TPEINVAL", -1000))
            equal(_ask(d, "ASK", 3, 1), ("TPEINVAL", -1000))
            d.kill_ndrxd()
            equal(_ask(d, "ASK", 3), ("TPESYSTEM", -1000))
            d.xadmin("idle")
            wait_for(lambda: _ask(d, "ASK", 3) == ("OK", 1032), "again")
    finally:
        os.unlink(lock)


def test_without_a_domain_there_is_no_group():
    with Domain() as d:
        r = d.client()("locked", 3)
        equal((r.err, r.result), ("TPENOENT", -1))
