#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""calls.py - who calls whom, from the symbols of the compiled objects

For layers.py: what it says of includes holds for calls, too. A file uses
functions and data of its own layer and of lower ones, and the files of one
library or program do not need each other in a circle. What a file passes as a
pointer (a callback, a table of operations) is no call of the one who uses it.
"""
import collections
import json
import pathlib
import subprocess

# (file that uses, file that is used): why it stays.
TABLE = "a table of data, whose functions nobody calls by name"
KNOWN = {
    ("libatmi/transport/registry.c", "libatmi/transport/posix/transport.c"):
        "the one place that has all transports, made by CMake",
    ("libatmi/transport/registry.c", "libatmi/transport/shm/transport.c"):
        "the one place that has all transports, made by CMake",
    ("libatmi/transport/posix/queue.c",
     "libatmi/transport/posix/transport.c"): TABLE,
    ("libatmi/transport/posix/waitset.c",
     "libatmi/transport/posix/transport.c"): TABLE,
    ("libatmi/transport/shm/queue.c", "libatmi/transport/shm/transport.c"):
        TABLE,
    ("libatmi/transport/shm/waitset.c", "libatmi/transport/shm/transport.c"):
        TABLE,
    ("clients/xadmin/command/command.c", "clients/xadmin/table/table.c"):
        TABLE,
    ("libatmi/call/life.c", "libatmi/gate/guest/calls.c"): TABLE,
    ("libatmi/call/share.c", "libatmi/context/single.c"): TABLE,
    ("libatmi/call/tpcall.c", "libatmi/mib/tpadmcall.c"): TABLE,
    ("libatmi/mib/object.c", "libatmi/mib/objects_domain.c"): TABLE,
    ("libatmi/mib/object.c", "libatmi/mib/objects_server.c"): TABLE,
    ("libatmi/mib/object.c", "libatmi/mib/objects_service.c"): TABLE,
}
KNOWN |= {
    ("libubf/store/check_heap.c", "libubf/store/check.c"):
        "a field may hold a buffer, which is checked as the whole is",
    ("libatmi/buffer/callinfo.c", "libatmi/buffer/wire.c"):
        "a call header holds a buffer, which arrives as any other",
    ("libatmi/log/log.c", "libatmi/log/emit.c"):
        "what is wrong with the settings of the log is said in the log",
}
# What a server defines and the library calls.
OF_PROGRAMS = {"main", "tpsvrinit", "tpsvrdone", "tpsvrthrinit",
               "tpsvrthrdone"}


def objects(root, build, library):
    """Source -> object, of what is built for use: tests build some again."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if not path.is_relative_to(root):
            continue
        path = path.relative_to(root)
        made = entry["command"].split(" -o ")[1].split()[0]
        if library(path)[0] and not made.startswith(("tests/", "bench/")):
            found.setdefault(str(path), made)
    return {path: made for path, made in found.items()
            if (build / made).exists()}


def symbols(build, found):
    """(symbol -> files that define it, file -> symbols that it uses)."""
    source = {made: path for path, made in found.items()}
    out = subprocess.run(["nm", "-A", "-g", *found.values()], cwd=build,
                         check=True, capture_output=True, text=True).stdout
    defined = collections.defaultdict(list)
    used = collections.defaultdict(set)
    for line in out.splitlines():
        made, _, rest = line.partition(".o:")
        path, (kind, name) = source[made + ".o"], rest.split()[-2:]
        if kind in "Uwv":
            used[path].add(name)
        elif not name.startswith("_.stapsdt"):
            defined[name].append(path)
    return defined, used


def edges(build, found, library, may_use):
    """File -> {file that it uses: symbols}."""
    defined, used = symbols(build, found)
    graph = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, names in used.items():
        own, layer = library(path)[0], path.split("/")[0]
        for name in names - OF_PROGRAMS:
            homes = sorted(defined.get(name, ()), key=lambda home: (
                library(home)[0] != own,
                home.split("/")[0] not in may_use[layer]))
            if homes and homes[0] != path:
                graph[path][homes[0]].add(name)
    return graph


def check(root, build, library, check_place, may_use, cycles):
    """What is wrong. `check_place(path, other)` says what is wrong with
    the places of a file and one that it uses."""
    found = objects(root, build, library)
    graph = edges(build, found, library, may_use)
    needed = set()
    for path in list(graph):
        for other, names in list(graph[path].items()):
            if (path, other) in KNOWN:
                needed.add((path, other))
                del graph[path][other]
                continue
            some = ", ".join(sorted(names)[:3])
            for problem in check_place(pathlib.PurePath(path), other):
                yield f"{path}: by {some}: {problem}"
    for cycle in cycles({path: set(used) for path, used in graph.items()}):
        yield "cycle of calls: " + ", ".join(cycle)
        for path in cycle:
            for other in cycle:
                if other in graph[path]:
                    some = ", ".join(sorted(graph[path][other])[:3])
                    yield f"\t{path} -> {other}: {some}"
    for pair in KNOWN:
        if pair not in needed and all(path in found for path in pair):
            yield f"calls.py: not needed any more: {pair}"
