# SPDX-License-Identifier: Apache-2.0
"""last_resource.py - facts about the commit that is the decision, of each database

    FACTS = facts(LastPostgres)      # of a story: name of a test, function

A database here says what its SQL is for what the facts look at; resource
manager 1 is another.
"""
import functools
import glob
import os
import resource
import signal
import subprocess
from xml.sax.saxutils import escape

from checks import equal
from databases import MariaDB, Postgres
from fixture import kill, wait_for
from half_read import half_read
from trans import Trans

__all__ = ["Last", "LastMariaDB", "LastPostgres", "add", "facts", "move"]

XA_HEURHAZ = 8
SHARED = []

# Until the table `go` has a row.
SLOW = ("create table go (n int); "
        "create function slow() returns trigger language plpgsql as $$ begin "
        "while not exists (select from go) loop perform pg_sleep(0.05); "
        "end loop; return null; end $$; "
        "create constraint trigger slow after update on a deferrable "
        "initially deferred for each row when (new.n < 0) "
        "execute function slow()")


class LastPostgres(Postgres):
    def has_table(self):
        return self.sql("select to_regclass('onewake.decision')") != ""

    def open_branches(self):
        return int(self.sql("select count(*) from pg_stat_activity where "
                            "state like 'idle in transaction%'"))

    def watch_rows(self):
        """Each new row of a decision is noted in the table `seen`."""
        self.sql("create table seen (gtrid text); create rule see as on insert "
                 "to onewake.decision do also insert into seen "
                 "values (new.gtrid)")

    def refuse(self):
        """The next commits, at the last moment."""
        self.sql("update a set n = 200 where id = 2; alter table a add "
                 "constraint one unique (n) deferrable initially deferred")

    def accept(self):
        self.sql("alter table a drop constraint one; "
                 "update a set n = 100 where id = 2")

    def slow(self):
        """A commit that makes a row negative waits for go()."""
        self.sql(SLOW)

    def is_slow(self):
        return self.sql("select count(*) from pg_stat_activity where "
                        "wait_event = 'PgSleep'") == "1"

    def is_asked(self):
        return self.sql("select count(*) from pg_stat_activity where "
                        "wait_event_type = 'Lock' and "
                        "query like '%onewake.decision%'") == "1"

    def go(self):
        self.sql("insert into go values (1)")


