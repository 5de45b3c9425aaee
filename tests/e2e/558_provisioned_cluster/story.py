# SPDX-License-Identifier: Apache-2.0
"""xadmin provision --cluster: nodes join with what it wrote, and each is held to
what a node needs."""
import os
import re
import shutil
import socket
import subprocess
import tempfile

from certificates import authority, certificate
from checks import at_least, contains, differs, equal, lacks
from cluster import BRIDGE, Cluster, Nats, free_port
from fixture import Skip, holds, wait_for
from machine import BUILD

MAINLY = "shm"


def _provision(*words, ok=True):
    r = subprocess.run(
        [os.path.join(BUILD, "bin/xadmin"), "provision", "--cluster", *words],
        capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "NDRX_SILENT": "Y"})
    if ok:
        equal(r.returncode, 0, r.stdout + r.stderr)
    return r


def _read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()


class Provisioned(Cluster):
    """A nats-server and nodes with what the command wrote."""

    def __init__(self, *values):
        super().__init__()
        self.values = values
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="ow_prov_")
        self.stack.callback(shutil.rmtree, self.folder)

    def provision(self, nodes="1-3"):
        _provision("-d", f"-vname={self.name}", f"-vnodes={nodes}",
                   f"-vlisten=127.0.0.1:{self.port}", *self.values,
                   f"{self.folder}/c")

    def __enter__(self):
        if not os.path.exists(os.path.join(BUILD, "bin/ndrxbridge")):
            raise Skip("ndrxbridge is not built: libnats is not here")
        self.provision()
        self.nats = Nats(port=self.port,
                         file=f"{self.folder}/c/nats-server.conf")
        self.stack.callback(self.nats.close)
        return self

    def password(self, node):
        return _read(self.folder, "c", f"node{node}",
                     "cluster.password").strip()

    def node(self, number, *services, password_of=None):
        """A domain that joins with the files of its node."""
        d = self.domain(number)
        os.makedirs(f"{d.home}/conf", exist_ok=True)
        shutil.copy(f"{self.folder}/c/node{password_of or number}/"
                    "cluster.password", f"{d.home}/conf")
        for name in ("cluster-ca.pem", "cluster.pem", "cluster.key"):
            if os.path.exists(f"{self.folder}/{name}"):
                shutil.copy(f"{self.folder}/{name}", f"{d.home}/conf")
        servers = [{"name": "ndrxbridge", "srvid": BRIDGE,
                    "sysopt": f"-e {d.logs}/bridge.log"}]
        if services:
            servers.append({"srvid": 1, "appopt": " ".join(services)})
        d.boot_any(*servers, sections=_read(
            self.folder, "c", f"node{number}", "cluster.xml"))
        return d


class Wire:
    """The protocol of nats-server, by hand, as one of its users."""

    def __init__(self, c, node):
        self.sock = socket.create_connection(("127.0.0.1", c.port), 5)
        self.sock.recv(4096)
        self.say(f'CONNECT {{"verbose":false,"user":"n{node}",'
                 f'"pass":"{c.password(node)}"}}\r\n')

    def say(self, text):
        """What the server says to it."""
        self.sock.sendall(text.encode() + b"PING\r\n")
        got = b""
        while b"PONG" not in got:
            more = self.sock.recv(4096)
            if not more:
                break
            got += more
        return got.decode().replace("PONG\r\n", "")

    def close(self):
        self.sock.close()


def test_nodes_join_with_what_was_written():
    with Provisioned() as c:
        a, b = c.node(1, "UPPER"), c.node(2, "ECHO")
        c.sees(a, "ECHO")
        c.sees(b, "UPPER")
        equal(a.call("ECHO", "x").data, "x")
        equal(b.call("UPPER", "x").data, "X")


