#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_reports.py - stories see each report of a sanitizer (tests/e2e/reports.py)"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import reports  # noqa: E402

RACE = "==\nWARNING: ThreadSanitizer: data race (pid=7)\n  Read of size 8\n"
BAD = '''#include <limits.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	char *volatile p = malloc(4);
	if (argc > 1)
		return INT_MAX + argc;
	p[3 + argc] = **argv;
}
'''
FACT = '''import os
def test_one_of_a_killed_process():
    path = os.environ["TSAN_OPTIONS"].rpartition("log_path=")[2]
    with open(path + ".7", "w") as f:
        f.write("""{}""")
def test_none():
    pass
'''


class Facts(unittest.TestCase):
    def begin(self, sanitizer, **variables):
        clean = {k: v for k, v in os.environ.items()
                 if k not in (*reports.VARIABLES, "OW_SANITIZE")}
        held = mock.patch.dict(os.environ, {
            **clean, "OW_SANITIZE": sanitizer, **variables}, clear=True)
        held.start()
        self.addCleanup(held.stop)
        return reports.Reports()

    def write(self, pid, text, variable="TSAN_OPTIONS"):
        path = os.environ[variable].rpartition("log_path=")[2]
        with open(f"{path}.{pid}", "w", encoding="utf-8") as f:
            f.write(text)

    def test_a_report_is_taken_once(self):
        r = self.begin("thread")
        self.assertEqual(r.taken(), [])
        self.write(7, RACE)
        self.assertEqual(r.taken(), [RACE])
        self.assertEqual(r.taken(), [])

    def test_of_each_kind(self):
        r = self.begin("address")
        for i, text in enumerate((
                "==1==ERROR: AddressSanitizer: heap-use-after-free on",
                "==1==ERROR: LeakSanitizer: detected memory leaks",
                "a.c:3:4: runtime error: signed integer overflow")):
            self.write(i, text, "ASAN_OPTIONS")
            self.assertEqual(r.taken(), [text])

    def test_of_a_program_with_both_libraries(self):
        with tempfile.TemporaryDirectory(prefix="ow_suite_") as at:
            with open(f"{at}/a.c", "w", encoding="utf-8") as f:
                f.write(BAD)
            if subprocess.run(["cc", "-fsanitize=address,undefined",
                               "-fno-sanitize-recover=undefined", "a.c", "-o",
                               "a"], cwd=at, check=False,
                              capture_output=True).returncode != 0:
                self.skipTest("no libraries of sanitizers")
            r = self.begin("address", ASAN_OPTIONS="detect_leaks=0")
            with open(f"{at}/server.log", "w", encoding="utf-8") as log:
                for words in (), ("more",):
                    subprocess.run([f"{at}/a", *words], stderr=log, check=False)
            self.assertRegex("".join(r.taken()), "heap-buffer-overflow")
            self.assertEqual(r.taken(), [])
            reports.look(at)
            self.assertRegex("".join(r.taken()), "^server.log: a.c:.*overflow")
            self.assertEqual(r.taken(), [])

    def test_what_else_a_sanitizer_says_is_none(self):
        r = self.begin("address")
        self.write(7, "==7==WARNING: ASan is ignoring requested "
                   "__asan_handle_no_return", "ASAN_OPTIONS")
        self.assertEqual(r.taken(), [])

    def test_other_options_stay(self):
        self.begin("thread", TSAN_OPTIONS="suppressions=x")
        self.assertTrue(os.environ["TSAN_OPTIONS"].startswith(
            "suppressions=x:log_path=/"))

    def test_a_build_without_has_none(self):
        r = self.begin("")
        self.assertNotIn("TSAN_OPTIONS", os.environ)
        self.assertEqual(r.taken(), [])

    def test_a_fact_with_a_report_fails(self):
        with tempfile.TemporaryDirectory(prefix="ow_suite_") as at:
            with open(f"{at}/story.py", "w", encoding="utf-8") as f:
                f.write(FACT.format(RACE))
            r = subprocess.run(
                [sys.executable, "-B", str(HERE.parent / "e2e/run.py"), at],
                env={**os.environ, "OW_SANITIZE": "thread"}, text=True,
                capture_output=True, check=False)
        self.assertEqual(r.returncode, 1, r.stdout + r.stderr)
        self.assertRegex(r.stdout, "FAILED .* one_of_a_killed_process\nok .* none")
        self.assertIn("data race (pid=7)", r.stderr)


unittest.main()
