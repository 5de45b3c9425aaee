# SPDX-License-Identifier: Apache-2.0
"""Money moves between databases and durable queues while everything is killed: the
sum stays, and nobody was told a wrong outcome."""
import json
import os
import signal
import subprocess
import sys

from checks import at_least, contains, equal
from machine import BUILD, LONG, SLOW, TRANSPORT, only_on

COST = 40
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SECONDS = 120 if LONG else 15


def _python(program, *words, seconds):
    """Run a program of bench/ with this build: status, output, errors. One that
    takes too long is interrupted, so that it ends what it has started."""
    p = subprocess.Popen(
        [sys.executable, "-B", os.path.join(ROOT, "bench", program),
         *map(str, words)], text=True, stdin=subprocess.DEVNULL,
        env={**os.environ, "ONEWAKE_BUILD": BUILD},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = p.communicate(timeout=seconds * SLOW)
    except BaseException:
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=15 * SLOW)
        raise
    return p.returncode, out, err


def test_the_sum_is_exact_after_everything_was_killed():
    status, out, err = _python("run", "transfers", "--json", "--seconds",
                               SECONDS, "--transport", TRANSPORT,
                               seconds=SECONDS + 80)
    equal(status, 0, f"{out}\n{err[-3000:]}")
    row = json.loads(out)
    equal((row["total"], row["wrong"], row["hung"]), (row["expected"], 0, 0))
    at_least(row["done"], SECONDS, "transfers")
    at_least(row.get("server_kills", 0), 1, "kills")


def test_the_demonstration_runs_with_and_without_a_database():
    only_on("posix", "the demonstration has the transport that a user gets")
    status, out, err = _python("demo.py", "--transfer", "--transfers", 40,
                               seconds=90)
    equal(status, 0, f"{out}\n{err[-2000:]}")
    contains(out, "Coins move between two durable queues")
    equal(out.count("the sum is exact"),
          1 if "PostgreSQL is not installed" in out else 2)
