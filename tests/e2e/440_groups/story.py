# SPDX-License-Identifier: Apache-2.0
"""Process groups: start order, and singletons that run in one domain."""
import os

from checks import between, contains, equal
from covers import accepts, covers
from events import read_events
from fixture import Domain, alive, kill, wait_for

MAINLY = "shm"
COST = 10


def _groups(text):
    return f"<procgroups>{text}</procgroups>"


def _single(d, more=""):
    lock = d.env["GROUP_LOCK"]
    return _groups(f'<procgroup name="ONE" grpno="1" singleton="Y" '
                   f'lockfile="{lock}" {more}/>')


def _state(d, srvid):
    return d.row("ppm", srvid=srvid).state


def _texts(d, word="lock"):
    return [e.text for e in read_events(d) if e.word == word]

MEMBERS = [{"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO",
            "procgrp": "ONE"},
           {"srvid": 5, "appopt": "UPPER", "procgrp": "ONE"}]


@covers("noorder")
def test_noorder_starts_entries_side_by_side():
    slow = {"appopt": "init=sleep:700 ECHO", "procgrp": "G"}
    for noorder, low, high in (("Y", 0, 2), ("N", 2, 9)):
        with Domain() as d:
            d.boot(*[{"srvid": i, **slow} for i in (1, 2, 3, 4)],
                   sections=_groups(f'<procgroup name="G" grpno="1" '
                                    f'noorder="{noorder}"/>'))
            starts = [e.real_ns for e in read_events(d) if e.word == "start"]
            spread = (max(starts) - min(starts)) / 1e9
            between(spread, low, high,
                    f"seconds from first to last, noorder={noorder}")


@covers("procgroups", "procgroup", "procgrp", "procgrp_lp", "grpno")
@accepts("sg_nodes", "sg_nodes_verify")
def test_members_know_their_group():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ENV", "procgrp": "G"},
               {"srvid": 2, "appopt": "LP=ENV", "procgrp_lp": "G"},
               sections=_groups('<defaults sg_nodes_verify="Y"/><procgroup '
                                'name="G" grpno="7" sg_nodes="1,2"/>'))
        equal(d.call("ENV", "NDRX_PROCGRP_NO").data, "7")
        equal(d.call("LP", "NDRX_PROCGRP_LP_NO").data, "7")


@covers("singleton", "lockfile")
def test_a_singleton_group_moves_when_its_domain_stops():
    lock = f"/tmp/ow_e2e_lock_{os.getpid()}"
    try:
        with Domain({"GROUP_LOCK": lock}) as a, \
                Domain({"GROUP_LOCK": lock}) as b:
            a.boot(*MEMBERS, sections=_single(a))
            equal(a.call("ECHO", "x").data, "x")
            r = b.boot(*MEMBERS, sections=_single(b))
            equal(r.stderr.count("Waiting on group lock"), 3, r.stderr)
            equal({r.state for r in b.rows("ppm")}, {"wait"})
            equal(b.call("ECHO", "x").err, "TPENOENT")
            contains("\n".join(_texts(b)), "is held elsewhere")
            a.close_clients()
            a.xadmin("stop", "-y")
            wait_for(lambda: b.call("UPPER", "x").data == "X",
                     "it has moved", 3)
            order = [e.srvid for e in read_events(b) if e.word == "start"]
            equal(order[-1], 5, "in the order of the configuration")
    finally:
        os.unlink(lock)


def test_the_lock_outlives_a_killed_ndrxd():
    lock = f"/tmp/ow_e2e_lock_{os.getpid()}"
    try:
        with Domain({"GROUP_LOCK": lock}) as a, \
                Domain({"GROUP_LOCK": lock}) as b:
            a.boot(*MEMBERS, sections=_single(a))
            pids = {r.srvid: r.pid for r in a.rows("ppm")}
            a.kill_ndrxd()
            b.boot(*MEMBERS, sections=_single(b))
            equal({r.state for r in b.rows("ppm")}, {"wait"},
                  "members of the killed one hold it")
            a.xadmin("idle")
            equal({r.srvid: r.pid for r in a.rows("ppm")}, pids, "adopted")
            kill(pids[5])
            wait_for(lambda: a.pid(5) not in (0, pids[5]),
                     "the new ndrxd has the lock, too")
            equal({r.state for r in b.rows("ppm")}, {"wait"})
    finally:
        os.unlink(lock)


