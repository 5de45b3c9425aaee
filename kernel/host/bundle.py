# SPDX-License-Identifier: GPL-2.0-only
"""bundle.py - the initial RAM file system of a guest.

Holds init and the agent of guest/, the release build with the libraries that
it needs, bench/ with the Python that runs it, and the selftests. Of the host it
has only the libraries that ldd lists for a program, and the modules that the
interpreter imports for a script.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.dirname(HERE)
FOLDERS = ("proc", "sys", "dev", "tmp", "run", "etc", "verify", "bin")

# Imports everything the scripts import and prints the files.
ASK_PYTHON = """
import glob, json, os, runpy, sys
for script in json.loads(sys.argv[1]):
    sys.path.insert(0, os.path.dirname(script))
    runpy.run_path(script, run_name="bundled")
import encodings.utf_8, encodings.latin_1, encodings.ascii, encodings.idna
files = {m.__file__ for m in list(sys.modules.values())
         if getattr(m, "__file__", None)}
files |= {m.__cached__ for m in list(sys.modules.values())
          if getattr(m, "__cached__", None) and os.path.exists(m.__cached__)}
print(json.dumps(sorted(os.path.realpath(f) for f in files)))
"""


def libraries(program):
    """The files that the dynamic linker would load."""
    out = subprocess.run(["ldd", program], text=True, check=False,
                         stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    for line in out.splitlines():
        words = line.split()
        path = words[2] if "=>" in words else words[0] if words else ""
        if path.startswith("/") and os.path.exists(path):
            yield path


class Bundle:
    """A folder that becomes a cpio archive."""

    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        for name in FOLDERS:
            os.makedirs(os.path.join(folder, name))

    def copy(self, path, to=None):
        """One file, to the same path or to `to`."""
        target = self.folder + (to or path)
        if os.path.exists(target):
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.realpath(path), target)

    def program(self, path, to=None):
        """A program, or a library loaded by hand, and what it needs. The
        project's own libraries come with the build."""
        self.copy(path, to)
        for lib in libraries(path):
            if not lib.startswith(TREE + os.sep):
                self.copy(lib)

    def build(self, build):
        """The release build: programs and libraries."""
        for name in os.listdir(os.path.join(build, "bin")):
            self.program(os.path.join(build, "bin", name),
                         "/onewake/build/bin/" + name)
        shutil.copytree(os.path.join(build, "lib"),
                        self.folder + "/onewake/build/lib", symlinks=True)
        for name in os.listdir(os.path.join(build, "lib")):
            if ".so." in name:
                for lib in libraries(os.path.join(build, "lib", name)):
                    if not lib.startswith(build):
                        self.copy(lib)

    def python(self, scripts):
        """The interpreter, and the modules that these scripts import."""
        self.program(os.path.realpath(sys.executable), "/usr/bin/python3")
        out = subprocess.run(
            [sys.executable, "-B", "-c", ASK_PYTHON, json.dumps(scripts)],
            text=True, check=True, stdout=subprocess.PIPE).stdout
        for path in json.loads(out.splitlines()[-1]):
            if path.startswith(TREE + os.sep):
                continue
            if path.endswith(".so"):
                self.program(path)
            else:
                self.copy(path)

    def tree(self, folder):
        """A folder of the source tree, under /onewake."""
        shutil.copytree(os.path.join(TREE, folder),
                        os.path.join(self.folder, "onewake", folder),
                        ignore=shutil.ignore_patterns("__pycache__", "*.c"))

    def static(self, source, to):
        """A program of guest/, linked statically."""
        target = self.folder + to
        os.makedirs(os.path.dirname(target), exist_ok=True)
        subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-static", "-o",
                        target, os.path.join(HERE, "guest", source),
                        "-lpthread", "-lrt"], check=True)

    def text(self, path, text):
        """A small file."""
        with open(self.folder + path, "w") as f:
            f.write(text)

    def write(self, path):
        """The archive, compressed a little."""
        with gzip.open(path + ".part", "wb", compresslevel=1) as f:
            f.write(archive(self.folder))
        os.rename(path + ".part", path)


def archive(folder):
    """A cpio archive (newc) of a folder; all of it belongs to root."""
    out, number = [], 0
    for name, mode, data in entries(folder):
        number += 1
        out.append(member(number, name, mode, data))
    out.append(member(0, "TRAILER!!!", 0, b""))
    return b"".join(out)


def entries(folder):
    """Name, mode and content of everything in a folder, parents first."""
    for path, folders, files in os.walk(folder):
        inside = os.path.relpath(path, folder)
        for name in sorted(folders) + sorted(files):
            full = os.path.join(path, name)
            mode = os.lstat(full).st_mode
            if os.path.islink(full):
                data = os.readlink(full).encode()
            elif os.path.isdir(full):
                data = b""
            else:
                with open(full, "rb") as f:
                    data = f.read()
            yield os.path.normpath(os.path.join(inside, name)), mode, data
        folders[:] = [d for d in folders
                      if not os.path.islink(os.path.join(path, d))]


def member(number, name, mode, data):
    """One member: a head of hexadecimal fields, the name, the content."""
    fields = (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0,
              len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08X" % f for f in fields)
    return pad(head + name.encode() + b"\0") + pad(data)


def pad(data):
    """To a multiple of four bytes."""
    return data + b"\0" * (-len(data) % 4)
