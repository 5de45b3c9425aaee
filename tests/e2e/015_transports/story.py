# SPDX-License-Identifier: Apache-2.0
"""A domain has one transport; processes set to another one are refused."""
from checks import contains, equal
from fixture import Domain
from machine import TRANSPORT

OTHER = {"posix": "shm", "shm": "posix"}[TRANSPORT]


def test_a_client_of_the_other_transport_is_refused():
    with Domain() as d:
        d.server(1, "ECHO")
        r = d.client(NDRX_TRANSPORT=OTHER).call("ECHO", "x")
        equal((r.ret, r.err), (-1, "TPEINVAL"))
        with open(f"{d.logs}/testcl.log", encoding="utf-8") as f:
            text = f.read()
        contains(text + str(r), f"runs on {TRANSPORT}")


def test_a_server_of_the_other_transport_is_refused():
    with Domain() as d:
        d.server(1, "ECHO")
        p = d.spawn(2, "ECHO", env={"NDRX_TRANSPORT": OTHER})
        equal(p.wait(10), 1)
        with open(f"{d.logs}/testsv.2.log", encoding="utf-8") as f:
            contains(f.read(), f"runs on {TRANSPORT}: stop it first")


def test_without_ndrx_transport_the_transport_of_the_domain_is_used():
    with Domain() as d:
        d.server(1, "ECHO")
        equal(d.row("psvc", service="ECHO").transport, TRANSPORT)
        text = d.run("xadmin", "doctor").stdout
        contains(text, f"transport: {TRANSPORT}")
        contains(text, "wakes a reader")  # what this kernel does with queues
        equal(d.client(NDRX_TRANSPORT="").call("ECHO", "x").data, "x")


def test_an_unknown_transport_is_refused_by_name():
    with Domain() as d:
        p = d.spawn(1, "ECHO", env={"NDRX_TRANSPORT": "pigeon"})
        equal(p.wait(10), 1)
        with open(f"{d.logs}/testsv.1.log", encoding="utf-8") as f:
            contains(f.read(), 'NDRX_TRANSPORT="pigeon": give auto, posix or shm')
