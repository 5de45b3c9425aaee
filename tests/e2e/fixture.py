# SPDX-License-Identifier: Apache-2.0
"""fixture.py - a private domain for a story

    with Domain() as d:
        d.server(1, "ECHO")
        equal(d.call("ECHO", "hi").data, "hi")

Leaving the block stops the domain, and fails if a process, queue or segment
of the domain is left. Then everything is removed in any case; after a failure
the ends of all logs are printed first.
"""
import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from html import escape

import covers
import reports
from checks import equal
from machine import (BUILD, SLOW, TRANSPORT, Skip, alive, can_list_queues,
                     clear_away, guard, holds, kill, only_on, pids_of, queues,
                     remove_segments, segments, wait_end, wait_for)

__all__ = ["Domain", "Skip", "alive", "equal", "holds", "kill", "lone_user", "only_on",
           "wait_for"]


# Shorter times than the defaults, so that stories wait less.
APPCONFIG = {"sanity": "1", "restart_min": "100ms", "restart_step": "100ms",
             "restart_max": "300ms", "restart_to_check": "20"}
DEFAULTS = {"min": "1", "max": "1", "autokill": "1", "start_max": "10",
            "pingtime": "5", "ping_max": "10", "end_max": "5",
            "killtime": "200ms"}


def _elements(values):
    return "".join(f"<{k}>{escape(str(v), quote=False)}</{k}>" for k, v in values.items())


_DOWN = []  # domains of this story that `xadmin down` has removed


class Row(dict):
    """A JSON object of testcl or of a listing, its members as attributes."""
    __getattr__ = dict.__getitem__


class Client:
    """The program testcl, which reads commands line by line."""

    def __init__(self, domain, env=None, user=None):
        self.domain = domain
        self.log = open(os.path.join(domain.logs, "testcl.log"), "ab")
        self.proc = subprocess.Popen(
            [domain.program("testcl")], env={**domain.env, **(env or {})},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, bufsize=0, **domain.who(user))
        self.pid = self.proc.pid

    def begin(self, *words):
        """Give a command without waiting for its result."""
        self.proc.stdin.write((" ".join(map(str, words)) + "\n").encode())

    def end(self, seconds=20):
        """The result of the oldest command under way."""
        line = b""
        ready = select.poll()
        ready.register(self.proc.stdout, select.POLLIN)
        while not line.endswith(b"\n"):
            if not ready.poll(seconds * SLOW * 1000):
                raise AssertionError(f"client {self.pid}: no result within "
                                     f"{seconds * SLOW:g} s")
            part = os.read(self.proc.stdout.fileno(), 65536)
            if part == b"":
                raise AssertionError(f"client {self.pid} has died: "
                                     f"{self.proc.wait()}")
            line += part
        return Row(json.loads(line))

    def __call__(self, *words, seconds=20):
        self.begin(*words)
        return self.end(seconds)

    def call(self, svc, text=None, flags="-"):
        data = "-" if text is None else f"STRING:{text}"
        return self("call", svc, flags, data)

    def close(self):
        """End it by end of file; its exit status."""
        if self.proc.stdin and not self.proc.stdin.closed:
            self.proc.stdin.close()
        status = wait_end(self.proc, 20)
        self.proc.stdout.close()
        self.log.close()
        return status

    def kill(self, sig=signal.SIGKILL):
        if self.proc.poll() is None:
            kill(self.pid, sig)
        self.proc.wait()


def lone_user():
    """The user of a domain that takes all bytes in queues which the kernel lets
    a user have: where root runs the stories one who has no others, so that no
    other story finds none left; elsewhere None, the same."""
    user = 63000 + os.getpid() % 1000
    try:
        if os.geteuid() == 0:
            subprocess.run([Domain.program("mqput")], cwd="/", user=user,
                           group=user, extra_groups=[], check=False,
                           stdin=subprocess.DEVNULL, capture_output=True)
            return user
    except PermissionError:
        pass  # others cannot run what was built
    return None


