#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_since.py - which tests ./check --since chooses

Over the tests of the build folder OW_BUILD."""
import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import since  # noqa: E402

BUILD = pathlib.Path(os.environ["OW_BUILD"])


def file(pattern):
    """A file of the tree: folders may move."""
    found = [str(p.relative_to(since.ROOT))
             for p in since.ROOT.glob(f"[!b.]*/{pattern}")]
    return found[0]


class Since(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tests = since.known_tests(BUILD)

    def choose(self, *files):
        return set(since.choose(self.tests, files))

    def assertNotIn(self, name, chosen, msg=None):
        self.assertTrue(name not in chosen, f"{name} is chosen")

    def stories(self, *files):
        return {t for t in self.choose(*files) if t.startswith("e2e.")}

    def test_rules_of_the_tree_always(self):
        self.assertIn("arch_layers", self.choose())
        self.assertEqual(self.stories(), set())

    def test_a_document_breaks_no_story(self):
        for name in "doc/operating.md", "CONTRIBUTING.md", "tests/README.md":
            self.assertEqual(self.stories(name), set(), name)

    def test_a_manual_page(self):
        self.assertIn("e2e.shm.013_manual_examples",
                      self.stories("doc/man/man3/tpcall.3"))

    def test_a_story_is_itself(self):
        self.assertEqual(self.stories("tests/e2e/010_call/story.py"),
                         {"e2e.posix.010_call", "e2e.shm.010_call"})

    def test_what_stories_share(self):
        chosen = self.stories("tests/e2e/databases.py")
        self.assertIn("e2e.shm.690_postgresql", chosen)
        self.assertNotIn("e2e.shm.010_call", chosen)
        self.assertIn("e2e.shm.010_call",
                      self.stories("tests/e2e/machine.py"))

    def test_a_program_of_stories(self):
        chosen = self.stories("tests/e2e/programs/conversesv.c")
        self.assertIn("e2e.shm.065_conversations", chosen)
        self.assertNotIn("e2e.shm.010_call", chosen)

    def test_a_program(self):
        chosen = self.choose(file("tmqueue/main.c"))
        self.assertIn("e2e.posix.168_durable_queues", chosen)
        self.assertNotIn("e2e.posix.010_call", chosen)
        self.assertNotIn("test_ubf_cconfig", chosen)

    def test_a_transport(self):
        chosen = self.stories(file("transport/shm/transport.c"))
        self.assertIn("e2e.shm.010_call", chosen)
        self.assertNotIn("e2e.posix.010_call", chosen)

    def test_a_library(self):
        chosen = self.choose("libatmi/wire/msg.c")
        self.assertIn("e2e.posix.010_call", chosen)
        self.assertIn("atmi_test_msg", chosen)
        self.assertNotIn("test_ubf_cconfig", chosen)

    def test_a_header_that_others_include(self):
        chosen = self.choose("libubf/base/error.h")
        self.assertIn("atmi_test_buf", chosen)

    def test_a_public_header_breaks_everything_built(self):
        chosen = self.choose("include/atmi.h")
        self.assertIn("test_ubf_cconfig", chosen)
        self.assertIn("e2e.posix.010_call", chosen)

    def test_an_unknown_file_breaks_everything(self):
        for name in ("CMakeLists.txt", "scripts/new", "new/file"):
            self.assertEqual(self.choose(name), set(self.tests), name)


unittest.main()
