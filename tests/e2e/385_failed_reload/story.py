# SPDX-License-Identifier: Apache-2.0
"""New servers do not start: a reload stops at the first one, the others run
on; testcfg finds most reasons beforehand."""
import os
import random
import shutil
import time

from checks import contains, differs, ended, equal
from covers import covers
from events import read_events
from fixture import Domain, holds, kill, wait_for

MAINLY = "shm"
COST = 17


def _noticed(d):
    return [e for e in read_events(d) if e.word == "changed"]


def _pids(d):
    return {r.srvid: r.pid for r in d.rows("ppm") if r.pid}


class _Block:
    """While its file exists, tpsvrinit() of the servers fails."""

    def __init__(self, d):
        self.path = os.path.join(d.home, "block")
        self.option = f"init=failif:{self.path}"

    def close(self):
        open(self.path, "w", encoding="utf-8").close()

    def open(self):
        os.unlink(self.path)


def _some(block, **more):
    return {"srvid": 1, "min": 3, "max": 3,
            "appopt": f"{block.option} ECHO", **more}


@covers("xadmin sreload")
def test_a_failed_sreload_leaves_the_others_running():
    with Domain() as d:
        block = _Block(d)
        d.boot(_some(block))
        before = _pids(d)
        block.close()
        r = d.xadmin("sreload", "-y", ok=False)
        ended(r, 1, "testsv id 1: Died")
        contains(r.stderr, "2 servers run as before")
        after = _pids(d)
        equal({k: after.get(k) for k in (2, 3)},
              {k: before[k] for k in (2, 3)})
        equal(d.call("ECHO", "x").data, "x")
        block.open()
        wait_for(lambda: len(_pids(d)) == 3, "the first one starts", 10)
        d.xadmin("sreload", "-y")
        for srvid, pid in _pids(d).items():
            differs(pid, before[srvid], f"server {srvid} is new")


def test_a_failed_sreload_stops_nothing_where_an_id_is_free():
    with Domain() as d:
        block = _Block(d)
        d.boot(_some(block, max=4))
        before = _pids(d)
        block.close()
        r = d.xadmin("sreload", "-y", ok=False)
        ended(r, 1, "testsv id 4: Died")
        contains(r.stderr, "3 servers run as before")
        equal(_pids(d), before)
        equal(d.row("ppm", srvid=4).requested, "exit", "not tried again")
        block.open()
        d.xadmin("sreload", "-y")
        after = _pids(d)
        equal(sorted(after), [1, 2, 3], "the helper has ended")
        for srvid, pid in after.items():
            differs(pid, before[srvid], f"server {srvid} is new")


def test_a_server_that_dies_when_it_is_ready_ends_the_reload_too():
    for ids, first in ((3, 1), (4, 4)):
        with Domain() as d:
            block = os.path.join(d.home, "block")
            d.boot({"srvid": 1, "min": 3, "max": ids,
                    "appopt": f"init=dieif:{block} ECHO"})
            before = _pids(d)
            open(block, "w", encoding="utf-8").close()
            r = d.xadmin("sreload", "-y", ok=False)
            ended(r, 1, f"testsv id {first}:", "after its start")
            after = _pids(d)
            for srvid in (2, 3):
                equal(after.get(srvid), before[srvid])
            equal(d.row("ppm", srvid=4) is None or
                  d.row("ppm", srvid=4).requested, True if ids == 3
                  else "exit")
            os.unlink(block)


def test_one_server_is_replaced_without_a_failed_call_where_an_id_is_free():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 1, "max": 2, "appopt": "ECHO"})
        before = d.pid(1)
        stop = os.path.join(d.home, "stop")
        c = d.client()
        c.begin("calls", "ECHO", 0, 4, 30, stop)
        d.xadmin("sreload", "-y")
        open(stop, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.wrong, r.errors), (0, {}))
        differs(d.pid(1), before)
        equal(sorted(_pids(d)), [1])


