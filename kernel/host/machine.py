# SPDX-License-Identifier: GPL-2.0-only
"""machine.py - boots a kernel in qemu and runs a plan of steps in it.

The first serial line is the console, kept as console-NAME.log; the second
carries the agent's lines. With KVM a guest has two CPUs and real time. Without
KVM it has one emulated CPU, whose clock counts instructions, one a nanosecond
(-icount): figures are then instructions per call, the same on each run, however
busy the host is. Emulated wall-clock time would measure the emulator.
"""
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

from bundle import member

MEMORY_MB = 2048
TAIL_LINES = 40
POLL_S = 0.2
ACCELERATORS = {
    "kvm": ["-accel", "kvm", "-cpu", "host,-arch-capabilities", "-smp", "2"],
    "emulated": ["-accel", "tcg", "-cpu", "max", "-smp", "1", "-icount",
                 "shift=0,sleep=off"],
}
# No step of an emulated guest takes longer on the host, however busy it is:
# what hangs inside is ended inside, where idle time is skipped.
EMULATED_STEP_S = 1800
# Real time is shared with whatever else runs: the best of several counts.
REPEAT = {"kvm": 3, "emulated": 1}
WORDS = ("console=ttyS0 earlyprintk=serial,ttyS0,115200 panic=-1 reboot=t "
         "loglevel=7")

# What a healthy kernel never prints.
COMPLAINTS = re.compile(
    r"\bBUG: |\bWARNING: |\bOops: |general protection fault|kernel BUG at"
    r"|possible circular|possible recursive|inconsistent lock state"
    r"|INFO: task |rcu: INFO: |rcu_\w+ self-detected|Call Trace:"
    r"|Kernel panic|soft lockup|list_\w+ corruption")


class GuestFailed(Exception):
    """A guest failed to run its plan; the text has the reason."""


def progress(text):
    """Print what is being done."""
    print("%s %s" % (time.strftime("%H:%M:%S"), text), file=sys.stderr,
          flush=True)


def kvm_works(folder, kernel, initramfs, patience=40, device="/dev/kvm"):
    """Does a guest boot and end with KVM? Machines without KVM have no such
    device, containers may not open it, and on some hosts it does not run an
    ordinary kernel."""
    if not os.access(device, os.R_OK | os.W_OK):
        return False
    try:
        Machine(folder, "kvm").run("kvm", kernel, initramfs, [],
                                   boot=patience)
        return True
    except (GuestFailed, OSError):
        return False


def append_plan(initramfs, plan, path):
    """The archive, followed by a second one with the plan in it."""
    with open(initramfs, "rb") as base:
        data = base.read()
    with open(path, "wb") as f:
        f.write(data + b"\0" * (-len(data) % 4))
        f.write(member(1, "verify/plan.json", 0o100644,
                       json.dumps(plan).encode()))
        f.write(member(0, "TRAILER!!!", 0, b""))


def read_rows(path):
    """The agent's lines by name of the step."""
    rows = {}
    with open(path, errors="replace") as f:
        for line in f:
            try:
                row = json.loads(line)
            except ValueError:
                continue  # a line that is being written
            if isinstance(row, dict) and "name" in row:
                rows[row["name"]] = row
    return rows


def read_console(path):
    """The lines of the console, and the complaints among them."""
    with open(path, errors="replace") as f:
        lines = [line.rstrip() for line in f]
    return lines, [line for line in lines if COMPLAINTS.search(line)]


class Machine:
    """One way to run guests, and the folder for their files."""

    def __init__(self, folder, accel):
        self.folder, self.accel = folder, accel
        self.over = False  # True: end the guests

    def path(self, form, name):
        return os.path.join(self.folder, form % name)

    def command(self, name, kernel, memory):
        """The command line of qemu."""
        return ["qemu-system-x86_64", "-nodefaults", "-no-user-config",
                "-display", "none", "-no-reboot", *ACCELERATORS[self.accel],
                "-m", str(memory), "-kernel", kernel,
                "-initrd", self.path("initrd-%s", name), "-append", WORDS,
                "-serial", "file:" + self.path("console-%s.log", name),
                "-serial", "file:" + self.path("results-%s.json", name)]

    def run(self, name, kernel, initramfs, plan, memory=MEMORY_MB, boot=300):
        """Boot, run the plan, end. Returns the agent's lines by step name, and
        the complaints on the console."""
        for form in ("results-%s.json", "console-%s.log"):
            open(self.path(form, name), "w").close()
        append_plan(initramfs, plan, self.path("initrd-%s", name))
        limits = [boot] + [self.patience(s) for s in plan] + [boot]
        with subprocess.Popen(self.command(name, kernel, memory),
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True,
                              errors="replace") as qemu:
            try:
                end = self.await_end(name, qemu, limits)
            finally:
                qemu.kill()
            err = (qemu.stderr.read() or "").strip()
        os.unlink(self.path("initrd-%s", name))
        return self.harvest(name, end, err)

    def run_all(self, jobs):
        """Guests: name -> further arguments of run(). Emulated guests count
        instructions, so one per CPU runs at a time without a change of the
        figures."""
        workers = os.cpu_count() if self.accel == "emulated" else 1
        with ThreadPoolExecutor(workers or 1) as pool:
            ends = {name: pool.submit(self.run, name, *job)
                    for name, job in jobs.items()}
            try:
                for end in as_completed(ends.values()):
                    end.result()
                return {name: end.result() for name, end in ends.items()}
            except BaseException:
                self.over = True
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def patience(self, step):
        """How long the host waits for a step, in seconds."""
        if self.accel == "emulated":
            return EMULATED_STEP_S
        return 60 + step["timeout"] * step.get("repeat", 1)

    def await_end(self, name, qemu, limits):
        """Watch until it ends or a step has no more time; why it ended."""
        results = self.path("results-%s.json", name)
        begun, seen = time.monotonic(), 0
        while qemu.poll() is None:
            rows = list(read_rows(results))
            for step in rows[seen:]:
                progress("    %-8s %s" % (name, step))
                begun = time.monotonic()
            seen = len(rows)
            limit = limits[min(seen, len(limits) - 1)]
            if time.monotonic() - begun > limit:
                return "no end after %d s" % limit
            if self.over:
                return "given up"
            time.sleep(POLL_S)
        return "qemu ended with status %s" % qemu.returncode

    def harvest(self, name, end, err):
        """What a guest that has ended left."""
        rows = read_rows(self.path("results-%s.json", name))
        console = self.path("console-%s.log", name)
        lines, complaints = read_console(console)
        if "end" not in rows:
            raise GuestFailed("%s: the guest did not come to its end: %s %s\n"
                              "last step: %s\n%s ends:\n  %s" % (
                                  name, end, err[-400:],
                                  list(rows)[-1] if rows else "none", console,
                                  "\n  ".join(lines[-TAIL_LINES:]) or
                                  "(empty)"))
        return rows, complaints
