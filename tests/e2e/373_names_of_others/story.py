# SPDX-License-Identifier: Apache-2.0
"""What others have named does not command the terminal of who reads it."""
import os
import subprocess

from checks import contains, equal
from fixture import Domain, wait_for

MAINLY = "shm"

# Erases the screen, sets the title; the second and third as C1.
NASTY = "N\x1b[2Jx\x9b2Jy\x9d0;title\x07z"


def _clean(*texts):
    for text in texts:
        bad = [c for c in text if (c < " " and c not in "\n\t") or
               "\x7f" <= c < "\xa0"]
        equal(bad, [], repr(text))


def test_command_lines_of_processes_are_printed_without_controls():
    with Domain() as d:
        with subprocess.Popen(
                [NASTY, "-c", "exec 2>&1; read line"], executable="/bin/sh",
                stdin=subprocess.PIPE) as p:
            try:
                wait_for(lambda: b"read line" in open(
                    f"/proc/{p.pid}/cmdline", "rb").read(), "it has begun")
                for more in ([], ["--wide"], ["--csv"], ["--json"]):
                    r = d.xadmin("ps", "-x", p.pid, *more)
                    _clean(r.stdout, r.stderr)
                    contains(r.stdout, "[2J")
            finally:
                p.kill()


def test_the_history_has_no_controls():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("appconfig", "sanity", NASTY, ok=False)
        d.xadmin("stop", "-y", "-s", NASTY, ok=False)
        for more in ([], ["--csv"], ["--json"]):
            r = d.xadmin("events", *more)
            _clean(r.stdout, r.stderr)
            contains(r.stdout, "[2J")
        with open(f"{d.home}/log/history.log", encoding="utf-8") as f:
            _clean(f.read())


def test_an_imported_configuration_does_not_reach_the_terminal():
    with Domain() as d:
        path = os.path.join(d.home, "ubb")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"*RESOURCES\nIPCKEY 52617\nMODEL SHM\nMASTER here\n"
                    f"*MACHINES\n\"host\" LMID=here\n*GROUPS\n"
                    f"G GRPNO=1 LMID=here\n*SERVERS\n"
                    f"\"{NASTY}\" SRVGRP=G SRVID=1\n*SERVICES\n\"{NASTY}\"\n")
        r = d.run("xadmin", "import", "-n", "ubbconfig", path)
        _clean(r.stdout, r.stderr)
        contains(r.stdout + r.stderr, "[2J")


def test_generators_tell_of_wrong_files_without_controls():
    with Domain() as d:
        for program, text in (
                ("mkfldhdr", f"*base 100\n{NASTY} 1 nosuchtype\n"),
                ("viewc", f"VIEW V\nlong {NASTY} - 1 - - -\nnosuch "
                          f"{NASTY} - 1 - - -\nEND\n")):
            path = os.path.join(d.home, "in.v")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            r = d.run(program, path)
            equal(r.returncode != 0, True, program)
            _clean(r.stdout, r.stderr)
            contains(r.stderr, "in.v")
