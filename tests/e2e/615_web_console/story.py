# SPDX-License-Identifier: Apache-2.0
"""The console in a browser: who gets in, what he sees, what keeps others out."""
import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from checks import at_least, at_most, check, contains, equal, lacks
from covers import covers
from fixture import Domain, Skip, kill, wait_for

MAINLY = "shm"
COST = 64

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO FAIL CRASH"}
PASSWORD = "correct horse"


def _free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _order(verb, what):
    """The address of an order; `what`: its object, or a dict of words."""
    kind = {"suspend": "service", "resume": "service",
            "log": "level"}.get(verb, "server")
    words = what if isinstance(what, dict) else {kind: what}
    return "/api/order?" + urllib.parse.urlencode({"verb": verb, **words})


class Browser:
    """Asks as a browser does, and keeps the cookie."""
    tried = 0.0  # when somebody logged in last

    def __init__(self, port):
        self.port = port
        self.cookie = self.token = None
        self.address = "127.0.0.1"  # its own

    def ask(self, method, path, body=None, **headers):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20,
                                       source_address=(self.address, 0))
        headers = {k.replace("_", "-"): v for k, v in headers.items()}
        if self.cookie:
            headers.setdefault("Cookie", self.cookie)
        if isinstance(body, dict):
            body = urllib.parse.urlencode(body)
        c.request(method, path, body, headers)
        r = c.getresponse()
        r.text = r.read().decode()
        c.close()
        return r

    def log_in(self, user, password=PASSWORD, **headers):
        """The answer; two tries a second are allowed."""
        if time.monotonic() - Browser.tried < 0.55:
            time.sleep(0.55)
        r = self.ask("POST", "/api/login",
                     {"user": user, "password": password}, **headers)
        Browser.tried = time.monotonic()
        if r.status == 200:
            self.cookie = r.getheader("Set-Cookie").split(";")[0]
            self.token = json.loads(r.text)["token"]
        return r

    def order(self, verb, what=None, body=None, **headers):
        """Give an order; `what`: its object, or a dict of words."""
        return self.ask("POST", _order(verb, what), body,
                        **{"X_Token": self.token, **headers})

    def begin_order(self, verb, what, body=""):
        """Give an order, and do not wait: its connection."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        c.request("POST", _order(verb, what), body,
                  {"Cookie": self.cookie, "X-Token": self.token})
        return c

    def stream(self, screen, **more):
        """The messages of a stream."""
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        c.request("GET", "/api/stream?" + urllib.parse.urlencode(
            {"screen": screen, **more}), headers={"Cookie": self.cookie or ""})
        r = c.getresponse()
        equal(r.status, 200)
        equal(r.getheader("Content-Type"), "text/event-stream")
        with contextlib.closing(c):
            while line := r.readline():
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])

    def rows(self, screen, **more):
        """Rows of the next message, as dicts by title."""
        columns = [c["title"] for s in json.loads(
            self.ask("GET", "/api/screens").text) if s["name"] == screen
            for c in s["columns"]]
        m = next(self.stream(screen, **more))
        return [dict(zip(columns, r[4:])) for r in m["rows"]]


def _cpu(pid):
    """Seconds of CPU time so far, not by ticks: its work is short bursts."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat",
                  encoding="ascii") as f:
            total += int(f.read().split()[0])
    return total / 1e9


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return f.read().split()


def _state(pid):
    """R, S, Z of /proc; X: there is no such process."""
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    return "X"


def _user(d, name, role):
    p = subprocess.run([d.program("xadmin"), "passwd", "-w", "-r", role, name],
                       env=d.env, input=PASSWORD + "\n", text=True,
                       capture_output=True, check=False)
    equal(p.returncode, 0, p.stderr)