class Domain:
    def __init__(self, env=None, small=True, user=None):
        """`user`: the number of the user that its programs run as, for stories
        that run as root."""
        self.user = user
        self.groups = {}  # user -> supplementary groups of its programs
        self.prefix = "t" + os.urandom(4).hex()
        self.home = tempfile.mkdtemp(prefix="ow_e2e_")
        self.logs = os.path.join(self.home, "log")
        os.mkdir(self.logs)
        if user is not None:
            os.chown(self.home, user, user)
            os.chown(self.logs, user, user)
        self.shm = (env or {}).get("NDRX_SHMPATH", "/dev/shm")
        guard(self.prefix, self.home, self.shm)
        self.procs = {}  # pid -> Popen of servers started by hand
        self.helpers = []  # other programs in the background
        self.daemons = []  # helpers that end with status 0 on SIGTERM
        self.clients = []
        self.known = set()  # names of queues seen
        # Its tables are: down cannot know all queues, and says so by exit 1.
        self.damaged = False
        self.dirty = False  # the story leaves something that `down` removes
        self.clean = False  # nothing but its files is left
        self._talker = None
        self.env = self._environment(env or {}, small)

    def _environment(self, env, small):
        e = {k: v for k, v in os.environ.items()
             if not k.startswith("NDRX_")}
        e.update({
            "NDRX_QPREFIX": "/" + self.prefix,
            "NDRX_APPHOME": self.home,
            "NDRX_ULOG": self.logs,
            "NDRX_CONFIG": os.path.join(self.home, "ndrxconfig.xml"),
            "NDRX_TOUT": "20",
            "NDRX_TRANSPORT": TRANSPORT,
            "NDRX_SILENT": "Y",
            "NDRX_DEBUG_STR": "ndrx=3 ubf=3 tp=3",
            "NDRX_COMPAT": os.environ.get("OW_COMPAT"),
            "PATH": f"{BUILD}/tests/e2e:{BUILD}/bin:/usr/bin:/bin",
            "LD_LIBRARY_PATH": f"{BUILD}/lib",
        })
        if small:
            e.update({"NDRX_MSGMAX": "4", "NDRX_MSGSIZEMAX": "512"})
        e.update(env)
        return {k: v for k, v in e.items() if v is not None}

    def segment(self, kind):
        """The path of an object of the domain in shared memory."""
        return f"{self.shm}/{self.prefix},shm/{kind}"

    def exists(self):
        """Are its tables there? A listing without them looks for a domain that
        has lost its names, in all processes of the machine."""
        return os.path.exists(self.segment("tables"))

    # ---- programs ----

    @staticmethod
    def program(name):
        for folder in ("tests/e2e", "bin"):
            path = os.path.join(BUILD, folder, name)
            if os.path.exists(path):
                return path
        raise AssertionError(f"{name} is not in {BUILD}")

    def who(self, user=None):
        """How to start a program: folder and user. Another user than the
        domain's cannot enter its folder."""
        at = {"cwd": self.home if user is None else "/"}
        user = self.user if user is None else user
        if user is not None:
            at.update(user=user, group=user,
                      extra_groups=self.groups.get(user, []))
        return at

    def run(self, *argv, env=None, seconds=30, text=None, user=None):
        """Run a program to its end."""
        env = {**self.env, **(env or {})}
        covers.note(argv, env, text)
        result, text = covers.instead(argv, text)
        return result or subprocess.run(
            [self.program(argv[0]), *map(str, argv[1:])],
            env=env, input=text, **self.who(user),
            stdin=subprocess.DEVNULL if text is None else None,
            capture_output=True, text=True, errors="replace",
            timeout=seconds * SLOW,
            check=False)

    def background(self, *argv):
        """Start a program and do not wait; killed at the end."""
        covers.note(argv, self.env)
        if covers.instead(argv)[0]:
            argv = ("testcl",)  # which ends at once
        p = subprocess.Popen(
            [self.program(argv[0]), *map(str, argv[1:])], env=self.env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, **self.who())
        self.helpers.append(p)
        return p

    def daemon(self, *argv):
        """The same for a program that ends with status 0 on SIGTERM."""
        p = self.background(*argv)
        self.daemons.append(p)
        return p

    def xadmin(self, *words, ok=True, seconds=30):
        r = self.run("xadmin", *words, seconds=seconds)
        if ok and r.returncode != 0:
            raise AssertionError(f"xadmin {' '.join(map(str, words))}: exit "
                                 f"{r.returncode}\n{r.stdout}{r.stderr}")
        return r

    def rows(self, *words):
        """Rows of a listing; none without a domain."""
        r = self.xadmin(*words, "--json", ok=False)
        return [Row(row) for row in json.loads(r.stdout or "[]")]

    def row(self, command, **want):
        """The first row with these members, or None."""
        for row in self.rows(command):
            if all(row[k] == v for k, v in want.items()):
                return row
        return None

    # ---- servers without ndrxd ----

    def spawn(self, srvid, *services, opts=(), env=None, binary="testsv",
              alone=False):
        """Start a server and do not wait. `alone`: without arguments."""
        log = os.path.join(self.logs, f"{binary}.{srvid}.log")
        with open(log, "ab") as out:
            p = subprocess.Popen(
                [self.program(binary)] if alone else
                [self.program(binary), "-i", str(srvid), *map(str, opts),
                 "--", *services], env={**self.env, **(env or {})},
                stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                **self.who())
        self.procs[p.pid] = p
        return p

    def server(self, srvid, *services, **kw):
        """Start a server and wait until it offers all its services."""
        p = self.spawn(srvid, *services, **kw)
        self.wait_ready(srvid)
        return p

    def wait_ready(self, *srvids, seconds=10):
        wanted = set(srvids)

        def ready():
            for pid, p in self.procs.items():
                if p.poll() not in (None, 0, -9):
                    raise AssertionError(f"server {pid} ended: {p.poll()}")
            # Services appear one by one: the first one is not the last.
            return self.exists() and wanted <= {
                r.srvid for r in self.rows("psc")} and wanted <= {
                    r.srvid for r in self.rows("ppm") if r.state == "runok"}
        wait_for(ready, f"servers {srvids} ready", seconds)

    def stop_server(self, p, sig=signal.SIGTERM):
        """End one by a signal; its exit status."""
        kill(p.pid, sig)
        status = wait_end(p, 15)
        self.procs.pop(p.pid, None)
        return status

    # ---- a domain with ndrxd ----

    def configure(self, *servers, settings=None, appconfig="", defaults="",
                  sections=""):
        """Write ndrxconfig.xml. A server is a dict of its elements. Its `xml`,
        `appconfig`, `defaults` and `sections` are XML text, inserted as it
        is. `settings` are elements of <appconfig>, and replace those of
        APPCONFIG and DEFAULTS."""
        given = dict(settings or {})
        general = {k: given.pop(k, v) for k, v in DEFAULTS.items()}
        xml = ["<?xml version=\"1.0\"?>\n<endurox>\n<appconfig>",
               _elements({**APPCONFIG, **given}), appconfig,
               "</appconfig>\n<defaults>", _elements(general), defaults,
               "</defaults>\n<servers>\n"]
        for s in servers:
            s = {"name": "testsv", **s}
            xml.append(f"<server name=\"{s.pop('name')}\">")
            xml.append(s.pop("xml", ""))
            xml.append(_elements(s))
            xml.append("</server>\n")
        xml.append(f"</servers>\n{sections}</endurox>\n")
        with open(self.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
            f.write(covers.configuration("".join(xml)))

    def boot(self, *servers, **kw):
        """Configure and start; `xadmin start -y` must succeed."""
        if servers:
            self.configure(*servers, **kw)
        return self.xadmin("start", "-y")

    def boot_any(self, *servers, **kw):
        """Configure and start, which may fail; the result of xadmin."""
        self.configure(*servers, **kw)
        return self.xadmin("start", "-y", ok=False)

    def ndrxd_pid(self):
        return self.rows("stat")[0].ndrxd_pid

    def kill_ndrxd(self):
        """SIGKILL, and wait until it is gone."""
        pid = self.ndrxd_pid()
        kill(pid)
        wait_for(lambda: not alive(pid), "ndrxd is dead", 30)

    def pid(self, srvid):
        """The pid of a server according to ndrxd; 0: it does not run."""
        row = self.row("ppm", srvid=srvid)
        return row.pid if row and row.state == "runok" else 0

    # ---- calls ----

    def client(self, user=None, **env):
        c = Client(self, env, user)
        self.clients.append(c)
        return c

    def call(self, svc, text=None, flags="-"):
        """A call by the client that the domain keeps for this."""
        if self._talker is None:
            self._talker = self.client()
        return self._talker.call(svc, text, flags)

    def lost_requests(self):
        """How many one-way requests the logs name as lost."""
        n = 0
        for folder in (self.logs, self.home):
            for entry in os.scandir(folder):
                if entry.is_file():
                    with open(entry.path, errors="replace") as f:
                        n += sum("one-way request" in s and " is lost" in s
                                 for s in f)
        return n

    def put(self, queue, *messages):
        """Send raw messages to a queue."""
        r = self.run("mqput", "send", f"/{self.prefix},{queue}",
                     text="".join(m.hex() + "\n" for m in messages))
        equal(r.stdout, f"ok {len(messages)}\n", "mqput")

    # ---- the end ----

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind is None:
                with covers.everything():
                    self._stop()
        except BaseException:
            self.print_logs()
            raise
        finally:
            if kind is not None and kind is not Skip:
                self.print_logs()
            self._remove()
        return False

    def _note_queues(self):
        """Their names, where the kernel does not tell which there are."""
        if can_list_queues():
            return
        self.known |= {r.queue.lstrip("/") for r in self.rows("pqa")}

    def leftovers(self):
        left = [f"process {p}" for p in pids_of(self.prefix)]
        left += [f"queue {q}" for q in queues(self.prefix, self.known)]
        left += [f"segment {s}" for s in segments(self.prefix, self.shm)]
        return left

    def close_clients(self):
        for c in self.clients:
            if c.proc.poll() is None or c.proc.returncode >= 0:
                equal(c.close(), 0, "exit status of a client")
        self.clients = []
        self._talker = None

    def _stop(self):
        """Stop the domain; anything that is left then is a failure."""
        self._note_queues()
        for p in self.daemons:
            if p.poll() is None:
                p.terminate()
                equal(p.wait(10 * SLOW), 0, "exit status of a daemon")
        if self.dirty:
            self.xadmin("down", "-y", ok=not self.damaged)
            for p in self.procs.values():
                p.wait(5 * SLOW)
        else:
            self.close_clients()
            for p in list(self.procs.values()):
                if p.poll() is None:
                    equal(self.stop_server(p), 0, "exit status of a server")
            if (self.exists() or pids_of(self.prefix)) and \
                    self.rows("stat")[0].ndrxd_running:
                self.xadmin("stop", "-y")
            else:
                equal(queues(self.prefix, self.known), [], "queues left")
                self._remove_tables()
        equal(self.leftovers(), [], "left behind")
        self.clean = True

    def _remove_tables(self):
        """`down` looks at each process of the machine, twice: once in a story
        is enough, but for builds with sanitizers."""
        if self.damaged or SLOW > 1 or not _DOWN:
            _DOWN.append(self.prefix)
            self.xadmin("down", "-y", ok=not self.damaged)
        else:
            remove_segments(self.prefix, self.shm)

    def _remove(self):
        with contextlib.suppress(OSError):  # what the story has removed
            reports.look(self.logs, self.home)
        # The number of one that has ended may be another process's by now.
        for c in self.clients:
            if c.proc.poll() is None:
                kill(c.pid)
                c.proc.wait()
        for p in [*self.procs.values(), *self.helpers]:
            if p.poll() is None:
                kill(p.pid)
                p.wait()
            if p.stderr is not None:
                p.stderr.close()
        if self.clean:  # no second look at all processes
            shutil.rmtree(self.home, ignore_errors=True)
        else:
            clear_away(self.prefix, self.home, self.shm, self.known)

    def print_logs(self):
        for name in sorted(os.listdir(self.logs)):
            path = os.path.join(self.logs, name)
            if name == "blackbox":  # no text
                continue
            with open(path, encoding="utf-8", errors="replace") as f:
                tail = f.readlines()[-25:]
            if tail:
                print(f"---- {name}", *[t.rstrip() for t in tail], sep="\n",
                      file=sys.stderr)
