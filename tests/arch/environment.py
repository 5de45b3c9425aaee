#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""environment.py SOURCE - the environment is read in one place

Set-user-ID programs must not do what variables of their callers say. So
libubf/base/variable.c alone calls getenv(), and says what is honoured.
"""
import pathlib
import re
import sys

SOURCE = pathlib.Path(sys.argv[1])
DOOR = "libubf/base/variable.c"
FOLDERS = ("libubf", "libatmi", "libatmisrv", "libndrx", "drivers", "ndrxd",
           "servers", "clients")
CALL = re.compile(r"\b(?:secure_|__secure_|tux)?getenv\s*\(")
# What a name of the list must not be about.
NAMES = re.compile(r"PATH|DIR|FILE|LIB|LOG|CONF|HOME|PLUGIN|CMD|XA_|OWNER|STR$")


def code(text):
    """Without comments, whose words do not count."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def main():
    found, files = [], 0
    for folder in FOLDERS:
        for path in sorted((SOURCE / folder).rglob("*.[ch]")):
            files += 1
            name = str(path.relative_to(SOURCE))
            text = code(path.read_text(encoding="utf-8"))
            if name == "libatmi/base/tuxenv.c":
                text = text.replace("char *tuxgetenv(char *name)", "")
            if name != DOOR and CALL.search(text):
                found.append(f"{name}: calls getenv(): ow_variable() of "
                             "libubf/base/variable.h")
    door = code((SOURCE / DOOR).read_text(encoding="utf-8"))
    honoured = re.findall(r'"(\w+)"', door)
    found += [f"{DOOR}: {n} names a file, code or a user" for n in honoured
              if NAMES.search(n)]
    if files < 300 or len(honoured) < 5 or not CALL.search(door):
        found.append("this test does not find what it looks for")
    print("\n".join(found) or f"environment: one door for {files} files")
    return 1 if found else 0


sys.exit(main())
