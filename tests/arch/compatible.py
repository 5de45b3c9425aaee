#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compatible.py - doc/compatibility.md names all of the interface

    tests/arch/compatible.py SOURCE [--write]

The page is made of include/ (what is there) and of doc/compatibility/names.txt
(the names of Tuxedo's and Enduro/X's references, what differs, and the tests that try that). With --write the page is
written, and with it clients/xadmin/scan/names.inc, from which `xadmin scan` knows the same;
without, both are compared. A name of names.txt that is not in the headers
has a reason, and one that is has none for being absent. What differs has a test.
"""
import pathlib
import re
import sys

import facts
import public_names

ROOT = pathlib.Path(sys.argv[1]).resolve()
PAGE = ROOT / "doc/compatibility.md"
SCAN = ROOT / "clients/xadmin/scan/names.inc"
DATA = ROOT / "doc/compatibility/names.txt"
HEAD = """# Compatibility

What programs written for Oracle Tuxedo and Enduro/X find here: every name of ATMI, FML and FML32, VIEW, TX and of the Enduro/X
interface. No entry under "differs" means: as documented there; each name is used by a test, `tests/arch/compatible.py` sees to it. Facts about behaviour, each with its test, are in
[compatibility/facts.md](compatibility/facts.md). Each name of [compatibility/interface.txt](compatibility/interface.txt) is declared, or left out with a reason below.

`tests/arch/compatible.py` makes this page of the headers and of `doc/compatibility/names.txt`, and keeps it complete.
"""
TABLES = """
## Field tables of the system

| table | here | elsewhere | differs |
|---|---|---|---|
| Exfields | {Exfields} | 157 | numbers from 100 |
| Excompat | {Excompat} | 778 | numbers from 2000; in Tuxedo the names TA_* are in tpadm, which is installed as a table of that name, too |
| Usysflds, Usysfl32, evt_mib | 0 | | tables without fields, for lists that name them |

Here are the names that are published: those of the requests of system services, and the attributes of the classes of the MIB that exist
here. Of the others neither number nor, mostly, name is published, and we do not invent ids: a number made up here could be that of
another field in a buffer that comes from outside. Numbers of the fields that are here lie in the published ranges; they need not be
those of another runtime, so buffers that leave this one travel by names: JSON, tpexport(), text. Programs that need more of the
names add a field table of their own with the numbers of their domain: a name or number that is there twice is refused, so none is mixed
up in silence.
"""
SWITCH = """
## One switch: NDRX_COMPAT

Where Onewake does better than what a program was written for, the variable NDRX_COMPAT or `<compat>` of a server or client brings back the
other behaviour. tmloadcf sets strict-tuxedo in the TUXCONFIG that it makes.

| what | here | strict-tuxedo | strict-enduro |
|---|---|---|---|
| tpgetctxt() | takes the context off the thread | leaves it there, with its transaction | as here |
| tpsetctxt() of a context that another thread has | TPEPROTO | threads share it | as here |
| a thread of a client calls that has no context | it gets one of its own | all threads of the process have one, until tpinit() with TPMULTICONTEXTS; tpterm() ends it for all | as here |
| tpinit() with TPMULTICONTEXTS in a client that has joined without | nothing happens | TPEPROTO, until tpterm() | as here |
| tperrordetail() | -1 | 0: no detail | as here |
| tpstrerrordetail() | as tpstrerror() | the text of a TPED_...; NULL: there is no such one | as here |
| tpbegin() of a program without a resource manager that has not called tpopen() | TPEPROTO | begins a transaction; tx_begin() is TX_PROTOCOL_ERROR | as here |
| tpcall() of .TMIB where no server offers it | TPENOENT | answered as by tpadmcall() | as here |
| tptypes() of FML, FML32, UBF | UBF | FML32 | as here |
| a reply or message without data (tpcall(), tpgetrply(), tprecv(), tpdequeue()) | *odata becomes NULL | *odata and its buffer stay as they are, *olen is 0 | as here |
| tpinit() with TPMULTICONTEXTS, a context is there | nothing happens | another context is made; the one before rests, for tpsetctxt() | as here |
| tpgetctxt() after tpterm() | the handle that the thread had | TPNULLCONTEXT | as here |
| the name of a client for tpbroadcast() and listings | its program | cltname of tpinit(), if there is one | as here |
| usrname of tpbroadcast() | has no effect | is that of tpinit() | as here |
| an empty text as a name for tpbroadcast() | any name, as NULL | the empty name, only | as here |
| tpconnect() without TPSENDONLY or TPRECVONLY | both may send | TPEINVAL | as here |
| tpcancel() of a descriptor whose call has ended | 0 | TPEBADDESC | as here |
| tpexport() without room for the text | TPEOS | TPELIMIT | as here |
| tpimport() of what is no such text; of a text without a length | TPEINVAL; as the flags say | TPEPROTO; TPEX_STRING | as here |
| Fprint(), Ffprint() | a field without a name is ((BFLDID32)NUMBER) | it is NUMBER; an empty line ends the text | as here |
| Fextread() | empty lines are skipped, up to the end of the file | an empty line ends the text: one file may have several | as here |
| Fget(), CFget() without memory for the value | FEINVAL | 0 and the length: whether it is there | as here |
| tpsetunsol(), tpchkunsol() in a server | a handler that nobody calls; 0 | TPEPROTO | as here |
| tpcancel() of a descriptor that was never given | TPEBADDESC | as here | 0 |
| tpsend(), tprecv(), tpdiscon() of a descriptor that is not open | TPEINVAL | TPEBADDESC | as here |
| tpenqueue() with TPQTOP, TPQBEFOREMSGID | the message has that place | as here | they mean nothing |
| exit status of `xadmin start`, stop, restart, sreload, where a server had no success or there is none of that name or id | 1 | as here | 0 |
| tpcommit(), tpabort() in a service of the transaction that `autotran` has begun for it | TPEPROTO | as here | ends it |

