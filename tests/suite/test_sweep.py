#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What killed runs have left goes; what runs, or is another's, stays."""
import ctypes
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import sweep

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))

import cluster  # noqa: E402

SBIN = os.environ["PATH"] + ":/usr/sbin"


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def put(self, name, folder=False):
        path = self.root / name
        if folder:
            path.mkdir()
            (path / "tables").touch()
        else:
            path.touch()
        return path

    def later(self):
        return time.time() + sweep.OLD + 1

    def test_only_names_of_tests(self):
        for name, domain in {
                "t0123abcd,svc,ECHO": "t0123abcd",
                "t0123abcd2,rpl,7": "t0123abcd2",
                "owt12f3a0c1,svc,A": "owt12f3a0c1",
                "owbdeadbeef,adm": "owbdeadbeef",
                "t0123abcd": None, "bank,svc,ECHO": None,
                "test1,svc,A": None, "tdeadbee,svc,A": None}.items():
            self.assertEqual(sweep.domain_of(name), domain, name)

    def test_what_is_young_stays(self):
        self.put("t0123abcd,svc,ECHO")
        self.assertEqual(sweep.dead(self.root, time.time(), b""), [])
        self.assertEqual(sweep.dead(self.root, self.later(), b""),
                         ["t0123abcd,svc,ECHO"])

    def test_what_a_process_uses_stays(self):
        self.put("t0123abcd,svc,ECHO")
        self.put("t89abcdef,svc,ECHO")
        self.assertEqual(
            sweep.dead(self.root, self.later(),
                       b"A=1\0NDRX_QPREFIX=/t0123abcd\0B=2"),
            ["t89abcdef,svc,ECHO"])

    def test_folders_go_with_what_is_in_them(self):
        path = self.put("t0123abcd,shm", folder=True)
        kept = self.put("bank,shm", folder=True)
        with mock.patch.object(sweep, "OLD", -1):
            self.assertEqual(sweep.sweep(self.root, b""), 1)
        self.assertEqual((path.exists(), kept.exists()), (False, True))

    def test_folders_of_unit_tests_go_when_none_lasts_so_long(self):
        path = self.put("ow-test-a1B2c3", folder=True)
        self.put("ow-test-notes", folder=True)

        def dead(seconds):
            now = time.time() + seconds + 1
            return sweep.dead(self.root, now, b"", sweep.scratch,
                              sweep.SCRATCH_OLD)
        self.assertEqual(dead(sweep.OLD), [])
        self.assertEqual(dead(sweep.SCRATCH_OLD), [path.name])

    def test_temporary_folders_of_tests_are_known(self):
        made = re.compile(r"""prefix="(ow[-_][\w-]+)"|"/tmp/(ow[-_][\w-]+?)_?"""
                          r"""X{6}"|folder_make\(\S+ "/tmp/(ow_\w+)"|"""
                          r"""__init__\("(ow_\w+)"\)""")
        names = {"".join(found) for top in ("tests", "bench")
                 for path in (ROOT / top).rglob("*")
                 if path.suffix in (".py", ".c", ".h")
                 for found in made.findall(path.read_text())}
        names -= {"ow-audit-", "ow-fuzz-"}  # they may go on for an hour
        for name in ("ow_pg_", "ow_mdb_", "ow_nats_", "ow_tmqueue", "ow_e2e_",
                     "ow-test-", "ow_suite_"):
            self.assertIn(name, names)
        for name in names:
            whole = {f"{name}{end}" for end in ("a1B2c3", "_a1B2c3", "a1b2c3_4")}
            self.assertTrue(any(sweep.home(n) or sweep.scratch(n)
                                for n in whole), name)
        for name in ("ow_notes", "ow-tool", "onewake_a1b2c3d4", "ow_pg_backups",
                     "ow_nats_conf"):
            self.assertFalse(sweep.home(name) or sweep.scratch(name), name)

    @unittest.skipUnless(os.geteuid() == 0, "only root starts them as nobody")
    def test_homes_of_databases_go_which_nobody_owns(self):
        path = self.put("ow_pg_a1b2c3_4", folder=True)
        os.chown(path, pwd.getpwnam("nobody").pw_uid, -1)
        other = self.put("ow_pg_a1b2c3_5", folder=True)
        os.chown(other, 12345, -1)
        self.put("ow_nats_a1b2c3_4", folder=True)

        def dead(living):
            return sweep.dead(self.root, self.later(), living, sweep.home)
        self.assertEqual(dead(b"A=1\0TMPDIR=/tmp/ow_nats_a1b2c3_4\0B=2"),
                         [path.name])
        self.assertEqual(dead(b"TMPDIR=/tmp/ow_pg_a1b2c3_4"),
                         ["ow_nats_a1b2c3_4"])

    @unittest.skipUnless(shutil.which("nats-server", path=SBIN), "no nats-server")
    def test_a_nats_server_of_tests_has_its_home_in_its_environment(self):
        nats = cluster.Nats()
        self.addCleanup(nats.close)
        self.assertIn(os.path.basename(nats.home).encode(),
                      pathlib.Path(f"/proc/{nats.proc.pid}/environ").read_bytes())

    def process(self, runner):
        """One that was started by this runner."""
        p = subprocess.Popen(["sleep", "60"],
                             env={**os.environ, "OW_RUNNER": str(runner)})
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        while b"sleep" not in pathlib.Path(f"/proc/{p.pid}/cmdline") \
                .read_bytes():
            time.sleep(0.01)
        return p

    def test_who_has_no_runner_any_more_is_an_orphan(self):
        with subprocess.Popen([sys.executable, "-c", "input()", "run.py"],
                              text=True, stdin=subprocess.PIPE) as runner:
            p = self.process(runner.pid)
            self.assertFalse(sweep.is_orphan(p.pid))
            self.assertFalse(sweep.is_orphan(runner.pid))
            runner.communicate("\n")
        self.assertTrue(sweep.is_orphan(p.pid))
        with mock.patch.object(sweep, "_pids", lambda: [p.pid]):
            self.assertEqual(sweep.end_orphans(), 1)
        self.assertEqual(p.wait(5), -signal.SIGKILL)

    @unittest.skipUnless(os.geteuid() == 0, "only root can list queues")
    def test_the_kernels_queues(self):
        libc = ctypes.CDLL(None)
        prefix = f"t{os.getpid():08x}"
        name = f"/{prefix},svc,SWEPT".encode()

        def mine(queue):  # what others use now is not for this test
            return prefix if queue.startswith(prefix) else None

        fd = libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)
        self.assertGreaterEqual(fd, 0)
        os.close(fd)
        self.addCleanup(libc.mq_unlink, name)
        self.assertEqual(sweep.sweep_queues(b"", mine), 0, "it is young")
        with mock.patch.object(sweep, "OLD", -1):
            self.assertEqual(sweep.sweep_queues(prefix.encode(), mine), 0)
            self.assertEqual(sweep.sweep_queues(b"", mine), 1)
        self.assertEqual(libc.mq_open(name, os.O_RDWR), -1)


if __name__ == "__main__":
    unittest.main()