def test_a_failed_reload_leaves_the_others_running():
    with Domain() as d:
        other = {"srvid": 10, "min": 2, "max": 2}
        gone = {"srvid": 20, "max": 2, "appopt": "COUNT"}
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"},
               {**other, "appopt": "UPPER"}, {**gone, "min": 2})
        before = _pids(d)
        new = ({**other, "appopt": "UPPER PID"}, {**gone, "min": 1})
        d.configure({"srvid": 1, "min": 3, "max": 3,
                     "appopt": "init=fail ECHO"}, *new)
        r = d.xadmin("reload", ok=False)
        ended(r, 1, "testsv id 1: Died")
        contains(r.stderr, "run as before")
        after = _pids(d)
        left = (2, 3, 10, 11, 20, 21)
        equal({k: after.get(k) for k in left}, {k: before[k] for k in left})
        equal((d.call("ECHO", "x").data, d.call("UPPER", "x").data),
              ("x", "X"))
        # What was left undone is done by the next reload.
        d.configure({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO INFO"},
                    *new)
        d.xadmin("reload")
        wait_for(lambda: len(_pids(d)) == 6, "all run", 10)
        after = _pids(d)
        equal(sorted(after), [1, 2, 3, 10, 11, 20])
        for srvid in (1, 2, 3, 10, 11):
            differs(after[srvid], before[srvid], f"server {srvid} is new")
        equal(after[20], before[20])
        equal(d.call("PID").err, "OK")


def test_after_a_failed_reload_an_old_server_that_dies_comes_back_as_it_was():
    with Domain() as d:
        old = {"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"}
        d.boot(old)
        before = _pids(d)
        d.configure({**old, "appopt": "init=fail ECHO"})
        ended(d.xadmin("reload", ok=False), 1, "testsv id 1: Died")
        for _ in range(2):
            was = d.pid(2)
            kill(was)
            wait_for(lambda: d.pid(2) not in (0, was), "2 is back", 10)
        equal(d.pid(3), before[3])
        equal(d.call("ECHO", "x").data, "x")
        contains(d.xadmin("ppm").stdout, "runok")
        # A reload replaces the one that came back, too.
        was = d.pid(2)
        d.configure({**old, "appopt": "ECHO UPPER"})
        d.xadmin("reload")
        wait_for(lambda: len(_pids(d)) == 3, "all run", 10)
        differs(d.pid(2), was)
        # An order to start one means the configuration in force.
        d.configure({**old, "appopt": "init=fail ECHO"})
        d.xadmin("reload", ok=False)
        d.xadmin("stop", "-i", 2)
        ended(d.xadmin("start", "-i", 2, ok=False), 1, "Died")
        d.configure(old)
        d.xadmin("reload")


def test_reloads_meet_servers_that_are_about_to_fail():
    """A server that has said HELLO and died is asked to stop: under
    AddressSanitizer ndrxd ended here within a few rounds."""
    old = {"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"}
    with Domain() as d:
        d.boot(old)
        ndrxd, rnd = d.ndrxd_pid(), random.Random(3)
        for _ in range(15):
            d.configure({**old, "appopt": "init=fail ECHO"})
            d.xadmin("reload", ok=False)
            time.sleep(rnd.uniform(0, 0.25))  # into one of its new starts
            d.configure(old)
            d.xadmin("reload")
            wait_for(lambda: len(_pids(d)) == 3, "all run", 10)
        equal(d.ndrxd_pid(), ndrxd)


def test_a_failed_new_entry_of_a_reload_stops_nothing():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        before = _pids(d)
        changed = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO PID"}
        d.configure(changed, {"srvid": 10, "appopt": "init=fail UPPER"})
        ended(d.xadmin("reload", ok=False), 1, "testsv id 10: Died")
        equal({k: _pids(d).get(k) for k in before}, before)
        d.configure(changed, {"srvid": 10, "appopt": "UPPER"})
        d.xadmin("reload")
        wait_for(lambda: sorted(_pids(d)) == [1, 2, 10], "all run", 10)
        for srvid in before:
            differs(_pids(d)[srvid], before[srvid], f"server {srvid} is new")


# ---- found beforehand ----

def _broken(d):
    """Elements of a server, and what is said about them."""
    def path(name):
        return os.path.join(d.home, name)

    open(path("plain"), "w", encoding="utf-8").close()
    with open(path("env"), "w", encoding="utf-8") as f:
        f.write("A=1\nno assignment\n")
    return ((({"name": "nosuchsv"}), "nosuchsv"),
            ({"fullpath": path("absent")}, f"{path('absent')}: No such file"),
            ({"fullpath": path("plain")}, "Permission denied"),
            ({"env": path("absent.env")}, "absent.env: No such file"),
            ({"env": path("env")}, "env:2:"),
            ({"sysopt": "-Q"}, "-Q"),
            ({"sysopt": "-D"}, "-D"),
            ({"cmdline": "/nonexistent/wrapper ${NDRX_SVCLOPT}"},
             "/nonexistent/wrapper"))


def test_testcfg_and_reload_find_what_keeps_a_server_from_starting():
    with Domain() as d:
        server = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}
        d.boot(server)
        before = _pids(d)
        for change, says in _broken(d):
            for broken in ({**server, **change, "name": "testsv",
                            **({"fullpath": "/nonexistent/nosuchsv"}
                               if "name" in change else {})},
                           {"srvid": 10, **change}):
                d.configure(*([broken] if broken["srvid"] == 1 else
                              [server, broken]))
                for verb in ("testcfg", "reload"):
                    r = d.xadmin(verb, ok=False)
                    equal(r.returncode, 1, f"{verb} {change}")
                    contains(r.stdout + r.stderr, says)
                    contains(r.stdout + r.stderr, "ndrxconfig.xml:")
                equal(_pids(d), before)
        # Without ndrxd, xadmin finds the same.
        d.xadmin("stop", "-y")
        for change, says in _broken(d):
            d.configure({"srvid": 1, **change})
            r = d.xadmin("testcfg", ok=False)
            equal(r.returncode, 1, change)
            contains(r.stdout + r.stderr, says)


