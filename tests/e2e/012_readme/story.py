# SPDX-License-Identifier: Apache-2.0
"""README's walk, as it stands there: from two programs to a domain."""
import os
import pathlib
import re
import shutil
import subprocess

from checks import at_most, contains, equal
from fixture import Domain, Skip
from httpgate import free_port
from machine import BUILD, SLOW

TRANSPORT = "posix"  # README names none
ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def _blocks():
    """(language, text) of the chapter's examples: those in Python and Go run
    in tests/python and in story 099."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    chapter = text.split("## Hello")[1].split("\n## ")[0]
    return BLOCK.findall(chapter)


def _programs(d):
    """A folder with the two programs in C."""
    home = f"{d.home}/me"
    os.mkdir(home)
    for name, (_, text) in zip(("hellosv.c", "hellocl.c"), _blocks()):
        pathlib.Path(home, name).write_text(text, encoding="utf-8")
    return home


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
    equal([language for language, _ in blocks], ["c", "c", "", "python", "go"])
    with Domain() as d:
        home = _programs(d)
        # Doctor's findings are about the machine.
        said = _run(d, home, blocks[2][1].replace(
            "xadmin doctor ", "xadmin doctor || true "))
        equal(said.count("Hello, world\n"), 2)  # by hand, and by ndrxd
        contains(said, "HELLO")


def test_it_is_a_page_of_a_hundred_lines():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    at_most(len(readme.splitlines()), 100, "lines")


def _over_http(walk, readme, port):
    """The walk, with what README says of HTTP in its configuration."""
    server, = re.findall(r"`(<server name=\"httpgate\">.*?</server>)`", readme)
    http, = re.findall(r"`(<http .*?</http>)`", readme, re.S)
    curl, answer = re.search(r"`(curl .*?)`: (.*)", readme).groups()
    begin, rest = walk.split("./hellosv -i 1")
    start, = re.findall(r"^xadmin start -y", rest, re.M)
    text = "\n".join((begin.replace("</servers>", f"{server}</servers>{http}"),
                      start, curl.replace("curl", "curl -sS"), "",
                      "xadmin stop -y\n"))
    return text.replace("8080", str(port)), answer.rstrip(".")


def test_hello_over_http_is_as_the_readme_says():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("the programs of README are not sanitized")
    for tool in ("cc", "cmake", "pkg-config", "curl"):
        if shutil.which(tool) is None:
            raise Skip(f"needs {tool}")
    if not os.path.exists(os.path.join(BUILD, "bin/httpgate")):
        raise Skip("httpgate was not built: it needs go 1.22")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    with Domain() as d:
        text, answer = _over_http(_blocks()[2][1], readme, free_port())
        home = _programs(d)
        contains(_run(d, home, text), answer)
