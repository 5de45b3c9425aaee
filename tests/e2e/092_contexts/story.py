# SPDX-License-Identifier: Apache-2.0
"""Contexts move between the threads of clients and of services."""
import json
import os
import pathlib
import re
import shutil
import subprocess

from checks import at_least, contains, equal
from fixture import BUILD, Domain, Row, Skip, wait_for
from machine import LONG, SLOW

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEAVY = True


def _client(d, *words):
    r = d.run("ctxcl", *words, seconds=90)
    equal(r.returncode, 0, r.stderr)
    return Row(json.loads(r.stdout))


def _nobody(d):
    """No context of a client is left, and no mailbox."""
    equal(d.rows("stat")[0].clients, 0)
    equal([q.queue for q in d.rows("pqa") if "reply" in q.queue], [])


def test_calls_of_a_context_are_fetched_by_another_thread():
    with Domain() as d:
        d.server(1, "ECHO")
        equal(_client(d, "outstanding"),
              {"good": 5, "refused": 0, "wrong": 0})
        _nobody(d)


def test_threads_that_want_the_same_context_are_refused_and_do_no_harm():
    n = 20000 if LONG else 1000
    with Domain() as d:
        d.server(1, "ECHO")
        r = _client(d, "race", n)
        equal((r.wrong, r.good), (0, 8 * n))
        at_least(r.refused, 1)
        _nobody(d)


def test_contexts_that_end_leave_nothing():
    n = 1000 if LONG else 100
    with Domain() as d:
        d.server(1, "ECHO")
        p = subprocess.Popen([d.program("ctxcl"), "churn", str(n)], env=d.env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True, **d.who())
        r = Row(json.loads(p.stdout.readline()))
        equal((r.good, r.refused, r.wrong), (8 * (n + 1), 0, 0))
        # The process lives: what its contexts had is given back.
        wait_for(lambda: d.rows("stat")[0].clients == 0, "slots given back")
        _nobody(d)
        p.communicate("\n", timeout=20 * SLOW)
        equal(p.returncode, 0)


def test_a_thread_that_is_cancelled_gives_the_context_back():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer takes cancelled frames for living ones")
    with Domain() as d:
        d.server(1, "ECHO")
        equal(_client(d, "cancel", 200),
              {"good": 200, "refused": 0, "wrong": 0})
        _nobody(d)


def test_a_forked_child_has_no_context_of_its_parent():
    with Domain() as d:
        d.server(1, "ECHO")
        equal(_client(d, "fork"), {"good": 5, "refused": 0, "wrong": 0})


def test_a_service_may_change_contexts_and_serves_on_in_its_own():
    with Domain() as d:
        d.server(1, "ECHO", "CLTID", "SLEEP")
        d.server(2, binary="switchsv")
        for how in ("swap", "leave", "stay", "release", "lend", "own", "other",
                    "forward", "stay", "leave", "other", "own"):
            equal(d.call("CTX", how).data, how)
            contains(d.call("WHO").data, "srv,switchsv,2,", how)
        # That of the server, the foreign one, that of the client that asks.
        equal(sorted(c.srvid for c in d.rows("clients")
                     if c.srvid != 0), [2])


def test_a_server_that_waits_in_another_context_answers_pings():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO CLTID SLEEP"},
               {"srvid": 2, "name": "switchsv", "pingtime": 1, "ping_max": 2})
        pid = d.pid(2)
        equal(d.client(NDRX_TOUT="30").call("CTX", "wait").data, "wait")
        equal(d.pid(2), pid)


def test_a_server_stops_whatever_context_its_thread_has():
    with Domain() as d:
        d.server(1, "ECHO")
        for i, how in enumerate(("leave", "stay", "other")):
            p = d.server(2 + i, binary="switchsv")
            equal(d.call("CTX", how).data, how)
            equal(d.stop_server(p), 0)


def _example(page):
    text = (ROOT / f"doc/man/man3/{page}.3").read_text(encoding="utf-8")
    code = text.split(".Sh EXAMPLES", 1)[1].split(".Bd -literal\n", 1)[1]
    return re.sub(r"\\&", "", code.split("\n.Ed", 1)[0]).replace("\\e", "\\")


def test_the_examples_of_the_manual_pages_run():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("the examples are not sanitized")
    if shutil.which("cc") is None:
        raise Skip("needs cc")
    with Domain() as d:
        d.server(1, "ECHO")
        for page in ("tpgetctxt", "ndrx_nstd_tls_new", "Otpcall"):
            program = f"{d.home}/{page}"
            pathlib.Path(program + ".c").write_text(_example(page),
                                                    encoding="utf-8")
            subprocess.run(
                ["cc", "-Wall", "-Werror", f"-I{ROOT}/include", "-o", program,
                 program + ".c", f"-L{BUILD}/lib", "-latmi", "-lubf",
                 f"-Wl,-rpath,{BUILD}/lib", "-lpthread"], check=True)
            r = subprocess.run([program], env=d.env, cwd=d.home, text=True,
                               capture_output=True, timeout=30, check=False)
            equal((r.returncode, r.stderr), (0, ""), page)
