# SPDX-License-Identifier: Apache-2.0
"""MariaDB as last resource: its commit is the decision, whoever dies when, all
branches follow the row, and nobody is told a wrong outcome."""
import glob
import subprocess

from checks import contains, equal
from fixture import kill, wait_for
from last_resource import Last, LastMariaDB, add, facts, move

MAINLY = "posix"
COST = 45

globals().update(facts(LastMariaDB))


def test_no_statement_of_a_service_ends_it():
    """Some would commit a transaction that is not one of XA."""
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        for sql in ("commit", "rollback", "begin", "create table b (n int)",
                    "truncate a", "flush tables with read lock",
                    "alter table a add m int"):
            c.ok("begin", 20)
            add(t, c, 1, -10)
            equal((sql, c.err("call", "-", "DB", sql)), (sql, "TPESVCFAIL"))
            c.ok("abort")
        equal(db.rows(), "100 100")


def test_who_was_rolled_back_for_a_deadlock_hears_it():
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        db.sql("create table big (n int) engine=innodb; insert into big "
               "select seq from seq_1_to_100")
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:10")
        other = subprocess.Popen(
            [db.CLIENT, "--no-defaults", "-u", "root", "-n", "-N", "-S",
             db.socket, "bank"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        other.stdin.write("begin; update big set n = 0; update a set n = 5 "
                          "where id = 2; select 1;\n")
        other.stdin.flush()
        other.stdout.readline()
        # It has row 1, and waits for row 2; the other one has more, and stays.
        c.begin("call", "-", "DB", "QUIET update a set n = n - 1 order by id")
        wait_for(db.is_slow, "it waits")
        other.stdin.write("update a set n = 5 where id = 1; select 1;\n")
        other.stdin.flush()
        other.stdout.readline()
        equal(c.end(20).err, "TPESVCERR")
        other.stdin.close()
        other.wait(20)
        other.stdout.close()
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal(t.both(), ("100", 0))


def test_while_somebody_has_locked_the_rows_it_is_not_known():
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        move(t, c)
        holder = subprocess.Popen(
            [db.CLIENT, "--no-defaults", "-u", "root", "-n", "-N", "-S",
             db.socket, "bank"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        holder.stdin.write("flush tables onewake.decision with read lock; "
                           "select 1;\n")
        holder.stdin.flush()
        holder.stdout.readline()
        equal(c("commit", seconds=60).err, "TPEHAZARD")
        holder.stdin.close()
        holder.wait(20)
        holder.stdout.close()
        t.settle()
        equal((db.open_branches(), t.both()), (0, ("100", 0)))


def test_the_session_of_a_program_does_not_matter():
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        for n, sql in enumerate(("set autocommit = 0", "set sql_mode = ''",
                                 "set max_statement_time = 0.000001",
                                 "use information_schema"), 1):
            move(t, c, 1)
            c.ok("call", "TPNOTRAN", "DB", sql)
            c.ok("commit")
            equal(t.both(), (str(100 - n), n))
            kill(t.sv_of_last.pid)  # and its sessions
            t.sv_of_last = t.replace(t.sv_of_last, t.dbsv)


def test_who_has_only_read_is_no_reason_to_abort():
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        db.sql("set global tx_read_only = 1")
        kill(t.sv_of_last.pid)
        t.replace(t.sv_of_last, t.dbsv)
        c.ok("begin", 20)
        c.ok("call", "-", "DB", "select n from a")
        c.ok("call", "-", "A", "add:10")
        c.ok("commit")
        t.settle()
        equal((t.both(), db.open_branches()), (("100", 10), 0))


def test_with_a_binary_log_branches_are_prepared():
    """MariaDB would sync the commit as prepared, and the row with it."""
    with LastMariaDB() as db, Last(db) as t:
        db.kill()
        db.settings = ("--log-bin",)
        db.start()
        db.sql("create table a (id int primary key, n int)")
        db.sql("insert into a values (1, 100), (2, 100)")
        t.tm1 = t.tm(1)
        t.tm_last()
        t.dbsv()
        t.sv(11, 1, "A")
        c = t.xaclient()
        wait_for(db.has_table, "its table")
        t.warm(c)
        move(t, c)
        equal(db.in_doubt(), 1)
        c.ok("commit")
        t.settle()
        equal(t.both(), ("90", 10))
        with open(glob.glob(t.logs + "/ULOG*")[0], encoding="utf-8") as f:
            contains(f.read(), "log_bin")
