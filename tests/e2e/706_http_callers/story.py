# SPDX-License-Identifier: Apache-2.0
"""Who calls by HTTP, what is answered twice, and what the gate says of itself.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import hashlib
import http.client
import json
import os
import ssl
import subprocess
import threading
import time

from certificates import authority, certificate
from checks import at_most, contains, equal, lacks
from covers import covers
from fixture import BUILD, Domain, kill, wait_for
from http_callers import Issuer, basic, private
from http_peer import Peer
from httpgate import BANK, GATE, gate

COST = 6
MAINLY = "shm"

TESTSV = {"srvid": 1, "min": 2, "max": 2, "appopt": "WHOCALLS PAY=ECHO"}
SERVICES = ('<services><service svcnm="PAY" acl="login:carl"/></services>')


class _Later:
    """A gate whose configuration names files of its folder, HOME."""

    def __init__(self, routes, prepare, http=""):
        self.routes, self.prepare, self.http = routes, prepare, http

    def __enter__(self):
        self.d = gate("", TESTSV, sections=SERVICES, http=self.http)
        self.prepare(self.d)
        self.d.attributes = self.d.attributes.replace("HOME", self.d.home)
        self.d.write(self.routes.replace("HOME", self.d.home))
        return self.d.__enter__()

    def __exit__(self, *what):
        return self.d.__exit__(*what)


def _text(d, path, headers=None, body="x"):
    a = d.ask("POST", path, body, {"Content-Type": "text/plain", **(headers or {})})
    return a.body.decode() if a.status == 200 else a.status


WHO = '<route path="/who" svc="WHOCALLS" conv="text" auth="{0}"/><route path="/pay" svc="PAY" conv="text" auth="{0}"/>'


@covers("auth", "file", "header")
def test_passwords_and_keys_become_logins_and_lists_hold():
    def prepare(d):
        for name in ("anna", "carl"):
            d.run("xadmin", "passwd", "-f", os.path.join(d.home, "passwords"), name, text=f"of {name}\n")
        private(d, "keys", "carl:" + hashlib.sha256(b"key of carl").hexdigest() + "\n")
    with _Later('<auth name="p" kind="basic" file="HOME/passwords"/>'
                '<auth name="k" kind="apikey" file="HOME/keys" header="X-Key"/>' + WHO.format("p k") +
                '<route path="/open" svc="WHOCALLS" conv="text"/>'
                '<route path="/openpay" svc="PAY" conv="text"/>', prepare) as d:
        anna, carl, key = basic("anna", "of anna"), basic("carl", "of carl"), {"X-Key": "key of carl"}
        equal(_text(d, "/who", anna), "anna 4 0")
        equal(_text(d, "/who", carl), "carl 4 0")
        equal(_text(d, "/who", key), "carl 4 0")
        equal(_text(d, "/open", anna), " 0 0", "nobody asked")
        equal([_text(d, "/pay", h) for h in (anna, carl, key)], [403, "x", "x"])
        equal(_text(d, "/openpay", carl), 403, "who was not asked has not logged in")
        a = d.ask("POST", "/who", "x")
        equal((a.status, a.json["work"]), (401, "not done"))
        contains(a.headers["WWW-Authenticate"], "Basic realm=")
        for wrong in (basic("anna", "of carl"), basic("eve", "x"), {"X-Key": "no"},
                      {"X-Login": "carl", "Authorization": "carl"}):
            equal(_text(d, "/pay", wrong), 401)
        lacks(open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8", errors="replace").read(), "of anna")


@covers("jwks", "issuer", "audience", "logins", "scopes")
def test_tokens_of_an_issuer_become_logins():
    made = {}

    def prepare(d):
        made["issuer"] = Issuer(d.home)
    with Peer(lambda r: (200, {}, made["issuer"].jwks)) as peer, _Later(
            f'<auth name="j" kind="jwt" jwks="{peer.url}/keys" issuer="https://issuer" audience="bank" '
            'logins="scope:pay=carl scope:read=anna"/>' + WHO.format("j") +
            '<route path="/admin" svc="WHOCALLS" conv="text" auth="j" scopes="admin"/>', prepare) as d:
        token = made["issuer"].token
        equal(_text(d, "/who", token(scope="read")), "anna 4 0")
        equal([_text(d, "/pay", token(scope=s)) for s in ("read", "pay read", "x")], [403, "x", 403])
        equal(_text(d, "/admin", token(scope="pay")), 403)
        equal(_text(d, "/admin", token(scope="pay admin")), "carl 4 0")
        for wrong in (token(exp=int(time.time()) - 60), token(aud="shop"), token(iss="x")):
            equal(_text(d, "/who", wrong), 401)
        equal(len(peer.seen), 1, "the keys were fetched once")


@covers("tls_ca_file", "identity")
def test_certificates_of_callers_become_logins():
    def prepare(d):
        authority(d.home, "ca")
        for name, email in (("gate", "gate"), ("till", "carl")):
            certificate(d.home, "ca", name, email=email)
    with _Later('<auth name="m" kind="mtls" identity="email"/>' + WHO.format("m"), prepare,
                'tls_cert_file="HOME/gate.pem" tls_key_file="HOME/gate.key" tls_ca_file="HOME/ca.pem"') as d:
        def ask(path, cert):
            c = ssl.create_default_context(cafile=f"{d.home}/ca.pem")
            if cert:
                c.load_cert_chain(f"{d.home}/{cert}.pem", f"{d.home}/{cert}.key")
            h = http.client.HTTPSConnection("localhost", d.port, context=c, timeout=20)
            h.request("POST", path, "x")
            r = h.getresponse()
            return r.read().decode() if r.status == 200 else r.status
        equal(ask("/pay", "till"), "x")
        equal(ask("/pay", "gate"), 403)
        equal(ask("/pay", None), 401)


@covers("rate")
def test_who_asks_too_often_is_told_when_to_come_again():
    def prepare(d):
        private(d, "keys", "".join(f"{n}:{hashlib.sha256(n.encode()).hexdigest()}\n" for n in ("anna", "bob")))
    with _Later('<auth name="k" kind="apikey" file="HOME/keys"/>'
                '<route path="/who" svc="WHOCALLS" conv="text" auth="k" rate="3"/>', prepare) as d:
        said = [d.ask("POST", "/who", "x", {"X-API-Key": "anna"}) for _ in range(12)]
        refused = [a for a in said if a.status == 429]
        at_most(len(said) - len(refused), 9)
        equal({a.headers["Retry-After"] for a in refused}, {"1"})
        equal(d.ask("POST", "/who", "x", {"X-API-Key": "bob"}).status, 200)
        said = [d.ask("POST", "/who", "x", {"X-API-Key": "guess"}) for _ in range(40)]
        held = [a for a in said if a.status == 429]
        at_most(len(said) - len(held), 39)
        equal({a.headers["Retry-After"] for a in held}, {"1"})


PAY = '<route path="/pay" svc="ECHO" conv="text" idempotency="600"/>'


def _pay(d, key, body="x"):
    a = d.ask("POST", "/pay", body, {"Idempotency-Key": f'"{key}"'} if key else {})
    return a.body.decode() if a.status == 200 else (a.status, a.json["type"].rsplit(":", 1)[1])


@covers("idempotency")
def test_the_first_answer_is_given_again_also_after_a_restart():
    with gate(PAY, {"srvid": 1, "appopt": "ECHO COUNT"}) as d:
        calls = lambda: d.call("COUNT").urcode  # noqa: E731
        equal([_pay(d, "a") for _ in range(3)], ["x"] * 3)
        equal(calls(), 1)
        a = d.ask("POST", "/pay", "x", {"Idempotency-Key": '"a"'})
        equal(a.headers["Idempotency-Replayed"], "true")
        equal(_pay(d, "a", "y"), (422, "other-request"))
        a = d.ask("POST", "/pay", "y", {"Idempotency-Key": '"a"'})
        equal((a.kind, a.json["title"], a.json["work"], a.json["trace"], a.headers["Onewake-Work"]),
              ("application/problem+json", "Unprocessable Entity", "not done", a.headers["Trace-Id"], "not done"))
        equal(_pay(d, "b", "y"), "y")
        equal(calls(), 2)
        pid = d.pid(GATE)
        kill(pid)
        wait_for(lambda: d.pid(GATE) not in (0, pid), "the gate is started again")
        d.wait_listens()
        equal((_pay(d, "a"), _pay(d, "b", "y"), _pay(d, "b")), ("x", "y", (422, "other-request")))
        equal(calls(), 2)
        equal(_pay(d, ""), "x")
        equal(calls(), 3)


@covers("idempotency_dir")
def test_a_key_whose_gate_was_killed_is_in_doubt():
    with gate('<route path="/slow" svc="SLEEP" conv="text" idempotency="600"/>', {"srvid": 1, "appopt": "SLEEP"},
              http='idempotency_dir="/tmp/ow_keys_%d"' % os.getpid()) as d:
        folder = f"/tmp/ow_keys_{os.getpid()}"
        try:
            equal(os.path.isdir(folder), True)
            key = {"Idempotency-Key": "k"}

            def ask(text="3000"):
                try:
                    a = d.ask("POST", "/slow", text, key)
                    return a.status, a.json["type"].rsplit(":", 1)[1] if a.status != 200 else ""
                except (OSError, http.client.HTTPException):
                    return None, ""
            t = threading.Thread(target=ask, daemon=True)
            t.start()
            wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY", "it is in the service")
            equal(ask(), (409, "running"))
            pid = d.pid(GATE)
            kill(pid)
            t.join(20)
            wait_for(lambda: d.pid(GATE) not in (0, pid), "the gate is started again")
            d.wait_listens()
            equal(ask(), (409, "in-doubt"))
            equal(ask("1"), (422, "other-request"))
        finally:
            subprocess.run(["rm", "-rf", folder], check=True)


@covers("openapi", "docs", "summary")
def test_the_gate_describes_itself():
    with gate('<route path="/balance" svc="BALANCE" summary="how much"/><route path="/any" svc="BALANCE" unknown="ignore"/>'
              '<route method="GET" path="/acc/{id}" svc="BALANCE" fields="path.id=T_ACCNUM"/>'
              '<route method="PUT" path="/docs" svc="BALANCE"/>', BANK, http='openapi="Y" docs="Y"') as d:
        a = d.get("/openapi.json")
        equal((a.status, a.kind), (200, "application/json"))
        equal(d.ask("HEAD", "/openapi.json").status, 200)
        equal(a.json["openapi"], "3.1.0")
        equal(a.json["paths"]["/balance"]["post"]["summary"], "how much")
        schemas = a.json["components"]["schemas"]
        contains(str(schemas), "T_AMTAVL")

        def takes(path):
            ref = a.json["paths"][path]["post"]["requestBody"]["content"]["application/json"]["schema"]["$ref"]
            return schemas[ref.rsplit("/", 1)[1]].get("additionalProperties", True)
        equal([(takes(path), d.post(path, {"NOFIELD": 1}).status) for path in ("/balance", "/any")],
              [(False, 400), (True, 422)])
        a = d.get("/docs")
        contains(a.headers["Content-Security-Policy"], "default-src 'none'")
        for path, allowed in (("/openapi.json", "GET, HEAD"), ("/docs", "GET, HEAD, PUT")):
            a = d.ask("POST", path)
            equal((a.status, a.headers["Allow"], a.kind), (405, allowed, "application/problem+json"))
    with gate('<route path="/balance" svc="BALANCE"/>', BANK) as d:
        equal((d.get("/openapi.json").status, d.get("/docs").status), (404, 404))


def test_the_program_makes_keys_and_imports_descriptions():
    with gate('<route path="/balance" svc="BALANCE"/>', BANK, http='openapi="Y"') as d:
        with open(os.path.join(d.home, "described.json"), "wb") as f:
            f.write(d.get("/openapi.json").body)

        def tool(*words):
            return subprocess.run([os.path.join(BUILD, "bin/httpgate"), *words], cwd=d.home, env=d.env,
                                  capture_output=True, text=True, check=False)
        r = tool("key", "shop")
        contains(r.stderr, "shop:" + hashlib.sha256(r.stdout.strip().encode()).hexdigest())
        equal(tool("key", "a:b").returncode, 2)
        equal(tool("import", "described.json").returncode, 0)
        with open(os.path.join(d.home, "described.http.xml"), encoding="utf-8") as f:
            routes = f.read()
        contains(routes, 'path="/balance"')
        equal(tool("import", "described.json").returncode, 1, "what is there stays")
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"}, sections=routes)
        equal(d.xadmin("testcfg").returncode, 0)