class LastMariaDB(MariaDB):
    holder = None

    def has_table(self):
        return self.sql("select count(*) from information_schema.tables where "
                        "table_schema = 'onewake'") == "2"

    def _transactions(self, where):
        """InnoDB makes this list anew when nobody has read it for 0.1 s: who
        looked more often would see the same one for ever."""
        return self.sql("do sleep(0.12); select count(*) from "
                        f"information_schema.innodb_trx where {where}")

    def open_branches(self):
        return int(self._transactions(
            "trx_mysql_thread_id <> connection_id()"))

    def watch_rows(self):
        self.sql("create table seen (gtrid text) engine=innodb; create trigger "
                 "onewake.see after insert on onewake.decision for each row "
                 "insert into bank.seen values (new.gtrid)")

    def refuse(self):
        self.sql("create trigger onewake.no before insert on onewake.decision "
                 "for each row signal sqlstate '45000'")

    def accept(self):
        self.sql("drop trigger onewake.no")

    def slow(self):
        """A commit waits, with its row, for go()."""
        self.sql("create table go (n int) engine=innodb; "
                 "insert into go values (1); "
                 "create trigger onewake.slow after insert on "
                 "onewake.decision for each row update bank.go set n = n + "
                 "new.committed")
        self.holder = subprocess.Popen(
            [self.CLIENT, "--no-defaults", "-u", "root", "-n", "-N", "-S",
             self.socket, "bank"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.holder.stdin.write("begin; select n from go for update;\n")
        self.holder.stdin.flush()
        self.holder.stdout.readline()

    def _waiting(self):
        return self._transactions("trx_state = 'LOCK WAIT'")

    def is_slow(self):
        return self._waiting() == "1"

    def is_asked(self):
        return self._waiting() == "2"

    def go(self):
        self.holder.stdin.close()
        self.holder.wait(20)
        self.holder.stdout.close()
        self.holder = None

    def __exit__(self, kind=None, *rest):
        if self.holder is not None:
            self.go()
        super().__exit__(kind, *rest)


class Last(Trans):
    """A database is the last resource."""

    def __init__(self, db):
        super().__init__()
        self.db = db
        self.env_last = {**db.env, "NDRX_XA_FLAGS": "LASTRESOURCE"}

    def tm_last(self, **kw):
        return self.server(100 + self.db.RMID, "-s", "200ms", binary="tmsrv",
                           env=kw.get("env", self.env_last))

    def dbsv(self):
        return self.server(13, self.db.SVC, binary=self.db.PROGRAM,
                           env=self.env_last)

    def boot_all(self):
        self.db.sql("create table a (id int primary key, n int)")
        self.db.sql("insert into a values (1, 100), (2, 100)")
        self.tm1 = self.tm(1)
        self.tm_of_last = self.tm_last()
        self.sv_of_last = self.dbsv()
        self.sv(11, 1, "A")
        c = self.xaclient()
        wait_for(lambda: self.is_last(c), "the database decides")
        return c

    def is_last(self, c):
        """Its branch is not prepared. Then the client begins at its tmsrv."""
        c.ok("begin", 20)
        add(self, c, 1, 0)
        is_open = self.db.in_doubt() == 0
        c.ok("commit")
        return is_open

    def warm(self, c):
        """Then the client begins at the tmsrv of the database."""
        c.ok("begin", 20)
        add(self, c, 1, 0)
        c.ok("commit")

    def both(self):
        return self.db.sql("select n from a where id = 1"), self.total(1)

    def decisions(self, kind="committed"):
        return int(self.db.sql("select count(*) from onewake.decision where "
                               f"{kind}"))

    def settle(self):
        """All is decided, and no row is left."""
        self.decided(1)
        wait_for(lambda: not self.rows("printtrans") and
                 self.decisions() == 0, "all has ended", 30)

    def all_ended(self):
        wait_for(lambda: self.db.open_branches() == 0, "it has ended", 20)

    def new_tm(self, **kw):
        """The coordinator is killed, and started again."""
        kill(self.tm_of_last.pid)
        self.tm_of_last = self.replace(self.tm_of_last,
                                       lambda: self.tm_last(**kw))

    def new_other(self):
        """The one of the other resource manager, which it holds up."""
        kill(self.tm1.pid)
        self.tm1 = self.replace(self.tm1, lambda: self.tm(1))

    def stages(self):
        return [r.stage for r in self.rows("printtrans")]


def add(t, c, row, n):
    c.ok("call", "-", t.db.SVC, f"update a set n = n + {n} where id = {row}")


def move(t, c, n=10, seconds=60):
    c.ok("begin", seconds)
    add(t, c, 1, -n)
    c.ok("call", "-", "A", f"add:{n}")


def _fact(f):
    SHARED.append(f)
    return f


def facts(database):
    """Those that hold for each database."""
    def of(f):
        @functools.wraps(f)
        def test():
            with database() as db, Last(db) as t:
                f(db, t)
        return test
    return {f"test_{f.__name__}": of(f) for f in SHARED}


def hold_decided(t, c, n=10):
    """The decision is a row, and the other branch is held at its commit."""
    move(t, c, n)
    t.order(1, "commit", "hold")
    c.begin("commit")
    wait_for(lambda: t.held(1, "commit"), "it is decided")


@_fact
def a_group_says_so(db, t):
    db.sql("create table a (id int primary key, n int)")
    db.sql("insert into a values (1, 100)")
    env = "<envs>" + "".join(f'<env name="{k}">{escape(v)}</env>'
                             for k, v in db.env.items()) + "</envs>"
    t.boot({"srvid": 103, "name": "tmsrv", "procgrp": "DB", "xml": env},
           {"srvid": 13, "name": db.PROGRAM, "procgrp": "DB", "xml": env,
            "appopt": db.SVC},
           sections='<procgroups><procgroup name="DB" grpno="1" '
           'lastresource="Y"/></procgroups>')
    c = t.xaclient()
    wait_for(lambda: t.is_last(c), "the database decides")
    c.ok("begin", 20)
    add(t, c, 1, -10)
    equal((db.in_doubt(), db.open_branches()), (0, 1))
    c.ok("commit")
    equal(db.rows(), "90")


@_fact
def its_commit_is_the_decision(db, t):
    c = t.boot_all()
    move(t, c)
    row, = t.rows("printtrans")
    equal([(b["rmid"], b["status"]) for b in row.branches],
          [(db.RMID, "active"), (1, "active")])
    equal((db.in_doubt(), t.both()), (0, ("100", 0)))
    t.order(1, "commit", "hold")
    c.begin("commit")
    wait_for(lambda: t.held(1, "commit"), "the other one is committed")
    equal((t.decisions(), t.both()), (1, ("90", 0)))
    t.release(1, "commit")
    equal(c.end().err, "OK")
    equal(t.both(), ("90", 10))
    t.settle()


@_fact
def who_votes_no_rolls_it_back(db, t):
    c = t.boot_all()
    move(t, c)
    t.order(1, "prepare", "result 100")
    equal(c.err("commit"), "TPEABORT")
    move(t, c)
    c.ok("abort")
    # A service that fails.
    c.ok("begin", 20)
    c.ok("call", "-", "A", "add:10")
    equal(c.err("call", "-", db.SVC, "insert into a values (1, 1)"),
          "TPESVCFAIL")
    equal(c.err("commit"), "TPEABORT")
    # The database itself, at the last moment. Where a client begins that
    # was rolled back is anybody's guess.
    t.warm(c)
    equal(t.both(), ("100", 0))
    db.refuse()
    move(t, c, -100)
    equal(c.err("commit"), "TPEABORT")
    t.settle()
    equal((t.both(), db.open_branches()), (("100", 0), 0))
    db.accept()
    t.warm(c)
    move(t, c)
    c.ok("commit")
    equal(t.both(), ("90", 10))


@_fact
def one_branch_is_the_last_resource_others_are_prepared(db, t):
    c = t.boot_all()
    c.ok("begin", 20)
    add(t, c, 1, -10)
    add(t, c, 2, 10)
    equal(db.in_doubt(), 1)
    c.ok("commit")
    equal(db.rows(), "90 110")
    t.settle()
    # Alone it needs no row.
    db.watch_rows()
    c.ok("begin", 20)
    add(t, c, 1, -10)
    c.ok("commit")
    equal(t.both(), ("80", 0))
    equal(db.sql("select count(*) from seen"), "0")
    c.ok("begin", 20)
    add(t, c, 1, -10)
    add(t, c, 2, 10)
    c.ok("commit")
    equal(db.sql("select count(*) from seen"), "1")


@_fact
def an_answer_that_is_half_read_holds_no_locks(db, t):
    c = t.boot_all()
    half_read(db, c)
    t.warm(c)
    move(t, c)
    c.ok("commit")
    equal(t.both(), ("80", 10))


@_fact
def a_child_of_a_service_does_not_keep_its_work(db, t):
    t.boot_all()
    c = t.xaclient()
    c.ok("begin", 60)
    c.begin("call", "-", db.SVC, "FORK update a set n = n - 1")
    wait_for(lambda: db.open_branches() == 1, "it works")
    pid = t.sv_of_last.pid
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        child, = map(int, f.read().split())
    try:
        kill(pid)
        t.replace(t.sv_of_last, t.dbsv)
        db.take_locks()  # while the child lives
    finally:
        os.kill(child, signal.SIGKILL)
    equal(c.end(20).err, "TPESVCERR")
    c.ok("abort")


@_fact
def its_server_is_killed_before_the_order(db, t):
    c = t.boot_all()
    move(t, c)
    kill(t.sv_of_last.pid)
    t.replace(t.sv_of_last, t.dbsv)
    equal(c.err("commit"), "TPEABORT")
    t.settle()
    t.all_ended()
    equal(t.both(), ("100", 0))


def _no_more_files(pid):
    """A process opens nothing any more; how it was before."""
    used = {int(f) for f in os.listdir(f"/proc/{pid}/fd")}
    free = min(set(range(len(used) + 1)) - used)
    was = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, was[1]))
    return was


