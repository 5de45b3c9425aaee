# SPDX-License-Identifier: Apache-2.0
"""A domain has one ndrxd; remains of a dead one do not hinder it."""
import os
import signal
import socket

from checks import at_least, differs, ended, equal
from fixture import Domain, alive, kill, wait_for


def test_a_second_ndrxd_is_refused():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.ndrxd_pid()
        r = d.run("ndrxd")
        ended(r, 1)
        at_least(len(r.stderr.strip()), 11, "length of the reason")
        equal(d.ndrxd_pid(), pid)
        equal(d.call("ECHO", "x").data, "x")


def test_a_stopped_ndrxd_still_holds_the_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.ndrxd_pid()
        kill(pid, signal.SIGSTOP)
        equal(d.run("ndrxd").returncode, 1)
        equal(d.call("ECHO", "x").data, "x")
        kill(pid, signal.SIGCONT)
        wait_for(lambda: d.ndrxd_pid() == pid, "it answers again")


def test_a_stale_pid_file_and_socket_are_replaced():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        run = os.path.join(d.home, "run")
        os.mkdir(run, 0o700)
        with open(os.path.join(run, "ndrxd.pid"), "w",
                  encoding="utf-8") as f:
            f.write(f"{os.getpid()}\n")
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.bind(os.path.join(run, "ndrxd.sock"))
        s.close()
        d.boot()
        equal(d.call("ECHO", "x").data, "x")
        with open(os.path.join(run, "ndrxd.pid"), encoding="utf-8") as f:
            equal(int(f.read()), d.ndrxd_pid())


def test_ndrxd_starts_after_a_killed_one():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.ndrxd_pid()
        kill(pid)
        wait_for(lambda: not alive(pid), "dead")
        equal(d.run("ndrxd").returncode, 0)
        differs(d.ndrxd_pid(), pid)


def test_of_four_started_at_once_one_ndrxd_runs():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        all_four = [d.background("ndrxd") for _ in range(4)]
        equal(sorted(p.wait(10) for p in all_four), [0, 1, 1, 1])
        d.xadmin("start", "-y")
        equal(d.call("ECHO", "x").data, "x")


WRONG = (({"NDRX_APPHOME": "/proc"}, "/proc"),
         ({"NDRX_APPHOME": ""}, "NDRX_APPHOME"),
         ({"NDRX_CONFIG": ""}, "NDRX_CONFIG"),
         ({"NDRX_CONFIG": "/nonexistent.xml"}, "/nonexistent.xml"))


def test_a_failed_start_names_its_reason():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        for env, word in WRONG:
            r = d.run("xadmin", "start", "-y", env=env)
            ended(r, 1, word)


def test_a_start_that_fails_leaves_nothing():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        for env, _ in WRONG:
            d.run("xadmin", "start", "-y", env=env)
            equal(d.leftovers(), [], env)