@contextlib.contextmanager
def _console(*servers, users=(("anna", "look"),), options=(),
             **kw):
    with Domain() as d:
        os.makedirs(f"{d.home}/conf", exist_ok=True)
        with open(f"{d.home}/t.fd", "w", encoding="ascii") as f:
            f.write("CARD 2002 string\nNAME 2003 string\n")
        d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
        d.boot(*(servers or (ECHO,)), **kw)
        for user in users:
            _user(d, *user)
        port = _free_port()
        p = d.daemon("ndrxweb", "-p", port, *options)
        b = Browser(port)

        def ready():
            with contextlib.suppress(OSError):
                return b.ask("GET", "/").status == 200
        wait_for(ready, "ndrxweb")
        yield d, b, p


@covers("xadmin passwd")
def test_nobody_sees_anything_without_logging_in():
    with _console(users=(("anna", "look"), ("adam", "admin"))) as (d, b, _):
        page = b.ask("GET", "/")
        contains(page.getheader("Content-Security-Policy"),
                 "default-src 'none'")
        lacks(page.getheader("Content-Security-Policy"), "unsafe")
        equal(page.getheader("X-Frame-Options"), "DENY")
        equal(page.getheader("Cache-Control"), "no-store")
        lacks(page.text, "http://")
        lacks(page.text, "https://")
        lacks(page.text, "<style")
        lacks(page.text, " style=")
        for path in ("/api/me", "/api/screens", "/api/stream?screen=services",
                     "/api/nothing"):
            equal(b.ask("GET", path).status, 401, path)
        equal(b.ask("GET", "/api/me", Cookie="ow_session=" + 64 * "0").status,
              401)
        for path in ("/../etc/passwd", "/page.html", "/%2e%2e/x"):
            equal(b.ask("GET", path).status, 401, path)
        equal(b.ask("DELETE", "/").status, 405)
        equal(b.ask("POST", "/api/login", "x" * 5000).status, 413)
        r = b.log_in("anna")
        equal(r.status, 200, r.text)
        for word in ("HttpOnly", "SameSite=Strict", "Path=/"):
            contains(r.getheader("Set-Cookie"), word)
        me = json.loads(b.ask("GET", "/api/me").text)
        equal((me["user"], me["role"]), ("anna", "look"))
        # a role is one: the new one replaces the old one, and logs out
        _user(d, "anna", "operate")
        equal(b.ask("GET", "/api/me").status, 401)
        equal(json.loads(b.log_in("anna").text)["role"], "operate")
        d.xadmin("passwd", "-w", "-d", "anna")
        equal(b.ask("GET", "/api/me").status, 401)
        equal(b.log_in("anna").status, 401)
        equal(json.loads(b.log_in("adam").text)["role"], "admin")
        equal(os.stat(f"{d.home}/conf/web.users").st_mode & 0o077, 0)


def test_guessing_and_other_sites_are_kept_out():
    with _console() as (_, b, _):
        for _ in range(5):
            equal(b.log_in("anna", "guess").status, 401)
        equal(b.log_in("anna").status, 429, "even the right one")
        equal(b.log_in("bob", "x").status, 401, "another user")
        equal(b.ask("POST", "/api/login", {"user": "eve", "password": "x"}
                    ).status, 429, "two tries at once")
        equal(b.ask("GET", "/", Host="evil.example").status, 421)
        equal(b.ask("GET", "/", Host="localhost.evil.example").status, 421)
    with _console() as (_, b, _):
        equal(b.log_in("anna", Origin="http://evil.example").status, 403)
        equal(b.log_in("anna").status, 200)
        equal(b.ask("POST", "/api/logout").status, 403, "no token")
        equal(b.ask("POST", "/api/logout", X_Token=64 * "0").status, 403)
        equal(b.ask("POST", "/api/logout", X_Token=b.token,
                    Origin="http://evil.example").status, 403)
        equal(b.ask("POST", "/api/logout", X_Token=b.token).status, 200)
        equal(b.ask("GET", "/api/me").status, 401)


def _from_a_new_address(b, n, user):
    """Guess, as a caller that no address tells from others."""
    b.address = f"127.0.{n // 250 + 1}.{n % 250 + 1}"
    return b.ask("POST", "/api/login",
                 {"user": user, "password": "guess"}).status


