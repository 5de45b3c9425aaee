# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL takes part in transactions, and may die in them."""
import glob
import os
import time

from checks import equal
from databases import Postgres
from fixture import wait_for
from half_read import half_read
from trans import Trans
from two_rows import add, commit_and_abort
from two_rows import boot as _boot

MAINLY = "shm"
COST = 22


def _add(c, row, n):
    return add(c, row, n, "PG")


def _rows(pg):
    return pg.rows()


def test_commit_and_abort_with_another_resource_manager():
    with Postgres() as pg, Trans() as t:
        commit_and_abort(t, pg)


def test_a_transaction_of_one_branch():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("commit")
        equal(_rows(pg), "90 100")


def test_a_failed_statement_rolls_back_even_if_the_service_succeeds():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        c.ok("begin", 20)
        equal(_add(c, 2, 10).err, "OK")
        equal(c.err("call", "-", "PG",
                    "QUIET update a set n = n - 1000 where id = 1"),
              "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        equal(_rows(pg), "100 100")
        # Outside of a transaction each statement is its own.
        equal(c.ok("call", "TPNOTRAN", "PG", "select n from a where id = 1")
              .urcode, 100)


def test_an_answer_that_is_half_read_holds_no_locks():
    with Postgres() as pg, Trans() as t:
        half_read(pg, _boot(t, pg))


def test_a_restarted_database_ends_what_was_in_doubt():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        c.ok("begin", 60)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("call", "-", "A", "add:10")
        t.order(1, "prepare", "sleep 1500")
        c.begin("commit")
        wait_for(lambda: not os.path.exists(t.rm(1) + "/order.prepare"),
                 "it prepares")
        pg.kill()
        told = c.end(60).err
        pg.start()
        wait_for(lambda: pg.sql("select count(*) from pg_prepared_xacts")
                 == "0", "nothing is in doubt", 20)
        done = told == "OK"
        equal((_rows(pg), t.total(1)),
              ("90 100", 10) if done else ("100 100", 0))
        # The servers go on, with new connections.
        c.ok("begin", 20)
        equal(_add(c, 2, -10).err, "OK")
        c.ok("commit")
        equal(_rows(pg).split()[1], "90")


def test_a_branch_is_known_as_prepared_when_its_service_has_answered():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:7")
        equal(_add(c, 1, -10).err, "OK")
        row, = t.rows("printtrans")
        equal((row.stage, [(b["rmid"], b["status"]) for b in row.branches]),
              ("ACTIVE", [(1, "active"), (3, "prepared")]))
        c.ok("abort")
        equal((_rows(pg), pg.in_doubt()), ("100 100", 0))
        # Whoever takes it away by hand has decided: nobody is told "rolled
        # back" of what the others commit.
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:7")
        equal(_add(c, 1, -10).err, "OK")
        gid = pg.sql("select gid from pg_prepared_xacts")
        pg.sql(f"rollback prepared '{gid}'")
        equal(c.err("commit"), "TPEHAZARD")
        equal((_rows(pg), t.total(1)), ("100 100", 7))
        equal([r.stage for r in t.rows("printtrans")], ["HEURISTIC"])


def _move(c):
    """Two branches in one database."""
    c.ok("begin", 20)
    equal(_add(c, 1, -10).err, "OK")
    equal(_add(c, 2, 10).err, "OK")


def _boot_beside(t, pg):
    """A client whose second transaction in a row begins at the tmsrv of PostgreSQL, which
    commits a branch beside another."""
    _boot(t, pg)
    return t.xaclient(0)


def test_two_branches_are_committed_over_connections_that_are_lost():
    with Postgres() as pg, Trans() as t:
        c = _boot_beside(t, pg)
        for n in (1, 2, 3):
            _move(c)
            c.ok("commit")
            equal(_rows(pg), f"{100 - 10 * n} {100 + 10 * n}")
            _move(c)
            # Whatever the coordinator has open is lost, what is prepared is not.
            pg.kill()
            pg.start()
            c.ok("commit")
            equal(pg.in_doubt(), 0)
            pg.sql("update a set n = n + case id when 1 then 10 else -10 end")
        equal(t.rows("printtrans"), [])


def test_a_branch_that_was_taken_away_is_told_beside_another():
    with Postgres() as pg, Trans() as t:
        c = _boot_beside(t, pg)
        for of in ("min", "max"):
            _move(c)
            c.ok("commit")
            _move(c)
            gid = pg.sql(f"select {of}(gid) from pg_prepared_xacts")
            pg.sql(f"rollback prepared '{gid}'")
            equal(c.err("commit"), "TPEHAZARD")
            equal(pg.in_doubt(), 0)
        equal([r.stage for r in t.rows("printtrans")], ["HEURISTIC"] * 2)


def test_a_branch_that_was_taken_away_while_all_connections_were_lost_is_told():
    """Whether a commit goes over a new connection beside that which is lost, or both are:
    its own answer counts, and what was not sent has done nothing."""
    with Postgres() as pg, Trans() as t:
        c = _boot_beside(t, pg)
        for of in ("min", "max", "min"):
            _move(c)
            c.ok("commit")
            _move(c)
            pg.kill()
            pg.start()
            gid = pg.sql(f"select {of}(gid) from pg_prepared_xacts")
            pg.sql(f"rollback prepared '{gid}'")
            equal(c.err("commit"), "TPEHAZARD")
            equal(pg.in_doubt(), 0)
        equal([r.stage for r in t.rows("printtrans")], ["HEURISTIC"] * 3)


def test_a_lone_branch_that_somebody_else_has_ended_is_told():
    with Postgres() as pg, Trans() as t:
        _boot(t, pg)
        c = t.xaclient(0)
        for verb in "commit", "rollback":
            c.ok("begin", 20)
            equal(_add(c, 1, -10).err, "OK")
            gid = pg.sql("select gid from pg_prepared_xacts")
            pg.sql(f"{verb} prepared '{gid}'")
            equal(c.err("commit"), "TPEHAZARD")
        equal(_rows(pg), "90 100")
        equal([r.stage for r in t.rows("printtrans")], ["HEURISTIC"] * 2)


def test_a_commit_over_a_dead_connection_has_not_reached_the_database():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        # Its tmsrv has connections, which it has used.
        for _ in range(5):
            _move(c)
            c.ok("commit")
        c.ok("begin", 60)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("call", "-", "A", "add:10")
        t.order(1, "prepare", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "prepare"), "it prepares")
        pg.kill()
        pg.start()
        gid = pg.sql("select gid from pg_prepared_xacts")
        pg.sql(f"rollback prepared '{gid}'")
        t.release(1, "prepare")
        equal(c.end(60).err, "TPEHAZARD")
        equal(_rows(pg), "50 150")
        equal([r.stage for r in t.rows("printtrans")], ["HEURISTIC"])


