# SPDX-License-Identifier: Apache-2.0
"""xadmin starts and stops a domain; a stop leaves nothing behind."""
import os
import pty
import shutil
import signal
import subprocess

from checks import check, contains, ended, equal
from covers import covers
from fixture import Domain, alive, wait_for
from machine import pids_of


@covers("endurox", "defaults", "servers", "server", "name",
        "srvid", "min", "appopt", "xadmin start", "xadmin stop", "xadmin ppm")
def test_a_domain_starts_serves_and_stops():
    with Domain() as d:
        r = d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO PID"},
                   {"srvid": 10, "appopt": "UPPER"})
        contains(r.stderr, "4 processes started")
        equal(d.call("ECHO", "x").data, "x")
        equal(d.call("UPPER", "x").data, "X")
        equal([r.state for r in d.rows("ppm")], ["runok"] * 4)
        r = d.xadmin("stop", "-y")
        contains(r.stderr, "4 processes stopped")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.close_clients()
        equal(d.leftovers(), [], "after stop")


def test_servers_stop_in_reverse_order():
    with Domain() as d:
        d.boot(*({"srvid": i, "appopt": f"S{i}=ECHO"} for i in (1, 2, 3)))
        r = d.xadmin("stop", "-y")
        lines = [x for x in r.stderr.splitlines() if "Id = " in x]
        ids = [int(x.split("Id = ")[1].split()[0]) for x in lines]
        equal(ids, [3, 2, 1], r.stderr)


def test_one_server_is_stopped_and_started_again():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "PID"})
        pid = d.call("PID").data
        d.xadmin("stop", "-i", 1)
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.xadmin("start", "-i", 1)
        equal(d.call("ECHO", "x").data, "x")
        equal(d.call("PID").data, pid)


def test_starting_twice_starts_nothing_more():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "PID"})
        pid = d.call("PID").data
        r = d.xadmin("start", "-y", ok=False)
        contains(r.stderr, "0 processes started")
        equal(d.call("PID").data, pid)


def test_who_starts_ndrxd_has_ended_when_the_command_has():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        programs = f"{d.home}/programs"
        os.makedirs(programs)
        shutil.copy(d.program("xadmin"), programs)
        script = f"{programs}/ndrxd"
        with open(script, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\n{d.program('ndrxd')} && sleep 0.3\n")
        os.chmod(script, 0o755)
        r = subprocess.run([f"{programs}/xadmin", "start", "-y"], env=d.env,
                           capture_output=True, text=True, check=False)
        equal([p for p in pids_of(d.prefix)
               if p not in (d.ndrxd_pid(), d.pid(1))], [])
        ended(r, 0)


def test_a_stopped_domain_starts_again():
    with Domain() as d:
        d.configure({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        for _ in range(5):
            d.boot()
            equal(d.client().call("ECHO", "x").data, "x")
            d.xadmin("stop", "-y")


def test_a_client_outlives_its_domain():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = d.client()
        for _ in range(3):
            equal(c.call("ECHO", "x").data, "x")
            d.xadmin("stop", "-y")
            wait_for(lambda: c.call("ECHO", "x").err == "TPENOENT", "gone")
            d.boot()
            wait_for(lambda: c.call("ECHO", "x").err == "OK", "back")


def _started_in_a_terminal(d):
    """`xadmin start` in a new terminal: pid of its shell, the terminal."""
    shell, terminal = pty.fork()
    if shell == 0:
        os.execve("/bin/sh", ["sh", "-c", '"$0" start -y; exec sleep 1000',
                              d.program("xadmin")], d.env)
    wait_for(lambda: d.xadmin("dping", "-c", 1, ok=False).returncode == 0, "started")
    return shell, terminal


def _session_and_terminal(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        words = f.read().rpartition(")")[2].split()
    return int(words[3]), int(words[4])


def test_a_domain_shares_the_session_of_its_starter_and_not_the_terminal():
    """So it shares the CPUs with its callers (autogroups of the kernel), and
    lives when the terminal is closed."""
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        shell, terminal = _started_in_a_terminal(d)
        wait_for(lambda: d.pid(1) != 0, "a server runs")
        ndrxd, server = d.ndrxd_pid(), d.pid(1)
        for pid in (ndrxd, server):
            equal(_session_and_terminal(pid), (shell, 0))
        check(os.getpgid(ndrxd) != os.getpgid(shell), "a group of its own")
        check(_session_and_terminal(shell)[1] != 0, "the shell has a terminal")
        os.write(terminal, b"\x03")
        os.close(terminal)
        _, status = os.waitpid(shell, 0)
        check(os.WIFSIGNALED(status) and os.WTERMSIG(status) in
              (signal.SIGHUP, signal.SIGINT), "the shell was hung up")
        check(alive(ndrxd) and alive(server), "the domain lives")
        equal(d.call("ECHO", "x").data, "x")
        equal((d.ndrxd_pid(), d.pid(1)), (ndrxd, server))
