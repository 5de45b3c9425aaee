# SPDX-License-Identifier: Apache-2.0
"""Money moves between databases and durable queues while everything is killed: the
sum stays, and nobody was told a wrong outcome."""
import json
import os
import signal
import subprocess
import sys

from checks import at_least, check, contains, equal
from machine import BUILD, LONG, SLOW, TRANSPORT, Skip, only_on, wait_for

MAINLY = "posix"
COST = 54
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
sys.path.append(os.path.join(ROOT, "bench"))
SECONDS = 120 if LONG else 15


def _python(program, *words, seconds):
    """Run a program of bench/ with this build: status, output, errors. One that
    takes too long is interrupted, so that it ends what it has started."""
    p = subprocess.Popen(
        [sys.executable, "-B", os.path.join(ROOT, "bench", program),
         *map(str, words)], text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "ONEWAKE_BUILD": BUILD},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = p.communicate(timeout=seconds * SLOW)
    except BaseException:
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=15 * SLOW)
        raise
    return p.returncode, out, err


def test_the_sum_is_exact_after_everything_was_killed():
    status, out, err = _python("run", "transfers", "--json", "--seconds",
                               SECONDS, "--transport", TRANSPORT,
                               seconds=SECONDS + 80)
    equal(status, 0, f"{out}\n{err[-3000:]}")
    row = json.loads(out)
    equal((row["total"], row["wrong"], row["hung"]), (row["expected"], 0, 0))
    at_least(row["done"], SECONDS, "transfers")
    at_least(row.get("server_kills", 0), 1, "kills")


NOTED = ("create table decided (gtrid text); create trigger onewake.note after "
         "insert on onewake.decision for each row insert into bank.decided "
         "select new.gtrid from dual where new.committed")


# Its counts of rows come late, and are gone when it was killed.
NOTED_PG = ("create table decided (gtrid text); grant all on decided to public; "
            "create function note() returns trigger language plpgsql as "
            "$$begin insert into public.decided values (new.gtrid); return new; "
            "end$$; create trigger note after insert on onewake.decision for each "
            "row when (new.committed) execute function note()")


def test_the_sum_is_exact_where_databases_decide():
    import random
    from money import Money, databases
    from transfers import all_back, burn, verdict
    dbs = databases(os.path.join(BUILD, "lib"))
    if "PG" not in dbs or "MDB" not in dbs:
        raise Skip("PostgreSQL or MariaDB is not installed")
    with Money(os.path.join(BUILD, "bin"), dbs, last=True,
               env={"NDRX_TRANSPORT": TRANSPORT}) as dom:
        dom.open()
        wait_for(lambda: dbs["MDB"].sql(
            "select count(*) from information_schema.tables where "
            "table_schema = 'onewake'") == "2", "its tables")
        dbs["MDB"].sql(NOTED)
        wait_for(lambda: dbs["PG"].sql(
            "select count(*) from pg_tables where schemaname = 'onewake'") == "2",
            "its tables")
        dbs["PG"].sql(NOTED_PG)
        dom.begin_clients(10)
        burn(dom, SECONDS / 2, random.Random())
        all_back(dom)
        row, wrong = verdict(dom)
        equal((row["total"], wrong, row["hung"]), (row["expected"], [], 0))
        at_least(row["done"], SECONDS / 2, "transfers")
        at_least(int(dbs["PG"].sql("select count(*) from decided")), 1,
                 "decisions of PostgreSQL")
        at_least(int(dbs["MDB"].sql("select count(*) from decided")), 1,
                 "decisions of MariaDB")
        dom.stop()


def test_the_demonstration_runs_with_and_without_a_database():
    only_on("posix", "the demonstration has the transport that a user gets")
    status, out, err = _python("demo.py", "--transfer", "--transfers", 40,
                               seconds=90)
    equal(status, 0, f"{out}\n{err[-2000:]}")
    contains(out, "Coins move between two durable queues")
    equal(out.count("the sum is exact"),
          1 if "PostgreSQL is not installed" in out else 2)


def _quiet_run(dom):
    """Transfers without fire, and all coins."""
    dom.open()
    dom.begin_clients(3, 40)
    equal(dom.wait_clients(60 * SLOW), 0, "clients that hang")
    coins = dom.take_coins()
    equal(dom.books(coins).problems(), [])
    return coins


def _cries(dom, coins, what, *words):
    found = "\n".join(dom.books(coins).problems())
    check(found != "", f"{what}: nobody has seen it")
    for w in words:
        contains(found, w, what)


def _in_databases(dom, coins):
    """By hand, so that the sum stays."""
    for name, db in dom.dbs.items():
        db.sql("update account set balance = balance + 1 where id = 1")
        db.sql("update account set balance = balance - 1 where id = 2")
        _cries(dom, coins, "two balances", f"{name}: account 1 has",
               f"{name}: account 2 has")
        db.sql("update account set balance = balance - 1 where id = 1")
        db.sql("update account set balance = balance + 1 where id = 2")
        row, account, amount = map(int, db.sql(
            "select id, account, amount from moved order by id limit 1"
        ).split("|"))
        # As if this part had been rolled back.
        db.sql(f"delete from moved where id = {row}")
        db.sql(f"update account set balance = balance - ({amount}) "
               f"where id = {account}")
        _cries(dom, coins, "a dropped decision",
               f"transfer {row}, ", f"no trace in {name}")
        db.sql(f"insert into moved values ({row}, {account}, {-amount})")
        db.sql(f"update account set balance = balance - ({amount}) "
               f"where id = {account}")
        _cries(dom, coins, "the wrong way",
               f"{name}: transfer {row} has moved {-amount}, not {amount}")
        db.sql(f"delete from moved where id = {row}")
        db.sql(f"insert into moved values ({row}, {account}, {amount})")
        db.sql(f"update account set balance = balance + 2 * ({amount}) "
               f"where id = {account}")
        equal(dom.books(coins).problems(), [])


def _in_queues(dom, coins):
    queue = max(coins, key=lambda q: len(coins[q]))
    first, second, *rest = coins[queue]
    _cries(dom, {**coins, queue: [first, first, second, *rest]},
           "a coin doubled", f"coin {first} is there 2 times")
    _cries(dom, {**coins, queue: [first, first, *rest]},
           "one doubled, one lost", f"coin {first} is there 2 times",
           f"coin {second}: taken by []")
    _cries(dom, {**coins, queue: [9, second, *rest]}, "a coin of nobody",
           "coin 9: nobody has put it")


def _in_answers(dom, coins):
    """A client was told what is not so."""
    from ledgers import Books
    books = dom.books(coins)
    for was, is_ in ("done", "undone"), ("undone", "done"):
        told = dict(books.told)
        found = [i for i, t in told.items() if t[2] == was]
        for i in found[:1]:
            told[i] = (*told[i][:2], is_, told[i][3])
            changed = Books(told, books.balances, books.rows, coins,
                            books.begun, books.minted)
            check(any(f"transfer {i}" in p for p in changed.problems()),
                  f"told {is_}, and it was {was}: nobody has seen it")


def test_the_auditor_sees_what_the_sum_does_not():
    from money import Money, databases
    lib = os.path.join(BUILD, "lib")
    for services in (), ("PG", "MDB"):
        env = {"NDRX_TRANSPORT": TRANSPORT}
        with Money(os.path.join(BUILD, "bin"), databases(lib, services),
                   env=env) as dom:
            coins = _quiet_run(dom)
            _in_databases(dom, coins)
            _in_queues(dom, coins)
            _in_answers(dom, coins)
            dom.stop()
