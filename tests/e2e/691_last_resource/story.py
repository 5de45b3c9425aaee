# SPDX-License-Identifier: Apache-2.0
"""The commit of the last resource is the decision: whoever dies when, all
branches follow the row, and nobody is told a wrong outcome."""
import os
import resource
import signal
from xml.sax.saxutils import escape

from checks import equal
from covers import covers
from databases import Postgres
from fixture import kill, wait_for
from trans import Trans

MAINLY = "shm"
COST = 45
XA_HEURHAZ = 8

# Until the table `go` has a row.
SLOW = ("create table go (n int); "
        "create function slow() returns trigger language plpgsql as $$ begin "
        "while not exists (select from go) loop perform pg_sleep(0.05); "
        "end loop; return null; end $$; "
        "create constraint trigger slow after update on a deferrable "
        "initially deferred for each row when (new.n < 0) "
        "execute function slow()")


class Last(Trans):
    """PostgreSQL is the last resource, resource manager 1 is another."""

    def __init__(self, pg):
        super().__init__()
        self.pg = pg
        self.env_last = {**pg.env, "NDRX_XA_FLAGS": "LASTRESOURCE"}

    def tm_last(self, **kw):
        return self.server(103, "-s", "200ms", binary="tmsrv",
                           env=kw.get("env", self.env_last))

    def pgsv(self):
        return self.server(13, "PG", binary="pgsv", env=self.env_last)

    def boot_all(self):
        self.pg.sql("create table a (id int primary key, n int)")
        self.pg.sql("insert into a values (1, 100), (2, 100)")
        self.tm1 = self.tm(1)
        self.tm3 = self.tm_last()
        self.sv3 = self.pgsv()
        self.sv(11, 1, "A")
        wait_for(lambda: self.pg.sql(
            "select to_regclass('onewake.decision')") != "", "its table")
        c = self.xaclient()
        self.warm(c)
        return c

    def warm(self, c):
        """Then the client begins at the tmsrv of PostgreSQL."""
        c.ok("begin", 20)
        add(c, 1, 0)
        c.ok("commit")

    def both(self):
        return self.pg.sql("select n from a where id = 1"), self.total(1)

    def settle(self):
        """All is decided, and no row is left."""
        self.decided(1)
        wait_for(lambda: not self.rows("printtrans") and self.pg.sql(
            "select count(*) from onewake.decision where committed") == "0",
                 "all has ended", 30)

    def new_tm(self, **kw):
        """The coordinator is killed, and started again."""
        kill(self.tm3.pid)
        self.tm3 = self.replace(self.tm3, lambda: self.tm_last(**kw))


def add(c, row, n):
    c.ok("call", "-", "PG", f"update a set n = n + {n} where id = {row}")


def move(c, n=10, seconds=60):
    c.ok("begin", seconds)
    add(c, 1, -n)
    c.ok("call", "-", "A", f"add:{n}")


def decisions(pg):
    return pg.sql("select count(*) from onewake.decision where committed")


@covers("lastresource")
def test_a_group_says_so():
    with Postgres() as pg, Trans() as t:
        pg.sql("create table a (id int primary key, n int)")
        pg.sql("insert into a values (1, 100)")
        env = "<envs>" + "".join(f'<env name="{k}">{escape(v)}</env>'
                                 for k, v in pg.env.items()) + "</envs>"
        t.boot({"srvid": 103, "name": "tmsrv", "procgrp": "DB", "xml": env},
               {"srvid": 13, "name": "pgsv", "procgrp": "DB", "xml": env,
                "appopt": "PG"},
               sections='<procgroups><procgroup name="DB" grpno="1" '
               'lastresource="Y"/></procgroups>')
        wait_for(lambda: pg.sql(
            "select to_regclass('onewake.decision')") != "", "its table")
        c = t.xaclient()
        c.ok("begin", 20)
        add(c, 1, -10)
        equal(pg.in_doubt(), 0)
        c.ok("commit")
        equal(pg.sql("select n from a"), "90")


def test_its_commit_is_the_decision():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        row, = t.rows("printtrans")
        equal([(b["rmid"], b["status"]) for b in row.branches],
              [(3, "active"), (1, "active")])
        equal((pg.in_doubt(), t.both()), (0, ("100", 0)))
        t.order(1, "commit", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "commit"), "the other one is committed")
        equal((decisions(pg), t.both()), ("1", ("90", 0)))
        t.release(1, "commit")
        equal(c.end().err, "OK")
        equal(t.both(), ("90", 10))
        t.settle()


