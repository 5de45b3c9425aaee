# SPDX-License-Identifier: Apache-2.0
"""Services that call URLs: restoutsv, with the configuration that it has elsewhere, and
what is ours.

Without a toolchain for Go, 1.22 or newer, the story is skipped.
"""
import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import threading
import time

from certificates import authority, certificate
from checks import at_most, between, contains, ended, equal, lacks
from covers import covers
from fixture import BUILD, Domain, Skip, kill, wait_for
from http_peer import Peer
from httpgate import GATE, gate
from openmetrics import parse, value

COST = 18
MAINLY = "shm"

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
SERVER = {"name": "restoutsv", "srvid": 5}
TPENOENT, TPESVCERR, TPESVCFAIL, TPETIME = "TPENOENT", "TPESVCERR", "TPESVCFAIL", "TPETIME"


def _domain(text, **variables):
    if not os.path.exists(os.path.join(BUILD, "bin/restoutsv")):
        raise Skip("restoutsv was not built: it needs go 1.22")
    d = Domain()
    for name in ("examples/bank/bank.fd", "conf/ubftab/Exfields"):
        shutil.copy(os.path.join(ROOT, name), d.home)
    path = os.path.join(d.home, "app.ini")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    d.env.update({"FLDTBLDIR": d.home, "FIELDTBLS": "bank.fd,Exfields", "NDRX_CCONFIG": path, **variables})
    return d


def _service(name, **keys):
    return f"service {name}={json.dumps(keys)}\n"


def _log(d):
    """What servers without a file of their own say, too."""
    with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8", errors="replace") as f:
        return f.read()


def _ud(d, service, **fields):
    """A call with UBF: the result of ud, and the lines of the reply."""
    r = d.run("ud", text="\n".join([f"SRVCNM\t{service}", *(f"{k}\t{v}" for k, v in fields.items())]) + "\n\n")
    return r, r.stdout


def _answers(r):
    """A peer with an answer for each path."""
    if r.path == "/balance":
        asked = json.loads(r.body)
        return 200, {}, json.dumps({"T_ACCNUM": asked["T_ACCNUM"], "T_AMTAVL": 10.5}).encode()
    if r.path.startswith("/status/"):
        return int(r.path[8:]), {}, b'{"T_ACCNUM":"of the error"}'
    if r.path == "/fails":
        return 200, {}, b"11:no money"
    return 200, {}, b"you said " + r.body


def test_restoutsvs_configuration_runs_unchanged():
    with Peer(_answers) as peer, _domain(
            "[@restout]\nworkers=3\ngencore=1\nscan_time=1\n"
            'defaults={"urlbase":"${PEER}",\n "timeout":5}\n'
            'service TEXT={"url":"/text",\n\t"errors":"text"}\n'
            'service FAILS={"url":"/fails","errors":"text"}\n'
            'service BALANCEOUT={"url":"/balance"}\n'
            'service MISSING={"url":"/status/404","errors":"http"}\n'
            'service LATE={"url":"/status/504","errors":"http"}\n'
            "[@restout/B]\n"
            'service MISSING={"url":"/status/500","errors":"http"}\n', PEER=peer.url) as d:
        d.boot(SERVER)
        equal(d.call("TEXT", "hello").data, "you said hello")
        r = d.call("FAILS", "x")
        equal((r.err, r.data), (TPESVCFAIL, "200 no money"))
        equal(d.call("MISSING", "x").err, TPENOENT)
        equal(d.call("LATE", "x").err, TPETIME)
        r, said = _ud(d, "BALANCEOUT", T_ACCNUM="ACC1")
        ended(r, 0)
        contains(said, "T_AMTAVL\t10.5")
        equal({s.headers["Content-Type"] for s in peer.seen if s.path == "/balance"}, {"application/json"})
        equal({s.method for s in peer.seen}, {"POST"})
        equal(len({s.peer for s in peer.seen}), 1, "one connection is used again")
        d.env["NDRX_CCTAG"] = "B"
        d.xadmin("stop", "-y")
        d.boot(SERVER)
        equal(d.call("MISSING", "x").err, TPESVCFAIL, "a key of the tag")


