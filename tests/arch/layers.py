#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py - the rules of doc/design.md that a compiler does not see

Includes go downwards only; examples see public headers only; every C file
starts with its licence and says what it is for; functions and files stay
small; nothing unfinished is left behind.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()

# Folder -> folders whose private headers it may include.
MAY_INCLUDE = {
    "libubf": {"libubf"},
    "libatmi": {"libubf", "libatmi"},
    "libatmisrv": {"libubf", "libatmi", "libatmisrv"},
    "ndrxd": {"libubf", "libatmi", "ndrxd"},
    "clients": {"libubf", "libatmi", "clients", "ndrxd"},
    "examples": set(),
}
# Of libatmi, programs that are not servers see base, wire and shared state.
CALL_HEADERS = {"ctx.h", "request.h", "reply.h", "svcq.h", "buf.h"}
# Programs of clients/ share what is in this folder, and nothing else.
COMMON = "clients/common"
# xadmin checks a configuration without a supervisor.
NDRXD_FOR_CLIENTS = re.compile(r"config.*\.h|cmdline\.h")
FILE_LINES, FUNCTION_LINES = 600, 60

INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:lib|ndrxd|clients)[^"]*)"', re.M)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|#if 0\b")


def check_includes(path, text):
    layer = path.parts[0]
    for header in INCLUDE.findall(text):
        folder, name = header.split("/")[0], header.split("/")[-1]
        if folder not in MAY_INCLUDE[layer]:
            yield f"includes {header}: {layer} may not use {folder}"
        if layer == folder == "clients" and str(pathlib.Path(header).parent) \
                not in (COMMON, str(path.parent)):
            yield f"includes {header}: programs share {COMMON} only"
        if layer in ("ndrxd", "clients") and folder == "libatmi" \
                and name in CALL_HEADERS:
            yield f"includes {header}: a header of calls"
        if layer == "clients" and folder == "ndrxd" \
                and not NDRXD_FOR_CLIENTS.fullmatch(name):
            yield f"includes {header}: clients read configurations only"


def check_head(path, text):
    lines = text.splitlines()
    if not lines or "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
        yield "does not begin with its SPDX line"
    if f"{path.name} - " not in "\n".join(lines[1:6]):
        yield "has no head comment `file - what it is for`"


def check_size(text):
    lines = text.splitlines()
    if len(lines) > FILE_LINES:
        yield f"{len(lines)} lines, at most {FILE_LINES}"
    start = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        if line == "}" and start and number - start > FUNCTION_LINES:
            yield f"a function of {number - start} lines at line {start}"


def check_setjmp(path, text):
    if re.search(r"\b_?(sig)?setjmp\s*\(", text) and path.name != "dispatch.c":
        yield "setjmp() outside of dispatch.c"
    if re.search(r"^\s*goto\b", text, re.M):
        yield "goto"


def main():
    found = []
    for layer in MAY_INCLUDE:
        for path in sorted((ROOT / layer).rglob("*.[ch]")):
            rel = path.relative_to(ROOT)
            text = path.read_text()
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            problems = [*check_includes(rel, text), *check_head(rel, text),
                        *check_size(text), *check_setjmp(rel, code)]
            if UNFINISHED.search(text):
                problems.append("something unfinished")
            found += [f"{rel}: {p}" for p in problems]
    print("\n".join(found) or "layers: clean")
    return 1 if found else 0


sys.exit(main())
