# SPDX-License-Identifier: Apache-2.0
"""Bridges show NATS who they are, and nats-server holds each to its node."""
import os
import shutil

from checks import equal, lacks
from certificates import authority, certificate
from cluster import BRIDGE, Cluster
from covers import covers
from fixture import Skip, holds, wait_for
from machine import SLOW

COST = 13
MAINLY = "shm"


def _password(d, text):
    path = os.path.join(d.home, "password")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text + "\n")
    os.chmod(path, 0o600)
    return path


def _users(name, nodes):
    """What each node needs, and no more; as doc/design/cluster.md says."""
    users = "".join(
        f'{{ user: n{n}, password: "secret{n}", permissions: {{ '
        f'publish: ["ow.{name}.{n}.>"], '
        f'subscribe: ["ow.{name}.*.{n}.>", "ow.{name}.*.all"] }} }}\n'
        for n in nodes)
    return f"authorization {{ users: [ {users} ] }}"


class Guarded(Cluster):
    """A cluster whose nats-server knows nodes 1 to 3."""

    def __init__(self, conf=""):
        super().__init__()
        self.conf = _users(self.name, (1, 2, 3)) + "\n" + conf

    def join(self, d, user, password, *more, url=None):
        return self.bridge(d, "-U", user, "-P", _password(d, password), *more,
                           url=url)


def _logged(d):
    with open(os.path.join(d.logs, "ndrxbridge.90.log"),
              encoding="utf-8") as f:
        return f.read()


def test_with_the_permissions_of_its_node_a_bridge_can_do_all():
    with Guarded() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        a.server(1, "UPPER")
        c.join(a, "n1", "secret1")
        c.join(b, "n2", "secret2")
        c.sees(a, "ECHO")
        c.sees(b, "UPPER")
        equal(a.call("ECHO", "x").data, "x")
        equal(b.call("UPPER", "x").data, "X")
        lacks((_logged(a) + _logged(b)).lower(), "permission")


def test_a_wrong_password_joins_nothing():
    with Guarded() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.join(a, "n1", "guessed")
        c.join(b, "n2", "secret2")
        holds(lambda: not c.offers(a), "nothing is offered", 1)


def test_a_node_cannot_speak_as_another_one():
    with Guarded() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.server(1, "ECHO")
        e.server(1, "UPPER")
        c.join(a, "n1", "secret1")
        c.join(b, "n2", "secret2")
        c.join(e, "n2", "secret2")  # says that it is node 3
        c.sees(a, "ECHO")
        holds(lambda: c.offers(a) == {"ECHO"},
              "only node 2 is heard", 1)


# ---- TLS ----

class Secure(Guarded):
    """A nats-server with a certificate, which wants one of its clients."""

    def __enter__(self):
        if shutil.which("openssl") is None:
            raise Skip("no openssl here")
        self.folder = os.path.join("/tmp", f"ow_tls_{self.name}")
        os.mkdir(self.folder, 0o700)
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        for ca in ("ca", "other"):
            authority(self.folder, ca)
        for ca, name in (("ca", "server"), ("ca", "node"),
                         ("other", "stranger")):
            certificate(self.folder, ca, name)
        self.conf += (f'\ntls {{ cert_file: "{self.folder}/server.pem", '
                      f'key_file: "{self.folder}/server.key", '
                      f'ca_file: "{self.folder}/ca.pem", verify: true }}')
        return super().__enter__()

    def join(self, d, user, password, *more, url=None, ca="ca", cert="node"):
        url = f"tls://localhost:{self.nats.port}"
        return super().join(d, user, password, "-A", f"{self.folder}/{ca}.pem",
                            "-T", f"{self.folder}/{cert}.pem", "-K",
                            f"{self.folder}/{cert}.key", *more, url=url)


def test_calls_go_through_tls_with_certificates_of_both_sides():
    with Secure() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.join(a, "n1", "secret1")
        c.join(b, "n2", "secret2")
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")
        r = a.client()("calls", "ECHO", 2, 1, 1000000)
        equal(r.ok, 2, r)
        c.nats.stop()
        c.lacks(a, "ECHO")
        c.nats.start()
        c.sees(a, "ECHO")
        wait_for(lambda: a.call("ECHO", "y").err == "OK", "again", 5 * SLOW)


@covers("user", "password_file", "ca", "certificate", "key")
def test_the_configuration_says_who_a_node_is():
    with Secure() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.join(b, "n2", "secret2")
        a.boot({"name": "ndrxbridge", "srvid": BRIDGE},
               sections=c.section(
                   1, urls=f"tls://localhost:{c.nats.port}", user="n1",
                   password_file=_password(a, "secret1"),
                   ca=f"{c.folder}/ca.pem",
                   certificate=f"{c.folder}/node.pem",
                   key=f"{c.folder}/node.key"))
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")


@covers("credentials")
def test_credentials_that_cannot_be_read_join_nothing():
    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(b)
        a.boot_any({"name": "ndrxbridge", "srvid": BRIDGE},
                   sections=c.section(1, credentials="/nowhere/node.creds"))
        holds(lambda: not c.offers(a), "nothing is offered", 1)


def test_a_certificate_of_another_authority_joins_nothing():
    with Secure() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.server(1, "ECHO")
        c.join(b, "n2", "secret2")
        c.join(a, "n1", "secret1", cert="stranger")
        c.join(e, "n3", "secret3", ca="other")  # trusts another server
        holds(lambda: not c.offers(a) and not c.offers(e),
              "nothing is offered", 1)


def test_a_server_of_another_name_is_not_believed():
    with Secure() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.join(b, "n2", "secret2")
        tls = [f"{c.folder}/{n}" for n in ("ca.pem", "node.pem", "node.key")]
        c.bridge(a, "-U", "n1", "-P", _password(a, "secret1"), "-A", tls[0],
                 "-T", tls[1], "-K", tls[2],
                 url=f"tls://127.0.0.1:{c.nats.port}")  # not in the certificate
        holds(lambda: not c.offers(a), "nothing is offered", 1)
