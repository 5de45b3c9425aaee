#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""test_verify.py - the judging part of verify, without a kernel.

A claim that cannot fail is worth nothing: each kind is shown a guest for which
it has to fail.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "guest")]

import agent  # noqa: E402
import packages  # noqa: E402
from bundle import Bundle  # noqa: E402
from claims import judge  # noqa: E402
from machine import (GuestFailed, Machine, append_plan,  # noqa: E402
                     kvm_works, read_console)
from plan import plan  # noqa: E402
from results import Results  # noqa: E402
from seen import Seen  # noqa: E402


def row(status=0, **figures):
    return {"status": status, "seconds": 1, "err": "",
            "out": json.dumps(figures) + "\n"}


def guests(stock, patched, complaints=()):
    """Two guests of one step: bare excl."""
    r = Results()
    r.add("stock", {"bare excl": row(**stock)}, [])
    r.add("patched", {"bare excl": row(**patched)}, list(complaints))
    return r


def verdict(results, ran, words):
    """Does the one claim with these words hold?"""
    found = [c for c in judge(results, ran).all if words in c[0]]
    assert len(found) == 1, found
    return found[0][1]


STOCK = {"calls_per_s": 1000, "ctx_switches_per_call": 3.1}
GOOD = {"calls_per_s": 1400, "ctx_switches_per_call": 2.02}
BOTH = ("stock", "patched")


class Claims(unittest.TestCase):
    def test_speed_and_switches(self):
        words = ("patched at least", "bare queues, patched: at most")
        for figures, held in ((GOOD, True), (STOCK, False), ({}, False)):
            for w in words:
                self.assertEqual(
                    verdict(guests(STOCK, figures), BOTH, w), held)

    def test_nothing_is_claimed_of_what_did_not_run(self):
        r = guests(STOCK, GOOD)
        self.assertFalse([c for c in judge(r, ("stock",)).all
                          if "patched" in c[0]])

    def test_a_step_that_fails_is_reported(self):
        r = guests(STOCK, GOOD)
        r.rows["patched"]["bare excl"]["status"] = 1
        self.assertFalse(verdict(r, BOTH, "patched: every step ends well"))
        self.assertFalse(verdict(r, BOTH, "patched at least"))

    def test_the_spread(self):
        r = guests(STOCK, GOOD)
        for share, held in ((1.01, True), (2.0, False), (None, False)):
            r.rows["patched"]["bare even"] = row(largest_share=share)
            self.assertEqual(verdict(r, BOTH, "bare even"), held)

    def test_selftests(self):
        r = guests(STOCK, GOOD)
        tap = "ok 1 a\nnot ok 2 b\n"
        name = "selftest mq_poll_tests"
        r.rows["patched"][name] = dict(row(1), out=tap, name=name)
        self.assertFalse(verdict(r, BOTH, name + ", patched"))
        r.rows["patched"][name] = dict(row(), out="ok 1 a\n", name=name)
        self.assertTrue(verdict(r, BOTH, name + ", patched"))
        self.assertFalse(verdict(r, BOTH, name + ", stock"))

    def test_an_old_test_is_compared_with_stock(self):
        r = guests(STOCK, GOOD)
        name = "selftest epoll_wakeup_test"
        for variant, tap in (("stock", "not ok 59 x\n"),
                             ("patched", "not ok 59 x\nnot ok 60 y\n")):
            r.rows[variant][name] = dict(row(1), out=tap, name=name)
        self.assertFalse(verdict(r, BOTH, name))
        r.rows["patched"][name]["out"] = "not ok 59 x\n"
        self.assertTrue(verdict(r, BOTH, name))

    def chaos(self, variant, status=0, **change):
        rows = [dict({"transport": t, "mode": m, "hits": int(m != "busy"),
                      "clean": True, "why": "", "left_behind": 0}, **change)
                for t in ("posix", "shm") for m in ("kill", "busy", "stop")]
        r = Results()
        r.add(variant, {"chaos": dict(row(status), out="\n".join(
            json.dumps(o) for o in rows))}, [])
        return verdict(r, (variant,), "chaos, " + variant)

    def test_chaos(self):
        self.assertTrue(self.chaos("patched"))
        for change in ({"clean": False}, {"hits": 0}, {"left_behind": 1},
                       {"transport": "posix"}, {"status": 1}):
            self.assertFalse(self.chaos("patched", **change), change)

    def test_only_the_slow_debug_kernel_may_be_late(self):
        late = {"clean": False, "why": "errors after 100 ms", "status": 1}
        self.assertFalse(self.chaos("patched", **late))
        self.assertTrue(self.chaos("debug", **late))
        self.assertFalse(self.chaos("debug", **dict(late, left_behind=1)))
        self.assertFalse(self.chaos("debug", **dict(late, why="wrong answers")))

    def test_the_doctor(self):
        r = guests(STOCK, GOOD)
        self.assertFalse(verdict(r, BOTH, "doctor, patched"))
        for found, held in (("only a message wakes a reader", True),
                            ("a receive wakes a reader too", False)):
            r.rows["patched"]["doctor"] = dict(
                row(), out=json.dumps([found, "known"]))
            self.assertEqual(verdict(r, BOTH, "doctor, patched"), held)

    def test_the_console(self):
        words = "patched: no warning"
        self.assertTrue(verdict(guests(STOCK, GOOD), BOTH, words))
        self.assertFalse(verdict(guests(STOCK, GOOD, ["BUG: x"]), BOTH,
                                 words))


    def test_legacy_has_to_do_what_stock_does(self):
        r = Results()
        name = "selftest epoll_balance_test"
        taps = {"stock": "not ok 1 a\n", "fixture": "not ok 2 b\n"}
        for variant, tap in taps.items():
            r.add(variant, {name: dict(row(1), out=tap, name=name)}, [])
        for tap, held in (("not ok 1 a\n", True), ("not ok 2 b\n", False),
                          ("ok 1 a\n", False)):
            r.add("legacy", {name: dict(row(1), out=tap, name=name)}, [])
            self.assertEqual(verdict(r, ("stock", "fixture", "legacy"),
                                     "legacy fails what stock"), held)

    def test_style(self):
        for said, held in (("", True), ("x:1: WARNING: y", False)):
            r = guests(STOCK, GOOD)
            r.style = {"patches/0001": said}
            self.assertEqual(verdict(r, BOTH, "checkpatch"), held)

    def test_of_repeated_runs_the_fastest_counts(self):
        r = guests(STOCK, {})
        slow, fast = dict(GOOD, calls_per_s=900), dict(GOOD)
        r.rows["patched"]["bare excl"]["out"] = "%s\n%s\n%s\n" % tuple(
            json.dumps(o) for o in (slow, fast, slow))
        self.assertEqual(r.figure("patched", "bare excl", "calls_per_s"),
                         1400)


