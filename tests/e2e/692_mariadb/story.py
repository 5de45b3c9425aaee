# SPDX-License-Identifier: Apache-2.0
"""MariaDB takes part in transactions, and may die in them."""
import contextlib
import glob
import os
import signal
import socket
import subprocess
import threading

from checks import equal
from databases import MariaDB
from fixture import kill, wait_for
from half_read import half_read
from trans import Trans
from two_rows import add, commit_and_abort
from two_rows import boot as _boot

MAINLY = "posix"
COST = 75


def _add(c, row, n, svc="DB"):
    return add(c, row, n, svc)


def _rows(db):
    return db.rows()


def _settled(db, seconds=10):
    wait_for(lambda: db.in_doubt() == 0, "nothing is in doubt", seconds)


def test_commit_and_abort_with_another_resource_manager():
    with MariaDB() as db, Trans() as t:
        commit_and_abort(t, db)


def test_a_transaction_of_one_branch_and_one_that_only_reads():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("commit")
        equal(_rows(db), "90 100")
        c.ok("begin", 20)
        equal(c.ok("call", "-", "DB", "select n from a where id = 1").urcode,
              90)
        c.ok("commit")
        c.ok("begin", 20)
        c.ok("call", "-", "DB", "select n from a where id = 1")
        c.ok("call", "-", "A", "add:7")
        c.ok("commit")
        equal((t.total(1), db.in_doubt()), (7, 0))


def test_a_service_that_fails_rolls_back():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        c.ok("begin", 20)
        equal(_add(c, 2, 10).err, "OK")
        equal(_add(c, 1, -1000).err, "TPESVCFAIL")  # the check of the table
        equal(c.err("commit"), "TPEABORT")
        equal((_rows(db), db.in_doubt()), ("100 100", 0))
        # Outside of a transaction each statement is its own.
        equal(c.ok("call", "TPNOTRAN", "DB", "select n from a where id = 1")
              .urcode, 100)
        equal(c.err("call", "TPNOTRAN", "DB", "select nothing"), "TPESVCFAIL")


def test_an_answer_that_is_half_read_holds_no_locks():
    with MariaDB() as db, Trans() as t:
        half_read(db, _boot(t, db))


def test_an_answer_that_nobody_has_read_is_nobody_elses():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        one = "update a set n = n - 10 where id = 1"
        two = f"{one} | update a set n = -1 where id = 2"
        for sent in (f"SEND {one}", f"SEND {two}", f"Send {two}",
                     f"SEND {one} | {one} | {one}", f"Send {one} | {one} | {one}",
                     f"SEND select n from a | {one}", f"Send select n from a | {one}"):
            c.ok("begin", 20)
            equal((sent, c.err("call", "-", "DB", sent)),
                  (sent, "TPESVCERR"))
            equal(c.err("commit"), "TPEABORT")
            # Answers of the next transaction are its own.
            c.ok("call", "TPNOTRAN", "DB", f"SEND select 1 | select {len(sent)}")
            c.ok("begin", 20)
            equal(c.ok("call", "-", "DB", "select n from a where id = 2").urcode, 100)
            c.ok("commit")
            c.ok("call", "TPNOTRAN", "DB", f"SEND select 1 | select {len(sent)}")
            c.ok("begin", 20)
            equal(_add(c, 2, -1000).err, "TPESVCFAIL")
            c.ok("abort")
            c.ok("begin", 20)
            equal(c.ok("call", "-", "DB", "select n from a where id = 1")
                  .urcode, 100)
            c.ok("commit")
        _settled(db)
        equal(_rows(db), "100 100")


def test_a_service_cannot_end_its_branch():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        for sql in "commit", "rollback", "begin":
            c.ok("begin", 20)
            equal(_add(c, 1, -10).err, "OK")
            equal((sql, c.err("call", "-", "DB", sql)), (sql, "TPESVCFAIL"))
            c.ok("abort")
        equal(_rows(db), "100 100")