def _guess(b, seconds):
    """Guess until nothing of 1.5 s, time for three tries, was looked at: is that
    after five?"""
    end, wrong, vain, n = time.monotonic() + seconds, 0, 0, 0
    while vain < 5 and time.monotonic() < end:
        n += 1
        seen = _from_a_new_address(b, n, "anna") == 401
        wrong += seen
        vain = 0 if seen else vain + 1
        time.sleep(0.3)
    return (wrong, vain) == (5, 5)


def _guess_on(b, seconds, told):
    """Take each try that is free, for users that are never locked."""
    end, n = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        n += 1
        if _from_a_new_address(b, n, f"user{n}") == 401:
            os.write(told, b"w")


@contextlib.contextmanager
def _another_user(work):
    """A process of another user, which does the work; its pid."""
    if os.geteuid() != 0:
        raise Skip("only root can be a second user")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(63999)
            os.setuid(63999)
            status = 0 if work() else 1
        finally:
            os._exit(status)
    yield child


def test_who_guesses_locks_out_himself():
    with _console() as (_, b, _), _another_user(lambda: _guess(b, 60)) as pid:
        equal(os.waitpid(pid, 0)[1], 0, "he is locked out")
        b.address = "127.0.0.9"
        equal(b.log_in("anna").status, 200)


def test_who_guesses_on_is_not_in_the_way_of_who_comes():
    hears, told = os.pipe()
    with _console() as (_, b, _), \
            _another_user(lambda: _guess_on(b, 60, told)) as pid:
        os.close(told)
        try:
            for _ in range(3):  # now the next try of his is not due yet
                equal(os.read(hears, 1), b"w", "he guesses")
            equal(b.log_in("anna").status, 200)
        finally:
            os.close(hears)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def test_two_consoles_of_one_host_keep_their_sessions():
    # a browser sends a cookie to every port of a host
    with _console() as (d, b, _):
        other = Browser(_free_port())
        d.daemon("ndrxweb", "-p", other.port)

        def ready():
            with contextlib.suppress(OSError):
                return other.ask("GET", "/").status == 200
        wait_for(ready, "the other console")
        jar = {}
        for console in (b, other):
            equal(console.log_in("anna").status, 200)
            name, value = console.cookie.split("=")
            jar[name] = value
        for console in (b, other):
            console.cookie = "; ".join(f"{k}={v}" for k, v in jar.items())
            equal(console.ask("GET", "/api/me").status, 200)
        # tunnels: both consoles may listen at one port of two machines
        equal(b.ask("GET", "/api/me", Host="localhost:1").status, 401)


def test_a_stolen_cookie_changes_nothing():
    # another program of the host gets the cookie, and asks as it likes
    with _console(users=(("adam", "admin"),)) as (d, b, _):
        b.log_in("adam")
        me = b.ask("GET", "/api/me")
        equal(json.loads(me.text)["user"], "adam")
        lacks(me.text, b.token)
        equal(b.ask("POST", "/api/order", {"verb": "stop", "server": "1"},
                    X_Token="").status, 403)
        for site in ("cross-site", "same-site"):
            r = b.ask("GET", "/api/me", Sec_Fetch_Site=site)
            equal(r.status, 403, site)
        equal(b.ask("GET", "/api/me", Sec_Fetch_Site="same-origin").status,
              200)
        check(d.pid(1) != 0, "it runs")


