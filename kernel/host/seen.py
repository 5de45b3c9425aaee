# SPDX-License-Identifier: GPL-2.0-only
"""seen.py - what the last full pass has seen, so that it is not done twice.

A pass vouches for this folder and for the transports, as a hash over the
names and contents of their files. kernel/verified holds the hash of the last
one in which all kernels passed.
"""
import hashlib
import json
import os
import subprocess
import time

# Beginnings of names: the kernel's part, and the transports, whose queues and
# wait sets are what the kernels are asked to run.
VOUCHED = ("kernel/", "libatmi/transport/", "libatmi/base/futex.h")
# Words, and tests that no guest runs.
EXCEPT = ("kernel/verified", "kernel/README.md", "kernel/host/test_verify.py")


class Seen:
    """The record of one source tree."""

    def __init__(self, tree, folder):
        self.tree, self.folder = tree, folder
        self.path = os.path.join(tree, "kernel", "verified")

    def files(self):
        """What a pass vouches for, by name."""
        out = subprocess.run(["git", "-C", self.tree, "ls-files", "-co",
                              "--exclude-standard"], text=True, check=True,
                             stdout=subprocess.PIPE).stdout
        return sorted({f for f in out.splitlines() if f.startswith(VOUCHED)
                       and f not in EXCEPT and
                       os.path.exists(os.path.join(self.tree, f))})

    def digest(self):
        """The hash of these files."""
        h = hashlib.sha256()
        for name in self.files():
            h.update(name.encode() + b"\0")
            with open(os.path.join(self.tree, name), "rb") as f:
                h.update(hashlib.sha256(f.read()).digest())
        return h.hexdigest()

    def is_verified(self):
        """Has the last full pass seen what is here?"""
        try:
            with open(self.path) as f:
                return f.read().split()[0] == self.digest()
        except (OSError, IndexError):
            return False

    def parts_path(self, begun_with, accel):
        return os.path.join(self.folder, "parts-%s-%s.json" % (
            begun_with[:16], accel))

    def add_parts(self, begun_with, accel, results):
        """A full pass may come in parts: kernels that have run with the same
        content on the same kind of machine join the results, and are judged
        with them, unless they have run anew."""
        try:
            with open(self.parts_path(begun_with, accel)) as f:
                parts = json.load(f)
        except (OSError, ValueError):
            return
        for variant, part in parts.items():
            if variant not in results.rows:
                results.add(variant, part["rows"], part["complaints"])

    def keep_parts(self, begun_with, accel, results):
        """For the next part."""
        with open(self.parts_path(begun_with, accel), "w") as f:
            json.dump({v: {"rows": results.rows[v],
                           "complaints": results.complaints[v]}
                       for v in results.rows}, f)

    def record(self, begun_with):
        """Remember a full pass in which all claims held; not if the files
        have changed meanwhile."""
        if self.digest() != begun_with:
            return False
        with open(self.path, "w") as f:
            f.write("%s %s\n" % (begun_with, time.strftime("%Y-%m-%d")))
        return True
