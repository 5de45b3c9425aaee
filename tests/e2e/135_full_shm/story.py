# SPDX-License-Identifier: Apache-2.0
"""A full shared-memory file system is TPEOS; calls resume after it."""
import contextlib
import os
import subprocess
import tempfile

from checks import at_least, contains, ended, equal, one_of, soon
from fixture import Domain, Skip, wait_for

LARGE = "CARRAY:#400000"


@contextlib.contextmanager
def _small_domain(size):
    """A domain with its shared memory in a small tmpfs of its own."""
    if os.geteuid() != 0:
        raise Skip("only root may mount a small file system")
    with tempfile.TemporaryDirectory(prefix="ow_shm_") as path:
        r = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}",
                            "none", path], capture_output=True, text=True,
                           check=False)
        if r.returncode != 0:
            raise Skip(f"mount: {r.stderr.strip()}")
        try:
            with Domain(env={"NDRX_SHMPATH": path}) as d:
                yield d
        finally:
            subprocess.run(["umount", path], check=True)


def _fill(d):
    path = os.path.join(d.shm, "filler")
    with contextlib.suppress(OSError):
        with open(path, "wb", buffering=0) as f:
            while True:
                f.write(bytes(4096))
    return path


def test_a_request_without_room_is_tpeos():
    with _small_domain("2m") as d:
        d.server(1, "ECHO", "BIG")
        c = d.client()
        for _ in range(3):
            r = c("call", "ECHO", "-", "CARRAY:#4000000")
            equal(r.err, "TPEOS")
            contains(r.text, d.shm)
            equal(c.call("ECHO", "small").data, "small")
            r = c("call", "ECHO", "-", "CARRAY:#100000")
            equal((r.err, r.sum), ("OK", r.sent))


def test_a_reply_without_room_is_tpeos_for_the_caller():
    with _small_domain("2m") as d:
        p = d.server(1, "ECHO", "BIG")
        equal(d.call("BIG", "100000").len, 100000)
        equal(d.call("BIG", "4000000").err, "TPEOS")
        equal(d.call("ECHO", "small").data, "small")
        equal(p.poll(), None)


def test_a_full_file_system_crashes_no_process():
    with _small_domain("2m") as d:
        p = d.server(1, "ECHO", "BIG")
        old = d.client()
        equal(old.call("ECHO", "x").data, "x")
        filler = _fill(d)
        equal(old.call("ECHO", "x").data, "x", "small calls go on")
        equal(old("call", "ECHO", "-", "CARRAY:#100000").err, "TPEOS")
        one_of(d.client().call("ECHO", "x").err, "OK", "TPEOS")
        r = d.run("testsv", "-i", "500", "--", "NEW=ECHO")
        equal(r.returncode, 1, f"a new server: {r.stderr}")
        os.unlink(filler)
        r = old("call", "ECHO", "-", "CARRAY:#100000")
        equal((r.err, r.sum), ("OK", r.sent), "resumed")
        equal(d.client().call("ECHO", "x").data, "x")
        d.server(500, "NEW=ECHO")
        equal(p.poll(), None)


def test_a_file_system_that_fills_under_load_ends_each_call():
    with _small_domain("3m") as d:
        servers = [d.server(i, "ECHO") for i in (1, 2)]
        stop = f"{d.home}/stop"
        load = [d.client() for _ in range(3)]
        for c in load:
            equal(c.call("ECHO", "x").data, "x")
            c.begin("calls", "ECHO", 0, 2, 60000, stop)
        large = d.client()
        filler = _fill(d)
        wait_for(lambda: large("call", "ECHO", "-", LARGE).err == "TPEOS",
                 "no room")
        os.unlink(filler)
        wait_for(lambda: large("call", "ECHO", "-", LARGE).err == "OK",
                 "room again")
        with open(stop, "wb"):
            pass
        for c in load:
            r = c.end()
            equal((r.wrong, set(r.errors) - {"TPEOS"}), (0, set()), r)
            at_least(r.ok, 1)
            soon(r.max_ms, 5000, "the longest call")
            r = c("call", "ECHO", "-", "CARRAY:#100000")
            equal((r.err, r.sum), ("OK", r.sent), "resumed")
        equal([p.poll() for p in servers], [None, None])


def test_a_domain_cannot_start_in_a_full_file_system():
    with _small_domain("1m") as d:
        filler = _fill(d)
        p = d.run("testsv", "-i", "1", "--", "ECHO")
        ended(p, 1, d.shm)
        equal(d.call("ECHO", "x").err, "TPENOENT")
        os.unlink(filler)
        d.server(1, "ECHO")
        equal(d.call("ECHO", "x").data, "x")
