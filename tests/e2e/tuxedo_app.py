# SPDX-License-Identifier: Apache-2.0
"""An application of Tuxedo in the folder of a domain: TUXCONFIG is all that its programs
need to find it."""
import os
import pathlib
import re
import shutil
import subprocess

from checks import equal
from machine import BUILD, SLOW

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIMPAPP = ROOT / "examples/simpapp"
# Given by the configuration that tmloadcf makes.
FOUND = ("NDRX_QPREFIX", "NDRX_APPHOME", "NDRX_CONFIG", "NDRX_ULOG",
         "NDRX_TOUT", "NDRX_DEBUG_STR")


class App:
    """An application in the folder of a domain, run as Tuxedo's is."""

    def __init__(self, d, example):
        self.d = d
        self.home = f"{d.home}/app"
        shutil.copytree(example, self.home)
        self.env = {k: v for k, v in d.env.items() if k not in FOUND}
        self.env.update(TUXDIR=str(ROOT), APPDIR=self.home,
                        TUXCONFIG=f"{self.home}/tuxconfig")
        self.env["PATH"] = f"{BUILD}/bin:{self.home}:/usr/bin:/bin"
        flags = {"address": "-fsanitize=address,undefined",
                 "thread": "-fsanitize=thread"}
        self.env["CFLAGS"] = "-Wall -Wextra -Werror " + flags.get(
            os.environ.get("OW_SANITIZE", ""), "")

    def run(self, *words, ok=True, text=None):
        r = subprocess.run(words, env=self.env, cwd=self.home, input=text,
                           stdin=None if text is not None
                           else subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=60 * SLOW, check=False)
        if ok:
            equal(r.returncode, 0, f"{words}: {r.stdout}{r.stderr}")
        return r

    def configure(self, name="ubbsimple", change=lambda text: text):
        """The UBBCONFIG with its placeholders replaced, loaded."""
        with open(f"{self.home}/{name}", encoding="utf-8") as f:
            text = f.read()
        for mark, value in (("<machine>", "here"), ("<appdir>", self.home),
                            ("<tuxdir>", str(ROOT))):
            text = text.replace(mark, value)
        text = re.sub(r"(DOMAINID\s+)\w+", rf"\g<1>{self.d.prefix}", text)
        with open(f"{self.home}/ubb", "w", encoding="utf-8") as f:
            f.write(change(text))
        return self.run("tmloadcf", "-y", "ubb")

    def build_simpapp(self, *server):
        self.run("buildserver", *(server or ("-o", "simpserv", "-f",
                                             "simpserv.c", "-s", "TOUPPER")))
        self.run("buildclient", "-o", "simpcl", "-f", "simpcl.c")