def test_a_replaced_lock_file_is_a_lost_lock():
    lock = f"/tmp/ow_e2e_lock_{os.getpid()}"
    try:
        with Domain({"GROUP_LOCK": lock}) as d:
            d.boot(*MEMBERS, sections=_single(d))
            before = {r.srvid: r.pid for r in d.rows("ppm")}
            os.unlink(lock)
            wait_for(lambda: all(not alive(p) for p in before.values()),
                     "members are killed")
            wait_for(lambda: {r.state for r in d.rows("ppm")} == {"runok"},
                     "and start again under a new lock")
            contains("\n".join(_texts(d)), "was removed or replaced")
            equal({r.restarts for r in d.rows("ppm")}, {0}, "no failures")
    finally:
        os.unlink(lock)


@covers("procgrp_lp")
def test_the_lock_provider_decides_whether_members_run():
    with Domain() as d:
        block = f"{d.home}/block"
        open(block, "w", encoding="utf-8").close()
        r = d.boot_any(
            {"srvid": 9, "appopt": f"init=failif:{block} PID",
             "procgrp_lp": "ONE"}, *MEMBERS,
            sections=_groups('<procgroup name="ONE" grpno="1" '
                             'singleton="Y" noorder="Y"/>'))
        equal(r.stderr.count("Waiting on group lock"), 3, r.stderr)
        os.unlink(block)
        wait_for(lambda: d.call("ECHO", "x").err == "OK", "provider ready",
                 15)
        members = [d.pid(1), d.pid(2), d.pid(5)]
        open(block, "w", encoding="utf-8").close()
        kill(d.pid(9))
        wait_for(lambda: not any(alive(p) for p in members),
                 "its death kills the members")
        wait_for(lambda: _state(d, 1) == "wait", "they wait again")
        os.unlink(block)
        wait_for(lambda: d.call("UPPER", "x").err == "OK", "again", 15)
        d.xadmin("stop", "-y")


def test_a_stopped_group_releases_its_lock():
    lock = f"/tmp/ow_e2e_lock_{os.getpid()}"
    try:
        with Domain({"GROUP_LOCK": lock}) as a, \
                Domain({"GROUP_LOCK": lock}) as b:
            a.boot(*MEMBERS, sections=_single(a))
            b.boot(*MEMBERS, sections=_single(b))
            a.xadmin("stop", "-s", "testsv")
            wait_for(lambda: b.call("ECHO", "x").err == "OK", "moved", 3)
    finally:
        os.unlink(lock)


def test_clients_of_a_singleton_group_run_in_one_domain():
    lock = f"/tmp/ow_e2e_lock_{os.getpid()}"
    section = ('<clients><client cmdline="sleep 1000"><exec tag="C" '
               'autostart="Y" procgrp="ONE"/></client></clients>')
    try:
        with Domain({"GROUP_LOCK": lock}) as a, \
                Domain({"GROUP_LOCK": lock}) as b:
            a.boot({"srvid": 90, "appopt": "PID"},
                   sections=_single(a) + section)
            b.boot({"srvid": 90, "appopt": "PID"},
                   sections=_single(b) + section)
            wait_for(lambda: a.rows("pc")[0].state == "runok", "here")
            contains(b.xadmin("pc").stdout, "waiting on group lock")
            a.xadmin("sc", "-t", "C")
            wait_for(lambda: b.rows("pc")[0].state == "runok", "there", 3)
    finally:
        os.unlink(lock)
