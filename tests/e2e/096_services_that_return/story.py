# SPDX-License-Identifier: Apache-2.0
"""Services that return: servers without longjmp(), as bindings are."""
import os
import time

from checks import at_most, check, equal
from fixture import Domain, Skip, wait_for

COST = 1


def _serve(d, **env):
    if not os.path.exists(d.program("nojumpsv")):
        raise Skip("no compiler of C++ was there")
    p = d.spawn(1, binary="nojumpsv", env=env)
    d.wait_ready(1)
    return p


def _counts(d):
    return [int(n) for n in d.call("COUNTS").data.split()]


def _call(d, svc, text="x"):
    r = d.call(svc, text)
    return r.err, r.data, r.urcode


def test_a_service_goes_on_after_tpreturn_and_tpforward():
    with Domain() as d:
        _serve(d)
        equal(_call(d, "RETURN"), ("OK", "x returned", 5))
        equal(_counts(d), [1, 1, 0], "cleaned, came back, refused")
        equal(_call(d, "FORWARD"), ("OK", "x returned", 5))
        equal(_counts(d), [3, 4, 0])


def test_the_first_end_of_a_service_is_the_one_that_counts():
    with Domain() as d:
        _serve(d)
        equal(_call(d, "BOTH"), ("OK", "first", 6))
        equal(_counts(d)[2], 2, "tpforward and tpreturn: TPEPROTO")
        equal(_call(d, "FORTH"), ("OK", "x returned", 5))
        equal(_counts(d)[2], 3)


def test_a_service_that_only_returns_fails_and_serves_on():
    with Domain() as d:
        _serve(d)
        equal(d.call("NEITHER", "x").err, "TPESVCERR")
        equal(_call(d, "RETURN"), ("OK", "x returned", 5))


def test_exceptions_are_caught_in_the_service():
    with Domain() as d:
        _serve(d)
        equal(_call(d, "CAUGHT"), ("TPESVCFAIL", "x caught", 8))
        equal(_call(d, "AFTER"), ("OK", "x", 9))
        equal(_counts(d)[0], 2, "frames were cleaned up")


def test_an_exception_that_nobody_catches_ends_the_process():
    with Domain() as d:
        if not os.path.exists(d.program("nojumpsv")):
            raise Skip("no compiler of C++ was there")
        d.boot({"srvid": 1, "name": "nojumpsv"})
        pid = d.pid(1)
        equal(d.call("ESCAPES", "x").err, "TPESVCERR")
        wait_for(lambda: d.pid(1) not in (0, pid), "it is started again", 20)
        wait_for(lambda: _call(d, "RETURN") == ("OK", "x returned", 5),
                 "it serves again")


def test_another_thread_answers_and_the_service_serves_on():
    with Domain() as d:
        _serve(d)
        c = d.client()
        cds = [c("acall", "LATER", "-", "STRING:x").ret for _ in range(50)]
        for cd in cds:
            r = c("getrply", cd, "-")
            equal((r.err, r.data, r.urcode), ("OK", "later", 10))
        wait_for(lambda: _counts(d)[0] == 100, "services and answers")
        equal(_call(d, "RETURN"), ("OK", "x returned", 5))


def test_dispatch_threads_return_too():
    with Domain() as d:
        p = _serve(d, NDRX_MINDISPATCHTHREADS="3",
                   NDRX_MAXDISPATCHTHREADS="3")
        wait_for(lambda: len([r for r in d.rows("psc")
                              if r.service == "WHO"]) == 3, "three threads")
        clients = [d.client() for _ in range(3)]
        for c in clients:
            equal(c("init").ret, 0)
        since = time.monotonic()
        for c in clients:
            c.begin("call", "WHO", "-", "STRING:500")
        replies = [c.end() for c in clients]
        at_most(time.monotonic() - since, 1.4)
        equal([r.err for r in replies], ["OK"] * 3)
        equal(len({r.data for r in replies}), 3, "threads")
        c = clients[0]
        for svc, want in (("BOTH", "OK"), ("FORTH", "OK"),
                          ("CAUGHT", "TPESVCFAIL"), ("NEITHER", "TPESVCERR"), ("RETURN", "OK")):
            for _ in range(10):
                equal(c.call(svc, "x").err, want, svc)
        # A further thread hands no request on: TPEPROTO, its service answers.
        for _ in range(10):
            r = c.call("LATER", "x")
            check((r.err, r.urcode) in (("OK", 10), ("TPESVCFAIL", 9)), r)
        equal(p.poll(), None)
