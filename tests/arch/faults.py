#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults.py SOURCE BUILD - a fault point is in the build that can hit it

CMakeLists.txt of tests/unit choose the sources that are compiled once more with
OW_FAULTS. A source of the runtime with a fault point of its own or of a header
that it includes, by whatever way, must be among them: a test would kill nothing
there.
"""
import functools
import json
import pathlib
import re
import sys

ROOT, BUILD = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
POINT = re.compile(r"\bOW_FAULT\(")
DEFINES = "libatmi/base/fault.h"
TOPS = ("libubf", "libatmi", "libatmisrv", "libndrx", "ndrxd", "servers",
        "drivers", "clients")


@functools.cache
def includes(name):
    """The files of the project that a file includes, and itself."""
    path = ROOT / name
    if name == DEFINES or not path.exists():
        return frozenset()
    found = re.findall(r'^#include "([^"]+)"', path.read_text(), re.M)
    return frozenset({name}).union(*map(includes, found))


def main():
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    built = {str(pathlib.Path(c["file"]).relative_to(ROOT)) for c in commands
             if "-DOW_FAULTS" in c["command"] and c["file"].startswith(str(ROOT))}
    files = [f for top in TOPS for f in (ROOT / top).rglob("*.[ch]")]
    points = {str(f.relative_to(ROOT)) for f in files
              if POINT.search(f.read_text())} - {DEFINES}
    sources = [str(f.relative_to(ROOT)) for f in files if f.suffix == ".c"]
    wanted = {s for s in sources if includes(s) & points}
    for source in sorted(wanted - built):
        print(f"{source} has fault points, but is not compiled with OW_FAULTS: "
              "configure again (cmake --preset check), or choose it in "
              "CMakeLists.txt of its folder in tests/unit")
    print(f"{len(points)} files with fault points, {len(wanted)} sources")
    return 1 if wanted - built or not wanted else 0


sys.exit(main())
