# SPDX-License-Identifier: Apache-2.0
"""covers.py - which configuration elements and xadmin commands a fact tests

    @covers("rssmax", "xadmin reload")
    def test_...

A fact covers an element (or attribute) of ndrxconfig.xml, or a command of
xadmin, when it fails without it. Two things are checked by run.py:

- whenever the fact has passed: it did set the element in a configuration that
  ndrxd or xadmin read, and it did give the command;
- with `run.py --without`: the fact fails when the fixture leaves the element
  out of every configuration, or does nothing in place of the command.

@accepts names elements that other runtimes have and this one reads without
effect: the first check only. tests/arch/covered.py demands that each element
of the schema and each command is named somewhere.
"""
import contextlib
import os
import re
import subprocess

_given = set()  # by the fact that runs: elements set, commands given
_without = []  # what to leave out, if anything


def covers(*names):
    def mark(fact):
        fact.covers = names
        return fact
    return mark


def accepts(*names):
    def mark(fact):
        fact.accepts = names
        return fact
    return mark


# ---- run.py: the fact ----

def begin(without=None):
    _given.clear()
    _without[:] = [without] if without else []


@contextlib.contextmanager
def everything():
    """Nothing is left out meanwhile: the fixture stops its domain."""
    was = _without[:]
    _without.clear()
    try:
        yield
    finally:
        _without[:] = was


def missing(fact):
    """What the fact covers or accepts, and did not set or give."""
    named = {*getattr(fact, "covers", ()), *getattr(fact, "accepts", ())}
    return sorted(named - _given)


# ---- fixture.py: what it does ----

def configuration(text):
    """The text to be written, without what is to be left out."""
    for name in _without:
        text = re.sub(rf"<{name}\b[^<>]*/>|<{name}\b(?:[^<>]*[^<>/])?>.*?"
                      rf"</{name}>", "", text, flags=re.S)
        text = re.sub(rf' {name}="[^"]*"', "", text)
    return text


def _commands(argv, script):
    """The command of a command line, or those of a script."""
    if len(argv) > 1:
        return [str(argv[1])]
    return [line.split()[0] for line in (script or "").splitlines()
            if line.strip()]


def note(argv, env, script=None):
    """A program is about to run."""
    if argv[0] not in ("xadmin", "ndrxd"):
        return
    if argv[0] == "xadmin":
        _given.update("xadmin " + word for word in _commands(argv, script))
    path = env.get("NDRX_CONFIG", "")
    if os.path.isfile(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            _given.update(re.findall(r"(?:<|\b(?=\w+=\"))(\w+)", f.read()))


def instead(argv, script=None):
    """(result, script): a result in place of a command that is left out, else
    None; and what remains of a script."""
    for name in _without:
        if argv[0] != "xadmin" or not name.startswith("xadmin "):
            continue
        command = name.split()[1]
        if str(argv[1:2] and argv[1]) == command:
            return subprocess.CompletedProcess(argv, 0, "", ""), script
        if len(argv) == 1 and script:
            script = "".join(line for line in script.splitlines(True)
                             if line.split()[:1] != [command])
    return None, script
