# SPDX-License-Identifier: Apache-2.0
"""half_read.py - a fact about any database whose service does not read all of an
answer"""
from checks import equal

__all__ = ["half_read"]


def half_read(db, c):
    """Its work is rolled back, and holds no locks. Table `a` has rows with 100,
    and row 1 has 90 afterwards."""
    for word, told in ("HALF", "TPESVCERR"), ("half", "TPESVCFAIL"):
        c.ok("begin", 20)
        equal(c.err("call", "-", db.SVC, f"{word} {db.HALF}"), told)
        equal(c.err("commit"), "TPEABORT")
        # Another one gets the rows, and the server goes on.
        db.take_locks()
        c.ok("begin", 20)
        c.ok("call", "-", db.SVC, "update a set n = n - 10 where id = 1")
        c.ok("commit")
        equal(db.sql("select n from a where id = 1"), "90")
    # Outside of a transaction, too.
    c.ok("call", "TPNOTRAN", db.SVC, "HALF select n from a")
    c.ok("begin", 20)
    c.ok("call", "-", db.SVC, "update a set n = 90 where id = 1")
    c.ok("commit")
    equal(db.sql("select n from a where id = 1"), "90")
