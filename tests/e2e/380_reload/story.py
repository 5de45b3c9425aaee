# SPDX-License-Identifier: Apache-2.0
"""The configuration is reloaded while the domain runs."""
import os

from checks import contains, differs, equal, lacks
from covers import covers
from fixture import Domain, wait_for

MAINLY = "posix"

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}


def _pids(d):
    return {r.srvid: r.pid for r in d.rows("ppm") if r.pid}


@covers("xadmin reload")
def test_reload_adds_a_server():
    with Domain() as d:
        d.boot(ECHO)
        before = _pids(d)
        d.configure(ECHO, {"srvid": 10, "appopt": "UPPER"})
        d.xadmin("reload")
        d.xadmin("start", "-y", ok=False)
        equal(d.call("UPPER", "x").data, "X")
        after = _pids(d)
        equal({k: after[k] for k in before}, before, "the others run on")


def test_reload_starts_new_servers_in_a_started_domain_without_servers():
    with Domain() as d:
        d.boot({**ECHO, "min": 0})
        d.configure({**ECHO, "min": 1})
        d.xadmin("reload")
        equal(sorted(_pids(d)), [1])
        d.xadmin("stop", "-i", 1)
        d.kill_ndrxd()
        d.xadmin("idle")
        d.configure({**ECHO, "min": 1}, {"srvid": 10, "appopt": "UPPER"})
        d.xadmin("reload")
        equal(sorted(_pids(d)), [10], "the stopped one stays down")


def test_reload_starts_nothing_in_a_domain_that_was_not_started():
    with Domain() as d:
        d.configure({**ECHO, "min": 0})
        d.xadmin("idle")
        d.configure(ECHO)
        d.xadmin("reload")
        equal(_pids(d), {})
        contains(d.xadmin("start", "-y").stderr, "2 processes started")


def test_a_wrong_configuration_changes_nothing():
    with Domain() as d:
        d.boot(ECHO)
        before = _pids(d)
        with open(d.env["NDRX_CONFIG"], encoding="utf-8") as f:
            good = f.read()
        for bad, words in (
                (good.replace("<min>2</min>", "<min>two</min>"),
                 ("ndrxconfig.xml:", "min")),
                (good.replace("</servers>", ""), ("ndrxconfig.xml:",)),
                (good.replace("<srvid>1</srvid>", ""),
                 ("ndrxconfig.xml:", "srvid")),
                ("", ("ndrxconfig.xml",))):
            with open(d.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
                f.write(bad)
            for verb in ("reload", "testcfg"):
                r = d.xadmin(verb, ok=False)
                equal(r.returncode, 1, verb)
                for word in words:
                    contains(r.stderr, word)
                lacks(r.stderr, "finished")
            equal(_pids(d), before)
            equal(d.call("ECHO", "x").data, "x")


def test_reload_refuses_to_give_the_id_of_a_running_server_to_another():
    with Domain() as d:
        d.boot(ECHO, {"srvid": 10, "appopt": "UPPER"})
        d.configure(ECHO, {"name": "ndrxmetricssv", "srvid": 10})
        r = d.xadmin("reload", ok=False)
        equal(r.returncode, 1)
        contains(r.stderr, "id 10 still runs as testsv")
        equal(d.call("UPPER", "x").data, "X")


@covers("xadmin sreload")
def test_sreload_replaces_servers_without_a_failed_call():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 4, "max": 4, "appopt": "ECHO"})
        before = _pids(d)
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "ECHO", 0, 4, 30, stop)
        d.xadmin("sreload", "-y")
        open(stop, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.wrong, r.errors), (0, {}))
        after = _pids(d)
        equal(len(after), 4)
        for srvid, pid in before.items():
            differs(after[srvid], pid, f"server {srvid} is new")


def test_sreload_takes_names_of_programs():
    with Domain() as d:
        d.boot(ECHO)
        before = _pids(d)
        contains(d.xadmin("sreload", "testsv").stderr,
                 "2 processes reloaded")
        equal(set(before.values()) & set(_pids(d).values()), set())


def test_reload_reduces_the_number_of_servers():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"})
        d.xadmin("stop", "-s", "testsv")
        wait_for(lambda: d.call("ECHO", "x").err == "TPENOENT", "stopped")
        d.configure({"srvid": 1, "min": 1, "max": 3, "appopt": "ECHO"})
        d.xadmin("reload")
        d.xadmin("start", "-y")
        equal(len(_pids(d)), 1)


@covers("xadmin reload")
def test_a_server_that_is_no_longer_configured_is_stopped_as_it_was():
    with Domain() as d:
        stays = {"srvid": 1, "appopt": "ECHO"}
        d.boot(stays, {"srvid": 2, "appopt": "UPPER"},
               {"srvid": 3, "min": 2, "max": 2, "appopt": "PID"})
        pid = d.pid(1)
        d.configure(stays)
        said = d.xadmin("reload")
        contains(said.stdout + said.stderr, "no longer configured: is stopped")
        wait_for(lambda: list(_pids(d)) == [1], "gone")
        equal((d.pid(1), d.call("ECHO", "x").data), (pid, "x"))
        equal(d.call("UPPER", "x").err, "TPENOENT")
        equal(d.call("PID").err, "TPENOENT")
        d.configure(stays, {"srvid": 2, "appopt": "PID"})
        d.xadmin("reload")
        wait_for(lambda: d.call("PID").data == str(d.pid(2)), "back")
