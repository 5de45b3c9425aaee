# SPDX-License-Identifier: Apache-2.0
"""Servers that do not start have distinct states, which scripts look for."""
import os
import time

from checks import at_most, contains, equal, soon
from fixture import Domain, kill, wait_for
from machine import Skip

MAINLY = "shm"
COST = 6


def _start(d, server, state, text):
    r = d.boot_any({"srvid": 1, "appopt": "ECHO"},
                   {"srvid": 5, "respawn": "N", **server})
    contains(r.stderr, text)
    row = d.row("ppm", srvid=5)
    equal(row.state, state, row.reason)
    equal(d.call("ECHO", "x").data, "x", "the other one runs")
    return row


def test_a_missing_program_is_nobin():
    with Domain() as d:
        _start(d, {"name": "nosuchsv"}, "nobin", "No such file or directory")


def test_servers_that_failed_are_an_exit_status_unless_forgiven():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    {"srvid": 5, "name": "nosuchsv", "respawn": "N"})
        equal(d.xadmin("start", "-y", ok=False).returncode, 1)
        r = d.xadmin("start", "-y", "-k", "-i", 5)
        contains(r.stderr, "No such file or directory")
        d.env["NDRX_STARTOK"] = "1"
        d.xadmin("start", "-y", "-i", 5)


def test_a_program_without_permission_is_acces():
    with Domain() as d:
        path = os.path.join(d.home, "plainfile")
        open(path, "w", encoding="utf-8").close()
        _start(d, {"fullpath": path}, "acces", "Access denied")


def test_a_file_that_is_not_executable_code_is_badfi():
    if os.environ.get("OW_SANITIZE") == "thread":
        raise Skip("its vfork() is a fork(): no result of exec comes back")
    with Domain() as d:
        path = os.path.join(d.home, "text")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\x7fELF but not really\n")
        os.chmod(path, 0o755)
        _start(d, {"fullpath": path}, "badfi", "Bad executable")


def test_a_failed_tpsvrinit_is_died():
    with Domain() as d:
        row = _start(d, {"appopt": "init=fail"}, "died", "Died")
        contains(row.reason, "ended with exit code 1 before it was ready: see "
                             "its log")


def test_a_program_whose_library_is_not_found_says_so():
    with Domain() as d:
        path = os.path.join(d.home, "unfound")
        with open(path, "w", encoding="ascii") as f:
            f.write("#!/bin/sh\nexit 127\n")
        os.chmod(path, 0o755)
        row = _start(d, {"fullpath": path}, "died", "Died")
        contains(row.reason, "exit code 127 before it was ready: no shared "
                             "library (LD_LIBRARY_PATH), or no command? see")
        contains(row.reason, "or ndrxd's")


def test_a_crash_in_tpsvrinit_is_died_with_the_signal():
    with Domain() as d:
        row = _start(d, {"appopt": "init=crash"}, "died", "Died")
        equal(row.exit_status & 0x7f, 6, "SIGABRT")


def test_a_server_that_is_never_ready_is_killed_after_start_max():
    with Domain() as d:
        start = time.monotonic()
        r = d.boot_any({"srvid": 5, "respawn": "N", "start_max": "700ms",
                        "appopt": "init=sleep:60000"})
        soon((time.monotonic() - start) * 1000, 3000)
        contains(r.stderr, "not ready within 700 ms")
        equal(r.returncode, 1)
        wait_for(lambda: d.row("ppm", srvid=5).state == "died", "killed", 3)


def test_a_failing_server_is_started_again_with_pauses():
    with Domain() as d:
        block = os.path.join(d.home, "block")
        open(block, "w", encoding="utf-8").close()
        d.boot_any({"srvid": 1, "appopt": f"init=failif:{block} ECHO"},
                   settings={"restart_min": "500ms", "restart_max": "1"})
        wait_for(lambda: d.row("ppm", srvid=1).start_tries >= 3,
                 "three tries", 15)
        tries = d.row("ppm", srvid=1).start_tries
        at_most(tries, 5, "tries: there are pauses")
        os.unlink(block)
        wait_for(lambda: d.call("ECHO", "x").err == "OK", "it starts", 8)


def test_stop_ends_a_starting_server():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    {"srvid": 2, "appopt": "init=sleep:60000 LATE=ECHO",
                     "start_max": 100, "end_max": "300ms"})
        start = d.background("xadmin", "start", "-y")
        wait_for(lambda: d.row("ppm", srvid=2, state="start"), "starting")
        d.xadmin("stop", "-y", seconds=20)
        equal(start.wait(10), 1, "what was being started was stopped")
        equal(d.leftovers(), [])


def test_down_ends_a_starting_server():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "init=sleep:60000 ECHO"})
        start = d.background("xadmin", "start", "-y")
        wait_for(lambda: d.row("ppm", srvid=1, state="start"), "starting")
        d.xadmin("down", "-y")
        equal(start.wait(10), 1, start.stderr.read())
        equal(d.leftovers(), [])


def test_stop_ends_a_restarting_server():
    with Domain() as d:
        slow = os.path.join(d.home, "slow")
        d.boot({"srvid": 1, "appopt": f"init=sleepif:{slow} ECHO",
                "start_max": 100, "end_max": "300ms"})
        open(slow, "w", encoding="utf-8").close()
        kill(d.pid(1))
        wait_for(lambda: d.row("ppm", srvid=1, state="start"), "starting")
        d.xadmin("stop", "-y", seconds=20)
        equal(d.leftovers(), [])
