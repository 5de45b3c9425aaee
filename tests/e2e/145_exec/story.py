# SPDX-License-Identifier: Apache-2.0
"""A program that a server or a client starts holds no descriptor of ours."""
from checks import check, equal
from fixture import Domain, kill

OURS = ("/mqueue", ",svc,", ",reply,", "shm", "socket:", "eventpoll",
        "eventfd", "timerfd", "memfd", "bell", "deleted")


def check_fds(fds, what):
    bad = [f for f in fds.split() if any(o in f for o in OURS) and
           not f.startswith("/dev/null")]
    equal(bad, [], what)
    check("pipe:" in fds, f"{what}: {fds}")


def test_a_started_program_has_no_descriptor_of_the_runtime():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO EXECFDS"})
        c = d.client(NDRX_DEBUG_STR=f"ndrx=5 file={d.home}/log/x.log")
        check_fds(c("execfds", "ECHO").fds, "client")
        c.call("ECHO", "x")
        check_fds(d.call("EXECFDS").data, "server")


def test_a_child_that_only_forks_keeps_no_domain_alive():
    with Domain() as d:
        p = d.server(1, "ECHO", "FORKSTAY")
        equal(d.call("ECHO", "x").data, "x")
        child = int(d.call("FORKSTAY").data)
        try:
            equal(d.stop_server(p), 0)
            equal(d.call("ECHO").err, "TPENOENT")
            d.server(2, "ECHO")
            equal(d.call("ECHO", "y").data, "y")
        finally:
            kill(child)
