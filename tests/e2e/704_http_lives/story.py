# SPDX-License-Identifier: Apache-2.0
"""Kills, stops, reloads, certificates: no request is answered twice or wrongly."""
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time

from certificates import authority, certificate
from checks import contains, equal
from covers import covers
from fixture import kill, wait_for
from httpgate import GATE, gate

MAINLY = "shm"
COST = 14

SERVERS = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO SLEEP PID"}
ROUTES = ('<route path="/echo" svc="ECHO" conv="text" timeout="10"/>'
          '<route path="/sleep" svc="SLEEP" conv="text" timeout="10"/>'
          '<route path="/pid" svc="PID" conv="text"/>')


class Load:
    """Callers that each send a number again and again, and look at what they get."""

    def __init__(self, d, n=4, path="/echo"):
        self.d, self.path, self.said, self.wrong, self.broken = d, path, [], [], 0
        self.over = False
        # If a fact fails it does not end them.
        self.threads = [threading.Thread(target=self._run, args=(i,), daemon=True) for i in range(n)]
        for t in self.threads:
            t.start()

    def _run(self, me):
        c, n = self.d.connect(), 0
        while not self.over:
            n += 1
            sent = f"{me}.{n}"
            try:
                c.request("POST", self.path, sent)
                r = c.getresponse()
                body = r.read().decode()
            except (OSError, http.client.HTTPException):
                self.broken += 1
                c.close()
                c = self.d.connect()
                time.sleep(0.02)
                continue
            self.said.append(r.status)
            if r.status == 200 and body != sent:
                self.wrong.append((sent, body))
            if r.status != 200 and json.loads(body)["status"] != r.status:
                self.wrong.append((sent, body))
        c.close()

    def end(self):
        self.over = True
        for t in self.threads:
            t.join()
        equal(self.wrong, [])
        return set(self.said)


def test_a_killed_server_is_told_and_the_next_one_serves():
    with gate(ROUTES, SERVERS) as d:
        load = Load(d)
        slow = []
        t = threading.Thread(target=lambda: slow.append(d.post("/sleep", "3000")))
        t.start()
        time.sleep(0.3)
        for i in (1, 2):
            old = d.pid(i)
            kill(old)
            wait_for(lambda i=i, old=old: d.pid(i) not in (0, old), "restarted")
        t.join()
        equal((slow[0].status, slow[0].json["work"]), (502, "unknown"))
        wait_for(lambda: d.post("/echo", "x").status == 200, "served again")
        equal(load.end() <= {200, 502, 503, 504}, True)
        equal(load.broken, 0)


def test_a_killed_gate_comes_again_at_its_port():
    with gate(ROUTES, SERVERS) as d:
        load = Load(d)
        old = d.pid(GATE)
        kill(old)
        wait_for(lambda: d.pid(GATE) not in (0, old), "restarted")
        d.wait_listens()
        n = len(load.said)
        wait_for(lambda: len(load.said) > n + 20, "callers are served again")
        equal(load.end() <= {200, 502, 503}, True)
        equal(load.broken > 0, True)


def test_the_death_of_ndrxd_is_not_felt():
    with gate(ROUTES, SERVERS) as d:
        load, was = Load(d), d.pid(GATE)
        d.kill_ndrxd()
        n = len(load.said)
        wait_for(lambda: len(load.said) > n + 50, "calls go on")
        d.boot()
        equal(d.pid(GATE), was)
        equal((load.end(), load.broken), ({200}, 0))


@covers("xadmin reload")
def test_a_reload_loses_no_request():
    with gate(ROUTES, SERVERS) as d:
        load, was = Load(d), d.pid(GATE)
        for i in range(3):
            d.write(ROUTES + f'<route path="/new{i}" svc="ECHO" conv="text"/>')
            d.xadmin("reload")
            wait_for(lambda i=i: d.post(f"/new{i}", "x").status == 200, "the new route serves")
        equal(d.post("/new1", "x").status, 404)
        equal(d.pid(GATE), was)
        equal((load.end(), load.broken), ({200}, 0))


@covers("drain_time")
def test_a_gate_that_stops_answers_what_it_has():
    for wait, broken in (("5", False), ("100ms", True)):
        with gate(ROUTES, SERVERS, http=f'drain_time="{wait}"') as d:
            said = []
            def slow():
                try:
                    said.append(d.post("/sleep", "1000").status)
                except (OSError, http.client.HTTPException):
                    said.append("broken")
            t = threading.Thread(target=slow)
            t.start()
            time.sleep(0.3)
            d.xadmin("stop", "-i", GATE)
            t.join()
            equal(said, ["broken" if broken else 200])
            equal(d.listens(), False)


