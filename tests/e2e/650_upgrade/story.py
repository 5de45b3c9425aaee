# SPDX-License-Identifier: Apache-2.0
"""The program of a server is replaced under load; no call fails.

The steps are those of doc/operating.md."""
import os
import shutil

from checks import at_least, check, contains, equal
from covers import covers
from fixture import Domain, Skip, wait_for


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


@covers("xadmin releases")
def test_which_release_serves_is_told():
    with Domain() as d:
        path = own_copy(d)
        d.boot({"name": "banksv", "srvid": 1, "min": 2, "max": 2,
                "appopt": "ECHO"}, {"srvid": 9, "appopt": "UPPER"})
        rows = {r.srvid: r for r in d.rows("releases", "-s", "banksv")}
        equal([(i, r.file, r.path) for i, r in sorted(rows.items())],
              [(1, "current", path), (2, "current", path)])
        check(len(rows[1].build) >= 16 and
              rows[1].build == rows[1].build_of_file, rows[1])
        replace(path)
        d.xadmin("sreload", "-y", "-i", 2)
        equal(d.call("ECHO", "x").data, "x")
        rows = {r.srvid: r for r in d.rows("releases")}
        equal((rows[1].file, rows[2].file, rows[9].file),
              ("replaced", "current", "current"))
        check(rows[1].of < rows[2].of, "when it was made")
        check(rows[1].since <= rows[2].since, "when started")
        equal(rows[1].requests + rows[2].requests, 1)
        contains(d.xadmin("releases", "-s", "banksv").stdout, "replaced")
        os.remove(path)
        equal({r.file for r in d.rows("releases", "-s", "banksv")},
              {"removed"})


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


def previous():
    """The folder of a build of an earlier version, with bin and lib."""
    folder = os.environ.get("OW_PREVIOUS", "")
    if not os.path.exists(f"{folder}/bin/ndrxd"):
        raise Skip("OW_PREVIOUS names no build of an earlier version")
    return folder


def of_previous(d, folder, name):
    """A script that runs a program of it with its own library."""
    os.makedirs(f"{d.home}/bin", exist_ok=True)
    path = f"{d.home}/bin/old_{name}"
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nLD_LIBRARY_PATH={folder}/lib "
                f"exec {folder}/bin/{name} \"$@\"\n")
    os.chmod(path, 0o755)
    d.env["PATH"] = f"{d.home}/bin:{d.env['PATH']}"
    return path


def test_servers_of_an_earlier_version_run_under_this_ndrxd_or_are_refused():
    folder = previous()
    with Domain() as d:
        of_previous(d, folder, "echosv")
        d.boot({"srvid": 11, "appopt": "UPPER"})
        d.configure({"srvid": 11, "appopt": "UPPER"},
                    {"name": "old_echosv", "srvid": 1, "min": 2, "max": 2})
        r = d.xadmin("reload", "-y", ok=False)
        if r.returncode != 0:
            # Another layout: said, and nothing of the domain is touched.
            with open(f"{d.logs}/ndrxd.log", encoding="utf-8",
                      errors="replace") as f:
                contains(f.read(), "is not a segment of this version")
            equal([d.pid(i) for i in (1, 2)], [0, 0])
            equal(d.call("UPPER", "y").data, "Y")
            return
        old = [d.pid(i) for i in (1, 2)]
        for pid in old:
            with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
                contains(f.read(), f"{folder}/lib")
        for _ in range(20):
            equal(d.call("ECHO", "x").data, "x")
        d.kill_ndrxd()  # the next one takes them over
        d.xadmin("idle")
        wait_for(lambda: d.row("stat").ndrxd_running, "a new ndrxd")
        equal([d.pid(i) for i in (1, 2)], old)
        equal(d.call("ECHO", "z").data, "z")
