# SPDX-License-Identifier: Apache-2.0
"""The control group has no more memory, and the kernel kills a process: each
call ends, and what died comes back."""
import contextlib
import os
import time

from checks import at_least, at_most, check, differs, equal, one_of, soon
from fixture import Domain, Skip, wait_for

V1, V2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"
MB = 1 << 20


class Group:
    """A control group with a limit, of version 1 or 2."""

    def __init__(self, path, limit):
        self.path, old = path, path.startswith(V1 + "/")
        os.mkdir(path)
        try:
            with open(f"{path}/memory.limit_in_bytes" if old else
                      f"{path}/memory.max", "w", encoding="ascii") as f:
                f.write(str(limit))
        except OSError:
            os.rmdir(path)
            raise

    def add(self, pid):
        with open(f"{self.path}/cgroup.procs", "w", encoding="ascii") as f:
            f.write(str(pid))

    def remove(self):
        """Its processes have ended; the kernel may still be at it."""
        def removed():
            with contextlib.suppress(OSError):
                os.rmdir(self.path)
            return not os.path.exists(self.path)
        wait_for(removed, "the control group is removed")


@contextlib.contextmanager
def _domain(limit):
    """A domain and a group for some of its processes."""
    name, group = f"ow_{os.getpid()}_{time.monotonic_ns()}", None
    for folder in (V1, V2):
        with contextlib.suppress(OSError):
            group = group or Group(f"{folder}/{name}", limit)
    if group is None:
        raise Skip("no control group of memory can be made here")
    try:
        with Domain() as d:
            yield d, group
    finally:
        group.remove()


def test_a_server_that_the_kernel_kills_is_a_failed_call():
    with _domain(48 * MB) as (d, group):
        d.boot({"srvid": 1, "appopt": "ECHO BIG"},
               {"srvid": 2, "appopt": "ECHO"})
        stop = f"{d.home}/stop"
        load = d.client()
        load.begin("calls", "ECHO", 0, 3, 40, stop, 200)
        for _ in range(3):
            pid = d.pid(1)
            group.add(pid)
            begin = time.monotonic()
            r = d.call("BIG", str(400 * MB))
            equal(r.err, "TPESVCERR", r.text)
            at_most(time.monotonic() - begin, 10, "seconds to the answer")
            wait_for(lambda p=pid: d.pid(1) not in (0, p), "restarted", 10)
            wait_for(lambda: d.call("BIG", "1000").err == "OK", "it serves")
        with open(stop, "wb"):
            pass
        r = load.end()
        # A call that the dying server had in hand.
        equal((r.wrong, set(r.errors) - {"TPESVCERR"}), (0, set()))
        at_most(sum(r.errors.values()), 9)
        at_least(r.ok, 100)
        soon(r.max_ms, 10000, "the longest call")
        check(any("killed by signal 9" in e.text for e in d.rows("events")),
              "the history says how it died")


def test_a_caller_that_the_kernel_kills_leaves_nothing():
    with _domain(48 * MB) as (d, group):
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = d.client()
        equal(c.call("ECHO", "x").data, "x")
        group.add(c.pid)
        c.begin("call", "ECHO", "-", f"CARRAY:#{400 * MB}")
        one_of(c.proc.wait(30), -9, -7)
        d.clients.remove(c)
        wait_for(lambda: all(r.pid != c.pid for r in d.rows("clients")),
                 "its context has ended")
        differs(d.pid(1), 0)
        equal(d.call("ECHO", "y").data, "y")
