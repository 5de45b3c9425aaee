#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_run.py - the judgement of tests/suite/run.py

Each fact makes a build folder whose tests are shell commands, and runs it as
./check does.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SPENT = os.path.join(os.environ["OW_BUILD"], "tests/spent")
# Fails when it runs the first time, or so many times.
FAILS = 'n=$(cat {at} 2>/dev/null); echo $((n + 1)) >{at}; echo "run $n"; ' \
        '[ "${{n:-0}}" -ge {times} ]'


class Suite(unittest.TestCase):
    def setUp(self):
        # pylint: disable-next=consider-using-with
        folder = tempfile.TemporaryDirectory(prefix="ow_suite_")
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.build = self.top / "check"
        self.build.mkdir()
        self.tests = []

    def case(self, name, command="true", measured=False, **properties):
        spent = f"{SPENT} {name}" if measured else ""
        properties = {"SKIP_RETURN_CODE": 77, **properties}
        words = " ".join(f'{k} "{v}"' for k, v in properties.items())
        self.tests.append(f"add_test([=[{name}]=] {spent} sh -c [=[{command}]=])\n"
                          f"set_tests_properties([=[{name}]=] PROPERTIES "
                          f"{words})\n")

    def fails(self, name, times, then="", **properties):
        """A test that fails so many times, and passes from then on."""
        said = f"echo '{then}'; " if then else ""
        self.case(name, said + FAILS.format(at=self.top / f"n.{name}",
                                            times=times), **properties)

    def runs_of(self, name):
        return int((self.top / f"n.{name}").read_text())

    def comes(self, path):
        end = time.monotonic() + 10
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(path.exists(), path)

    def run_all(self, *options):
        (self.build / "CTestTestfile.cmake").write_text("".join(self.tests))
        r = subprocess.run(
            [sys.executable, "-B", str(HERE / "run.py"), str(self.build),
             "--parallel", "4", *options], text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.said = r.stdout
        return r.returncode

    def last_lines(self, passed, failed, skipped, unstable):
        self.assertRegex(self.said, re.compile(
            rf"^{failed} tests failed out of {passed + failed}\n"
            rf"{passed} passed, {failed} failed, {skipped} skipped, "
            rf"{unstable} unstable in \d+ s\n\Z".replace(
                "^", r"\d+% tests passed, ")))

    def test_all_pass(self):
        self.case("e2e.shm.1")
        self.case("unit_1")
        self.assertEqual(self.run_all(), 0, self.said)
        self.last_lines(2, 0, 0, 0)
        self.assertIn("100% tests passed", self.said)

    def test_tests_of_the_python_package_are_repeated_as_stories_are(self):
        self.fails("python.shm.1", 1)
        self.assertEqual(self.run_all(), 0, self.said)
        self.assertIn("UNSTABLE python.shm.1 (1 of 3)", self.said)
        self.last_lines(1, 0, 0, 1)

    def test_tests_of_the_suite_are_repeated_as_stories_are(self):
        self.fails("suite_story", 1)
        self.assertEqual(self.run_all(), 0, self.said)
        self.assertIn("UNSTABLE suite_story (1 of 3)", self.said)
        self.last_lines(1, 0, 0, 1)

    def test_a_story_that_fails_once_is_unstable(self):
        self.fails("e2e.shm.1", 1)
        self.case("e2e.shm.2")
        self.assertEqual(self.run_all(), 0, self.said)
        self.assertEqual(self.runs_of("e2e.shm.1"), 3)
        self.assertIn("UNSTABLE e2e.shm.1 (1 of 3)", self.said)
        self.last_lines(2, 0, 0, 1)
        log = self.top / "unstable/e2e.shm.1.log"
        self.assertEqual(log.read_text().strip(), "run")

    def test_a_story_that_fails_twice_says_so(self):
        self.fails("e2e.shm.1", 2)
        self.assertEqual(self.run_all(), 0, self.said)
        self.assertIn("UNSTABLE e2e.shm.1 (2 of 3)", self.said)

    def test_a_story_that_fails_thrice_has_failed(self):
        self.fails("e2e.shm.1", 3)
        self.case("e2e.shm.2")
        self.assertEqual(self.run_all(), 1, self.said)
        self.assertEqual(self.runs_of("e2e.shm.1"), 3)
        self.assertIn("FAILED e2e.shm.1 (3 of 3)", self.said)
        self.assertNotIn("UNSTABLE", self.said)
        self.last_lines(1, 1, 0, 0)
        self.assertIn("50% tests passed", self.said)
        self.assertFalse((self.top / "unstable").exists())

    def test_it_is_alone_when_it_is_repeated(self):
        at = self.top / "others"
        self.fails("e2e.shm.1", 1, COST=9)
        for i in range(2, 6):
            self.case(f"e2e.shm.{i}", f"sleep 0.{i}; echo >>{at}")
        self.case("e2e.shm.9", f"echo ends; test -e {at}.ok; r=$?; "
                  f"[ $(wc -l <{at} || echo 0) = 4 ] && touch {at}.ok; "
                  f"exit $r", COST=8)
        self.assertEqual(self.run_all(), 0, self.said)
        self.assertIn("UNSTABLE e2e.shm.9 (2 of 3)", self.said)

    def test_a_unit_test_is_repeated_if_a_fact_fails(self):
        self.fails("unit_1", 1, "[  FAILED  ] a_fact")
        self.assertEqual(self.run_all(), 0, self.said)
        self.assertIn("UNSTABLE unit_1 (1 of 3)", self.said)

    def test_other_tests_are_not_repeated(self):
        self.fails("unit_1", 1)
        self.assertEqual(self.run_all(), 1, self.said)
        self.assertEqual(self.runs_of("unit_1"), 1)
        self.last_lines(0, 1, 0, 0)

    def test_a_report_of_a_sanitizer_is_a_failure_at_once(self):
        for i, report in enumerate(
                ("==7==ERROR: AddressSanitizer: heap-use-after-free",
                 "a.c:3:4: runtime error: signed integer overflow",
                 "WARNING: ThreadSanitizer: data race (pid=7)")):
            self.fails(f"e2e.shm.{i}", 1, report)
        self.assertEqual(self.run_all(), 1, self.said)
        self.last_lines(0, 3, 0, 0)
        self.assertEqual(self.runs_of("e2e.shm.0"), 1)
        self.assertIn("heap-use-after-free", self.said)

    def test_a_test_that_passes_with_a_report_has_failed(self):
        self.case("unit_1", "echo WARNING: ThreadSanitizer: data race of a child")
        self.case("unit_2", "echo what ThreadSanitizer is for")
        self.assertEqual(self.run_all(), 1, self.said)
        self.last_lines(1, 1, 0, 0)
        self.assertIn("race of a child", self.said)

    def test_tests_wait_for_queue_bytes(self):
        for name, other in (("one", "two"), ("two", "one")):
            self.case(f"e2e.posix.{name}", f"cd {self.top}; touch {name}; sleep 0.3; "
                      f"[ ! -e {other} ]; s=$?; rm {name}; exit $s",
                      RESOURCE_GROUPS="queue_bytes:410")
        self.assertEqual(self.run_all(), 0, self.said)
        self.last_lines(2, 0, 0, 0)

    def test_tests_that_have_enough_of_them_run_at_once(self):
        for name, other in (("one", "two"), ("two", "one")):
            self.case(f"e2e.posix.{name}", f"cd {self.top}; touch {name}; "
                      f"while [ ! -e {other} ]; do sleep 0.01; done",
                      TIMEOUT=30, RESOURCE_GROUPS="queue_bytes:380")
        self.assertEqual(self.run_all(), 0, self.said)
        self.last_lines(2, 0, 0, 0)

    def test_a_story_that_cannot_run_is_skipped(self):
        self.case("e2e.shm.1", "exit 77")
        self.case("e2e.shm.2")
        self.assertEqual(self.run_all(), 0, self.said)
        self.last_lines(1, 0, 1, 0)

    def test_a_time_limit_is_a_failure(self):
        self.case("e2e.shm.1", "sleep 20", TIMEOUT=0.3)
        self.assertEqual(self.run_all(), 1, self.said)
        self.last_lines(0, 1, 0, 0)

    def test_a_program_that_is_not_there_is_a_failure(self):
        self.tests.append("add_test(unit_1 /nowhere/test)\n")
        self.assertEqual(self.run_all(), 1, self.said)
        self.last_lines(0, 1, 0, 0)

    def test_many_failures_are_not_repeated(self):
        for i in range(20):
            self.fails(f"e2e.shm.{i}", 1)
        self.assertEqual(self.run_all(), 1, self.said)
        self.last_lines(0, 20, 0, 0)
        self.assertEqual(self.runs_of("e2e.shm.0"), 1)

    def test_no_test_at_all_is_a_failure(self):
        self.case("e2e.shm.1")
        self.assertNotEqual(self.run_all("-R", "nothing"), 0)

    def test_the_slowest_are_named(self):
        for i in range(12):
            self.case(f"unit_{i:02}", f"sleep {i // 10}")
        self.assertEqual(self.run_all(), 0, self.said)
        slowest = self.said[self.said.index("slowest of 12"):
                            self.said.index("of CPU time")]
        named = re.findall(r"unit_\d+", slowest)
        self.assertEqual((sorted(named[:2]), len(named)),
                         (["unit_10", "unit_11"], 10))

    def test_those_that_take_most_cpu_time_are_named(self):
        busy = "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done"
        self.case("unit_sleeps", "sleep 0.5", measured=True)
        self.case("unit_calculates", busy, measured=True)
        # A daemon: it has lost its parent when it ends.
        self.case("unit_daemon", f"(sh -c 'sleep 0.2; {busy}' &)", measured=True)
        self.assertEqual(self.run_all(), 0, self.said)
        cpu = json.loads((self.build / "suite.json").read_text())["cpu"]
        self.assertLess(cpu["unit_sleeps"], 0.1)
        self.assertGreater(cpu["unit_calculates"], 0.1)
        self.assertGreater(cpu["unit_daemon"], 0.1)
        most = self.said[self.said.index("of CPU time the most"):]
        self.assertEqual(re.findall(r"unit_\w+", most)[2], "unit_sleeps")

    def test_processes_that_a_test_leaves_are_ended_and_named(self):
        daemon = f"setsid sh -c 'sleep 61 & echo $! >{self.top}/pid; sleep 62' &"
        self.case("unit_1", f"{daemon} while ! [ -s {self.top}/pid ]; do "
                  "sleep 0.01; done", measured=True, ENVIRONMENT="OW_SLOW=0.1")
        # A story's guard clears away when its runner has ended.
        self.case("unit_2", f"(setsid sh -c 'sleep 0.3; echo >{self.top}/ok' &)",
                  measured=True)
        self.assertEqual(self.run_all(), 0, self.said)
        self.last_lines(2, 0, 0, 0)
        self.assertRegex(self.said, r"(?s)LEFT unit_1: sh \(\d+\)\n.*"
                         r"LEFT unit_1: sleep \(\d+\)\n")
        self.assertNotIn("LEFT unit_2", self.said)
        self.assertTrue((self.top / "ok").exists())
        pid = int((self.top / "pid").read_text())
        self.assertFalse(pathlib.Path(f"/proc/{pid}/cmdline").exists())

    def test_a_measured_test_ends_as_it_does_alone(self):
        self.case("e2e.shm.1", "exit 77", measured=True)
        self.case("unit_status", "exit 3", measured=True)
        self.case("unit_signal", "kill -SEGV $$", measured=True)
        self.assertEqual(self.run_all(), 1, self.said)
        self.last_lines(0, 2, 1, 0)
        self.assertIn("SIGSEGV", self.said)

    def test_no_test_ignores_what_a_run_in_the_background_does(self):
        self.case("unit_1", "kill -INT $$", measured=True)
        was = signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.addCleanup(signal.signal, signal.SIGINT, was)
        self.assertEqual(self.run_all(), 1, self.said)
        self.assertIn("SIGINT", self.said)

    def test_a_test_whose_measurer_is_killed_clears_away(self):
        ready, at = self.top / "ready", self.top / "cleared"
        with subprocess.Popen(
                [SPENT, "unit_1", "sh", "-c", f"trap 'echo >{at}; exit' TERM; "
                 f"echo >{ready}; sleep 5 & wait"],
                env={**os.environ, "OW_SPENT": str(self.top / "spent")}) as p:
            self.comes(ready)
            p.kill()
            self.comes(at)

    def test_what_those_took_that_passed_orders_the_next_run(self):
        at = self.top / "order"
        for name, command in (("unit_a", ":"), ("unit_b", "sleep 0.4"),
                              ("unit_c", "sleep 0.2; exit 3"),
                              ("unit_d", "sleep 0.2; exit 77")):
            self.case(name, f"echo {name} >>{at}; {command}")
        self.fails("e2e.shm.1", 1)
        took = self.build / "took.json"
        took.write_text(json.dumps({"unit_c": 9, "unit_gone": 3, "unit_a": 5}))
        self.run_all()
        took = json.loads(took.read_text())
        self.assertEqual({**took, "unit_a": 0, "unit_b": 0}, {
            "unit_a": 0, "unit_b": 0, "unit_c": 9, "unit_gone": 3})
        self.assertLess(took["unit_a"], 0.3)
        self.assertGreaterEqual(took["unit_b"], 0.4)
        at.unlink()
        self.run_all("--least", "1", "--parallel", "1", "-R", "unit")
        self.assertEqual(at.read_text().split()[:2], ["unit_c", "unit_b"])

    def test_results_are_written_for_others(self):
        self.fails("e2e.shm.1", 3)
        self.fails("e2e.shm.2", 1)
        self.run_all()
        said = json.loads((self.build / "suite.json").read_text())
        self.assertEqual((said["passed"], said["failed"], said["bad"],
                          said["seldom"]),
                         (1, 1, ["e2e.shm.1"], ["e2e.shm.2"]))


unittest.main()
