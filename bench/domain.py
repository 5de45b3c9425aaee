# SPDX-License-Identifier: Apache-2.0
"""domain.py - a private domain for one measurement

It has a random prefix and a temporary application home, and shares nothing
with other domains of the machine. close() leaves no process, queue, segment or
file in any case: processes are found by the prefix in their environment, so
that no other process is hit. NDRX_* variables of who runs it do not reach it;
EXPERIMENT does.
"""
import ctypes
import json
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import time

CONFIG = """<?xml version="1.0"?>
<endurox>
	<appconfig>
		<sanity>1</sanity>
		<restart_min>{restart}</restart_min>
		<restart_step>1</restart_step>
		<restart_max>5</restart_max>
		<restart_to_check>20</restart_to_check>
	</appconfig>
	<defaults>
		<min>{count}</min>
		<max>{count}</max>
		<autokill>1</autokill>
		<start_max>30</start_max>
		<pingtime>{ping}</pingtime>
		<ping_max>30</ping_max>
		<end_max>5</end_max>
		<killtime>1</killtime>
	</defaults>
	<servers>
		<server name="{server}">
			<srvid>1</srvid>
			<sysopt>-e ${{NDRX_APPHOME}}/log/{server}.log</sysopt>
			<mindispatchthreads>{threads}</mindispatchthreads>
		</server>
	</servers>
</endurox>
"""


# What an experiment sets in every domain: bench/run --set.
EXPERIMENT = {}


class DomainFailed(Exception):
    """A command of the domain failed; the text says which and why."""


def queue_exists(name):
    """Is there a message queue of this name?"""
    librt = ctypes.CDLL(None, use_errno=True)
    fd = librt.mq_open(name.encode(), os.O_RDONLY | os.O_NONBLOCK)
    if fd < 0:
        return False
    os.close(fd)
    return True


class Domain:
    """Use as a context manager: created on entry, removed at the end."""

    def __init__(self, bin_folder, server="banksv", count=250, restart=1,
                 ping=10, env=None, threads=1, folder=None):
        self.bin = bin_folder
        self.count = count
        self.prefix = "owb" + secrets.token_hex(4)
        self.home = tempfile.mkdtemp(prefix=self.prefix + "-", dir=folder)
        self.queues = set()
        self.env = {k: v for k, v in os.environ.items()
                    if not k.startswith("NDRX_")}
        self.settings = {
            "NDRX_QPREFIX": "/" + self.prefix,
            "NDRX_APPHOME": self.home,
            "NDRX_CONFIG": os.path.join(self.home, "ndrxconfig.xml"),
            "NDRX_ULOG": os.path.join(self.home, "log"),
            "PATH": bin_folder + ":" + os.environ.get("PATH", "/usr/bin"),
        }
        self.settings.update(env or {})
        self.settings.update(EXPERIMENT)
        self.env.update(self.settings)
        for name in ("log", "run"):
            os.mkdir(os.path.join(self.home, name))
        with open(self.settings["NDRX_CONFIG"], "w") as f:
            f.write(CONFIG.format(server=server, count=count,
                                  restart=restart, ping=ping,
                                  threads=threads))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- commands ----

    def xadmin(self, *words, timeout=120):
        """Run one command of xadmin: its standard output."""
        done = subprocess.run([os.path.join(self.bin, "xadmin"), *words],
                              env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, errors="replace", timeout=timeout,
                              check=False)
        if done.returncode != 0:
            raise DomainFailed("xadmin %s: %s\n%s" % (
                " ".join(words), (done.stderr + done.stdout)[-600:].strip(),
                self.log_tail(2)))
        return done.stdout

    def start(self):
        """Start ndrxd and all servers; seconds until all were ready."""
        begun = time.monotonic()
        self.xadmin("start", "-y")
        took = time.monotonic() - begun
        ready = len(self.servers())
        if ready != self.count:
            raise DomainFailed("%d of %d servers started; see %s/log" % (
                ready, self.count, self.home))
        return took

    def stop(self):
        """Stop everything; seconds until all had ended."""
        self.note_queues()
        begun = time.monotonic()
        self.xadmin("stop", "-y")
        return time.monotonic() - begun

    def servers(self):
        """Rows of `xadmin ppm`, for the servers that run."""
        rows = json.loads(self.xadmin("ppm", "--json") or "[]")
        return [r for r in rows if r.get("pid", 0) > 0]

    def run(self, program, *words):
        """Run a driver in this domain: the JSON object it prints."""
        done = subprocess.run(self.command(program, *words), env=self.env,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=False)
        try:
            return json.loads(done.stdout)
        except ValueError:
            raise DomainFailed("%s ended with status %d" % (
                program, done.returncode)) from None

    def command(self, program, *words):
        """The command line of a driver."""
        return [os.path.join(self.bin, program), *map(str, words)]

    def log_tail(self, lines=15):
        """The last lines of each log file, for a failure to be understood."""
        tail = []
        folder = os.path.join(self.home, "log")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), errors="replace") as f:
                tail += ["%s: %s" % (name, line.rstrip())
                         for line in f.readlines()[-lines:]]
        return "\n".join(tail) or "the log is empty"

    # ---- the end ----

    def note_queues(self):
        """Remember the names of the queues, to look for them later."""
        try:
            rows = json.loads(self.xadmin("pqa", "--json") or "[]")
        except (DomainFailed, ValueError, subprocess.TimeoutExpired):
            return
        self.queues.update(r["queue"] for r in rows)

    def processes(self):
        """Processes that have this domain's prefix in their environment."""
        mark = ("NDRX_QPREFIX=/" + self.prefix).encode()
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/environ" % name, "rb") as f:
                    if mark in f.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                continue  # gone, or somebody else's
        return [p for p in found if p != os.getpid()]

    def leftovers(self):
        """What still exists of the domain, in words; the home excepted."""
        left = ["process %d" % p for p in self.processes()]
        left += ["segment " + n for n in os.listdir("/dev/shm")
                 if n.startswith(self.prefix + ",")]
        names = set(self.queues)
        if os.path.isdir("/dev/mqueue"):
            names.update("/" + n for n in os.listdir("/dev/mqueue")
                         if n.startswith(self.prefix + ","))
        left += ["queue " + n for n in sorted(names) if queue_exists(n)]
        if os.path.exists(os.path.join(self.home, "run", "ndrxd.sock")):
            left.append("socket run/ndrxd.sock")
        return left

    def kill_processes(self):
        """End what is left, by process id."""
        for _ in range(20):
            pids = self.processes()
            if not pids:
                return
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.05)

    def close(self):
        """Remove everything, in whatever state it is. No interruption."""
        old = [(s, signal.signal(s, signal.SIG_IGN))
               for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
        try:
            if self.leftovers():
                self.note_queues()
                try:
                    self.xadmin("down", "-y", timeout=30)
                except (DomainFailed, OSError, subprocess.TimeoutExpired):
                    pass
            self.kill_processes()
            self.remove_names()
            shutil.rmtree(self.home, ignore_errors=True)
        finally:
            for number, handler in old:
                signal.signal(number, handler)

    def remove_names(self):
        """Queues and segments that `xadmin down` did not remove."""
        librt = ctypes.CDLL(None, use_errno=True)
        for name in self.queues:
            librt.mq_unlink(name.encode())
        for name in os.listdir("/dev/shm"):
            if name.startswith(self.prefix + ","):
                shutil.rmtree(os.path.join("/dev/shm", name),
                              ignore_errors=True)


def exit_on_signals():
    """Let SIGTERM and SIGHUP end the program as Ctrl-C does: cleanly."""
    def leave(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGHUP, leave)