def test_a_caller_gets_status_and_body_of_an_error():
    with Peer(_answers) as peer, _domain(
            "[@restout]\n" +
            _service("BAD", url=peer.url + "/status/422", errors="http") +
            _service("PARSED", url=peer.url + "/status/500", errors="http", parseonerror=True) +
            _service("GONE", url="http://127.0.0.1:1/", errors="http")) as d:
        d.boot(SERVER)
        r, said = _ud(d, "BAD", T_ACCNUM="A")
        ended(r, 1)
        for line in ("EX_NETRCODE\t422", 'EX_IF_RSPDATA\t{"T_ACCNUM":"of the error"}', "EX_NERROR_CODE\t0"):
            contains(said, line)
        r, said = _ud(d, "PARSED", T_ACCNUM="A")
        contains(said, "T_ACCNUM\tof the error")
        r, said = _ud(d, "GONE", T_ACCNUM="A")
        contains(said, "EX_NERROR_CODE\t9")
        contains(said, "(not done)")
        equal(d.call("BAD", "x").urcode, 422)


def test_what_a_host_answers_is_told_as_it_is():
    """Also what no host should: who reads it is not kept, and a part is not told as a whole."""
    head = b"HTTP/1.1 200 OK\r\n"
    answers = {
        "EMPTY": (204, {}, b"", "OK"), "MOVED": (302, {"Location": "http://127.0.0.1:1/"}, b"", TPESVCFAIL),
        "HTML": (200, {"Content-Type": "text/html"}, b"<html>log in</html>", TPESVCERR), "LIST": (200, {}, b"[1]", TPESVCERR),
        "CUT": (head + b"Content-Length: 9\r\n\r\n{}", False, TPESVCERR), "NONE": (b"", False, TPESVCERR),
        "CHUNKS": (head + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", False, TPESVCERR),
        "TWO": (head + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", False, TPESVCERR),
        "ZIPPED": (200, {"Content-Encoding": "gzip"}, b"not zipped", TPESVCERR),
        "OTHER": (b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", True, TPESVCERR),
        "SLOW": (head + b"Content-Length: 9\r\n\r\n{", True, TPETIME)}
    with contextlib.ExitStack() as stack:  # a peer for each: what fails is left alone
        peers = {name: stack.enter_context(Peer(lambda _, a=a: a[:-1])) for name, a in answers.items()}
        d = stack.enter_context(_domain("[@restout]\nworkers=1\n" + "".join(
            _service(name, url=p.url, errors="http", timeout=2) for name, p in peers.items())))
        d.boot(SERVER)
        for name, a in answers.items():
            began = time.monotonic()
            r, _ = _ud(d, name, T_ACCNUM="A")
            ended(r, 0 if a[-1] == "OK" else 1)
            equal((name, a[-1] == "OK" or a[-1] in r.stdout + r.stderr), (name, True), r.stdout + r.stderr)
            at_most(time.monotonic() - began, 10, name)
            equal(len(peers[name].seen), 1, "sent once")


def test_fields_fill_the_url_and_headers():
    with Peer(_answers) as peer, _domain(
            "[@restout]\n" + _service("GET", url=peer.url + "/acc/{T_ACCNUM}", method="GET", errors="text",
                                      reply="text", query={"c": "{T_ACCCUR}"}, headers={"X-Acc": "{T_ACCNUM}"})) as d:
        d.boot(SERVER)
        _ud(d, "GET", T_ACCNUM="A/1?x", T_ACCCUR="EUR")
        s = peer.seen[0]
        equal((s.method, s.path, s.headers["X-Acc"], s.body), ("GET", "/acc/A%2F1%3Fx?c=EUR", "A/1?x", b""))


def test_a_request_ends_with_the_patience_of_its_caller():
    hang = threading.Event()

    def answer(r):
        if r.path == "/hang":
            hang.wait(60)
        return 200, {}, b"x"
    with Peer(answer) as peer, _domain(
            "[@restout]\nworkers=2\n" + _service("HANG", url=peer.url + "/hang", errors="text") +
            _service("QUICK", url=peer.url + "/", errors="text")) as d:
        d.boot(SERVER)
        c = d.client()
        c("blktime", "TPBLK_ALL", 1)
        for _ in range(3):  # more than there are workers
            r = c.call("HANG", "x")
            equal(r.err, TPETIME)
            between(r.ms, 900, 4000)
        equal(d.call("QUICK", "x").data, "x")
        hang.set()


def test_a_host_that_fails_is_left_alone():
    good = threading.Event()

    def answer(_):
        return (200 if good.is_set() else 503), {}, b"x"
    with Peer(answer) as peer, _domain(
            "[@restout]\n" + _service("A", url=peer.url, errors="http",
                                      breaker={"failures": 3, "open_for": 3})) as d:
        d.boot(SERVER)
        for _ in range(3):
            r = d.call("A", "x")
            equal((r.err, r.urcode), (TPESVCFAIL, 503))
        good.set()
        r = d.call("A", "x")
        equal((r.err, r.urcode), (TPESVCFAIL, 0), "nothing was sent")
        contains(r.data, "left alone")
        equal(len(peer.seen), 3)
        wait_for(lambda: d.call("A", "x").err == "OK", "it is tried again")
        equal(len(peer.seen), 4)


@covers("xadmin hosts")
def test_hosts_that_are_left_alone_are_listed():
    with Peer(lambda _: (503, {}, b"x")) as peer, _domain(
            "[@restout]\n" + _service("A", url=peer.url, errors="http",
                                      breaker={"failures": 3, "open_for": 600})) as d:
        d.boot(SERVER)
        for _ in range(4):
            equal(d.call("A", "x").err, TPESVCFAIL)
        host = wait_for(lambda: d.row("hosts", srvid=5, breaker="open"), "it is seen")
        equal((host.host, host.calls, host.failed, host.refused), (peer.url[7:], 4, 3, 1))
        contains(d.xadmin("hosts").stdout, "open")
        m = parse(d.run("ndrxmetrics", "-1").stdout)
        labels = {"srvid": "5", "host": peer.url[7:]}
        equal(value(m, "onewake_host_breaker_open", **labels), 1)
        equal(value(m, "onewake_host_failures", **labels), 3)


def test_services_are_offered_while_their_host_answers():
    state = {"status": 500}
    with Peer(lambda r: (state["status"], {}, b"{}")) as peer, _domain(
            "[@restout]\n" + _service("PING", url=peer.url, echo=True, echo_time=1, echo_min_ok=1,
                                      echo_max_fail=1, errors="http") +
            _service("PAY", url=peer.url + "/pay", errors="http", depends_on="PING")) as d:
        d.boot(SERVER)
        offered = lambda: any(r.service == "PAY" for r in d.rows("psc"))  # noqa: E731
        wait_for(lambda: peer.seen, "a probe")
        equal(offered(), False)
        equal(d.call("PAY", "x").err, TPENOENT)
        state["status"] = 200
        wait_for(offered, "its host answers")
        equal(d.call("PAY", "x").err, "OK")
        state["status"] = 500
        wait_for(lambda: not offered(), "its host fails")


def test_both_sides_prove_who_they_are():
    with _domain("") as d:
        authority(d.home, "ca")
        certificate(d.home, "ca", "server")
        certificate(d.home, "ca", "bank")
        with open(os.path.join(d.home, "secret"), "w", encoding="utf-8") as f:
            f.write("hidden\n")
        tokens = []

        def answer(r):
            if r.path == "/token":
                tokens.append(r.body.decode())
                return 200, {"Content-Type": "application/json"}, json.dumps(
                    {"access_token": f"t{len(tokens)}", "token_type": "bearer", "expires_in": 600}).encode()
            return 200, {}, f"{r.subject.get('commonName')} {r.headers.get('Authorization')}".encode()
        with Peer(answer, tls=d.home) as peer:
            tls = {"ca": f"{d.home}/ca.pem", "cert": f"{d.home}/bank.pem", "key": f"{d.home}/bank.key"}
            auth = {"type": "oauth2", "token_url": peer.url + "/token", "client_id": "bank",
                    "secret_file": f"{d.home}/secret", "auth_in_header": False}
            with open(d.env["NDRX_CCONFIG"], "w", encoding="utf-8") as f:
                f.write("[@restout]\n" + _service("BOTH", url=peer.url, errors="text", tls=tls, auth=auth) +
                        _service("NOCERT", url=peer.url, errors="text", tls={"ca": tls["ca"]}) +
                        _service("NOCA", url=peer.url, errors="text"))
            d.boot(SERVER)
            for _ in range(2):
                equal(d.call("BOTH", "x").data, "bank Bearer t1")
            equal(len(tokens), 1)
            contains(tokens[0], "grant_type=client_credentials")
            for name in ("NOCERT", "NOCA"):
                equal(d.call(name, "x").err in (TPESVCFAIL, TPESVCERR), True, name)
            lacks(_log(d), "hidden")


def test_a_server_that_is_killed_leaves_its_callers_in_doubt():
    inside, goon = threading.Event(), threading.Event()

    def answer(r):
        if not goon.is_set():
            inside.set()
            goon.wait(30)
        return 200, {}, b"done"
    with Peer(answer) as peer, _domain(
            "[@restout]\n" + _service("PAY", url=peer.url, errors="text")) as d:
        d.boot(SERVER)
        c = d.client()
        c.begin("call", "PAY", "-", "STRING:x")
        inside.wait(30)
        kill(d.pid(5))
        equal(c.end(20).err, TPESVCERR)
        goon.set()
        wait_for(lambda: d.call("PAY", "x").data == "done", "it was started again")
        at_most(len(peer.seen), 3)


def test_a_wrong_configuration_is_said():
    for text, want in ((_service("A", url="ftp://x"), "no URL"), ("", "service NAME"),
                       (_service("A", url="http://x", auth={"type": "basic"}), "secret_file")):
        with _domain("[@restout]\n" + text) as d:
            d.boot_any(SERVER)
            contains(_log(d), want)
            d.xadmin("stop", "-y")


DESCRIPTION = """
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets/{id}:
    get:
      operationId: getPet
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: x, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
components:
  schemas:
    Pet: {type: object, properties: {name: {type: string, maxLength: 30}, age: {type: integer}}}
"""


def test_a_description_becomes_a_configuration():
    with _domain("") as d:
        def tool(name, *words):
            return subprocess.run([os.path.abspath(d.program(name)), *words], cwd=d.home, env=d.env,
                                  capture_output=True, text=True, check=False)
        path = os.path.join(d.home, "pets")
        with open(path + ".yaml", "w", encoding="utf-8") as f:
            f.write(DESCRIPTION)
        r = tool("xadmin", "http", "import", "pets.yaml", "20001")
        ended(r, 0)
        equal(r.stdout, "".join(f"wrote pets{x}\n" for x in (".http.xml", ".fd", ".v")))
        for words, status, want in ((("import",), 2, "give the file of a description"), (("export",), 2, "give import FILE"),
                                    (("import", "none.yaml"), 1, "no such file"), (("import", "pets.yaml", "x"), 2, "no number")):
            r = tool("xadmin", "http", *words)
            equal(r.returncode, status, words)
            contains(r.stderr, want)
        equal(tool("httpgate", "import", "pets.yaml").returncode, 1, "what is there stays")
        with open(path + ".http.xml", encoding="utf-8") as f:
            d.configure({"srvid": 1, "appopt": "GETPET=ECHO"}, sections=f.read())
        d.xadmin("testcfg")
        d.env["FIELDTBLS"] = "bank.fd,Exfields,pets.fd"
        ended(tool("viewc", "pets.v"), 0)
        d.boot()
        r, said = _ud(d, "GETPET", name="Rex", age=3)
        ended(r, 0)
        contains(said, "name\tRex")
        r = tool("httpgate", "key", "shop")
        contains(r.stderr, "shop:" + hashlib.sha256(r.stdout.strip().encode()).hexdigest())


@covers("outgoing", "host", "base", "url")
def test_a_gate_calls_urls_too():
    def answers(r):
        if r.path == "/misfit":
            amount = "5" if b"5" in r.body else "1e400"
            return 200, {}, f'{{"T_ACCNUM": "A", "UNKNOWN": 1, "T_AMTAVL": {amount}}}'.encode()
        return _answers(r)
    with Peer(answers) as peer, gate(
            '<route path="/out" svc="BALANCEOUT"/><route path="/fail" svc="BAD"/><route path="/misfit" svc="MISFIT"/>'
            f'<host name="h" base="{peer.url}" connections="4"/>'
            '<outgoing svc="BALANCEOUT" url="/balance" host="h"/><outgoing svc="MISFIT" url="/misfit" host="h"/>'
            '<outgoing svc="BAD" url="/status/409" host="h" status="409:11"/>') as d:
        a = d.post("/out", {"T_ACCNUM": "ACC1"})
        equal((a.status, a.json), (200, {"T_ACCNUM": "ACC1", "T_AMTAVL": 10.5}))
        a = d.post("/fail", {"T_ACCNUM": "ACC1"})
        equal((a.status, a.json["work"], a.json["urcode"]), (422, "failed", 409))
        equal(d.post("/misfit", {"T_AMTAVL": 5}).json, {"T_ACCNUM": "A", "T_AMTAVL": 5})
        a = d.post("/misfit", {"T_AMTAVL": 7})
        equal((a.status, a.json["error"], a.json["work"]), (502, TPESVCERR, "unknown"), "no amount without end")
        contains(_log(d), "T_AMTAVL")
        wait_for(lambda: d.row("hosts", srvid=GATE).calls == 4, "its hosts are listed")
