# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL as last resource: its commit is the decision, whoever dies when, all
branches follow the row, and nobody is told a wrong outcome."""
import signal
import time

from checks import equal
from covers import covers
from fixture import kill, wait_for
from last_resource import Last, LastPostgres, facts, hold_decided, move

MAINLY = "shm"
COST = 86

SHARED = facts(LastPostgres)
globals().update(SHARED)


@covers("lastresource")
def test_a_group_says_so():
    SHARED["test_a_group_says_so"]()


def test_a_failed_statement_rolls_back_even_if_the_service_succeeds():
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:10")
        equal(c.err("call", "-", "PG", "QUIET insert into a values (1, 1)"),
              "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal(t.both(), ("100", 0))


def test_the_decision_is_synced_whatever_the_session_says():
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        pg.sql("create table seen (what text); create rule see as on insert "
               "to onewake.decision do also insert into seen "
               "values (current_setting('synchronous_commit'))")
        for was, is_ in ("off", "on"), ("local", "local"):
            c.ok("begin", 20)
            c.ok("call", "-", "PG", f"set synchronous_commit = {was}")
            c.ok("call", "-", "A", "add:10")
            c.ok("commit")
            equal(pg.sql("select what from seen"), is_)
            pg.sql("delete from seen")


def test_who_has_only_read_is_no_reason_to_abort():
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        for n, (sql, told) in enumerate((
                ("set transaction read only; select n from a", "OK"),
                ("update a set n = 0; set transaction read only", "TPEABORT"),
                ("set transaction isolation level serializable read only; "
                 "select n from a", "OK"),
                ("set transaction read only; notify news", "TPEABORT"),
                ("set transaction read only; declare b cursor with hold for "
                 "select 1", "TPEABORT"))):
            t.is_last(c)
            c.ok("begin", 20)
            c.ok("call", "-", "PG", sql)
            c.ok("call", "-", "A", "add:10")
            equal((sql, c("commit").err), (sql, told))
            t.settle()
            equal(t.both(), ("100", 20 if n > 1 else 10), n)
        wait_for(lambda: pg.open_branches() + pg.in_doubt() == 0, "none is left")


def test_a_decision_takes_one_transaction_number():
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        t.settle()

        def numbers():
            return int(pg.sql("select pg_snapshot_xmax(pg_current_snapshot())"))
        before = numbers()
        hold_decided(t, c)
        equal(numbers() - before, 1)
        t.release(1, "commit")
        equal(c.end().err, "OK")


def test_a_lone_commit_that_takes_long_is_waited_for():
    """Nobody else can say how it has ended."""
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        pg.slow()
        c.ok("begin", 60)
        c.ok("call", "-", "PG", "update a set n = -1 where id = 1")
        c.begin("commit")
        wait_for(pg.is_slow, "it commits")
        time.sleep(4)  # a decision would be asked for after three seconds
        pg.go()
        equal(c.end(60).err, "OK")
        equal(t.both(), ("-1", 0))


def test_it_does_not_wait_for_ever_for_a_branch_that_waits_for_it():
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        pg.sql("create table child (a int references a deferrable initially "
               "deferred)")
        c.ok("begin", 60)
        c.ok("call", "-", "PG", "insert into child values (1)")
        # This one is prepared, and has the lock that the other one needs when
        # it commits.
        c.ok("call", "-", "PG", "delete from a where id = 1")
        equal(c("commit", seconds=60).err, "TPEABORT")
        t.settle()
        equal((pg.sql("select count(*) from child"), pg.in_doubt()), ("0", 0))
        equal(t.both(), ("100", 0))


def test_defaults_of_the_database_do_not_matter_to_the_tmsrv():
    """For it a user, or a database, may have others than for the servers."""
    with LastPostgres() as pg, Last(pg) as t:
        c = t.boot_all()
        name = "NDRX_XA_OPEN_STR"
        t.new_tm(env={**t.env_last, name: t.env_last[name].replace(
            '"}', " options='-c default_transaction_read_only=on "
            "-c default_transaction_isolation=serializable'\"}")})
        wait_for(lambda: t.is_last(c), "the database decides")
        move(t, c)
        kill(t.sv_of_last.pid, signal.SIGSTOP)
        equal(c("commit", seconds=60).err, "TPEABORT")  # it was asked
        kill(t.sv_of_last.pid, signal.SIGCONT)
        t.settle()
        t.all_ended()
        equal(t.both(), ("100", 0))
        move(t, c)
        c.ok("commit")
        t.settle()
        equal(t.both(), ("90", 10))
