# SPDX-License-Identifier: Apache-2.0
"""Missing or foreign resources are reported; no process crashes."""
import os
import random
import subprocess

from checks import contains, ended, equal, one_of
from fixture import Domain
from machine import SLOW


def _refused(d, err, *words):
    """Client and server report why they cannot join."""
    r = d.client().call("ECHO", "x")
    equal((r.ret, r.err), (-1, err), r.text)
    p = d.run("testsv", "-i", "9", "--", "ECHO")
    equal(p.returncode, 1, p.stderr)
    for word in words:
        contains(r.text, word)
        contains(p.stderr, word)


def test_a_missing_prefix_is_refused():
    with Domain(env={"NDRX_QPREFIX": None}) as d:
        _refused(d, "TPEINVAL", "NDRX_QPREFIX")
        d.env["NDRX_QPREFIX"] = "/" + d.prefix


def test_an_invalid_prefix_is_refused():
    for bad in ("/", "/a/b", "/with,comma", "x" * 60):
        with Domain(env={"NDRX_QPREFIX": bad}) as d:
            _refused(d, "TPEINVAL", "NDRX_QPREFIX")
            d.env["NDRX_QPREFIX"] = "/" + d.prefix


def test_a_waking_constant_that_is_none_is_refused():
    for bad in ("pending=1", "yields", "yields=-1", "clock_every=0"):
        with Domain(env={"NDRX_WAKE_POLICY": bad}) as d:
            _refused(d, "TPEINVAL", "NDRX_WAKE_POLICY", bad.split("=")[0])
            d.env["NDRX_WAKE_POLICY"] = ""


def test_a_word_of_compat_that_is_none_is_refused():
    with Domain(env={"NDRX_COMPAT": "tuxedo"}) as d:
        _refused(d, "TPEINVAL", "NDRX_COMPAT", "strict-tuxedo strict-enduro")
        d.env["NDRX_COMPAT"] = ""


def test_an_unwritable_shm_folder_is_named():
    for path in ("/proc", "/nonexistent"):
        with Domain(env={"NDRX_SHMPATH": path}) as d:
            r = d.client().call("ECHO", "x")
            equal((r.ret, r.err), (-1, "TPENOENT"), "no domain there")
            p = d.run("testsv", "-i", "9", "--", "ECHO")
            ended(p, 1, path)
            d.env["NDRX_SHMPATH"] = d.shm = "/dev/shm"


def _own(path, flags):
    return os.open(path, flags, 0o600)


def _with_tables(d, content):
    os.mkdir(os.path.dirname(d.segment("tables")), 0o700)
    d.damaged = True
    with open(d.segment("tables"), "wb", opener=_own) as f:
        f.write(content)


def test_a_foreign_file_in_place_of_the_tables_is_refused():
    rnd = random.Random(5)
    for content in (b"", b"x", rnd.randbytes(5000), bytes(1 << 20),
                    rnd.randbytes(3 << 20)):
        with Domain() as d:
            _with_tables(d, content)
            if content == b"":
                continue  # as if its creator had died: taken over
            _refused(d, "TPESYSTEM", "tables", "xadmin down -y")
            equal(d.xadmin("psc", ok=False).returncode, 1)


def _kept_tables(d):
    """Tables without a process. The last server to end removes the tables, so
    that a second link keeps them."""
    path = d.segment("tables")
    p = d.server(1, "ECHO")
    kept = f"/dev/shm/kept,{d.prefix}"
    os.link(path, kept)
    equal(d.stop_server(p), 0)
    os.mkdir(os.path.dirname(path), 0o700)
    os.rename(kept, path)
    d.damaged = True
    return path


def test_tables_with_a_changed_head_are_refused():
    for at in (0, 8, 12, 16, 24, 40):
        with Domain() as d:
            path = _kept_tables(d)
            with open(path, "r+b") as f:
                f.seek(at)
                byte = f.read(1)[0]
                f.seek(at)
                f.write(bytes([byte ^ 0xff]))
            r = d.client().call("ECHO", "x")
            equal(r.ret, -1, f"byte {at}: {r.text}")
            one_of(r.err, "TPESYSTEM", "TPENOENT")


def test_truncated_tables_are_refused():
    with Domain() as d:
        os.truncate(_kept_tables(d), 100000)
        _refused(d, "TPESYSTEM", "tables")


def test_memory_that_others_may_open_is_refused():
    with Domain() as d:
        _with_tables(d, b"secret")
        os.chmod(d.segment("tables"), 0o666)
        _refused(d, "TPEPERM", d.segment("tables"), "0666", "xadmin down -y")
        os.chmod(d.segment("tables"), 0o600)
        folder = os.path.dirname(d.segment("tables"))
        os.chmod(folder, 0o755)
        _refused(d, "TPEPERM", folder, "0755", "chmod 700")
        d.xadmin("down", "-y", ok=False)  # removes both


def test_tables_with_a_second_name_are_refused():
    with Domain() as d:
        second = f"/dev/shm/second,{d.prefix}"
        _with_tables(d, b"secret")
        os.link(d.segment("tables"), second)
        try:
            _refused(d, "TPEPERM", d.segment("tables"), "2 names")
        finally:
            os.unlink(second)


CLOSED = (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-")


def _without(d, closed, *argv):
    """Run a program without standard input, output or error; its exit status."""
    return subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {closed}', d.program(argv[0]), *argv[1:]],
        env=d.env, input=b"call ECHO - STRING:x\ncall NONE - STRING:x\n",
        timeout=30 * SLOW, check=False, **d.who()).returncode


def test_what_is_printed_into_nothing_is_not_written_into_the_domain():
    with Domain() as d:
        d.server(1, "ECHO")
        with open(d.segment("tables"), "rb") as f:
            head = f.read(16)
            for closed in CLOSED:
                for argv in (("testcl",), ("xadmin", "psc"), ("xadmin", "nix"),
                             ("ndrxtop", "-b"), ("ndrxmetrics", "-1")):
                    _without(d, closed, *argv)
                f.seek(0)
                equal(f.read(16), head, closed)
                equal(d.client().call("ECHO", "x").data, "x", closed)


def test_a_domain_starts_without_standard_input_output_and_error():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        for closed in CLOSED:
            equal(_without(d, closed, "xadmin", "start", "-y"), 0, closed)
            equal(d.client().call("ECHO", "x").data, "x", closed)
            equal(_without(d, closed, "xadmin", "stop", "-y"), 0, closed)
            equal(_without(d, closed, "ndrxd"), 0, closed)
            d.xadmin("start", "-y")
            equal(d.client().call("ECHO", "y").data, "y", closed)
            d.xadmin("stop", "-y")


def test_a_server_without_standard_output_and_error_writes_its_log():
    with Domain() as d:
        log = f"{d.logs}/own.log"
        for closed in CLOSED:
            p = subprocess.Popen(
                ["sh", "-c", f'exec "$0" "$@" {closed}', d.program("testsv"),
                 "-i", "1", "-e", log, "--", "ECHO"], env=d.env, **d.who())
            d.procs[p.pid] = p
            d.wait_ready(1)
            equal(d.call("ECHO", "x").data, "x", closed)
            equal(d.stop_server(p), 0, closed)
            with open(log, encoding="utf-8") as f:
                contains(f.read(), "tpsvrdone")
            os.unlink(log)