def test_the_screens_show_the_domain_also_without_ndrxd():
    with _console() as (d, b, _):
        b.log_in("anna")
        for _ in range(20):
            d.call("ECHO", "x")
        m = next(b.stream("overview"))
        equal((m["domain"], m["alive"], m["problems"]), (True, 2, []))
        echo = next(r for r in b.rows("services") if r["SERVICE"] == "ECHO")
        equal((echo["SRVS"], echo["CALLS"]), (2, 20))
        names = [s["name"] for s in json.loads(
            b.ask("GET", "/api/screens").text)]
        for name in names:
            next(b.stream(name))
        server = next(r for r in b.rows("servers") if r["ID"] == 1)
        equal(server["PROGRAM"], "testsv")
        equal({r["ID"] for r in b.rows("offers", srvid=2)}, {2})
        equal(b.ask("GET", "/api/stream?screen=no").status, 404)
        d.kill_ndrxd()
        kill(d.pid(1))
        stream = b.stream("overview")
        wait_for(lambda: any("ndrxd is not running" in text for _, text in
                             next(stream)["problems"]), "said")
        at_least(len(next(stream)["curves"]["calls"]), 2)
        # the session ends: so does its stream
        b.ask("POST", "/api/logout", X_Token=b.token)
        at_most(sum(1 for _ in stream), 2)
        d.xadmin("down", "-y")


def test_who_is_admin_gives_orders_and_the_history_names_him():
    with _console(users=(("anna", "look"), ("otto", "operate"),
                         ("adam", "admin"))) as (d, b, _):
        def order(verb, what, **headers):
            return b.order(verb, what, **headers)
        for user in ("anna", "otto"):
            b.log_in(user)
            r = order("stop", "1")
            equal(r.status, 403, user)
            contains(r.text, "admin")
        b.log_in("adam")
        equal(order("stop", "1", X_Token="").status, 403)
        equal(order("stop", "1", Origin="http://evil.example").status, 403)
        for verb, what in (("stop", "0"), ("stop", "1 -k"), ("stop", "-1"),
                           ("down", "1"), ("suspend", "A;B"),
                           ("suspend", "-h"), ("log", "9"), ("stop", "")):
            equal(order(verb, what).status, 400, f"{verb} {what}")
        equal(d.call("ECHO", "x").data, "x")
        r = order("stop", "1")
        equal(r.status, 200, r.text)
        equal(d.pid(1), 0)
        equal(order("start", "1").status, 200)
        check(d.pid(1) != 0, "started")
        equal(order("suspend", "ECHO").status, 200)
        equal(d.call("ECHO", "x").err, "TPENOENT")
        equal(order("resume", "ECHO").status, 200)
        equal(d.call("ECHO", "x").data, "x")
        equal(order("suspend", "NOTHING").status, 422)
        equal(order("log", "4").status, 200)
        # the level of one process, of this domain only
        pid = d.pid(1)
        equal(order("log_process", {"pid": pid, "level": 5}).status, 200)
        contains([(r.who, r.text) for r in d.rows("lcf")],
                 (f"pid:{pid}", "ndrx=5 tp=5"))
        equal(order("log_process", {"pid": os.getpid(), "level": 5}).status,
              422)
        for words in ({"pid": pid}, {"pid": 1, "level": 5},
                      {"pid": f"{pid} -a", "level": 5}):
            equal(order("log_process", words).status, 400)
        equal(order("log_off", {}).status, 200)
        equal(d.rows("lcf"), [])
        for verb in ("restart", "sreload"):
            before = d.pid(1)
            equal(order(verb, "1").status, 200)
            wait_for(lambda was=before: d.pid(1) not in (0, was), verb)
        texts = "\n".join(e.text for e in d.rows("events"))
        contains(texts, f"lcf logchg -p {pid} -A ndrx=5 tp=5")
        contains(texts, "xadmin for adam, by ndrxweb: stop -y -i 1")
        contains(texts, "xadmin for adam, by ndrxweb: suspend -s ECHO")
        for words in ("start -y -i 1", "resume -s ECHO", "lcf disable",
                      "restart -y -i 1", "sreload -y -i 1"):
            contains(texts, f"xadmin for adam, by ndrxweb: {words}")
        contains(texts, "xadmin for adam, by ndrxweb: lcf logchg -a -A "
                 "ndrx=4")
        lacks(texts, "by ndrxweb: down")


