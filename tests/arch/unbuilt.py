#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unbuilt.py - README.md lists exactly the functions that are not built yet

The lists are made from the files unbuilt.c of the libraries. With --write the
section of the README is written anew; without, it is compared.
"""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(sys.argv[1]).resolve()
BEGIN = "These functions link, fail with TPEPROTO and say so in " \
        "`tpstrerror()`:\n"
END = "\n## "


def families(path):
    """(family, names) of what fails in one file, in its order."""
    found, family = [], ""
    for line in path.read_text().splitlines():
        title = re.fullmatch(r"/\* (.*?) \*/", line)
        call = re.match(r"(?:UNBUILT|UNBUILT_VOID|NOTHING)\((.*)", line)
        written = re.search(r'"(tp\w+): not built yet"', line)
        name = written.group(1) if written else None
        if title:
            family = title.group(1)
        elif call:
            words = [w.strip() for w in call.group(1).split(",")]
            name = next((w for w in words
                         if re.fullmatch(r"(tp|tx_|ax_|ndrx_)\w+", w)), None)
        if name:
            if not found or found[-1][0] != family:
                found.append((family, []))
            found[-1][1].append(name)
    return found


def wanted():
    lines = []
    for lib, mark in (("libatmi/unbuilt", ""), ("libatmisrv", "Server: ")):
        for family, names in families(ROOT / lib / "unbuilt.c"):
            lines.append(f"- {mark}{family}: {', '.join(names)}")
    lines.append("- The object API (`O<name>(TPCONTEXT_T *, ...)`), all of it: "
                 "oatmi.h, oatmisrv.h, oubf.h, odebug.h")
    return "".join(textwrap.fill(line, 100, subsequent_indent="  ",
                                 break_long_words=False,
                                 break_on_hyphens=False) + "\n"
                   for line in lines)


def main():
    readme = ROOT / "README.md"
    text = readme.read_text()
    start = text.index(BEGIN) + len(BEGIN)
    end = text.index(END, start)
    new = text[:start] + "\n" + wanted() + text[end:]
    if "--write" in sys.argv:
        readme.write_text(new)
    elif new != text:
        print("README.md: the list of what is not built is not that of the "
              "unbuilt.c files:\n" + wanted())
        return 1
    return 0


sys.exit(main())
