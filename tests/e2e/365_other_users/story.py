# SPDX-License-Identifier: Apache-2.0
"""Two ordinary users and root on one machine: nobody reads, writes, removes,
plants, replays, signals or uses up what is another one's."""
import contextlib
import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import time

from checks import check, contains, differs, ended, equal, lacks, soon
from fixture import Domain, Skip, alive, kill, only_on, wait_for
from machine import queues, segments, unlink_queue

ALICE, BOB, ROOT = 62001, 62002, 0
_LIBC = ctypes.CDLL(None, use_errno=True)
# One that other users can run: root's own may lie in a folder of root's.
PYTHON = "/usr/bin/python3"
CLONE_NEWIPC = 0x08000000


def _alice(**kw):
    return _of(ALICE, **kw)


@contextlib.contextmanager
def _of(owner, **kw):
    """A domain of a user, in a story that root runs."""
    if os.geteuid() != 0:
        raise Skip("only root can run programs as other users")
    with Domain(user=owner, **kw) as d:
        try:
            d.run("mqput", user=BOB)
        except PermissionError:
            raise Skip(f"other users cannot read {d.program('mqput')}"
                       ) from None
        yield d


def _as(user, program, *args, **kw):
    """Run Python as a user; what it prints."""
    r = subprocess.run(
        [PYTHON, "-I", "-c", program, *map(str, args)], cwd="/",
        user=user, group=user, extra_groups=[], capture_output=True,
        text=True, timeout=60, check=False, **kw)
    equal(r.returncode, 0, r.stderr)
    return r.stdout


def _state(d):
    """What must not change when others try."""
    return {"ndrxd": d.ndrxd_pid(), "server": d.pid(1),
            "names": segments(d.prefix), "queues": queues(d.prefix),
            "orders": d.xadmin("lcf").stdout,
            "files": {os.path.join(folder, n): os.stat(
                os.path.join(folder, n)).st_uid
                for folder, _, names in os.walk(d.home) for n in names}}


def _owners(d):
    folder = os.path.dirname(d.segment("tables"))
    return {os.stat(os.path.join(folder, n)).st_uid
            for n in (".", *os.listdir(folder))}


# ---- the programs of Onewake ----

COMMANDS = (("psc",), ("ppm",), ("pqa",), ("pqa", "-a"), ("shms",), ("lcf",),
            ("lcf", "logchg", "-A", "tp=5"), ("lcf", "logrotate", "-a"),
            ("stop", "-y"), ("stop", "-y", "-i", "1", "-k"), ("down", "-y"),
            ("udown", "-y"), ("idle",), ("start", "-y"), ("reload",),
            ("restart", "-y", "-i", "1"), ("unadv", "-i", "1", "-s", "ECHO"),
            ("qrm", "svc,ECHO"), ("qrmall", "ECHO"), ("qrmall", "-f", "ECHO"),
            ("killall", "testsv"), ("stat",), ("ldcf",), ("psvc",), ("psrv",),
            ("dping", "-c", "1"), ("dpid",), ("pq",), ("psg",), ("pc",),
            ("bc", "-t", "A"), ("sc", "-t", "A"), ("rc", "-t", "A"),
            ("shmcfg",), ("sreload", "-y"), ("cabort", "-y"), ("doctor",),
            ("readv", "-i", "1", "-s", "ECHO"), ("dsleep", "1"), ("cat",),
            ("clients",), ("appconfig", "sanity", "9"))


def _shown(user):
    """A user in a message."""
    return "root (0)" if user == ROOT else str(user)


def _programs_are_refused(d, user):
    """Each program says whose domain it is, and ends."""
    owner = _shown(d.user)
    start = time.monotonic()
    r = d.client(user=user).call("ECHO", "x")
    equal((r.ret, r.err), (-1, "TPEPERM"), r.text)
    contains(r.text, owner)
    soon((time.monotonic() - start) * 1000, 5000, "a refused call")
    ended(d.run("testsv", "-i", "9", "--", "ECHO", user=user), 1, owner)
    ended(d.run("ndrxd", user=user), 1, "ndrxd: ")
    # Root can read the file of the history, as any file.
    for command in COMMANDS + ((("events",),) if user != ROOT else ()):
        r = d.run("xadmin", *command, user=user)
        differs(r.returncode, 0, f"user {user}: xadmin {command}")
        contains(r.stdout + r.stderr, owner, f"xadmin {command}")
    for words in (("ndrxtop", "-b", "-n", "1"), ("ndrxmetrics", "-1"),
                  ("ndrxmetrics",)):
        ended(d.run(*words, user=user), 1, owner)


