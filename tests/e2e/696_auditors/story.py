# SPDX-License-Identifier: Apache-2.0
"""The auditors of bench/ can fail: what is changed by hand in what they read is
found, each thing under its own name."""
import json
import os
import struct
import subprocess
import sys
import tempfile

from checks import equal
from machine import BUILD

MAINLY = "shm"
COST = 1
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
sys.path.append(os.path.join(ROOT, "bench"))

# bench/ledger.h
ENTRY = "<4B7I"  # executed told flags error; begin due until told waited executed answered
HEAD = 5 * 8 + 256 * 4 + 2 * 8 + 4096 * 8
RIGHT, WRONG, ONEWAY, CANCELLED, TIMEOUT, REFUSED, ABSENT, UNSENT, ERROR = range(1, 10)
SLACK = 500
COLUMNS = ("twice", "unearned", "wrong", "lost", "vanished", "undone", "late", "error", "unnamed")


class Ledger:
    """A file of `ledger`, whose entries are written by hand."""

    def __init__(self, folder, entries):
        self.path = os.path.join(folder, "ledger")
        self._run("make", self.path, len(entries) + 1)
        with open(self.path, "r+b") as f:
            f.seek(24)
            f.write(struct.pack("<Q", len(entries) + 1))
            for i, e in enumerate(entries, 1):
                f.seek(HEAD + i * struct.calcsize(ENTRY))
                f.write(struct.pack(ENTRY, *e))

    @staticmethod
    def _run(*words):
        return subprocess.run([os.path.join(BUILD, "bin/ledger"), *map(str, words)], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)

    def judge(self, named=0):
        """(exit status, columns that are not 0)."""
        done = self._run("judge", self.path, SLACK, named)
        row = json.loads(done.stdout)
        return done.returncode, {k: row[k] for k in COLUMNS if row[k]}


def _entry(told, executed=0, due=10000, until=0, told_ms=200, executed_ms=150, answered=0):
    return (executed, told, 0, 0, 100, due, until, told_ms, 0, executed_ms, answered)


GOOD = (_entry(RIGHT, 1), _entry(ONEWAY, 1), _entry(CANCELLED), _entry(CANCELLED, 1), _entry(REFUSED),
        _entry(REFUSED, 1), _entry(ABSENT), _entry(TIMEOUT, due=200), _entry(0), _entry(0, 1))
BAD = {"twice": _entry(RIGHT, 2), "unearned": _entry(RIGHT), "wrong": _entry(WRONG, 1),
       "lost": _entry(TIMEOUT, 1, answered=300, told_ms=10000),
       "vanished": _entry(TIMEOUT, told_ms=10000), "undone": _entry(ABSENT, 1),
       "late": _entry(RIGHT, 1, until=1000, told_ms=2000), "error": _entry(ERROR),
       "unnamed": _entry(ONEWAY)}


def test_the_audit_of_calls_finds_each_kind_of_wrong_entry():
    with tempfile.TemporaryDirectory() as folder:
        equal(Ledger(folder, GOOD).judge(), (0, {}))
        for column, entry in BAD.items():
            equal(Ledger(folder, (*GOOD, entry)).judge(), (1, {column: 1}), column)
        equal(Ledger(folder, (*GOOD, _entry(REFUSED, 1, executed_ms=400))).judge(), (1, {"undone": 1}),
              "executed after it was refused")
        equal(Ledger(folder, (*GOOD, _entry(ONEWAY), _entry(ONEWAY))).judge(1), (1, {"unnamed": 1}),
              "two are missing, and one was named")
        equal(Ledger(folder, (*GOOD, _entry(ONEWAY))).judge(1), (0, {}), "it was named")
        equal(Ledger(folder, (*GOOD, BAD["vanished"], _entry(RIGHT, 1, executed_ms=2000))).judge(),
              (1, {"vanished": 1}), "others did not wait so long")
        equal(Ledger(folder, (*GOOD, BAD["vanished"], _entry(RIGHT, 1, executed_ms=9000))).judge(),
              (0, {}), "others waited as long: there was too much work")
        equal(set(BAD), set(COLUMNS), "each column is tried")


def _soak(folder, produced, consumed):
    """What the audit of durable queues says of these two diaries."""
    from soak import Soak
    for name, lines in (("p0", produced), ("c0", consumed)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
    s = Soak.__new__(Soak)
    s._path = lambda name: os.path.join(folder, name)
    row = s.compare()
    return {k: row[k] for k in ("lost", "twice", "never_sent", "split") if row[k]}


def test_the_audit_of_durable_queues_finds_what_is_lost_doubled_or_torn():
    # A batch is tried (t) and committed (a), or undone (r); a consumer's line has the ids.
    sent = ["t 0 3", "a 0 3", "t 3 3", "r 3 3", "t 6 3"]
    with tempfile.TemporaryDirectory() as folder:
        equal(_soak(folder, sent, ["t 0 1 2", "a"]), {})
        equal(_soak(folder, sent, ["t 0 1 2", "a", "t 6 7 8", "a"]), {}, "its producer was killed")
        equal(_soak(folder, sent, ["t 0 1", "a"]), {"lost": 1})
        equal(_soak(folder, sent, ["t 0 1 2", "a", "t 1", "a"]), {"twice": 1})
        equal(_soak(folder, sent, ["t 0 1 2", "a", "t 4", "a"]), {"never_sent": 1})
        equal(_soak(folder, sent, ["t 0 1 2", "a", "t 6", "a"]), {"split": 1})
