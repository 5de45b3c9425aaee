# SPDX-License-Identifier: GPL-2.0-only
"""kernels.py - Debian's kernel source, patched and built, each variant once.

All files are in the build folder. The package is fetched with apt-get
download, which needs no root and installs nothing. The name of a finished
kernel has a hash of its sources and options. The build tree of the stock kernel
is kept, so that another variant compiles only what its patches change.
"""
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess

from machine import progress
from packages import apt

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGE = "linux-source-6.1"
TAIL_LINES = 30
# name: (folders of patches in their order, parts of the configuration)
VARIANTS = {
    "stock": ((), ("guest.config",)),
    "patched": (("patches",), ("guest.config",)),
    "fixture": (("fixture",), ("guest.config",)),
    "legacy": (("fixture", "legacy"), ("guest.config",)),
    "debug": (("patches",), ("guest.config", "debug.config")),
}
TESTS = "tools/testing/selftests"
KERNEL = "(?!tools/|MAINTAINERS)"  # the files a kernel is built from
SELFTESTS = {
    "mq_poll_tests": "mqueue",
    "mq_open_tests": "mqueue",
    "epoll_balance_test": "filesystems/epoll",
    "epoll_wakeup_test": "filesystems/epoll",
}


class BuildFailed(Exception):
    """A step of a build failed; the text has the end of its log."""


def run(command, cwd, log):
    """One step; its output goes to a log, the end of the log into the failure.
    If this process is interrupted, the processes of the step are killed."""
    with open(log, "a+", errors="replace") as f:
        with subprocess.Popen(command, cwd=cwd, stdout=f,
                              stderr=subprocess.STDOUT, text=True,
                              stdin=subprocess.DEVNULL,
                              start_new_session=True) as step:
            try:
                status = step.wait()
            except BaseException:
                os.killpg(step.pid, signal.SIGKILL)
                raise
        if status == 0:
            return
        f.seek(0)
        tail = f.read().splitlines()[-TAIL_LINES:]
    raise BuildFailed("%s: status %d\n  %s" % (
        " ".join(command[:6]), status, "\n  ".join(tail)))


def patches(variant):
    """The patches of a variant, in order."""
    return [p for folder in VARIANTS[variant][0]
            for p in sorted(glob.glob(os.path.join(HERE, folder, "*.patch")))]


def config(variant):
    """The wanted options of a variant."""
    text = ""
    for name in VARIANTS[variant][1]:
        with open(os.path.join(HERE, name)) as f:
            text += f.read()
    return text


def changes(patch, wanted):
    """The diffs of the wanted files of a patch, without its description."""
    with open(patch) as f:
        parts = f.read().split("\ndiff --git a/")[1:]
    return "".join("diff --git a/%s\n" % p for p in parts
                   if re.match(wanted, p))