def test_every_program_of_another_user_is_refused_and_told_whose_domain_it_is():
    for owner in (ALICE, BOB, ROOT):
        with _of(owner) as d:
            d.boot({"srvid": 1, "appopt": "ECHO"})
            c = d.client()
            equal(c.call("ECHO", "before").data, "before")
            before = _state(d)
            for user in {ALICE, BOB, ROOT} - {owner}:
                _programs_are_refused(d, user)
            equal(_state(d), before)
            equal(_owners(d), {owner}, "owners of the domain's names")
            equal(c.call("ECHO", "after").data, "after")

WRITE_LOGS = """
import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.tplog(2, b"a line of a program")
lib.userlog_const(b"a line for operators")
"""


def test_logs_that_root_begins_belong_to_the_user_of_their_folder():
    """The next line of the user's own programs would have no file."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    with _alice(env={"NDRX_DEBUG_STR": "ndrx=5 tp=5 file=${NDRX_APPHOME}/"
                                       "log/all.log"}) as d:
        lib = f"{d.env['LD_LIBRARY_PATH']}/libatmi.so"
        for user in (ROOT, ALICE):
            _as(user, WRITE_LOGS, lib, env=d.env)
        names = os.listdir(d.logs)
        equal({n: os.stat(f"{d.logs}/{n}").st_uid for n in names},
              {n: ALICE for n in names})
        equal(len(names), 2, "the log and that for operators")
        for name in names:
            with open(f"{d.logs}/{name}", encoding="utf-8") as f:
                equal(len(f.readlines()), 2, name)


def test_root_is_told_how_to_run_as_that_user():
    with _alice() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        r = d.run("xadmin", "psc", user=ROOT)
        contains(r.stderr, f"setpriv --reuid={ALICE}")
        contains(r.stderr, "root (0)")


def test_ndrxd_hangs_up_on_root():
    with _alice() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.connect(os.path.join(d.home, "run", "ndrxd.sock"))
            s.settimeout(10)
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                s.send(bytes(64))
                equal(s.recv(100), b"", "end of file")
        wait_for(lambda: "belongs to user root (0)" in _log(d),
                 "the log of ndrxd names root")
        equal(d.call("ECHO", "x").data, "x")


def _log(d):
    with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8") as f:
        return f.read()


# ---- by hand ----

# Tries each verb on each object of a domain, by hand. Prints (verb, object,
# result) of each. `only`: these verbs.
ATTACK = """
import ctypes, errno, fcntl, json, os, resource, signal, socket, sys
spec, only = map(json.loads, sys.argv[1:])
libc = ctypes.CDLL(None, use_errno=True)
results = []

def attempt(verb, kind, fn, *args):
    if only and verb not in only:
        return
    try:
        fn(*args)
        said = "done"
    except OSError as e:
        said = errno.errorcode[e.errno]
    results.append((verb, kind, said))

def checked(r):
    if r < 0:
        raise OSError(ctypes.get_errno(), "")
    return r

def opened(path, flags):
    os.close(os.open(path, flags | os.O_NONBLOCK))

def lock(path):
    fcntl.flock(os.open(path, os.O_RDONLY | os.O_NONBLOCK),
                fcntl.LOCK_EX | fcntl.LOCK_NB)

def append(path):
    os.write(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK), b"x")

def queue(name, flags):
    return checked(libc.mq_open(name.encode(), flags | os.O_NONBLOCK, 0o600,
                                None))

def send(name, times):
    q = queue(name, os.O_WRONLY)
    for _ in range(times):
        checked(libc.mq_send(q, bytes(128), 128, 200))

def memory(pid, mode):
    open(f"/proc/{pid}/mem", mode).close()

def connect(path, packet=None, times=1):
    for _ in range(times):
        s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        s.connect(path)
        if packet is not None:
            s.send(packet)
        results.append(s) if times > 1 else s.close()

