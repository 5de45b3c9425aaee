# SPDX-License-Identifier: GPL-2.0-only
"""seen.py - what the last full pass has seen, so that it is not done twice.

A pass vouches for this folder and for the transports, as a hash over the
names and contents of their files. kernel/verified holds the hash of the last
one in which all kernels passed.
"""
import hashlib
import os
import subprocess
import time

# Beginnings of names. The transports: queues and how one waits at them, the
# bell, rings and mailboxes in shared memory, the blocks that lie in them.
VOUCHED = ("kernel/", "libatmi/queue", "libatmi/waitset", "libatmi/bell",
           "libatmi/balance", "libatmi/shmq", "libatmi/ring",
           "libatmi/mailbox", "libatmi/block", "libatmi/futex",
           "libatmi/transport")
# Words, not work.
EXCEPT = ("kernel/verified", "kernel/README.md")


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

    def record(self, begun_with, passed, wanted):
        """Remember kernels that passed; True when all that are wanted have.
        They may have come in parts: what counts is that all of them passed
        with the same content, and that it is still there."""
        if self.digest() != begun_with:
            return False
        path = os.path.join(self.folder, "passed-" + begun_with[:16])
        passed = set(passed)
        if os.path.exists(path):
            with open(path) as f:
                passed |= set(f.read().split())
        with open(path, "w") as f:
            f.write(" ".join(sorted(passed)) + "\n")
        if not passed >= set(wanted):
            return False
        with open(self.path, "w") as f:
            f.write("%s %s\n" % (begun_with, time.strftime("%Y-%m-%d")))
        return True
