# SPDX-License-Identifier: Apache-2.0
"""The package loses no memory: LeakSanitizer finds none. Only with ./check --asan."""
import os
import subprocess
import sys

import pytest

COST = 30
HERE = os.path.dirname(os.path.abspath(__file__))

pytestmark = pytest.mark.skipif(os.environ.get("OW_SANITIZE") != "address",
                                reason="of a build with the sanitizer")


@pytest.fixture(scope="module")
def domain(boot):
    return boot([{"program": "basicsv.py", "min": 2, "max": 2},
                 {"program": "conversesv.py", "srvid": 30}])


def run(*words):
    return subprocess.run(
        [sys.executable, os.path.join(HERE, "everything.py"), *words],
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1:fast_unwind_on_malloc=0:exitcode=23"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)


def test_no_memory_is_lost(domain):
    done = run()
    assert done.returncode == 0, done.stdout[-6000:]


def test_what_is_lost_is_found(domain):
    done = run("leak")
    assert done.returncode == 23 and "2331 byte(s) leaked" in done.stdout, done.stdout[-6000:]