# Stands for qemu: does what the first word of the kernel's file says.
QEMU = """#!/bin/sh
for last; do
	case $before in
	-kernel) read what < $last ;;
	-serial) case $last in *results*) results=${last#file:} ;;
		 *) console=${last#file:} ;; esac ;;
	esac
	before=$last
done
case $what in
good)	echo '{"name": "end"}' > $results ;;
denied)	echo "Could not access KVM kernel module" >&2; exit 1 ;;
hangs)	echo "[ 0.0] Linux version 6.1" > $console; exec sleep 60 ;;
panic)	echo "[ 0.5] Kernel panic - not syncing: no init" > $console ;;
esac
"""


class Boot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.write("qemu-system-x86_64", QEMU)
        self.write("initramfs", "")
        os.chmod(self.path("qemu-system-x86_64"), 0o755)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = self.folder + ":" + before

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def kvm(self, kernel, device="/dev/null"):
        return kvm_works(self.folder, self.write("kernel", kernel + "\n"),
                         self.path("initramfs"), 1, device)

    def test_kvm_is_taken_where_a_guest_comes_up(self):
        self.assertTrue(self.kvm("good"))

    def test_without_the_device_no_guest_is_tried(self):
        self.assertFalse(self.kvm("good", self.path("kvm")))
        self.assertFalse(os.path.exists(self.path("console-kvm.log")))

    def test_a_kvm_that_may_not_be_used_or_hangs_is_none(self):
        for kernel in ("denied", "panic", "hangs"):
            self.assertFalse(self.kvm(kernel), kernel)

    def test_without_qemu_there_is_no_kvm(self):
        os.environ["PATH"] = self.path("nowhere")
        self.assertFalse(self.kvm("good"))

    def test_of_several_guests_one_that_fails_ends_all(self):
        m = Machine(self.folder, "emulated")
        jobs = {k: (self.write(k, k + "\n"), self.path("initramfs"), [])
                for k in ("hangs", "panic", "good")}
        begun = time.monotonic()
        with self.assertRaisesRegex(GuestFailed, "^panic: (.|\n)*no init"):
            m.run_all(jobs)
        self.assertLess(time.monotonic() - begun, 50)
        m = Machine(self.folder, "emulated")
        self.assertEqual(m.run_all({"good": jobs["good"]}),
                         {"good": ({"end": {"name": "end"}}, [])})

    def test_a_failed_boot_shows_the_console(self):
        m = Machine(self.folder, "emulated")
        for kernel, words in (("panic", "no init"), ("hangs", "no end after"),
                              ("denied", "Could not access")):
            path = self.write("kernel", kernel + "\n")
            with self.assertRaisesRegex(GuestFailed, words):
                m.run("x", path, self.path("initramfs"), [], boot=1)


