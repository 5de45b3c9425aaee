# SPDX-License-Identifier: Apache-2.0
"""The program of a server is replaced under load; no call fails.

The steps are those of doc/operating.md. Programs of an earlier version and of
this one work together within one layout of the shared memory; across layouts
they are refused, as doc/abi.md promises (long form: OW_LONG)."""
import json
import os
import shutil

from checks import at_least, check, contains, equal, lacks
from covers import covers
from fixture import Domain, kill, wait_for
from previous import OTHER_LAYOUT, SAME_LAYOUT, Two, TwoInTransactions
from trans import totals, transfer

REFUSED = "of this version (damaged, of another release"


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


def listed(d, xadmin):
    """What a listing of `xadmin` says of the servers that run."""
    rows = json.loads(d.run(xadmin, "ppm", "--json").stdout)
    return {(r["srvid"], r["pid"]) for r in rows if r["state"] == "runok"}


def calls_of_both(d):
    """Each version's clients and servers call each other."""
    for c in (d.client(), d.other_client()):
        for i in range(20):
            equal(c.call("ECHO", f"x{i}").data, f"x{i}")
            equal(c.call("UPPER", f"y{i}").data, f"Y{i}")
        big = "z" * 4000  # in a block
        equal(c.call("ECHO", big).data, big)
        equal(c.call("FAIL", "x").err, "TPESVCFAIL")
        equal(c.call("NOSUCH", "x").err, "TPENOENT")


def in_service(d, srvid):
    return any(r.srvid == srvid and r.status == "BUSY" for r in d.rows("psc"))


def deaths_of_both(d, ids):
    """Callers of both hear of a server that is killed in a service."""
    for c in (d.client(), d.other_client()):
        for srvid in ids:
            old = d.pid(srvid)
            c.begin("call", f"SLEEP{srvid}", "-", "STRING:20000")
            wait_for(lambda: in_service(d, srvid), "in hand")
            kill(old)
            equal(c.end().err, "TPESVCERR")
            wait_for(lambda: d.pid(srvid) not in (0, old), "restarted")


def together(this):
    with Two(SAME_LAYOUT, this) as d:
        d.boot({"srvid": 1, "appopt": "UPPER SLEEP1=SLEEP"},
               {"name": "other_testsv", "srvid": 2, "appopt": "ECHO FAIL SLEEP2=SLEEP"})
        check(d.runs_other(d.pid(2)), "a server of the other version")
        calls_of_both(d)
        equal(listed(d, "xadmin"), listed(d, "other_xadmin"))
        deaths_of_both(d, (1, 2))
        # Each xadmin commands the ndrxd that is there.
        for xadmin in ("xadmin", "other_xadmin"):
            for words in (("stop", "-y", "-i", 2), ("start", "-y", "-i", 2)):
                r = d.run(xadmin, *words)
                equal(r.returncode, 0, r.stdout + r.stderr)
            equal(d.call("ECHO", "x").data, "x")
        # The other version's ndrxd takes all of them over.
        pids = [d.pid(1), d.pid(2)]
        d.kill_ndrxd()
        equal(d.other("idle").returncode, 0)
        wait_for(lambda: d.row("stat").ndrxd_running, "the other ndrxd")
        check(d.runs_other(d.ndrxd_pid()), "an ndrxd of the other version")
        equal([d.pid(1), d.pid(2)], pids)
        calls_of_both(d)
        deaths_of_both(d, (1, 2))


def test_servers_and_clients_of_an_earlier_version_work_under_this_ndrxd():
    together(this=True)


def test_servers_and_clients_of_this_version_work_under_an_earlier_ndrxd():
    together(this=False)


def transfers_of_both(this, then):
    with TwoInTransactions(SAME_LAYOUT, this) as d:
        tm = d.tm(1)
        d.other_tm(2)
        d.sv(11, 1, "A")
        d.other_sv(12, 2, "B")
        c = d.xaclient(1)
        for each in (c, d.other_xaclient(2)):
            for end in "commit", "abort":
                transfer(each, 5)
                each.ok(end)
        equal(totals(d), (-10, 10))
        then(d, c, tm)


def test_transactions_of_this_version_end_in_an_earlier_one_and_the_other_way_round():
    transfers_of_both(True, lambda *_: None)


def handed_on(d, c, tm):
    """Another version's tmsrv carries out what a killed one has decided."""
    transfer(c, 5)
    d.order(1, "commit", "kill")
    told = d.through_death(c, ["commit"], tm, lambda: d.other_tm(1))
    equal(told.err, "TPESVCERR")
    d.decided(1, 2)
    equal(totals(d), (-15, 15))


def test_a_decision_of_an_earlier_version_is_carried_out_by_this_one():
    transfers_of_both(False, handed_on)


def refused(this):
    """Another layout: said, and nothing of the domain is touched."""
    with Two(OTHER_LAYOUT, this) as d:
        d.boot({"srvid": 1, "appopt": "UPPER"})
        d.configure({"srvid": 1, "appopt": "UPPER"},
                    {"name": "other_testsv", "srvid": 2, "appopt": "ECHO"})
        before = listed(d, "xadmin")
        r = d.xadmin("reload", "-y", ok=False)
        equal((r.returncode, d.pid(2)), (1, 0), r.stdout)
        p = d.spawn(7, "ECHO", binary="other_testsv")
        equal(p.wait(20), 1)
        said = "".join(open(f"{d.logs}/{name}", encoding="utf-8", errors="replace").read()
                       for name in os.listdir(d.logs) if name.startswith("other_testsv"))
        contains(said, REFUSED)
        r = d.run("other_testcl", "call", "UPPER", "-", "STRING:x")
        contains(r.stdout, '"TPESYSTEM"')
        for word in ("psc", "clients", "doctor", *(() if this else ("stat", "pqa"))):
            said = d.run("other_xadmin", word)
            at_least(said.returncode, 1, word)  # a signal is below 0
            contains(said.stdout + said.stderr, REFUSED)
        # What goes through ndrxd alone reads no tables.
        equal(listed(d, "other_xadmin"), listed(d, "xadmin"))
        r = d.run("other_xadmin", "idle")
        at_least(r.returncode, 0, r.stdout + r.stderr)
        equal(d.call("UPPER", "y").data, "Y")
        equal([d.row("ppm", srvid=1).pid], [pid for _, pid in before])
        d.close_clients()
        # Stopped and started, as CHANGELOG and the message say.
        r = d.run("other_xadmin", "stop", "-y")
        equal(r.returncode, 0, r.stdout + r.stderr)


def test_listings_say_that_tables_are_of_another_version():
    with Domain() as d:
        d.server(1, "ECHO")
        with open(d.segment("tables"), "r+b") as f:
            f.seek(8)  # version, of struct ow_tables_head
            version = f.read(4)
            f.seek(8)
            f.write(bytes([version[0] + 1]) + version[1:])
            f.flush()
            for word in "stat", "pqa", "psc", "clients":
                r = d.xadmin(word, ok=False)
                equal(r.returncode, 1, r.stdout + r.stderr)
                contains(r.stderr, REFUSED)
            lacks(d.xadmin("stat", ok=False).stdout, "servers")
            row = json.loads(d.xadmin("stat", "--json", ok=False).stdout)[0]
            equal((row["ndrxd_running"], "services" in row), (False, False))
            f.seek(8)
            f.write(version)
        equal(d.call("ECHO", "x").data, "x")


def test_programs_of_another_layout_are_refused_by_a_domain_of_this_version():
    refused(this=True)


def test_programs_of_this_version_are_refused_by_a_domain_of_another_layout():
    refused(this=False)
