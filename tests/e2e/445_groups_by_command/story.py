# SPDX-License-Identifier: Apache-2.0
"""Groups at the command line: psg, ppm -3, start, stop and restart -g."""
import os

from checks import check, contains, equal
from covers import covers
from fixture import Domain, wait_for

MAINLY = "posix"

GROUPS = ('<procgroups><procgroup name="A" grpno="3"/>'
          '<procgroup name="B" grpno="4" noorder="Y" singleton="Y" '
          'lockfile="{}"/></procgroups>')
MEMBERS = [{"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO",
            "procgrp": "A"},
           {"srvid": 10, "appopt": "UPPER", "procgrp": "B"},
           {"srvid": 20, "appopt": "LP=ECHO", "procgrp_lp": "B"},
           {"srvid": 30, "appopt": "FREE=ECHO"}]


def _boot(d):
    d.boot(*MEMBERS,
           sections=GROUPS.format(os.path.join(d.home, "B.lock")))
    wait_for(lambda: d.pid(10), "the member of B")


def _pids(d):
    return {i: d.pid(i) for i in (1, 2, 10, 20, 30)}


@covers("xadmin psg")
def test_groups_are_listed_with_their_locks():
    with Domain() as d:
        _boot(d)
        a, b = d.rows("psg")
        equal((a.grpno, a.group, a.singleton, a.members), (3, "A", False, 2))
        equal((b.group, b.noorder, b.locked, b.provider_srvid),
              ("B", True, True, 20))
        r = d.xadmin("psg")
        equal(r.stderr.splitlines()[0], "SGID LCKD MMON SBOOT CBOOT LPSRVID "
              "   LPPID LPPROCNM          REFRESH RSN FLAGS")
        rows = [line.split() for line in r.stdout.splitlines()]
        equal(rows[0][:5], ["3", "-", "N", "Y", "Y"])
        equal(rows[1], ["4", "Y", "N", "Y", "Y", "20", str(d.pid(20)),
                        "testsv", "0", "0", "sn"])
        r = d.xadmin("psg", "-a")
        equal(r.stderr.splitlines()[0].split(), ["SGID", "CNODES",
                                                 "SEQUENCE"])
        equal(r.stdout.splitlines()[1].split()[1], "1" + 31 * "0")


def test_ppm_shows_the_group_of_each_process():
    with Domain() as d:
        _boot(d)
        rows = {int(line.split()[1]): line.split()[4:]
                for line in d.xadmin("ppm", "-3").stdout.splitlines()}
        equal(rows[1], ["A", "3", "-", "0", "0"])
        equal(rows[20], ["-", "0", "B", "4", "4"])
        equal(rows[30], ["-", "0", "-", "0", "0"])
        flags = {int(line.split()[1]): line.split()[13:]
                 for line in d.xadmin("ppm").stdout.splitlines()}
        equal((flags[20], flags[1]), (["L"], []))
        equal(d.row("ppm", srvid=10).procgrp, "B")


def test_a_group_is_stopped_started_and_restarted():
    with Domain() as d:
        _boot(d)
        before = _pids(d)
        r = d.xadmin("stop", "-y", "-g", "A")
        contains(r.stderr, "2 processes stopped")
        equal({k for k, v in _pids(d).items() if v}, {10, 20, 30})
        r = d.xadmin("start", "-y", "-g", "A")
        contains(r.stderr, "2 processes started")
        after = _pids(d)
        equal((after[10], after[20], after[30]),
              (before[10], before[20], before[30]), "the others run on")
        d.xadmin("restart", "-y", "-g", "A")
        equal(set(_pids(d).values()) & {after[1], after[2]}, set())
        d.xadmin("sreload", "-y", "-g", "A")
        equal(d.call("ECHO", "x").data, "x")
        equal(d.xadmin("start", "-y", "-g", "NONE", ok=False).returncode, 1)


def test_option_l_includes_the_lock_provider():
    with Domain() as d:
        _boot(d)
        r = d.xadmin("stop", "-y", "-g", "B")
        contains(r.stderr, "1 processes stopped")
        equal(d.pid(10), 0)
        check(d.pid(20), "the lock provider runs on")
        d.xadmin("start", "-y", "-g", "B")
        d.xadmin("stop", "-y", "-g", "B", "-L")
        equal((d.pid(10), d.pid(20)), (0, 0))
        d.xadmin("start", "-y", "-g", "B", "-L")
        wait_for(lambda: d.pid(10) and d.pid(20), "both")


@covers("xadmin config")
def test_config_shows_groups_and_clients():
    with Domain() as d:
        d.configure(*MEMBERS, sections=GROUPS.format("/x.lock") + (
            '<clients><client cmdline="feed"><exec tag="F" autostart="Y"/>'
            "</client></clients>"))
        rows = {(r.section, r.name): r for r in d.rows("config")}
        path = d.env["NDRX_CONFIG"]
        for key, value, given in (
                (("group A", "grpno"), "3", True),
                (("group A", "singleton"), "N", False),
                (("group B", "lockfile"), "/x.lock", True),
                (("client F/-", "cmdline"), "feed", True),
                (("client F/-", "autostart"), "Y", True),
                (("client F/-", "klevel"), "0", False)):
            equal(rows[key].value, value, key)
            equal(rows[key].origin.startswith(path), given, key)