def test_who_operates_calls_services_as_himself():
    with _console({"srvid": 1, "appopt": "ECHO FAIL WHOCALLS PAY=ECHO"},
                  users=(("anna", "look"), ("otto", "operate"),
                         ("adam", "admin")),
                  sections='<services><service svcnm="PAY" acl="login:adam"/>'
                           '</services>', settings={"mask": "CARD"}) \
            as (d, b, _):
        def call(service, body="", type_="UBF"):
            return b.order("call", {"called": service, "type": type_,
                                    "seconds": "5"}, body)
        b.log_in("anna")
        r = call("ECHO")
        equal(r.status, 403)
        contains(r.text, "operate")
        b.log_in("otto")
        r = call("WHOCALLS")
        equal((r.status, r.getheader("Content-Type")),
              (200, "application/json"))
        contains(json.loads(r.text)["reply"]["data"], "otto ")
        r = call("ECHO", json.dumps({"CARD": "4711", "NAME": "Ann"}))
        equal(json.loads(r.text)["reply"]["data"],
              {"CARD": "***", "NAME": "Ann"})
        r = call("PAY")
        equal((r.status, json.loads(r.text)["error"]), (422, "TPEPERM"))
        r = call("FAIL", '"secret"', "STRING")
        equal((json.loads(r.text)["work"], json.loads(r.text)["urcode"]),
              ("refused", 77))
        r = call("ECHO", "{")
        equal(r.status, 422)
        contains(r.text, "the request is no UBF")
        equal(call("ECHO", '"' + 100000 * "x" + '"', "STRING").status, 200)
        equal(call("ECHO", '"x"\0"y"', "STRING").status, 400)
        for name in (".TMIB", "@TPEVPOST", "-h", "A B", ""):
            equal(call(name).status, 400, name)
        fields = json.loads(b.order("fields", {}).text)
        equal([f["field"] for f in fields], ["CARD", "NAME"])
        contains([r["service"] for r in json.loads(
            b.order("services", {}).text)], "ECHO")
        b.log_in("adam")
        equal(json.loads(call("PAY").text)["work"], "done")
        with open(f"{d.home}/log/history.log", encoding="utf-8") as f:
            text = f.read()
        contains(text, "xadmin for otto, by ndrxweb: call -m -u otto -t 5 "
                       "-b UBF PAY")
        for value in ("4711", "Ann", "secret"):
            lacks(text, value)


def test_a_call_whose_reply_is_too_long_may_have_been_done():
    with _console({"srvid": 1, "appopt": "BIG"}, users=(("otto", "operate"),)) \
            as (_, b, _p):
        b.log_in("otto")
        r = b.order("call", {"called": "BIG", "type": "STRING", "seconds": "9"},
                    '"4000000"')
        equal(r.status, 504, r.text[:200])
        contains(r.text, "too long for this page")
        contains(r.text, "not known")


