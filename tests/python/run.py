#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - run one file of the tests of the Python package

    OW_BUILD=build/check OW_TRANSPORT=shm python3 tests/python/run.py test_calls.py [OPTION...]

Options are those of pytest. Exit status 0, 1, or 77: this machine cannot run them, and the last
line says why. The package is the one in the build folder: nothing is installed.
"""
import importlib.util
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../e2e"))

import reports  # noqa: E402
from machine import clear_up  # noqa: E402


def missing(build):
    """Why they cannot run here, or None."""
    if not os.path.exists(f"{build}/bindings/python/onewake/_core.abi3.so"):
        return "the package was not built: no headers of Python (python3-dev), or ThreadSanitizer"
    if importlib.util.find_spec("pytest") is None:
        return f"{sys.executable} has no pytest (python3-pytest)"
    return None


def sanitizer():
    """Variables for an interpreter that loads a module with the sanitizer."""
    if os.environ.get("OW_SANITIZE") != "address":
        return {}
    libraries = [subprocess.run(["cc", f"-print-file-name={name}"], text=True, check=True,
                                stdout=subprocess.PIPE).stdout.strip()
                 for name in ("libasan.so", "libubsan.so")]
    return {"LD_PRELOAD": " ".join(libraries), "PYTHONMALLOC": "malloc",
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "detect_leaks=0")}


def main():
    build = os.path.abspath(os.environ.get("OW_BUILD", "build/check"))
    why = missing(build)
    if why is not None:
        print(f"skipped: {why}")
        return 77
    of_sanitizer = reports.Reports()
    env = {k: v for k, v in os.environ.items() if not k.startswith("NDRX_")}
    env.update(
        OW_BUILD=build, OW_RUNNER=str(os.getpid()), PYTHONDONTWRITEBYTECODE="1",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        PYTHONPATH=f"{build}/bindings/python", LD_LIBRARY_PATH=f"{build}/lib",
        PATH=f"{build}/bin:{os.path.dirname(sys.executable)}:/usr/bin:/bin", **sanitizer())
    name, *options = sys.argv[1:]
    status = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "onewake.pytest_plugin", "-p",
         "no:cacheprovider", "--onewake-transport", os.environ.get("OW_TRANSPORT", "shm"),
         os.path.join(HERE, name), *options], env=env, check=False).returncode
    for report in of_sanitizer.taken():
        print(report, file=sys.stderr)
        status = 1
    clear_up()
    return status


if __name__ == "__main__":
    sys.exit(main())
