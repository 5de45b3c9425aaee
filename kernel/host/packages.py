# SPDX-License-Identifier: GPL-2.0-only
"""packages.py - packages for building and booting kernels, from apt.

Missing packages are installed: the only change that verify makes outside its
build folder. The kernel's source is only downloaded.
"""
import os
import subprocess

NEEDED = ("qemu-system-x86", "flex", "bison", "bc", "libelf-dev",
          "libssl-dev", "xz-utils", "cpio", "patch", "perl")


class Missing(Exception):
    """Packages cannot be installed; the text has the command to run."""


def missing():
    """The needed packages that are not installed."""
    return [p for p in NEEDED if subprocess.run(
        ["dpkg-query", "-W", "-f", "${Status}", p], text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ).stdout != "install ok installed"]


def apt(*words):
    """Run apt-get as root, without questions. True on success."""
    line = [] if os.getuid() == 0 else ["sudo", "-n"]
    line += ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q",
             "-o", "DPkg::Lock::Timeout=300", *words]
    return subprocess.run(line, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL,
                          check=False).returncode == 0


def install(progress):
    """Install the missing packages."""
    lacking = missing()
    if not lacking:
        return
    progress("installing " + " ".join(lacking))
    words = ("install", "-y", "--no-install-recommends", *lacking)
    if not (apt(*words) or (apt("update") and apt(*words))):
        raise Missing("packages are missing, please run: apt-get " +
                      " ".join(words))
