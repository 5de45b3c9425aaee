#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep.py - remove what killed runs of tests and benchmarks have left

    tests/suite/sweep.py

The kernel counts the bytes of POSIX queues for each user over all domains: 40
queues of a run that was killed, its guard too, make other stories fail, a day
later. What a runner of tests starts has its pid in OW_RUNNER: if the runner is
gone, so are domains and databases that it has left. A queue, a folder in
/dev/shm, or in /tmp the home of a domain, of a database or of a nats-server goes
if its name is one of tests, no process has it in its environment, and it is older
than OLD seconds: tests of one process set the variable themselves, and none of
them lasts so long. Other files and folders of tests go after SCRATCH_OLD. Queues
can be listed by root only; and root removes what databases of tests own.

Prints what has gone; nothing if there was nothing.
"""
import ctypes
import os
import pwd
import re
import shutil
import signal
import sys
import time

OLD, SCRATCH_OLD = 300, 3600
# Stories and clusters; unit tests; benchmarks.
DOMAIN = re.compile(r"(t[0-9a-f]{8}|owt\w{5,}|owr\w{5,}|owb[0-9a-f]{8})[\d]*")
HOMES = re.compile(r"ow_e2e_\w+|ow_(mdb|nats|pg)_\w{8}|owb[0-9a-f]{8}-\w+")
# What mkdtemp() of C (6 characters) and of Python (8) adds, or a pid.
SCRATCH = re.compile(
    r"(ow-(build|json-test|locale|test|ubf-test)-|ow_(fake_pg|last|outcome)|"
    r"ow_(bank|begin|deb|example|far|http|keys|linked|prov|renew|root|shm|"
    r"steps|suite|tmlog|tmqueue|unit_link|voted)_)(\w{6}|\w{8}|\d+)")
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18


def domain_of(name):
    """The domain that "t01234567,svc,ECHO" belongs to; None: of no test."""
    prefix = name.split(",", 1)[0]
    return prefix if "," in name and DOMAIN.fullmatch(prefix) else None


def _of(pid, name):
    """A file of a process in /proc; b"": it is gone, or another user's."""
    try:
        with open(f"/proc/{pid}/{name}", "rb") as f:
            return f.read()
    except OSError:
        return b""


def _pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def environments():
    """The environments of all processes that may be read."""
    return b"\0".join(_of(pid, "environ") for pid in _pids())


def is_orphan(pid):
    """Was it started by a runner that is gone? In another namespace of pids, a
    container's, the number says nothing."""
    runner = re.search(rb"(?:^|\0)OW_RUNNER=(\d+)(?:\0|$)",
                       _of(pid, "environ"))
    if not runner or b"run" in _of(int(runner[1]), "cmdline"):
        return False
    try:
        return os.readlink(f"/proc/{pid}/ns/pid") == \
            os.readlink("/proc/self/ns/pid")
    except OSError:
        return False


def end_orphans():
    """Kill them; how many."""
    orphans = [pid for pid in _pids() if is_orphan(pid)]
    for pid in orphans:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    end = time.monotonic() + 5
    while any(_of(p, "environ") for p in orphans) and time.monotonic() < end:
        time.sleep(0.01)
    return len(orphans)


def _owners():
    """Whose things they are: root runs databases as nobody."""
    names = ["nobody"] if os.geteuid() == 0 else []
    return {os.geteuid()} | {p.pw_uid for p in pwd.getpwall() if p.pw_name in names}


def _old(path, now, seconds):
    try:
        st = os.lstat(path)
    except OSError:
        return False
    return now - max(st.st_mtime, st.st_ctime) > seconds and \
        st.st_uid in _owners()


def dead(folder, now, living, domain=domain_of, seconds=None):
    """Names in a folder that belong to a domain of tests that is no more."""
    return [name for name in sorted(os.listdir(folder)) if (of := domain(name))
            and _old(os.path.join(folder, name), now, seconds or OLD)
            and of.encode() not in living]


def _remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


def sweep(folder, living, domain=domain_of, seconds=None):
    """Remove them; how many."""
    names = dead(folder, time.time(), living, domain, seconds)
    for name in names:
        _remove(os.path.join(folder, name))
    return len(names)


def sweep_queues(living, domain=domain_of):
    """In a process of its own, which sees the file system of queues."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        libc = ctypes.CDLL(None)
        n = 0
        if libc.unshare(CLONE_NEWNS) == 0 and \
                libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None) == 0 \
                and libc.mount(b"none", b"/mnt", b"mqueue", 0, None) == 0:
            n = sweep("/mnt", living, domain)
        os.write(w, str(n).encode())
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        n = int(f.read() or 0)
    os.waitpid(pid, 0)
    return n


def home(name):
    return name if HOMES.fullmatch(name) else None


def scratch(name):
    return name if SCRATCH.fullmatch(name) else None


def main():
    ended = end_orphans()
    living = environments()
    n = {"processes": ended,
         "queues": sweep_queues(living) if os.geteuid() == 0 else 0,
         "segments": sweep("/dev/shm", living),
         "homes": sweep("/tmp", living, home) +
         sum(sweep(at, living, scratch, SCRATCH_OLD)
             for at in ("/dev/shm", "/tmp"))}
    if any(n.values()):
        print("== left by killed runs, removed: " +
              ", ".join(f"{v} {k}" for k, v in n.items() if v), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
