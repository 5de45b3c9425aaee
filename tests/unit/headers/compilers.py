#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compilers.py FOLDER HEADER... - each public header compiles alone, whoever compiles

Each alone as C99 and as C++11, all together as C11 and as C++17, too, with
every compiler of gcc and clang that is installed, warnings as errors. Headers
that only refuse are not among them.
"""
import shutil
import subprocess
import sys

FOLDER, HEADERS = sys.argv[1], sys.argv[2:]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Werror"]
RUNS = {"gcc": ("c99", "c11"), "clang": ("c99", "c11"),
        "g++": ("c++11", "c++17"), "clang++": ("c++11", "c++17")}


def compiles(compiler, standard, headers):
    """None, or what the compiler says."""
    language = "c++" if "++" in compiler else "c"
    source = "".join(f"#include <{header}>\n" for header in headers)
    done = subprocess.run(
        [compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only",
         f"-I{FOLDER}", "-x", language, "-"],
        input=source + "extern int ow_used;\n", capture_output=True, text=True,
        check=False)
    return done.stderr if done.returncode else None


def main():
    problems, count, missing = [], 0, []
    for compiler, (oldest, newest) in RUNS.items():
        if shutil.which(compiler) is None:
            missing.append(compiler)
            continue
        for standard, headers in (*((oldest, [h]) for h in HEADERS),
                                  (oldest, HEADERS), (newest, HEADERS)):
            count += 1
            said = compiles(compiler, standard, headers)
            if said is not None:
                problems.append(f"{compiler} -std={standard} "
                                f"{', '.join(headers)}:\n{said}")
    print("\n".join(problems) or f"{len(HEADERS)} headers, {count} times")
    if missing:
        print("not installed:", *missing)
    return 1 if problems or not HEADERS or "gcc" in missing else 0


sys.exit(main())
