#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - run the tests of a build folder, and judge them

    tests/suite/run.py build/check [--least N] [--parallel N] [FILTER...]

Removes what killed runs have left (sweep.py), and runs the tests that filters
of ctest (-R, -L, -LE, -I) choose: N of --least at once, and up to N of
--parallel while CPUs are idle (schedule.py); without --least always so many. A
story (tests/e2e) that fails is run twice more, alone, when all others have
ended: many stories run at once, and each waits for many processes. So is a unit
test of which a fact fails: those about threads need a CPU in time, too; and a
test of the suite itself (suite_), whose facts are runs of programs.

    passes then    UNSTABLE name (1 of 3): the run passes; the log of the
                   failure is kept in build/unstable; tests/unstable.md lists
                   what is known
    fails thrice   FAILED
    not repeated   rules of the tree; a unit test that ends by a signal; a
                   report of a sanitizer, which is true however rarely it
                   comes, and whatever the status of the test; more than MANY
                   failures, which have one cause

Prints how each has ended, how long it took, and when it began; at the end the
slowest tests, those that took most of the CPUs (spent.c notes it), processes
that tests have left running (LEFT name: process; spent.c has killed them), and,
last, how many passed and failed: an unstable story has passed, one that cannot
run on this machine is skipped. The same is written to suite.json in the build
folder. What tests that passed took is kept in took.json, for the order of the
next run.
"""
import argparse
import json
import os
import pathlib
import re
import sys
import time

import schedule
import sweep

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

from reports import REPORT  # noqa: E402

MANY = 12
SLOWEST = 10
FACT = "[  FAILED  ] "  # cmocka: an assertion, no crash
LEFT = re.compile(r"^spent: left running, killed: (.+)$", re.M)
KNOWN = pathlib.Path(__file__).resolve().parents[1] / "unstable.md"


class Test:
    """One test and its first run."""

    def __init__(self, ended):
        self.case, self.name = ended.case, ended.case.name
        self.seconds = ended.ended - ended.begun
        self.output, self.why = ended.output, ended.why
        # A child of the test may have been killed after its report.
        self.reported = REPORT.search(self.output) is not None
        self.skipped = not self.reported and ended.kind == "skipped"
        self.failed = self.reported or ended.kind == "failed"
        self.failures = int(self.failed)  # of three runs, or of one
        self.runs = 1
        self.cpu = 0.0  # seconds, of all its processes
        self.left = LEFT.findall(self.output)

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


def run(cases, build, least, most):
    """Yields the tests as they end, each with when it began."""
    spent = (build / "spent.txt").resolve()
    spent.unlink(missing_ok=True)
    os.environ["OW_SPENT"] = str(spent)
    for ended in schedule.Schedule(cases, least, most):
        yield Test(ended), ended.begun


def run_all(cases, build, own):
    """All of them; each that has ended is shown."""
    tests, start = [], time.monotonic()
    for test, begun in run(cases, build, own.least or own.parallel,
                           own.parallel):
        tests.append(test)
        kind = "skipped" if test.skipped else \
            f"FAILED ({test.why or 'a report of a sanitizer'})" \
            if test.failed else "passed"
        print(f"{len(tests):4}/{len(cases)} {test.seconds:7.2f} s from "
              f"{begun - start:5.0f} s  {test.name} {kind}", flush=True)
    read_spent(build / "spent.txt", tests)
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
        again, _ = next(run([test.case], build, 1, 1))
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


def idle_percent(since):
    """How much they have been idle."""
    whole, idle = (now - then for now, then in
                   zip(schedule.cpu_time(), since))
    return 100 * idle // max(whole, 1)


def closing(tests, seconds, keep):
    """The last lines."""
    print(f"== the {SLOWEST} slowest of {len(tests)}")
    for test in sorted(tests, key=lambda t: -t.seconds)[:SLOWEST]:
        print(f"{test.seconds:8.1f} s  {test.name}")
    print(f"== of {sum(t.cpu for t in tests):.0f} s of CPU time the most")
    for test in sorted(tests, key=lambda t: -t.cpu)[:SLOWEST]:
        print(f"{test.cpu:8.1f} s  {test.name}")
    for test in tests:
        for process in test.left:
            print(f"LEFT {test.name}: {process}")
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
         "left": {t.name: t.left for t in tests if t.left},
         "times": {t.name: t.seconds for t in tests},
         "cpu": {t.name: t.cpu for t in tests}}, indent=1) + "\n")


def known_times(build):
    """Name -> seconds, of tests that ran in this folder once."""
    try:
        return json.loads((build / "took.json").read_text())
    except (OSError, ValueError):
        return {}


def note_times(build, tests):
    took = {**known_times(build), **{t.name: round(t.seconds, 1) for t in tests
                                     if not t.failed and not t.skipped}}
    (build / "took.json").write_text(json.dumps(took, indent=1) + "\n")


def main():
    p = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    p.add_argument("build", type=pathlib.Path)
    p.add_argument("--least", type=int)
    p.add_argument("--parallel", type=int, default=1)
    p.add_argument("--keep", type=pathlib.Path)
    own, filters = p.parse_known_args()
    keep = own.keep or own.build / "../unstable"
    schedule.stop_at_sigterm()
    sweep.main()
    start, cpu = time.monotonic(), schedule.cpu_time()
    cases = schedule.cases(own.build, filters, known_times(own.build))
    tests = run_all(cases, own.build, own)
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
    note_times(own.build, tests)
    print(f"== up to {own.parallel} tests at once: the CPUs were idle for "
          f"{idle} % of the time")
    closing(tests, seconds, keep.resolve())
    return 1 if any(t.bad for t in tests) or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
