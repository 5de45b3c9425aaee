# SPDX-License-Identifier: Apache-2.0
"""Transactions that a generator makes: calls in calls, forwards, conversations, threads, autotran,
durable queues, databases that are the last resource, transactions that go on in other processes,
time-outs, while processes, ndrxd and databases are killed and stopped. What each client was told
is what became of the work; nothing stays locked. OW_SEED=n: another series; OW_SECONDS: longer."""
import os
import random
import signal
import threading
import time
from xml.sax.saxutils import escape

from checks import equal
from cluster import BRIDGE, Cluster
from databases import MariaDB, Postgres
from fixture import BUILD, alive, kill, wait_for
from generated import MAYBE, NO, YES, Book, Program, Tx
from machine import LONG, SECONDS
from trans import Trans

COST = 31
QUEUE_KB = 80

RM = 5  # the durable queues; 1 and 2 are folders
CLIENTS = 3
FIRE = SECONDS or (120 if LONG else 6)
ANY = ("kill", "killafter", "sleep 1500", "sleep 300")
LOST = ("result -7", "lie -7", "unsent")  # XAER_RMFAIL: not done, done, not sent
ORDERS = {"start": (*ANY, "result -7", "result 100"), "end": (*ANY, "lie 100"),
          "prepare": (*ANY, *LOST, "result 100"), "commit": ANY + LOST, "rollback": ANY + LOST,
          "recover": ANY}


class Node(Trans):
    """A domain that ndrxd runs, alone or as a node of a cluster."""

    RMS = ()
    databases = ()
    secure = False

    def __init__(self, cluster=None, number=1):
        super().__init__(env={"NDRX_TOUT": "3", "NDRX_NODEID": str(number)})
        self.section = cluster.section(number) if cluster else ""
        self.bridges = [{"name": "ndrxbridge", "srvid": BRIDGE}] if cluster else []
        self.count = 0

    def with_env(self, srvid, name, env, appopt=""):
        path = f"{self.home}/env.{srvid}"
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"{k}={v}\n" for k, v in env.items())
        return {"name": name, "srvid": srvid, "env": path, "appopt": appopt}

    def run_all(self, *servers, sections=""):
        servers = [*servers, *self.bridges]
        self.count = len(servers)
        self.boot(*servers, sections=sections + self.section)

    def caller(self, env):
        """A client, which has logged in where that is demanded."""
        c = self.client(**env)
        if self.secure:
            equal(c("login", "anna", "secret", 7).err, "OK")
        return c

    def new_ndrxd(self):
        """It is killed, and another one takes over."""
        self.kill_ndrxd()
        self.run("ndrxd")

    def pids(self):
        return {r.srvid: r.pid for r in self.rows("ppm") if r.state == "runok" and r.pid}

    def committed(self, found):
        """Amount -> (resource manager, how often)."""
        for rm in self.RMS:
            for name in self.branches(rm, "c"):
                with open(os.path.join(self.rm(rm), name), encoding="ascii") as f:
                    for line in f:
                        if line[0] == "W":
                            key = int(line[2:])
                            found[key] = (rm, found.get(key, (rm, 0))[1] + 1)
        for db in self.databases:
            for key in map(int, db.sql("select n from led").split()):
                found[key] = (db.RMID, found.get(key, (db.RMID, 0))[1] + 1)

    def settle(self):
        """All is back, and nothing is under way any more."""
        for rm in self.RMS:
            for op in ORDERS:
                self.countermand(rm, op)
        wait_for(lambda: len(self.pids()) == self.count, "all servers are back", 30)
        wait_for(lambda: all(r.stage == "HEURISTIC" for r in self.rows("printtrans")),
                 "no transaction is under way", 60)
        self.decided(*self.RMS, seconds=30)
        wait_for(lambda: sum(db.in_doubt() for db in self.databases) == 0, "none is in doubt", 30)


