#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compilers.py FOLDER HEADER... - each public header compiles alone, whoever compiles

C99, C11, C++11 and C++17, with every compiler of gcc and clang that is
installed, warnings as errors. Headers that only refuse are not among them. The build compiles the headers once more (CMakeLists.txt), so
that a slip is seen at once; this test has the other compilers and standards.
"""
import shutil
import subprocess
import sys

FOLDER, HEADERS = sys.argv[1], sys.argv[2:]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
RUNS = {"gcc": ("c99", "c11"), "clang": ("c99", "c11"),
        "g++": ("c++11", "c++17"), "clang++": ("c++11", "c++17")}


def compiles(compiler, standard, header):
    """None, or what the compiler says."""
    language = "c++" if "++" in compiler else "c"
    done = subprocess.run(
        [compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only",
         f"-I{FOLDER}", "-x", language, "-"],
        input=f"#include <{header}>\nextern int ow_used;\n", capture_output=True, text=True,
        check=False)
    return done.stderr if done.returncode else None


def main():
    problems, count, missing = [], 0, []
    for compiler, standards in RUNS.items():
        if shutil.which(compiler) is None:
            missing.append(compiler)
            continue
        for standard in standards:
            for header in HEADERS:
                count += 1
                said = compiles(compiler, standard, header)
                if said is not None:
                    problems.append(f"{compiler} -std={standard} {header}:\n"
                                    f"{said}")
    print("\n".join(problems) or f"{len(HEADERS)} headers, {count} times")
    if missing:
        print("not installed:", *missing)
    return 1 if problems or not HEADERS or "gcc" in missing else 0


sys.exit(main())