def test_a_node_may_publish_and_hear_what_it_needs_and_no_more():
    with Provisioned() as c:
        wire = Wire(c, 1)
        root = f"ow.{c.name}"
        # As itself: to all, to a node, to its own answers.
        for subject in ("1.all", "1.2.90", "1.1.90.nr.2.90.1.1"):
            equal(wire.say(f"PUB {root}.{subject} 0\r\n\r\n"), "", subject)
        for i, subject in enumerate(("*.all", "*.1.90", "1.1.90.nr.>")):
            equal(wire.say(f"SUB {root}.{subject} {i}\r\n"), "", subject)
        # As another one; outside of the cluster; what others are told.
        for subject in (f"{root}.2.all", f"{root}.2.1.90", f"{root}.2.3.90",
                        "ow.other.1.all", "elsewhere", "_INBOX.x",
                        "$SYS.REQ.SERVER.PING"):
            contains(wire.say(f"PUB {subject} 0\r\n\r\n"),
                     "Permissions Violation for Publish", subject)
        for subject in (f"{root}.*.2.>", f"{root}.*.2.90", f"{root}.>",
                        f"{root}.2.2.90.nr.>", ">", "$SYS.>", "_INBOX.>"):
            contains(wire.say(f"SUB {subject} 99\r\n"),
                     "Permissions Violation for Subscription", subject)
        wire.close()


def test_without_a_password_nobody_is_let_in():
    with Provisioned() as c:
        with socket.create_connection(("127.0.0.1", c.port), 5) as s:
            contains(s.recv(4096).decode(), '"auth_required":true')
            s.sendall(b'CONNECT {"verbose":false}\r\nPING\r\n')
            contains(s.recv(4096).decode(), "Authorization Violation")