def test_one_of_two_that_wait_for_each_other_is_rolled_back():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        t.server(15, "DB2", binary="mdbsv", env=db.env)
        d = t.xaclient(1)
        one, two = ("sleep(0.2) = 0 and id = 1", "sleep(0.2) = 0 and id = 2")
        c.ok("begin", 20)
        d.ok("begin", 20)
        # Within one statement each, so that a branch holds the one row and
        # waits for the other.
        c.begin("call", "-", "DB", f"update a set n = n - 1 where {one} or "
                f"{two} order by id")
        d.begin("call", "-", "DB2", f"update a set n = n - 1 where {one} or "
                f"{two} order by id desc")
        told = sorted([c.end(30).err, d.end(30).err])
        assert told[0] == "OK", told
        wanted = [x("commit").err for x in (c, d)]
        _settled(db)
        equal(_rows(db), {1: "99 99", 2: "98 98"}[wanted.count("OK")])


def test_a_restarted_database_ends_what_was_in_doubt():
    for op in "prepare", "commit":
        with MariaDB() as db, Trans() as t:
            c = _boot(t, db)
            c.ok("begin", 60)
            equal(_add(c, 1, -10).err, "OK")
            c.ok("call", "-", "A", "add:10")
            t.order(1, op, "sleep 1500")
            c.begin("commit")
            wait_for(lambda o=op: not os.path.exists(
                f"{t.rm(1)}/order.{o}"), f"it is in xa_{op}")
            db.kill()
            told = c.end(60).err
            db.start()
            _settled(db)
            t.settled(1)
            done = t.total(1) == 10
            equal((_rows(db), t.total(1)),
                  ("90 100", 10) if done else ("100 100", 0))
            assert told in ("OK", "TPEABORT"), told
            equal(told == "OK", done)
            # The servers go on, with new connections.
            c.ok("begin", 20)
            equal(_add(c, 2, -10).err, "OK")
            c.ok("commit")
            equal(_rows(db).split()[1], "90")


def test_a_commit_over_a_dead_connection_has_not_reached_the_database():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        for _ in range(12):  # each thread of its tmsrv has sent something before
            c.ok("begin", 20)
            equal(_add(c, 1, 0).err, "OK")
            c.ok("call", "-", "A", "add:0")
            c.ok("commit")
        c.ok("begin", 60)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("call", "-", "A", "add:10")
        t.order(1, "prepare", "hold")
        c.begin("commit")
        wait_for(lambda: t.held(1, "prepare"), "it prepares")
        db.kill()
        db.start()
        name = db.sql("xa recover format='SQL'").split("|")[3]
        db.sql(f"xa rollback {name}")
        t.release(1, "prepare")
        equal(c.end(60).err, "TPEHAZARD")
        equal((_rows(db), t.total(1)), ("100 100", 10))
        equal([r.stage for r in t.rows("printtrans")], ["HEURISTIC"])


def test_a_killed_server_leaves_its_branch_to_the_tmsrv():
    """Its connection ends while the branch is committed or rolled back: that is
    where MariaDB itself would lose the branch."""
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        sum_ = 100
        for i in range(12):
            t.server(20 + i, f"DB{i}", binary="mdbsv", env=db.env)
            c.ok("begin", 20)
            equal(_add(c, 1, -1, f"DB{i}").err, "OK")
            c.ok("call", "-", "A", "add:1")
            p = next(p for p in t.procs.values()
                     if p.args[p.args.index("-i") + 1] == str(20 + i))
            kill(p.pid)
            c.ok("commit" if i % 3 else "abort")
            sum_ -= 1 if i % 3 else 0
            t.replace(p, lambda: None)
        _settled(db)
        equal((_rows(db), t.total(1)), (f"{sum_} 100", 100 - sum_))
        # No lock is left.
        equal(c.ok("call", "TPNOTRAN", "DB",
                   "update a set n = 0 where id = 1").err, "OK")


