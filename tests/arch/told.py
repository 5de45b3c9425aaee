#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""told.py - no element and no command is without a story

Each element and attribute of the schema of ndrxconfig.xml that has an effect
is written into a configuration by a story of tests/e2e, and each command of
xadmin is given by one. (Wrong values: tests/unit/ndrxd/config/test_config_every.c.)
"""
import ast
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

ROOT = pathlib.Path(sys.argv[1]).resolve()
RNG = "{http://relaxng.org/ns/structure/1.0}"
# Sections of services that transactions and routing will read.
LATER = {"services", "routing"}


def settings():
    """Names of the schema, but for those that only LATER leads to."""
    grammar = ET.parse(ROOT / "conf/ndrxconfig.rng").getroot()
    defines = {d.get("name"): d for d in grammar.iter(RNG + "define")}
    names = set()

    def walk(node):
        name = node.get("name")
        if node.tag == RNG + "ref":
            if name not in LATER:
                walk(defines[name])
            return
        if node.tag in (RNG + "element", RNG + "attribute"):
            names.add(name)
        for child in node:
            walk(child)

    walk(grammar.find(RNG + "start"))
    return names - LATER


def commands():
    text = (ROOT / "clients/xadmin/table.c").read_text()
    return set(re.findall(r"\{ \.name = \"(\w+)\"", text))


def strings(path):
    """The texts in a story; those of an f-string in one piece."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            yield "".join(v.value if isinstance(v, ast.Constant) else "{}"
                          for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def words_of(texts):
    """What is written, what is given: names in tags and before `=`, texts
    that are one word, first words of lines."""
    for text in texts:
        yield from re.findall(r"<(\w+)", text)
        yield from re.findall(r"\b(\w+)=", text)
        yield from re.findall(r"^(\w+)\b", text, re.M)


def main():
    told = set()
    for story in sorted((ROOT / "tests/e2e").glob("*/story.py")):
        told |= set(words_of(strings(story)))
    told |= set(words_of(strings(ROOT / "tests/e2e/fixture.py")))
    known, given = settings(), commands()
    if len(known) < 60 or len(given) < 40:
        sys.exit("the schema or the table of commands is not understood")
    missing = [f"<{n}>, {n}=" for n in sorted(known - told)]
    missing += [f"xadmin {n}" for n in sorted(given - told)]
    for what in missing:
        print(f"tests/e2e: no story has {what}")
    return 1 if missing else 0


sys.exit(main())
