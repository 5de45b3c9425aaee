# SPDX-License-Identifier: Apache-2.0
"""A context has 16383 call descriptors; the next call is TPELIMIT."""
from checks import equal
from fixture import Domain


def test_a_call_without_a_free_descriptor_is_tpelimit():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.client()("many", "ECHO", 16390, "any", seconds=40)
        equal((r.sent, r.got, r.right, r.err),
              (16383, 16383, 16383, "TPELIMIT"))


def test_descriptors_are_reused():
    with Domain() as d:
        d.server(1, "ECHO")
        c = d.client()
        for _ in range(3):
            r = c("many", "ECHO", 8000, "each", seconds=40)
            equal((r.sent, r.right, r.err), (8000, 8000, "OK"))


def test_callers_cost_a_server_no_descriptor():
    with Domain() as d:
        d.server(1, "ECHO", "FDS")
        d.call("ECHO", "x")  # what all callers share is opened
        before = int(d.call("FDS").data)
        for _ in range(5):
            equal(d.client()("calls", "ECHO", 3, 10).ok, 30)
        equal(int(d.call("FDS").data), before)
