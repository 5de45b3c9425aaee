# SPDX-License-Identifier: Apache-2.0
"""The disk of a tmsrv's decisions is full: what cannot be decided is rolled
back, and whoever began it is told so."""
import json
import os

from checks import at_least, contains, equal
from fixture import wait_for
from machine import resize_disk, small_disk
from trans import Trans

MAINLY = "shm"


def _coordinator(t, folder):
    return t.tm(1, args=("-s", "200ms", "-l", f"{folder}/decisions"))


def _transfer(c):
    c.ok("begin", 20)
    c.ok("call", "-", "A", "add:-1")
    c.ok("call", "-", "B", "add:1")
    return c.err("commit")


def _doctor(t):
    """The line of doctor; None."""
    rows = json.loads(t.run("xadmin", "doctor", "--json").stdout)
    return next((r for r in rows if r["what"] == "disk of decisions"), None)


def _fill(c):
    """Commit until one is refused: how many were not."""
    for n in range(10000):
        err = _transfer(c)
        if err != "OK":
            equal(err, "TPEABORT")
            return n
    raise AssertionError("the disk never is full")


def _domain(t, folder):
    os.mkdir(folder)
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")


def test_what_cannot_be_decided_is_rolled_back_until_there_is_room():
    with Trans() as t:
        folder = os.path.join(t.home, "small")
        _domain(t, folder)
        with small_disk(folder, "24k"):
            p = _coordinator(t, folder)
            t.tm(2)
            c = t.xaclient(1)
            n = _fill(c)
            at_least(n, 50, "commits fit")
            for _ in range(5):
                equal(_transfer(c), "TPEABORT")
            t.settled(1, 2)
            equal((t.total(1), t.total(2)), (-n, n))
            wait_for(lambda: _doctor(t)["result"] == "FAIL", "named")
            contains(_doctor(t)["found"],
                     f"at {folder}/decisions: No space left")
            contains(t.run("ndrxtop", "-b", "-n", "1").stdout,
                     "! tmsrv 101: No space left on device: its decisions "
                     "cannot be written")
            c.ok("begin", 20)  # one branch needs no decision
            c.ok("call", "-", "A", "add:7")
            c.ok("commit")
            resize_disk(folder, "64m")
            equal(_doctor(t), None, "there is room again")
            equal(_transfer(c), "OK")
            equal((t.total(1), t.total(2)), (-n - 1 + 7, n + 1))
            equal(t.stop_server(p), 0)


def test_decisions_are_carried_out_after_a_kill_on_a_full_disk():
    with Trans() as t:
        folder = os.path.join(t.home, "small")
        _domain(t, folder)
        with small_disk(folder, "24k"):
            p = _coordinator(t, folder)
            t.tm(2)
            c = t.xaclient(1)
            c.ok("begin", 20)
            c.ok("call", "-", "A", "add:-1")
            c.ok("call", "-", "B", "add:1")
            t.order(1, "commit", "kill")
            c.begin("commit")
            p.wait(20)
            t.procs.pop(p.pid)
            q = t.spawn(101, "-s", "200ms", "-l", f"{folder}/decisions",
                        binary="tmsrv", env=t.xa(1))
            equal(q.wait(20) != 0, True)
            t.procs.pop(q.pid)
            with open(os.path.join(t.logs, "tmsrv.101.log"),
                      encoding="utf-8") as f:
                log = f.read()
            equal("No space left on device" in log, True, log)
            equal(os.listdir(folder), ["decisions"])
            resize_disk(folder, "1m")
            _coordinator(t, folder)
            equal(c.end(40).err, "TPESVCERR")
            t.decided(1, 2)
            equal((t.total(1), t.total(2)), (-1, 1))
