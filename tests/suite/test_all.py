#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_all.py - the record of ./check --all says what has happened"""
import argparse
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import all as every  # noqa: E402

RAN = "noise\n1 passed, 0 failed\nFAILED e2e.shm.1 (3 of 3)\n" \
      "UNSTABLE e2e.shm.2 (1 of 3), known: x\n" \
      "99% tests passed, 1 tests failed out of 500\n" \
      "499 passed, 1 failed, 7 skipped, 1 unstable in 300 s\n"
OLD, NEW = "a" * 40, "b" * 40
NAMES = ["e2e.shm.1", "e2e.shm.2", "unit.3", "e2e.shm.4", "never"]


def report(bad=(), seldom=(), omitted=(), names=NAMES[:4]):
    """What run.py writes."""
    return {"bad": bad, "seldom": seldom, "omitted": omitted,
            "times": dict.fromkeys(names, 1.5)}


class All(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = {"steps": {}, "tests": {}}
        for name, value in (("STATE", pathlib.Path(folder.name) / "all.json"),
                            ("tree", lambda: NEW)):
            change = mock.patch.object(every, name, value)
            change.start()
            self.addCleanup(change.stop)

    def ran(self, step="tests", commit=NEW, **what):
        every.keep_tests(self.state, step, commit,
                         {"status": 0, "date": "2026-11-26"}, report(**what))

    def row(self, step="tests", names=NAMES):
        return every.row(every.COMMANDS[step],
                         every.summary(step, self.state, names))

    @staticmethod
    def options(**options):
        return argparse.Namespace(**{"resume": False, "tests": None,
                                     "pieces": None, "j": None, **options})

    def test_the_last_closing_line_counts(self):
        said = every.judged(RAN)
        self.assertEqual([said[k] for k in every.KINDS], [499, 1, 7, 1])

    def test_steps_without_counts(self):
        self.assertIsNone(every.judged("nothing")["passed"])
        self.assertEqual(every.judged("7 passed, 2 failed\n")["failed"], 2)

    def test_each_test_is_counted_once_and_what_was_not_run_too(self):
        self.ran(bad=["e2e.shm.1"], seldom=["e2e.shm.2"], omitted=["unit.3"])
        self.assertIn("| **failed**, not complete | 2 | 1 | 1 | 1 | 1 | 6 | "
                      "bbbbbbbb |", self.row())

    def test_pieces_of_several_commits_are_named(self):
        self.ran(commit=OLD)
        self.ran(names=["never"])
        self.assertIn("| passed | 5 | 0 | 0 | 0 | 0 | 8 | aaaaaaaa (4), "
                      "bbbbbbbb (1) |", self.row())

    def test_what_failed_and_then_passed_at_one_commit_is_unstable(self):
        self.ran(bad=["unit.3"])
        self.ran(names=["unit.3"])
        self.ran(names=["unit.3"])
        self.assertEqual(self.state["tests"]["tests"]["unit.3"]["kind"],
                         "unstable")
        self.ran(commit=OLD, bad=["unit.3"])
        self.ran(names=["unit.3"])  # a change has cured it
        self.assertEqual(self.state["tests"]["tests"]["unit.3"]["kind"],
                         "passed")

    def test_a_step_that_could_not_run_is_in_the_record(self):
        self.ran()
        every.keep(self.state, "tests", NEW, {"status": 1})
        self.assertIn("**failed**", self.row())
        self.ran()
        self.assertIn("| passed, not complete |", self.row())

    def test_names_of_failed_tests_are_in_the_record(self):
        self.ran(bad=["e2e.shm.1"], seldom=["unit.3"])
        results = {"tests": every.summary("tests", self.state, NAMES)}
        text = every.page(NEW, results,
                          [*every.said_of_tests(self.state, results)])
        self.assertIn("- `tests`: failed e2e.shm.1 at bbbbbbbb\n"
                      "- `tests`: unstable unit.3 at bbbbbbbb\n", text)
        self.assertIn("- Steps that failed: 1", text)

    def complete(self, of):
        results = {}
        for step, *_ in every.STEPS:
            if step in every.SUITES:
                self.ran(step, commit=of.get(step, NEW))
            else:
                every.keep(self.state, step, of.get(step, NEW),
                           {"status": 0, "date": "2026-11-26", "seconds": 1,
                            **every.judged("")})
            results[step] = every.summary(step, self.state, NAMES[:4])
        return results

    def test_complete_is_what_ran_whole_at_one_commit(self):
        text = every.page(NEW, self.complete({}))
        self.assertIn("- Complete: yes", text)
        text = every.page(NEW, self.complete({"fuzz": OLD}))
        self.assertIn("- Complete: in pieces, at the commits", text)
        results = self.complete({})
        results["tsan"] = None
        text = every.page(NEW, results)
        self.assertIn("| `./check --tsan --both` | not run |", text)
        self.assertIn("- Complete: no", text)
        self.ran()
        results = self.complete({})
        results["tests"] = every.summary("tests", self.state, NAMES)
        self.assertIn("- Complete: no", every.page(NEW, results))

    def test_resume_leaves_out_what_has_passed_at_this_commit(self):
        self.ran(bad=["unit.3"])
        self.ran(commit=OLD, names=["e2e.shm.4"])
        left = every.left("tests", NAMES, self.state, self.options(resume=True))
        self.assertEqual(left, ["unit.3", "e2e.shm.4", "never"])
        self.assertEqual(every.left("tests", NAMES, self.state,
                                    self.options()), NAMES)
        self.assertEqual(every.left("tests", NAMES, self.state,
                                    self.options(tests="^unit")), ["unit.3"])

    def test_pieces_are_whole_names(self):
        self.assertEqual(list(every.pieces(["a.b", "c", "d"], 2)),
                         [r"^(a\.b|c)$", "^(d)$"])

    def test_what_has_run_is_kept_piece_by_piece(self):
        build = every.STATE.parent / "check"
        build.mkdir()

        def run(command):
            names = [n for n in NAMES if n.replace(".", "\\.") in command[-1]]
            (build / "suite.json").write_text(json.dumps(report(names=names)))
            if "never" in names:
                raise KeyboardInterrupt
            return {"status": 0, "date": "2026-11-26"}

        with mock.patch.object(every, "run", run), \
                mock.patch.object(every, "suite", lambda step: NAMES), \
                mock.patch.dict(every.SUITES, tests=(str(build), ())), \
                self.assertRaises(KeyboardInterrupt):
            every.run_tests("tests", self.state, self.options(pieces=2))
        self.assertEqual(list(every.load()["tests"]["tests"]), NAMES[:4])

    def test_what_another_run_has_kept_meanwhile_stays(self):
        other = every.load()
        every.keep(self.state, "models", NEW, {"status": 0})
        every.keep(other, "fuzz", NEW, {"status": 0})
        self.ran(names=["never"])
        self.assertEqual(set(every.load()["steps"]), {"models", "fuzz"})
        self.assertEqual(set(every.load()["tests"]["tests"]), {"never"})

    def test_what_ran_at_a_commit_of_no_history_is_not_told(self):
        every.keep(self.state, "models", OLD, {"status": 0})
        every.keep(self.state, "fuzz", NEW, {"status": 0})
        self.ran(commit=OLD)
        self.ran(names=["never"])
        ages = {NEW: every.NEWER, OLD: None}
        with mock.patch.object(every, "newer", ages.get):
            every.forget(self.state)
        self.assertIn("not run", self.row("models"))
        self.assertEqual(set(self.state["steps"]), {"fuzz"})
        self.assertEqual(set(self.state["tests"]["tests"]), {"never"})

    def test_what_ran_long_ago_is_not_told(self):
        every.keep(self.state, "models", OLD, {"status": 0})
        with mock.patch.object(every, "newer", lambda c: every.NEWER + 1):
            every.forget(self.state)
        self.assertIn("not run", self.row("models"))

    def test_a_commit_of_no_history_is_known_as_one(self):
        if not (every.ROOT / ".git").exists():
            self.skipTest("an archive has no history")
        self.assertEqual(every.newer("HEAD"), 0)
        self.assertIsNone(every.newer(OLD))

    def test_what_has_failed_of_a_step_without_tests_is_named(self):
        said = every.judged("FAILED bell   holds  two senders   \n"
                            "ok     bell\n1 passed, 1 failed\n")
        every.keep(self.state, "models", NEW, {
            "status": 1, "date": "2026-11-26", "seconds": 1, **said})
        self.assertEqual(
            [*every.said_of_tests(self.state, {})],
            ["- `models`: failed bell   holds  two senders at bbbbbbbb"])

    def test_a_tree_with_changes_is_no_commit(self):
        with mock.patch.object(every, "tree", lambda: None), \
                mock.patch.object(every, "run", lambda command:
                                  {"status": 0, "date": "2026-11-26"}):
            every.run_step("models", self.state, self.options())
        self.assertEqual(self.state["steps"], {})

    def test_stories_of_covered_facts_are_as_many_at_once_as_tests(self):
        given = []

        def run(command):
            given.append(command[-1])
            return {"status": 0, "date": "2026-11-26"}
        with mock.patch.object(every, "tree", lambda: None), \
                mock.patch.object(every, "run", run):
            for step in ("covered", "models"):
                every.run_step(step, self.state, self.options(j="1"))
        self.assertEqual(given, ["1", "--model"])


unittest.main()
