#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""linked.py SOURCE COMPILER BUILD [SANITIZER] - every function of the headers links

A program takes the address of each function that include/ declares or names by
a macro, in one file with all headers, and runs.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import public_names

ROOT, CC = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
LIB = pathlib.Path(sys.argv[3]).resolve() / "lib"
SANITIZE = [f"-fsanitize={name}" for name in sys.argv[4:]]

PROGRAM = """
#include <stdio.h>
#include <string.h>
%(includes)s
/* What applications write. */
int tpsvrinit(int argc, char **argv) { return argc + (argv != 0); }
void tpsvrdone(void) { }

static const struct { const char *name; void *function; } functions[] = {
%(functions)s
};

int main(void)
{
	size_t i, n = sizeof(functions) / sizeof(functions[0]);
	int wrong = 0;

	for (i = 0; i < n; i++)
		wrong += functions[i].function == NULL;
	printf("%%zu functions link\\n", n);
	return wrong != 0;
}
"""


def functions(known):
    """Names that have an address."""
    text = "".join(p.read_text() for p in (ROOT / "include").glob("*.h"))
    with_arguments = public_names.function_macros(text)
    for name, it in sorted(known.items()):
        if it.kind == "other" or name in public_names.WRITTEN or \
                name in with_arguments:
            continue
        # A macro of FML that is a function of UBF, and no constant.
        macro = re.search(rf"^#define {name} (\w+)$", text, re.M)
        if not it.declared and not (macro and known.get(
                macro[1], it).declared):
            continue
        yield name


def run(*argv):
    result = subprocess.run(argv, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False, env={
                                **os.environ, "LD_LIBRARY_PATH": str(LIB)})
    return result.returncode, result.stdout


def rows(names):
    return "".join(f'\t{{ "{n}", (void *)&{n} }},\n' for n in names)


def main():
    known = public_names.known(ROOT)
    found = list(functions(known))
    headers = sorted({n.header for n in known.values()})
    text = PROGRAM % {
        "includes": "".join(f"#include <{h}>\n" for h in headers),
        "functions": rows(found)}
    with tempfile.TemporaryDirectory(prefix="ow_linked_") as name:
        folder = pathlib.Path(name)
        (folder / "all.c").write_text(text)
        status, said = run(CC, "-std=gnu11", "-Wall", "-Werror", *SANITIZE,
                           f"-I{ROOT / 'include'}", str(folder / "all.c"),
                           "-o", str(folder / "all"), f"-L{LIB}",
                           "-latmisrvnomain", "-latmi", "-lubf")
        if status == 0:
            status, said = run(str(folder / "all"))
    print(said)
    return 1 if status != 0 or len(found) < 700 else 0


sys.exit(main())
