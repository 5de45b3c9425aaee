# SPDX-License-Identifier: Apache-2.0
"""PostgreSQL takes part in transactions, and may die in them."""
import glob
import os
import pwd
import signal
import subprocess
import tempfile

from checks import equal
from fixture import BUILD, Skip, wait_for
from trans import Trans

BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"))
DRIVER = f"{BUILD}/lib/libndrxxapq.so"


class Postgres:
    """A server of its own, in a temporary folder, reached by a socket. It does
    not run as root: then it is nobody's."""

    def __init__(self, settings=("max_prepared_transactions=50",)):
        if not BIN or not os.path.exists(DRIVER):
            raise Skip("PostgreSQL or libpq is not installed")
        user = pwd.getpwnam("nobody") if os.getuid() == 0 else \
            pwd.getpwuid(os.getuid())
        self.who = {"user": user.pw_uid, "group": user.pw_gid,
                    "extra_groups": []} if os.getuid() == 0 else {}
        self.bin = os.path.dirname(BIN[-1])
        self.home = tempfile.mkdtemp(prefix="ow_pg_")
        self.data = os.path.join(self.home, "data")
        self.settings = settings
        self.proc = None
        self.user = user.pw_name
        os.chown(self.home, user.pw_uid, user.pw_gid)
        self._run("initdb", "-D", self.data, "-A", "trust", "-N",
                  "-U", self.user)
        self.start()

    def _run(self, name, *argv, check=True):
        return subprocess.run([os.path.join(self.bin, name), *argv],
                              capture_output=True, text=True, check=check,
                              timeout=120, cwd=self.home, **self.who)

    def start(self):
        argv = [os.path.join(self.bin, "postgres"), "-D", self.data,
                "-k", self.home, "-c", "listen_addresses=",
                "-c", "shared_memory_type=mmap", "-c", "shared_buffers=4MB",
                "-c", "dynamic_shared_memory_type=mmap"]
        for s in self.settings:
            argv += ["-c", s]
        self.proc = subprocess.Popen(argv, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL,
                                     cwd=self.home, **self.who)
        wait_for(lambda: self._run("pg_isready", "-h", self.home,
                                   check=False).returncode == 0,
                 "PostgreSQL is ready", 60)

    def kill(self):
        """All of its processes; a new one waits until they are gone."""
        self.proc.send_signal(signal.SIGQUIT)
        self.proc.wait(60)

    def sql(self, text):
        return self._run("psql", "-h", self.home, "-At", "-c", text,
                         "postgres").stdout.strip()

    @property
    def env(self):
        return {"NDRX_XA_RES_ID": "3", "NDRX_XA_DRIVERLIB": DRIVER,
                "NDRX_XA_OPEN_STR":
                f"{{\"url\":\"host={self.home} dbname=postgres "
                f"user={self.user}\"}}"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.proc is not None and self.proc.poll() is None:
            self.kill()
        subprocess.run(["rm", "-rf", self.home], check=False)


def _boot(t, pg):
    pg.sql("create table a (id int primary key, n int check (n >= 0))")
    pg.sql("insert into a values (1, 100), (2, 100)")
    t.server(103, "-s", "200ms", binary="tmsrv", env=pg.env)
    t.server(13, "PG", binary="pgsv", env=pg.env)
    t.tm(1)
    t.sv(11, 1, "A")
    return t.xaclient(1)


def _add(c, row, n):
    return c("call", "-", "PG", f"update a set n = n + {n} where id = {row}")


def _rows(pg):
    return pg.sql("select string_agg(n::text, ' ' order by id) from a")


def test_commit_and_abort_with_another_resource_manager():
    with Postgres() as pg, Trans() as t:
        c = _boot(t, pg)
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        equal(_add(c, 2, 10).err, "OK")  # a branch of its own
        c.ok("call", "-", "A", "add:7")
        equal(_rows(pg), "100 100")
        c.ok("commit")
        equal((_rows(pg), t.total(1)), ("90 110", 7))
        c.ok("begin", 20)
        equal(_add(c, 1, -10).err, "OK")
        c.ok("call", "-", "A", "add:7")
        c.ok("abort")
        equal((_rows(pg), t.total(1)), ("90 110", 7))
        equal(pg.sql("select count(*) from pg_prepared_xacts"), "0")


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


def test_without_prepared_transactions_nothing_starts():
    with Postgres(settings=()) as pg, Trans() as t:
        p = t.spawn(103, binary="tmsrv", env=pg.env)
        equal(p.wait(30), 1)
        t.procs.pop(p.pid)
        with open(glob.glob(t.logs + "/ULOG*")[0], encoding="utf-8") as f:
            assert "max_prepared_transactions is 0" in f.read()
