# SPDX-License-Identifier: Apache-2.0
"""run.py - run the facts of one story

    OW_BUILD=build/check python3 tests/e2e/run.py tests/e2e/010_call [FACT...]

Each function of story.py whose name begins with test_ is a fact; FACT is that
name, with or without test_. OW_TRANSPORT is posix or shm. OW_SLOW multiplies all
deadlines; OW_LONG=1 runs the long form of stories that have one,
OW_SECONDS=N those that can go on for N seconds. With --without, only facts
that cover something run, and must fail without it (covers.py). Exit
status 0, 1, or 77: this machine cannot run the story. A thread of a fact that
has failed may go on for ever: the runner does not wait for it.

A story tells CMakeLists.txt about itself: TRANSPORT = "posix" or "shm", the
only one it concerns; MAINLY = "posix" or "shm", the one that ./check runs:
the other is for ./check --all; HEAVY = True, it has many processes; QUEUE_KB =
how many thousand bytes of those that the user may have in POSIX queues it needs
at most, if more than 60; MEASURES = True, it judges figures; COST = about how
many seconds it takes, if these are many.
"""
import contextlib
import importlib.util
import os
import signal
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
# What it starts is found if it and its guard are killed (suite/sweep.py).
os.environ["OW_RUNNER"] = str(os.getpid())
os.environ["OW_BUILD"] = os.path.abspath(os.environ.get("OW_BUILD",
                                                        "build/release"))
# Hundreds of stories share modules: they are compiled once.
sys.pycache_prefix = os.path.join(os.environ["OW_BUILD"], "pycache")
sys.dont_write_bytecode = False

import covers  # noqa: E402
import pauses  # noqa: E402
import reports  # noqa: E402
from machine import LONG, SECONDS, SLOW, Skip, clear_up, start_guard  # noqa: E402

LIMIT_S = SECONDS + (1500 if LONG else 120)


def load(folder):
    path = os.path.join(folder, "story.py")
    spec = importlib.util.spec_from_file_location("story", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def attempt(fact, without=None):
    """Run a fact: ok, FAILED, or skipped with the reason."""
    covers.begin(without)
    pauses.begin()
    signal.alarm(int(LIMIT_S * SLOW))
    try:
        fact()
        return "ok"
    except Skip as e:
        return f"skipped: {e}"
    except Exception:  # pylint: disable=broad-except
        if without is None:
            traceback.print_exc()
        return "FAILED"
    finally:
        signal.alarm(0)


def run(name, fact, of_sanitizer):
    start = time.monotonic()
    result = attempt(fact)
    for report in of_sanitizer.taken():
        print(report, file=sys.stderr)
        result = "FAILED"
    missing = covers.missing(fact) if result == "ok" else []
    if missing:
        print(f"covers what it does not have: {', '.join(missing)}")
        result = "FAILED"
    print(f"{result:8} {time.monotonic() - start:6.2f} s  {name[5:]}",
          flush=True)
    return result


def run_without(name, fact):
    """The fact must fail without each thing that it covers."""
    results = []
    for what in getattr(fact, "covers", ()):
        start = time.monotonic()
        with open(os.devnull, "w", encoding="utf-8") as null, \
                contextlib.redirect_stderr(null):
            failed = attempt(fact, what) == "FAILED"
        results.append("ok" if failed else "FAILED")
        print(f"{results[-1]:8} {time.monotonic() - start:6.2f} s  "
              f"{name[5:]} without {what}", flush=True)
    return results


def too_long(*_):
    raise TimeoutError(f"a fact took more than {LIMIT_S * SLOW:g} s")


def main():
    # A time limit from outside must not skip the clearing away.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    signal.signal(signal.SIGALRM, too_long)
    start_guard()
    pauses.start()
    of_sanitizer = reports.Reports()
    module = load(sys.argv[1])
    without = "--without" in sys.argv
    facts = {n: f for n, f in vars(module).items() if n.startswith("test_")}
    wanted = [f"test_{w.removeprefix('test_')}" for w in sys.argv[2:]
              if w != "--without"]
    unknown = [n for n in wanted if n not in facts]
    if unknown:
        sys.exit(f"{sys.argv[1]} has no fact {unknown[0][5:]}; it has:\n  " +
                 "\n  ".join(n[5:] for n in facts))
    results = []
    for name, fact in facts.items():
        if wanted and name not in wanted:
            continue
        if without and not getattr(fact, "covers", ()):
            continue
        results.append(run(name, fact, of_sanitizer))
        if without and results[-1] == "ok":
            results += run_without(name, fact)
    if "FAILED" in results or not results:
        return 1
    return 0 if "ok" in results else 77


def status():
    """Of the process, whatever happens."""
    try:
        return main()
    except SystemExit as e:  # by SIGTERM, for example
        if isinstance(e.code, int):
            return e.code
        print(e.code, file=sys.stderr)
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    return 1


left = status()
clear_up()
sys.stdout.flush()
sys.stderr.flush()
os._exit(left)
