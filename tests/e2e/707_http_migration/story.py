# SPDX-License-Identifier: Apache-2.0
"""doc/http_migration.md: two domains over REST. The other one is played by its
documented formats.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import http.client
import json
import os
import re
import shutil

from checks import contains, ended, equal
from fixture import BUILD, Domain, Skip
from http_peer import Peer
from httpgate import free_port

COST = 6
MAINLY = "shm"

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
# What ud sends, and prints again if nothing was changed.
VALUES = [
    ("F_COUNT", "9223372036854775807"), ("F_COUNT", "-9223372036854775808"), ("F_COUNT", "0"),
    ("F_SHORT", "-32768"), ("F_AMOUNT", "0.1"), ("F_AMOUNT", "-123456789012.3456"), ("F_AMOUNT", "0.000001"), ("F_NAME", 'a "quoted" {name}, \\\\ and / <b>&amp;'), ("F_NAME", "Grüße, 東京 ♥"),
    ("F_NAME", ""), ("F_ACCOUNT", "  blanks  "),
    ("F_BYTES", "".join(f"\\{n:02x}" for n in range(256))),
]


def _domain(text):
    if not os.path.exists(os.path.join(BUILD, "bin/restoutsv")):
        raise Skip("httpgate was not built: it needs go 1.22")
    d = Domain()
    for name in ("bindings/go/testdata/go.fld", "conf/ubftab/Exfields"):
        shutil.copy(os.path.join(ROOT, name), d.home)
    path = os.path.join(d.home, "app.ini")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    d.env.update({"FLDTBLDIR": d.home, "FIELDTBLS": "go.fld,Exfields", "NDRX_CCONFIG": path})
    return d


def _ud(d, service, fields):
    r = d.run("ud", "-p", text="\n".join([f"SRVCNM\t{service}", *(f"{k}\t{v}" for k, v in fields)]) + "\n\n")
    return r, [tuple(line.split("\t", 1)) for line in r.stdout.splitlines() if "\t" in line]


def _theirs(peer_answers):
    """The other domain's restincl: text/plain, and the error in the object."""
    def answer(r):
        code, text, fields = peer_answers(json.loads(r.body))
        return 200, {"Content-Type": "text/plain"}, json.dumps(
            {**fields, "EX_IF_ECODE": code, "EX_IF_EMSG": text}).encode()
    return answer


RESTOUT = '[@restout]\ndefaults={"errors":"json2ubf","timeout":5}\n'
ROUTE = '={"svc":"ECHO","conv":"json2ubf","errors":"json2ubf"}\n'
SERVERS = ({"srvid": 1, "appopt": "ECHO"}, {"name": "restoutsv", "srvid": 50}, {"name": "restincl", "srvid": 60})


def test_fields_cross_both_domains_to_the_byte():
    port, seen = free_port(), []

    def forward(r):
        """A service there, that calls one here: what restoutsv there sends."""
        seen.append(json.loads(r.body))
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        c.request("POST", "/echo", r.body, {"Content-Type": "text/plain"})
        a = c.getresponse()
        return a.status, {"Content-Type": "text/plain"}, a.read()
    with Peer(forward) as peer, _domain(
            RESTOUT + 'service THERE={"url":"' + peer.url + '/there"}\n'
            f"[@restin]\nport={port}\nip=127.0.0.1\n/echo" + ROUTE) as d:
        d.boot(*SERVERS)
        _, want = _ud(d, "ECHO", VALUES)
        r, got = _ud(d, "THERE", VALUES)
        ended(r, 0)
        drop = ("SRVCNM", "EX_IF_ECODE", "EX_IF_EMSG")
        equal([x for x in got if x[0] not in drop], [x for x in want if x[0] not in drop])
        equal(seen[0]["F_COUNT"][:2], [2**63 - 1, -2**63])
        equal(seen[0]["F_AMOUNT"], [0.1, -123456789012.3456, 0.000001])
        equal(seen[0]["F_NAME"][1], "Grüße, 東京 ♥")
        equal(dict(got)["EX_IF_ECODE"], "0")


