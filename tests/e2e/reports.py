# SPDX-License-Identifier: Apache-2.0
"""reports.py - what a sanitizer reports of any process of a fact

A process says it in its last status, which counts where the story starts the
process and waits for it: not of a server that ndrxd starts, nor of one that is
killed. So each process writes its reports into a folder of the runner, which
looks there after each fact: one with a report has failed. A report of UBSan
goes to stderr all the same, as the libraries of gcc are made: those of servers
are in the logs of the domain, which are searched before they are removed.
"""
import os
import re
import shutil
import tempfile

from machine import at_end

# Not each line is a report: ASan says if it ignores a longjmp(), for example.
REPORT = re.compile(r"(ERROR: (Address|Leak|Thread)|WARNING: Thread|"
                    r"FATAL: Thread)Sanitizer: |: runtime error: ")
UNDEFINED = re.compile(rb"^\S{1,300}:\d+:\d+: runtime error: ", re.M)
# With both libraries in a program the options of UBSan are those of ASan, too.
VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
LOG_BYTES = 32 << 20  # of a log, which is shorter
_of_logs = []  # what look() has found


def look(*folders):
    """Search the log files of a domain that ends."""
    if os.environ.get("OW_SANITIZE") != "address":
        return
    for folder in folders:
        for entry in os.scandir(folder):
            if not entry.is_file(follow_symlinks=False):
                continue
            with open(entry.path, "rb") as f:
                log = f.read(LOG_BYTES)  # a data base is no text
            found = UNDEFINED.search(log)
            if found:
                text = log[found.start():][:4000].decode(errors="replace")
                _of_logs.append(f"{entry.name}: {text}")


class Reports:
    """Of the processes that are started from now on."""

    def __init__(self):
        self.folder = None
        if not os.environ.get("OW_SANITIZE"):
            return
        # Named as what sweep.py clears away if the runner is killed.
        self.folder = tempfile.mkdtemp(prefix="ow_e2e_reports_")
        at_end(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o1777)  # servers may be other users'
        for name in VARIABLES:
            before = os.environ.get(name)
            os.environ[name] = (before + ":" if before else "") + \
                f"log_path={self.folder}/of"

    def taken(self):
        """The texts of those that have come since the last look."""
        texts = _of_logs[:]
        _of_logs.clear()
        for name in sorted(os.listdir(self.folder)) if self.folder else ():
            path = os.path.join(self.folder, name)
            with open(path, encoding="utf-8", errors="replace") as f:
                text = f.read()
            os.unlink(path)
            if REPORT.search(text):
                texts.append(text)
        return texts
