# SPDX-License-Identifier: Apache-2.0
"""two_rows.py - a database with a table `a` of two rows, each with 100, whose
services take part in transactions with resource manager 1"""
from checks import equal

__all__ = ["add", "boot", "commit_and_abort"]


def boot(t, db):
    """Its tmsrv and its service, those of resource manager 1, and a client."""
    db.sql("create table a (id int primary key, n int check (n >= 0))")
    db.sql("insert into a values (1, 100), (2, 100)")
    t.server(100 + db.RMID, "-s", "200ms", binary="tmsrv", env=db.env)
    t.server(10 + db.RMID, db.SVC, binary=db.PROGRAM, env=db.env)
    t.tm(1)
    t.sv(11, 1, "A")
    return t.xaclient(1)


def add(c, row, n, svc):
    return c("call", "-", svc, f"update a set n = n + {n} where id = {row}")


def commit_and_abort(t, db):
    """Two branches in the database and one of resource manager 1."""
    c = boot(t, db)
    for end in "commit", "abort":
        before = db.rows()
        c.ok("begin", 20)
        equal(add(c, 1, -10, db.SVC).err, "OK")
        if end == "commit":
            equal(add(c, 2, 10, db.SVC).err, "OK")  # a branch of its own
        c.ok("call", "-", "A", "add:7")
        equal(db.rows(), before)
        c.ok(end)
        equal((db.rows(), t.total(1), db.in_doubt()), ("90 110", 7, 0))