def test_who_votes_no_rolls_it_back():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        t.order(1, "prepare", "result 100")
        equal(c.err("commit"), "TPEABORT")
        move(c)
        c.ok("abort")
        # A statement that fails
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:10")
        equal(c.err("call", "-", "PG", "QUIET insert into a values (1, 1)"),
              "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        # The database itself, at the last moment. Where a client begins that
        # was rolled back is anybody's guess.
        t.warm(c)
        pg.sql("update a set n = 200 where id = 2")
        pg.sql("alter table a add constraint one unique (n) "
               "deferrable initially deferred")
        equal(t.both(), ("100", 0))
        move(c, -100)
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal(t.both(), ("100", 0))
        move(c)
        c.ok("commit")
        equal(t.both(), ("90", 10))


def test_one_branch_is_the_last_resource_others_are_prepared():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        c.ok("begin", 20)
        add(c, 1, -10)
        add(c, 2, 10)
        equal(pg.in_doubt(), 1)
        c.ok("commit")
        equal(pg.sql("select string_agg(n::text, ' ' order by id) from a"),
              "90 110")
        t.settle()
        # Alone it needs no row.
        pg.sql("create table seen (gtrid text); create rule see as on insert "
               "to onewake.decision do also insert into seen "
               "values (new.gtrid)")
        c.ok("begin", 20)
        add(c, 1, -10)
        c.ok("commit")
        equal(t.both(), ("80", 0))
        equal(pg.sql("select count(*) from seen"), "0")


def test_the_decision_is_synced_whatever_the_session_says():
    with Postgres() as pg, Last(pg) as t:
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


def test_an_answer_that_is_half_read_holds_no_locks():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        c.ok("begin", 20)
        equal(c.err("call", "-", "PG",
                    "HALF update a set n = n - 1 returning n"), "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        pg.sql("set lock_timeout = '5s'; update a set n = 100")
        t.warm(c)
        move(c)
        c.ok("commit")
        equal(t.both(), ("90", 10))


def test_it_does_not_wait_for_ever_for_a_branch_that_waits_for_it():
    with Postgres() as pg, Last(pg) as t:
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


def test_its_server_is_killed_before_the_order():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        kill(t.sv3.pid)
        t.replace(t.sv3, t.pgsv)
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal(t.both(), ("100", 0))


def _no_more_files(pid):
    """A process opens nothing any more; how it was before."""
    used = {int(f) for f in os.listdir(f"/proc/{pid}/fd")}
    free = min(set(range(len(used) + 1)) - used)
    was = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, was[1]))
    return was


def test_an_order_that_cannot_be_sent_is_repeated_as_a_rollback():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        for alone in True, False:
            c.ok("begin", 60)
            add(c, 1, -10)
            if not alone:
                add(c, 2, 10)  # prepared
            was = _no_more_files(t.tm3.pid)
            equal(c.err("commit"), "TPEABORT")
            resource.prlimit(t.tm3.pid, resource.RLIMIT_NOFILE, was)
            # Long before its time is over.
            wait_for(lambda: pg.sql(
                "select count(*) from pg_stat_activity where "
                "state = 'idle in transaction'") == "0", "it has ended", 20)
            t.settle()
            t.warm(c)
        equal(t.both(), ("100", 0))


def test_its_server_is_stopped_when_the_order_comes():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        kill(t.sv3.pid, signal.SIGSTOP)
        equal(c("commit", seconds=60).err, "TPEABORT")
        # The order that it finds when it goes on comes too late.
        kill(t.sv3.pid, signal.SIGCONT)
        wait_for(lambda: pg.sql(
            "select count(*) from pg_stat_activity where "
            "state like 'idle in transaction%'") == "0", "it has ended", 20)
        t.settle()
        equal(t.both(), ("100", 0))
        move(c)
        c.ok("commit")
        equal(t.both(), ("90", 10))


def _slowly(t, c):
    """The commit of PostgreSQL is under way for a while."""
    t.pg.sql(SLOW)
    move(c, 110)
    c.begin("commit")
    wait_for(lambda: t.pg.sql(
        "select count(*) from pg_stat_activity where "
        "wait_event = 'PgSleep'") == "1", "it commits")


def _once_it_is_asked(t):
    """The question waits for the commit, which goes on then."""
    wait_for(lambda: t.pg.sql(
        "select count(*) from pg_stat_activity where wait_event_type = 'Lock' "
        "and query like '%onewake.decision%'") == "1", "it is asked")
    t.pg.sql("insert into go values (1)")


def test_its_server_is_killed_while_it_commits():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        _slowly(t, c)
        kill(t.sv3.pid)
        t.replace(t.sv3, t.pgsv)
        # The database goes on, and the tmsrv waits for it.
        _once_it_is_asked(t)
        equal(c.end(60).err, "OK")
        t.settle()
        equal(t.both(), ("-10", 110))


