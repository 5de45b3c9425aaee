# SPDX-License-Identifier: Apache-2.0
"""Calls go on while the log cannot be written: full disk, stalled reader."""
import contextlib
import json
import os
import re
import resource
import select
import subprocess
import time

from checks import at_least, check, contains, equal, soon
from fixture import Domain, kill, wait_for
from machine import LONG, small_disk

FULL = "ndrx=5 ubf=5 tp=5 file=/dev/full"


def test_calls_go_on_with_a_full_log():
    with Domain(env={"NDRX_DEBUG_STR": FULL}) as d:
        p = d.server(1, "ECHO", "NOTRETURN", opts=["-e", "/dev/full"])
        for i in range(50):
            equal(d.call("ECHO", str(i)).data, str(i))
        equal(d.call("NOTRETURN").err, "TPESVCERR")
        equal(p.poll(), None)


def test_a_log_that_may_not_grow_ends_nobody():
    """ulimit -f: the kernel sends a signal, which ends a process by default."""
    with Domain(env={"NDRX_DEBUG_STR": "ndrx=5 file=${NDRX_APPHOME}/log/all.log"}) as d:
        d.boot({"srvid": 1, "appopt": "ECHO PID"})
        server, ndrxd = int(d.call("PID").data), d.ndrxd_pid()
        for pid in (server, ndrxd):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, 4096))
        for i in range(100):
            equal(d.call("ECHO", str(i)).data, str(i))
        d.xadmin("psc")
        d.xadmin("reload")
        equal((int(d.call("PID").data), d.ndrxd_pid()), (server, ndrxd))


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


def _room(folder):
    return os.statvfs(folder).f_bavail


def _read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def test_a_disk_of_logs_that_fills_under_load_delays_nobody():
    """Logs of servers and clients, of ndrxd, and its history, on one disk."""
    with Domain(env={"NDRX_DEBUG_STR": "ndrx=5 ubf=3 tp=5 "
                                       "file=${NDRX_APPHOME}/log/all.log",
                     "NDRX_TOUT": "5"}) as d, \
            small_disk(d.logs, "512k"):
        d.boot({"srvid": 1, "appopt": "SAY"},
               {"srvid": 2, "appopt": "SAY"})
        stop = f"{d.home}/stop"
        load = [d.client() for _ in range(2)]
        for c in load:
            c.begin("calls", "SAY", 0, 2, 40, stop, 500)
        wait_for(lambda: _room(d.logs) == 0, "the disk is full", 30)
        # ndrxd obeys, until its history has no room either.
        for words in (("stop", "-y", "-i", 2), ("start", "-y", "-i", 2),
                      ("restart", "-y", "-i", 1)) * 5:
            begin = time.monotonic()
            d.xadmin(*words)
            soon((time.monotonic() - begin) * 1000, 5000, words)
        contains(d.xadmin("doctor", ok=False).stdout,
                 "FAIL  disk of the logs: 0 of 512")
        contains(d.run("ndrxtop", "-b", "-d", "0.1").stdout,
                 "the disk is full, lines of the logs are lost")
        with open(stop, "wb"):
            pass
        for c in load:
            r = c.end()
            equal((r.wrong, r.errors), (0, {}))
            soon(r.max_ms, 2000, "the longest call")
        # Room again.
        ndrxd = d.ndrxd_pid()
        os.truncate(f"{d.logs}/all.log", 0)
        server = f"({d.pid(1)}|{d.pid(2)})"  # whichever takes the call
        for path, pid in ((f"{d.logs}/all.log", server),
                          (f"{d.logs}/history.log", ndrxd)):
            wait_for(lambda p=path, n=pid: d.call("SAY", "x").err == "OK" and
                     re.search(rf"\nlog: \d+ lines of process {n} could not",
                               _read(p)), f"{path} says so")
        before = len(d.rows("events", "-n", 1000))
        d.xadmin("stop", "-y", "-i", 2)
        at_least(len(d.rows("events", "-n", 1000)), before + 3)


def test_a_new_ndrxd_takes_over_on_a_full_disk():
    with Domain() as d:
        run = f"{d.home}/run"
        os.mkdir(run, 0o700)
        with small_disk(run, "64k"):
            d.boot({"srvid": 1, "appopt": "ECHO"})
            server = d.pid(1)
            d.kill_ndrxd()
            with contextlib.suppress(OSError), \
                    open(f"{run}/fill", "wb", buffering=0) as f:
                while True:
                    f.write(bytes(4096))
            d.xadmin("start", "-y")
            equal(d.pid(1), server, "the server was adopted")
            kill(server)
            wait_for(lambda: d.pid(1) not in (0, server), "restarted")
            equal(d.call("ECHO", "x").data, "x")
            d.close_clients()
            d.xadmin("stop", "-y")


def stalled_pipe():
    """Both ends of a pipe that is full."""
    r, w = os.pipe()
    os.set_blocking(w, False)
    try:
        while True:
            os.write(w, b"x" * 4096)
    except BlockingIOError:
        os.set_blocking(w, True)
    return r, w


def drain(r, *wanted):
    """Read until each pattern was found."""
    text, end = b"", time.monotonic() + 10
    while time.monotonic() < end:
        if select.select([r], [], [], 0.2)[0]:
            text += os.read(r, 65536)
            if all(re.search(p, text) for p in wanted):
                return
    raise AssertionError(f"{wanted} not found in {text[-3000:]}")


def test_a_log_reader_that_stalls_delays_no_call():
    seconds = 10 if LONG else 4
    r, w = stalled_pipe()
    with Domain(env={"NDRX_DEBUG_STR": "ndrx=5 ubf=3 tp=5"}) as d:
        d.configure({"srvid": 1, "appopt": "ECHO SAY"})
        ndrxd = subprocess.Popen([d.program("ndrxd"), "-f", "-b"], env=d.env,
                                 cwd=d.home, stdin=subprocess.DEVNULL,
                                 stdout=w, stderr=w)
        wait_for(lambda: d.pid(1), "booted")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            clients = [subprocess.Popen(
                [d.program("testcl"), "calls", svc, "50", "1", "40"],
                env=d.env, cwd=d.home, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=w, text=True)
                for svc in ["ECHO", "SAY"] * 5]
            for c in clients:
                out = json.loads(c.communicate(timeout=60)[0])
                equal((out["ok"], out["wrong"], out["errors"]), (50, 0, {}))
        check(os.get_blocking(w), "the shared pipe is still blocking")
        # Room again: the server and ndrxd say how many lines are lost.
        lost = rb"log: \d+ lines of process %d could"
        drain(r, lost % ndrxd.pid, lost % d.pid(1))
        d.xadmin("stop", "-y")
        ndrxd.wait(20)
    os.close(r)
    os.close(w)


def test_a_log_whose_reader_is_gone_ends_nobody():
    r, w = os.pipe()
    os.close(r)
    with Domain(env={"NDRX_DEBUG_STR": "ndrx=5 tp=5"}) as d:
        d.server(1, "ECHO")
        out = subprocess.run([d.program("testcl"), "calls", "ECHO", "20", "1",
                              "40"], env=d.env, cwd=d.home, stderr=w,
                             stdout=subprocess.PIPE, text=True, check=False)
        equal(out.returncode, 0)
        equal(json.loads(out.stdout)["ok"], 20)
    os.close(w)
