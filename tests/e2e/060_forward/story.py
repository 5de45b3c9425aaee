# SPDX-License-Identifier: Apache-2.0
"""tpforward: the last server of the chain replies to the caller."""
from checks import equal, near, promptly
from fixture import Domain


def test_the_last_server_replies_to_the_first_caller():
    with Domain() as d:
        d.server(1, "FORWARD")
        d.server(2, "FORWARD2=FORWARD")
        d.server(3, "UPPER", "FAIL")
        equal(d.call("FORWARD", "UPPER hello").data, "HELLO")
        equal(d.call("FORWARD", "FORWARD2 UPPER hello").data, "HELLO")
        r = d.call("FORWARD", "FAIL hello")
        equal((r.err, r.data, r.urcode), ("TPESVCFAIL", "hello", 77))


def test_a_server_may_forward_to_itself():
    with Domain() as d:
        d.server(1, "FORWARD", "ECHO")
        equal(d.call("FORWARD", "FORWARD FORWARD ECHO x").data, "x")


def test_tpforward_keeps_the_deadline_of_the_caller():
    with Domain(env={"NDRX_TOUT": "400ms"}) as d:
        d.server(1, "FORWARD")
        d.server(2, "SLEEP")
        r = d.call("FORWARD", "SLEEP 1500")
        equal(r.err, "TPETIME")
        near(r.ms, 399, 1400)


def test_an_unknown_target_is_tpesvcerr_at_once():
    with Domain() as d:
        d.server(1, "FORWARD")
        took = []
        for _ in range(20):
            r = d.call("FORWARD", "NOSUCH x")
            equal(r.err, "TPESVCERR")
            took.append(r.ms)
        promptly(took, 50, 300)


def test_a_large_request_is_forwarded():
    with Domain() as d:
        d.server(1, "FORWARD")
        d.server(2, "ECHO")
        text = "x" * 20000
        r = d.call("FORWARD", f"ECHO {text}")
        equal((r.err, r.len, r.data), ("OK", 20001, text[:4000]))


def test_a_service_that_calls_another_gets_its_reply():
    with Domain() as d:
        d.server(1, "CALLON")
        d.server(2, "ECHO", "FAIL")
        for i in range(50):
            equal(d.call("CALLON", f"ECHO {i}").data, str(i))
        r = d.call("CALLON", "NOSUCH x")
        equal((r.err, r.urcode), ("TPESVCFAIL", 6))


def test_a_service_knows_its_caller_after_tpforward_the_first_one():
    with Domain() as d:
        d.server(1, "FORWARD", "CALLON")
        d.server(2, "CLTID")
        c = d.client()
        own = c.call("CLTID", "x").data
        equal(own.split(",")[:3], ["clt", "testcl", str(c.pid)])
        equal(len(own.split(",")), 5, "context and node follow")
        equal(c.call("FORWARD", "CLTID x").data, own)
        equal(c.call("CALLON", "CLTID x").data.split(",")[:3],
              ["srv", "testsv", "1"])
