# SPDX-License-Identifier: GPL-2.0-only
"""seen.py - the sources of the last full pass, so that it is not repeated.

A pass covers this folder and the transports, as a hash over the names and
contents of their files; C sources count without their comments and blank
lines. kernel/verified holds the hash of the last pass in which the claims held
on all kernels.
"""
import hashlib
import json
import os
import re
import subprocess
import time

# Beginnings of names: the kernel's part, and the transports, whose queues and
# wait sets the guests run.
COVERED = ("kernel/", "libatmi/transport/", "libatmi/base/futex.h")
# Texts, and tests that no guest runs.
EXCEPT = ("kernel/verified", "kernel/README.md", "kernel/host/test_verify.py")
# A literal of C, or a comment.
LITERAL_OR_COMMENT = re.compile(
    r"""("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|"""
    r"""/\*.*?\*/|//[^\n]*""", re.S)


def without_comments(text):
    """The code of a C source, without blank lines."""
    code = LITERAL_OR_COMMENT.sub(lambda m: m[1] or " ", text)
    lines = (line.rstrip() for line in code.splitlines())
    return "\n".join(line for line in lines if line)


class Seen:
    """The record of one source tree."""

    def __init__(self, tree, folder):
        self.tree, self.folder = tree, folder
        self.path = os.path.join(tree, "kernel", "verified")

    def files(self):
        """The files that a pass covers, by name."""
        out = subprocess.run(["git", "-C", self.tree, "ls-files", "-co",
                              "--exclude-standard"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
        return sorted({f for f in out.splitlines() if f.startswith(COVERED)
                       and f not in EXCEPT and
                       os.path.exists(os.path.join(self.tree, f))})

    def digest(self):
        """The hash of these files."""
        h = hashlib.sha256()
        for name in self.files():
            h.update(name.encode() + b"\0")
            with open(os.path.join(self.tree, name), "rb") as f:
                content = f.read()
            if name.endswith((".c", ".h")):
                content = without_comments(content.decode()).encode()
            h.update(hashlib.sha256(content).digest())
        return h.hexdigest()

    def is_verified(self):
        """Was the last full pass of these sources?"""
        try:
            with open(self.path) as f:
                return f.read().split()[0] == self.digest()
        except (OSError, IndexError):
            return False

    def parts_path(self, begun_with, accel):
        return os.path.join(self.folder, "parts-%s-%s.json" % (
            begun_with[:16], accel))

    def add_parts(self, begun_with, accel, results):
        """A full pass may come in parts. Add the results of earlier runs of the
        same sources on the same kind of machine, for kernels that this run left
        out; they are judged together."""
        try:
            with open(self.parts_path(begun_with, accel)) as f:
                parts = json.load(f)
        except (OSError, ValueError):
            return
        for variant, part in parts.items():
            if variant not in results.rows:
                results.add(variant, part["rows"], part["complaints"])

    def keep_parts(self, begun_with, accel, results):
        """Save the results for the next part."""
        with open(self.parts_path(begun_with, accel), "w") as f:
            json.dump({v: {"rows": results.rows[v],
                           "complaints": results.complaints[v]}
                       for v in results.rows}, f)

    def record(self, begun_with):
        """Record a full pass in which all claims held, unless the files have
        changed since its start."""
        if self.digest() != begun_with:
            return False
        with open(self.path, "w") as f:
            f.write("%s %s\n" % (begun_with, time.strftime("%Y-%m-%d")))
        return True
