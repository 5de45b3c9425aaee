#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""all.py - ./check --all: every check, one after the other, and its record

    tests/suite/all.py [--resume] [--pieces N] [-j N]
                       [--only STEP [--tests REGEX] | --record]

A step that fails does not end the run. build/all.json keeps what has been done,
of steps that run tests the last result of each test, with its commit; doc/proof.md
is written from it when the last step has ended.

    --resume      without what has passed at this commit
    --pieces N    run tests N at a time: each piece is kept when it has ended,
                  so that a run may be ended at any time (for a machine that
                  others use, too)
    -j N          so many tests, or stories of covered facts, at once
    --only STEP   one step; --tests REGEX: only these tests of it
    --record      run nothing: write what is known

The page names the commit of each result, and how many tests of a step have
not been run. What ran while the tree had changes that are not committed, or
while its commit changed, is not kept: no commit is what ran. What ran at a
commit that this history does not have, or that many others have followed, is
not in the page. Steps may run beside each other, each by an --only of its own.
"""
import argparse
import collections
import contextlib
import datetime
import fcntl
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
COMMANDS = {name: command for name, command, _ in STEPS}
# Steps that run tests of a build folder: this folder, and which of its tests.
SUITES = {"tests": ("build/check", ()), "asan": ("build/asan", ()),
          "tsan": ("build/tsan", ()), "long": ("build/check", ("-L", "^long$"))}
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed"
                    r"(?:, (\d+) skipped, (\d+) unstable)?", re.M)
# What ran so many commits ago is not known any more. tests/arch/records.py has a
# higher bound: a page that is written stays good for some time.
NEWER = 200
KINDS = ("passed", "failed", "skipped", "unstable")
# What has failed of a step that runs no tests: models, covered facts.
BAD = re.compile(r"^FAILED +(.*\S)", re.M)


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], text=True,
                          check=True, stdout=subprocess.PIPE).stdout.strip()


def tree():
    """The commit that the tree is; None: it has changes, the record aside."""
    changed = [f for f in git("status", "--porcelain").splitlines()
               if not f.endswith(" " + str(PAGE.relative_to(ROOT)))]
    return None if changed else git("rev-parse", "HEAD")


def run(command):
    """Run it and show what it says; what is to be known of it."""
    print(f"==== {' '.join(command)}", flush=True)
    begun, said = time.monotonic(), []
    with subprocess.Popen(command, cwd=ROOT, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as proc:
        for line in proc.stdout:
            print(line, end="", flush=True)
            said.append(line)
    return {"status": proc.returncode, **judged("".join(said)),
            "date": datetime.date.today().isoformat(),
            "seconds": round(time.monotonic() - begun)}


def judged(said):
    """The counts of the last closing line."""
    found = COUNTS.findall(said)
    counts = [int(n or 0) for n in found[-1]] if found else [None] * 4
    return {**dict(zip(KINDS, counts)), "bad": BAD.findall(said)}


def suite(step):
    """The names of a step's tests; none: its build folder is not there."""
    folder, filters = SUITES[step]
    if not (ROOT / folder / "CTestTestfile.cmake").exists():
        return []
    said = subprocess.run(["ctest", "--test-dir", folder, "-N", *filters],
                          cwd=ROOT, text=True, check=True,
                          stdout=subprocess.PIPE).stdout
    return re.findall(r"^ +Test +#\d+: (\S+)", said, re.M)


def results_of(suite_json):
    """Test -> kind, of what run.py has written."""
    kinds = {name: "passed" for name in suite_json["times"]}
    for kind, key in (("failed", "bad"), ("unstable", "seldom"),
                      ("skipped", "omitted")):
        kinds.update(dict.fromkeys(suite_json[key], kind))
    return kinds


def left(step, names, state, own):
    """Those of its tests that are to be run."""
    known, commit = state["tests"].get(step, {}), tree()
    return [name for name in names if re.search(own.tests or "", name) and
            not (own.resume and name in known and
                 known[name]["commit"] == commit and
                 known[name]["kind"] != "failed")]


def pieces(names, size):
    """Expressions for ctest, each of at most so many tests."""
    for at in range(0, len(names), size):
        yield "^(" + "|".join(map(re.escape, names[at:at + size])) + ")$"


