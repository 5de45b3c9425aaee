# SPDX-License-Identifier: Apache-2.0
"""schedule.py - run tests of a build folder beside each other, as many as the
CPUs have time for

Tests mostly wait, some compute: a fixed number of them leaves CPUs idle at one
time, and makes deadlines pass at another. So few run always (`least`), and one
more begins when CPUs are idle, up to `most`. What else runs on the machine
makes them fewer.

ctest knows the tests (`ctest --show-only`) and takes part in no run. Of their
properties these count:

    COST              seconds, about: the longest begin first. What the last run
                      of the build folder measured is known better
    PROCESSORS        counts as so many tests: it begins when so many might, or
                      alone; shorter ones do not take that room first
    RESOURCE_GROUPS   queue_bytes: thousands of the bytes of POSIX queues that
                      the kernel gives to a user. Where one waits for them no
                      shorter one takes them first
    RUN_SERIAL        alone, at the end
    TIMEOUT, ENVIRONMENT, WORKING_DIRECTORY, SKIP_RETURN_CODE

A test is a group of processes, and ends with its first one: what others of the
group are left is killed. When its time is over, or that of this process, it is
told so (SIGTERM: stories end their domains), and killed END seconds later, times
OW_SLOW of its environment.
"""
import contextlib
import dataclasses
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time

# Of the 819,200 bytes; tests that take few do not say it.
QUEUE_KB = 770
# How often it is seen whether CPUs are idle, and how many of them must be: now,
# and on average over the last second, in which a test may just have begun.
TICK, NOW, LATELY = 0.1, 0.3, 0.15
END = 15
LIMIT = 1500  # seconds, of a test without TIMEOUT
# Open files of this process: two of each test that runs, and what else may be open.
FILES, SPARE = 2, 8
OUTPUT = 2_000_000  # bytes, of which the beginning and the end stay


@dataclasses.dataclass
class Case:
    """One test, as CMake describes it."""
    name: str
    command: list
    folder: str
    environment: dict
    cost: float = 0
    weight: int = 1
    queue_kb: int = 0
    serial: bool = False
    timeout: float = LIMIT
    skip: int = None


@dataclasses.dataclass
class Ended:
    """How a test has ended: passed, failed or skipped, and why it failed."""
    case: Case
    kind: str
    why: str
    begun: float  # of the monotonic clock
    ended: float
    output: str


def cases(build, filters, took=None):
    """The tests of a build folder that filters of ctest choose; took: name ->
    seconds of the last run."""
    said = json.loads(subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1", *filters],
        check=True, stdout=subprocess.PIPE).stdout)
    return [case(test, took or {}) for test in said["tests"]]


def case(test, took):
    of = {p["name"]: p["value"] for p in test["properties"]}
    needs = [r["slots"] for group in of.get("RESOURCE_GROUPS", ())
             for r in group["requirements"]]
    return Case(test["name"], test.get("command"), of["WORKING_DIRECTORY"],
                dict(e.split("=", 1) for e in of.get("ENVIRONMENT", ())),
                cost=took.get(test["name"], of.get("COST", 0)),
                weight=of.get("PROCESSORS", 1), queue_kb=sum(needs),
                serial=of.get("RUN_SERIAL", False),
                timeout=of.get("TIMEOUT", LIMIT),
                skip=of.get("SKIP_RETURN_CODE"))


