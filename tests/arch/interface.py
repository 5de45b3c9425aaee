#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""interface.py - every name of the interface is declared, or named as left out

    tests/arch/interface.py SOURCE

doc/compatibility/interface.txt has the names that programs are written against, taken from the
pages of their interface, not from the headers here. A function is declared as one in include/,
another name in any way; what is neither has its reason in doc/compatibility/names.txt (NAME !:).
"""
import pathlib
import re
import sys

import public_names

ROOT = pathlib.Path(sys.argv[1]).resolve()
LIST = ROOT / "doc/compatibility/interface.txt"
NAMES = ROOT / "doc/compatibility/names.txt"


def listed():
    """(section, name)"""
    section = None
    for line in LIST.read_text().splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            for name in line.split():
                yield section, name


def left_out():
    """Names with a reason."""
    return set(re.findall(r"^(\w+)(?: \+32)? !: \S", NAMES.read_text(), re.M))


def main():
    have, without = public_names.known(ROOT), left_out()
    rows = list(listed())
    found = [f"{name} is listed twice" for name in
             {n for _, n in rows if [m for _, m in rows].count(n) > 1}]
    for section, name in rows:
        if name not in have and name not in without:
            found.append(f"{name}: no header declares it, and names.txt "
                         "has no reason")
        elif section == "functions" and name in have and \
                have[name].kind != "function":
            found.append(f"{name}: {have[name].header} does not declare it "
                         "as a function")
    if len(rows) < 500:
        found.append(f"{LIST.name} has {len(rows)} names: it was cut")
    print("\n".join(found) or f"{len(rows)} names")
    return 1 if found else 0


sys.exit(main())
