# SPDX-License-Identifier: Apache-2.0
"""The program of a server is replaced under load; no call fails.

The steps are those of doc/operating.md."""
import os
import shutil

from checks import at_least, check, equal
from fixture import Domain, wait_for


def own_copy(d):
    """Give the domain its own copy of the server program."""
    folder = f"{d.home}/bin"
    os.mkdir(folder)
    d.env["PATH"] = f"{folder}:{d.env['PATH']}"
    shutil.copy2(d.program("testsv"), f"{folder}/banksv")
    return f"{folder}/banksv"


def replace(path):
    """Write a new version beside it, then rename it: the file is complete at
    any time, and running processes keep the old one."""
    shutil.copy2(path, path + ".new")
    with open(path + ".new", "ab") as f:
        f.write(b"version 2")
    os.rename(path + ".new", path)


def runs_new(pid, path):
    """Does the process run the file that has the name now?"""
    return os.stat(f"/proc/{pid}/exe").st_ino == os.stat(path).st_ino


def test_sreload_replaces_a_program_under_load():
    with Domain() as d:
        path = own_copy(d)
        ids = range(1, 5)
        d.boot({"name": "banksv", "srvid": 1, "min": 4, "max": 4,
                "appopt": "ECHO"})
        before = [d.pid(i) for i in ids]
        c = d.client()
        enough = f"{d.home}/enough"
        c.begin("calls", "ECHO", 0, 4, 60, enough)
        wait_for(lambda: d.row("psc", service="ECHO").succeeded > 100, "load")
        replace(path)
        check(not any(runs_new(p, path) for p in before), "old programs")
        d.xadmin("sreload", "-y", "-s", "banksv")
        after = [d.pid(i) for i in ids]
        check(all(runs_new(p, path) for p in after), "new programs")
        equal(set(before) & set(after), set())
        open(enough, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.errors, r.wrong), ({}, 0))
        at_least(r.ok, 100, "calls")


def test_a_single_server_is_replaced_beside_a_second_one():
    with Domain() as d:
        path = own_copy(d)
        d.boot({"name": "banksv", "srvid": 1, "appopt": "ECHO"})
        c = d.client()
        enough = f"{d.home}/enough"
        c.begin("calls", "ECHO", 0, 4, 60, enough)
        wait_for(lambda: d.row("psc", service="ECHO").succeeded > 100, "load")
        replace(path)
        # Start the new version by hand with another id; restart the old one.
        p = d.server(900, "ECHO")
        d.xadmin("restart", "-y", "-i", 1)
        check(runs_new(d.pid(1), path), "the new version")
        equal(d.stop_server(p), 0)
        open(enough, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.errors, r.wrong), ({}, 0))
        at_least(r.ok, 100, "calls")


def test_a_version_that_does_not_start_fails_no_call():
    with Domain() as d:
        path = own_copy(d)
        d.boot({"name": "banksv", "srvid": 1, "min": 2, "max": 2,
                "appopt": "ECHO"})
        c = d.client()
        enough = f"{d.home}/enough"
        c.begin("calls", "ECHO", 0, 2, 60, enough)
        wait_for(lambda: d.row("psc", service="ECHO").succeeded > 100, "load")
        old = path + ".old"
        os.link(path, old)
        with open(path + ".new", "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\nexit 1\n")
        os.chmod(path + ".new", 0o755)
        os.rename(path + ".new", path)
        r = d.xadmin("restart", "-y", "-i", 1, ok=False)
        equal((r.returncode, d.pid(1)), (1, 0), r.stdout)
        os.rename(old, path)  # restored
        d.xadmin("start", "-y", "-i", 1)
        wait_for(lambda: d.pid(1) != 0, "the old version")
        open(enough, "w", encoding="utf-8").close()
        r = c.end(30)
        equal((r.errors, r.wrong), ({}, 0))
        at_least(r.ok, 100, "calls")
