# SPDX-License-Identifier: Apache-2.0
"""Listings: columns for people, JSON and CSV for programs."""
import csv
import fcntl
import io
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time

from checks import at_least, at_most, contains, equal, lacks
from covers import covers
from fixture import Domain, wait_for
from machine import SLOW

COST = 10

LONG = "A_SERVICE_NAME_OF_30_CHARACTER"
LISTINGS = ("stat", "ppm", "psc", "psvc", "psrv", "pq", "pqa", "shms",
            "shmcfg", "config", "doctor", "ps", "svmaps")


def _boot(d):
    d.boot({"srvid": 1, "appopt": "ECHO"},
           {"srvid": 10, "min": 2, "max": 3, "appopt": f"{LONG}=ECHO"})


def _terminal(d, columns, *words, env=None, end=None, rows=24):
    """Output of xadmin on a terminal of that width, and its exit status. It is
    not its controlling terminal: the end of a session takes what is unread."""
    fd, slave = pty.openpty()
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
    with subprocess.Popen(
            [d.program("xadmin"), *map(str, words)], stdin=slave, stdout=slave,
            stderr=slave, env={**d.env, "TERM": "xterm", **(env or {})}) as p:
        os.close(slave)
        text, deadline = b"", time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                part = os.read(fd, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
            if end and text.count(end.encode()) >= 3:
                p.send_signal(signal.SIGINT)
                end = None
        else:
            p.kill()
    os.close(fd)
    return text.decode().replace("\r\n", "\n"), p.returncode


def _interrupted(d, *words):
    """Exit status of a --watch into a pipe, interrupted after its second
    round."""
    with subprocess.Popen([d.program("xadmin"), *words], env=d.env,
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, text=True) as p:
        rounds = 0
        for line in p.stdout:
            rounds += line.split()[1:2] == ["ECHO"]
            if rounds == 2:
                p.send_signal(signal.SIGINT)
                break
        p.stdout.read()
        return p.wait(20 * SLOW)


@covers("xadmin psrv", "xadmin pqa")
def test_listings_have_the_headers_that_scripts_know():
    with Domain() as d:
        _boot(d)
        for words, head in (
                (("psc",), "Nd Service Name                   Routine Name "
                 "Prog Name SRVID #SUCC #FAIL      MAX     LAST STAT"),
                (("psrv",), "  SLOT SRVID   EXECERR STATUS LAST CMD LAST "
                 "CALLER"),
                (("ppm",), "BINARY   SRVID      PID    SVPID STATE REQST AS "
                 "EXSQ RSP  NTRM LSIG K STCH FLAGS"),
                (("ppm", "-2"), "BINARY   SVBIN    SRVID      PID    SVPID "
                 "RQADDR"),
                (("ppm", "-3"), "BINARY   SRVID      PID    SVPID PROCGRP   "
                 "PGNO PROCGRPL PGLNO PGNLA"),
                (("pqa",), "MSG QUEUED Q NAME")):
            r = d.xadmin(*words)
            equal(r.stderr.splitlines()[0], head, words)
            equal(set(r.stderr.splitlines()[1]), {"-", " "}, words)
            at_least(len(r.stdout.splitlines()), 2, words)


@covers("xadmin psc", "xadmin psvc")
def test_columns_have_their_classic_widths_without_long_names():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        r = d.xadmin("psc")
        equal(r.stderr.splitlines()[0],
              "Nd Service Name Routine Name Prog Name SRVID #SUCC #FAIL "
              "     MAX     LAST STAT")
        equal(r.stdout, " 1 ECHO         ECHO         testsv        1     0 "
              "    0      0us      0us AVAIL\n")
        r = d.xadmin("psvc")
        equal(r.stderr.splitlines()[0],
              "  SLOT SERVICE NAME NSRV FLAGS CSRVS TCLST CMAX CNODES")
        equal(r.stdout.split()[1:],
              ["ECHO", "1", "0", "0", "1", "1", "1" + 31 * "0"])
        equal(d.xadmin("pq").stderr.splitlines()[0],
              "SERVICE NAME QUEUE LAST AVERAGE HISTORICAL (10 SANITY "
              "CYCLES)")


def test_names_are_cut_on_a_narrow_terminal_only():
    with Domain() as d:
        _boot(d)
        contains(d.xadmin("psc").stdout, LONG)
        contains(_terminal(d, 120, "psc")[0], LONG)
        narrow, _ = _terminal(d, 80, "psc", env={"NO_COLOR": "1"})
        lacks(narrow, LONG)
        contains(narrow, "A_SERVICE_N+")
        at_most(max(map(len, narrow.splitlines())), 80, narrow)
        contains(_terminal(d, 80, "psc", "--wide")[0], LONG)


def test_narrow_listings_have_the_old_widths_anywhere():
    with Domain() as d:
        _boot(d)
        r = d.xadmin("psc", "--narrow")
        lacks(r.stdout, LONG)
        for row in r.stdout.splitlines():
            at_most(len(row), 80, row)
        contains(r.stdout, "A_SERVICE_N+")
        equal(r.stderr.splitlines()[1], "-- ------------ ------------ "
              "--------- ----- ----- ----- -------- -------- -----")


def test_colours_are_for_terminals_only():
    with Domain() as d:
        _boot(d)
        contains(_terminal(d, 100, "ppm")[0], "\033[")
        lacks(_terminal(d, 100, "ppm", env={"NO_COLOR": "1"})[0], "\033[")
        lacks(_terminal(d, 100, "ppm", env={"TERM": "dumb"})[0], "\033[")
        r = d.xadmin("ppm")
        lacks(r.stdout + r.stderr, "\033")


@covers("xadmin shms", "xadmin shmcfg", "xadmin config", "xadmin doctor",
        "xadmin stat")
def test_every_listing_is_json_and_csv():
    with Domain() as d:
        _boot(d)
        for name in LISTINGS:
            rows = json.loads(d.xadmin(name, "--json", ok=False).stdout)
            table = list(csv.DictReader(io.StringIO(
                d.xadmin(name, "--csv", ok=False).stdout)))
            if name != "ps":
                equal(len(table), len(rows), name)
            if rows:
                equal(list(table[0]), list(rows[0]), name)
        names = {r["service"] for r in csv.DictReader(io.StringIO(
            d.xadmin("psc", "--csv").stdout))}
        equal(names, {"ECHO", LONG})


@covers("xadmin pubfdb")
def test_fields_of_the_data_base_are_listed():
    with Domain() as d:
        r = d.xadmin("pubfdb", ok=False)
        equal(r.returncode, 1)
        contains(r.stdout + r.stderr, "NDRX_UBFDB is not set")
        d.env["NDRX_UBFDB"] = os.path.join(d.home, "fields")
        equal(json.loads(d.xadmin("ubfdb", "--json").stdout), [])
        c = d.client()
        equal(c("fldadd", "T_NAME", 77).err, "OK")
        equal(c("fldadd", "T_NUMBER", 5).err, "OK")
        equal(json.loads(d.xadmin("pubfdb", "--json").stdout),
              [{"field": "T_NAME", "number": 77, "type": "string",
                "id": 167772237},
               {"field": "T_NUMBER", "number": 5, "type": "string",
                "id": 167772165}])
        contains(d.xadmin("pubfdb").stdout, "T_NUMBER")
        os.chmod(d.env["NDRX_UBFDB"], 0o770)
        contains(d.xadmin("doctor", ok=False).stdout, "others may write there")


def test_watch_repeats_until_interrupted():
    with Domain() as d:
        _boot(d)
        text, status = _terminal(d, 80, "psvc", "--watch=0.1", end="ECHO")
        equal(status, 0, text)
        at_least(text.count("every 0.1 s: psvc"), 3, text)
        text, _ = _terminal(d, 80, "ppm", "--watch=0.1", end="more lines",
                            rows=6)
        contains(text, "more lines")
        equal(_interrupted(d, "psc", "--watch=0.1"), 0)


@covers("appconfig", "gather_pq_stats", "xadmin pq")
def test_pq_shows_a_history():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLOW=SLEEP"},
               appconfig="<gather_pq_stats>Y</gather_pq_stats>")
        clients = [d.client() for _ in range(3)]
        # Two requests wait for longer than the time until the next sample.
        clients[0].begin("call", "SLOW", "-", "STRING:5000")
        wait_for(lambda: d.row("psc", service="SLOW").status == "BUSY",
                 "the first")
        for c in clients[1:]:
            c.begin("call", "SLOW", "-", "STRING:0")
        wait_for(lambda: d.row("pq", service="SLOW").peak == 2, "sampled", 10)
        row = d.row("pq", service="SLOW")
        at_least(row.samples, 1)
        equal(max(row.history), 2)
        at_most(len(row.history), 10)
        line = d.xadmin("pq").stdout.split()
        equal(line[0], "SLOW")
        equal(len(line), 3 + 10, line)
        for c in clients:
            c.end(20)


def test_appconfig_prints_the_bare_value():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.xadmin("appconfig", "sanity").stdout, "1\n")
        equal(d.xadmin("appconfig", "sanity", "2").stdout, "2\n")
        equal(d.xadmin("appconfig", "gather_pq_stats").stdout, "N\n")
        contains(d.xadmin("appconfig").stdout, "sanity=2 ")


@covers("xadmin appconfig")
def test_appconfig_switches_the_history_on():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.row("pq", service="ECHO").samples, 0)
        d.xadmin("appconfig", "gather_pq_stats", "Y")
        wait_for(lambda: d.row("pq", service="ECHO").samples >= 2, "samples",
                 10)


def test_listings_without_a_domain_name_the_remedy():
    with Domain() as d:
        for name in ("psc", "psvc", "pq", "shmcfg", "ppm", "psrv"):
            r = d.xadmin(name, ok=False)
            equal(r.returncode, 3, name)
            contains(r.stderr, "xadmin start -y")
        equal(d.xadmin("stat").returncode, 0)
        equal(d.xadmin("pqa").returncode, 0)