class Everything(Node):
    """All kinds of services."""

    RMS = (1, 2)

    def queue_env(self):
        return {"NDRX_XA_RES_ID": str(RM), "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so",
                "NDRX_XA_OPEN_STR": f'datadir="{self.home}/qdata",qspace="S"'}

    def with_database(self, db, flags):
        """Its table, its server and its tmsrv."""
        db.sql("create table led (n int)" + (" engine=innodb" if db.RMID == 4 else ""))
        xml = "<envs>" + "".join(f'<env name="{k}">{escape(v)}</env>' for k, v in
                                 {**db.env, "NDRX_XA_FLAGS": flags}.items()) + "</envs>"
        return [{"srvid": 20 + db.RMID, "name": db.PROGRAM, "xml": xml, "appopt": db.SVC},
                {"srvid": 100 + db.RMID, "name": "tmsrv", "xml": xml, "appopt": "-s 200ms"}]

    def security(self):
        name = f"{self.home}/passwords"
        equal(self.run("xadmin", "passwd", "-f", name, "anna", text="secret\n").returncode, 0)
        return f'<security auth="SYS" passwords="{name}"/>'

    def open(self):
        with open(f"{self.home}/q.conf", "w", encoding="utf-8") as f:
            f.write("Q\nE\nF,autoq=T,svcnm=B,tries=100000,waitretry=20ms\n"
                    "G,autoq=T,svcnm=B,tries=2,waitretry=20ms,errorq=E\n")
        threads = {"NDRX_MINDISPATCHTHREADS": "2", "NDRX_MAXDISPATCHTHREADS": "2"}
        self.run_all(
            self.with_env(11, "xasv", self.xa(1), "A"), self.with_env(12, "xasv", self.xa(2), "B"),
            self.with_env(13, "xasv", {**self.xa(1), **threads}, "T"),
            self.with_env(14, "xasv", {}, "N"), self.with_env(15, "xasv", self.xa(2), "BT"),
            self.with_env(16, "xasv", self.xa(2), "B"),
            *[self.with_env(100 + n, "tmsrv", self.xa(n), "-s 200ms") for n in (1, 2)],
            self.with_env(105, "tmsrv", self.queue_env(), "-s 200ms"),
            self.with_env(80, "tmqueue", self.queue_env(), f"-m S -q {self.home}/q.conf -T 5"),
            *[s for db in self.databases for s in self.with_database(db, "LASTRESOURCE")],
            sections='<services><service svcnm="BT" autotran="Y" trantime="3"/></services>' +
            (self.security() if self.secure else ""))

    def settle(self):
        super().settle()

        def unlocked():
            rows = {r.queue: r for r in self.rows("mqlq")}
            return rows and rows["F"].queued + rows["G"].queued == 0 and \
                all(r.locked == 0 for r in rows.values())
        wait_for(unlocked, "no message is locked, and all were sent on", 60)

    def drain(self, queue):
        c, found = self.caller({}), []
        while True:
            r = c("deq", "S", queue, "-", "-")
            if r.err != "OK":
                equal(r.err, "TPEDIAGNOSTIC", r.text)
                return found
            found.append(r.data)


class Far(Node):
    """Another node, with a resource manager of its own."""

    RMS = (3,)

    def open(self):
        self.run_all(self.with_env(13, "xasv", self.xa(3), "C"),
                     self.with_env(17, "xasv", self.xa(3), "C"),
                     self.with_env(103, "tmsrv", self.xa(3), "-s 200ms"))


class Fire(threading.Thread):
    """What happens to the domains meanwhile."""

    def __init__(self, nodes, rnd):
        super().__init__()
        self.nodes, self.rnd, self.stop, self.deeds = nodes, rnd, False, []

    def _choose(self):
        d = self.rnd.choice(self.nodes)
        return (d, *self.rnd.choice(sorted(d.pids().items())))

    def _kill(self):
        d, srvid, pid = self._choose()
        self.deeds.append(("kill", d.RMS, srvid))
        kill(pid)

    def _stop_one(self):
        d, srvid, pid = self._choose()
        seconds = self.rnd.choice((0.1, 0.6, 1.7))
        self.deeds.append(("stop", d.RMS, srvid, seconds))
        kill(pid, signal.SIGSTOP)
        time.sleep(seconds)
        if alive(pid):
            kill(pid, signal.SIGCONT)

    def _order(self):
        d = self.rnd.choice(self.nodes)
        rm, op = self.rnd.choice(d.RMS), self.rnd.choice(sorted(ORDERS))
        what = self.rnd.choice(ORDERS[op])
        self.deeds.append(("order", rm, op, what))
        d.order(rm, op, what)

    def _restart(self):
        d, srvid, _ = self._choose()
        self.deeds.append(("sreload", d.RMS, srvid))
        d.xadmin("sreload", "-i", srvid, ok=False)

    def _kill_ndrxd(self):
        d = self.rnd.choice(self.nodes)
        self.deeds.append(("ndrxd", d.RMS))
        d.new_ndrxd()

    def _kill_database(self):
        d = self.rnd.choice(self.nodes)
        db = self.rnd.choice(d.databases)
        self.deeds.append(("database", db.RMID))
        db.kill()
        db.start()

    def run(self):
        deeds = (self._kill, self._stop_one, self._order, self._restart, self._kill_ndrxd,
                 self._kill_database)
        weights = (3, 3, 6, 1, 0.5, 0.5 if self.nodes[0].databases else 0)
        while not self.stop:
            time.sleep(self.rnd.choice((0.05, 0.2, 0.5)))
            try:
                self.rnd.choices(deeds, weights)[0]()
            except (ProcessLookupError, IndexError):
                pass