def on_file(kind, path):
    attempt("read", kind, opened, path, os.O_RDONLY)
    attempt("write", kind, opened, path, os.O_RDWR)
    if kind != "bell":  # a FIFO has no size
        attempt("write", kind, os.truncate, path, 0)
        attempt("exhaust", kind, os.truncate, path, 1 << 30)
    attempt("write", kind, os.chmod, path, 0o666)
    attempt("delete", kind, os.unlink, path)
    attempt("delete", kind, os.rename, path, path + ".x")
    attempt("plant", kind, os.link, path, path + ".y")
    attempt("plant", kind, os.symlink, "/dev/null", path + ".z")
    attempt("replay", kind, append, path)
    attempt("exhaust", kind, lock, path)

def on_folder(kind, path):
    attempt("read", kind, os.listdir, path)
    attempt("write", kind, os.chmod, path, 0o777)
    attempt("delete", kind, os.rmdir, path)
    attempt("delete", kind, os.rename, path, path + ".x")
    attempt("plant", kind, os.mkfifo, path + "/bell,ECHO2")
    attempt("plant", kind, os.mkdir, path + "/x")
    attempt("exhaust", kind, lock, path)

def on_queue(name):
    attempt("read", "queue", queue, name, os.O_RDONLY)
    attempt("write", "queue", queue, name, os.O_RDWR)
    attempt("plant", "queue", queue, name, os.O_RDWR | os.O_CREAT)
    attempt("replay", "queue", send, name, 1)
    attempt("exhaust", "queue", send, name, 1000)
    attempt("delete", "queue",
            lambda: checked(libc.mq_unlink(name.encode())))

def on_process(pid):
    attempt("read", "process", memory, pid, "rb")
    attempt("read", "process", open, f"/proc/{pid}/environ", "rb")
    attempt("write", "process", memory, pid, "r+b")
    attempt("plant", "process", lambda: checked(
        libc.ptrace(0x4206, pid, None, None)))  # PTRACE_SEIZE
    attempt("exhaust", "process", resource.prlimit, pid,
            resource.RLIMIT_NOFILE, (0, 0))
    attempt("signal", "process", os.kill, pid, 0)
    attempt("signal", "process", os.kill, pid, signal.SIGSTOP)
    attempt("signal", "process", signal.pidfd_send_signal,
            os.pidfd_open(pid), signal.SIGTERM)
    attempt("delete", "process", os.kill, pid, signal.SIGKILL)

def on_control(path):
    attempt("read", "control", connect, path)
    attempt("write", "control", connect, path, bytes(64))
    attempt("replay", "control", connect, path, bytes.fromhex(spec["packet"]))
    attempt("exhaust", "control", connect, path, None, 100)
    attempt("delete", "control", os.unlink, path)
    attempt("plant", "control", os.symlink, "/dev/null", path + ".z")

for kind, path in spec["folders"]:
    on_folder(kind, path)
for kind, path in spec["files"]:
    on_file(kind, path)
for name in spec["queues"]:
    on_queue("/" + name)
for pid in spec["processes"]:
    on_process(pid)
