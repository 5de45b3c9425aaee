# SPDX-License-Identifier: Apache-2.0
"""machine.py - time, processes and queues of the machine, for stories

Deadlines are multiplied by OW_SLOW, for builds with sanitizers. A wait polls a
condition; a story that sleeps for a fixed time says why.
"""
import contextlib
import ctypes
import os
import select
import shutil
import signal
import subprocess
import time
import traceback

SLOW = float(os.environ.get("OW_SLOW", "1"))
LONG = os.environ.get("OW_LONG") == "1"
SECONDS = float(os.environ.get("OW_SECONDS", "0"))
BUILD = os.environ.get("OW_BUILD", "build/release")
TRANSPORT = os.environ.get("OW_TRANSPORT", "posix")


class Skip(Exception):
    """This machine cannot run the fact; the text says why."""


def only_on(transport, why):
    """The fact concerns one transport; `why` says what the other one lacks."""
    if TRANSPORT != transport:
        raise Skip(f"only on {transport}: {why}")


def wait_for(condition, what, seconds=10):
    """Poll until condition() is true; its value. Fails after the deadline.
    What lasts longer is polled less often, and so is a condition that takes
    long: it runs a program, and other stories need the CPUs."""
    begun = time.monotonic()
    end = begun + seconds * SLOW
    pause = 0.005
    while True:
        value = condition()
        if value:
            return value
        now = time.monotonic()
        if now > end:
            raise AssertionError(f"not within {seconds * SLOW:g} s: {what}")
        time.sleep(pause)
        pause = min(pause * 1.2, max(0.03, min(3 * (now - begun), 0.15)))
        begun = time.monotonic()


def holds(condition, what, seconds):
    """Poll for `seconds`: condition() is true all the time. For events that
    must not happen; the story says why so many seconds are enough."""
    begun = time.monotonic()
    end = begun + seconds
    while begun < end:
        if not condition():
            raise AssertionError(f"no longer: {what}")
        time.sleep(max(0.02, min(2 * (time.monotonic() - begun), 0.1)))
        begun = time.monotonic()


def go_on(path):
    """A service SLEEP that was told this path ends."""
    with open(path, "w", encoding="ascii"):
        pass


# ---- processes ----

def alive(pid):
    """Is the process there, and no zombie?"""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def pids_of(prefix):
    """Processes whose environment names the domain."""
    mark = f"NDRX_QPREFIX=/{prefix}".encode()
    found = []
    for name in os.listdir("/proc"):
        try:
            if not name.isdigit() or int(name) == os.getpid():
                continue
            with open(f"/proc/{name}/environ", "rb") as f:
                if mark in f.read().split(b"\0") and alive(int(name)):
                    found.append(int(name))
        except OSError:
            pass
    return found


def kill(pid, sig=signal.SIGKILL):
    """Send a signal. SIGSTOP has stopped all threads when this returns."""
    if pid <= 0:  # a process group, or all processes
        raise AssertionError(f"signal {sig} to process {pid}")
    try:
        os.kill(pid, sig)
    except ProcessLookupError:
        return
    if sig == signal.SIGSTOP:
        wait_for(lambda: stopped(pid), f"process {pid} stopped")


def stopped(pid):
    """Do all threads of the process stand still, stopped or ended?"""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/stat",
                      encoding="latin-1") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
            if state not in "TtZX":
                return False
    except (FileNotFoundError, ProcessLookupError):
        return not alive(pid)
    return True


def wait_end(proc, seconds):
    """The exit status of a Popen. Its own wait() with a limit asks every
    50 ms."""
    if proc.poll() is None:
        fd = os.pidfd_open(proc.pid)
        end = select.poll()
        end.register(fd, select.POLLIN)
        end.poll(seconds * SLOW * 1000)
        os.close(fd)
    return proc.wait(0.1)


def asleep(pid):
    """Does its first thread wait for something?"""
    with open(f"/proc/{pid}/stat", encoding="latin-1") as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "S"


def children_of(pid):
    """Its children, zombies too."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="latin-1") as f:
        return [int(word) for word in f.read().split()]


def switches(pid):
    """Voluntary context switches: how often the process went to sleep."""
    with open(f"/proc/{pid}/status", encoding="latin-1") as f:
        for line in f:
            if line.startswith("voluntary_ctxt_switches"):
                return int(line.split()[1])
    return 0


# ---- queues and segments ----

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_REMOUNT, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20, 0x4000, 1 << 18, 2
_LIBC = ctypes.CDLL(None, use_errno=True)


def unlink_queue(name):
    return _LIBC.mq_unlink(("/" + name).encode()) == 0


_QUEUES_AT = []  # where a file system of queues is mounted, for root


def _mount_queues():
    """For the guard, if it is root's: it sees queues at /mnt."""
    _LIBC.unshare(CLONE_NEWNS)
    _LIBC.mount(None, b"/", None, MS_REC | MS_PRIVATE, None)
    return _LIBC.mount(b"none", b"/mnt", b"mqueue", 0, None) == 0


