#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""records.py - what is written down of test runs belongs to this tree

doc/proof.md names the commit of the last complete check: it has a row for each
step of ./check --all, and at most BOUND commits are newer. Where history is not
here (an archive, a shallow clone) its age is not checked. Each row of
tests/unstable.md begins with `e2e.TRANSPORT.STORY`, or `NAME` of another test, and
names a story that exists.
"""
import pathlib
import re
import subprocess
import sys

BOUND = 300
ROOT = pathlib.Path(sys.argv[1]).resolve()
PROOF = ROOT / "doc/proof.md"
UNSTABLE = ROOT / "tests/unstable.md"
sys.path.insert(0, str(ROOT / "tests/suite"))

from all import STEPS  # noqa: E402


def git(*words):
    r = subprocess.run(["git", "-C", str(ROOT), *words], text=True,
                       capture_output=True, check=False)
    return r.stdout.strip() if r.returncode == 0 else None


def age(commit):
    """Newer commits; None: history is not here. A history that was written
    again does not have the commit: then those since the page has changed."""
    if git("rev-parse", "--is-shallow-repository") != "false":
        return None
    if git("merge-base", "--is-ancestor", commit, "HEAD") is None:
        commit = git("log", "-1", "--format=%H", "--", str(PROOF))
        if not commit:
            return 0  # not committed yet
    return int(git("rev-list", "--count", f"{commit}..HEAD"))


def check_proof():
    text = PROOF.read_text()
    said = dict(re.findall(r"^- ([\w ]+): (.+)$", text, re.M))
    for name in ("Commit", "Date", "Machine", "Complete"):
        if name not in said:
            yield f"doc/proof.md: no line `- {name}: ...`"
    for _, command, _ in STEPS:
        if f"\n| `{command}` | " not in text:
            yield f"doc/proof.md: no row for {command}"
    commit = said.get("Commit", "")
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        yield f"doc/proof.md: no commit: {commit!r}"
        return
    n = age(commit)
    print(f"doc/proof.md is {n} commits old, at most {BOUND}")
    if n is not None and n > BOUND:
        yield f"doc/proof.md is {n} commits old: run ./check --all"


def check_unstable():
    stories = {p.parent.name for p in (ROOT / "tests/e2e").glob("*/story.py")}
    rows = re.findall(r"^\| (?!story |---)(.+?) \|", UNSTABLE.read_text(), re.M)
    for row in rows:
        name = re.fullmatch(r"`(?:e2e\.(?:posix|shm)\.)?(\w+)`", row)
        if name is None:
            yield f"tests/unstable.md: {row}: which test is that?"
        elif "e2e." in row and name[1] not in stories:
            yield f"tests/unstable.md: no story {name[1]}"


def main():
    found = [*check_proof(), *check_unstable()]
    print("\n".join(found) or "records: clean")
    return 1 if found else 0


sys.exit(main())
