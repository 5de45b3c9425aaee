#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""runpath.py - programs and libraries never look for libraries in the current
folder

An empty or relative element of RPATH or RUNPATH lets whoever may write to the
current folder choose the code that runs. Looks at bin/ and lib/ of a build.
"""
import pathlib
import re
import subprocess
import sys

BUILD = pathlib.Path(sys.argv[1])


def run_paths(path):
    """The elements of the run path of one ELF file."""
    listed = subprocess.run(["readelf", "-d", path], capture_output=True,
                            text=True, check=True).stdout
    return [e for text in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", listed)
            for e in text.split(":")]


def main():
    files = [p for d in ("bin", "lib") for p in sorted((BUILD / d).iterdir())
             if p.is_file() and not p.is_symlink()
             and p.read_bytes()[:4] == b"\x7fELF"]
    bad = [f"{p}: {e!r}" for p in files for e in run_paths(p)
           if not e.startswith(("/", "$ORIGIN"))]
    print("\n".join(bad) or f"{len(files)} files")
    return 1 if bad or len(files) < 10 else 0


sys.exit(main())
