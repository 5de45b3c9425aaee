# SPDX-License-Identifier: Apache-2.0
"""reports.py - what ThreadSanitizer reports of any process of a fact

A process says it in its last status, which counts where the story starts the
process and waits for it: not of a server that ndrxd starts, nor of one that is
killed. So each process writes its reports into a folder of the runner, which
looks there after each fact: one with a report has failed.
"""
import atexit
import os
import re
import shutil
import tempfile

# AddressSanitizer ends a process at its first report.
REPORT = re.compile(r"(ERROR|WARNING|FATAL): ThreadSanitizer: ")
VARIABLE = "TSAN_OPTIONS"


class Reports:
    """Of the processes that are started from now on."""

    def __init__(self):
        self.folder = None
        if os.environ.get("OW_SANITIZE") != "thread":
            return
        # Named as what sweep.py clears away if the runner is killed.
        self.folder = tempfile.mkdtemp(prefix="ow_e2e_reports_")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o1777)  # servers may be other users'
        before = os.environ.get(VARIABLE)
        os.environ[VARIABLE] = (before + ":" if before else "") + \
            f"log_path={self.folder}/of"

    def taken(self):
        """The texts of those that have come since the last look."""
        texts = []
        for name in sorted(os.listdir(self.folder)) if self.folder else ():
            path = os.path.join(self.folder, name)
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            os.unlink(path)
            if REPORT.search(text):
                texts.append(text)
        return texts
