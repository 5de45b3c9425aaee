#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""file_names.py SOURCE - a file is called by words that a reader can look up

Each word of the name of a source file, and of its folders, is in doc/glossary.md, or the name of
a public function or header, or a word of tests/arch/plain_words.txt: English, the
trade's own, and names of programs and formats, which need no explanation. A plain word that is in the glossary, too, or that no
file has, is taken out.
"""
import pathlib
import re
import sys

import public_names

ROOT = pathlib.Path(sys.argv[1]).resolve()
PLAIN = ROOT / "tests/arch/plain_words.txt"
FOLDERS = ("libubf", "libatmi", "libatmisrv", "libndrx", "servers", "ndrxd",
           "clients", "drivers")


def glossary():
    """The words of its entries, and those that an entry explains besides."""
    text = (ROOT / "doc/glossary.md").read_text()
    entries = re.findall(r"^\*\*(.+?)\*\* - ", text, re.M) + \
        re.findall(r"(?<!\*)\*(\w[\w -]*)\*(?!\*)", text)
    return {word for entry in entries
            for word in re.split(r"[ ,-]+", entry.lower())}


def singular(word):
    for end, to in (("ies", "y"), ("ches", "ch"), ("sses", "ss"),
                    ("xes", "x"), ("s", "")):
        if word.endswith(end) and len(word) > 3:
            yield word[:len(word) - len(end)] + to


def names():
    """(word, file) of all files."""
    for top in FOLDERS:
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            name = path.relative_to(ROOT)
            if path.stem.startswith("ow_"):
                continue
            for part in (*name.parts[1:-1], path.stem):
                for word in part.split("_"):
                    yield word.lower(), str(name)


def main():
    known, plain = glossary(), set(PLAIN.read_text().split())
    public = {re.sub(r"\.h$", "", name).lower()
              for name in public_names.known(ROOT)}
    found, used = [], set()
    for word, name in names():
        forms = {word, *singular(word)}
        if forms & known or word in public:
            continue
        used |= forms & plain
        if not forms & plain:
            found.append(f"{name}: what is \"{word}\"? Neither glossary nor "
                         "plain word")
    found += [f"plain_words.txt: {word} is in no name, or explained"
              for word in sorted(plain - used)]
    print("\n".join(dict.fromkeys(found)) or
          f"{len(known)} words explained, {len(plain)} plain ones")
    return 1 if found else 0


sys.exit(main())