def test_the_coordinator_is_killed_before_it_orders():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        t.order(1, "prepare", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "prepare"), "it prepares")
        t.new_tm()
        t.release(1, "prepare")
        wait_for(lambda: t.branches(1, "p"), "it is prepared")
        equal(c.end(60).err, "TPESVCERR")
        t.settle()
        equal(t.both(), ("100", 0))
        # It was not presumed: the database has said so, for ever.
        equal(pg.sql("select count(*) from onewake.decision where not "
                     "committed"), "1")


def test_the_coordinator_is_killed_while_it_commits():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        _slowly(t, c)
        t.new_tm()
        _once_it_is_asked(t)
        equal(c.end(60).err, "TPESVCERR")
        t.settle()
        equal(t.both(), ("-10", 110))


def test_the_coordinator_is_killed_after_the_commit():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        t.order(1, "commit", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "commit"), "it is decided")
        kill(t.tm3.pid)
        kill(t.tm1.pid)  # which holds the other branch
        t.replace(t.tm1, lambda: t.tm(1))
        t.countermand(1, "commit")
        # Also one that gives no such branches any more reads the rows.
        t.tm3 = t.replace(t.tm3, lambda: t.tm_last(env=pg.env))
        equal(c.end(60).err, "TPESVCERR")
        t.settle()
        equal(t.both(), ("90", 10))


def test_a_heuristic_outcome_beside_the_row_outlives_the_coordinator():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        t.order(1, "commit", f"lie {XA_HEURHAZ}")
        equal(c.err("commit"), "TPEHAZARD")
        # The answer comes before the last step.
        wait_for(lambda: [r.stage for r in t.rows("printtrans")] ==
                 ["HEURISTIC"], "it is kept")
        equal(t.both(), ("90", 10))
        t.new_tm()
        wait_for(lambda: [r.stage for r in t.rows("printtrans")] ==
                 ["HEURISTIC"], "it is kept")
        # Also without the row, which its database may have lost.
        pg.sql("delete from onewake.decision")
        t.new_tm()
        row, = t.rows("printtrans")
        equal(row.stage, "HEURISTIC")
        t.xadmin("forgetlocal", "-s", row.tm, "-x", row.xid, "-y")
        t.settle()


def test_without_its_row_the_decision_is_lost():
    """That the row saves it is seen where there is none."""
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        pg.sql("create rule lose as on insert to onewake.decision "
               "where new.committed do instead nothing")
        move(c)
        t.order(1, "commit", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "commit"), "it is decided")
        kill(t.tm3.pid)
        kill(t.tm1.pid)
        t.replace(t.tm1, lambda: t.tm(1))
        t.countermand(1, "commit")
        t.tm3 = t.replace(t.tm3, t.tm_last)
        equal(c.end(60).err, "TPESVCERR")
        t.settle()
        equal(t.both(), ("90", 0))


def test_the_database_is_killed_while_it_commits():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        _slowly(t, c)
        pg.kill()
        equal(c.end(60).err, "TPEHAZARD")
        row, = t.rows("printtrans")
        equal(row.stage, "DECIDING")
        equal(t.branches(1, "p") != [], True)
        pg.start()
        t.settle()
        equal(t.both(), ("100", 0))
        t.warm(c)
        move(c)
        c.ok("commit")
        equal(t.both(), ("90", 10))


def test_nothing_is_presumed_while_the_rows_cannot_be_read():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c)
        t.order(1, "commit", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "commit"), "it is decided")
        pg.kill()
        kill(t.tm3.pid)
        kill(t.tm1.pid)
        t.tm3 = t.replace(t.tm3, t.tm_last)
        t.replace(t.tm1, lambda: t.tm(1))
        equal(c.end(60).err, "TPESVCERR")
        # It looks for orphans five times a second, and one is seen for one.
        for _ in range(10):
            t.order(1, "recover", "sleep 0")
            wait_for(lambda: not os.path.exists(t.rm(1) + "/order.recover"),
                     "it looks")
        equal(len(t.branches(1, "p")), 1)
        t.countermand(1, "commit")
        pg.start()
        t.settle()
        equal(t.both(), ("90", 10))


def test_a_branch_that_gets_no_order_ends():
    with Postgres() as pg, Last(pg) as t:
        c = t.boot_all()
        move(c, seconds=1)
        kill(t.tm3.pid)
        wait_for(lambda: pg.sql(
            "select count(*) from pg_stat_activity where "
            "state = 'idle in transaction'") == "0", "it has ended", 20)
        t.tm3 = t.replace(t.tm3, t.tm_last)
        c("commit")
        t.settle()
        equal(t.both(), ("100", 0))