class _Backup:
    """Somebody who has locked all tables."""

    def __init__(self, db):
        self.proc = subprocess.Popen(
            [db.CLIENT, "--no-defaults", "-u", "root", "-n", "-N", "-S", db.socket, "bank"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.proc.stdin.write("flush tables with read lock; select 1;\n")
        self.proc.stdin.flush()
        self.proc.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proc.stdin.close()
        self.proc.wait(20)
        self.proc.stdout.close()


def test_a_branch_that_another_connection_is_to_end_is_not_done():
    """A commit that waits for a backup, and whose connection was given up, is one of
    another connection: MariaDB says XAER_NOTA to the next one, and is killed then."""
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        p = t.server(15, "DB2", binary="mdbsv", env=db.env)
        c.ok("begin", 60)
        equal(_add(c, 1, -10, "DB2").err, "OK")
        c.ok("call", "-", "A", "add:10")
        kill(p.pid)
        t.procs.pop(p.pid).wait()
        with _Backup(db):
            c.ok("tout", 60)
            equal(c("commit", seconds=60).err, "OK")
            wait_for(lambda: "another connection is about to end" in _ulog(t)
                     or not t.rows("printtrans"), "it is asked again", 20)
            db.kill()
        db.start()
        _settled(db)
        equal((_rows(db), t.total(1)), ("90 100", 10))
        wait_for(lambda: not t.rows("printtrans"), "all is done")


def test_a_branch_that_has_only_read_is_done_when_its_server_was_killed():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        p = t.server(15, "READER", binary="mdbsv", env=db.env)
        c.ok("begin", 60)
        c.ok("call", "-", "READER", "select n from a where id = 1")
        c.ok("call", "-", "A", "add:10")
        kill(p.pid)
        c.ok("commit")
        equal((t.total(1), db.in_doubt()), (10, 0))


def test_a_stopped_server_ends_its_branch_when_it_goes_on():
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        p = t.server(15, "DB2", binary="mdbsv", env=db.env)
        c.ok("begin", 30)
        equal(_add(c, 1, -10, "DB2").err, "OK")
        c.ok("call", "-", "A", "add:10")
        t.order(1, "commit", "sleep 300")
        c.begin("commit")
        wait_for(lambda: not os.path.exists(t.rm(1) + "/order.commit"),
                 "it is decided")
        os.kill(p.pid, signal.SIGSTOP)
        told = c.end(60).err
        os.kill(p.pid, signal.SIGCONT)
        _settled(db)
        equal((told, _rows(db), t.total(1)), ("OK", "90 100", 10))


class _Between(threading.Thread):
    """Between a program and its database, which does not get what has this word in it; or
    (`passes`) gets it, and the first connection that asks so hears so many packets."""

    def __init__(self, db, word, passes=None):
        super().__init__(daemon=True)
        self.db, self.path = db, f"{db.home}/between"
        self.word, self.passes, self.asked = word, passes, 0
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            server.connect(self.db.socket)
            left = []  # packets that this connection may hear; empty: all
            for way in (client, server, left, True), (server, client, left, False):
                threading.Thread(target=self._pass_on, args=way, daemon=True).start()

    def _may_ask(self, packet, left):
        if self.word not in packet:
            return True
        self.asked += 1
        if self.passes is not None and self.asked == 1:
            left.append(self.passes)
        return self.passes is not None

    @staticmethod
    def _may_hear(left):
        if left:
            left[0] -= 1
        return not left or left[0] >= 0

    def _pass_on(self, source, to, left, is_asked):
        data = b""
        with contextlib.suppress(OSError):
            while (more := source.recv(65536)):
                data += more
                while len(data) >= 4 and len(data) >= (
                        n := 4 + int.from_bytes(data[:3], "little")):
                    if self._may_ask(data[:n], left) if is_asked else self._may_hear(left):
                        to.sendall(data[:n])
                    data = data[n:]
            to.shutdown(socket.SHUT_RDWR)


def test_a_server_that_answers_one_question_of_two_is_given_up():
    with MariaDB() as db, Trans() as t:
        between = _Between(db, b"XA END")
        between.start()
        name = "NDRX_XA_OPEN_STR"
        _boot(t, db)
        c = t.xaclient(0, NDRX_TOUT="60")
        t.server(15, "DEAF", binary="mdbsv",
                 env={**db.env, name: db.env[name].replace(db.socket, between.path)})
        c.ok("begin", 60)
        equal(c("call", "-", "DEAF", "update a set n = 0", seconds=60).err,
              "TPESVCERR")
        equal(c.err("commit"), "TPEABORT")
        db.take_locks()
        equal(_rows(db), "100 100")


def test_a_server_that_stops_in_an_answer_is_given_up():
    """A thread of a tmsrv would have waited for ever. Of this answer the first packet says
    how many columns it has, five more say which."""
    with contextlib.ExitStack() as stack:
        both = []
        for passes in 1, 6:
            db, t = (stack.enter_context(x()) for x in (MariaDB, Trans))
            between = _Between(db, b"XA RECOVER", passes)
            between.start()
            name = "NDRX_XA_OPEN_STR"
            t.server(104, "-s", "200ms", binary="tmsrv",
                     env={**db.env, name: db.env[name].replace(db.socket, between.path)})
            both.append((between, t))
        for between, t in both:
            wait_for(lambda b=between: b.asked >= 1, "it looks")
        for between, t in both:
            wait_for(lambda b=between: b.asked > 1, "it looks again", 40)
            assert "no answer for 20 s" in _ulog(t)


def test_sums_are_exact_with_many_clients():
    with MariaDB() as db, Trans() as t:
        _boot(t, db)
        t.server(15, "DB", binary="mdbsv", env=db.env)
        clients = [t.xaclient(1) for _ in range(4)]
        told = [[] for _ in clients]

        def work(i):
            c = clients[i]
            for _ in range(25):
                c.ok("begin", 30)
                a = _add(c, 1 + i % 2, -1).err
                b = c("call", "-", "A", "add:1").err
                told[i].append(c("commit").err if (a, b) == ("OK", "OK")
                               else c("abort").text)

        threads = [threading.Thread(target=work, args=(i,))
                   for i in range(len(clients))]
        for th in threads:
            th.start()
        for th in threads:
            th.join()
        done = sum(x == "OK" for one in told for x in one)
        _settled(db)
        rows = [int(n) for n in _rows(db).split()]
        equal((sum(rows), t.total(1)), (200 - done, done))
        assert done > 50, told


def test_a_user_without_the_right_to_ask_innodb_is_refused():
    with MariaDB(grants=True) as db, Trans() as t:
        db.sql("create user teller@localhost; "
               "grant all on bank.* to teller@localhost")
        db.login = "teller"
        p = t.spawn(104, binary="tmsrv", env=db.env)
        equal(p.wait(30), 1)
        t.procs.pop(p.pid)
        with open(glob.glob(t.logs + "/ULOG*")[0], encoding="utf-8") as f:
            assert "GRANT PROCESS" in f.read()
        db.sql("grant process on *.* to teller@localhost")
        c = _boot(t, db)
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("commit")
        equal(_rows(db), "90 100")


def _ulog(t):
    text = ""
    for path in glob.glob(t.logs + "/ULOG*"):
        with open(path, encoding="utf-8") as f:
            text += f.read()
    return text


def test_a_server_that_does_not_sync_is_refused_unless_it_is_allowed():
    with MariaDB() as db, Trans() as t:
        for value in 0, 2:
            db.sql(f"set global innodb_flush_log_at_trx_commit = {value}")
            p = t.spawn(104, "-s", "200ms", binary="tmsrv", env=db.env)
            equal(p.wait(30), 1)
            t.procs.pop(p.pid)
            assert f"innodb_flush_log_at_trx_commit is {value}, not 1" in \
                _ulog(t)
        place = db.env["NDRX_XA_OPEN_STR"][:-1]
        t.server(104, "-s", "200ms", binary="tmsrv",
                 env={**db.env, "NDRX_XA_OPEN_STR":
                      place + ',"durable":"N"}'})
        assert "WARNING: innodb_flush_log_at_trx_commit is 2" in _ulog(t)


def test_each_branch_and_each_new_connection_is_examined():
    """Who sets it while all runs would lose what was told committed."""
    with MariaDB() as db, Trans() as t:
        c = _boot(t, db)
        for value in 2, 0:
            db.sql(f"set global innodb_flush_log_at_trx_commit = {value}")
            c.ok("begin", 20)
            # Over the connection that was there.
            equal(_add(c, 1, -10).err, "TPESVCERR")
            equal(c.err("commit"), "TPEABORT")
        assert "was set to another value than 1 or 3" in _ulog(t)
        db.sql("set global innodb_flush_log_at_trx_commit = 3")
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        db.sql("set global innodb_flush_log_at_trx_commit = 2")
        equal(_add(c, 2, 10).err, "TPETRAN")  # over a new one
        equal(c.err("commit"), "TPEABORT")
        _settled(db)
        equal(_rows(db), "100 100")