def cpu_time():
    """Of all CPUs of the machine: (all, idle) in ticks."""
    with open("/proc/stat", encoding="ascii") as f:
        ticks = [int(n) for n in f.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


class Cpus:
    """How many of them are idle."""

    def __init__(self):
        self.number = os.cpu_count()
        self.seen = [cpu_time()]

    def _idle_since(self, then):
        whole, idle = (a - b for a, b in zip(self.seen[-1], then))
        return self.number * idle / whole if whole else 0

    def look(self):
        """Each TICK: have they time for one more test?"""
        self.seen = [*self.seen[-round(1 / TICK):], cpu_time()]
        return self._idle_since(self.seen[-2]) >= NOW and \
            self._idle_since(self.seen[0]) >= LATELY


class Process:
    """A test that runs."""

    def __init__(self, this):
        self.case, self.begun, self.late = this, time.monotonic(), False
        self.deadline = self.begun + this.timeout
        env = {**os.environ, **this.environment}
        self.to_clear = END * float(env.get("OW_SLOW", "1"))
        with contextlib.ExitStack() as undo:
            self.said = undo.enter_context(tempfile.TemporaryFile())
            # pylint: disable-next=consider-using-with
            self.proc = subprocess.Popen(
                this.command, cwd=this.folder, stdin=subprocess.DEVNULL,
                stdout=self.said, stderr=subprocess.STDOUT, env=env,
                start_new_session=True)
            undo.callback(self.proc.wait)
            undo.callback(self.kill)
            self.pidfd = os.pidfd_open(self.proc.pid)
            undo.pop_all()

    def stop(self):
        os.kill(self.proc.pid, signal.SIGTERM)

    def kill(self):
        """All of its group; nobody else has its number before it is waited for."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.proc.pid, signal.SIGKILL)

    def look(self, now):
        """Its time may be over."""
        if now > self.deadline:
            (self.kill if self.late else self.stop)()
            self.late, self.deadline = True, now + self.to_clear

    def ended(self):
        """Has its first process ended? It stays a zombie."""
        return os.waitid(os.P_PID, self.proc.pid,
                         os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def end(self):
        """None: it has not ended."""
        if not self.ended():
            return None
        self.kill()
        self.proc.wait()
        os.close(self.pidfd)
        kind, why = self._judge()
        with self.said:
            return Ended(self.case, kind, why, self.begun, time.monotonic(),
                         text_of(self.said))

    def _judge(self):
        status = self.proc.returncode
        if self.late:
            return "failed", f"its {self.case.timeout:g} s are over"
        if status < 0:
            return "failed", signal.Signals(-status).name
        if status and status == self.case.skip:
            return "skipped", ""
        return ("failed", f"status {status}") if status else ("passed", "")


def text_of(file):
    """What it has said; in the middle of much, something is left out."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    said = file.read(OUTPUT // 2 if size > OUTPUT else size)
    if size > OUTPUT:
        file.seek(-OUTPUT // 2, os.SEEK_END)
        said += b"\n[...]\n" + file.read()
    return said.decode(errors="replace")


def files_for():
    """How many tests may run with the files that this process may open."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return sys.maxsize
    used = len(os.listdir("/proc/self/fd"))
    return max((limit - used - SPARE) // FILES, 1)


class Schedule:
    """Runs them: for ended in Schedule(cases, least, most): ..."""

    def __init__(self, tests, least, most):
        self.waiting = sorted(tests, key=lambda c: (c.serial, -c.cost))
        self.most = min(max(least, most), files_for())
        self.least = min(least, self.most)
        self.running = []

    def __iter__(self):
        cpus, begins = Cpus(), time.monotonic()
        try:
            while self.waiting or self.running:
                now, idle = time.monotonic(), False
                if now - begins >= TICK:
                    begins, idle = now, cpus.look()
                yield from self._begin(idle)
                self._wait(begins + TICK - time.monotonic())
                yield from self._end()
        finally:
            self._stop()

    def _begin(self, idle):
        """Begin what may; one that has not its program has ended."""
        while this := self._next(idle):
            idle = idle and self._busy() + this.weight <= self.least
            self.waiting.remove(this)
            try:
                if not this.command:
                    raise FileNotFoundError("its program is not there")
                self.running.append(Process(this))
            except OSError as e:
                now = time.monotonic()
                yield Ended(this, "failed", str(e), now, now, f"{e}\n")

    def _busy(self):
        return sum(p.case.weight for p in self.running)

    def _next(self, idle):
        """The first that may begin now."""
        if self.running and self.running[-1].case.serial:
            return None
        room = (self.most if idle else self.least) - self._busy()
        used = sum(p.case.queue_kb for p in self.running)
        free = max(QUEUE_KB - used, 0)
        for this in self.waiting:
            if not self.running:
                return this
            if this.serial or room <= 0:
                return None
            if this.queue_kb > free:
                free = 0  # the next one that needs some waits behind it
            else:
                return this if this.weight <= room else None
        return None

    def _wait(self, seconds):
        """Until one ends, or so long."""
        poll = select.poll()
        for process in self.running:
            poll.register(process.pidfd, select.POLLIN)
        poll.poll(1000 * max(seconds, 0) if self.running else 0)

    def _end(self):
        for process in list(self.running):
            now = time.monotonic()
            result = process.end()
            if result is None:
                process.look(now)
            else:
                self.running.remove(process)
                yield result

    def _stop(self):
        """Nobody wants to know more."""
        for process in self.running:
            print(f"is ended: {process.case.name}", flush=True)
            process.stop()
        begun = time.monotonic()
        for process in self.running:
            end = begun + process.to_clear
            while not process.ended() and time.monotonic() < end:
                time.sleep(0.01)
            process.kill()
            process.proc.wait()


def stop_at_sigterm():
    """What has begun ends with this process, as after SIGINT."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
