#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""admin.py SOURCE - manual pages of sections 5, 7, 8 agree with the programs

Every command of xadmin with its other names and options stands in xadmin.8;
every variable that a program reads is known to xadmin and stands in onewake.7;
every element and attribute of the schema stands in ndrxconfig.xml.5, every
option of a server in servopts.5, every family of ndrxmetrics in doc/metrics.md. Groff
has nothing to complain about, where it is installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(sys.argv[1])
MAN = ROOT / "doc/man"
# Of other systems, or for tests.
NOT_OURS = {"ENVFILE", "PATH", "HOME", "TERM", "NO_COLOR", "COLUMNS", "NOTIFY_SOCKET",
            "WATCHDOG_USEC", "JOURNAL_STREAM"}


def commands():
    text = "".join(p.read_text() for p in sorted(
        (ROOT / "clients/xadmin/table").glob("*.c")))
    for row in re.split(r"\n\t\{(?= \.name)", text)[1:]:
        yield ([m for m in re.findall(r'\.(?:name|alias2?) = "([^"]+)"', row)],
               re.search(r'\.options = "([^"]*)"', row).group(1))


def check_xadmin():
    page = (MAN / "man8/xadmin.8").read_text()
    items = re.findall(r"^\.It Ic (.*)$((?:\n(?!\.It|\.El).*)*)", page, re.M)
    found = {}
    for head, body in items:
        for word in re.split(r" , | |,", head.split(" O")[0]):
            found[word] = head + body
    for names, options in commands():
        for name in names:
            if name != "-v" and name not in found:
                yield f"xadmin.8: no command {name}"
        text = found.get(names[0], "")
        for letter in options.replace(":", ""):
            if letter != "y" and not re.search(
                    rf"(Fl (\w \| )*|\| ){letter}\b|Fl {letter} Ns", text):
                yield f"xadmin.8: {names[0]}: no option -{letter}"


def variables_read():
    for folder in ("libatmi", "libatmisrv", "libubf", "ndrxd",
                   "libndrx", "clients/xadmin"):
        for path in (ROOT / folder).rglob("*.c"):
            if path.name == "variables.c":
                continue
            for name in re.findall(
                    r'(?:getenv|ow_env_\w+)\(\s*"([A-Z_0-9]+)"',
                    path.read_text()):
                yield name, path.name


def check_variables():
    known = set(re.findall(r'(?:USED|SET)\("(\w+)"', (
        ROOT / "clients/xadmin/setup/variables.c").read_text()))
    known |= set(re.findall(r'UNUSED\("(\w+)"', (
        ROOT / "clients/xadmin/setup/variables.c").read_text()))
    page = (MAN / "man7/onewake.7").read_text()
    listed = set(re.findall(r"\b(?:NDRX_\w+|TRACEPARENT|TUXCONFIG|ULOGPFX|FLDTBLDIR\w*|"
                            r"FIELDTBLS\w*|VIEW\w+)",
                            page))
    for name in sorted(known - listed):
        yield f"onewake.7: no {name}"
    for name in sorted(listed - known):
        yield f"variables.c: no {name}"
    for name, file in sorted(set(variables_read())):
        if name not in known and name not in NOT_OURS:
            yield f"variables.c: no {name}, which {file} reads"


def check_config():
    page = (MAN / "man5/ndrxconfig.xml.5").read_text()
    schema = (ROOT / "conf/ndrxconfig.rng").read_text()
    for name in sorted(set(re.findall(r'<(?:element|attribute) name="(\w+)"',
                                      schema))):
        if not re.search(rf"(\.Ic |[ ,] ?|<|\.Ql <?){name}\b", page):
            yield f"ndrxconfig.xml.5: no {name}"


def check_servopts():
    page = (MAN / "man5/servopts.5").read_text()
    text = (ROOT / "libatmi/domain/server_options.h").read_text()
    letters = re.search(r'OW_SERVER_OPTIONS "([^"]+)"', text)[1]
    for letter in letters.replace(":", ""):
        if not re.search(rf"^\.It (.* , )?Fl {letter}\b", page, re.M):
            yield f"servopts.5: no option -{letter}"
    for letter in re.findall(r"^\.It Fl (\w)", page, re.M):
        if letter not in letters:
            yield f"servopts.5: -{letter} is no option"
    # The page and the program say of the same options that they do nothing.
    idle = {letter for head, text in re.findall(
        r"^(\.It .*)\n((?!\.It).*)", page, re.M)
        if re.search("^(Accepted|Options of Tuxedo)", text)
        for letter in re.findall(r"\bFl (\w)", head)}
    source = (ROOT / "libatmisrv/options.c").read_text()
    usage = re.search(r"usage: %s(.*?)FUNC\[", source, re.S)[1]
    said = {letter for line in re.findall(r"^\s*\"  (-.*?)\\n\"$", usage, re.M)
            if re.search("without effect|of Tuxedo", line)
            for letter in re.findall(r"-(\w)\b", line)}
    if idle != said:
        yield ("servopts.5: without effect, by the page or by -h only: "
               f"{sorted(idle ^ said)}")


def check_metrics():
    """The table of doc/metrics.md has each family of ndrxmetrics, no other, and
    its type."""
    source = (ROOT / "libndrx/figures/families.c").read_text()
    kinds = {"COUNTER": ("counter", "_total"), "GAUGE": ("gauge", ""),
             '"info"': ("info", "_info"), '"histogram"': ("histogram", "")}
    program = {}
    for name, word in re.findall(r'\{ "(onewake_\w+)", ([\w"]+)', source):
        kind, end = kinds[word]
        program[name + end] = kind
    page = {}
    for line in (ROOT / "doc/metrics.md").read_text().splitlines():
        cells = [c.strip() for c in line.split("|")]
        if len(cells) > 4 and "onewake_" in cells[1]:
            for name in re.findall(r"onewake_\w+", cells[1]):
                page[name] = cells[3].split(", ")
    for name in sorted(program.keys() ^ page.keys()):
        yield f"metrics.md: {name} is in the page or in the program only"
    for name in sorted(program.keys() & page.keys()):
        if program[name] not in page[name]:
            yield f"metrics.md: {name} is a {program[name]}"


def check_groff():
    if shutil.which("groff") is None:
        return
    for path in sorted(MAN.glob("man[578]/*")):
        r = subprocess.run(["groff", "-mdoc", "-Tutf8", "-ww", path.name],
                           cwd=path.parent, capture_output=True, text=True,
                           check=False)
        if r.stderr and not path.read_text().startswith(".so"):
            yield f"{path.name}: {r.stderr}"


def main():
    problems = [*check_xadmin(), *check_variables(), *check_config(),
                *check_servopts(), *check_metrics(),
                *check_groff()]
    print("\n".join(problems) or "pages and programs agree")
    return 1 if problems else 0


sys.exit(main())
