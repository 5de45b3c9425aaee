# SPDX-License-Identifier: GPL-2.0-only
"""agent.py - runs the steps of a plan inside a guest.

/verify/plan.json is a list of steps: {"name", "argv", "timeout", "env",
"sysctl", "msgqueue", "repeat"}. For each step one JSON line goes to standard
output, which is the serial line that the host reads: name, status, out, err,
seconds. The agent judges nothing.
"""
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import time

TEXT_MAX = 400000  # of the output of a step
TAIL = 4000        # of its error output


def say(**fact):
    """One line for the host."""
    sys.stdout.write(json.dumps(fact) + "\n")
    sys.stdout.flush()


def write_sysctls(step):
    for name, value in step.get("sysctl", {}).items():
        with open("/proc/sys/" + name, "w") as f:
            f.write(str(value))


def prepare(step):
    """In the child: a session of its own, and the limit of queue bytes."""
    os.setsid()
    if "msgqueue" in step:
        limit = step["msgqueue"]
        resource.setrlimit(resource.RLIMIT_MSGQUEUE, (limit, limit))


def once(step):
    """One run of a step; the remaining processes of its session are killed."""
    begun = time.monotonic()
    write_sysctls(step)
    with open("/tmp/out", "w+b") as out, open("/tmp/err", "w+b") as err:
        p = subprocess.Popen(step["argv"], stdin=subprocess.DEVNULL,
                             stdout=out, stderr=err, cwd="/tmp",
                             env={**os.environ, **step.get("env", {})},
                             preexec_fn=lambda: prepare(step))
        try:
            status = p.wait(step["timeout"])
        except subprocess.TimeoutExpired:
            status = "timeout"
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except OSError:
            pass
        p.wait()
        out.seek(0)
        err.seek(0)
        return {"name": step["name"], "status": status,
                "seconds": round(time.monotonic() - begun, 3),
                "out": out.read(TEXT_MAX).decode(errors="replace"),
                "err": err.read().decode(errors="replace")[-TAIL:]}


def run(step):
    """All repetitions of a step as one row: their whole output, and the first
    status that is an error."""
    row = once(step)
    for _ in range(step.get("repeat", 1) - 1):
        more = once(step)
        row["status"] = row["status"] or more["status"]
        row["seconds"] = round(row["seconds"] + more["seconds"], 3)
        row["out"] += more["out"]
        row["err"] = (row["err"] + more["err"])[-TAIL:]
    return row


def main():
    with open("/verify/plan.json") as f:
        plan = json.load(f)
    say(name="hello", release=platform.release(), cpus=os.cpu_count())
    for step in plan:
        try:
            say(**run(step))
        except OSError as why:
            say(name=step["name"], status=str(why), out="", err="",
                seconds=0)
    say(name="end")


if __name__ == "__main__":
    main()
