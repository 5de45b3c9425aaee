#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""layers.py - the rules of doc/design that a compiler does not see

Includes and calls go downwards only, between the libraries and between the
folders of each; no cycle of includes or calls stays (calls.py reads the
symbols of compiled objects, and has the exceptions); nobody outside of libatmi/transport names a
transport; folders of unit tests mirror those of the sources; examples see
public headers only; nothing waits by the wall clock; every C file starts with its licence and says what it is
for; functions and files stay small; nothing unfinished is left behind. The
overview of the design has the layers of libubf and libatmi in this order, and
says what each folder is.
"""
import pathlib
import re
import sys

import calls

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()

# Folder -> folders whose private headers it may include.
MAY_INCLUDE = {
    "libubf": {"libubf"},
    "libatmi": {"libubf", "libatmi"},
    "libatmisrv": {"libubf", "libatmi", "libatmisrv"},
    "libndrx": {"libubf", "libatmi", "libndrx"},
    "ndrxd": {"libubf", "libatmi", "libndrx", "ndrxd"},
    "drivers": {"libubf", "libatmi", "drivers"},
    "servers": {"libubf", "libatmi", "libatmisrv", "libndrx", "drivers",
                "servers"},
    "clients": {"libubf", "libatmi", "libatmisrv", "libndrx", "clients"},
    "examples": set(),
}
# Inside a library or program: its folders, the lowest layer first. A file
# includes headers of its own folder and of those before it. "" is the folder
# of the library itself.
LAYERS = {
    "libubf": ["base", "tables", "convert", "viewdef", "store", "regex",
               "access", "view", "expr", "io", "json"],
    "libatmi": ["base", "log", "nstd", "waking", "domain", "span", "lcf/follow", "wire", "subs", "door", "cache",
                "transport/block", "transport", "transport/mail",
                "transport/posix",
                "transport/shm", "reply", "member", "buffer", "route", "converse/ends",
                "call", "converse", "lcf", "unsol", "loop", "post", "xa", "tran", "durable", "mib", "gate/guest", "gate", "context"],
    "libatmisrv": [""],
    "libndrx": ["storage", "config", "prepare", "observe", "model", "blackbox", "figures"],
    "drivers/aqdisk": [""],
    "drivers/parking": [""],
    "drivers/xamariadb": [""],
    "drivers/xapq": [""],
    "servers/blackbox": [""],
    "servers/bridge": ["wire", "peers", "directory", "out", "in",
                       "conversation", "transaction", "waits", ""],
    "servers/gate": [""],
    "servers/tmsrv": [""],
    "servers/tmqueue": [""],
    "servers/tpadmsv": [""],
    "servers/tpevsrv": [""],
    "servers/tprecover": [""],
    "ndrxd": ["launch", "model", "report", "groups", "servers",
              "clients", "supervise", "control", ""],
    "clients/xadmin": ["output", "command", "domain", "list", "control",
                       "durable", "repair", "setup", "import", "scan", "doctor", "session",
                       "prompt", "table", ""],
    "clients/ndrxtop": ["console", "paint", ""],
    "clients/ndrxmetrics": [""],
    "clients/ndrxotel": [""],
    "clients/ndrxweb": [""],
    "clients/buildserver": [""],
    "clients/tm": [""],
    "clients/encrypt": [""],
    "clients/exbench": [""],
    "clients/common": [""],
}
# Folders of one layer that know nothing of each other.
APART = {("transport/posix", "transport/shm")}
# Of libatmi, programs that are not servers see what lies below buffers and
# calls.
CALL_FOLDERS = {"reply", "buffer", "converse", "call", "unsol", "context"}
# Programs of one folder share what is in these folders, and nothing else.
PROGRAMS = ("clients", "drivers", "servers")
SHARED = ("clients/common/", "drivers/parking/")
# Servers offer services of their own; the bridge sees all of libatmisrv.
OWN_SERVICES = "libatmisrv/own.h"
SEES_INSIDE = "servers/bridge"
TRANSPORTS = "libatmi/transport"
FILE_LINES, FUNCTION_LINES = 600, 60
# For log lines and listings, and for programs that ask for it.
WALL_CLOCK = {"libatmi/base/clock.h", "libatmi/nstd/stdutil.c"}

INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:lib|ndrxd|drivers|servers|clients)[^"]*)"', re.M)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|#if 0\b")


def library(path):
    """(library or program with layers, folder inside it) of a file."""
    parts = pathlib.PurePath(path).parts
    for root in LAYERS:
        depth = root.count("/") + 1
        if parts[:depth] == tuple(root.split("/")):
            return root, "/".join(parts[depth:-1])
    return None, None


def transports():
    """The folders that are transports."""
    return [p.parent.name for p in
            (ROOT / TRANSPORTS).glob("*/transport.c")]


def check_transport(path, code):
    """Outside of its folder nobody names a transport: neither its headers nor
    its name as a text that a program compares."""
    if str(path).startswith(TRANSPORTS + "/"):
        return
    for name in transports():
        if f'"{TRANSPORTS}/{name}/' in code or \
                f"ow_transport_{name}" in code:
            yield f"uses the inside of transport {name}"
        if f'"{name}"' in code:
            yield f"names transport {name}"


def mirrored():
    """Folders of unit tests that mirror no folder of sources."""
    unit = ROOT / "tests/unit"
    for path in sorted(unit.rglob("test_*.c")):
        folder = path.parent.relative_to(unit)
        if folder.parts[0] != "headers" and not (ROOT / folder).is_dir():
            yield f"tests/unit/{folder} mirrors no folder of sources"


def check_between(path, header):
    """Between libraries and programs."""
    layer, folder = path.parts[0], header.split("/")[0]
    if folder not in MAY_INCLUDE[layer]:
        yield f"includes {header}: {layer} may not use {folder}"
    if layer == folder and layer in PROGRAMS \
            and not header.startswith(SHARED) \
            and path.parts[1] != header.split("/")[1]:
        yield f"includes {header}: programs share {SHARED} only"
    inside = str(path).startswith(SEES_INSIDE + "/")
    if layer not in ("libatmi", "libatmisrv") and not inside \
            and folder == "libatmi" \
            and header.split("/")[1] in CALL_FOLDERS:
        yield f"includes {header}: a header of calls"
    if layer in ("servers", "clients") and folder == "libatmisrv" \
            and not inside and header != OWN_SERVICES:
        yield f"includes {header}: servers see {OWN_SERVICES}"


def check_inside(path, header):
    """Between the folders of one library."""
    own, folder = library(path)
    other, used = library(header)
    if own is None or own != other or used == folder:
        return
    order = LAYERS[own]
    for name in (folder, used):
        if name not in order:
            yield f"{own}/{name} has no place in LAYERS"
            return
    if order.index(used) > order.index(folder) or \
            (used, folder) in APART or (folder, used) in APART:
        yield f"includes {header}: {own}/{folder} is below {own}/{used}"


def check_includes(path, text):
    for header in INCLUDE.findall(text):
        yield from check_between(path, header)
        yield from check_inside(path, header)


def module(path):
    """A source and its header are one module."""
    return re.sub(r"\.[ch]$", "", str(path))


def cycles(graph):
    """The strongly connected parts of more than one module (Tarjan)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            part = []
            while not part or part[-1] != node:
                part.append(stack.pop())
            if len(part) > 1:
                found.append(sorted(part))

    sys.setrecursionlimit(10000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


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


def check_waits(path, code):
    """Nothing waits by the wall clock."""
    if "CLOCK_REALTIME" in code and str(path) not in WALL_CLOCK:
        yield "names CLOCK_REALTIME: libatmi/base/clock.h has the clocks"
    if "pthread_cond_timedwait(" in code and \
            "pthread_condattr_setclock(" not in code:
        yield "a condition variable that waits by the wall clock"


def check_setjmp(path, text):
    if re.search(r"\b_?(sig)?setjmp\s*\(", text) and path.name != "dispatch.c":
        yield "setjmp() outside of dispatch.c"
    if re.search(r"^\s*goto\b", text, re.M):
        yield "goto"


def check_used(path, other):
    """A file uses a function of another one."""
    layer, folder = path.parts[0], other.split("/")[0]
    if folder not in MAY_INCLUDE[layer]:
        yield f"uses {other}: {layer} may not use {folder}"
    elif layer == folder and layer in PROGRAMS and \
            not other.startswith(SHARED) and \
            library(path)[0] != library(other)[0]:
        yield f"uses {other}: programs share {SHARED} only"
    own, folder = library(path)
    if own == library(other)[0] and LAYERS[own].index(folder) < \
            LAYERS[own].index(library(other)[1]):
        yield f"uses {other}, which is above it"


def told():
    """What the overview of the design says otherwise."""
    text = (ROOT / "doc/design/README.md").read_text()
    for name in ("libubf", "libatmi"):
        row = re.search(rf"^\| `{name}/` \| (.+) \|$", text, re.M)
        said = re.sub(r" \([^)]*\)", "", row[1]) if row else ""
        if re.split(", | and ", said) != LAYERS[name]:
            yield f"doc/design/README.md: other layers of {name}: {said}"
        for folder in dict.fromkeys(f.split("/")[0] for f in LAYERS[name]):
            if not re.search(rf"^\| [^|]*`{folder}`[^|]* \| ", text, re.M):
                yield f"doc/design/README.md: what is {name}/{folder}?"


def main():
    found, graph = [], {}
    for layer in MAY_INCLUDE:
        for path in sorted((ROOT / layer).rglob("*.[ch]")):
            rel = path.relative_to(ROOT)
            text = path.read_text()
            code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
            problems = [*check_includes(rel, text), *check_head(rel, text),
                        *check_size(text), *check_setjmp(rel, code),
                        *check_transport(rel, code),
                        *check_waits(rel, code)]
            if UNFINISHED.search(text):
                problems.append("something unfinished")
            found += [f"{rel}: {p}" for p in problems]
            used = graph.setdefault(module(rel), set())
            used |= {module(h) for h in INCLUDE.findall(text)} - {module(rel)}
    found += [*mirrored(), *told()]
    found += ["include cycle: " + ", ".join(c) for c in cycles(graph)]
    if len(sys.argv) > 2:
        found += calls.check(ROOT, pathlib.Path(sys.argv[2]), library,
                             check_used, MAY_INCLUDE, cycles)
    print("\n".join(found) or "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
