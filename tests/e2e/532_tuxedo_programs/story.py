# SPDX-License-Identifier: Apache-2.0
"""Programs as the manual pages of Tuxedo describe them, in a domain of a UBBCONFIG: each
checks itself, as C99 and as C++17, and says what it finds wrong."""
import pathlib

from checks import contains, ended, equal
from fixture import Domain
from tuxedo_app import App

COST = 20  # compiles eleven programs, starts a domain

PROGRAMS = pathlib.Path(__file__).parent / "app"
SERVICES = "ECHO,NODATA,NOLUCK,CONV"
STANDARDS = (("cc", "-std=c99 -pedantic -D_GNU_SOURCE"),
             ("c++", "-std=c++17 -x c++"))


def _started(d):
    app = App(d, PROGRAMS)
    app.env["CFLAGS"] += " -Wno-unused-function -Wno-unused-variable"
    app.run("mkfldhdr", "names.fld")
    app.env.update(FLDTBLDIR32=app.home, FIELDTBLS32="names.fld")
    app.run("buildserver", "-o", "server", "-f", "server.c", "-s", SERVICES)
    app.configure("ubb")
    app.run("tmboot", "-y")
    return app


def _all_is_well(app, name):
    for compiler, standard in STANDARDS:
        app.env["CC"] = compiler
        app.run("buildclient", "-o", name, "-f", f"{standard} {name}.c")
        r = app.run(name, ok=False)
        equal(r.stdout + r.stderr, "", f"{name}, {standard}")
        ended(r, 0)


def test_programs_find_what_the_manual_pages_say():
    with Domain() as d:
        app = _started(d)
        for name in ("replies", "contexts", "names", "refusals", "fields",
                     "queued", "early", "named",
                     "types"):
            _all_is_well(app, name)
        lines = "".join(p.read_text(encoding="utf-8") for p in
                        pathlib.Path(app.home).rglob("ULOG*"))
        equal(lines.count(":teller      :of the teller"), 2)
        contains(app.run("xadmin", "mibget", "-c", "T_MACHINE",
                         "-m").stdout,
                 "TA_LMID=site1")
        app.run("tmshutdown", "-y")