def test_testcfg_names_folders_of_logs_that_are_not_there():
    with Domain() as d:
        server = {"srvid": 1, "appopt": "ECHO"}
        for change, client in (
                ({"sysopt": "-e ${NDRX_APPHOME}/no/x.log"}, ""),
                ({"sysopt": "-o no/x.log"}, ""),
                ({"xml": "<env name=\"NDRX_ULOG\">/nonexistent/no</env>"},
                 ""),
                ({}, "log=\"no/x.log\""), ({}, "stderr=\"no/x.log\""),
                ({}, "wd=\"/nonexistent/no\""), ({}, "env=\"no/env\"")):
            d.configure({**server, **change}, sections="<clients><client "
                        f"cmdline=\"testcl\" {client}><exec tag=\"T\"/>"
                        "</client></clients>")
            r = d.xadmin("testcfg", ok=False)
            equal(r.returncode, 1, f"{change} {client}")
            contains(r.stdout, "/no" if "/nonexistent" in str(change) + client
                     else "no/")
        d.configure({**server, "sysopt": "-e ${NDRX_APPHOME}/log/"
                     "${NDRX_SVSRVID}.log"})
        d.xadmin("testcfg")


def test_sreload_of_a_program_that_is_gone_stops_nothing():
    with Domain() as d:
        own = os.path.join(d.home, "own")
        shutil.copy(d.program("testsv"), own)
        d.boot({"srvid": 1, "min": 2, "max": 2, "fullpath": own,
                "appopt": "ECHO"})
        before = _pids(d)
        os.unlink(own)
        for verb in ("sreload", "restart"):
            r = d.xadmin(verb, "-y", "-s", "testsv", ok=False)
            ended(r, 1, own)
            equal(_pids(d), before, verb)
        equal(d.call("ECHO", "x").data, "x")


# ---- a changed program ----

@covers("reloadonchange")
def test_a_changed_program_that_does_not_start_replaces_one_server():
    with Domain() as d:
        own = os.path.join(d.home, "changing")
        shutil.copy(d.program("testsv"), own)
        d.boot({"srvid": 1, "min": 3, "max": 3, "fullpath": own,
                "appopt": "ECHO", "reloadonchange": "Y"},
               settings={"checkpm": "100ms"})
        before = _pids(d)
        shutil.copy("/bin/false", own + ".new")
        os.rename(own + ".new", own)
        wait_for(lambda: _noticed(d), "noticed", 5)
        wait_for(lambda: len(_pids(d)) < 3, "one is replaced", 5)
        holds(lambda: len([p for p in before.values()
                           if p in _pids(d).values()]) == 2,
              "the others run on", 2)
        shutil.copy(d.program("testsv"), own + ".new")
        os.rename(own + ".new", own)
        wait_for(lambda: len(_pids(d)) == 3 and
                 not set(before.values()) & set(_pids(d).values()),
                 "all are replaced", 20)
