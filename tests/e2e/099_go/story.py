# SPDX-License-Identifier: Apache-2.0
"""Go calls and serves: what `go test` finds, in a domain with servers in C.

Without a toolchain for Go (1.19 or newer, with cgo) the story is skipped.
"""
import functools
import os
import re
import shutil
import subprocess

from checks import equal
from fixture import BUILD, Domain, Skip

COST = 25

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SOURCE = os.path.join(ROOT, "bindings/go")


@functools.lru_cache
def _go():
    """The environment in which go builds against this tree; Skip without go."""
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not os.path.exists(go):
        raise Skip("there is no go")
    said = subprocess.run([go, "version"], capture_output=True, text=True,
                          check=True).stdout
    version = re.search(r"go1\.(\d+)", said)
    if version is None or int(version[1]) < 19:
        raise Skip(f"go is too old: {said.strip()}, want 1.19")
    folder = os.path.join(os.path.abspath(BUILD), "go")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "onewake-client.pc"), "w",
              encoding="utf-8") as f:
        f.write("Name: onewake-client\nDescription: of this tree\nVersion: 0\n"
                f"Cflags: -I{ROOT}/include -I{BUILD}/include\n"
                f"Libs: -L{BUILD}/lib -latmi -lubf\n")
    env = {**os.environ, "PKG_CONFIG_PATH": folder, "CGO_ENABLED": "1",
           "GOPROXY": "off", "GOTOOLCHAIN": "local",
           "CGO_CFLAGS": "-O2 -g -Wall -Werror"}
    env.pop("LDFLAGS", None)
    return go, env, folder


def _run(*words):
    go, env, _ = _go()
    r = subprocess.run([go, *words], cwd=SOURCE, env=env, capture_output=True,
                       text=True, check=False)
    if r.returncode:
        raise AssertionError(f"go {' '.join(words)}:\n{r.stdout}{r.stderr}")
    return r.stdout


@functools.lru_cache
def _tests():
    """The test program."""
    path = os.path.join(_go()[2], "onewake.test")
    _run("test", "-c", "-o", path, ".")
    return path


def _domain():
    d = Domain()
    for name in ("bindings/go/testdata/go.fld", "examples/bank/bank.fd"):
        shutil.copy(os.path.join(ROOT, name), d.home)
    d.env.update({"FLDTBLDIR": d.home, "FIELDTBLS": "go.fld,bank.fd",
                  "LD_LIBRARY_PATH": os.path.join(os.path.abspath(BUILD),
                                                  "lib")})
    return d


def _test(d, pattern):
    r = subprocess.run([_tests(), "-test.run", pattern, "-test.v",
                        "-test.timeout", "100s"], env=d.env, cwd=d.home,
                       capture_output=True, text=True, check=False)
    passed = re.findall(r"^--- PASS: (\w+)", r.stdout, re.M)
    if r.returncode or not passed or "--- SKIP" in r.stdout:
        raise AssertionError(r.stdout[-6000:] + r.stderr[-6000:])


def test_the_source_is_clean():
    equal(_run("vet", "./..."), "")


def test_a_client_calls():
    with _domain() as d:
        for i in (1, 2):
            d.server(i, "ECHO", "FAIL")
        d.server(3, "SLEEP")
        d.spawn(4, binary="banksv")
        d.wait_ready(4)
        _test(d, "^Test")
