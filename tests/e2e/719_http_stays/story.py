# SPDX-License-Identifier: Apache-2.0
"""Who has a socket or a stream has it for as long as they would be let in.

Without httpgate, which needs a toolchain for Go, the story is skipped.
"""
import os
import time

from checks import equal
from covers import covers
from http_callers import Issuer, basic, private
from http_peer import Peer
from httpgate import gate
from websockets import Socket

COST = 12
MAINLY = "shm"

TALKER = {"name": "conversesv", "srvid": 1, "min": 4, "max": 4, "appopt": "TALK"}
EVENTS = {"name": "tpevsrv", "srvid": 70}
TALK = '<route path="/talk" conversation="TALK" conv="text"%s/>'


def _password(d, name, text):
    equal(d.run("xadmin", "passwd", "-f", os.path.join(d.home, "passwords"), name, text=text + "\n").returncode, 0)


@covers("auth", "jwks", "conversation")
def test_a_socket_ends_with_its_token_and_with_its_password():
    made = {}
    with Peer(lambda r: (200, {}, made["issuer"].jwks)) as peer:
        d = gate("", TALKER)
        made["issuer"] = Issuer(d.home)
        for name in ("anna", "carl"):
            _password(d, name, "of " + name)
        d.write(f'<auth name="j" kind="jwt" jwks="{peer.url}/keys" issuer="https://issuer" audience="bank"/>'
                f'<auth name="p" kind="basic" file="{d.home}/passwords"/>' + TALK % ' auth="j p"')
        with d:
            token = made["issuer"].token
            # Thirty seconds are for clocks that differ.
            callers = [token(exp=int(time.time()) - 26), token(), basic("anna", "of anna"), basic("carl", "of carl")]
            sockets = [Socket(d.port, "/talk", h) for h in callers]
            for s in sockets:
                equal(s.status, 101)
                s.send("give:x recv return:stays")
                equal(s.next(), "x")
            _password(d, "anna", "another")
            for n in (0, 2):
                equal((sockets[n].next(), sockets[n].reason), (1008, "its caller would not be let in now"))
            for n in (1, 3):
                sockets[n].send("m")
                equal(sockets[n].next(), "stays")
            for s in sockets:
                s.__exit__()


@covers("events")
def test_a_reload_ends_what_its_routes_do_not_let_in():
    d = gate("", TALKER, EVENTS)
    private(d, "keys", "anna:" + "0" * 64 + "\n")
    auth = f'<auth name="k" kind="apikey" file="{d.home}/keys"/>'
    event = '<route path="/%s" events="A.*"%s/>'
    d.write(auth + TALK % "" + event % ("closed", "") + event % ("other", "") + event % ("same", ""))
    with d:
        with Socket(d.port, "/talk") as talk, Socket(d.port, "/closed") as closed, Socket(d.port, "/other") as other, \
                Socket(d.port, "/same") as same:
            c = d.connect()
            c.request("GET", "/other")
            stream = c.getresponse()
            talk.send("give:x recv")
            equal(talk.next(), "x")
            for s in (closed, other, same):
                s.next()
            d.write(auth + TALK % ' auth="k"' + event % ("closed", ' auth="k"') + event.replace("A.*", "B.*") % ("other", "") +
                    event % ("same", ""))
            d.xadmin("reload")
            equal([s.next() for s in (talk, closed, other)], [1008] * 3)
            stream.read()  # to its end
            c.close()
            equal(d.client()("post", "A.NEW", "-", "STRING:1").err, "OK")
            equal('"data"' in same.next(), True)
