# SPDX-License-Identifier: Apache-2.0
"""ndrxd survives a lack of descriptors, memory and processes."""
import os
import resource
import subprocess

from checks import check, contains, equal
from events import read_events
from fixture import Domain, alive, kill, wait_for
from machine import SLOW, Skip

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}


def _limit(pid, what, soft):
    """Set the soft limit of a process; returns a function that restores it."""
    before = resource.prlimit(pid, what)
    resource.prlimit(pid, what, (soft, before[1]))
    return lambda: resource.prlimit(pid, what, before)


def _still_well(d, pid):
    equal(d.ndrxd_pid(), pid, "the same ndrxd")
    wait_for(lambda: {r.state for r in d.rows("ppm") if r.autostart} ==
             {"runok"}, "all run again", 20)
    equal(d.call("ECHO", "x").data, "x")


def test_ndrxd_survives_a_lack_of_descriptors():
    with Domain() as d:
        d.boot(ECHO)
        pid, victim = d.ndrxd_pid(), d.pid(1)
        used = len(os.listdir(f"/proc/{pid}/fd"))
        back = _limit(pid, resource.RLIMIT_NOFILE, used)
        kill(victim)
        wait_for(lambda: not alive(victim), "dead")
        equal(d.call("ECHO", "x").data, "x", "the other one serves")
        check(alive(pid), "ndrxd lives on")
        back()
        wait_for(lambda: d.pid(1) not in (0, victim), "restarted", 20)
        _still_well(d, pid)


def test_ndrxd_survives_a_lack_of_memory():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer needs its address space")
    with Domain() as d:
        d.boot(ECHO)
        pid, victim = d.ndrxd_pid(), d.pid(1)
        with open(f"/proc/{pid}/statm", encoding="utf-8") as f:
            size = int(f.read().split()[0]) * resource.getpagesize()
        back = _limit(pid, resource.RLIMIT_AS, size)
        for _ in range(20):
            d.xadmin("reload", ok=False)
            d.xadmin("ppm", ok=False)
        kill(victim)
        wait_for(lambda: not alive(victim), "dead")
        equal(d.call("ECHO", "x").data, "x", "the other one serves")
        check(alive(pid), "ndrxd lives on")
        back()
        _still_well(d, pid)


def test_a_domain_runs_within_a_gigabyte_of_address_space():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer needs its address space")
    with Domain() as d:
        was = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, was[1]))
        try:
            d.boot(ECHO)
            equal(d.call("ECHO", "x").data, "x")
            equal(d.call("ECHO", "y" * 3000).data, "y" * 3000)
            victim = d.pid(1)
            kill(victim)
            wait_for(lambda: d.pid(1) not in (0, victim), "restarted", 20)
            equal(d.call("ECHO", "x").data, "x")
        finally:
            resource.setrlimit(resource.RLIMIT_AS, was)


def _limit_processes(d, pid, soft):
    """Root may not do that to another user's process everywhere."""
    subprocess.run(["prlimit", f"--pid={pid}", f"--nproc={soft}:"],
                   check=True, **d.who())


def test_ndrxd_survives_a_full_process_table():
    """The domain runs as an ordinary user: root has no such limit."""
    if os.geteuid() != 0:
        raise Skip("needs root, to become somebody else")
    with Domain(user=64000 + os.getpid() % 1000) as d:
        try:
            d.run("mqput")
        except PermissionError:
            raise Skip(f"other users cannot read {d.program('mqput')}"
                       ) from None
        d.boot(ECHO)
        pid, victim = d.ndrxd_pid(), d.pid(1)
        before = resource.getrlimit(resource.RLIMIT_NPROC)[0]
        _limit_processes(d, pid, 1)
        kill(victim)
        wait_for(lambda: d.row("ppm", srvid=1).state == "limit",
                 "cannot be made")
        wait_for(lambda: d.row("ppm", srvid=1).start_tries >= 2, "tried", 15)
        contains(d.row("ppm", srvid=1).reason,
                 "Resource temporarily unavailable")
        equal([e.word for e in read_events(d) if e.word == "failed"][:1],
              ["failed"])
        _limit_processes(d, pid, before)
        wait_for(lambda: d.pid(1) not in (0, victim), "restarted", 20)
        equal(d.ndrxd_pid(), pid)


def _with_small_files(d, *argv, text=None):
    """Run a program that may have no file of more than 100 KB."""
    return subprocess.run(["bash", "-c", 'ulimit -f 100; exec "$0" "$@"',
                           d.program(argv[0]), *argv[1:]], env=d.env, input=text,
                          capture_output=True, text=True, timeout=60 * SLOW,
                          check=False, **d.who())


def test_a_limit_on_the_size_of_files_is_named():
    with Domain() as d:
        d.configure(ECHO)
        for argv in (("testsv", "-i", "1", "--", "ECHO"), ("xadmin", "start", "-y")):
            r = _with_small_files(d, *argv)
            equal(r.returncode, 1, r.stderr)
            contains(r.stderr, "ulimit -f")
            equal(d.leftovers(), [])
        d.boot()
        for word in ("File too large", '"x"'):  # the first client makes the mailboxes
            r = _with_small_files(d, "testcl", text="call ECHO - STRING:x\n")
            contains(r.stdout, word)
            equal(d.call("ECHO", "y").data, "y")
