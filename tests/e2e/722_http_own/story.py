# SPDX-License-Identifier: Apache-2.0
"""Each caller of the gate gets its own answer: bodies say whose they are, while some callers take
their requests back, cut them off or read slowly, and servers are killed.

The gate uses the memory of bodies again, and sends bytes from the memory of the library.
Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import functools
import json
import os
import shutil
import subprocess
import threading

from certificates import authority, certificate
from checks import at_least, equal
from fixture import BUILD, Skip, kill, wait_for
from httpgate import gate
from machine import LONG, SECONDS

COST = 15
MAINLY = "shm"

LAST = int(SECONDS) or (120 if LONG else 5)
SERVERS = ({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"}, {"srvid": 5, "appopt": "FILTER=ECHO"},
           {"srvid": 6, "min": 2, "max": 2, "appopt": "SLEEP"})
ROUTES = ('<route path="/raw" svc="ECHO" conv="raw" timeout="20"/>'
          '<route path="/chain" svc="ECHO" conv="raw" finman="FILTER" foutman="ECHO" timeout="20"/>'
          '<route path="/text" svc="ECHO" conv="text" timeout="20"/>'
          '<route path="/json" svc="ECHO" conv="json" timeout="20"/>'
          '<route path="/ubf" svc="ECHO" timeout="20"/>'
          '<route path="/ubf-chain" svc="ECHO" finman="FILTER" foutman="FILTER" timeout="20"/>'
          '<route path="/form" svc="ECHO" conv="multipart" fields="form.name=F_NAME file.up=F_BYTES" body_max="4M" timeout="20"/>'
          '<route path="/echo" echo="Y" conv="raw"/>'
          '<route path="/kept" svc="ECHO" conv="raw" idempotency="60" timeout="20"/>'
          '<route path="/late" svc="SLEEP" conv="text" timeout="0.02"/>')


@functools.lru_cache
def _storm():
    go = shutil.which("go") or "/usr/local/go/bin/go"
    if not os.path.exists(go):
        raise Skip("there is no go")
    program = os.path.join(os.path.abspath(BUILD), "tests/e2e/http_storm")
    r = subprocess.run([go, "build", "-o", program, "."], cwd=os.path.join(os.path.dirname(os.path.abspath(__file__)), "storm"),
                       env={**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false"},
                       capture_output=True, text=True, check=False)
    equal(r.returncode, 0, r.stdout + r.stderr)
    return program


def _kills(d, over):
    """The servers of ECHO, one after the other."""
    n = 0
    while not over.wait(0.7):
        pid = d.pid(1 + n % 3)
        if pid:
            kill(pid)
            n += 1


def _storms(d, scheme):
    over = threading.Event()
    killer = threading.Thread(target=_kills, args=(d, over))
    killer.start()
    try:
        r = subprocess.run([_storm(), f"{scheme}://localhost:{d.port}", str(LAST), "16"], capture_output=True, text=True,
                           check=False, timeout=LAST + 100)
    finally:
        over.set()
        killer.join()
    equal(r.returncode, 0, r.stderr)
    said = json.loads(r.stdout)
    equal((said["wrong"], said["broken"]), (0, 0), f"{r.stdout}{r.stderr}")
    at_least(said["right"], 100 * LAST // 5)
    at_least(said["taken_back"], LAST)
    wait_for(lambda: all(p.status != "BUSY" for p in d.rows("psc")), "nothing is in hand")


def test_each_caller_gets_its_own_answer():
    with gate(ROUTES, *SERVERS) as d:
        _storms(d, "http")


def test_each_stream_of_a_connection_gets_its_own_answer():
    d = gate("", *SERVERS, http='tls_cert_file="${NDRX_APPHOME}/gate.pem" tls_key_file="${NDRX_APPHOME}/gate.key"')
    authority(d.home, "ca")
    certificate(d.home, "ca", "gate")
    d.write(ROUTES)
    with d:
        _storms(d, "https")