@_fact
def an_order_that_cannot_be_sent_is_repeated_as_a_rollback(db, t):
    c = t.boot_all()
    for alone in True, False:
        c.ok("begin", 60)
        add(t, c, 1, -10)
        if not alone:
            add(t, c, 2, 10)  # prepared
        was = _no_more_files(t.tm_of_last.pid)
        equal(c.err("commit"), "TPEABORT")
        resource.prlimit(t.tm_of_last.pid, resource.RLIMIT_NOFILE, was)
        t.all_ended()  # long before its time is over
        t.settle()
        t.warm(c)
    equal(t.both(), ("100", 0))


@_fact
def its_server_is_stopped_when_the_order_comes(db, t):
    c = t.boot_all()
    move(t, c)
    kill(t.sv_of_last.pid, signal.SIGSTOP)
    equal(c("commit", seconds=60).err, "TPEABORT")
    # The order that it finds when it goes on comes too late.
    kill(t.sv_of_last.pid, signal.SIGCONT)
    t.all_ended()
    t.settle()
    equal(t.both(), ("100", 0))
    move(t, c)
    c.ok("commit")
    equal(t.both(), ("90", 10))


def _slowly(t, c):
    """The commit of the database is under way for a while."""
    t.db.slow()
    move(t, c, 110)
    c.begin("commit")
    wait_for(t.db.is_slow, "it commits")


