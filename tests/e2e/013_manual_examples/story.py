# SPDX-License-Identifier: Apache-2.0
"""The examples of the manual pages of section 3 run and do what they promise.

A page's example is compiled as part of the file of its name in
tests/man/examples, which calls what the example defines. The head of that file
says what is expected:

    prints: TEXT            a line of output; * stands for anything
    serves: SVC TEXT -> R   it is a server, called with a STRING buffer
    server:                 it is a server that this story does not call
    options: WORDS          of the server, after --
    processes: N            of the server
    links: atmisrv          a client with the code of a server in it

Without a line `prints:` a program prints nothing. Its exit status is 0.
"""
import os
import re
import shutil

from checks import equal
from fixture import BUILD, wait_for
from trans import Trans

MAINLY = "shm"
QUEUE_KB = 80

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
DRIVERS = os.path.join(ROOT, "tests/man/examples")
PARTNERS = ("ECHO", "PRICE=ECHO", "ALARM=ECHO", "WITHDRAW=ECHO",
            "DEPOSIT=ECHO", "PAY=ECHO")
GROUP = '<procgroups><procgroup name="ONE" grpno="1"/></procgroups>'


class Example:
    """A program and what is expected of it."""

    def __init__(self, page):
        self.page = page
        self.program = f"example_{page}"
        with open(os.path.join(DRIVERS, f"{page}.c"), encoding="utf-8") as f:
            head = f.read().split("*/")[1]
        self.said = re.findall(r"^ \* (\w+):(?: (.*))?$", head, re.M)
        self.is_server = bool({"server", "serves"} & dict(self.said).keys())

    def lines(self, word):
        return [text for key, text in self.said if key == word]


def _examples():
    return [Example(name[:-2]) for name in sorted(os.listdir(DRIVERS))
            if name.endswith(".c")]


def _environment(t):
    """Tables, logs and a resource manager, as the programs need them."""
    for name in ("tests/man/fields.fld", "tests/man/views.v",
                 "conf/ubftab/Excompat"):
        shutil.copy(os.path.join(ROOT, name), t.home)
    t.env.update({
        "FLDTBLDIR": t.home, "FIELDTBLS": "fields.fld,Excompat",
        "VIEWDIR": t.home, "VIEWFILES": "views.v",
        "NDRX_UBFDB": os.path.join(t.home, "fields"),
        "NDRX_DEBUG_STR": f"ndrx=3 ubf=3 tp=3 file={t.logs}/examples.log",
        **t.xa(1)})


def _partners(t):
    t.boot({"srvid": 1, "appopt": " ".join(PARTNERS)}, sections=GROUP)
    t.env["NDRX_PROCGRP_NO"] = "1"
    t.tm(1)
    t.server(90, binary="tpevsrv")
    path = os.path.join(t.home, "q.conf")
    with open(path, "w", encoding="utf-8") as f:
        f.write("@\n")
    t.server(80, "-q", path, binary="tmqueue", env={
        "NDRX_XA_OPEN_STR": f'datadir="{t.home}/qdata",qspace="ORDERS"'})


def _start(t, examples):
    """Start the servers among the examples; all become ready."""
    srvids = iter(range(200, 300))
    started = set()
    for example in examples:
        words = " ".join(example.lines("options")).split()
        for _ in range(int((example.lines("processes") or ["1"])[0])):
            started.add(next(srvids))
            t.spawn(max(started), *words, binary=example.program)
    wait_for(lambda: started <= {r.srvid for r in t.rows("psrv")},
             "all servers")


def _serve(t, example):
    for line in example.lines("serves"):
        service, data, reply = re.fullmatch(r"(\S+) (\S+) -> (\S+)",
                                            line).groups()
        wait_for(lambda name=service: t.row("psc", service=name), service)
        r = t.call(service, data)
        equal((example.page, r.err, r.data), (example.page, "OK", reply))


def _matches(text, lines):
    """Whether the text is these lines, in which * stands for anything."""
    expected = "".join(line.replace("\\t", "\t") + "\n" for line in lines)
    pattern = re.escape(expected).replace(r"\*", ".*")
    return re.fullmatch(pattern, text, re.S)


def _wrong(t, example):
    """Run a program; what is wrong, or None."""
    r = t.run(example.program)
    if r.returncode != 0:
        return f"{example.page}: exit status {r.returncode}: {r.stderr}"
    text, lines = r.stdout + r.stderr, example.lines("prints")
    if not _matches(text, lines):
        return f"{example.page}: prints {text!r}, not {lines}"
    return None


def test_every_page_has_an_example_that_was_built():
    pages = {name[:-2] for name in os.listdir(f"{ROOT}/doc/man/man3")}
    equal(pages - {e.page for e in _examples()}, set())
    equal([e.page for e in _examples() if not os.path.exists(
        f"{BUILD}/tests/e2e/{e.program}")], [])


def test_examples_run():
    examples = _examples()
    with Trans() as t:
        _environment(t)
        _partners(t)
        _start(t, [e for e in examples if e.is_server])
        for example in examples:
            if example.is_server:
                _serve(t, example)
        equal([wrong for example in examples if not example.is_server
               for wrong in [_wrong(t, example)] if wrong], [])
