# SPDX-License-Identifier: Apache-2.0
"""Descriptors and callbacks of a program in the loop: all kinds, all errors."""
from checks import at_least, equal
from fixture import Domain, holds, wait_for

COST = 5


def _serve(d):
    p = d.server(3, binary="extsv")
    wait_for(lambda: d.row("psc", service="ERRORS"), "the last one is offered")
    return p


def _counts(d):
    """heard, waits, periods, writable"""
    return [int(n) for n in d.call("COUNTS").data.split()]


def test_each_error_is_told():
    with Domain() as d:
        _serve(d)
        equal(d.call("ERRORS").data.split(),
              ["TPEPROTO",  # in tpsvrinit()
               "TPEINVAL", "TPEINVAL", "OK", "TPEMATCH", "TPEMATCH", "OK",
               "TPEMATCH", "TPEOS", "TPEINVAL", "TPEINVAL", "TPEINVAL"])


def test_many_descriptors_are_told_apart():
    with Domain() as d:
        _serve(d)
        total = 0
        for n in (1, 10, 40, 40, 40):
            equal(d.call("PIPES", str(n)).urcode, n)
            total += n
            wait_for(lambda: _counts(d)[0] == total, f"{total} heard")


def test_room_to_write_is_an_event():
    with Domain() as d:
        _serve(d)
        for n in (1, 2, 3):
            equal(d.call("WRITABLE").err, "OK")
            wait_for(lambda: _counts(d)[3] == n, "writable, once")


def test_a_callback_runs_before_each_wait():
    with Domain() as d:
        _serve(d)
        before = _counts(d)[1]
        for _ in range(20):
            d.call("COUNTS")
        at_least(_counts(d)[1], before + 20)


def test_the_periodic_callback_can_be_set_and_taken_off():
    with Domain() as d:
        _serve(d)
        equal(d.call("PERIOD", "1").err, "OK")
        wait_for(lambda: _counts(d)[2] >= 2, "two periods")
        equal(d.call("PERIOD", "0").err, "OK")
        n = _counts(d)[2]
        # The next one would be due in a second.
        holds(lambda: _counts(d)[2] == n, "none after that", 1.5)
        equal(d.call("PERIOD", "1").err, "OK")
        wait_for(lambda: _counts(d)[2] > n, "and set again")


def test_any_callback_can_stop_the_server():
    with Domain() as d:
        for what in ("b4poll", "period"):
            p = _serve(d)
            equal(d.call("PERIOD", "1").err, "OK")
            equal(d.call("STOP", what).err, "OK")
            equal(p.wait(10), 0)
            d.procs.pop(p.pid, None)