def one_series(seed, seconds, nodes, services):
    book, near = Book(), nodes[0]
    for d in nodes:
        d.open()
    if "C" in services:
        wait_for(lambda: near.row("psc", service="C"), "the other node is there", 20)
    fire = Fire(nodes, random.Random(seed))
    programs = [Program(near, book, random.Random(seed * 1000 + i), services)
                for i in range(CLIENTS)]
    until = time.monotonic() + seconds
    threads = [threading.Thread(target=p.run, args=(until,)) for p in programs]
    for t in [*threads, fire]:
        t.start()
    for t in threads:
        t.join()
    fire.stop = True
    fire.join()
    for p in programs:
        if p.problem is not None:
            raise p.problem
    there = {}
    for d in nodes:
        d.settle()
        d.committed(there)
    given_up = [int(text.split(":")[1]) for text in near.drain("E")]
    wrong = book.judge(there, near.drain("Q"), given_up)
    print(f"seed {seed}: {book.summary()}, {len(fire.deeds)} deeds")
    if wrong:
        raise AssertionError("seed %d:\n%s\n%s" % (seed, "\n".join(wrong[:20]), fire.deeds))


def _series(told, **work):
    """A book of one transaction."""
    book, tx = Book(), Tx(20)
    tx.told = told
    vars(tx).update(work)
    book.add(tx)
    return book


def test_the_book_notices_what_is_changed_by_hand():
    done = {"work": [(1, 5), (2, 6)], "sends": [7], "tries": [8], "puts": ["m9"]}
    there = {5: (1, 1), 6: (2, 1), 7: (2, 1), 8: (2, 1)}
    for told, rows, left, failed in ((YES, there, ["m9"], []), (NO, {}, [], []),
                                     (MAYBE, there, ["m9"], []), (MAYBE, {}, [], [])):
        equal(_series(told, **done).judge(rows, left, failed), [])
    equal(_series(YES, **done).judge({k: there[k] for k in (5, 6, 7)}, ["m9"], [8]), [])
    for n in there:  # one piece is lost, doubled, elsewhere; a decision is dropped
        without = {k: v for k, v in there.items() if k != n}
        for rows in without, {**there, n: (there[n][0], 2)}:
            equal(len(_series(YES, **done).judge(rows, ["m9"])), 1, n)
        equal(len(_series(NO, **done).judge({n: there[n]}, [])), 1, n)
    equal(len(_series(YES, **done).judge({**there, 6: (1, 1)}, ["m9"])), 1)
    for left, failed in (([], []), (["m9", "m9"], []), (["m9"], [8]), (["m9", "m1"], []),
                         (["m9"], [3])):
        equal(len(_series(YES, **done).judge(there, left, failed)), 1, (left, failed))
    equal(len(_series(NO, **done).judge({}, ["m9"])), 1)
    equal(len(_series(MAYBE, **done).judge({5: (1, 1)}, [])), 1)
    equal(len(_series(YES, touched=[(1, 4)]).judge({4: (1, 1)}, [])), 1)
    equal(len(_series(YES, doomed=True).judge({}, [])), 1)


def _seed():
    return int(os.environ.get("OW_SEED", "1"))


def test_what_clients_are_told_is_what_has_happened():
    with Everything() as d:
        one_series(_seed(), FIRE, [d], {"A": 1, "B": 2, "T": 1})


def test_the_same_with_last_resources_where_users_log_in():
    with Postgres() as pg, MariaDB() as db, Everything() as d:
        d.databases, d.secure = (pg, db), True
        one_series(_seed(), FIRE, [d], {"A": 1, "B": 2, "T": 1})


def test_the_same_over_two_nodes():
    with Cluster() as c:
        nodes = [c.stack.enter_context(k(c, n)) for k, n in ((Everything, 1), (Far, 2))]
        one_series(_seed(), FIRE, nodes, {"A": 1, "B": 2, "T": 1, "C": 3})
