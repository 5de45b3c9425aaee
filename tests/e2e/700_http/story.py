# SPDX-License-Identifier: Apache-2.0
"""HTTP to services: routes, bodies, errors.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import os
import subprocess

from checks import equal
from covers import covers
from fixture import BUILD
from httpgate import BANK, ROOT, gate

COST = 12
MAINLY = "shm"

BALANCE = '<route path="/balance" svc="BALANCE"/>'


@covers("http", "port", "path", "svc")
def test_a_route_calls_a_service():
    with gate(BALANCE, BANK) as d:
        a = d.post("/balance", {"T_ACCNUM": "ACC000000001", "T_ACCCUR": "EUR"})
        equal((a.status, a.kind), (200, "application/json"))
        equal(a.json["T_ACCNUM"], "ACC000000001")
        a = d.post("/none", {})
        equal((a.status, a.kind), (404, "application/problem+json"))
        a = d.get("/balance")
        equal((a.status, a.headers["Allow"]), (405, "POST"))
        a = d.post("/balance", "{")
        equal((a.status, a.json["work"]), (400, "not done"))


def test_its_modules_pass_their_tests():
    """`go vet` and `go test`, of the modules that need no domain."""
    with gate(BALANCE, BANK):
        pass
    env = {**os.environ, "GOPROXY": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "1",
           "PKG_CONFIG_PATH": os.path.join(os.path.abspath(BUILD), "servers/httpgate/pc"),
           "PATH": os.environ["PATH"] + ":/usr/local/go/bin",
           "LD_LIBRARY_PATH": os.path.join(os.path.abspath(BUILD), "lib")}
    env.pop("LDFLAGS", None)
    for words in (["vet", "./..."], ["test", "./..."]):
        r = subprocess.run(["go", *words], cwd=os.path.join(ROOT, "servers/httpgate"),
                           env=env, capture_output=True, text=True, check=False)
        equal(r.returncode, 0, r.stdout[-4000:] + r.stderr[-4000:])
