# SPDX-License-Identifier: Apache-2.0
"""Callbacks of servers and clients get a pointer of the program."""
from checks import equal
from fixture import Domain, wait_for

COST = 5


def _serve(d, opts=(), **env):
    p = d.spawn(1, opts=opts, binary="cbsv", env=env)
    d.wait_ready(1)
    return p


def test_one_function_serves_with_two_pointers():
    with Domain() as d:
        _serve(d, ("-A", "-s", "ALIAS:CBTWO"))
        equal(d.call("CBONE", "x").data, "one 1 CBONE")
        equal(d.call("CBTWO", "x").data, "two 1 CBTWO")
        equal(d.call("CBONE", "x").data, "one 2 CBONE")
        equal(d.call("ALIAS", "x").data, "two 2 CBTWO")
        equal(d.call("CBADD", "x").data, "OK TPEMATCH TPEINVAL")


def test_init_period_and_before_wait_have_the_pointer():
    with Domain() as d:
        p = _serve(d)
        wait_for(lambda: d.call("CBALL", "x").data == "1 0 1 1",
                 "all were called; there are no threads")
        d.stop_server(p)
        equal(p.returncode, 0)


def test_each_dispatch_thread_begins_and_ends_with_the_pointer():
    with Domain() as d:
        p = _serve(d, NDRX_MINDISPATCHTHREADS="3",
                   NDRX_MAXDISPATCHTHREADS="3")
        wait_for(lambda: d.call("CBALL", "x").data == "1 3 1 1", "threads")
        for i in range(1, 20):
            equal(d.call("CBONE", "x").data, f"one {i} CBONE")
        equal(d.call("CBADD", "x").data, "OK TPEMATCH TPEINVAL")
        d.stop_server(p)
        equal(p.returncode, 0)


def test_unsolicited_messages_come_with_the_pointer():
    with Domain() as d:
        _serve(d)
        r = d.run("cbcl")
        equal(r.stdout, "told news 1\n", r.stderr)
