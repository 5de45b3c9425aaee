# SPDX-License-Identifier: Apache-2.0
"""What servers execute and what clients are told agree, under fire.

Calls of many kinds while servers, clients and ndrxd are killed and stopped
(bench/audit.py). OW_LONG=1: two million requests.
"""
import json
import os
import subprocess
import sys

from checks import at_least, equal
from machine import BUILD, LONG, SLOW, TRANSPORT

HEAVY = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
REQUESTS = 2000000 if LONG else int(60000 / SLOW)
# A busy machine stops processes for seconds.
SLACK_MS = int(5000 * SLOW)
MUST_BE_ZERO = ("twice", "unearned", "wrong", "damaged", "lost", "vanished",
                "undone", "late", "error", "unnamed", "hung", "failed", "left_behind")


def test_no_request_is_executed_twice_lost_or_answered_wrongly():
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(ROOT, "bench", "run"), "audit",
         "--json", "--calls", str(REQUESTS), "--transport",
         TRANSPORT],
        env={**os.environ, "ONEWAKE_BUILD": BUILD,
             "OW_AUDIT_SLACK_MS": str(SLACK_MS)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, timeout=3000 if LONG else 170,
        check=False)
    row = json.loads(done.stdout or "{}")
    print(done.stdout, done.stderr[-3000:])
    equal({k: row[k] for k in MUST_BE_ZERO if row[k] != 0}, {},
          "columns that must be 0")
    equal(done.returncode, 0, "status of the audit")
    at_least(row["right"], REQUESTS // 2, "right answers")
    at_least(row["joins"], REQUESTS // 1000, "contexts that came and left")
    at_least(row["kills"] + row["stops"], 2, "servers hit")
