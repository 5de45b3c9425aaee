#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py SOURCE COMPILER - manual pages agree with the headers

Every example compiles without a warning. Every public function that is built
stands in the NAME section of exactly one page and in its SYNOPSIS, and so do
functions that applications write; nothing else does. Errors are names that the headers define; pages of functions that
can fail have some.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT, CC = pathlib.Path(sys.argv[1]), sys.argv[2]
HEADERS = ("ubf.h", "xatmi.h", "xatmi_srv.h", "xatmi_tx.h", "userlog.h",
           "ndebug.h", "nerror.h", "tpadm.h", "nstopwatch.h", "nstdutil.h",
           "ubfutil.h")
# Written by applications, or for the macros of a header only.
NOT_OURS = re.compile(r"int|void|tpsvr\w+|tpservice|ow_\w+|_tm\w+")
MACROS = {"tpadvertise"}
# Functions that applications write, and the type of an argument: without a
# declaration that is ours, but with a page.
WRITTEN = {"tpsvrinit", "tpsvrdone", "tpsvrthrinit", "tpsvrthrdone",
           "tpservice"}
TYPES = {"TPSVCINFO"}
# Pages of functions that do not fail, or do not return.
CANNOT_FAIL = {"Bstrerror", "Nstrerror", "ndrx_fork", "ndrx_main",
               "nstdutil", "nstopwatch", "tplog",
               "tplogfplock", "tpreturn", "tpservice", "tpstrerror",
               "tpsvrinit", "userlog"}

DECLARATION = re.compile(
    r"\s*(?:extern\s+)?(?:const\s+|struct\s+|unsigned\s+|long\s+(?=long))*[A-Za-z_]\w*[\s*]+"
    r"\(?\*?([A-Za-z_]\w*)\s*\(.*\)\s*(?:__attribute__.*)?$", re.S)


def declared():
    found = set()
    for header in HEADERS:
        text = (ROOT / "include" / header).read_text()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = text.replace("\\\n", " ").replace('extern "C" {', "")
        text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
        for part in re.split(r"[;{}]", text):
            match = DECLARATION.match(part)
            if match and not re.match(r"\s*(typedef|static|return|do)\b",
                                      part):
                found.add(match[1])
    return {n for n in found if not NOT_OURS.fullmatch(n)}


def unbuilt():
    """Functions of libatmi and libatmisrv that only say they are not there."""
    found = set()
    for path in [*ROOT.glob("libatmi/unbuilt/*.c"),
                 ROOT / "libatmisrv/unbuilt.c"]:
        found |= set(re.findall(r"(?:UNBUILT\([^;]*?,\s*[^,]+?,|"
                                r"(?:UNBUILT_VOID|NOTHING)\()"
                                r"\s*([A-Za-z_]\w*)\s*,", path.read_text()))
    return found


def constants():
    text = "".join(p.read_text() for p in (ROOT / "include").glob("*.h"))
    return set(re.findall(r"^#define\s+(\w+)", text, re.M))


def example(page):
    code = page.split(".Sh EXAMPLES", 1)[1].split(".Bd -literal\n", 1)[1]
    return code.split("\n.Ed", 1)[0].replace("\\&", "").replace("\\e", "\\")


def compiles(code, folder):
    source = pathlib.Path(folder) / "example.c"
    source.write_text(code + "\n")
    result = subprocess.run(
        [CC, "-std=gnu11", "-Wall", "-Werror", "-fsyntax-only",
         f"-I{ROOT / 'include'}", str(source)],
        capture_output=True, text=True, check=False)
    return result.stderr if result.returncode else ""


def main():
    problems, named, known = [], {}, constants()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((ROOT / "doc/man/man3").glob("*.3")):
            page = path.read_text()
            names = re.findall(r"^\.Nm (\w+)", page, re.M)
            for name in names:
                if name in named:
                    problems.append(f"{path.name}: {name} is also in "
                                    f"{named[name]}")
                named[name] = path.name
                if name not in MACROS | TYPES and \
                        not re.search(rf"^\.Fn \"?{name}\b", page, re.M):
                    problems.append(f"{path.name}: no prototype of {name}")
            errors = re.findall(r"^\.It Er (\w+)", page, re.M)
            if not errors and path.stem not in CANNOT_FAIL:
                problems.append(f"{path.name}: no errors")
            for error in errors:
                if error not in known:
                    problems.append(f"{path.name}: no error {error}")
            said = compiles(example(page), folder)
            if said:
                problems.append(f"{path.name}: the example:\n{said}")
    public = declared()
    for name in sorted((public - unbuilt() | WRITTEN | TYPES) - set(named)):
        problems.append(f"no page names {name}")
    for name in sorted(set(named) - public - MACROS - WRITTEN - TYPES):
        problems.append(f"{named[name]}: there is no function {name}")
    print("\n".join(problems) or f"{len(named)} functions have their page")
    return 1 if problems else 0


sys.exit(main())
