#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - run the tests of a build folder, and judge them

    tests/suite/run.py build/check [--parallel N] [OPTION OF CTEST...]

Removes what killed runs have left (sweep.py), and runs ctest. A story
(tests/e2e) that fails is run twice more, alone, when all others have ended:
many stories run at once, and each waits for many processes. So is a unit test
of which a fact fails: those about threads need a CPU in time, too; and a test
of the suite itself (suite_), whose facts are runs of programs.

    passes then    UNSTABLE name (1 of 3): the run passes; the log of the
                   failure is kept in build/unstable; tests/unstable.md lists
                   what is known
    fails thrice   FAILED
    not repeated   rules of the tree; a unit test that ends by a signal; a
                   report of a sanitizer, which is true however rarely it
                   comes, and whatever the status of the test; more than MANY
                   failures, which have one cause

Tests of POSIX queues say what they need of the bytes that the kernel lets a
user have in them, and wait until it is free (queues.json).

Prints the slowest tests, those that took most of the CPUs (spent.c notes it),
and, last, how many passed and failed: an unstable story has passed, one that
cannot run on this machine is skipped. The same is written to suite.json in the
build folder.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import sweep

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from reports import REPORT  # noqa: E402

MANY = 12
SLOWEST = 10
FACT = "[  FAILED  ] "  # cmocka: an assertion, no crash
QUEUES = pathlib.Path(__file__).resolve().parent / "queues.json"
KNOWN = pathlib.Path(__file__).resolve().parents[1] / "unstable.md"


class Test:
    """One test and its first run."""

    def __init__(self, case):
        self.name = case.get("name")
        self.seconds = float(case.get("time") or 0)
        self.output = case.findtext("system-out") or ""
        # A child of the test may have been killed after its report.
        self.reported = REPORT.search(self.output) is not None
        # Not run is a test without its program, too.
        skipped = case.find("skipped")
        self.skipped = not self.reported and skipped is not None and \
            "SKIP_RETURN_CODE" in skipped.get("message", "")
        self.failed = self.reported or (case.get("status") != "run" and
                                        not self.skipped)
        self.failures = int(self.failed)  # of three runs, or of one
        self.runs = 1
        self.cpu = 0.0  # seconds, of all its processes

    @property
    def repeatable(self):
        return (self.name.startswith(("e2e.", "python.", "suite_")) or
                FACT in self.output) and not self.reported

    @property
    def unstable(self):
        return 0 < self.failures < self.runs

    @property
    def bad(self):
        return self.failed and not self.unstable


