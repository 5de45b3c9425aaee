#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""locks.py - doc/design/locks.md names each file that has a lock

A lock is a mutex, a lock for readers and writers, or flock(); in Go sync.Mutex and
sync.RWMutex, in Python threading.Lock and RLock. The document names no file that
has none.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("libubf", "libatmi", "libatmisrv", "libndrx", "ndrxd", "servers",
           "clients", "drivers", "bindings")
LOCK = re.compile(r"^(?!.*\*).*\bpthread_(?:mutex|rwlock)_t \w+|\bflock\(.*LOCK_EX",
                  re.M)
OF_OTHERS = {".go": r"\bsync\.(?:RW)?Mutex\b",
             ".py": r"\bthreading\.R?Lock\("}
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# Makes a copy of a mutex, to compare.
NO_LOCK = {"libatmi/domain/lock.c"}
# Named by its folder: each header there says what its lock guards.
WHOLE = "servers/bridge/"
# A server of the tests.
TESTS = "bindings/go/internal/"


def with_locks():
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            if LOCK.search(COMMENT.sub("", path.read_text())):
                yield str(path.relative_to(ROOT))
        for kind, lock in OF_OTHERS.items():
            for path in sorted((ROOT / folder).rglob("*" + kind)):
                name = str(path.relative_to(ROOT))
                if not name.endswith("_test.go") and \
                        not name.startswith(TESTS) and \
                        re.search(lock, path.read_text()):
                    yield name


def main():
    page = (ROOT / "doc/design/locks.md").read_text()
    tables = "\n".join(line for line in page.splitlines()
                       if line.startswith("|"))
    named = set(re.findall(r"`((?:%s)/[\w./]+\.(?:[ch]|go|py))`" % "|".join(FOLDERS),
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