@covers("access_log")
def test_each_request_has_a_line():
    with gate(ROUTES, SERVERS, http='access_log="/tmp/none/../none/x"') as d:
        equal(d.post("/echo", "x").status, 200)  # a log that cannot be written stops nothing
    d = gate(ROUTES, SERVERS)
    path = os.path.join(d.home, "access.log")
    d.attributes = f'access_log="{path}"'
    d.write(ROUTES)
    with d:
        a = d.post("/echo?secret=1", "x", {"Authorization": "Basic eDp5"})
        d.post("/none", "x")
        def lines():
            with open(path, encoding="utf-8") as f:
                return [json.loads(line) for line in f]
        wait_for(lambda: os.path.exists(path) and len(lines()) == 2, "two lines")
        one, two = lines()
        equal((one["trace"], one["route"], one["status"], one["method"], one["peer"]),
              (a.headers["Trace-Id"], "/echo", 200, "POST", "127.0.0.1"))
        equal("secret" in str(one) or "eDp5" in str(one), False)
        equal(two["status"], 404)


def _tls(d):
    context = ssl.create_default_context(cafile=os.path.join(d.home, "ca.pem"))
    context.set_alpn_protocols(["h2", "http/1.1"])
    s = context.wrap_socket(socket.create_connection(("127.0.0.1", d.port), 10), server_hostname="localhost")
    with s:
        return s.getpeercert()["serialNumber"], s.selected_alpn_protocol(), s.version()


@covers("tls_cert_file", "tls_key_file")
def test_a_new_certificate_is_taken_without_a_lost_request():
    d = gate(ROUTES, SERVERS)
    authority(d.home, "ca")
    certificate(d.home, "ca", "gate")
    d.attributes = f'tls_cert_file="{d.home}/gate.pem" tls_key_file="{d.home}/gate.key"'
    d.write(ROUTES)
    with d:
        first, protocol, version = _tls(d)
        equal((protocol, version in ("TLSv1.2", "TLSv1.3")), ("h2", True))
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        try:
            old.wrap_socket(socket.create_connection(("127.0.0.1", d.port)), server_hostname="localhost")
            raise AssertionError("TLS 1.1 was let in")
        except (ssl.SSLError, OSError):
            pass
        context = ssl.create_default_context(cafile=os.path.join(d.home, "ca.pem"))
        held = http.client.HTTPSConnection("localhost", d.port, context=context)
        held.request("POST", "/echo", "1")
        equal(held.getresponse().read(), b"1")
        certificate(d.home, "ca", "gate")
        wait_for(lambda: _tls(d)[0] != first, "the new certificate")
        held.request("POST", "/echo", "2")  # its connection goes on
        equal(held.getresponse().read(), b"2")
        second = _tls(d)[0]
        with open(os.path.join(d.home, "gate.pem"), "w", encoding="utf-8") as f:
            f.write("none")
        time.sleep(1.2)
        equal(_tls(d)[0], second)  # the one before is kept
        if shutil.which("curl"):
            r = subprocess.run(["curl", "-s", "--http2", "--cacert", f"{d.home}/ca.pem", "-d", "3", "-w",
                                "%{http_version}", f"https://localhost:{d.port}/echo"],
                               capture_output=True, text=True, check=False)
            equal(r.stdout, "32")
        contains(str(held.sock.version()), "TLS")
        held.close()


@covers("tls_ca_file")
def test_a_certificate_of_a_stranger_is_not_let_in():
    d = gate(ROUTES, SERVERS)
    for name in ("ca", "other"):
        authority(d.home, name)
    certificate(d.home, "ca", "gate")
    certificate(d.home, "ca", "friend")
    certificate(d.home, "other", "stranger")
    d.attributes = (f'tls_cert_file="{d.home}/gate.pem" tls_key_file="{d.home}/gate.key" '
                    f'tls_ca_file="{d.home}/ca.pem"')
    d.write(ROUTES)
    with d:
        for name, fine in (("friend", True), ("stranger", False)):
            context = ssl.create_default_context(cafile=os.path.join(d.home, "ca.pem"))
            context.load_cert_chain(f"{d.home}/{name}.pem", f"{d.home}/{name}.key")
            c = http.client.HTTPSConnection("localhost", d.port, context=context)
            try:
                c.request("POST", "/echo", "1")
                got = c.getresponse().read() == b"1"
            except (ssl.SSLError, OSError):
                got = False
            c.close()
            equal(got, fine, name)


def test_a_call_and_a_stream_may_last_longer_than_a_request_may_come():
    with gate(ROUTES + '<route path="/events" events="A.*"/>', SERVERS, {"name": "tpevsrv", "srvid": 70},
              http='header_time="0.5" body_time="0.5"') as d:
        c = d.connect()
        c.request("GET", "/events")
        stream = c.getresponse()
        equal([d.post("/sleep", "1500").status, d.ask("POST", "/sleep", b"1500").status], [200, 200])
        equal(d.client()("post", "A.NEW", "-", "STRING:late").err, "OK")
        said = b""
        while b"late" not in said and (line := stream.readline()):
            said += line
        contains(said.decode(), "late")
        c.close()


def test_who_says_no_more_still_hears():
    """Half a connection looks as if its caller had gone."""
    with gate(ROUTES, SERVERS) as d:
        with socket.create_connection(("127.0.0.1", d.port), 20) as s:
            s.sendall(b"POST /sleep HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n300")
            s.shutdown(socket.SHUT_WR)
            said = s.makefile("rb").read().decode()
            equal((said.split("\r\n")[0], said.split("\r\n\r\n")[1]), ("HTTP/1.1 200 OK", "300"))
