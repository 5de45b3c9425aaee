#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""refused.py - the tests of refusals leave out no function and no pointer

What a function of ubf.h takes says where it has to stand: each buffer in
test_refuse.c (with FIELD or LIST if there are field ids), each name of a view
in view/test_view_refuse.c, every other pointer in test_null.c.
"""
import collections
import pathlib
import re
import sys

import ubf_header

ROOT = pathlib.Path(sys.argv[1]).resolve()
TESTS = ROOT / "tests/unit/libubf"
# Refused in a test of their own: impossible_sizes_are_refused_everywhere.
OWN_TEST = {"Binit", "Bisubf"}


def stem(row):
    """The function of a row: Bcpy_to and Bcmp_1 are of Bcpy and Bcmp."""
    return re.sub(r"_(to|from|delete|\d)$", "", row)


def kinds(params):
    """Buffers, names of views, other pointers of a parameter list."""
    buffers, views, others = 0, 0, []
    for param in params:
        function = re.search(r"\(\*(\w+)\)", param)
        name = re.search(r"\*(\w+)$", param)
        if function:
            others.append(function[1])
        elif re.search(r"\bUBFH \*", param):
            buffers += 1
        elif name:
            views += re.fullmatch(r"view\d?", name[1]) is not None
            others.append(name[1])
    return buffers, views, others


def problems():
    refuse = (TESTS / "test_refuse.c").read_text()
    buffers = collections.Counter(map(stem, re.findall(
        r"^CALL\((\w+),", refuse, re.M)))
    flags = {stem(m[0]): m[1] for m in re.findall(
        r"\bROW\((\w+), ([^()]*)\)", refuse)}
    views = collections.Counter(map(stem, re.findall(
        r"\bX\((\w+),", (TESTS / "view/test_view_refuse.c").read_text())))
    nulls = set(re.findall(r"\bX\((\w+), (\w+),",
                           (TESTS / "test_null.c").read_text()))
    for name, params in ubf_header.functions(ROOT).items():
        nbuffers, nviews, others = kinds(params)
        if buffers[name] < nbuffers and name not in OWN_TEST:
            yield f"test_refuse.c: {name} has {nbuffers} buffers"
        if re.search(r"\bBFLDID b|\*fldlist|\*fldidocc", ",".join(params)) \
                and nbuffers and "FIELD" not in flags.get(name, "") \
                and "LIST" not in flags.get(name, ""):
            yield f"test_refuse.c: {name} takes a field id"
        if views[name] < nviews:
            yield f"test_view_refuse.c: {name} takes a view"
        for other in others:
            if (name, other) not in nulls:
                yield f"test_null.c: {name} has the pointer {other}"


def main():
    found = list(problems())
    print("\n".join(found) or f"{len(ubf_header.functions(ROOT))} functions "
          "are refused what they should be")
    return 1 if found else 0


sys.exit(main())
