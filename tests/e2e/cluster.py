# SPDX-License-Identifier: Apache-2.0
"""cluster.py - a NATS server and domains that it joins, for stories

    with Cluster() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO"); c.bridge(a); c.bridge(b)
        c.sees(a, "ECHO")

Every cluster has a name of its own, so that domains of two stories never meet.
"""
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from fixture import Domain, Skip, kill, wait_for
from machine import BUILD, SLOW, at_end

# Silent after three: waits for heartbeats are short, as those for one that is lost.
BEAT = f"{200 * SLOW:.0f}ms"
BRIDGE = 90  # the server id of the first bridge of a domain


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Nats:
    """A nats-server of our own: with this text in its configuration, or with a
    configuration that exists."""

    def __init__(self, conf="", port=None, file=None, host="127.0.0.1"):
        self.program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        if not os.path.exists(self.program):
            raise Skip("no nats-server here")
        self.port = port or free_port()
        self.home = tempfile.mkdtemp(prefix="ow_nats_")
        self.name = "" if file else os.path.basename(self.home)
        self.conf = file or os.path.join(self.home, "nats.conf")
        if file is None:
            with open(self.conf, "w", encoding="utf-8") as f:
                f.write(f"listen: {host}:{self.port}\n"
                        f"server_name: {self.name}\n{conf}\n")
        self.proc = None
        try:
            self.start()
        except AssertionError:
            self.close()
            raise

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.port}"

    def _answers(self):
        if self.proc.poll() is not None:
            with open(os.path.join(self.home, "log"),
                      encoding="utf-8") as f:
                raise AssertionError(f"nats-server ended: {f.read()}")
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as s:
                # Not another story's, which took the port meanwhile.
                said = s.recv(4096)
                return (said.startswith(b"INFO") and
                        self.name.encode() in said)
        except OSError:
            return False

    def start(self):
        with open(os.path.join(self.home, "log"), "ab") as log:
            self.proc = subprocess.Popen(
                [self.program, "-c", self.conf], stdout=log, stderr=log,
                stdin=subprocess.DEVNULL,
                env={**os.environ, "TMPDIR": self.home})
        wait_for(self._answers, "nats-server listens", 20)

    def stop(self, sig=signal.SIGKILL):
        kill(self.proc.pid, sig)
        self.proc.wait()

    def close(self):
        if self.proc is not None and self.proc.poll() is None:
            self.stop()
        shutil.rmtree(self.home, ignore_errors=True)

    def say(self, subject, data):
        """Publish bytes, by hand."""
        with socket.create_connection(("127.0.0.1", self.port), 5) as s:
            s.recv(4096)
            s.sendall(b'CONNECT {"verbose":false}\r\nPUB %s %d\r\n%s\r\n'
                      b'PING\r\n' % (subject.encode(), len(data), data))
            while b"PONG" not in s.recv(4096):
                pass


_SHARED = []  # the server of all facts of a story


def shared_nats():
    """One nats-server for all clusters of a story without a configuration of
    its own: their names tell them apart. A fact may stop it, and start it."""
    if _SHARED and _SHARED[0].proc.poll() is not None:
        _SHARED.pop().close()
    if not _SHARED:
        _SHARED.append(Nats())
        at_end(_SHARED[0].close)
    return _SHARED[0]


class Cluster:
    def __init__(self, conf=""):
        self.name = "t" + os.urandom(4).hex()
        self.stack = contextlib.ExitStack()
        self.conf = conf
        self.domains = []

    def __enter__(self):
        if not os.path.exists(os.path.join(BUILD, "bin/ndrxbridge")):
            raise Skip("ndrxbridge is not built: libnats is not here")
        if self.conf:
            self.nats = Nats(self.conf)
            self.stack.callback(self.nats.close)
        else:
            self.nats = shared_nats()
        return self

    def __exit__(self, *what):
        return self.stack.__exit__(*what)

    def domain(self, node, env=None):
        """A domain, which ends with the cluster."""
        d = self.stack.enter_context(
            Domain(env={"NDRX_NODEID": str(node), **(env or {})}))
        self.domains.append(d)
        return d

    def options(self, *more):
        return ["-c", self.name, "-u", self.nats.url, "-b", BEAT, *more]

    def section(self, node, **attrs):
        """<cluster> of the configuration of this node."""
        attrs = {"name": self.name, "urls": self.nats.url, "node": node,
                 **attrs}
        return "<cluster %s/>\n" % " ".join(
            f'{k}="{v}"' for k, v in attrs.items())

    def bridge(self, d, *more, srvid=BRIDGE, url=None):
        """Start a bridge; its process. Services that come later are its."""
        words = self.options(*more)
        if url is not None:
            words[3] = url
        p = d.spawn(srvid, *words, binary="ndrxbridge")
        wait_for(lambda: (p.poll() is None or self._died(d)) and
                 d.exists() and d.rows("psrv") is not None, "bridge", 10)
        return p

    @staticmethod
    def _died(d):
        raise AssertionError("the bridge ended")

    @staticmethod
    def link(d, node):
        """The row of the link to this node, when there is one."""
        return wait_for(lambda: d.row("pnet", node=node),
                        f"pnet shows node {node}")

    def sees(self, d, *services, seconds=15):
        """Wait until the domain has these services."""
        def missing():
            return sorted(set(services) - {r.service for r in d.rows("psc")})

        try:
            wait_for(lambda: not missing(), "services", seconds)
        except AssertionError as e:
            some = missing()
            raise AssertionError(
                f"{e}: {len(some)} of {len(services)} are not there: "
                f"{some[:9]}; nodes: {d.rows('pnet')}; nats-server ended: "
                f"{self.nats.proc.poll()}; servers ended: "
                f"{[p.args[0] for p in self._ended()]}") from None

    def _ended(self):
        return [p for d in self.domains for p in d.procs.values()
                if p.poll() is not None]

    @staticmethod
    def offers(d):
        """The services of the domain that are not the runtime's own."""
        return {r.service for r in d.rows("psc") if r.service[0] not in "@."}

    @staticmethod
    def lacks(d, *services, seconds=15):
        """Wait until it has none of them."""
        wait_for(lambda: not set(services) &
                 {r.service for r in d.rows("psc")},
                 f"no services {services}", seconds)


def timed(fn, *args):
    """What it returns, and how many milliseconds it took."""
    t0 = time.monotonic()
    value = fn(*args)
    return value, (time.monotonic() - t0) * 1e3
