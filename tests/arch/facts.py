#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""facts.py - each fact of doc/compatibility/facts.md has its test

A row of a table is a fact and its tests: `file: name`, several with `;`
between. The file has a test of that name: a function that main() lists, a
story's function, or a program of its own, as those of tests/arch.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
PAGE = ROOT / "doc/compatibility/facts.md"


def has_test(path, name):
    if not path.is_file():
        return False
    text = path.read_text()
    if path.name == "story.py":
        return re.search(rf"^def {name}\(", text, re.M) is not None
    if path.suffix == ".py" or name == path.stem:
        return name == path.stem
    return len(re.findall(rf"\b{name}\b", text)) >= 2 and \
        re.search(rf"^static void {name}\(", text, re.M) is not None


def facts():
    for line in PAGE.read_text().splitlines():
        cells = [c.strip() for c in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 2 and \
                cells != ["fact", "test"]:
            yield cells


def main():
    found, n = [], 0
    for fact, tests in facts():
        n += 1
        for test in tests.split("; "):
            match = re.fullmatch(r"`([\w/.]+): (\w+)`", test)
            if not match:
                found.append(f"{fact}: no test: {test}")
            elif not has_test(ROOT / match[1], match[2]):
                found.append(f"{fact}: no test {match[2]} in {match[1]}")
    print("\n".join(found) or f"{n} facts have their tests")
    return 1 if found or n < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