def test_a_node_that_answers_for_another_one_is_refused():
    """Node 3 has the password of node 2: it may not speak as node 3."""
    with Provisioned() as c:
        a, b = c.node(1), c.node(2, "ECHO")
        c.sees(a, "ECHO")
        conf = _read(c.folder, "c", "node3", "cluster.xml")
        path = os.path.join(c.folder, "c", "node3", "cluster.xml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(conf.replace('user="n3"', 'user="n2"'))
        rogue = c.node(3, "ECHO", "UPPER", password_of=2)
        wait_for(lambda: "Permissions Violation for Publish" in
                 _read(rogue.logs, "bridge.log"), "it is told")
        wait_for(lambda: [r.node for r in a.rows("pnet")] == [2], "node 2")
        holds(lambda: c.offers(a) == {"ECHO"} and
              [r.node for r in a.rows("pnet")] == [2], "only node 2", 1)
        for _ in range(20):
            equal(a.call("ECHO", "x").data, "x")
        equal(b.row("psc", service="ECHO").succeeded, 20, "all at node 2")


def test_a_node_that_is_added_joins_and_the_others_notice_nothing():
    with Provisioned() as c:
        a, b = c.node(1), c.node(2, "ECHO")
        c.sees(a, "ECHO")
        old = [c.password(n) for n in (1, 2, 3)]
        c.provision("1-4")
        equal([c.password(n) for n in (1, 2, 3)], old, "kept")
        differs(c.password(4), old[0])
        c.nats.proc.send_signal(1)  # SIGHUP: reload
        e = c.node(4, "UPPER")
        c.sees(a, "UPPER", seconds=30)
        c.sees(e, "ECHO")
        c.sees(b, "UPPER")
        equal(a.call("UPPER", "x").data, "X")
        equal(e.call("ECHO", "x").data, "x")
        link = wait_for(lambda: a.row("pnet", node=2), "its bridge reports")
        equal((link.up, link.lost), (True, 0), link)
        equal(b.call("UPPER", "x").data, "X")


def test_a_node_that_is_removed_is_cut_off():
    with Provisioned() as c:
        a, b = c.node(1), c.node(2, "ECHO")
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")
        c.provision("1,3")
        lacks(_read(c.folder, "c", "nodes.conf"), '"n2"')
        c.nats.proc.send_signal(1)
        c.lacks(a, "ECHO")
        equal(b.call("ECHO", "x").data, "x")


def _names(folder):
    return [f"{folder}/{n}" for n in ("cluster-ca.pem", "server.pem",
                                      "server.key")]


class Secure(Provisioned):
    """The same with certificates of both sides."""

    def __init__(self):
        super().__init__()
        if shutil.which("openssl") is None:
            raise Skip("no openssl here")
        for name in ("ca", "stranger"):
            authority(self.folder, name)
        for name in ("server", "cluster"):
            certificate(self.folder, "ca", name)
        os.rename(f"{self.folder}/ca.pem", f"{self.folder}/cluster-ca.pem")
        ca, cert, key = _names(self.folder)
        self.values = (f"-vca={ca}", f"-vcertificate={cert}", f"-vkey={key}")


def test_with_certificates_all_goes_through_tls():
    with Secure() as c:
        contains(_read(c.folder, "c", "node1", "cluster.xml"), "tls://")
        a, b = c.node(1), c.node(2, "ECHO")
        c.sees(a, "ECHO")
        equal(a.call("ECHO", "x").data, "x")
        with socket.create_connection(("127.0.0.1", c.port), 5) as s:
            contains(s.recv(4096).decode(), '"tls_required":true')
        equal(b.call("ECHO", "y").data, "y")


def test_what_is_written_is_for_its_owner_only():
    with tempfile.TemporaryDirectory(prefix="ow_prov_") as folder:
        os.umask(0)
        r = _provision("-d", "-vname=bank", "-vnodes=2,5-6", f"{folder}/c")
        contains(r.stdout, f"nats-server -c {folder}/c/nats-server.conf")
        found = {}
        for path, folders, files in os.walk(f"{folder}/c"):
            for n in folders + files:
                p = os.path.join(path, n)
                found[os.path.relpath(p, f"{folder}/c")] = \
                    os.stat(p).st_mode & 0o777
        equal(sorted(n for n in found if n.startswith("node") and
                     "/" not in n), ["node2", "node5", "node6", "nodes.conf"])
        equal({m for m in found.values()}, {0o600, 0o700}, found)
        text = _read(folder, "c", "nodes.conf")
        equal(len(set(re.findall(r'password: "([0-9a-f]{48})"', text))), 3)
        lacks(text, "tls")


def test_what_the_operator_changed_is_kept():
    with tempfile.TemporaryDirectory(prefix="ow_prov_") as folder:
        _provision("-d", "-vname=bank", folder)
        with open(f"{folder}/nats-server.conf", "a", encoding="utf-8") as f:
            f.write("# mine\n")
        _provision("-d", "-vname=bank", "-vnodes=1-9", folder)
        contains(_read(folder, "nats-server.conf"), "# mine")
        contains(_read(folder, "nodes.conf"), '"n9"')


def test_wrong_values_are_named_and_nothing_is_written():
    for words, say in (
            (("-vname=a b",), "give letters"),
            (("-vname=",), "1 to 32"),
            (("-vnodes=0",), "1 to 255"), (("-vnodes=1-300",), "1 to 255"),
            (("-vnodes=3-1",), "1 to 255"), (("-vnodes=1,",), "1 to 255"),
            (("-vnodes=-1",), "1 to 255"), (("-vlisten=4222",), "PORT"),
            (("-vlisten=h:70000",), "PORT"), (('-vkey=a"b',), "no quote"),
            (("-vca=/ca.pem",), "go together"),
            (("-vserver=x",), "name nodes listen")):
        with tempfile.TemporaryDirectory(prefix="ow_prov_") as folder:
            r = _provision("-d", *words, folder, ok=False)
            equal(r.returncode, 2, f"{words}: {r.stderr}")
            contains(r.stderr, say, f"{words}")
            equal(os.listdir(folder), [], words)


def test_a_damaged_password_is_named():
    with tempfile.TemporaryDirectory(prefix="ow_prov_") as folder:
        _provision("-d", folder)
        with open(f"{folder}/node2/cluster.password", "w",
                  encoding="utf-8") as f:
            f.write('x" } #\n')
        before = _read(folder, "nodes.conf")
        r = _provision("-d", folder, ok=False)
        equal(r.returncode, 1)
        contains(r.stderr, "node2/cluster.password")
        equal(_read(folder, "nodes.conf"), before, "as it was")


def test_it_asks_for_each_value():
    with tempfile.TemporaryDirectory(prefix="ow_prov_") as folder:
        r = subprocess.run(
            [os.path.join(BUILD, "bin/xadmin"), "provision", "--cluster",
             folder], input="bank\n1-2\n\n\n\n\n\n", capture_output=True,
            text=True, check=False, env={**os.environ, "NDRX_SILENT": "Y"})
        equal(r.returncode, 0, r.stderr)
        at_least(r.stderr.count("]: "), 7, "questions")
        contains(_read(folder, "nodes.conf"), "ow.bank.2.>")