def test_errors_of_the_other_side_are_those_of_the_call():
    answers = {"ok": (0, "SUCCEED", {"F_NAME": "done"}), "fails": (11, "no money", {"F_NAME": "why"}),
               "missing": (6, "no entry", {}), "late": (13, "timed out", {})}
    with Peer(_theirs(lambda fields: answers[fields["F_NAME"]])) as peer, _domain(
            RESTOUT + 'service PAY={"url":"' + peer.url + '","parseonerror":true}\n') as d:
        d.boot(*SERVERS[:2])
        r, got = _ud(d, "PAY", [("F_NAME", "ok")])
        ended(r, 0)
        equal(dict(got)["F_NAME"], "done")
        for name, code in (("fails", "TPESVCFAIL"), ("missing", "TPENOENT"), ("late", "TPETIME")):
            r, got = _ud(d, "PAY", [("F_NAME", name)])
            ended(r, 1)
            contains(r.stdout + r.stderr, code)
        r, got = _ud(d, "PAY", [("F_NAME", "fails")])
        equal(dict(got).get("F_NAME"), "why")


def test_errors_here_are_said_as_the_other_side_reads_them():
    port = free_port()
    with _domain(f"[@restin]\nport={port}\nip=127.0.0.1\n/echo" + ROUTE + "/fail" +
                 ROUTE.replace("ECHO", "FAIL") + "/none" + ROUTE.replace("ECHO", "NONE")) as d:
        d.boot({"srvid": 1, "appopt": "ECHO FAIL"}, SERVERS[2])

        def ask(path, body):
            c = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            c.request("POST", path, json.dumps(body))
            return json.loads(c.getresponse().read())
        equal(ask("/echo", {"F_COUNT": [1, 2]}), {"F_COUNT": [1, 2], "EX_IF_ECODE": 0, "EX_IF_EMSG": "SUCCEED"})
        equal(ask("/fail", {"F_NAME": "x"})["EX_IF_ECODE"], 11)
        equal(ask("/none", {"F_NAME": "x"})["EX_IF_ECODE"], 6)


def test_a_service_moves_while_it_is_called():
    """Both serve the name; then restoutsv does not any more."""
    there = []

    def answer(fields):
        there.append(fields)
        return 0, "SUCCEED", fields
    with Peer(_theirs(answer)) as peer, _domain(
            RESTOUT + 'service ECHO={"url":"' + peer.url + '"}\nservice OTHER={"url":"' + peer.url + '"}\n') as d:
        d.boot(SERVERS[1])
        ended(_ud(d, "ECHO", [("F_NAME", "x")])[0], 0)
        equal(len(there), 1)
        d.configure(*SERVERS[:2])
        d.xadmin("reload", "-y")
        for _ in range(20):
            ended(_ud(d, "ECHO", [("F_NAME", "x")])[0], 0)
        with open(d.env["NDRX_CCONFIG"], encoding="utf-8") as f:
            text = f.read()
        with open(d.env["NDRX_CCONFIG"], "w", encoding="utf-8") as f:
            f.write(re.sub("service ECHO=.*\n", "", text))
        d.xadmin("sreload", "-i", "50")
        before = len(there)
        for _ in range(5):
            ended(_ud(d, "ECHO", [("F_NAME", "x")])[0], 0)
        equal(len(there), before, "all are served here")
        ended(_ud(d, "OTHER", [("F_NAME", "x")])[0], 0)


def test_the_page_has_the_keys_that_the_test_uses():
    with open(os.path.join(ROOT, "doc/http_migration.md"), encoding="utf-8") as f:
        page = f.read()
    for word in ("[@restin]", "[@restout]", '"conv":"json2ubf"', '"errors":"json2ubf"', "EX_IF_ECODE", "parseonerror"):
        contains(page, word)
