# SPDX-License-Identifier: Apache-2.0
"""buildserver -r and buildtms build the switch of a resource manager into a program."""
import os
import pathlib
import subprocess

from checks import contains, ended, equal
from fixture import BUILD
from machine import SLOW
from trans import Trans

MAINLY = "shm"

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = """
#include <atmi.h>
#include <testxa.h>

void ADD(TPSVCINFO *s)
{
	testxa_add(5);
	tpreturn(TPSUCCESS, tpgetlev(), s->data, 0, 0);
}

int tpsvrinit(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return tpopen();
}
"""

OPTIONS = {"buildserver": ("-o", "addsv", "-f", "add.c", "-s", "ADD"),
           "buildclient": ("-o", "addsv", "-f", "add.c"),
           "buildtms": ()}


def build(t, name, rows, program="buildserver"):
    """Run the program with a RM file; what it did."""
    for file, text in (("RM", rows), ("add.c", SOURCE)):
        with open(os.path.join(t.home, file), "w", encoding="ascii") as f:
            f.write(text)
    sanitizer = {"address": "-fsanitize=address,undefined",
                 "thread": "-fsanitize=thread"}.get(
                     os.environ.get("OW_SANITIZE", ""), "")
    return subprocess.run(
        [t.program(program), "-r", name, *OPTIONS[program]],
        env={**t.env, "TUXDIR": str(ROOT),
             "NDRX_RMFILE": os.path.join(t.home, "RM"),
             "CFLAGS": f"-Wall -Werror -I{ROOT}/tests/e2e/programs {sanitizer}"},
        cwd=t.home, capture_output=True, text=True, timeout=60 * SLOW,
        check=False)


def row(name):
    lib = f"{BUILD}/tests/e2e"
    return f"{name}:xaosw:{lib}/libtestxa.so -Wl,-rpath,{lib}\n"


def test_the_server_needs_no_driver_library():
    with Trans() as t:
        r = build(t, "TEST", "# resource managers\n" + row("OTHER") +
                  row("TEST"))
        equal((r.returncode, r.stdout, r.stderr), (0, "", ""))
        t.tm(1)
        env = t.xa(1)
        del env["NDRX_XA_DRIVERLIB"]
        t.server(11, binary=os.path.join(t.home, "addsv"), env=env)
        c = t.xaclient()
        for end, total in (("commit", 5), ("abort", 5)):
            c.ok("begin", 20)
            equal(c.ok("call", "-", "ADD", "x").urcode, 1)
            c.ok(end)
            equal(t.total(1), total)
        equal(len(t.calls(1, "commit")), 1)


def test_what_the_rm_file_lacks_is_said():
    with Trans() as t:
        ended(build(t, "NONE", row("TEST")), 1, "-r NONE: not in ")
        for text in ("TEST:xaosw\n", "TEST::lib\n", "TEST\n"):
            ended(build(t, "TEST", text), 1, "TEST")
        ended(build(t, "TEST", f"TEST:{'x' * 64}:\n"), 1,
              "give NAME:SWITCH:LIBRARIES")


def test_a_client_gets_the_libraries():
    with Trans() as t:
        r = build(t, "TEST", row("TEST"), "buildclient")
        contains(r.stderr, "no switch is built in: NDRX_XA_DRIVERLIB names it")


def test_a_coordinator_with_a_built_in_switch_needs_no_driver_library():
    with Trans() as t:
        r = build(t, "TEST", row("TEST"), "buildtms")
        equal((r.returncode, r.stdout, r.stderr), (0, "", ""))
        equal([f for f in os.listdir(t.home) if f.startswith("TMS")], ["TMS"])
        env = t.xa(1)
        del env["NDRX_XA_DRIVERLIB"]

        def start():
            return t.server(101, "-s", "200ms", env=env,
                            binary=os.path.join(t.home, "TMS"))

        tms = start()
        t.tm(2)
        t.sv(11, 1, "A")
        t.sv(12, 2, "B")
        c = t.xaclient(1)
        for total in 1, 2:
            c.ok("begin", 20)
            c.ok("call", "-", "A", "add:-1")
            c.ok("call", "-", "B", "add:1")
            if total == 2:  # it recovers, too
                t.order(1, "commit", "kill")
                t.through_death(c, ["commit"], tms, start)
            else:
                c.ok("commit")
            t.decided(1, 2)
            equal((t.total(1), t.total(2)), (-total, total))


def test_buildtms_says_what_it_lacks():
    with Trans() as t:
        ended(build(t, "NONE", row("TEST"), "buildtms"), 1,
              "-r NONE: not in ")
        env = {k: v for k, v in t.env.items()
               if k not in ("NDRX_RMFILE", "TUXDIR", "NDRX_HOME")}
        for words, status, text in (
                ((), 2, "-r is missing"), (("-r", "X", "y"), 2, "files follow"),
                (("-r", "X"), 1, "there is no RM file"),
                (("--help",), 0, "usage: buildtms")):
            r = subprocess.run([t.program("buildtms"), *words], env=env,
                               cwd=t.home, capture_output=True, text=True,
                               timeout=60 * SLOW, check=False)
            equal((words, r.returncode), (words, status))
            contains(r.stdout + r.stderr, text)
