#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract.py SOURCE FOLDER - write the example of each page of section 3 to a file

FOLDER/PAGE.inc is the first block of code below EXAMPLES. A file that would
not change is left as it is, so that nothing is compiled again.
"""
import pathlib
import re
import sys


def example(page):
    """The code of a page, or None."""
    block = re.search(r"^\.Sh EXAMPLES$.*?^\.Bd -literal\n(.*?)^\.Ed$",
                      page, re.M | re.S)
    return block and block[1].replace("\\&", "").replace("\\e", "\\")


def main():
    source, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((source / "doc/man/man3").glob("*.3")):
        code = example(path.read_text())
        file = folder / f"{path.stem}.inc"
        if code and not (file.exists() and file.read_text() == code):
            file.write_text(code)


if __name__ == "__main__":
    main()
