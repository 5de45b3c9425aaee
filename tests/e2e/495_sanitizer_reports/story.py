# SPDX-License-Identifier: Apache-2.0
"""A fact in which a server writes beyond its memory fails, though its calls do what it expects.

So does one whose server overflows an integer, and is killed then; under
ThreadSanitizer one whose server has a data race."""
import os
import subprocess
import sys

from checks import contains, equal, lacks
from fixture import Domain, Skip
from machine import SLOW
from reports import VARIABLES

MAINLY = "shm"

HERE = os.path.dirname(os.path.abspath(__file__))
E2E = os.path.dirname(HERE)
ROOT = os.path.dirname(os.path.dirname(E2E))
SANITIZER = os.environ.get("OW_SANITIZE") or "address"
# Service of badsv.c -> what is reported of it.
REPORTS = {"address": {"BEYOND": "heap-buffer-overflow",
                       "OVERFLOW": "runtime error: signed integer overflow"},
           "thread": {"RACE": "data race"}}[SANITIZER]
INNER = '''
from checks import equal
from fixture import Domain, kill, wait_for

def fact(service):
    def test():
        with Domain(env={{"PATH": {path!r}}}) as d:
            d.boot({{"srvid": 1, "name": "badsv"}})
            d.call(service, "x")
            kill(wait_for(lambda: d.pid(1), "it, or another process"))
            wait_for(lambda: d.call("GOOD", "x").err == "OK", "another process")
    return test

'''


def _build(d):
    source = os.path.join(HERE, "badsv.c")
    flags = {"address": "-fsanitize=address,undefined",
             "thread": "-fsanitize=thread"}[SANITIZER]
    r = subprocess.run(
        [d.program("buildserver"), "-o", "badsv", "-f", source,
         "-s", ",".join([*REPORTS, "GOOD"])],
        env={**d.env, "TUXDIR": ROOT,
             "CFLAGS": f"{flags} -D{SANITIZER.upper()}"},
        cwd=d.home, capture_output=True, text=True, timeout=60 * SLOW,
        check=False)
    if "asan" in r.stderr and "cannot find" in r.stderr:
        raise Skip("no library of the sanitizer")
    equal((r.returncode, r.stdout), (0, ""), r.stderr)


def _run(d, *services):
    """Run a story with a fact for each service of the server."""
    folder = os.path.join(d.home, "story")
    os.mkdir(folder)
    with open(os.path.join(folder, "story.py"), "w", encoding="utf-8") as f:
        f.write(INNER.format(path=f"{d.home}:{d.env['PATH']}") + "".join(
            f"test_{s.lower()} = fact('{s}')\n" for s in services))
    env = {k: v for k, v in os.environ.items() if k not in VARIABLES}
    return subprocess.run(
        [sys.executable, "-B", "-S", os.path.join(E2E, "run.py"), folder],
        env={**env, "OW_SANITIZE": SANITIZER,
             "ASAN_OPTIONS": "detect_leaks=0",
             "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "")},
        capture_output=True, text=True, timeout=120 * SLOW, check=False)


def test_what_is_reported_of_a_server_fails_the_fact():
    with Domain() as d:
        _build(d)
        r = _run(d, *REPORTS, "GOOD")
        equal(r.returncode, 1, r.stdout + r.stderr)
        equal([line.split()[::3] for line in r.stdout.splitlines()],
              [*(["FAILED", s.lower()] for s in REPORTS), ["ok", "good"]], r)
        lacks(r.stderr, "Traceback", "nothing else has failed")
        for report in REPORTS.values():
            contains(r.stderr, report)
