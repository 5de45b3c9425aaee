# SPDX-License-Identifier: Apache-2.0
"""money.py - a domain in which money moves between databases and durable queues

The programs are those of examples/transfer. What clients were told is in their
output; what has happened is in the databases: a row of `moved` for each transfer
that took part in one, and the sum of all.
"""
import json
import os
import subprocess
import sys
import time
from xml.sax.saxutils import escape

from domain import CONFIG, Domain, DomainFailed
from ledgers import Books

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests",
                     "e2e")
COINS, BALANCE, ACCOUNTS = 500, 1000, 10
TABLES = ("create table account (id int primary key, balance bigint "
          "check (balance >= 0)); create table moved (id bigint primary key, "
          "account int, amount bigint);"
          "insert into account values " +
          ",".join("(%d, %d)" % (i, BALANCE) for i in range(ACCOUNTS)))
QUEUES = ("wallet", "purse")
# Seconds; a branch whose coordinator was killed locks its messages so long, and
# they cannot be counted. Longer than a transaction.
ABANDONED = 12


def _kinds():
    """Databases by service, and what says that one is not installed. They are
    the tests': other benches run where tests/ is not, as in kernel/verify."""
    if TESTS not in sys.path:
        sys.path.append(TESTS)
    from databases import MariaDB, Postgres
    from machine import Skip
    return {"PG": Postgres, "MDB": MariaDB}, Skip


def databases(lib, services=("PG", "MDB")):
    """Those that are installed, by the service that has their accounts."""
    kinds, missing = _kinds()
    found = {}
    for service in services:
        try:
            found[service] = kinds[service](lib=lib)
        except missing:
            continue
        found[service].sql(TABLES)
    return found


