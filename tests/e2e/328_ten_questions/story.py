# SPDX-License-Identifier: Apache-2.0
"""An operator's questions are answered by the command that operating.md names."""
import os
import shutil

from checks import check, contains, equal, lacks
from databases import Postgres
from fixture import Domain, kill, wait_for
from questions import all_questions, command
from trans import Trans

COST = 5
MAINLY = "shm"

BOX = {"name": "blackboxsv", "srvid": 90, "appopt": "-p 50 -m 2"}


def _asked(d, question, ok=True, **values):
    """The answer: what the command prints."""
    return d.xadmin(*command(question, **values), ok=ok).stdout


def test_there_are_ten():
    equal(len(all_questions()), 10)


def test_who_holds_the_row():
    with Postgres() as pg, Trans() as t:
        pg.sql("create table a (id int primary key, n int)")
        pg.sql("insert into a values (1, 100)")
        t.server(103, "-s", "200ms", binary="tmsrv", env=pg.env)
        for srvid in (13, 14):
            t.server(srvid, "PG", binary="pgsv", env=pg.env)
        holder, waits = t.xaclient(), t.xaclient()
        change = "update a set n = n + 1 where id = 1"
        for c in (holder, waits):
            c.ok("begin", 30)
        holder.ok("call", "-", "PG", change)
        waits.begin("call", "-", "PG", change)
        wait_for(lambda: pg.sql("select count(*) from pg_locks where "
                                "not granted") == "1", "the row is locked")

        def first():
            r = t.run("ndrxtop", *command("Who holds the row?"), "-n", "1",
                      "-w", "200")
            rows = [n for n in r.stdout.splitlines() if "xacl" in n]
            return len(rows) == 2 and rows[0]

        row = wait_for(first, "both transactions")
        contains(row, f"xacl {holder.pid}", "the older one")
        contains(row, "3p", "it has a branch there")
        holder.ok("abort")
        equal(waits.end(30).err, "OK")
        waits.ok("abort")


def test_which_client_floods():
    with Domain(small=False) as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        quiet, loud = d.client(), d.client()
        enough = f"{d.home}/enough"
        quiet.begin("calls", "ECHO", 0, 1, 60, enough, 20000)
        loud.begin("calls", "ECHO", 0, 8, 60, enough)
        wait_for(lambda: d.row("psc", service="ECHO").succeeded > 500, "load")
        first = _asked(d, "Which client floods?").splitlines()[0].split()
        equal(first[2], str(loud.pid), "the first row")
        open(enough, "w", encoding="utf-8").close()
        equal((loud.end(30).wrong, quiet.end(30).wrong), (0, 0))


def test_why_does_this_call_wait():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CALLON"},
               {"srvid": 2, "appopt": "HANG"})
        d.client().begin("call", "CALLON", "TPNOTIME", "STRING:HANG")
        wait_for(lambda: "with server 1 testsv, which waits for HANG: with "
                 "server 2 testsv, which works" in
                 _asked(d, "Why does this call wait?"), "the chain")
        for c in d.clients:
            c.kill()
        d.clients.clear()
        kill(d.pid(2))


def test_which_server_was_given_up():
    with Domain() as d:
        d.boot_any({"srvid": 1, "appopt": "ECHO"},
                   {"srvid": 7, "appopt": "X=ECHO init=fail",
                    "respawn": "N"})
        line = next(n for n in _asked(d, "Which server was given up?",
                                      ok=False).splitlines()
                    if "given up" in n)
        contains(line, "testsv 7 (died)")


def test_what_happened_at_three_in_the_night():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, BOX)
        wait_for(lambda: os.path.exists(f"{d.home}/log/blackbox") and
                 os.path.getsize(f"{d.home}/log/blackbox") > 4096, "records")
        kill(d.pid(1))
        words = command("What happened at 03:12?")
        equal(words[0], "when")
        wait_for(lambda: "killed by signal 9" in
                 d.xadmin(words[0], "1m", ok=False).stdout, "the death")


def test_a_domain_without_a_black_box_says_so():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        contains(d.run("xadmin", "doctor").stdout, "warn  black box: none")
        r = d.xadmin(*command("What happened at 03:12?"), ok=False)
        contains(r.stderr, "black box")


def test_which_message_died_and_why():
    with Domain() as d:
        path = f"{d.home}/q.conf"
        with open(path, "w", encoding="utf-8") as f:
            f.write("PAY,svcnm=FAIL,autoq=y,tries=2,waitretry=50ms,errorq=E\n"
                    "E\n")
        d.server(80, "-m", "S", "-q", path, binary="tmqueue")
        d.server(1, "FAIL")
        equal(d.client()("enq", "S", "PAY", "-", "-", "STRING:a").err, "OK")
        ask = "Which message died, and why?"
        wait_for(lambda: _asked(d, ask, SPACE="S", QUEUE="E"), "given up")
        contains(_asked(d, ask, SPACE="S", QUEUE="E"),
                 "TPESVCFAIL, rcode 77, service FAIL, 2 tries, queue PAY")


def test_what_would_this_reload_do():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "UPPER"},
               {"srvid": 3, "appopt": "SLEEP"})
        before = {r.srvid: r.pid for r in d.rows("ppm")}
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    {"srvid": 2, "appopt": "UPPER PID"},
                    {"srvid": 4, "appopt": "NAME"})
        said = _asked(d, "What would this reload do?")
        for srvid, what in (2, "restart"), (3, "stop"), (4, "start"):
            check(any(what in n and f" {srvid}" in n
                      for n in said.splitlines()), f"{srvid}: {what}: {said}")
        lacks(said, "testsv 1")
        equal({r.srvid: r.pid for r in d.rows("ppm")}, before, "nothing done")


def test_which_release_serves():
    with Domain() as d:
        os.mkdir(f"{d.home}/bin")
        d.env["PATH"] = f"{d.home}/bin:{d.env['PATH']}"
        path = f"{d.home}/bin/banksv"
        shutil.copy2(d.program("testsv"), path)
        d.boot({"name": "banksv", "srvid": 1, "min": 2, "max": 2,
                "appopt": "ECHO"})
        shutil.copy2(d.program("testsv"), path + ".new")
        os.rename(path + ".new", path)
        d.xadmin("sreload", "-y", "-i", 2)
        rows = [n.split() for n in
                _asked(d, "Which release serves?").splitlines()]
        equal({r[1]: r[6] for r in rows if r[0] == "banksv"},
              {"1": "replaced", "2": "current"})