on_control(spec["control"])
print(json.dumps([r for r in results if isinstance(r, tuple)]))
"""
ALL = {"read", "write", "delete", "plant", "replay", "exhaust"}
# Each verb is tried on each of these.
TRIED = {"folder": ALL - {"replay"}, "run": ALL - {"replay"},
         "process": ALL - {"replay"} | {"signal"}, "control": ALL,
         "tables": ALL, "blocks": ALL, "events": ALL, "log": ALL,
         "ndrxd.pid": ALL, "clients": ALL, "in_force.xml": ALL,
         "history.log": ALL}
TRIED_ON = {"posix": {"queue": ALL, "bell": ALL},
            "shm": {"mail": ALL, "q": ALL}}
# A packet that ndrxd obeys when its user sends it: CMD, `down`.
DOWN = struct.pack("<IHHIIIIII64s256s", 0x4c54574f, 1, 10, 352, 1, 11, 0, 0, 0,
                   b"", b"")


# Of careless folders: what mode 755 and 644 mean. Nobody waits for a lock.
OPEN = {(verb, kind, "done") for verb in ("read", "exhaust")
        for kind in ("folder", "history.log")}


def _targets(d, pids):
    """The objects of a domain."""
    folder, run = os.path.dirname(d.segment("tables")), f"{d.home}/run"
    return {"folders": [("folder", folder), ("run", run)],
            "files": [(n.split(",")[0], f"{folder}/{n}")
                      for n in os.listdir(folder)]
                     + [(n, f"{run}/{n}") for n in os.listdir(run)
                        if n != "ndrxd.sock"]
                     + [("history.log", f"{d.home}/log/history.log")],
            "queues": queues(d.prefix), "processes": pids,
            "control": f"{run}/ndrxd.sock", "packet": DOWN.hex()}


def _attack(user, targets, *only):
    """What a user gets from each verb on each object."""
    return [tuple(r) for r in json.loads(_as(
        user, ATTACK, json.dumps(targets), json.dumps(only)))]


@contextlib.contextmanager
def _careless(d):
    """Its user lets everybody into the folders: the objects stay closed."""
    folders = (d.home, os.path.dirname(d.segment("tables")))
    for folder in folders:
        os.chmod(folder, 0o755)
    try:
        yield
    finally:
        for folder in folders:
            os.chmod(folder, 0o700)


def test_nobody_gets_at_what_is_anothers_by_hand():
    for owner in (ALICE, BOB, ROOT):
        with _of(owner) as d:
            d.boot({"srvid": 1, "appopt": "ECHO"})
            c = d.client()
            equal(c("call", "ECHO", "-", "CARRAY:#100000").err, "OK")
            d.xadmin("lcf", "logchg", "-A", "tp=3")
            before = _state(d)
            targets = _targets(d, [before["ndrxd"], before["server"], c.pid])
            # The attack works: the owner may do all of it.
            done = {r[:2] for r in _attack(owner, targets, "read")
                    if r[2] == "done"}
            wanted = {**TRIED, **TRIED_ON[d.env["NDRX_TRANSPORT"]]}
            if not queues(d.prefix):
                wanted.pop("queue", None)  # they cannot be listed here
            for kind in wanted:
                contains(done, ("read", kind), "what the owner can do")
            for user in {ALICE, BOB} - {owner}:
                tried = _attack(user, targets)
                with _careless(d):
                    tried += [r for r in _attack(user, targets)
                              if r not in OPEN]
                equal({r for r in tried if r[2] not in ("EACCES", "EPERM")},
                      set(), f"what user {user} could do to user {owner}")
                for kind, verbs in wanted.items():
                    equal({r[0] for r in tried if r[1] == kind}, verbs,
                          f"tried on {kind}")
            equal(_state(d), before)
            equal(c.call("ECHO", "after").data, "after")


def test_a_queue_planted_beside_a_running_domain_stops_only_its_service():
    only_on("posix", "queues of shm lie in the domain's folder")
    with _alice() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        name = f"{d.prefix},svc,UPPER"
        _as(BOB, PLANT_QUEUE, "/" + name, "666")
        try:
            p = d.run("testsv", "-i", "9", "--", "UPPER")
            ended(p, 1)
            contains(p.stderr + _server_log(d), name)
            contains(p.stderr + _server_log(d), str(BOB))
            equal(d.call("ECHO", "x").data, "x")
            equal(d.call("UPPER", "x").err, "TPENOENT")
        finally:
            check(unlink_queue(name), "the queue was there")
        d.server(9, "UPPER")
        equal(d.call("UPPER", "x").data, "X")


# ---- planted before the domain makes its own ----

PLANT_FOLDER = """
import os, sys
os.umask(0)
folder, names = sys.argv[1], sys.argv[2:]
os.mkdir(folder, 0o777)
for name in names:
    with open(os.open(folder + "/" + name, os.O_CREAT | os.O_RDWR, 0o666),
              "wb") as f:
        f.truncate(1 << 30)
"""


def test_a_planted_folder_is_refused_with_the_name_of_its_owner():
    with _alice() as d:
        folder = os.path.dirname(d.segment("tables"))
        for planter, victim in ((BOB, ALICE), (BOB, ROOT), (ROOT, ALICE)):
            _as(planter, PLANT_FOLDER, folder, "tables", "blocks", "mail",
                "events", "q,ECHO", "log")
            try:
                p = d.run("testsv", "-i", "9", "--", "ECHO", user=victim)
                ended(p, 1, folder, f"({planter})" if planter == ROOT
                      else str(planter))
                r = d.client(user=victim).call("ECHO", "x")
                equal(r.err, "TPEPERM", r.text)
                differs(d.run("xadmin", "down", "-y",
                              user=victim).returncode, 0, "down")
                equal(sorted(os.listdir(folder)),
                      ["blocks", "events", "log", "mail", "q,ECHO", "tables"])
            finally:
                subprocess.run(["rm", "-r", folder], check=True)
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.call("ECHO", "x").data, "x")


def test_a_planted_link_is_refused():
    with _alice() as d:
        folder = os.path.dirname(d.segment("tables"))
        own = os.path.join(d.home, "own")
        _as(ALICE, "import os, sys; os.mkdir(sys.argv[1], 0o700)", own)
        _as(BOB, "import os, sys; os.symlink(*sys.argv[1:])", own, folder)
        try:
            ended(d.run("testsv", "-i", "9", "--", "ECHO"), 1, folder,
                  str(BOB))
            equal(os.listdir(own), [], "made behind the link")
        finally:
            os.unlink(folder)

PLANT_QUEUE = """
import ctypes, os, sys
class Attr(ctypes.Structure):
    _fields_ = [(n, ctypes.c_long) for n in ("flags", "maxmsg", "msgsize",
                                             "curmsgs", "a", "b", "c", "d")]
