# SPDX-License-Identifier: Apache-2.0
"""A call header travels with requests, replies and forwarded requests."""
from checks import equal
from fixture import Domain


def test_a_service_reads_the_header_of_its_request():
    with Domain() as d:
        d.server(1, "INFOOF", "FORWARD")
        c = d.client()
        r = c("info", "INFOOF", "-", "maria", "STRING:hello")
        equal((r.err, r.data, r.info), ("OK", "maria", "-"))
        equal(c.call("INFOOF", "x").err, "TPESVCFAIL")
        r = c("info", "FORWARD", "-", "maria", "STRING:INFOOF hello")
        equal((r.err, r.data), ("OK", "maria"))


def test_a_header_comes_back_with_the_buffer_that_has_it():
    with Domain() as d:
        d.server(1, "ECHO", "SETINFO", "UPPER", "FAIL", "FORWARD")
        c = d.client()
        for kind in ("STRING", "CARRAY", "JSON", "UBF"):
            for size in (20, 20000):
                plain = c("call", "ECHO", "-", f"{kind}:#{size}")
                r = c("info", "ECHO", "-", "h", f"{kind}:#{size}")
                equal((r.err, r.info, r.len), ("OK", "h", plain.len))
                equal(r.sum, plain.sum)
                r = c("info", "SETINFO", "-", "h", f"{kind}:#{size}")
                equal((r.err, r.info), ("OK", "of SETINFO"))
                equal(r.sum, plain.sum)
        r = c("info", "FAIL", "-", "why", "STRING:x")
        equal((r.err, r.info), ("TPESVCFAIL", "why"))
        r = c("info", "FORWARD", "-", "h" * 1500, "STRING:UPPER x")
        equal((r.data, r.info), ("X", "h" * 1500))


def test_a_header_is_no_change_of_type():
    with Domain() as d:
        d.server(1, "ECHO", "UBFOF")
        c = d.client()
        r = c("info", "ECHO", "TPNOCHANGE", "h", "STRING:x")
        equal((r.err, r.data, r.info), ("OK", "x", "h"))
        equal(c("info", "UBFOF", "TPNOCHANGE", "h", "STRING:x").err,
              "TPEOTYPE")


def test_a_conversion_keeps_the_header():
    with Domain() as d:
        d.server(1, "INFOOF", "ECHO", opts=("-x", "INFOOF:JSON2UBF",
                                            "-x", "ECHO:JSON2UBF"))
        c = d.client()
        equal(c("info", "INFOOF", "-", "maria", "JSON:{}").data, "maria")
        r = c("info", "ECHO", "-", "maria", "JSON:{}")
        equal((r.err, r.data, r.info), ("OK", "{}", "maria"))
