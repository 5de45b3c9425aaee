#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""thread_storage.py BUILD - our libraries can be loaded by dlopen()

They use fast thread storage, so all of theirs lies in an area of some 1,600
bytes that all libraries loaded late share. Together they take at most 1,024.
"""
import pathlib
import re
import subprocess
import sys

LIB = pathlib.Path(sys.argv[1]) / "lib"
MOST = 1024


def size(library):
    """Bytes of its thread storage."""
    text = subprocess.run(["readelf", "-lW", LIB / library], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    found = re.search(r"^ *TLS +(?:0x\w+ +){4}0x(\w+)", text, re.M)
    return int(found[1], 16) if found else 0


def main():
    sizes = {name: size(name) for name in
             ("libonewake.so", "libatmisrv.so")}
    print(sizes, "most:", MOST)
    return 1 if sum(sizes.values()) > MOST or not sizes["libonewake.so"] else 0


sys.exit(main())
