# SPDX-License-Identifier: Apache-2.0
"""A forked child shares no context with its parent."""
import os

from checks import contains, equal
from fixture import Domain, Skip


def test_a_client_and_its_forked_child_both_call():
    with Domain() as d:
        d.server(1, "ECHO")
        # The child's copies of its parent's memory are not leaks.
        c = d.client(ASAN_OPTIONS="detect_leaks=0")
        for _ in range(3):
            equal(c("fork", "ECHO"), {"before": 0, "child": 0, "after": 0})
        equal(c.call("ECHO", "x").data, "x")


def test_a_server_survives_the_exit_of_its_child():
    with Domain() as d:
        d.server(1, "FORK", "ECHO", "PID")
        pid = d.call("PID").data
        for i in range(3):
            equal(d.call("FORK").data, "7")
            equal(d.call("ECHO", str(i)).data, str(i))
        equal(d.call("PID").data, pid)
        equal(d.rows("stat")[0].servers_dead, 0)


def test_a_child_of_a_service_does_not_serve_in_its_name():
    with Domain() as d:
        d.server(1, "FORKRETURN", "ECHO", "PID")
        pid = d.call("PID").data
        for i in range(3):
            r = d.call("FORKRETURN", "x")
            equal((r.err, r.data), ("OK", "1"), "the parent's answer")
            equal(d.call("ECHO", str(i)).data, str(i))
        equal({d.call("PID").data for _ in range(10)}, {pid})
        equal(d.rows("stat")[0].servers_dead, 0)


def test_a_child_that_comes_back_from_the_program_is_no_second_server():
    with Domain() as d:
        for how in ("fork", "forklater"):
            p = d.server(1, "PID", f"init={how}")
            for _ in range(30):
                equal(int(d.call("PID").data), p.pid, how)
            equal(d.stop_server(p), 0)
        d.boot_any({"srvid": 1, "appopt": "ECHO init=daemon"},
                   settings={"start_max": "3"})
        contains(d.xadmin("ppm").stdout, "died")
        equal(d.call("ECHO").err, "TPENOENT")


def test_threads_log_and_call_while_another_thread_forks():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("the allocator of gcc's sanitizers keeps its locks over "
                   "fork(): a child that allocates may wait for ever")
    with Domain() as d:
        d.spawn(1, "ECHO")
        d.spawn(2, "ECHO")
        d.wait_ready(1, 2)
        c = d.client(ASAN_OPTIONS="detect_leaks=0")
        r = c("forkstorm", "ECHO", 300, seconds=100)
        equal((r.good, r.errors, r.status), (300, 0, 0))