# Stand for dpkg-query and apt-get: nothing is here, and nothing can be
# installed before the lists have been fetched.
APT = """#!/bin/sh
here=$(dirname "$0")
echo "$*" >> $here/said
case "$*" in *update) touch $here/lists ;; esac
test -e $here/lists
"""


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        for name, text in (("apt-get", APT), ("sudo", "#!/bin/sh\nshift\n"
                                              'exec "$@"\n'),
                           ("dpkg-query", "#!/bin/sh\nexit 1\n")):
            path = os.path.join(self.folder, name)
            with open(path, "w") as f:
                f.write(text)
            os.chmod(path, 0o755)
        changed = {"PATH": self.folder + ":" + os.environ["PATH"]}
        patch = unittest.mock.patch.dict(os.environ, changed)
        patch.start()
        self.addCleanup(patch.stop)

    def test_the_lists_are_fetched_when_they_are_missing(self):
        packages.install(lambda text: None)
        with open(os.path.join(self.folder, "said")) as f:
            said = f.read().splitlines()
        self.assertEqual(["update" in s for s in said], [False, True, False])
        self.assertIn("qemu-system-x86", said[0])

    def test_what_cannot_be_installed_is_named(self):
        with open(os.path.join(self.folder, "apt-get"), "w") as f:
            f.write("#!/bin/sh\nexit 1\n")
        with self.assertRaisesRegex(packages.Missing, "qemu-system-x86"):
            packages.install(lambda text: None)


