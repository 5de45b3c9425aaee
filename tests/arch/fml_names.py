#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fml_names.py - every function of ubf.h has its names of FML and FML32

Bname is Fname and Fname32, CBname is CFname and CFname32; some are known by
names of their own (Fldid, not Ffldid) and have both. Fadd and Fchg take the
pointer itself, Fboolco has rules of its own. Error numbers and field types have theirs in fml.h.
"""
import pathlib
import re
import sys

import ubf_header

ROOT = pathlib.Path(sys.argv[1]).resolve()
OWN = {"Badd": "ndrx_Fadd", "Bchg": "ndrx_Fchg", "Bboolco": "Bboolcofml"}
NO_FML = {"Bboolcofml"}  # Fboolco itself
KNOWN_AS = {"Bfldid": "Fldid", "Bfldno": "Fldno", "Bfldtype": "Fldtype",
            "Bfname": "Fname", "Bisubf": "Fielded", "Badd": "Fappend"}
TYPES = {"BFLD_UBF": "FLD_FML32", "BFLD_VIEW": "FLD_VIEW32"}
NO_NAME = {"BFLD_RFU0", "BFLD_MIN", "BFLD_MAX"}


def defined(header):
    text = (ROOT / "include" / header).read_text()
    return dict(re.findall(r"^#define (\w+) (\w+)", text, re.M))


def wanted():
    """(header, name, what it stands for)"""
    for name in ubf_header.functions(ROOT):
        match = re.fullmatch(r"(C?)B(\w+)", name)
        if not match or name in NO_FML:
            continue
        fml = f"{match[1]}F{match[2]}"
        if name in ("B16to32", "B32to16"):
            yield "fml1632.h", fml, name
            continue
        for known in (fml, KNOWN_AS.get(name, fml)):
            yield "fml.h", known, OWN.get(name, name)
            yield "fml32.h", known + "32", OWN.get(name, name)
    text = (ROOT / "include/ubf.h").read_text()
    for name in re.findall(r"^#define (BFLD_\w+)", text, re.M):
        if name not in NO_NAME:
            yield "fml.h", TYPES.get(name, name[1:]), name
    errors = text.split("/* ---- errors --", 1)[1].split("/* ---- types", 1)[0]
    for name in re.findall(r"^#define (B[A-Z]\w+)\s+\d", errors, re.M):
        yield "fml.h", "F" + name[1:], name


def main():
    headers = {h: defined(h) for h in ("fml.h", "fml32.h", "fml1632.h")}
    found = [f"{header}: {name} is not {target}"
             for header, name, target in wanted()
             if headers[header].get(name) != target]
    print("\n".join(found) or f"{len(list(wanted()))} names")
    return 1 if found else 0


sys.exit(main())
