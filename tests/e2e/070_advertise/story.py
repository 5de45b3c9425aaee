# SPDX-License-Identifier: Apache-2.0
"""A running server advertises and withdraws services."""
from checks import equal
from fixture import Domain
from machine import LONG


def test_a_service_is_advertised_withdrawn_and_advertised_again():
    with Domain() as d:
        d.server(1, "ADV", "UNADV")
        for _ in range(3):
            equal(d.call("ECHO", "x").err, "TPENOENT")
            equal(d.call("ADV", "ECHO").err, "OK")
            equal(d.call("ECHO", "x").data, "x")
            equal(d.call("UNADV", "ECHO").err, "OK")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        equal(d.call("UNADV", "ECHO").urcode, 6, "TPENOENT")


def test_a_withdrawn_service_is_served_by_another_server():
    with Domain() as d:
        d.server(1, "ADV", "UNADV", "SRVID")
        d.server(2, "SRVID")
        equal(d.call("UNADV", "SRVID").err, "OK")
        for _ in range(10):
            equal(d.call("SRVID").data, "2")
        equal(d.row("psvc", service="SRVID").servers, 1)


def test_a_service_name_belongs_to_one_function():
    with Domain() as d:
        d.server(1, "ADV", "ECHO")
        equal(d.call("ADV", "ECHO").err, "OK", "the same again")
        equal(d.call("ADV", "ECHO=UPPER").urcode, 23, "TPEMATCH")


def test_service_names_have_at_most_30_characters():
    with Domain() as d:
        name = "A123456789B123456789C123456789"
        d.server(1, "ADV", f"{name}=ECHO")
        equal(d.call(name, "x").data, "x")
        equal(d.call(name + "TOOLONG", "x").err, "TPENOENT", "not cut")
        equal(d.call("ADV", f"{name}X=ECHO").urcode, 4, "TPEINVAL")
        for bad in ("A/B", "@AT", ".DOT", "COM,MA"):
            equal(d.call("ADV", f"{bad}=ECHO").urcode, 4, f"{bad}: TPEINVAL")


def test_a_server_offers_fifty_services():
    with Domain(env={"NDRX_MSGMAX": "2"}) as d:
        d.server(1, "many=50")
        c = d.client()
        for i in range(50):
            equal(c.call(f"MANY{i}", f"x{i}").data, f"x{i}")
        equal(len([r for r in d.rows("psc") if r.srvid == 1]), 50)


HEAVY = True
QUEUE_KB = 70


def test_names_of_services_never_run_out():
    n = 200000 if LONG else 3000
    with Domain(env={"NDRX_TOUT": "600"}) as d:
        d.server(1, "ADVMANY", "ADV", "UNADV", "ECHO")
        c = d.client()
        equal(c("call", "ADVMANY", "-", f"STRING:{n}", seconds=600).data, "0")
        equal(c.call("DYN0", "x").err, "TPENOENT")
        equal(c.call("ECHO", "x").data, "x")
