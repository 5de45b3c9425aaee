#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_schedule.py - which tests run beside each other (tests/suite/schedule.py)

Tests are shell commands that note in a file when they begin and end.
"""
import errno
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import schedule

HERE = pathlib.Path(__file__).resolve().parent


class Clock:
    """Instead of /proc/stat: so many of four CPUs are idle."""

    def __init__(self, idle):
        self.idle, self.begun = idle, time.monotonic()

    def __call__(self):
        ticks = 1000 * (time.monotonic() - self.begun)
        return 4 * ticks, self.idle * ticks


def runs(pid):
    """No zombie: it may be left to a process that waits for none."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


class Facts(unittest.TestCase):
    def setUp(self):
        # pylint: disable-next=consider-using-with
        folder = tempfile.TemporaryDirectory(prefix="ow_suite_")
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.cpus(0)

    def cpus(self, idle):
        for what, value in (("schedule.cpu_time", Clock(idle)),
                            ("os.cpu_count", lambda: 4)):
            held = mock.patch(what, value)
            held.start()
            self.addCleanup(held.stop)

    def case(self, name, command="sleep 0.3", **more):
        command = f"echo +{name} >>log; {command}; s=$?; echo -{name} >>log; exit $s"
        return schedule.Case(name, ["sh", "-c", command], str(self.top), {},
                             **more)

    def run_all(self, cases, least=1, most=9):
        return {e.case.name: e for e in schedule.Schedule(cases, least, most)}

    def log(self):
        return (self.top / "log").read_text().split()

    def at_once(self):
        most = now = 0
        for word in self.log():
            now += 1 if word[0] == "+" else -1
            most = max(most, now)
        return most

    def begun(self):
        return [w[1:] for w in self.log() if w[0] == "+"]

    def left_by(self, name):
        """A command that leaves a child, whose pid is in a file then."""
        return f"sleep 60 & echo $! >{name}.new; mv {name}.new {name}"

    def pid(self, name):
        end = time.monotonic() + 10
        while not (self.top / name).exists() and time.monotonic() < end:
            time.sleep(0.01)
        return int((self.top / name).read_text())

    def gone(self, name):
        """The child of that name."""
        pid, end = self.pid(name), time.monotonic() + 5
        while runs(pid) and time.monotonic() < end:
            time.sleep(0.01)
        if runs(pid):
            os.kill(pid, signal.SIGKILL)
            self.fail(f"{name} still runs")

    def test_few_run_while_the_cpus_are_busy(self):
        self.run_all([self.case(str(i)) for i in range(6)], least=2)
        self.assertEqual(self.at_once(), 2)

    def test_more_begin_one_by_one_while_cpus_are_idle(self):
        self.cpus(2)
        begun = [e.begun for e in self.run_all(
            [self.case(str(i), "sleep 1") for i in range(5)],
            least=2).values()]
        self.assertEqual(self.at_once(), 5)
        begun.sort()
        for before, after in zip(begun[1:], begun[2:]):
            self.assertGreater(after - before, 0.05)

    def test_but_not_more_than_the_most(self):
        self.cpus(4)
        self.run_all([self.case(str(i), "sleep 0.6") for i in range(8)], most=3)
        self.assertEqual(self.at_once(), 3)

    def test_one_that_measures_counts_as_several(self):
        self.run_all([self.case("long", weight=3, cost=9),
                      self.case("a"), self.case("b")], least=3)
        self.assertEqual(self.log()[:2], ["+long", "-long"])

    def test_one_that_counts_as_several_waits_for_room(self):
        cases = [self.case(n, cost=9) for n in "abc"]
        self.run_all([*cases, self.case("heavy", weight=4, cost=8),
                      self.case("d", "true")], least=4, most=4)
        log = self.log()
        self.assertGreater(log.index("+heavy"),
                           max(log.index(f"-{n}") for n in "abc"))
        # Short ones do not take its room again and again.
        self.assertLess(log.index("-heavy"), log.index("+d"))

    def test_and_runs_alone_if_there_is_never_room(self):
        self.run_all([self.case("heavy", weight=4), self.case("a", cost=9)],
                     most=2)
        self.assertEqual(self.log(), ["+a", "-a", "+heavy", "-heavy"])

    def test_the_longest_begin_first(self):
        self.run_all([self.case(str(i), "true", cost=i) for i in (2, 3, 1)])
        self.assertEqual(self.begun(), ["3", "2", "1"])

    def test_what_the_last_run_took_is_known_better(self):
        said = {"name": "a", "command": ["true"], "properties": [
            {"name": "COST", "value": 5.0},
            {"name": "WORKING_DIRECTORY", "value": "/"}]}
        self.assertEqual((schedule.case(said, {}).cost,
                          schedule.case(said, {"a": 7}).cost), (5.0, 7))

    def test_one_that_waits_for_queue_bytes_is_overtaken_by_those_without(self):
        self.run_all([self.case("first", "sleep 0.8", cost=9, queue_kb=60),
                      self.case("much", "true", cost=8, queue_kb=730),
                      self.case("little", "true", cost=7, queue_kb=60),
                      self.case("none", "true")], least=4)
        log = self.log()  # who begin together write in any order
        self.assertLess(log.index("-none"), log.index("-first"))
        self.assertLess(log.index("-first"), log.index("+much"))
        self.assertLess(log.index("-first"), log.index("+little"))

    def test_a_serial_one_is_alone_at_the_end(self):
        self.cpus(4)
        self.run_all([self.case("alone", cost=9, serial=True),
                      self.case("a", "sleep 0.5"), self.case("b")], least=4)
        self.assertEqual(self.log()[-2:], ["+alone", "-alone"])
        self.assertEqual(self.begun()[2], "alone")

    def test_one_whose_time_is_over_may_clear_away(self):
        ended = self.run_all([self.case(
            "late", "trap 'echo cleared >>log; exit 0' TERM; sleep 9 & wait",
            timeout=0.4)])["late"]
        self.assertEqual((ended.kind, ended.why),
                         ("failed", "its 0.4 s are over"))
        self.assertEqual(self.log()[1], "cleared")

    def test_and_is_killed_if_it_does_not_end(self):
        with mock.patch("schedule.END", 0.3):
            ended = self.run_all([self.case(
                "late", "trap '' TERM; sleep 9; sleep 9", timeout=0.3)])["late"]
        self.assertEqual(ended.kind, "failed")
        self.assertLess(ended.ended - ended.begun, 5)
        self.assertEqual(self.log(), ["+late"])

    def test_with_all_of_its_group(self):
        with mock.patch("schedule.END", 0.3):
            self.run_all([self.case("late", f"trap '' TERM; "
                         f"{self.left_by('child')}; sleep 9", timeout=0.5)])
        self.gone("child")

    def test_it_has_longer_for_that_where_all_is_slow(self):
        slow = self.case("late", "trap 'sleep 1; echo cleared >>log; exit' "
                         "TERM; sleep 9 & wait", timeout=0.3)
        slow.environment["OW_SLOW"] = "20"
        with mock.patch("schedule.END", 0.2):
            self.run_all([slow])
        self.assertEqual(self.log()[1], "cleared")

    def test_what_a_test_leaves_of_its_group_ends(self):
        ended = self.run_all([self.case("a", self.left_by("child"))])["a"]
        self.assertEqual(ended.kind, "passed")
        self.gone("child")

    def test_one_that_cannot_be_watched_fails_and_ends(self):
        def no_file(_):
            self.pid("child")
            raise OSError(errno.EMFILE, "no file")
        with mock.patch("os.pidfd_open", no_file):
            ended = self.run_all([self.case(
                "a", f"{self.left_by('child')}; sleep 9")])["a"]
        self.assertEqual(ended.kind, "failed")
        self.assertIn("no file", ended.why)
        self.gone("child")

    def test_few_run_where_few_files_may_be_open(self):
        most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE,
                        (most, hard))
        used = len(os.listdir("/proc/self/fd"))
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 16, hard))
        ended = self.run_all([self.case(str(i)) for i in range(12)], least=12,
                             most=12)
        self.assertEqual({e.why for e in ended.values()}, {""})
        self.assertIn(self.at_once(), range(2, 8))

    def test_one_moment_of_idle_cpus_is_not_enough(self):
        def idle(*of_each_tick):  # of 4 CPUs
            ticks = [(0, 0)]
            for n in of_each_tick:
                ticks.append((ticks[-1][0] + 40, ticks[-1][1] + 10 * n))
            with mock.patch("schedule.cpu_time", iter(ticks).__next__):
                cpus = schedule.Cpus()
                return [cpus.look() for _ in of_each_tick]
        self.assertEqual(idle(*[0] * 9, 1, 1)[-2:], [False, True])
        self.assertEqual(idle(*[4] * 9, 0, 1)[-3:], [True, False, True])

    def test_one_that_ends_in_time_is_not_late_if_the_run_is(self):
        cases = [self.case("first", "true", cost=9),
                 self.case("in_time", "sleep 0.5", timeout=1)]
        kinds = {}
        for ended in schedule.Schedule(cases, 2, 2):
            if not kinds:
                time.sleep(1.5)
            kinds[ended.case.name] = ended.kind, ended.why
        self.assertEqual(kinds["in_time"], ("passed", ""))

    def test_results(self):
        ended = self.run_all([
            self.case("good", "echo said", skip=77), self.case("bad", "exit 3"),
            self.case("skipped", "exit 77", skip=77),
            self.case("dead", "kill -SEGV $$"),
            schedule.Case("none", None, str(self.top), {})])
        self.assertEqual({n: (e.kind, e.why) for n, e in ended.items()}, {
            "good": ("passed", ""), "bad": ("failed", "status 3"),
            "skipped": ("skipped", ""), "dead": ("failed", "SIGSEGV"),
            "none": ("failed", "its program is not there")})
        self.assertEqual(ended["good"].output, "said\n")

    def test_of_much_output_the_beginning_and_the_end_stay(self):
        with mock.patch("schedule.OUTPUT", 20):
            said = self.run_all([self.case("a", "seq 1000")])["a"].output
        self.assertEqual(said, "1\n2\n3\n4\n5\n\n[...]\n\n999\n1000\n")

    def run_of(self, command):
        """A process that runs this test; it has said "ready"."""
        program = f'''import sys
sys.path.insert(0, "{HERE}")
import schedule
schedule.END = 1
schedule.stop_at_sigterm()
run = schedule.Schedule([schedule.Case("a", ["sh", "-c", {command!r}], "{self.top}",
                         {{}})], 1, 1)
schedule.Process.__init__.__globals__["tempfile"].TemporaryFile = \\
    lambda: open("{self.top}/said", "w+b")
for ended in run:
    pass
'''
        said = self.top / "said"
        # pylint: disable-next=consider-using-with
        p = subprocess.Popen([sys.executable, "-B", "-c", program],
                             stdout=subprocess.DEVNULL)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        end = time.monotonic() + 10
        while not (said.exists() and said.read_text()) and \
                time.monotonic() < end:
            time.sleep(0.01)
        return p, said

    def test_what_runs_ends_with_the_run(self):
        p, said = self.run_of("trap 'echo cleared; exit' TERM; echo ready; "
                              "sleep 9 & wait")
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(10), 128 + signal.SIGTERM)
        self.assertEqual(said.read_text(), "ready\ncleared\n")

    def test_and_is_killed_if_it_goes_on(self):
        p, said = self.run_of(f"trap 'echo told' TERM; {self.left_by('child')}; "
                              "sh -c 'trap : TERM; echo $$ >first; sleep 60' & "
                              "echo ready; while :; do sleep 0.1; done")
        p.send_signal(signal.SIGTERM)
        self.assertEqual(p.wait(10), 128 + signal.SIGTERM)
        self.assertEqual(said.read_text(), "ready\ntold\n")
        self.gone("child")
        self.gone("first")


if __name__ == "__main__":
    os.environ.pop("OW_SPENT", None)
    unittest.main()
