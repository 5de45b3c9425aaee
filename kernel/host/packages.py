# SPDX-License-Identifier: GPL-2.0-only
"""packages.py - what building and booting kernels needs, from apt.

The only thing outside the build folder that verify may change: packages that
are missing are installed. The kernel's source is only downloaded.
"""
import os
import subprocess

NEEDED = ("qemu-system-x86", "flex", "bison", "bc", "libelf-dev",
          "libssl-dev", "xz-utils", "cpio", "patch", "perl")


class Missing(Exception):
    """Packages are missing and cannot be installed; the text has the line."""


def missing():
    """Those of the needed that are not installed."""
    return [p for p in NEEDED if subprocess.run(
        ["dpkg-query", "-W", "-f", "${Status}", p], text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout != "install ok installed"]


def apt(*words):
    """apt-get as root, nobody being asked anything: did it work?"""
    line = [] if os.getuid() == 0 else ["sudo", "-n"]
    line += ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q",
             "-o", "DPkg::Lock::Timeout=300", *words]
    return subprocess.run(line, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL,
                          check=False).returncode == 0


def install(progress):
    """Whatever is missing."""
    lacking = missing()
    if not lacking:
        return
    progress("installing " + " ".join(lacking))
    words = ("install", "-y", "--no-install-recommends", *lacking)
    if not (apt(*words) or (apt("update") and apt(*words))):
        raise Missing("packages are missing, please run: apt-get " +
                      " ".join(words))