def can_list_queues():
    return os.path.ismount("/dev/mqueue") or bool(_QUEUES_AT)


def _list_mqueue():
    """Names of all queues, or None without the permission to list them."""
    if os.path.ismount("/dev/mqueue"):
        return os.listdir("/dev/mqueue")
    return os.listdir(_QUEUES_AT[0]) if _QUEUES_AT else None


def queues(prefix, known=()):
    """Queues of a domain; where they cannot be listed, those of `known` that
    exist."""
    names = _list_mqueue()
    if names is not None:
        return sorted(n for n in names if n.startswith(prefix + ","))
    there = []
    for name in known:
        fd = _LIBC.mq_open(("/" + name).encode(), os.O_RDONLY)
        if fd >= 0:
            os.close(fd)
            there.append(name)
    return sorted(there)


def segments(prefix, path="/dev/shm"):
    """Names of a domain in shared memory: its folder, and what is in it."""
    found = []
    for name in os.listdir(path):
        if name.startswith(prefix + ","):
            found.append(name)
            if os.path.isdir(os.path.join(path, name)):
                found += [f"{name}/{n}"
                          for n in os.listdir(os.path.join(path, name))]
    return sorted(found)


# ---- file systems ----

_OWN_MOUNTS = []  # this process has them


def _mount(what, *args):
    if _LIBC.mount(*args) != 0:
        raise Skip(f"{what}: {os.strerror(ctypes.get_errno())}")


def _see_own_mounts():
    """This process, and what it starts from now on, see mounts of their own.
    An ordinary user may mount in a user namespace, and stays the same user."""
    uid, gid = os.geteuid(), os.getegid()
    flags = CLONE_NEWNS | (CLONE_NEWUSER if uid != 0 else 0)
    if _LIBC.unshare(flags) != 0:
        raise Skip(f"unshare: {os.strerror(ctypes.get_errno())}")
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"),
                           ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as f:
                f.write(text)
    _mount("mount --make-rprivate /", None, b"/", None, MS_REC | MS_PRIVATE,
           None)
    _OWN_MOUNTS.append(True)


@contextlib.contextmanager
def small_disk(path, size):
    """A folder is a file system of its own: `size` as in "512k". Its files are
    gone afterwards."""
    if not _OWN_MOUNTS:
        _see_own_mounts()
    _mount(f"mount a small file system at {path}", b"none", path.encode(),
           b"tmpfs", 0, f"size={size},mode=755,uid={os.geteuid()}".encode())
    try:
        yield
    finally:
        _LIBC.umount2(path.encode(), MNT_DETACH)


def resize_disk(path, size):
    """A small_disk() has this size now."""
    _mount(f"resize the file system at {path}", b"none", path.encode(),
           b"tmpfs", MS_REMOUNT, f"size={size}".encode())


# ---- clearing away ----

_AT_END = []  # what clear_up() calls


def at_end(call, *args, **kw):
    """To be called when the runner ends. It does not wait for threads, as
    atexit does."""
    _AT_END.append((call, args, kw))


def clear_up():
    """The last one first; what one raises does not keep others back."""
    while _AT_END:
        call, args, kw = _AT_END.pop()
        try:
            call(*args, **kw)
        except Exception:  # pylint: disable=broad-except
            traceback.print_exc()


_GUARD = []  # the write end of the guard's pipe


def remove_segments(prefix, shm):
    for name in reversed(segments(prefix, shm)):
        path = os.path.join(shm, name)
        if os.path.isdir(path) and not os.path.islink(path):
            os.rmdir(path)
        else:
            os.unlink(path)


def clear_away(prefix, home, shm, known=()):
    """Remove all processes, queues, segments and files of a domain."""
    for _ in range(100):
        left = pids_of(prefix)
        for pid in left:
            kill(pid)
        if not left:
            break
    for name in queues(prefix, known):
        unlink_queue(name)
    if os.path.isdir(shm):
        remove_segments(prefix, shm)
    shutil.rmtree(home, ignore_errors=True)


def start_guard():
    """Fork a process that clears away when the runner is killed. It has mounts
    of its own, with a file system of queues among them."""
    r, w = os.pipe()
    ready, tell = os.pipe()
    pid = os.fork()
    if pid != 0:
        os.close(r)
        os.close(tell)
        _GUARD.append(w)
        if os.read(ready, 1) == b"q":
            _QUEUES_AT.append(f"/proc/{pid}/root/mnt")
        os.close(ready)
        return
    os.setsid()
    os.close(w)
    os.close(ready)
    if os.geteuid() == 0 and _mount_queues():
        os.write(tell, b"q")
        _QUEUES_AT.append("/mnt")
    os.close(tell)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    with os.fdopen(r) as f:
        domains = f.read().splitlines()  # until the runner has ended
    for line in domains:
        clear_away(*line.split("\t"))
    os._exit(0)


def guard(prefix, home, shm):
    if _GUARD:
        os.write(_GUARD[0], f"{prefix}\t{home}\t{shm}\n".encode())