def ctest(build, args, show):
    """Run it; its tests. ctest's own summary is not shown: it does not know
    of the repeats."""
    report = build / "suite.xml"
    spent = report.with_name("spent.txt")
    for old in (report, spent):
        old.unlink(missing_ok=True)
    with subprocess.Popen(
            ["ctest", "--test-dir", str(build), "--no-tests=error",
             "--resource-spec-file", str(QUEUES),
             "--test-output-size-failed", "2000000",
             "--test-output-size-passed", "2000000",
             "--output-junit", str(report.resolve()), *args],
            env={**os.environ, "OW_SPENT": str(spent.resolve())},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace") as proc:
        for line in proc.stdout:
            if re.match(r"\d+% tests passed", line):
                show = False
            if show:
                print(line, end="", flush=True)
    if not report.exists():
        sys.exit(f"ctest: exit status {proc.returncode}, no result")
    tests = [Test(case) for case in ET.parse(report).iter("testcase")]
    read_spent(spent, tests)
    return tests


def read_spent(file, tests):
    """Lines of spent.c: NAME SECONDS. A test without one was killed, or its
    program was not there."""
    lines = file.read_text().splitlines() if file.exists() else []
    spent = {name: float(cpu) for name, cpu in map(str.split, lines)}
    for test in tests:
        test.cpu = spent.get(test.name, 0.0)


def repeat(test, build, keep):
    """Twice more, alone; the failing log is kept if it passes once."""
    print(f"== again, alone: {test.name}", flush=True)
    for _ in range(2):
        again = ctest(build, ["-R", f"^{re.escape(test.name)}$"], False)[0]
        test.runs += 1
        test.failures += again.failed
        print(f"{'FAILED' if again.failed else 'ok':8} "
              f"{again.seconds:6.2f} s", flush=True)
        if again.reported:
            print(again.output)
            test.failures = test.runs
            return
    if test.unstable:
        keep.mkdir(exist_ok=True)
        (keep / f"{test.name}.log").write_text(test.output)


def cpu_time():
    """Of all CPUs of the machine: (all, idle) in ticks."""
    with open("/proc/stat", encoding="ascii") as f:
        ticks = [int(n) for n in f.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4]


def idle_percent(since):
    """How much they have been idle: where it is much, more tests at once (-j)
    take less time."""
    whole, idle = (now - then for now, then in zip(cpu_time(), since))
    return 100 * idle // max(whole, 1)


def closing(tests, seconds, keep):
    """The last lines."""
    print(f"== the {SLOWEST} slowest of {len(tests)}")
    for test in sorted(tests, key=lambda t: -t.seconds)[:SLOWEST]:
        print(f"{test.seconds:8.1f} s  {test.name}")
    print(f"== of {sum(t.cpu for t in tests):.0f} s of CPU time the most")
    for test in sorted(tests, key=lambda t: -t.cpu)[:SLOWEST]:
        print(f"{test.cpu:8.1f} s  {test.name}")
    known = KNOWN.read_text() if KNOWN.exists() else ""
    for test in tests:
        if test.bad:
            print(f"FAILED {test.name} ({test.failures} of {test.runs})")
    for test in tests:
        if test.unstable:
            listed = "known" if f"`{test.name}`" in known else \
                "not in tests/unstable.md yet"
            print(f"UNSTABLE {test.name} ({test.failures} of {test.runs}), "
                  f"{listed}: {keep / test.name}.log")
    n = counts(tests)
    whole = n["passed"] + n["failed"]
    print(f"{100 * n['passed'] // max(whole, 1)}% tests passed, "
          f"{n['failed']} tests failed out of {whole}")
    print(f"{n['passed']} passed, {n['failed']} failed, {n['skipped']} "
          f"skipped, {n['unstable']} unstable in {seconds:.0f} s")


def counts(tests):
    bad = sum(t.bad for t in tests)
    skipped = sum(t.skipped for t in tests)
    return {"passed": len(tests) - bad - skipped, "failed": bad,
            "skipped": skipped, "unstable": sum(t.unstable for t in tests)}


def write(build, tests, seconds):
    (build / "suite.json").write_text(json.dumps(
        {**counts(tests), "seconds": round(seconds, 1),
         "bad": [t.name for t in tests if t.bad],
         "seldom": [t.name for t in tests if t.unstable],
         "omitted": [t.name for t in tests if t.skipped],
         "times": {t.name: t.seconds for t in tests},
         "cpu": {t.name: t.cpu for t in tests}}, indent=1) + "\n")


def main():
    p = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--parallel", default="1")
    p.add_argument("--keep", type=pathlib.Path)
    own, args = p.parse_known_args()
    keep = own.keep or own.build / "../unstable"
    sweep.main()
    start, cpu = time.monotonic(), cpu_time()
    tests = ctest(own.build, ["--parallel", own.parallel, *args], True)
    idle = idle_percent(cpu)
    failed = [t for t in tests if t.failed]
    for test in failed:
        print(f"---- {test.name}", test.output.rstrip(), sep="\n")
    if len(failed) <= MANY:
        for test in failed:
            if test.repeatable:
                repeat(test, own.build, keep.resolve())
    seconds = time.monotonic() - start
    write(own.build, tests, seconds)
    print(f"== up to {own.parallel} tests at once: the CPUs were idle for "
          f"{idle} % of the time")
    closing(tests, seconds, keep.resolve())
    return 1 if any(t.bad for t in tests) or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
