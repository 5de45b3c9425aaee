#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changelog.py SOURCE [--write] - CHANGELOG.md has the form of keepachangelog.com

Versions are `## [Unreleased]`, then `## [NUMBER] - DATE`, the newest first; the number of
VERSION stands there once it is released. In each are Added, Changed, Deprecated, Removed,
Fixed, Security, in this order. Entries are paragraphs, with an empty line between them, and
none stands in a version twice, with the same first 120 characters. --write makes these
empty lines, where git has put entries of two branches together.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
NUMBER = re.compile(r"\[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d")


def version(title, text):
    kinds = re.findall(r"^### (.+)$", text, re.M)
    yield from (f"{title}: {k}: no kind of change" for k in kinds
                if k not in KINDS)
    known = [k for k in kinds if k in KINDS]
    if known != sorted(set(known), key=KINDS.index):
        yield f"{title}: the kinds of changes are {', '.join(kinds)}"
    lines = text.split("\n")
    yield from (f"{title}: no empty line (--write makes it) before: {line[:60]}"
                for before, line in zip(lines, lines[1:])
                if line.startswith("**") and before.strip() and
                not before.startswith("#"))
    seen = set()
    for one in (" ".join(p.split())[:120] for p in text.split("\n\n")):
        if one in seen and len(one) > 20:
            yield f"{title}: twice, perhaps in an older form: {one[:60]}"
        seen.add(one)


def main():
    text = (ROOT / "CHANGELOG.md").read_text()
    if "--write" in sys.argv:
        text = re.sub(r"^(?!#)(.+)\n(?=\*\*)", r"\1\n\n", text, flags=re.M)
        (ROOT / "CHANGELOG.md").write_text(text)
    now = (ROOT / "VERSION").read_text().strip()
    parts = re.split(r"^## (.+)$", text, flags=re.M)[1:]
    titles = parts[::2]
    found = []
    for title, part in zip(titles, parts[1::2]):
        found += version(title, part)
    if titles[:1] != ["[Unreleased]"]:
        found.append("the first version is not [Unreleased]")
    numbers = [NUMBER.fullmatch(t) for t in titles[1:]]
    found += [f"{t}: no [NUMBER] - DATE" for t, n in
              zip(titles[1:], numbers) if n is None]
    order = [tuple(map(int, n[1].split("."))) for n in numbers if n]
    if order != sorted(set(order), reverse=True):
        found.append("versions are not in order, the newest first")
    if re.fullmatch(r"[\d.]+", now) and f"\n## [{now}] - " not in text:
        found.append(f"VERSION is {now}, which has no date here")
    print("\n".join(f"CHANGELOG.md: {one}" for one in found) or
          f"{text.count(chr(10) + '**')} entries")
    return 1 if found else 0


sys.exit(main())
