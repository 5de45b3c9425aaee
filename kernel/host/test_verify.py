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
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from bundle import Bundle  # noqa: E402
from claims import judge  # noqa: E402
from machine import (GuestFailed, Machine, append_plan,  # noqa: E402
                     read_console)
from plan import plan  # noqa: E402
from results import Results  # noqa: E402


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

    def test_the_console(self):
        words = "patched: no warning"
        self.assertTrue(verdict(guests(STOCK, GOOD), BOTH, words))
        self.assertFalse(verdict(guests(STOCK, GOOD, ["BUG: x"]), BOTH,
                                 words))


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
