#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_all.py - the record of ./check --all says what has happened"""
import argparse
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import all as every  # noqa: E402

RAN = "noise\n1 passed, 0 failed\nFAILED e2e.shm.1 (3 of 3)\n" \
      "UNSTABLE e2e.shm.2 (1 of 3), known: x\n" \
      "99% tests passed, 1 tests failed out of 500\n" \
      "499 passed, 1 failed, 7 skipped, 1 unstable in 300 s\n"


class All(unittest.TestCase):
    def result(self, status=0, said=RAN):
        return {"status": status, **every.judged(said), "date": "2026-11-26",
                "seconds": 300}

    @staticmethod
    def steps(results, **options):
        own = argparse.Namespace(**{"record": False, "only": None,
                                    "resume": False, **options})
        return every.steps_to_run(own, results)

    def test_the_last_closing_line_counts(self):
        said = every.judged(RAN)
        self.assertEqual([said[k] for k in ("passed", "failed", "skipped",
                                            "unstable")], [499, 1, 7, 1])
        self.assertEqual(said["names"], ["FAILED e2e.shm.1 (3 of 3)",
                                         "UNSTABLE e2e.shm.2 (1 of 3)"])

    def test_steps_without_counts(self):
        self.assertIsNone(every.judged("nothing")["passed"])
        self.assertEqual(every.judged("7 passed, 2 failed\n")["failed"], 2)

    def test_a_failure_is_in_the_record(self):
        text = every.page("0" * 40, {"tests": self.result(1)})
        self.assertIn("| `./check --both` | **failed** | 499 | 1 | 7 | 1 | 300 |",
                      text)
        self.assertIn("- `tests`: FAILED e2e.shm.1 (3 of 3)", text)
        self.assertIn("- Steps that failed: 1", text)

    def test_what_was_not_run_is_in_the_record(self):
        text = every.page("0" * 40, {"tests": self.result()})
        self.assertIn("| `./check --tsan --both` | not run |", text)
        self.assertIn("- Complete: no", text)
        text = every.page("0" * 40, {s[0]: self.result()
                                     for s in every.STEPS})
        self.assertIn("- Complete: yes", text)
        self.assertNotIn("not run", text.split("What the steps")[0]
                         .split("|---|")[1])

    def test_resume_repeats_what_has_failed(self):
        done = {"tests": self.result(), "asan": self.result(1)}
        names = self.steps(dict(done), resume=True)
        self.assertNotIn("tests", names)
        self.assertIn("asan", names)
        self.assertEqual(self.steps(dict(done)), [s[0] for s in every.STEPS])
        self.assertEqual(self.steps(dict(done), record=True), [])


unittest.main()