class Record(unittest.TestCase):
    """What a full pass covers, in a small tree."""

    def setUp(self):
        self.tree = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.tree)
        for name in ("kernel/verify", "kernel/README.md",
                     "libatmi/transport/queue.c", "libatmi/buffer/buf.c"):
            self.write(name, name)
        subprocess.run(["git", "init", "-q", self.tree], check=True)
        self.seen = Seen(self.tree, self.tree)

    def write(self, name, text):
        path = os.path.join(self.tree, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def test_a_full_pass_is_remembered_until_something_changes(self):
        self.assertFalse(self.seen.is_verified())
        self.assertTrue(self.seen.record(self.seen.digest()))
        self.assertTrue(self.seen.is_verified())
        for name, same in (("kernel/README.md", True),
                           ("libatmi/buffer/buf.c", True),
                           ("libatmi/transport/queue.c", False)):
            self.write(name, "other")
            self.assertEqual(self.seen.is_verified(), same, name)

    def test_a_reworded_comment_is_no_change_of_a_c_source(self):
        name = "libatmi/transport/queue.c"
        self.write(name, '#include "q.h"\n/* old */\n'
                         'int a = \'"\'; /* one */\n'
                         'char *s = "// /* text */"; // end\n')
        self.assertTrue(self.seen.record(self.seen.digest()))
        code = ('#include "q.h"\n\n/*\n * much\n * longer\n */\n\n'
                'int a = \'"\';\nchar *s = "// /* text */"; /* "end */\n')
        for text, same in ((code, True),
                           (code.replace("text", "word"), False),
                           (code.replace("a = ", "b = "), False),
                           (code.replace("int a", "/* int a"), False)):
            self.write(name, text)
            self.assertEqual(self.seen.is_verified(), same, text)
        self.write("kernel/verify", "kernel/verify  # comment")
        self.write(name, code)
        self.assertFalse(self.seen.is_verified(), "not a C source")

    def test_a_pass_over_a_tree_that_changed_meanwhile_counts_nothing(self):
        begun = self.seen.digest()
        self.write("libatmi/transport/shm/queue.c", "new")
        self.assertFalse(self.seen.record(begun))
        self.assertFalse(self.seen.is_verified())

    def test_parts_of_a_pass_are_judged_together(self):
        begun, both = self.seen.digest(), guests(STOCK, STOCK)
        first, then = Results(), Results()
        first.add("stock", both.rows["stock"], [])
        self.seen.keep_parts(begun, "emulated", first)
        then.add("patched", both.rows["patched"], [])
        self.seen.add_parts("other" * 8, "emulated", then)
        self.seen.add_parts(begun, "kvm", then)
        self.assertEqual(list(then.rows), ["patched"])
        self.seen.add_parts(begun, "emulated", then)
        self.assertFalse(verdict(then, list(then.rows), "patched at least"))


class Console(unittest.TestCase):
    def test_complaints_are_found_and_names_are_not(self):
        good = ("[ 0.0] Kernel command line: oops=panic",
                "[ 0.1] kasan: KernelAddressSanitizer initialized",
                "[ 0.1] Lock dependency validator: Copyright (c) 2006",
                "[ 0.2] Spectre V2 : WARNING, see Documentation")
        bad = ("[ 1.0] BUG: KASAN: use-after-free in ep_poll_callback",
               "[ 1.0] WARNING: possible circular locking dependency",
               "[ 1.0] WARNING: CPU: 0 PID: 1 at fs/eventpoll.c:1",
               "[ 1.0] Call Trace:", "[ 1.0] INFO: task a:1 blocked",
               "[ 1.0] list_del corruption. prev->next")
        with tempfile.NamedTemporaryFile("w+") as f:
            f.write("\n".join(good + bad))
            f.flush()
            self.assertEqual(read_console(f.name)[1], list(bad))

    def test_a_guest_without_an_end_shows_its_console(self):
        with tempfile.TemporaryDirectory() as folder:
            m = Machine(folder, "emulated")
            with open(m.path("results-%s.json", "x"), "w") as f:
                f.write('{"name": "hello"}\n{"name": "bare')
            with open(m.path("console-%s.log", "x"), "w") as f:
                f.write("[ 1.0] Kernel panic - not syncing: no init\n")
            with self.assertRaisesRegex(GuestFailed, "no init"):
                m.harvest("x", "qemu ended", "")


class Agent(unittest.TestCase):
    def test_a_repeated_step_is_one_row(self):
        runs = [dict(row(0, n=1), name="a"), dict(row(3, n=2), name="a"),
                dict(row(0, n=3), name="a")]
        with unittest.mock.patch.object(agent, "once", lambda s: runs.pop(0)):
            r = Results()
            r.add("stock", {"a": agent.run({"name": "a", "repeat": 3})}, [])
        self.assertEqual(r.step("stock", "a")["status"], 3)
        self.assertEqual([o["n"] for o in r.objects("stock", "a")], [1, 2, 3])


class Files(unittest.TestCase):
    @unittest.skipUnless(shutil.which("cpio"), "no cpio here")
    def test_the_archive_is_one_that_others_read(self):
        with tempfile.TemporaryDirectory() as folder:
            b = Bundle(os.path.join(folder, "root"))
            b.text("/etc/passwd", "root\n")
            os.symlink("passwd", b.folder + "/etc/link")
            b.write(folder + "/plain")
            append_plan(folder + "/plain", [], folder + "/both")
            out = subprocess.run(
                "zcat plain | cpio -tv --quiet", shell=True, text=True,
                cwd=folder, stdout=subprocess.PIPE, check=True).stdout
            self.assertRegex(out, r"5 .* etc/passwd\n")
            self.assertIn("etc/link -> passwd", out)
            self.assertGreater(os.path.getsize(folder + "/both"),
                               os.path.getsize(folder + "/plain"))

    def test_plans_have_unique_names(self):
        for variant in ("stock", "patched", "fixture", "legacy", "debug"):
            for quick in (False, True):
                names = [s["name"] for s in plan(variant, quick)]
                self.assertEqual(len(names), len(set(names)))

    def test_patches_say_why_and_who(self):
        for path in glob.glob(os.path.join(HERE, "..", "*", "*.patch")):
            with open(path) as f:
                text = f.read()
            head = text.partition("\n---\n")[0]
            self.assertRegex(head, r"\nSubject: \[PATCH.*\] \w+: ", path)
            self.assertIn("\nSigned-off-by: ", head)
            self.assertGreater(len(re.findall(r"\S+", head)), 30, path)


if __name__ == "__main__":
    unittest.main()