def _once_it_is_asked(t):
    """The question waits for the commit, which goes on then."""
    wait_for(t.db.is_asked, "it is asked")
    t.db.go()


@_fact
def its_server_is_killed_while_it_commits(db, t):
    c = t.boot_all()
    _slowly(t, c)
    kill(t.sv_of_last.pid)
    t.replace(t.sv_of_last, t.dbsv)
    # The database goes on, and the tmsrv waits for it.
    _once_it_is_asked(t)
    equal(c.end(60).err, "OK")
    t.settle()
    equal(t.both(), ("-10", 110))


@_fact
def the_coordinator_is_killed_before_it_orders(db, t):
    c = t.boot_all()
    move(t, c)
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
    equal(t.decisions("not committed"), 1)


@_fact
def the_coordinator_is_killed_while_it_commits(db, t):
    c = t.boot_all()
    _slowly(t, c)
    t.new_tm()
    _once_it_is_asked(t)
    equal(c.end(60).err, "TPESVCERR")
    t.settle()
    equal(t.both(), ("-10", 110))


@_fact
def the_coordinator_is_killed_after_the_commit(db, t):
    c = t.boot_all()
    hold_decided(t, c)
    kill(t.tm_of_last.pid)
    t.new_other()
    t.countermand(1, "commit")
    # Also one that gives no such branches any more reads the rows.
    t.tm_of_last = t.replace(t.tm_of_last, lambda: t.tm_last(env=db.env))
    equal(c.end(60).err, "TPESVCERR")
    t.settle()
    equal(t.both(), ("90", 10))


@_fact
def the_database_is_killed_after_the_commit(db, t):
    c = t.boot_all()
    hold_decided(t, c)
    db.kill()
    kill(t.tm_of_last.pid)
    t.new_other()
    t.countermand(1, "commit")
    db.start()
    t.tm_of_last = t.replace(t.tm_of_last, t.tm_last)
    equal(c.end(60).err, "TPESVCERR")
    t.settle()
    equal((t.both(), db.in_doubt()), (("90", 10), 0))


@_fact
def a_heuristic_outcome_beside_the_row_outlives_the_coordinator(db, t):
    c = t.boot_all()
    move(t, c)
    t.order(1, "commit", f"lie {XA_HEURHAZ}")
    equal(c.err("commit"), "TPEHAZARD")
    # The answer comes before the last step.
    wait_for(lambda: t.stages() == ["HEURISTIC"], "it is kept")
    equal(t.both(), ("90", 10))
    t.new_tm()
    wait_for(lambda: t.stages() == ["HEURISTIC"], "it is kept")
    # Also without the row, which its database may have lost.
    db.sql("delete from onewake.decision where committed")
    t.new_tm()
    wait_for(lambda: t.stages() == ["HEURISTIC"], "it is kept")
    row, = t.rows("printtrans")
    t.xadmin("forgetlocal", "-s", row.tm, "-x", row.xid, "-y")
    t.settle()


@_fact
def without_its_row_the_decision_is_lost(db, t):
    """That the row saves it is seen where there is none."""
    c = t.boot_all()
    hold_decided(t, c)
    db.sql("delete from onewake.decision where committed")
    kill(t.tm_of_last.pid)
    t.new_other()
    t.countermand(1, "commit")
    t.tm_of_last = t.replace(t.tm_of_last, t.tm_last)
    equal(c.end(60).err, "TPESVCERR")
    t.settle()
    equal(t.both(), ("90", 0))


@_fact
def the_database_is_killed_while_it_commits(db, t):
    c = t.boot_all()
    _slowly(t, c)
    db.kill()
    equal(c.end(60).err, "TPEHAZARD")
    row, = t.rows("printtrans")
    equal(row.stage, "DECIDING")
    equal(t.branches(1, "p") != [], True)
    db.start()
    t.settle()
    equal(t.both(), ("100", 0))
    t.warm(c)
    move(t, c)
    c.ok("commit")
    equal(t.both(), ("90", 10))


def _look_ten_times(t):
    """It looks for orphans five times a second, and one is seen for one."""
    for _ in range(10):
        t.order(1, "recover", "sleep 0")
        wait_for(lambda: not os.path.exists(t.rm(1) + "/order.recover"),
                 "it looks")


