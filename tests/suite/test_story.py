#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_story.py - the runner of a story ends, whatever a fact has left (tests/e2e/run.py)"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

E2E = pathlib.Path(__file__).resolve().parent.parent / "e2e"
HEAD = '''import pathlib
import sys
import threading
import time
from machine import at_end
HERE = pathlib.Path(__file__).parent
at_end((HERE / "ended").touch)
'''
THREAD = '''
def test_that_fails():
    threading.Thread(target=time.sleep, args=(600,)).start()
    assert False
def test_that_holds():
    pass
'''
WAIT = '''
def test_that_waits():
    try:
        (HERE / "begun").touch()
        time.sleep(600)
    finally:
        (HERE / "cleared").touch()
'''
LIMIT_S = 60


class Story(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ow_suite_")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def begin(self, text, *facts):
        (self.folder / "story.py").write_text(HEAD + text)
        p = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, "-B", "-S", E2E / "run.py", self.folder, *facts],
            env={k: v for k, v in os.environ.items() if k != "OW_SANITIZE"},
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def there(self, name):
        return (self.folder / name).exists()

    def test_a_thread_of_a_fact_that_failed_holds_nothing(self):
        p = self.begin(THREAD)
        said, errors = p.communicate(timeout=LIMIT_S)
        self.assertEqual(p.returncode, 1, errors)
        self.assertRegex(said, "FAILED .* that_fails\nok .* that_holds\n")
        self.assertIn("AssertionError", errors)
        self.assertTrue(self.there("ended"))

    def test_a_signal_ends_it_in_order(self):
        p = self.begin(WAIT)
        while not self.there("begun"):
            self.assertIsNone(p.poll())
            time.sleep(0.01)
        p.send_signal(signal.SIGTERM)
        p.communicate(timeout=LIMIT_S)
        self.assertEqual(p.returncode, 1)
        self.assertTrue(self.there("cleared"))
        self.assertTrue(self.there("ended"))

    def test_an_unknown_fact_is_named(self):
        p = self.begin(THREAD, "that_is_not_there")
        _, errors = p.communicate(timeout=LIMIT_S)
        self.assertEqual(p.returncode, 1)
        self.assertIn("has no fact that_is_not_there; it has:\n  that_fails\n  "
                      "that_holds", errors)


unittest.main()
