# SPDX-License-Identifier: Apache-2.0
"""two_rows.py - a database with a table `a` of two rows, each with 100, whose
services take part in transactions with resource manager 1"""

__all__ = ["add", "boot"]


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
