#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exported_names.py SOURCE BUILD - only public names leave a library

What libonewake.so exports is what libonewake/public.map lists, with a version,
and all of it is written in a public header. Programs that have our private
functions in themselves do not need the library: two copies of its state in one
process would disagree. What they load finds the public names in them. xadmin is
started often, and does not need what makes each start slow.
"""
import pathlib
import re
import subprocess
import sys

ROOT, BUILD = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
VERSION = "ONEWAKE_"
# What a program looks up in a driver of a resource manager.
DRIVERS = {"ndrx_get_xa_switch", "ndrx_xa_connection", "ndrx_xa_end_prepares",
           "ndrx_xa_has_sent", "ndrx_xa_last"}

# Loaded when they are needed: half of the time of a start (libndrx/config/libxml2.h).
SLOW = {"libxml2", "libcrypto", "libsodium"}
# What the main() that buildtms writes calls in its library.
CALLBACKS = {"tpsvrinit", "tpsvrdone"}


def exported(path):
    """Names that an ELF file defines for others: name -> version."""
    text = subprocess.run(["nm", "-D", "--defined-only", path], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    names = (line.split()[-1] for line in text.splitlines())
    return {n.split("@")[0]: n.split("@")[-1] for n in names
            if n.split("@")[0] not in ("ONEWAKE_0.1", "_init", "_fini")
            and not re.match(r"__asan|__odr_asan|__start_|__stop_", n)}


def needed(path):
    """Libraries that the loader brings in for an ELF file."""
    text = subprocess.run(["readelf", "-d", path], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def programs():
    for path in sorted((BUILD / "bin").iterdir()):
        if path.is_file() and not path.is_symlink() and \
                path.read_bytes()[:4] == b"\x7fELF":
            yield path


def has_private_code(path):
    text = subprocess.run(["nm", path], text=True, check=False,
                          stdout=subprocess.PIPE).stdout
    return re.search(r" [tT] ow_(?:domain_join|tables_open|ubf_check)$", text,
                     re.M) is not None


def library(name, listed, words):
    names = exported(BUILD / "lib" / name)
    for n in sorted(set(names) - listed):
        yield f"{name}: {n} is exported, and not in public.map"
    for n in sorted(listed - set(names)):
        yield f"{name}: {n} is in public.map, and not exported"
    # A program may define these in place of the library, which asks the loader
    # for them.
    own = re.findall(r"^\t(\w+);$",
                     (ROOT / "libonewake/interposed.list").read_text(), re.M)
    moved = subprocess.run(["readelf", "-Wr", BUILD / "lib" / name], text=True,
                           check=True, stdout=subprocess.PIPE).stdout
    for n in own:
        if not re.search(rf" {n}(@| \+ |$)", moved, re.M):
            yield f"{name}: a program's {n} is not found (the linker has bound its own)"
    for n, version in sorted(names.items()):
        if not version.startswith(VERSION):
            yield f"{name}: {n} has no version"
        if n not in words:
            yield f"{name}: {n} is exported, and no public header has it"


def problems():
    text = (ROOT / "libonewake/public.map").read_text()
    listed = set(re.findall(r"^\t(\w+);$", text, re.M))
    header = "".join(p.read_text() for p in (ROOT / "include").glob("*.h"))
    # The object API and errno-like words are declared by macros: O + name.
    header += (ROOT / "include/oatmi.h").read_text()
    words = set(re.findall(r"\w+", header))
    if len(listed) < 500:
        yield "public.map: too few names"
    yield from library("libonewake.so.0", listed, words)
    yield from library("libonewaketms.so.0", listed | CALLBACKS, words)
    for n in set(exported(BUILD / "lib/libatmisrv.so.0")) - {"main"}:
        yield f"libatmisrv.so.0: {n} is exported"
    for path in sorted((BUILD / "lib").glob("libndrxxa*.so")):
        for n in sorted(set(exported(path)) - DRIVERS):
            yield f"{path.name}: {n} is exported"
    if {lib.split(".")[0] for lib in needed(BUILD / "bin/xadmin")} & SLOW:
        yield f"xadmin is linked with one of {', '.join(sorted(SLOW))}"
    inside = 0
    for path in programs():
        if has_private_code(path):
            inside += 1
            for lib in needed(path):
                if lib.startswith(("libonewake", "libatmi", "libubf")):
                    yield f"{path.name} has our code in itself and needs {lib}"
            for n in sorted(set(exported(path)) - listed):
                if n.startswith("ow_"):
                    yield f"{path.name}: {n} is exported"
    if inside < 5:
        yield f"{inside} programs have our code in themselves: too few"


def main():
    found = list(problems())
    print("\n".join(found) or "only public names are exported")
    return 1 if found else 0


sys.exit(main())
