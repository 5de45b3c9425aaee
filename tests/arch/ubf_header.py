# SPDX-License-Identifier: Apache-2.0
"""ubf_header.py - the functions that include/ubf.h declares"""
import re

# Handles of LMDB go in and out; test_flddb.c refuses what they are given.
OWN_TEST = re.compile(r"Bfldd+b\w+")
PROTOTYPE = re.compile(r"^[\w ]+?[ *]+((?:ndrx_|C?B)\w+)\(((?:[^()]|"
                       r"\((?:[^()]|\([^()]*\))*\))*)\);", re.M)


def parameters(text):
    """Split at the commas that are in no parentheses."""
    parts, depth, part = [], 0, ""
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [" ".join(p.split()) for p in parts + [part]]


def functions(root):
    """{name: [parameter, ...]} of what is built."""
    text = (root / "include/ubf.h").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    found = {m[1]: parameters(m[2]) for m in PROTOTYPE.finditer(text)}
    return {n: p for n, p in found.items() if not OWN_TEST.fullmatch(n)}
