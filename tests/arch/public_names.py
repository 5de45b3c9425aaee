# SPDX-License-Identifier: Apache-2.0
"""public_names.py - all names that the public headers give to programs"""
import collections
import re

Name = collections.namedtuple("Name", "header kind declared")

PROTOTYPE = re.compile(
    r"(?:extern\s+)?[\w\s*]*?[\s*](?:\(\*)?([A-Za-z_]\w*)\s*\([\s\S]*\)$")
# Written by the program, not to be linked.
WRITTEN = {"tpservice", "tpsvrinit", "tpsvrdone", "tpsvrthrinit",
           "tpsvrthrdone", "ndrx_plugin_init", "ndrx_plugin_crypto_getkey",
           "ndrx_plugin_tplogprintubf_hook"}


def private(name):
    return name.lower().startswith("ow_") or name.endswith("_H") or \
        name.startswith("__")


def code_of(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S).replace("\\\n", " ")
    return text.replace('extern "C" {', "")


def macros(text):
    return re.findall(r"^\s*#\s*define\s+(\w+)", text, re.M)


def function_macros(text):
    return set(re.findall(r"^\s*#\s*define\s+(\w+)\(", text, re.M))


def declarations(text):
    """The declarations at the outermost level, bodies as {}."""
    text = re.sub(r"^\s*#.*$", "", text, flags=re.M)
    while True:
        new = re.sub(r"\{[^{}]*\}", "@", text)
        if new == text:
            break
        text = new
    for part in re.split(r"[;]|@(?=\s*(?:static|extern|int|void|long|char))",
                         text):
        yield " ".join(part.split())


def from_declaration(part):
    """(name, is a function) of one declaration, or None."""
    if not part or part.startswith(("static", "return")):
        return None
    if part.startswith("typedef"):
        match = re.search(r"(\w+)(?:\[\w*\])?$", part)
        return (match[1], False) if match else None
    match = re.fullmatch(r"extern [\w ]+\(\*(\w+)\)\(.*\)", part)
    if match:
        return match[1], False
    match = PROTOTYPE.fullmatch(part)
    if match:
        return match[1], True
    match = re.fullmatch(r"(?:struct|enum|union) (\w+) ?@?", part)
    if match:
        return match[1], False
    match = re.fullmatch(r"extern [\w\s*]+?[\s*](\w+)", part)
    return (match[1], False) if match else None


def enum_constants(text):
    for body in re.findall(r"\benum\b\s*\w*\s*\{([^}]*)\}", text):
        yield from re.findall(r"\b([A-Za-z_]\w*)\b(?=\s*(?:=|,|$))", body)


def known(root):
    """name -> Name. kind: function, other. declared: a function with a
    prototype, so that it has an address."""
    names = {}
    for path in sorted((root / "include").glob("*.h")):
        raw = path.read_text()
        text = code_of(raw)
        names[path.name] = Name(path.name, "other", False)
        for name in [*macros(text), *enum_constants(text)]:
            if not private(name):
                names.setdefault(name, Name(path.name, "other", False))
        for part in declarations(text):
            got = from_declaration(part)
            if got is None or private(got[0]):
                continue
            kind = "function" if got[1] else "other"
            names[got[0]] = Name(path.name, kind, got[1])
    # A macro of FML for a function is a function in a table.
    for name in list(names):
        if re.fullmatch(r"C?F[a-z_0-9]\w*|tpadvertise", name) and \
                names[name].kind == "other":
            names[name] = names[name]._replace(kind="function")
    return names