os.umask(0)
libc = ctypes.CDLL(None, use_errno=True)
a = Attr(0, 4, 512)
fd = libc.mq_open(sys.argv[1].encode(), os.O_CREAT | os.O_EXCL | os.O_RDWR,
                  int(sys.argv[2], 8), ctypes.byref(a))
sys.exit(fd < 0)
"""


def test_a_planted_queue_is_neither_used_nor_removed():
    only_on("posix", "queues of shm lie in the domain's folder")
    with _alice() as d:
        name = f"{d.prefix},svc,ECHO"
        for mode, word in (("666", str(BOB)), ("600", "another")):
            for victim in (ALICE, ROOT):
                _as(BOB, PLANT_QUEUE, "/" + name, mode)
                try:
                    p = d.run("testsv", "-i", "9", "--", "ECHO", user=victim)
                    ended(p, 1)
                    contains(p.stderr + _server_log(d), name)
                    if victim == ALICE:
                        contains(p.stderr + _server_log(d), word)
                    d.run("xadmin", "down", "-y", user=victim)
                    equal(queues(d.prefix), [name], "Bob's queue")
                finally:
                    check(unlink_queue(name), "the queue was there")
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.call("ECHO", "x").data, "x")


def _server_log(d):
    text = ""
    for name in os.listdir(d.logs):
        with open(os.path.join(d.logs, name), encoding="utf-8") as f:
            text += f.read()
    return text

LISTEN = """
import os, socket, sys
folder = sys.argv[1]
os.mkdir(folder)
os.chmod(folder, 0o777)
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(folder + "/ndrxd.sock")
os.chmod(folder + "/ndrxd.sock", 0o777)
s.listen()
print("listens", flush=True)
sys.stdin.read()
"""


def test_an_impostor_at_the_control_socket_is_refused():
    with _alice() as d:
        os.chmod(d.home, 0o777)  # a careless folder
        run = os.path.join(d.home, "run")
        with subprocess.Popen(
                [PYTHON, "-I", "-c", LISTEN, run], user=BOB,
                group=BOB, extra_groups=[], cwd="/", text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bob:
            try:
                equal(bob.stdout.readline(), "listens\n")
                d.configure({"srvid": 1, "appopt": "ECHO"})
                for command in (("ppm",), ("start", "-y"), ("idle",)):
                    r = d.xadmin(*command, ok=False)
                    differs(r.returncode, 0, f"xadmin {command}")
                    contains(r.stderr, str(BOB), f"xadmin {command}")
                ended(d.run("ndrxd"), 1, run, str(BOB))
            finally:
                bob.stdin.close()
        subprocess.run(["rm", "-r", run], check=True)
        d.boot({"srvid": 1, "appopt": "ECHO"})
        equal(d.call("ECHO", "x").data, "x")


# ---- signals ----

CLAIM = """
import os, subprocess, sys
if "NDRX_CLTPID" not in os.environ:
    os.environ.update(NDRX_QPREFIX=sys.argv[1], NDRX_CLTTAG="a",
                      NDRX_CLTSUBSECT="b", NDRX_CLTPID=str(os.getpid()))
    os.execv(sys.executable, [sys.executable, "-I", "-c", sys.argv[2],
                              *sys.argv[1:]])
