# SPDX-License-Identifier: Apache-2.0
"""run.py - run the facts of one story

    OW_BUILD=build/release python3 tests/e2e/run.py tests/e2e/010_call [FACT]

Each function of story.py whose name begins with test_ is a fact. OW_TRANSPORT
is posix or shm. OW_SLOW multiplies all deadlines; OW_LONG=1 tells the long form
of stories that have one. Exit code 0, 1, or 77: this machine cannot tell the
story.

What a story says of itself, for CMakeLists.txt: TRANSPORT = "posix" or "shm",
the only one it is about; HEAVY = True, it has many processes and queues;
COST = about so many seconds, if it is one of the long ones.
"""
import importlib.util
import os
import signal
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
os.environ["OW_BUILD"] = os.path.abspath(os.environ.get("OW_BUILD",
                                                        "build/release"))

from machine import LONG, SLOW, Skip, start_guard  # noqa: E402

LIMIT_S = 1500 if LONG else 120


def load(folder):
    path = os.path.join(folder, "story.py")
    spec = importlib.util.spec_from_file_location("story", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tell(name, fact):
    start = time.monotonic()
    result = "ok"
    signal.alarm(int(LIMIT_S * SLOW))
    try:
        fact()
    except Skip as e:
        result = f"skipped: {e}"
    except Exception:  # pylint: disable=broad-except
        traceback.print_exc()
        result = "FAILED"
    signal.alarm(0)
    print(f"{result:8} {time.monotonic() - start:6.2f} s  {name[5:]}",
          flush=True)
    return result


def too_long(*_):
    raise TimeoutError(f"a fact of more than {LIMIT_S * SLOW:g} s")


def main():
    # A time limit from outside must not skip the clearing away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, too_long)
    start_guard()
    module = load(sys.argv[1])
    results = [tell(n, f) for n, f in list(vars(module).items())
               if n.startswith("test_") and
               (len(sys.argv) < 3 or n[5:] in sys.argv[2:])]
    if "FAILED" in results or not results:
        return 1
    return 0 if "ok" in results else 77


sys.exit(main())
