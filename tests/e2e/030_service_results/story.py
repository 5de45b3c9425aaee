# SPDX-License-Identifier: Apache-2.0
"""The caller sees what the service returns, success or failure."""
from checks import equal, promptly
from fixture import Domain, wait_for


def test_tpfail_is_tpesvcfail_with_data_and_urcode():
    with Domain() as d:
        d.server(1, "FAIL")
        r = d.call("FAIL", "why")
        equal((r.ret, r.err, r.data, r.urcode), (-1, "TPESVCFAIL", "why", 77))


def test_soft_errors_reach_the_caller():
    with Domain() as d:
        d.server(1, "SOFTERR", "SOFTTIME")
        equal(d.call("SOFTERR", "6").err, "TPENOENT")
        equal(d.call("SOFTERR", "22").err, "TPEEVENT")
        r = d.call("SOFTERR", str(-2**63))  # not that no server had begun it
        equal((r.err, r.urcode == -2**63), ("TPESVCERR", False))
        equal(d.call("SOFTTIME", "x").err, "TPETIME")
        r = d.call("NOBODY", "x")  # and that one has been sent to nobody
        equal((r.err, r.urcode), ("TPENOENT", -2**63))


def test_tpnochange_refuses_a_reply_of_another_type():
    with Domain() as d:
        d.server(1, "ECHO", "FAIL")
        c = d.client()
        r = c("callto", "CARRAY", "ECHO", "TPNOCHANGE", "STRING:x")
        equal((r.ret, r.err, r.type), (-1, "TPEOTYPE", "CARRAY"))
        r = c("callto", "CARRAY", "FAIL", "TPNOCHANGE", "STRING:x")
        equal((r.ret, r.err), (-1, "TPEOTYPE"))
        r = c("callto", "CARRAY", "ECHO", "TPNOCHANGE", "-")
        equal((r.ret, r.err), (-1, "TPEOTYPE"), "reply NULL")
        r = c("callto", "STRING", "ECHO", "TPNOCHANGE", "STRING:x")
        equal((r.ret, r.data), (0, "x"))
        r = c("callto", "CARRAY", "ECHO", "-", "STRING:x")
        equal((r.ret, r.type, r.data), (0, "STRING", "x"))


def test_a_service_that_breaks_the_rules_is_tpesvcerr_at_once():
    with Domain() as d:
        d.server(1, "NOTRETURN", "FOREIGN", "FWDFOREIGN", "FORWARD", "PID")
        pid = d.call("PID").data
        for svc in ("NOTRETURN", "FOREIGN", "FWDFOREIGN"):
            took = []
            for _ in range(20):
                r = d.call(svc, "x")
                equal((r.ret, r.err), (-1, "TPESVCERR"), svc)
                took.append(r.ms)
            promptly(took, 50, 300, svc)
        equal(d.call("FORWARD", "NOSUCH x").err, "TPESVCERR")
        equal(d.call("PID").data, pid, "the server lives")


def test_tpexit_ends_the_server_after_its_reply():
    with Domain() as d:
        p = d.server(1, "EXIT", "TPEXIT")
        r = d.call("EXIT", "bye")
        equal((r.err, r.data, r.urcode), ("TPESVCFAIL", "bye", 5))
        wait_for(lambda: p.poll() is not None, "the server's end")
        equal(p.returncode, 0)
        p = d.server(2, "TPEXIT")
        equal(d.call("TPEXIT", "bye").data, "bye")
        wait_for(lambda: p.poll() is not None, "the server's end")
        equal(d.call("TPEXIT", "x").err, "TPENOENT")


def test_a_server_that_leaves_by_tpexit_is_started_again():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "EXIT ECHO"})
        for i in range(3):
            old = d.pid(1)
            r = d.call("EXIT", "bye")
            equal((r.err, r.data, r.urcode), ("TPESVCFAIL", "bye", 5))
            wait_for(lambda: d.pid(1) not in (0, old), "started again")
            wait_for(lambda: d.call("ECHO", "x").data == "x", "it serves")


def test_a_server_that_calls_tpexit_is_not_started_again():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "TPEXIT"},
               {"srvid": 2, "appopt": "EXIT"})
        equal(d.call("TPEXIT", "bye").data, "bye")
        wait_for(lambda: d.pid(1) == 0, "its end")
        old = d.pid(2)
        equal(d.call("EXIT", "bye").err, "TPESVCFAIL")
        wait_for(lambda: d.pid(2) not in (0, old), "the other one is back")
        equal(d.pid(1), 0)
        equal(d.call("TPEXIT", "x").err, "TPENOENT")