print("claims", flush=True)
sys.stdin.read()
"""


def test_root_kills_nobody_who_claims_to_be_of_its_domain():
    if os.geteuid() != 0:
        raise Skip("only root can run programs as other users")
    with Domain() as d:  # root's own
        d.boot({"srvid": 1, "appopt": "ECHO"})
        with subprocess.Popen(
                [PYTHON, "-I", "-c", CLAIM, "/" + d.prefix, CLAIM],
                user=BOB, group=BOB, extra_groups=[], cwd="/", text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bob:
            equal(bob.stdout.readline(), "claims\n")
            r = d.xadmin("down", "-y")
            contains(r.stderr, "is down")
            check(alive(bob.pid), "Bob's process lives")
            bob.stdin.close()
        equal(bob.wait(), 0, "Bob's process ended by itself")


def test_root_kills_nobody_whom_the_tables_of_a_user_name():
    with _alice() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        victim = subprocess.Popen(["sleep", "1000"])
        try:
            # Alice writes root's process into a server slot: `down` of root
            # would have killed it.
            with open(d.segment("tables"), "r+b", buffering=0) as f:
                at = _find(f, d.pid(1).to_bytes(4, "little"))
                f.seek(at)
                f.write(victim.pid.to_bytes(4, "little"))
                for command in (("down", "-y"), ("udown", "-y"),
                                ("stop", "-y")):
                    r = d.run("xadmin", *command, user=ROOT)
                    differs(r.returncode, 0, f"xadmin {command}")
                check(victim.poll() is None, "the process lives")
                f.seek(at)
                f.write(d.pid(1).to_bytes(4, "little"))
        finally:
            kill(victim.pid, signal.SIGKILL)
            victim.wait()


def _find(f, word):
    """Where `word` is in a sparse file."""
    at = 0
    while True:
        at = os.lseek(f.fileno(), at, os.SEEK_DATA)
        f.seek(at)
        page = f.read(4096)
        if word in page:
            return at + page.index(word)
        at += 4096


# ---- what all share ----

FILL_QUEUES = PLANT_QUEUE.split("a = Attr")[0] + """
a = Attr(0, 1, 1)
n = 0
while libc.mq_open(f"/bob{n}".encode(), os.O_CREAT | os.O_EXCL, 0o600,
                   ctypes.byref(a)) >= 0:
    n += 1
    libc.close(3)
print(n)
"""


def test_queues_used_up_by_another_user_are_named_and_calls_go_on():
    only_on("posix", "shm has no such limit")
    with _alice() as d:
        # A space of names of its own: its limit concerns no other test.
        if _LIBC.unshare(CLONE_NEWIPC) != 0:
            raise Skip("unshare(CLONE_NEWIPC): "
                       + os.strerror(ctypes.get_errno()))
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = d.client()
        equal(c.call("ECHO", "before").data, "before")
        check(int(_as(BOB, FILL_QUEUES)) > 0, "Bob made queues")
        equal(c.call("ECHO", "after").data, "after")
        p = d.run("testsv", "-i", "9", "--", "UPPER")
        ended(p, 1)
        contains(p.stderr + _server_log(d), "limits on POSIX queues")
        r = d.xadmin("doctor", ok=False)
        contains(r.stdout, "queue")
        lacks(r.stdout, "FAIL  tables")


def test_memory_used_up_by_another_user_is_named_and_calls_go_on():
    if os.geteuid() != 0:
        raise Skip("only root may mount a small file system")
    path = f"/tmp/ow_shared_{os.getpid()}"
    os.mkdir(path)
    try:
        r = subprocess.run(["mount", "-t", "tmpfs", "-o",
                            "size=4m,mode=1777", "none", path],
                           capture_output=True, text=True, check=False)
        if r.returncode != 0:
            raise Skip(f"mount: {r.stderr.strip()}")
        try:
            _fill_memory(path)
        finally:
            subprocess.run(["umount", path], check=True)
    finally:
        os.rmdir(path)


def _fill_memory(path):
    with _alice(env={"NDRX_SHMPATH": path}) as d:
        d.server(1, "ECHO")
        c = d.client()
        equal(c.call("ECHO", "before").data, "before")
        _as(BOB, "import sys\n"
                 "f = open(sys.argv[1], 'wb', buffering=0)\n"
                 "try:\n"
                 "    while True: f.write(bytes(4096))\n"
                 "except OSError: pass\n", f"{path}/bob")
        r = c("call", "ECHO", "-", "CARRAY:#1000000")
        equal(r.err, "TPEOS", r.text)
        contains(r.text, path)
        equal(c.call("ECHO", "after").data, "after")
        os.unlink(f"{path}/bob")
