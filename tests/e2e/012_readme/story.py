# SPDX-License-Identifier: Apache-2.0
"""README's walk, as it stands there: from two programs to a domain."""
import os
import pathlib
import re
import shutil
import subprocess

from checks import contains, equal
from fixture import Domain, Skip
from machine import BUILD, SLOW

TRANSPORT = "posix"  # README names none
ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def _blocks():
    """(language, text) of the chapter's examples."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    chapter = text.split("## A server and a client")[1].split("\n## ")[0]
    return BLOCK.findall(chapter)


def _run(d, home, text):
    # Only what must differ here does: where the build is, the name of the
    # domain, and a console that needs no terminal.
    for mine, ours in (
            ("cmake --preset release && cmake --build --preset release\n",
             ""),
            ("cmake --install build/release", f"cmake --install {BUILD}"),
            ("/hello ", f"/{d.prefix} "), ("\nndrxtop", "\nndrxtop -b")):
        text = text.replace(mine, ours)
    env = {k: v for k, v in os.environ.items() if not k.startswith("NDRX_")}
    env.update(HOME=home, NDRX_SILENT="Y")
    r = subprocess.run(["bash", "-e", "-c", text], cwd=home, env=env,
                       stdin=subprocess.DEVNULL, capture_output=True,
                       text=True, timeout=90 * SLOW, check=False)
    equal(r.returncode, 0, r.stdout + r.stderr)
    return r.stdout


def test_the_walk_of_the_readme_says_what_it_says():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("the programs of README are not sanitized")
    for tool in ("cc", "cmake", "pkg-config"):
        if shutil.which(tool) is None:
            raise Skip(f"needs {tool}")
    blocks = _blocks()
    equal([language for language, _ in blocks], ["c", "c", "", "xml", ""])
    with Domain() as d:
        home = f"{d.home}/me"
        os.mkdir(home)
        for name, (_, text) in zip(("hellosv.c", "hellocl.c", "",
                                    "ndrxconfig.xml"), blocks):
            if name:
                pathlib.Path(home, name).write_text(text, encoding="utf-8")
        alone, supervised = blocks[2][1], blocks[4][1]
        contains(alone, "Hello, world")
        contains(_run(d, home, alone), "Hello, world\n")
        settings = "\n".join(n for n in alone.splitlines()
                             if n.startswith("export "))
        # Doctor's findings are about the machine.
        said = _run(d, home, settings + "\n" + supervised.replace(
            "xadmin doctor ", "xadmin doctor || true "))
        contains(said, "Hello, world\n")
        contains(said, "HELLO")