def test_durable_queues_are_browsed_and_who_operates_moves_messages():
    with _console({"srvid": 1, "appopt": "FAIL"},
                  users=(("anna", "look"), ("otto", "operate")),
                  settings={"mask": "CARD"}) as (d, b, _):
        with open(f"{d.home}/q.conf", "w", encoding="ascii") as f:
            f.write("FAIL,autoq=y,tries=1,errorq=E\nE\nHOLD\n")
        d.server(80, "-m", "S", "-q", f"{d.home}/q.conf", binary="tmqueue")
        equal(d.client()("enq", "S", "FAIL", "-", "-",
                         "FIELDS:CARD=4711,NAME=Ann").err, "OK")
        wait_for(lambda: d.rows("mqlm", "-s", "S", "-q", "E"), "given up")

        def rows(verb, **words):
            r = b.order(verb, words)
            equal(r.status, 200, r.text)
            return json.loads(r.text)
        b.log_in("anna")
        equal({r["queue"]: r["queued"] for r in rows("queues")},
              {"FAIL": 0, "E": 1, "HOLD": 0})
        m, = rows("messages", space="S", queue="E")
        contains(m["given_up"], "TPESVCFAIL, rcode 77")
        one = {"node": 1, "server": 80, "msgid": m["msgid"]}
        contains(rows("message", **one)[0]["message"], '"CARD":"***"')
        for verb in ("message_delete", "message_move", "messages_export"):
            equal(b.order(verb, one).status, 403, verb)
        b.log_in("otto")
        equal(b.order("message_move", {**one, "space": "S", "queue": "-x"})
              .status, 400)
        equal(b.order("message_move", {**one, "space": "S", "queue": "NO"})
              .status, 422)
        equal(b.order("message_move", {**one, "space": "S", "queue": "HOLD"})
              .status, 200)
        equal(rows("messages", space="S", queue="E"), [])
        r = b.order("messages_export", {"space": "S", "queue": "HOLD"})
        contains(r.text, "Ann")
        lacks(r.text, "4711")
        m, = rows("messages", space="S", queue="HOLD")
        equal(b.order("message_delete", {**one, "msgid": m["msgid"]}).status,
              200)
        equal(rows("messages", space="S", queue="HOLD"), [])
        equal(b.order("message_delete", one).status, 422)
        with open(f"{d.home}/log/history.log", encoding="utf-8") as f:
            text = f.read()
        contains(text, "xadmin for otto, by ndrxweb: mqmv -n 1 -i 80 -m " +
                 one["msgid"] + " -s S -q HOLD")
        contains(text, "xadmin for otto, by ndrxweb: mqrm -n 1 -i 80 -m " +
                 m["msgid"])
        lacks(text, "Ann")


def test_the_configuration_in_force_and_what_a_reload_changes():
    with _console(ECHO, users=(("anna", "look"), ("otto", "operate"),
                               ("adam", "admin"))) as (d, b, _):
        path = d.env["NDRX_CONFIG"]
        with open(path, encoding="utf-8") as f:
            before = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(before.replace("ECHO FAIL CRASH",
                                   "ECHO --password hunter2"))
        b.log_in("anna")
        r = b.order("configuration", {})
        lacks(r.text, "hunter2")
        row, = [v for v in json.loads(r.text) if v["pending"] != ""]
        equal((row["name"], row["value"], row["file_value"]),
              ("appopt", "ECHO FAIL CRASH", "ECHO --password ***"))
        equal(b.order("check", {}).status, 403)
        b.log_in("otto")
        r = b.order("check", {})
        contains(r.text, "changed: is restarted")
        equal(b.order("reload", {}).status, 403)
        with open(path, "w", encoding="utf-8") as f:
            f.write(before.replace("</servers>", "<nonsense"))
        equal(b.order("check", {}).status, 422)
        with open(path, "w", encoding="utf-8") as f:
            f.write(before.replace("ECHO FAIL CRASH", "ECHO UPPER"))
        b.log_in("adam")
        equal(b.order("reload", {}).status, 200)
        equal(d.call("UPPER", "x").data, "X")
        equal([v for v in json.loads(b.order("configuration", {}).text)
               if v["pending"] != ""], [])
        contains("\n".join(e.text for e in d.rows("events")),
                 "xadmin for adam, by ndrxweb: reload -y")


def test_the_lines_of_a_trace_are_read_without_secrets():
    with _console(ECHO) as (d, b, _):
        os.makedirs(f"{d.home}/log", exist_ok=True)
        trace = 16 * "5e"
        with open(f"{d.home}/log/own.log", "w", encoding="utf-8") as f:
            f.write(f"token=hunter2 <b>of</b> {trace}\n")
        b.log_in("anna")
        r = b.order("logs", {"trace": trace})
        equal([x["text"] for x in json.loads(r.text)],
              [f"token=*** <b>of</b> {trace}"])
        for word in ("", "-n", "../x", 60 * "a"):
            equal(b.order("logs", {"trace": word}).status, 400)
        equal(b.order("logs", {"trace": "5e"}).status, 422)


