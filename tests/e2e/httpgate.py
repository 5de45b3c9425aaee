# SPDX-License-Identifier: Apache-2.0
"""httpgate.py - a domain with a gate for HTTP, for stories

    with gate('<route path="/balance" svc="BALANCE"/>', BANK) as d:
        equal(d.post("/balance", {"T_ACCNUM": "ACC1"}).status, 200)
"""
import http.client
import json
import os
import shutil
import socket

from fixture import BUILD, Domain, Skip, wait_for

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
GATE = 90
VIEWS = """VIEW HTTPV
long number - 1 - - -
string name - 1 - 30 -
long code - 1 - - -
string msg - 1 - 100 -
END
"""
BANK = {"name": "banksv", "srvid": 10}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Answer:
    def __init__(self, r):
        self.status, self.headers, self.body = r.status, r.headers, r.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def kind(self):
        return self.headers.get("Content-Type", "")


class GateDomain(Domain):
    """`routes`: what is in <http>; `http`: further attributes of it."""

    def __init__(self, routes, *servers, http="", gate=None, sections="", env=None):
        self.prepare(env)
        self.servers = (*servers, {"name": "httpgate", "srvid": GATE, **(gate or {})})
        self.sections = sections
        self.attributes = http
        self.write(routes)

    def prepare(self, env):
        if not os.path.exists(os.path.join(BUILD, "bin/httpgate")):
            raise Skip("httpgate was not built: it needs go 1.22")
        super().__init__(env)
        self.port = free_port()
        for name in ("bindings/go/testdata/go.fld", "examples/bank/bank.fd", "conf/ubftab/Exfields"):
            shutil.copy(os.path.join(ROOT, name), self.home)
        with open(os.path.join(self.home, "http.v"), "w", encoding="utf-8") as f:
            f.write(VIEWS)
        self.env.update({"FLDTBLDIR": self.home, "FIELDTBLS": "go.fld,bank.fd,Exfields",
                         "VIEWDIR": self.home, "VIEWFILES": "http.v"})

    def write(self, routes):
        """The configuration, with other routes."""
        self.configure(*self.servers, sections=self.sections +
                       f'<http port="{self.port}" {self.attributes}>{routes}</http>\n')

    def __enter__(self):
        super().__enter__()
        try:
            self.boot()
        except BaseException:
            self.__exit__(Exception, None, None)
            raise
        return self

    def connect(self, timeout=20):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers=None, timeout=20):
        """One request, in a connection of its own."""
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        c = self.connect(timeout)
        try:
            c.request(method, path, body, headers or {})
            return Answer(c.getresponse())
        finally:
            c.close()

    def post(self, path, body=None, headers=None):
        return self.ask("POST", path, body, headers)

    def get(self, path, headers=None):
        return self.ask("GET", path, None, headers)

    def listens(self):
        try:
            self.connect().connect()
            return True
        except ConnectionError:
            return False

    def wait_listens(self):
        wait_for(self.listens, "the gate listens")


class RestinclDomain(GateDomain):
    """The gate under the name restincl, with a section of its ini."""

    def __init__(self, routes, *servers, keys="", tag=None):
        self.prepare(None)
        with open(os.path.join(self.home, "app.ini"), "w", encoding="utf-8") as f:
            f.write(f"[@restin{'/' + tag if tag else ''}]\nport={self.port}\nip=127.0.0.1\n{keys}\n")
            for path, route in routes.items():
                f.write(f"{path}={json.dumps(route)}\n")
        self.env["NDRX_CCONFIG"] = os.path.join(self.home, "app.ini")
        tagged = {"cctag": tag} if tag else {}
        self.configure(*servers, {"name": "restincl", "srvid": GATE, **tagged})


def gate(routes, *servers, **kw):
    return GateDomain(routes, *servers, **kw)
