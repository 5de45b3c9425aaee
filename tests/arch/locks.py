#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""locks.py - doc/design/locks.md names each file that has a lock

A lock is a mutex, a lock for readers and writers, or flock(). The document names
no file that has none.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("libubf", "libatmi", "libatmisrv", "libndrx", "ndrxd", "servers",
           "clients", "drivers")
LOCK = re.compile(r"^(?!.*\*).*\bpthread_(?:mutex|rwlock)_t \w+|\bflock\(.*LOCK_EX",
                  re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Makes a copy of a mutex, to compare.
NO_LOCK = {"libatmi/domain/lock.c"}
# Named by its folder: each header there says what its lock guards.
WHOLE = "servers/bridge/"


def with_locks():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            if LOCK.search(COMMENT.sub("", path.read_text())):
                yield str(path.relative_to(ROOT))


def main():
    page = (ROOT / "doc/design/locks.md").read_text()
    tables = "\n".join(line for line in page.splitlines()
                       if line.startswith("|"))
    named = set(re.findall(r"`((?:%s)/[\w./]+\.[ch])`" % "|".join(FOLDERS),
                           tables))
    have = {f for f in with_locks() if not f.startswith(WHOLE)} - NO_LOCK
    found = [f"{f} has a lock, and locks.md does not name it"
             for f in sorted(have - named)]
    found += [f"locks.md names {f}, which has none"
              for f in sorted(named - have - NO_LOCK)]
    if len(have) < 20:
        found.append(f"only {len(have)} files with locks were found")
    print("\n".join(found) or f"{len(have)} files with locks")
    return 1 if found else 0


sys.exit(main())
