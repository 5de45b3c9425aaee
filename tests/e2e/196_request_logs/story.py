# SPDX-License-Identifier: Apache-2.0
"""One log file follows a request through all processes."""
import os

from checks import equal
from fixture import Domain

MAINLY = "posix"

ENV = {"NDRX_DEBUG_STR": "ndrx=3 ubf=3 tp=4 file=all.log"}


def _lines(d, name, word):
    try:
        with open(os.path.join(d.home, name), encoding="utf-8") as f:
            return sum(word in line for line in f)
    except FileNotFoundError:
        return 0


def test_all_processes_write_to_the_file_that_the_request_names():
    with Domain(env=ENV) as d:
        d.server(1, "LOGREQ")
        d.server(2, "OTHER=LOGREQ")
        c = d.client()
        for svc in ("LOGREQ", "OTHER", "LOGREQ"):
            r = c("reqlog", "one.req", "-", svc)
            equal((r.err, r.name), ("OK", "one.req"))
        equal(_lines(d, "one.req", "client in the request"), 3)
        equal(_lines(d, "one.req", "server 1 in the request"), 2)
        equal(_lines(d, "one.req", "server 2 in the request"), 1)
        equal(_lines(d, "one.req", "outside"), 0)
        equal(_lines(d, "all.log", "outside"), 3)
        equal(_lines(d, "all.log", "in the request"), 0)


def test_a_service_may_name_the_file():
    with Domain(env=ENV) as d:
        d.server(1, "LOGREQ", "NAMEFILE", "ECHO")
        c = d.client()
        r = c("reqlog", "-", "NAMEFILE", "LOGREQ")
        equal((r.err, r.name), ("OK", "named.req"))
        equal(_lines(d, "named.req", "in the request"), 2)
        equal(c("reqlog", "-", "ECHO", "LOGREQ").err, "TPENOENT")
        equal(c("reqlog", "-", "NOSUCH", "LOGREQ").err, "TPENOENT")
        equal(c("reqlog", "/proc/none/x", "-", "LOGREQ").err, "TPEOS")


def test_a_request_without_a_name_is_logged_as_ever():
    with Domain(env=ENV) as d:
        d.server(1, "LOGREQ")
        equal(d.client()("callto", "UBF", "LOGREQ", "-", "UBF:#5").err,
              "TPESVCFAIL")
