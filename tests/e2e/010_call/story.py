# SPDX-License-Identifier: Apache-2.0
"""A client calls a server; no supervisor is needed."""
from checks import differs, equal, promptly
from fixture import Domain


def test_a_call_gets_its_reply():
    with Domain() as d:
        d.server(1, "ECHO", "UPPER")
        equal(d.call("ECHO", "hello").data, "hello")
        equal(d.call("UPPER", "hello").data, "HELLO")
        equal(d.row("psc", service="ECHO").succeeded, 1)


def test_no_data_is_no_buffer():
    """A NULL pointer arrives as one, in the service and as the reply."""
    with Domain() as d:
        d.server(1, "ECHO", "INFO")
        for request in (None, ""):
            r = d.call("ECHO", request)
            equal((r.ret, r.type, r.len), (0, "-", 0) if request is None
                  else (0, "STRING", 1))
        equal(d.call("INFO").data, "INFO INFO - 0")


def test_an_unknown_service_is_tpenoent_at_once():
    with Domain() as d:
        d.server(1, "ECHO")
        for name in ("NOSUCH", "", "echo"):
            took = []
            for _ in range(20):
                r = d.call(name, "x")
                equal((r.ret, r.err), (-1, "TPENOENT"), name)
                took.append(r.ms)
            promptly(took, 20, 200, name)


def test_a_call_without_a_domain_is_tpenoent():
    with Domain() as d:
        equal(d.call("ECHO", "x").err, "TPENOENT")


def test_a_server_without_ndrxd_stops_on_sigterm():
    with Domain() as d:
        p = d.server(1, "ECHO")
        equal(d.stop_server(p), 0)
        equal(d.call("ECHO", "x").err, "TPENOENT")


def test_calls_stay_within_their_domain():
    with Domain() as a, Domain() as b:
        a.server(1, "PID", "ONLYA=ECHO")
        b.server(1, "PID")
        differs(a.call("PID").data, b.call("PID").data)
        equal(b.call("ONLYA", "x").err, "TPENOENT")
        equal(a.call("ONLYA", "x").data, "x")
