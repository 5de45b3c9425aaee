#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py SOURCE - manual pages agree with the headers

Every page has an example, and a program in tests/man/examples that runs it.
Every public function that is built
stands in the NAME section of exactly one page and in its SYNOPSIS, and so do
functions that applications write; nothing else does. Errors are names that the headers define; pages of functions that
can fail have some.
"""
import pathlib
import re
import sys

from extract import example

ROOT = pathlib.Path(sys.argv[1])
HEADERS = ("ubf.h", "xatmi.h", "xatmi_srv.h", "xatmi_tx.h", "tx.h", "xa.h", "userlog.h",
           "ndebug.h", "nerror.h", "tpadm.h", "nstopwatch.h", "nstdutil.h",
           "ubfutil.h", "inicfg.h", "cconfig.h", "exthpool.h", "lcf.h", "tpbind.h", "atmi.h", "oatmi.h", "oatmisrv.h", "oubf.h", "odebug.h")
# Written by applications, or for the macros of a header only.
NOT_OURS = re.compile(r"int|void|tpsvr\w+|tpservice|ow_\w+|_tm\w+")
MACROS = {"tpadvertise"}
# Functions that applications write, and the type of an argument: without a
# declaration that is ours, but with a page.
WRITTEN = {"tpsvrinit", "tpsvrdone", "tpsvrthrinit", "tpsvrthrdone",
           "tpservice"}
TYPES = {"TPSVCINFO"}
# Variables that applications set: tmenv.h declares them.
VARIABLES = {"proc_name"}
# Pages of functions that do not fail, or do not return.
CANNOT_FAIL = {"Bstrerror", "Nstrerror", "ndrx_fork", "ndrx_main",
               "nstdutil", "nstopwatch", "ndrx_thpool_init", "tplog",
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


def constants():
    text = "".join(p.read_text() for p in (ROOT / "include").glob("*.h"))
    return set(re.findall(r"^#define\s+(\w+)", text, re.M))


def check_example(path):
    """The page's example is compiled and run."""
    code = example(path.read_text())
    driver = ROOT / "tests/man/examples" / f"{path.stem}.c"
    if code is None:
        return f"{path.name}: no example"
    if not driver.is_file():
        return f"{path.name}: no program tests/man/examples/{driver.name}"
    if f'#include "{path.stem}.inc"' not in driver.read_text():
        return f"tests/man/examples/{driver.name} lacks the example"
    return None


def main():
    problems, named, known = [], {}, constants()
    for path in sorted((ROOT / "doc/man/man3").glob("*.3")):
        page = path.read_text()
        names = re.findall(r"^\.Nm (\w+)", page, re.M)
        for name in names:
            if name in named:
                problems.append(f"{path.name}: {name} is also in "
                                f"{named[name]}")
            named[name] = path.name
            line = rf"^\.Vt extern .*\b{name} ;" if name in VARIABLES \
                else rf"^\.Fn \"?{name}\b"
            if name not in MACROS | TYPES and not re.search(line, page, re.M):
                problems.append(f"{path.name}: no prototype of {name}")
        errors = re.findall(r"^\.It Er (\w+)", page, re.M)
        if not errors and path.stem not in CANNOT_FAIL:
            problems.append(f"{path.name}: no errors")
        for error in errors:
            if error not in known:
                problems.append(f"{path.name}: no error {error}")
        problems += filter(None, [check_example(path)])
    public = declared()
    for name in sorted((public | WRITTEN | TYPES | VARIABLES) -
                       set(named)):
        problems.append(f"no page names {name}")
    for name in sorted(set(named) - public - MACROS - WRITTEN - TYPES -
                       VARIABLES):
        problems.append(f"{named[name]}: there is no function {name}")
    print("\n".join(problems) or f"{len(named)} functions have their page")
    return 1 if problems else 0


sys.exit(main())
