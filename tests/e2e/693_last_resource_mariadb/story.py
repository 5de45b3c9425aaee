# SPDX-License-Identifier: Apache-2.0
"""MariaDB as last resource: its commit is the decision, whoever dies when, all
branches follow the row, and nobody is told a wrong outcome."""
import glob
import os
import signal
import subprocess

from checks import contains, equal
from fixture import kill, wait_for
from last_resource import Last, LastMariaDB, add, facts, move

MAINLY = "posix"
COST = 72

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


def _deadlock(sql):
    """The service's update is its victim. The result of the service, and how all
    has ended."""
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
        c.begin("call", "-", "DB", sql)
        wait_for(db.is_slow, "it waits")
        other.stdin.write("update a set n = 5 where id = 1; select 1;\n")
        other.stdin.flush()
        other.stdout.readline()
        err = c.end(20).err
        other.stdin.close()
        other.wait(20)
        other.stdout.close()
        equal((sql, c.err("commit")), (sql, "TPEABORT"))
        t.settle()
        return err, db.rows(), t.total(1)


def test_who_was_rolled_back_for_a_deadlock_hears_it():
    update = "update a set n = n - 1 order by id"
    equal(_deadlock("QUIET " + update), ("TPESVCERR", "100 100", 0))
    # What the service does then is part of nothing that can be committed.
    for more in "", "set autocommit = 0 | ":
        equal(_deadlock(f"{more}{update} | insert into a values (3, 3)")[1:],
              ("100 100", 0))


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
                                 "set sql_mode = 'ORACLE'",
                                 "set sql_mode = 'ANSI'",
                                 "set max_statement_time = 0.000001",
                                 "set sql_select_limit = 0",
                                 "set unique_checks = 0 | "
                                 "set foreign_key_checks = 0",
                                 "set timestamp = 1",
                                 "set collation_connection = utf16_bin",
                                 "use information_schema"), 1):
            c.ok("begin", 60)
            c.ok("call", "-", "DB",
                 f"update a set n = n - 1 where id = 1 | {sql}")
            c.ok("call", "-", "A", "add:1")
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


def test_a_server_that_gets_a_binary_log_later_decides_nothing():
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        db.kill()
        db.settings = ("--log-bin",)
        db.start()
        kill(t.sv_of_last.pid)
        t.sv_of_last = t.replace(t.sv_of_last, t.dbsv)
        # That of MariaDB, where the next one begins, does not know of it.
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:10")
        equal(c.err("call", "-", "DB", "update a set n = 0 where id = 1"), "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        t.settle()
        equal(t.both(), ("100", 0))
        with open(glob.glob(t.logs + "/ULOG*")[0], encoding="utf-8") as f:
            contains(f.read(), "log_bin is on: a branch cannot be the last resource")


def test_a_program_that_connects_again_does_not_leave_its_transaction():
    """What it did then was in none, and committed by itself."""
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        for _ in range(2):
            c.ok("call", "TPNOTRAN", "DB", "RECONNECT do 0")
            c.ok("begin", 20)
            equal(c.err("call", "-", "DB", "kill connection_id() | do 0 | "
                        "update a set n = 0"), "TPESVCFAIL")
            c.ok("abort")
            equal(db.rows(), "100 100")


def test_an_answer_that_nobody_has_read_is_not_that_of_the_commit():
    with LastMariaDB() as db, Last(db) as t:
        c = t.boot_all()
        for sql in ("do sleep(0.2)", "do sleep(0.2) | do sleep(1)",
                    "select sleep(0.2) | select sleep(0.5)"):
            c.ok("begin", 20)
            c.ok("call", "-", "A", "add:10")
            equal((sql, c.err("call", "-", "DB", f"SEND {sql} | update a set n "
                              "= n - 10 where id = 1")), (sql, "TPESVCERR"))
            equal(c.err("commit"), "TPEABORT")
            t.settle()
            t.all_ended()
            equal(t.both(), ("100", 0))


def test_a_tmsrv_needs_no_more_rights_than_the_manual_says():
    with LastMariaDB(grants=True) as db, Last(db) as t:
        t.boot_all()  # the tables are made
        db.sql("create user clerk@localhost; grant process on *.* to "
               "clerk@localhost; grant all on bank.* to clerk@localhost; "
               "grant select, insert, delete on onewake.* to clerk@localhost")
        db.login = "clerk"
        t.env_last = {**db.env, "NDRX_XA_FLAGS": "LASTRESOURCE"}
        os.unlink(glob.glob(t.home + "/**/*.last", recursive=True)[0])
        t.new_tm()
        kill(t.sv_of_last.pid)
        t.sv_of_last = t.replace(t.sv_of_last, t.dbsv)
        c = t.xaclient()
        wait_for(lambda: t.is_last(c), "the database decides")
        move(t, c)
        kill(t.sv_of_last.pid, signal.SIGSTOP)
        equal(c("commit", seconds=60).err, "TPEABORT")  # it was asked
        kill(t.sv_of_last.pid, signal.SIGCONT)
        t.settle()
        equal(t.both(), ("100", 0))
