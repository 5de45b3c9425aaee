# SPDX-License-Identifier: Apache-2.0
"""ndrxd survives a lack of descriptors, memory and processes."""
import os
import resource
import shutil
import subprocess
import tempfile

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


def test_ndrxd_survives_a_full_process_table():
    """The domain runs as an ordinary user: root has no such limit."""
    if os.geteuid() != 0 or None in map(shutil.which, ("setpriv",
                                                       "prlimit")):
        raise Skip("needs root, to become somebody else")
    with Domain() as d:
        os.chmod(d.home, 0o777)
        os.chmod(d.logs, 0o777)
        d.configure(ECHO)
        uid = 64000 + os.getpid() % 1000
        folder = tempfile.mkdtemp(prefix="bin", dir=d.home)
        os.chmod(folder, 0o755)
        for name in ("ndrxd", "xadmin", "testsv", "testcl"):
            shutil.copy(d.program(name), folder)
        libs = os.path.join(folder, "lib")
        shutil.copytree(d.env["LD_LIBRARY_PATH"], libs, symlinks=True)
        env = {**d.env, "PATH": f"{folder}:/usr/bin:/bin",
               "LD_LIBRARY_PATH": libs}

        def run(*words):
            return subprocess.run(
                ["setpriv", f"--reuid={uid}", f"--regid={uid}",
                 "--clear-groups", *words], env=env, cwd=d.home,
                capture_output=True, text=True, timeout=30 * SLOW,
                check=False)

        r = run("xadmin", "start", "-y")
        equal(r.returncode, 0, r.stderr)
        pid, victim = d.ndrxd_pid(), d.pid(1)
        before = run("prlimit", f"--pid={pid}", "--nproc", "--noheadings",
                     "--raw", "-o", "SOFT").stdout.strip()
        equal(run("prlimit", f"--pid={pid}", "--nproc=1:").returncode, 0)
        kill(victim)
        wait_for(lambda: d.row("ppm", srvid=1).state == "limit",
                 "cannot be made")
        wait_for(lambda: d.row("ppm", srvid=1).start_tries >= 2, "tried", 15)
        contains(d.row("ppm", srvid=1).reason,
                 "Resource temporarily unavailable")
        equal([e.word for e in read_events(d) if e.word == "failed"][:1],
              ["failed"])
        equal(run("prlimit", f"--pid={pid}",
                  f"--nproc={before}:").returncode, 0)
        wait_for(lambda: d.pid(1) not in (0, victim), "restarted", 20)
        equal(d.ndrxd_pid(), pid)
        r = run("xadmin", "stop", "-y")
        equal(r.returncode, 0, r.stderr)