def run_tests(step, state, own):
    """Run tests of a step, in one piece if nothing is said."""
    command, report = COMMANDS[step].split(), ROOT / SUITES[step][0] / "suite.json"
    if own.j:
        command += ["-j", own.j]
    names = suite(step)
    chosen = [None]  # all of them
    if names and (own.pieces or own.tests or own.resume):
        todo = left(step, names, state, own)
        print(f"==== {step}: {len(todo)} of {len(names)} tests")
        chosen = pieces(todo, own.pieces or max(len(todo), 1))
    elif own.pieces or own.tests:
        sys.exit(f"{SUITES[step][0]} is not built: {COMMANDS[step]} -R '^arch'")
    for piece in chosen:
        report.unlink(missing_ok=True)
        commit = tree()
        result = run(command + (["-R", piece] if piece else []))
        if commit is None or tree() != commit:
            print("==== not kept: the tree is not that of a commit")
        elif report.exists():
            keep_tests(state, step, commit, result, json.loads(report.read_text()))
        else:
            keep(state, step, commit, result)  # it was not built, for example


def keep_tests(state, step, commit, result, suite_json):
    with change(state):
        known = state["tests"].setdefault(step, {})
        state["steps"].pop(step, None)
        for name, kind in results_of(suite_json).items():
            before = known.get(name, {"commit": None})
            if kind == "passed" and before["commit"] == commit and \
                    before["kind"] in ("failed", "unstable"):
                kind = "unstable"  # nothing has changed but the luck
            known[name] = {"kind": kind, "commit": commit,
                           "date": result["date"],
                           "seconds": suite_json["times"][name]}


def keep(state, step, commit, result):
    with change(state):
        state["steps"][step] = {**result, "commit": commit}