@_fact
def nothing_is_presumed_while_the_rows_cannot_be_read(db, t):
    c = t.boot_all()
    hold_decided(t, c)
    db.kill()
    kill(t.tm_of_last.pid)
    kill(t.tm1.pid)
    t.tm_of_last = t.replace(t.tm_of_last, t.tm_last)
    t.replace(t.tm1, lambda: t.tm(1))
    equal(c.end(60).err, "TPESVCERR")
    _look_ten_times(t)
    equal(len(t.branches(1, "p")), 1)
    t.countermand(1, "commit")
    db.start()
    t.settle()
    equal(t.both(), ("90", 10))


def _ulog(t):
    text = ""
    for name in glob.glob(t.logs + "/ULOG*"):
        with open(name, encoding="utf-8") as f:
            text += f.read()
    return text


def _without_life(t):
    """The file `.last` as a version before lives has left it."""
    path, = glob.glob(t.home + "/**/*.last", recursive=True)
    with open(path, "r+", encoding="ascii") as f:
        equal(len(f.read()), 34)
        f.truncate(16)
        f.seek(16)
        f.write("\n")


@_fact
def another_database_is_not_believed(db, t):
    c = t.boot_all()
    hold_decided(t, c)
    kill(t.tm_of_last.pid)
    t.new_other()
    t.countermand(1, "commit")
    with type(db)() as other:
        _without_life(t)
        t.tm_of_last = t.replace(t.tm_of_last,
                                 lambda: t.tm_last(env=other.env))
        equal(c.end(60).err, "TPESVCERR")
        wait_for(lambda: "does not know this log" in _ulog(t), "it is told")
        _look_ten_times(t)
        equal((len(t.branches(1, "p")), t.both()), (1, ("90", 0)))
        t.countermand(1, "recover")
        t.new_tm()
    t.settle()
    equal(t.both(), ("90", 10))


@_fact
def a_server_of_another_database_cannot_decide(db, t):
    c = t.boot_all()
    with type(db)() as other, type(t)(other) as far:
        far.boot_all()  # it has the table, of another log
        other.sql("update a set n = 100")
        kill(t.sv_of_last.pid)
        t.sv_of_last = t.replace(t.sv_of_last, lambda: t.server(
            13, db.SVC, binary=db.PROGRAM, env=far.env_last))
        t.is_last(c)
        move(t, c)
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal((other.sql("select n from a where id = 1"), t.total(1)),
              ("100", 0))


def _new_life(t, c):
    """Of the tmsrv, which an older copy of the database does not know."""
    kill(t.sv_of_last.pid)
    t.sv_of_last = t.replace(t.sv_of_last, t.dbsv)
    t.new_tm()
    wait_for(lambda: t.is_last(c), "the database decides")


@_fact
def an_older_copy_of_its_database_is_not_believed(db, t):
    c = t.boot_all()
    with db.twin() as old:
        _new_life(t, c)
        hold_decided(t, c)
        kill(t.tm_of_last.pid)
        t.new_other()
        t.countermand(1, "commit")
        t.tm_of_last = t.replace(t.tm_of_last, lambda: t.tm_last(env=old.env))
        equal(c.end(60).err, "TPESVCERR")
        wait_for(lambda: "not its last life" in _ulog(t), "it is told")
        _look_ten_times(t)
        equal((len(t.branches(1, "p")), t.both()), (1, ("90", 0)))
        t.countermand(1, "recover")
        t.new_tm()
    t.settle()
    equal(t.both(), ("90", 10))


@_fact
def a_server_of_an_older_copy_cannot_decide(db, t):
    c = t.boot_all()
    with db.twin() as old:
        _new_life(t, c)
        kill(t.sv_of_last.pid)
        t.sv_of_last = t.replace(t.sv_of_last, lambda: t.server(
            13, db.SVC, binary=db.PROGRAM,
            env={**old.env, "NDRX_XA_FLAGS": "LASTRESOURCE"}))
        t.is_last(c)
        move(t, c)
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal((old.sql("select n from a where id = 1"), t.total(1)),
              ("100", 0))


@_fact
def a_branch_that_gets_no_order_ends(db, t):
    c = t.boot_all()
    move(t, c, seconds=1)
    kill(t.tm_of_last.pid)
    t.all_ended()
    t.tm_of_last = t.replace(t.tm_of_last, t.tm_last)
    c("commit")
    t.settle()
    equal(t.both(), ("100", 0))
