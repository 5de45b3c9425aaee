#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""glossary.py SOURCE - the words of doc/glossary.md are in alphabetical order

No word stands there twice. That the files exist is checked by links.py.
"""
import pathlib
import re
import sys

TEXT = (pathlib.Path(sys.argv[1]) / "doc/glossary.md").read_text()


def main():
    words = [w.lower() for w in re.findall(r"^\*\*(.+?)\*\* - ", TEXT, re.M)]
    found = [f"{b} stands after {a}" for a, b in zip(words, words[1:])
             if a >= b]
    if len(words) < 50:
        found.append("the glossary is not understood")
    if TEXT.count("\n**") != TEXT.count("\n\n**"):
        found.append("a word without an empty line before it")
    print("\n".join(found) or f"{len(words)} words in order")
    return 1 if found else 0


sys.exit(main())