def test_each_order_has_its_own_answer():
    with _console(users=(("adam", "admin"),)) as (d, b, p):
        b.log_in("adam")
        ndrxd = int(d.xadmin("dpid").stdout)
        for n in range(10):
            # the next order comes in while the first one has ended, and its
            # answer has not been sent
            os.kill(ndrxd, signal.SIGSTOP)
            first = b.begin_order("suspend", f"FIRST{n}")
            wait_for(lambda: _children(p.pid), "xadmin")
            os.kill(p.pid, signal.SIGSTOP)
            os.kill(ndrxd, signal.SIGCONT)
            wait_for(lambda: _state(_children(p.pid)[0]) == "Z", "ended")
            others = [b.begin_order("suspend", f"OTHER{n}") for _ in range(3)]
            os.kill(p.pid, signal.SIGCONT)
            r = first.getresponse()
            equal(r.status, 422)
            contains(r.read().decode(), f"FIRST{n}")
            for o in others:
                r = o.getresponse()
                if r.status != 409:
                    contains(r.read().decode(), f"OTHER{n}")
                o.close()
            first.close()


def test_one_user_does_not_take_the_place_of_others():
    with _console({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO SLEEP"},
                  users=(("otto", "operate"), ("adam", "admin"))) \
            as (d, b, p):
        b.log_in("otto")
        words = {"called": "SLEEP", "type": "STRING", "seconds": "20"}
        calls = [b.begin_order("call", words, '"900"') for _ in range(9)]
        wait_for(lambda: len(_children(p.pid)) == 4, "four are under way")
        o = Browser(b.port)
        o.log_in("adam")
        equal(o.order("suspend", "ECHO").status, 200)
        equal(o.order("call", {**words, "called": "NONE"}).status, 422)
        got = sorted(c.getresponse().status for c in calls)
        equal(got, 4 * [200] + 5 * [409])
        equal(b.order("call", words, '"1"').status, 200)


def test_strangers_with_many_connections_keep_nobody_out():
    with _console() as (_, b, _), contextlib.ExitStack() as strangers:
        b.log_in("anna")
        watched = b.stream("services")
        next(watched)
        for _ in range(400):
            s = strangers.enter_context(socket.create_connection(
                ("127.0.0.1", b.port), timeout=20))
            with contextlib.suppress(OSError):  # it has given way already
                s.sendall(b"GET / HTTP/1.1\r\n")
        o = Browser(b.port)
        equal(o.ask("GET", "/").status, 200)
        equal(o.log_in("anna").status, 200)
        equal(o.ask("GET", "/api/me").status, 200)
        for _ in range(3):
            next(watched)


def test_an_order_has_a_time_limit_and_says_that_it_does_not_know():
    with _console(users=(("adam", "admin"),), options=("-t", "1")) \
            as (d, b, p):
        b.log_in("adam")
        ndrxd = int(d.xadmin("dpid").stdout)
        os.kill(ndrxd, signal.SIGSTOP)
        try:
            answers = []
            t = threading.Thread(
                target=lambda: answers.append(b.order("stop", "1")))
            t.start()
            wait_for(lambda: _children(p.pid), "xadmin")
            # others are served meanwhile, and may not change anything
            equal(b.ask("GET", "/api/me").status, 200)
            equal(b.order("stop", "2").status, 409)
            t.join()
            equal(answers[0].status, 504)
            contains(answers[0].text, "not known")
            wait_for(lambda: not _children(p.pid), "no process is left")
        finally:
            os.kill(ndrxd, signal.SIGCONT)
        equal(b.order("start", "NO").status, 400)
        wait_for(lambda: b.order("log", "4").status == 200, "the next one")
        # ndrxd has read the order when its sender was dead
        given = wait_for(lambda: [e.text for e in d.rows("events")
                                  if e.text.startswith("stop") and
                                  " by user " in e.text], "in the history")
        contains(given[0], "xadmin for adam, by ndrxweb: stop -y -i 1")


def test_an_order_that_xadmin_did_not_see_the_end_of_has_not_failed():
    with _console(users=(("adam", "admin"),)) as (d, b, p):
        port = _free_port()
        d.env["NDRX_XADMINTOUT"] = "1"
        d.daemon("ndrxweb", "-p", port)
        b = Browser(port)

        def ready():
            with contextlib.suppress(OSError):
                return b.log_in("adam").status == 200
        wait_for(ready, "ndrxweb")
        ndrxd = int(d.xadmin("dpid").stdout)
        os.kill(ndrxd, signal.SIGSTOP)
        try:
            r = b.order("suspend", "ECHO")
        finally:
            os.kill(ndrxd, signal.SIGCONT)
        equal(r.status, 504, r.text)


def test_the_page_goes_back_in_time():
    box = {"name": "blackboxsv", "srvid": 90, "appopt": "-p 50 -m 2"}
    with _console() as (d, b, _):
        b.log_in("anna")
        equal(b.ask("GET", "/api/span").text, "null")
        r = b.ask("GET", "/api/past?screen=servers&at=1")
        equal(r.status, 404)
        contains(r.text, "blackboxsv")
    with _console(ECHO, box) as (d, b, _):
        equal(b.ask("GET", "/api/span").status, 401)
        b.log_in("anna")
        first = d.pid(1)
        wait_for(lambda: b.ask("GET", "/api/span").text != "null",
                 "records")
        time.sleep(1.2)  # the next second is another one
        kill(first)
        wait_for(lambda: d.pid(1) not in (0, first), "restarted")
        # it is opened again when it has grown for ten seconds
        begin = json.loads(b.ask("GET", "/api/span").text)["first"]

        def pids(at):
            r = b.ask("GET", f"/api/past?screen=servers&at={at}")
            equal(r.status, 200, r.text)
            return [row[4 + 3] for row in json.loads(r.text)["rows"]]
        contains(pids(begin + 500), first)
        wait_for(lambda: first not in
                 pids(json.loads(b.ask("GET", "/api/span").text)["last"]),
                 "the new one", 20)
        contains(pids(0), first, "the first record")


def test_fifty_browsers_cost_little():
    screens = ("overview", "services", "servers", "queues", "clients")
    with _console({"srvid": 1, "min": 20, "max": 20, "appopt": "ECHO FAIL"}) \
            as (_, b, p):
        b.log_in("anna")
        others = []
        for i in range(50):
            if i % 8 == 0:  # streams of a session
                o = Browser(b.port)
                equal(o.log_in("anna").status, 200)
            others.append(o.stream(screens[i % len(screens)]))
        for s in others:
            next(s)
        before = _cpu(p.pid)
        began = time.monotonic()
        for _ in range(5):
            for s in others:
                next(s)
        seconds = max(time.monotonic() - began, 1)
        cost = (_cpu(p.pid) - before) / seconds
        print(f"50 browsers: {100 * cost:.2f} % of one CPU, "
              f"{seconds:.1f} s")
        at_most(cost, 0.05, "CPU of 50 browsers")
        # of one session the oldest gives way to the ninth
        extra = [b.stream("services") for _ in range(9)]
        for s in extra:
            next(s)
        at_most(sum(1 for _ in extra[0]), 2)
        next(extra[8])


def test_other_machines_need_tls():
    with Domain() as d:
        os.makedirs(f"{d.home}/conf")
        r = d.run("ndrxweb", "-p", "0.0.0.0:9480")
        equal(r.returncode, 1)
        contains(r.stderr, "-c and -k")
        key, cert = f"{d.home}/key.pem", f"{d.home}/cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048",
                        "-nodes", "-subj", "/CN=localhost", "-keyout", key,
                        "-out", cert], check=True, capture_output=True)
        port = _free_port()
        d.daemon("ndrxweb", "-p", f"127.0.0.1:{port}", "-c", cert, "-k", key)

        def get():
            return subprocess.run(
                ["curl", "-sk", "-D", "-", f"https://localhost:{port}/"],
                capture_output=True, text=True, check=False).stdout
        wait_for(lambda: "200" in get(), "TLS")
        contains(get(), "Strict-Transport-Security")