def digest(*parts):
    """A hash of these texts, for names."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def output(*command):
    """The output of a command."""
    return subprocess.run(command, text=True, stdout=subprocess.PIPE,
                          check=True).stdout.strip()


class Kernels:
    """The kernels in one build folder."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.package = self.find_package()

    def find_package(self):
        """The source package: a downloaded one, else the newest."""
        have = sorted(glob.glob(self.path(PACKAGE + "_*_all.deb")))
        if not have:
            progress("fetching " + PACKAGE)
            self.fetch()
            have = glob.glob(self.path(PACKAGE + "_*_all.deb"))
        return have[-1]

    def fetch(self):
        """Download the package; update the lists of apt if needed."""
        line, log = ["apt-get", "download", PACKAGE], self.path("fetch.log")
        try:
            run(line, self.folder, log)
        except BuildFailed:
            apt("update")
            run(line, self.folder, log)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def version(self):
        """The version of the source package."""
        return os.path.basename(self.package).split("_")[1]

    def key(self, variant):
        """The hash of the sources and options of a kernel."""
        return digest(os.path.basename(self.package),
                      output("cc", "--version"), config(variant),
                      *(changes(p, KERNEL) for p in patches(variant)))

    def images(self, variant):
        """The folder of a finished kernel."""
        return self.path("images", "%s-%s" % (variant, self.key(variant)))

    def image(self, variant):
        """A bootable kernel, built if needed."""
        folder = self.images(variant)
        if not os.path.exists(os.path.join(folder, "bzImage")):
            self.build(variant, folder)
        return os.path.join(folder, "bzImage")

    def selftests(self):
        """The folder of the selftests. A change of them does not build kernels
        again."""
        diffs = [changes(p, TESTS) for p in patches("patched")]
        folder = self.path("images", "selftests-" + digest(
            os.path.basename(self.package), output("cc", "--version"),
            *diffs))
        if not os.path.isdir(folder):
            self.build_selftests(diffs, folder)
        return folder

    def style(self):
        """Complaints of the kernel's checkpatch.pl, by name of the patch; empty
        if there are none."""
        script = os.path.join(self.source(), "scripts", "checkpatch.pl")
        found = {}
        for path in sorted(glob.glob(os.path.join(HERE, "*", "*.patch"))):
            done = subprocess.run(
                ["perl", script, "--strict", "--no-tree", "--terse",
                 "--no-summary", path], text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said = done.stdout.strip()
            if done.returncode != 0 and not said:
                said = "status %d" % done.returncode
            found[os.path.relpath(path, HERE)] = said
        return found

    # ---- building ----

    def source(self):
        """The unpacked source, as the package has it."""
        target = self.path("source-" + self.version())
        if os.path.isdir(target):
            return target
        progress("unpacking " + os.path.basename(self.package))
        part = self.path("unpack")
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        log = self.path("unpack.log")
        run(["dpkg-deb", "-x", self.package, part], self.folder, log)
        run(["tar", "xf", "usr/src/%s.tar.xz" % PACKAGE], part, log)
        os.rename(os.path.join(part, PACKAGE), target)
        shutil.rmtree(part)
        return target

    def stock_tree(self):
        """The tree of the stock kernel, built, to be copied for others."""
        tree = self.path("tree-stock-" + self.key("stock"))
        if not os.path.isdir(tree):
            self.make_tree("stock", self.source(), tree)
        return tree

    def build(self, variant, folder):
        """Make a variant and keep what is used of it."""
        if variant == "stock":
            tree = self.stock_tree()
        else:
            plain = VARIANTS[variant][1] == VARIANTS["stock"][1]
            tree = self.path("tree-" + variant)
            shutil.rmtree(tree, ignore_errors=True)
            self.make_tree(variant, self.stock_tree() if plain
                           else self.source(), tree)
        part = folder + ".part"
        shutil.rmtree(part, ignore_errors=True)
        os.makedirs(part)
        shutil.copy2(os.path.join(tree, "arch/x86/boot/bzImage"), part)
        shutil.copy2(os.path.join(tree, ".config"),
                     os.path.join(part, "config"))
        os.rename(part, folder)
        if variant != "stock":
            shutil.rmtree(tree)

    def make_tree(self, variant, origin, tree):
        """Copy a tree, patch it, configure it, build it."""
        progress("building the kernel %s" % variant)
        log = self.path("build-%s.log" % variant)
        open(log, "w").close()
        # Always the same place: tools of the build remember it, and would be
        # built anew, and everything after them.
        part = self.path("work")
        shutil.rmtree(part, ignore_errors=True)
        run(["cp", "-a", "--reflink=auto", origin, part], self.folder, log)
        for p in patches(variant):
            run(["patch", "-p1", "--no-backup-if-mismatch", "-i", p], part,
                log)
        wanted = os.path.join(part, "wanted.config")
        with open(wanted, "w") as f:
            f.write(config(variant))
        if not os.path.exists(os.path.join(part, ".config")) or \
                variant == "debug":
            run(["make", "allnoconfig", "KCONFIG_ALLCONFIG=" + wanted], part,
                log)
        self.check_config(variant, os.path.join(part, ".config"))
        run(["nice", "make", "-j%d" % os.cpu_count(), "bzImage"], part, log)
        os.rename(part, tree)

    @staticmethod
    def check_config(variant, path):
        """Options depend on others: each wanted one has to be there."""
        with open(path) as f:
            have = set(f.read().splitlines())
        lost = [w for w in config(variant).splitlines()
                if w.startswith("CONFIG_") and not w.endswith("=n")
                and w not in have]
        if lost:
            raise BuildFailed("kernel %s: the configuration lost %s" % (
                variant, ", ".join(lost)))

    def build_selftests(self, diffs, folder):
        """By the kernel's own makefiles."""
        progress("building the selftests")
        log, part = self.path("build-selftests.log"), folder + ".part"
        tree = self.path("tree-selftests")
        for old in (tree, part):
            shutil.rmtree(old, ignore_errors=True)
        os.makedirs(part)
        open(log, "w").close()
        place = os.path.join(tree, TESTS)
        shutil.copytree(os.path.join(self.source(), TESTS), place,
                        symlinks=True)
        wanted = os.path.join(tree, "tests.patch")
        with open(wanted, "w") as f:
            f.write("".join(diffs))
        run(["patch", "-p1", "-i", wanted], tree, log)
        for name, under in SELFTESTS.items():
            run(["make", "-C", os.path.join(place, under), "OUTPUT=" + part,
                 "LDLIBS=-lrt -lpthread", os.path.join(part, name)],
                self.folder, log)
        os.rename(part, folder)
        shutil.rmtree(tree)