A value that is none of the words is refused: TPEINVAL, exit status 1 of a server, and the message names the words.
"""
OTHERS = """
## All other names of the headers

As Enduro/X has them, constants with the same values (`tests/unit/headers/test_values.c`).

| header | functions | macros, types, constants |
|---|---|---|
"""


def number(match):
    """What the code says: the value of a macro."""
    found = re.search(rf"^#define\s+{match[2]}\s+\(?(\d+)u?\b",
                      (ROOT / match[1]).read_text(), re.M)
    return f"{int(found[1]):,}"


def rows():
    """(section, [names], here, text, [tests], words) of names.txt."""
    section, lines = "", []
    text = re.sub(r"\{([\w/.]+):(\w+)\}", number, re.sub(
        r"^#.*$", "#", DATA.read_text(), flags=re.M))
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" @ "):
            lines[-1][2].append(line[3:].strip())
        elif line.startswith(" ~ "):
            lines[-1][3] = line[3:].strip()
        elif line.startswith(" "):
            lines[-1][1] += line
        elif line.startswith("["):
            section = line.strip("[]")
        else:
            lines.append([section, line, [], ""])
    for section, line, tests, words in lines:
        match = re.fullmatch(r"([\w.]+)( \+32)?( !)?(?:: (.*))?", line)
        if not match:
            sys.exit(f"{DATA.name}: not understood: {line}")
        name, wide, absent, text = match.groups()
        yield (section, [name, name + "32"] if wide else [name], not absent,
               text or "", tests, words)


def tried():
    """The words of all tests but those that look at texts alone."""
    words = set()
    for path in (ROOT / "tests").rglob("*"):
        if path.suffix not in (".c", ".cc", ".h", ".py", ".go") or \
                "arch" in path.parts or "headers" in path.parts:
            continue
        found = set(re.findall(r"\w+", path.read_text(errors="replace")))
        words |= found
        if path.name == "fml_names.h":  # each name in both widths
            words |= {name + "32" for name in found}
    return words


def problems(known):
    seen, used = set(), tried()
    for title, names, here, text, tests, _ in rows():
        if here and not tests and title != "Headers":
            for name in names:
                if name not in used:
                    yield f"{name} is here, and no test uses it"
        if here and text and not tests:
            yield f"{names[0]} differs, and no test tries it"
        for test in tests:
            file, _, fact = test.partition(": ")
            if not facts.has_test(ROOT / file, fact):
                yield f"{names[0]}: no test {test}"
        for name in names:
            if name in seen:
                yield f"{name} stands there twice"
            seen.add(name)
            if here and name not in known:
                yield f"{name} is not in include/"
            if not here and name in known:
                yield f"{name} is in include/{known[name].header}"
            if not here and not text:
                yield f"{name} has no reason"


def page(known):
    out, section, told = [HEAD], None, set()
    for title, names, here, text, tests, _ in rows():
        if title != section:
            section = title
            out.append(f"\n## {title}\n\n| name | header | here | differs | tried by |"
                       "\n|---|---|---|---|---|\n")
        told.update(names)
        header = known[names[0]].header if here else ""
        out.append(f"| {', '.join(names)} | {header} | "
                   f"{'yes' if here else 'no'} | {text} | "
                   f"{'; '.join(f'`{t}`' for t in tests)} |\n")
    out.append(tables())
    out.append(SWITCH)
    out.append(OTHERS)
    for header in sorted({n.header for n in known.values()}):
        kinds = {"function": [], "other": []}
        for name in sorted(known):
            if known[name].header == header and name != header and \
                    name not in told:
                kinds[known[name].kind].append(name)
        if any(kinds.values()):
            out.append(f"| {header} | " + " | ".join(
                ", ".join(k) for k in kinds.values()) + " |\n")
    return "".join(out)


def scanned():
    """The rows that differ, or are absent, for xadmin scan: by name."""
    found = {name: (here, text, words)
             for _, names, here, text, _, words in rows()
             for name in names
             if text and words != "-" and re.fullmatch(r"\w[\w.]*", name)}
    out = ["/* SPDX-License-Identifier: Apache-2.0 */\n"
           "/* Made by tests/arch/compatible.py --write from "
           "doc/compatibility/names.txt. */\n"]
    for name in sorted(found):
        here, text, words = found[name]
        text = text.replace("\\", "\\\\").replace('"', '\\"')
        out.append(f'OW_SCAN_NAME("{name}", {"false" if here else "true"}, '
                   f'"{words}",\n\t     "{text}")\n')
    return "".join(out)


def tables():
    """How many fields the tables of the system have."""
    return TABLES.format(**{
        name: len(re.findall(r"^\w+\s+\d+\s", (
            ROOT / "conf/ubftab" / name).read_text(), re.M))
        for name in ("Exfields", "Excompat")})


def main():
    known = public_names.known(ROOT)
    found = list(problems(known))
    if found:
        print("names.txt: " + "\nnames.txt: ".join(found))
        return 1
    text = page(known)
    if "--write" in sys.argv:
        PAGE.write_text(text)
        SCAN.write_text(scanned())
    elif SCAN.read_text() != scanned():
        print("clients/xadmin/scan/names.inc is not what --write would make")
        return 1
    elif not PAGE.exists() or PAGE.read_text() != text:
        print("doc/compatibility.md is not what --write would make")
        return 1
    print(f"{len(known)} names")
    return 0


sys.exit(main())