@contextlib.contextmanager
def change(state):
    """Change what is kept; first it becomes what others have kept meanwhile."""
    STATE.parent.mkdir(exist_ok=True)
    with open(STATE.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        state.update(load())
        yield
        STATE.write_text(json.dumps(state, indent=1))


def load():
    state = json.loads(STATE.read_text()) if STATE.exists() else {}
    return state if "tests" in state else {"steps": {}, "tests": {}}


def newer(commit):
    """How many commits are newer; None: this history does not have it."""
    if subprocess.run(
            ["git", "-C", str(ROOT), "merge-base", "--is-ancestor", commit,
             "HEAD"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        return None
    return int(git("rev-list", "--count", f"{commit}..HEAD"))


def forget(state):
    """Without what ran at commits that nobody can look at, of a history that
    was written again or of another branch, and what is too old."""
    found = {None: None}

    def stays(result):
        commit = result["commit"]
        if commit not in found:
            found[commit] = newer(commit)
        return found[commit] is not None and found[commit] <= NEWER

    state["steps"] = {s: r for s, r in state["steps"].items() if stays(r)}
    for step, known in state["tests"].items():
        state["tests"][step] = {n: r for n, r in known.items() if stays(r)}


def run_step(step, state, own):
    if step in SUITES:
        run_tests(step, state, own)
        return
    commit, known = tree(), state["steps"].get(step)
    if own.resume and known and known["status"] == 0 and \
            known["commit"] == commit:
        return
    command = COMMANDS[step].split()
    result = run(command + ([own.j] if own.j and step == "covered" else []))
    if commit is None or tree() != commit:
        print("==== not kept: the tree is not that of a commit")
    else:
        keep(state, step, commit, result)


def summary(step, state, names):
    """One step, of `names` if it has tests: its row, as a dict; None: nothing
    of it is known."""
    known = {n: r for n, r in state["tests"].get(step, {}).items()
             if not names or n in names}
    if step not in SUITES or not known:
        alone = state["steps"].get(step)
        return alone and {**alone, "commits": {alone["commit"]: 1}, "left": 0}
    of = collections.Counter(r["kind"] for r in known.values())
    return {"status": 1 if of["failed"] or step in state["steps"] else 0,
            "passed": of["passed"] + of["unstable"],  # as run.py counts
            **{k: of[k] for k in KINDS[1:]},
            "date": max(r["date"] for r in known.values()),
            "seconds": round(sum(r["seconds"] for r in known.values())),
            "commits": collections.Counter(r["commit"] for r in known.values()),
            "left": len(set(names) - set(known)) if names else None}


def cell(value):
    return "" if value is None else f"{value:,}"


def row(command, result):
    if result is None:
        return f"| `{command}` | not run | | | | | | | |"
    state = "passed" if result["status"] == 0 else "**failed**"
    if result["left"] != 0:
        state += ", not complete"
    commits = result["commits"]
    of = (f"{c[:8]}" + (f" ({n})" if len(commits) > 1 else "")
          for c, n in sorted(commits.items(), key=lambda i: -i[1]))
    return (f"| `{command}` | {state} | " + " | ".join(
        cell(result[k]) for k in (*KINDS, "left", "seconds")) +
            f" | {', '.join(of)} |")


def said_of_tests(state, results):
    """Failed and unstable tests, with their commits; then what has failed of
    other steps."""
    for step, known in state["tests"].items():
        if results.get(step):
            for name, r in sorted(known.items()):
                if r["kind"] in ("failed", "unstable"):
                    yield f"- `{step}`: {r['kind']} {name} at {r['commit'][:8]}"
    for step, r in state["steps"].items():
        for what in r.get("bad", ()):
            yield f"- `{step}`: failed {what} at {r['commit'][:8]}"


def oldest(results, head):
    """The commit that is written down: the oldest of what is known."""
    commits = {c for r in results.values() if r for c in r["commits"]}
    return git("rev-list", "--no-walk=sorted", *commits).split()[-1] \
        if commits else head


def page(commit, results, tests=()):
    """The text of doc/proof.md; results: step -> what summary() returns."""
    known = [r for r in results.values() if r]
    whole = all(results.get(s[0]) and results[s[0]]["left"] == 0 for s in STEPS)
    one = len({c for r in known for c in r["commits"]}) == 1
    complete = "no" if not whole else "yes" if one else \
        "in pieces, at the commits of the last column"
    lines = [
        "# The last complete check",
        "`./check --all` writes this page (`tests/suite/all.py`); "
        "`tests/arch/records.py` fails when it is too old. It is",
        "the record of one machine, whose steps may have been run in pieces: a "
        "row says at which commits (of how many",
        "tests, if there are several), and how many tests of the step have not "
        "been run; the line Commit names the oldest.",
        f"What is not in the table was not run, or more than {NEWER} commits "
        "ago.", "",
        f"- Commit: {commit}",
        f"- Date: {max((r['date'] for r in known), default='-')}",
        f"- Machine: {os.cpu_count()} CPUs, Linux {platform.release()}, "
        f"{'root' if os.getuid() == 0 else 'an ordinary user'}",
        f"- Complete: {complete}",
        f"- Steps that failed: {sum(r['status'] != 0 for r in known)}", "",
        "| step | result | passed | failed | skipped | unstable | not run | s "
        "| commits |",
        "|---|---|---|---|---|---|---|---|---|"]
    lines += [row(command, results.get(name)) for name, command, _ in STEPS]
    lines += ["", "`s`: of steps with tests the sum of the tests' own times, of "
              "which several run at once.",
              "", "Failed or unstable:", "", *(tests or ["- none"]),
              "", "What the steps are:", ""]
    lines += [f"- `{command}`: {what}" for _, command, what in STEPS]
    return "\n".join(lines) + "\n"


def main():
    p = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    p.add_argument("--resume", action="store_true")
    p.add_argument("--pieces", type=int)
    p.add_argument("-j")
    p.add_argument("--only", choices=list(COMMANDS))
    p.add_argument("--tests", metavar="REGEX")
    p.add_argument("--record", action="store_true")
    own = p.parse_args()
    if own.tests and own.only not in SUITES:
        p.error("--tests goes with --only and a step that runs tests")
    state = load()
    for step in [] if own.record else [own.only] if own.only else COMMANDS:
        run_step(step, state, own)
    forget(state)
    results = {step: summary(step, state, suite(step) if step in SUITES else ())
               for step in COMMANDS}
    print("==== all")
    for name, command in COMMANDS.items():
        print(row(command, results[name]))
    commit = tree()
    if commit is None:
        print("doc/proof.md is not written: the tree is not that of a commit")
    elif not own.only:
        PAGE.write_text(page(oldest(results, commit), results,
                             [*said_of_tests(state, results)]))
        print("doc/proof.md is written: commit it")
    return 1 if any(r and r["status"] for r in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