class Money(Domain):
    """A domain with queues, and with databases, which it closes, too.
    `defaults`: without times that are shorter than those of a user. `last`:
    databases are the last resource of transactions that begin there."""

    def __init__(self, bin_folder, dbs, env=None, servers=4,
                 defaults=False, last=False):
        self.dbs = dbs
        self.last = last
        self.defaults = defaults
        super().__init__(bin_folder, env={"NDRX_TOUT": "15", **(env or {})})
        self.lib = os.path.join(os.path.dirname(bin_folder), "lib")
        self.rows = self._entries(servers, defaults)
        self.count = sum(n for _, _, n, _, _ in self.rows)
        with open(os.path.join(self.home, "q.conf"), "w",
                  encoding="utf-8") as f:
            f.write("".join(q + "\n" for q in QUEUES))
        text = CONFIG.format(server="x", count=1, restart=0, ping=10,
                             threads=1)
        head = text[:text.index("<servers>")]
        with open(self.settings["NDRX_CONFIG"], "w", encoding="utf-8") as f:
            f.write(head + "<servers>" + "".join(
                self._entry(*row) for row in self.rows) +
                "</servers></endurox>")
        self.clients = []

    def _entries(self, servers, defaults):
        """(program, server id, processes, options, environment)."""
        queue = {"NDRX_XA_RES_ID": "5",
                 "NDRX_XA_DRIVERLIB": self.lib + "/libndrxxaqdisk.so",
                 "NDRX_XA_OPEN_STR": 'datadir="%s/qdata",qspace="S"' %
                                     self.home}
        rows = [("tmsrv", 105, 1, "", queue),
                ("tmqueue", 50, 1, "-m S -q %s/q.conf" % self.home +
                 ("" if defaults else " -T %d" % ABANDONED), queue)]
        for service, program, srvid in (("PG", "pgaccounts", 30),
                                        ("MDB", "mdbaccounts", 40)):
            if service in self.dbs:
                env = dict(self.dbs[service].env)
                if self.last:
                    env["NDRX_XA_FLAGS"] = "LASTRESOURCE"
                rows += [("tmsrv", 100 + int(env["NDRX_XA_RES_ID"]), 1, "",
                          env), (program, srvid, servers, "", env)]
        return rows

    def _entry(self, program, srvid, count, options, env):
        return ('<server name="%s"><srvid>%d</srvid><min>%d</min><max>%d</max>'
                "<sysopt>-e %s/log/%s%d.log</sysopt><appopt>%s</appopt><envs>%s"
                "</envs></server>" % (
                    program, srvid, count, count, self.home, program, srvid,
                    escape(options), "".join(
                        '<env name="%s">%s</env>' % (k, escape(v))
                        for k, v in env.items())))

    @property
    def places(self):
        """Where money is: queues alone, or the databases and a queue."""
        return [*self.dbs, *("Q:" + q for q in
                             QUEUES[:2 if len(self.dbs) < 2 else 1])]

    def open(self):
        """Start everything; there is money in all places."""
        took = self.start()
        self.run_plain("transfercl", "fill", QUEUES[0], COINS)
        return took

    def run_plain(self, *words):
        done = subprocess.run(self.command(*words), env=self.env, text=True,
                              stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise DomainFailed(done.stderr)

    def output(self, *words):
        done = subprocess.run(self.command(*words), env=self.env, text=True,
                              stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != 0:
            raise DomainFailed(done.stderr)
        return done.stdout

    # ---- clients ----

    def begin_clients(self, number, transfers=10 ** 6):
        for i in range(number):
            with open("%s/told%d" % (self.home, i), "w",
                      encoding="utf-8") as out:
                self.clients.append(subprocess.Popen(
                    self.command("transfercl", "move", (i + 1) * 10 ** 7 + i,
                                 transfers, *self.places), env=self.env,
                    stdin=subprocess.DEVNULL, stdout=out))

    def told(self):
        """{id: (from, to, what its client was told, the coin it took)}."""
        lines = []
        for i in range(len(self.clients)):
            with open("%s/told%d" % (self.home, i), encoding="utf-8") as f:
                lines += [line.split() for line in f if line.endswith("\n")]
        return {int(w[0]): (w[1], w[2], w[3], int(w[4])) for w in lines}

    def end_clients(self, patience=60):
        """They end after the transfer that is under way: how many do not."""
        for p in self.clients:
            p.terminate()
        return self.wait_clients(patience)

    def wait_clients(self, patience):
        hung, until = 0, time.monotonic() + patience
        for p in self.clients:
            try:
                p.wait(max(0.1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                hung += 1
                p.kill()
                p.wait()
        return hung

    # ---- what has happened ----

    def queued(self):
        """(messages of all queues, those that a transaction has locked)."""
        rows = json.loads(self.xadmin("mqlq", "--json") or "[]")
        return (sum(r["queued"] for r in rows),
                sum(r["locked"] for r in rows))

    def in_doubt(self):
        """The branches that are prepared, in all resource managers."""
        rows = json.loads(self.xadmin("recoverlocal", "--json") or "[]")
        return {(r["tm"], r["xid"]) for r in rows}

    def total(self):
        """The sum of all money."""
        return self.queued()[0] + sum(
            int(db.sql("select sum(balance) from account"))
            for db in self.dbs.values())

    @property
    def expected(self):
        return COINS + len(self.dbs) * ACCOUNTS * BALANCE

    def take_coins(self):
        """{queue: ids of its coins}; they are taken out."""
        return {q: [int(line) for line in self.output(
            "transfercl", "empty", q).split()] for q in QUEUES}

    def books(self, coins=None):
        """What the auditor looks at. The coins can be taken out once."""
        balances, rows = {}, {}
        for name, db in self.dbs.items():
            balances[name] = dict(
                tuple(map(int, line.split("|"))) for line in
                db.sql("select id, balance from account").splitlines())
            rows[name] = [tuple(map(int, line.split("|"))) for line in db.sql(
                "select id, account, amount from moved").splitlines()]
        return Books(self.told(), balances, rows,
                     self.take_coins() if coins is None else coins, BALANCE,
                     {-i for i in range(1, COINS + 1)})

    def close(self):
        for p in self.clients:
            if p.poll() is None:
                p.kill()
                p.wait()
        super().close()
        for db in self.dbs.values():
            db.__exit__()
