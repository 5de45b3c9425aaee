# SPDX-License-Identifier: Apache-2.0
"""Command line options select the services that a server offers."""
from checks import ended, equal
from fixture import Domain


def _offers(d, *opts):
    d.server(1, "ECHO", "UPPER", "PID", opts=opts)
    return sorted(r.service for r in d.rows("psc"))


def test_an_alias_offers_a_service_by_another_name():
    with Domain() as d:
        equal(_offers(d, "-s", "OTHER:ECHO"), ["ECHO", "OTHER", "PID",
                                               "UPPER"])
        equal(d.call("OTHER", "x").data, "x")


def test_one_service_has_several_aliases():
    with Domain() as d:
        equal(_offers(d, "-s", "A/B,C:UPPER"),
              ["A", "B", "C", "ECHO", "PID", "UPPER"])
        for name in "ABC":
            equal(d.call(name, "x").data, "X")


def test_a_masked_service_is_not_offered():
    with Domain() as d:
        equal(_offers(d, "-n", "ECHO", "-n", "PID"), ["UPPER"])
        equal(d.call("ECHO", "x").err, "TPENOENT")


def test_only_aliases_are_offered():
    with Domain() as d:
        equal(_offers(d, "-N", "-s", "ONLY:ECHO"), ["ONLY"])
        equal(d.call("ONLY", "x").data, "x")


def test_an_alias_of_an_unknown_service_is_refused():
    with Domain() as d:
        p = d.spawn(1, "ECHO", opts=["-s", "A:NOSUCH"])
        equal(p.wait(), 1)


def test_a_server_needs_an_id_that_no_other_server_has():
    with Domain() as d:
        r = d.run("testsv", "--", "ECHO")
        ended(r, 1, "-i")
        first = d.server(1, "ECHO")
        r = d.run("testsv", "-i", "1", "--", "ECHO")
        ended(r, 1, f"running process {first.pid}")
        equal(d.call("ECHO", "x").data, "x")
