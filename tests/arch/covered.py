#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""covered.py - each configuration element and each xadmin command has a fact

    tests/arch/covered.py [SOURCE]              the arch test
    tests/arch/covered.py --without BUILD [N]   what ./check --all adds, N stories
                                                at once (else two for each CPU)

A fact of tests/e2e names what it tests with @covers, or with @accepts for
elements that are read without effect (tests/e2e/covers.py). Three checks make
these names binding:

1. this script: each element and attribute of conf/ndrxconfig.rng and each
   command of xadmin is named by a fact, and nothing else is named;
2. each run of a fact: it fails unless it has set the element in a
   configuration that ndrxd or xadmin read, and has given the command;
3. --without: each fact that names something runs again, once for each name,
   without that element or command. It must fail then: a fact that passes does
   not assert the effect.

The third takes a few minutes, so that it is not part of ./check. Wrong values
are tests/unit/libndrx/config/test_config_every.c's.
"""
import ast
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

SKIPPED = 77  # this machine cannot run the story
ROOT = pathlib.Path(__file__).resolve().parents[2]
RNG = "{http://relaxng.org/ns/structure/1.0}"
DOC = "{http://relaxng.org/ns/compatibility/annotations/1.0}documentation"


def settings():
    """Names of the schema."""
    grammar = ET.parse(ROOT / "conf/ndrxconfig.rng").getroot()
    defines = {d.get("name"): d for d in grammar.iter(RNG + "define")}
    names = set()

    def walk(node):
        name = node.get("name")
        if node.tag == RNG + "ref":
            walk(defines[name])
            return
        if node.tag in (RNG + "element", RNG + "attribute"):
            # Any attribute: its documentation names those that are known.
            open_ones = node.find(DOC) if name is None else None
            names.update([name] if name else open_ones.text.split())
        for child in node:
            walk(child)

    walk(grammar.find(RNG + "start"))
    return names


def commands():
    text = "".join(p.read_text() for p in sorted(
        (ROOT / "clients/xadmin/table").glob("*.c")))
    return {"xadmin " + name
            for name in re.findall(r"\{ \.name = \"(\w+)\"", text)}


def stories():
    return sorted((ROOT / "tests/e2e").glob("*/story.py"))


def named(path, marks=("covers", "accepts")):
    """What the facts of a story cover or accept."""
    for fact in ast.parse(path.read_text()).body:
        for mark in getattr(fact, "decorator_list", ()):
            if isinstance(mark, ast.Call) and \
                    getattr(mark.func, "id", "") in marks:
                yield from (ast.literal_eval(word) for word in mark.args)


def check_names():
    known = settings() | commands()
    if len(settings()) < 60 or len(commands()) < 40:
        sys.exit("the schema or the table of commands is not understood")
    told = {name for path in stories() for name in named(path)}
    for name in sorted(known - told):
        print(f"tests/e2e: no fact covers {name}")
    for name in sorted(told - known):
        print(f"tests/e2e: a fact covers {name}, which is not known")
    return 1 if known != told else 0


def run_without(path, build):
    env = {**os.environ, "OW_BUILD": os.path.abspath(build)}
    r = subprocess.run(
        [sys.executable, "-B", str(ROOT / "tests/e2e/run.py"),
         str(path.parent), "--without"], env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False)
    # all.py writes down what has failed: with its story.
    said = {0: "ok", SKIPPED: "skipped\n" + r.stdout}.get(r.returncode) or \
        re.sub(r"^FAILED +", f"FAILED   {path.parent.name}: ", r.stdout,
               flags=re.M)
    print(f"{path.parent.name}: {said}", flush=True)
    return r.returncode


def main():
    if sys.argv[1:2] != ["--without"]:
        return check_names()
    # The longest first.
    todo = sorted(stories(), key=lambda p: -len([*named(p, ["covers"])]))
    width = int(sys.argv[3]) if len(sys.argv) > 3 else 2 * os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(width) as pool:
        results = list(pool.map(
            lambda path: run_without(path, sys.argv[2]),
            (p for p in todo if any(named(p, ["covers"])))))
    passed, skipped = results.count(0), results.count(SKIPPED)
    failed = len(results) - passed - skipped
    print(f"{passed} passed, {failed} failed, {skipped} skipped, 0 unstable")
    return 1 if failed else 0


sys.exit(main())
