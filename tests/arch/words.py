#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py SOURCE - one word for one thing: those that were given up stay away

In names of files, and in names of the code (words between underscores). Strings and comments
are not looked at: what programs and operators see keeps its name, such as @ABROAD, and a comment
may use a word in its plain sense. doc/glossary.md has the words.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("libubf", "libatmi", "libatmisrv", "libndrx", "servers", "ndrxd",
           "clients", "drivers", "bindings", "bench", "tests")
NOW = {"talk": "conv", "talks": "convs", "abroad": "remote",
       "beat": "heartbeat", "beats": "heartbeats", "hands": "actions",
       "admit": "authorize", "admits": "authorizes", "passage": "soak",
       "picture": "snapshot", "pictures": "snapshots",
       "news": "message, advertisement or packet"}
# (file, word): why it stays.
KNOWN = {
    ("servers/bridge/wire/settings.c", "beat"):
        "the key of a setting, which operators write",
    ("clients/viewc/cobol.c", "picture"): "a word of COBOL",
}
# What applications post, in tests.
OF_APPLICATIONS = {"news"}
NOT_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"', re.S)
FACT = 5  # words in the name of a fact, which is a sentence


def words(name):
    parts = name.lower().split("_")
    return parts if len(parts) < FACT else []


def main():
    found, n = [], 0
    for top in FOLDERS:
        for path in sorted((ROOT / top).rglob("*.[ch]")):
            name = str(path.relative_to(ROOT))
            n += 1
            names = set(re.findall(r"[A-Za-z_]\w*", NOT_CODE.sub(
                " ", path.read_text(errors="replace")))) | {path.stem}
            found += [f"{name}: {one}: the word is {NOW[word]}"
                      for one in sorted(names) for word in words(one)
                      if word in NOW and (name, word) not in KNOWN and
                      not (top == "tests" and word in OF_APPLICATIONS)]
    print("\n".join(found) or f"{n} files")
    return 1 if found or n < 500 else 0


sys.exit(main())
