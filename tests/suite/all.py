#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""all.py - ./check --all: every check, one after the other, and its record

    tests/suite/all.py [--resume] [--only STEP | --record]

A step that fails does not end the run. doc/proof.md is written when the last
step has ended, if the tree has no changes that are not committed: it names the
commit. build/all.json keeps what has been done: --resume leaves out what has
passed at this commit, --only runs one step (and writes no record), --record
runs none and writes what is known: the other steps are "not run" there.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATE = ROOT / "build/all.json"
PAGE = ROOT / "doc/proof.md"
# Name, command, what it is.
STEPS = (
    ("tests", "./check --both", "all tests, short forms"),
    ("asan", "./check --asan --both", "all tests under AddressSanitizer and UBSan"),
    ("tsan", "./check --tsan --both", "all tests under ThreadSanitizer"),
    ("long", "./check --long --both", "tests with a long form, in it"),
    ("covered", "tests/arch/covered.py --without build/check",
     "facts fail without what they cover"),
    ("models", "./check --model", "every interleaving of the shm protocols"),
    ("fuzz", "./check --fuzz 60", "each fuzzer for a minute"),
    ("gate", "scripts/run-go-fuzzers build/check 100",
     "each fuzzer of the gate for HTTP, ten minutes in all"),
    ("kernels", "kernel/verify --quick --if-changed",
     "patched kernels, if their sources have changed"),
)
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed"
                    r"(?:, (\d+) skipped, (\d+) unstable)?", re.M)
NAMES = re.compile(r"^(?:FAILED|UNSTABLE) \S+ \(\d of \d\)", re.M)


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], text=True,
                          check=True, stdout=subprocess.PIPE).stdout.strip()


def run(name, command):
    """Run a step; what is to be known of it."""
    print(f"==== {name}: {command}", flush=True)
    begun, said = time.monotonic(), []
    with subprocess.Popen(command.split(), cwd=ROOT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as proc:
        for line in proc.stdout:
            print(line, end="", flush=True)
            said.append(line)
    return {"status": proc.returncode, **judged("".join(said)),
            "date": datetime.date.today().isoformat(),
            "seconds": round(time.monotonic() - begun)}


def judged(said):
    """The counts of the last closing line, and the tests named there."""
    found = COUNTS.findall(said)
    counts = [int(n or 0) for n in found[-1]] if found else [None] * 4
    return {**dict(zip(("passed", "failed", "skipped", "unstable"), counts)),
            "names": NAMES.findall(said)}


def cell(value):
    return "" if value is None else f"{value:,}"


def row(command, result):
    if result is None:
        return f"| `{command}` | not run | | | | | |"
    state = "passed" if result["status"] == 0 else "**failed**"
    return (f"| `{command}` | {state} | " + " | ".join(
        cell(result[k]) for k in ("passed", "failed", "skipped", "unstable",
                                  "seconds")) + " |")


def page(commit, results):
    """The text of doc/proof.md."""
    complete = all(results.get(s[0]) for s in STEPS)
    failed = sum(r["status"] != 0 for r in results.values())
    lines = [
        "# The last complete check",
        "`./check --all` writes this page (`tests/suite/all.py`); "
        "`tests/arch/records.py` fails when it is too old. It is",
        "the record of one run on one machine: what is not in the table was "
        "not run.", "",
        f"- Commit: {commit}",
        f"- Date: {max([r['date'] for r in results.values()], default='-')}",
        f"- Machine: {os.cpu_count()} CPUs, Linux {platform.release()}, "
        f"{'root' if os.getuid() == 0 else 'an ordinary user'}",
        f"- Complete: {'yes' if complete else 'no'}",
        f"- Steps that failed: {failed}", "",
        "| step | result | passed | failed | skipped | unstable | s |",
        "|---|---|---|---|---|---|---|"]
    lines += [row(command, results.get(name)) for name, command, _ in STEPS]
    names = [f"- `{step}`: {text}" for step, r in results.items()
             for text in r["names"]]
    lines += ["", "Failed or unstable:", "", *(names or ["- none"]),
              "", "What the steps are:", ""]
    lines += [f"- `{command}`: {what}" for _, command, what in STEPS]
    return "\n".join(lines) + "\n"


def load(commit):
    """What has been run at this commit."""
    known = json.loads(STATE.read_text()) if STATE.exists() else {}
    return known["results"] if known.get("commit") == commit else {}


def steps_to_run(own, results):
    """Names; `results` are those of earlier runs."""
    if own.record:
        return []
    if own.only:
        return [own.only]
    if not own.resume:
        results.clear()
    return [s[0] for s in STEPS
            if s[0] not in results or results[s[0]]["status"] != 0]


def changes():
    """Is something not committed, but this record?"""
    return [f for f in git("status", "--porcelain").splitlines()
            if not f.endswith(" " + str(PAGE.relative_to(ROOT)))]


def main():
    p = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    p.add_argument("--resume", action="store_true")
    p.add_argument("--only", choices=[s[0] for s in STEPS])
    p.add_argument("--record", action="store_true")
    own = p.parse_args()
    commit, dirty = git("rev-parse", "HEAD"), changes()
    results, commands = load(commit), {s[0]: s[1] for s in STEPS}
    for name in steps_to_run(own, results):
        results[name] = run(name, commands[name])
        STATE.parent.mkdir(exist_ok=True)
        STATE.write_text(json.dumps({"commit": commit, "results": results},
                                    indent=1))
    print("==== all")
    for name, command in commands.items():
        print(row(command, results.get(name)))
    if dirty or git("rev-parse", "HEAD") != commit:
        print("doc/proof.md is not written: the tree is not that of a commit")
    elif not own.only:
        PAGE.write_text(page(commit, results))
        print("doc/proof.md is written: commit it")
    return 1 if any(r["status"] for r in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
