# SPDX-License-Identifier: Apache-2.0
"""Calls go on while the log cannot be written."""
import os

from checks import check, equal
from fixture import Domain

FULL = "ndrx=5 ubf=5 tp=5 file=/dev/full"


def test_calls_go_on_with_a_full_log():
    with Domain(env={"NDRX_DEBUG_STR": FULL}) as d:
        p = d.server(1, "ECHO", "NOTRETURN", opts=["-e", "/dev/full"])
        for i in range(50):
            equal(d.call("ECHO", str(i)).data, str(i))
        equal(d.call("NOTRETURN").err, "TPESVCERR")
        equal(p.poll(), None)


def test_calls_go_on_without_a_log_folder():
    with Domain(env={"NDRX_DEBUG_STR": "ndrx=5 file=/nonexistent/log",
                     "NDRX_ULOG": "/nonexistent"}) as d:
        d.server(1, "ECHO", opts=["-e", "/nonexistent/err"])
        equal(d.call("ECHO", "x").data, "x")


def test_ndrxd_starts_with_a_full_log():
    with Domain(env={"NDRX_DMNLOG": "/dev/full", "NDRX_DEBUG_STR": FULL,
                     "NDRX_ULOG": "/dev/full"}) as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO",
                "sysopt": "-e /dev/full"})
        equal(d.call("ECHO", "x").data, "x")
        check(os.path.exists(f"{d.home}/run/ndrxd.sock"), "ndrxd listens")
