# SPDX-License-Identifier: Apache-2.0
"""Money moves between a database of one node and a database of another while
everything is killed: the sum stays, and nobody was told a wrong outcome."""
import os
import random
import subprocess
import time

from checks import at_least, equal
from cluster import BRIDGE, Cluster
from databases import MariaDB, Postgres
from fixture import kill, wait_for
from machine import LONG

MAINLY = "shm"
COST = 48
SECONDS = 300 if LONG else 12
BALANCE, ACCOUNTS, CLIENTS = 1000, 10, 3
TABLES = ("create table account (id int primary key, balance bigint "
          "check (balance >= 0)); create table moved (id bigint primary key, "
          "account int, amount bigint);"
          "insert into account values " +
          ",".join("(%d, %d)" % (i, BALANCE) for i in range(ACCOUNTS)))


class Bank:
    """Node 1 has PostgreSQL, node 2 MariaDB; clients at both."""

    def __init__(self, c, pg, mdb, flags=""):
        self.flags = flags
        self.dbs = {"PG": pg, "MDB": mdb}
        self.nodes = [self._node(c, 1, pg, "pgaccounts"),
                      self._node(c, 2, mdb, "mdbaccounts")]
        c.sees(self.nodes[0], "MDB", "@TMABROAD")
        c.sees(self.nodes[1], "PG", "@TMABROAD")
        self.clients = []
        self.killed = 0

    def _node(self, c, number, db, accounts):
        db.sql(TABLES)
        d = c.domain(number, {"NDRX_TOUT": "15"})
        envs = "<envs>" + "".join(
            f"<env name=\"{k}\">{v}</env>" for k, v in
            {**db.env, "NDRX_XA_FLAGS": self.flags}.items()) + "</envs>"
        d.boot({"name": "tmsrv", "srvid": 100, "appopt": "-s 200ms",
                "xml": envs},
               {"name": accounts, "srvid": 10, "min": 4, "max": 4,
                "xml": envs},
               {"name": "ndrxbridge", "srvid": BRIDGE, "appopt": "-b 1s"},
               settings={"restart_min": 0, "restart_step": 0},
               sections=c.section(number))
        return d

    # ---- clients ----

    def begin(self):
        for i in range(2 * CLIENTS):
            d = self.nodes[i % 2]
            with open(os.path.join(d.home, f"told{i}"), "wb") as out:
                self.clients.append(subprocess.Popen(
                    [d.program("transfercl"), "move", str((i + 1) * 10 ** 7),
                     "1000000", "PG", "MDB"], env=d.env, stdout=out,
                    stdin=subprocess.DEVNULL))

    def end(self):
        """Each ends after the transfer that is under way."""
        for p in self.clients:
            p.terminate()
        wait_for(lambda: all(p.poll() is not None for p in self.clients),
                 "clients end", 60)

    def close(self):
        for p in self.clients:
            if p.poll() is None:
                p.kill()
                p.wait()

    def told(self):
        """{id: what its client was told}."""
        lines = []
        for i in range(len(self.clients)):
            with open(os.path.join(self.nodes[i % 2].home, f"told{i}"),
                      encoding="ascii") as f:
                lines += [line.split() for line in f if line.endswith("\n")]
        return {int(w[0]): w[3] for w in lines}

    # ---- mischief ----

    def _servers(self):
        return [r.pid for d in self.nodes for r in d.rows("ppm")
                if r.state == "runok"]

    def kill_server(self, rnd):
        pids = self._servers()
        if pids:
            kill(rnd.choice(pids))
            self.killed += 1

    def kill_database(self, rnd):
        db = self.dbs[rnd.choice(sorted(self.dbs))]
        db.kill()
        db.start()
        self.killed += 1

    def are_back(self):
        return len(self._servers()) == 2 * 6

    # ---- what has happened ----

    def total(self):
        return sum(int(db.sql("select sum(balance) from account"))
                   for db in self.dbs.values())

    def wrong(self):
        """Transfers of which only one database knows, or whose client was told
        what is not so."""
        moved = [set(map(int, db.sql("select id from moved").split()))
                 for db in self.dbs.values()]
        told = self.told()
        return sorted(moved[0] ^ moved[1]) + [
            n for n, what in told.items()
            if what == "done" and n not in moved[0] or
            what == "undone" and n in moved[0]]


def _kill_and_count(flags=""):
    rnd = random.Random(int.from_bytes(os.urandom(4), "little"))
    with Postgres() as pg, MariaDB() as mdb, Cluster() as c:
        b = Bank(c, pg, mdb, flags)
        try:
            b.begin()
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                deed = rnd.choices((b.kill_server, b.kill_database), (5, 1))
                deed[0](rnd)
                time.sleep(rnd.uniform(0.1, 1))  # the time between two deeds
            wait_for(b.are_back, "all servers are back", 60)
            b.end()
            wait_for(lambda: pg.in_doubt() + mdb.in_doubt() == 0,
                     "nothing is in doubt", 20)
            told = list(b.told().values())
            equal((b.total(), b.wrong()), (2 * ACCOUNTS * BALANCE, []))
            at_least(told.count("done"), SECONDS, "transfers")
            at_least(b.killed, 3, "kills")
            if flags:  # their rows were made
                equal([db.sql("select count(*) from onewake.log "
                              "where identity not like '%:%'")
                       for db in (pg, mdb)], ["1", "1"])
        finally:
            b.close()


def test_the_sum_of_two_nodes_is_exact_after_everything_was_killed():
    _kill_and_count()


def test_the_same_where_the_database_of_the_first_node_decides():
    _kill_and_count("LASTRESOURCE")