def test_without_prepared_transactions_nothing_starts():
    with Postgres(settings=()) as pg, Trans() as t:
        p = t.spawn(103, binary="tmsrv", env=pg.env)
        equal(p.wait(30), 1)
        t.procs.pop(p.pid)
        with open(glob.glob(t.logs + "/ULOG*")[0], encoding="utf-8") as f:
            assert "max_prepared_transactions is 0" in f.read()


def _ulog(t):
    with open(glob.glob(t.logs + "/ULOG*")[0], encoding="utf-8") as f:
        return f.read()


def test_a_server_that_does_not_sync_is_refused_unless_it_is_allowed():
    for setting in "fsync", "synchronous_commit", "full_page_writes":
        with Postgres(settings=("max_prepared_transactions=50",
                                f"{setting}=off")) as pg, Trans() as t:
            p = t.spawn(103, "-s", "200ms", binary="tmsrv", env=pg.env)
            equal(p.wait(30), 1)
            t.procs.pop(p.pid)
            assert f"postgresql: {setting} is off" in _ulog(t)
            url = pg.env["NDRX_XA_OPEN_STR"][:-1]
            t.server(103, "-s", "200ms", binary="tmsrv",
                     env={**pg.env, "NDRX_XA_OPEN_STR":
                          url + ',"durable":"N"}'})
            assert f"WARNING: {setting} is off" in _ulog(t)


def test_a_server_that_syncs_no_more_gets_no_branches():
    """Who turns it off while all runs would lose what was told committed."""
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("commit")
        for setting in "fsync", "full_page_writes":
            for value, told in ("off", "TPETRAN"), ("on", "OK"):
                pg.sql(f"alter system set {setting} = {value}")
                pg.sql("select pg_reload_conf()")
                wait_for(lambda s=setting, v=value: pg.sql(f"show {s}") == v, "it is read")
                time.sleep(1.1)  # connections are examined once a second
                c.ok("begin", 20)
                equal((setting, value, _add(c, 1, 0).err), (setting, value, told))
                c("commit")
        equal(_rows(pg), "90 100")


def test_each_new_connection_is_examined():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        pg.kill()
        pg.settings += ("synchronous_commit=off",)
        pg.start()
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "TPETRAN")
        equal(c.err("commit"), "TPEABORT")
        equal(_rows(pg), "100 100")
