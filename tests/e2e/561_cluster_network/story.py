# SPDX-License-Identifier: Apache-2.0
"""Networks that delay, stall and part, a nats-server that says good-bye, clocks
that differ: what callers are told, and that nothing is executed twice."""
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time

from certificates import authority, certificate
from checks import at_least, at_most, equal, near, soon
from cluster import BRIDGE, Cluster, Nats, free_port, timed
from fixture import SLOW, Skip, holds, wait_for
from machine import BUILD
from network import Network
from conversations import connect, convs

COST = 43
MAINLY = "shm"
SLEEP_MS = int(4000 * SLOW)


def _network(c, delay=0.0):
    net = Network(c.nats.port, delay)
    c.stack.callback(net.close)
    return net


def test_a_long_way_costs_its_time_and_no_more():
    with Cluster() as c:
        net = _network(c, 0.05)
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(a, url=net.url)
        c.bridge(b)
        c.sees(a, "ECHO")
        for _ in range(3):
            r, ms = timed(a.call, "ECHO", "x")
            equal(r.data, "x", r.text)
            at_least(ms, 100, "there and back")
        wait_for(lambda: c.link(a, 2).rtt_us > 90000, "round trip")
        r, ms = timed(a.client(), "calls", "ECHO", 10, 10, 200)
        equal((r.ok, r.wrong), (100, 0), r)
        near(ms, 1000, 6000, "ten times ten at a time")
        equal(c.link(a, 2).lost, 0)


def _numbers(d):
    return [int(n) for n in d.call("GETLOG").data.split()]


def test_a_cut_network_is_told_and_heals_and_nothing_is_executed_twice():
    with Cluster() as c:
        net = _network(c)
        a, b = c.domain(1), c.domain(2)
        a.server(1, "UPPER")
        b.server(1, "LOG", "GETLOG")
        b.server(2, "SLEEP")
        often = ("-b", "300ms")
        c.bridge(a, *often, url=net.url)
        c.bridge(b, *often)
        c.sees(a, "LOG", "SLEEP")
        told = {}
        for i in range(30):
            told[i] = a.client(NDRX_TOUT="5")("call", "LOG", "-",
                                              f"STRING:{i}").err
        slow = a.client()
        # Its reply comes when the caller has been told, and is dropped.
        slow.begin("call", "SLEEP", "-", f"STRING:{SLEEP_MS}")
        wait_for(lambda: b.row("psc", service="SLEEP").status == "BUSY",
                 "under way")
        net.cut = True
        r, ms = timed(slow.end)
        equal(r.err, "TPESVCERR", r.text)
        soon(ms, 5000, "until the caller is told")
        c.lacks(a, "LOG")
        equal(a.call("LOG", "100").err, "TPENOENT")
        equal(a.call("UPPER", "x").data, "X", "local")
        net.cut = False
        c.sees(a, "LOG", seconds=30)
        for i in range(30, 60):
            told[i] = a.call("LOG", str(i)).err
        equal(set(told.values()), {"OK"})
        equal(sorted(_numbers(b)), list(range(60)), "once each")


# ---- namespaces: two machines ----

def _ip(*words):
    r = subprocess.run(["ip", *words], capture_output=True, text=True,
                       check=False)
    if r.returncode != 0:
        raise Skip(f"ip {' '.join(words)}: {r.stderr.strip()}")


class Machine:
    """A network namespace, joined to this one by a cable."""

    def __init__(self, stack, number):
        if os.geteuid() != 0 or shutil.which("ip") is None:
            raise Skip("needs ip, as root")
        tag = f"{os.getpid() % 10000}x{number}"
        self.name, self.here, there = f"ow{tag}", f"owh{tag}", f"owt{tag}"
        net = f"10.{200 + number}.{os.getpid() % 250}"
        _ip("netns", "add", self.name)
        stack.callback(subprocess.run, ["ip", "netns", "del", self.name],
                       check=False, capture_output=True)
        _ip("link", "add", self.here, "type", "veth", "peer", "name", there)
        stack.callback(subprocess.run, ["ip", "link", "del", self.here],
                       check=False, capture_output=True)
        _ip("link", "set", there, "netns", self.name)
        _ip("addr", "add", f"{net}.1/24", "dev", self.here)
        _ip("link", "set", self.here, "up")
        _ip("-n", self.name, "addr", "add", f"{net}.2/24", "dev", there)
        _ip("-n", self.name, "link", "set", there, "up")
        _ip("-n", self.name, "link", "set", "lo", "up")
        self.host = f"{net}.1"

    def cable(self, state):
        _ip("link", "set", self.here, state)

    def slow_down(self, *netem):
        """False: this kernel has no netem."""
        return subprocess.run(
            ["tc", "qdisc", "replace", "dev", self.here, "root", "netem",
             *netem], check=False, capture_output=True).returncode == 0

    def bridge(self, c, d, port, *more):
        """ndrxbridge of the domain, in this namespace."""
        log = open(f"{d.logs}/bridge.log", "wb")
        p = subprocess.Popen(
            ["ip", "netns", "exec", self.name, d.program("ndrxbridge"), "-i",
             str(BRIDGE), "--", *c.options(*more)[:2], "-u",
             f"nats://{self.host}:{port}", *c.options(*more)[4:]], env=d.env,
            cwd=d.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        d.procs[p.pid] = p
        return p


def _open_nats(c):
    """A nats-server that all namespaces reach."""
    nats = Nats('ping_interval: "2s"\nping_max: 2\n', host="0.0.0.0")
    c.stack.callback(nats.close)
    return nats


def test_a_machine_whose_cable_is_pulled_is_lost_and_found():
    with Cluster() as c:
        far = Machine(c.stack, 1)
        nats = _open_nats(c)
        a, b = c.domain(1), c.domain(2)
        b.server(1, "LOG", "GETLOG")
        often = ("-b", "300ms")
        c.bridge(a, *often, url=nats.url)
        far.bridge(c, b, nats.port, *often)
        c.sees(a, "LOG")
        for i in range(20):
            equal(a.call("LOG", str(i)).err, "OK")
        far.cable("down")
        c.lacks(a, "LOG", seconds=20)
        equal(a.call("LOG", "100").err, "TPENOENT")
        far.cable("up")
        c.sees(a, "LOG", seconds=60)
        for i in range(20, 40):
            equal(a.call("LOG", str(i)).err, "OK")
        equal(sorted(_numbers(b)), list(range(40)), "once each")


def test_lost_and_reordered_packets_change_nothing_but_time():
    with Cluster() as c:
        far = Machine(c.stack, 2)
        nats = _open_nats(c)
        if not far.slow_down("delay", "10ms", "5ms", "loss", "3%", "reorder",
                             "25%"):
            raise Skip("this kernel has no netem")
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.bridge(a, url=nats.url)
        far.bridge(c, b, nats.port)
        c.sees(a, "ECHO", seconds=30)
        r = a.client()("calls", "ECHO", 60, 5, 3000, seconds=100)
        equal((r.ok, r.wrong), (300, 0), r)


# ---- nats-server ----

def test_a_nats_server_that_goes_in_order_hands_its_nodes_over():
    """Lame duck mode: a grace of a second, then it sends its clients away."""
    with Cluster() as c:
        routes = [free_port() for _ in range(2)]
        known = ", ".join(f"nats://127.0.0.1:{r}" for r in routes)
        servers = [Nats('lame_duck_grace_period: "1s"\n'
                        'lame_duck_duration: "30s"\n'
                        f"cluster {{ name: {c.name}, listen: "
                        f"127.0.0.1:{r}, routes: [{known}] }}")
                   for r in routes]
        for s in servers:
            c.stack.callback(s.close)
        urls = ",".join(s.url for s in servers)
        a, b = c.domain(1), c.domain(2)
        a.server(1, "UPPER")
        b.server(1, "LOG", "GETLOG")
        c.bridge(a, url=urls)
        c.bridge(b, url=urls)
        c.sees(a, "LOG")
        servers[0].proc.send_signal(signal.SIGUSR2)
        done, errors, i = [], set(), 0

        def ended():
            nonlocal i
            i += 1
            err = a.call("LOG", str(i)).err
            if err == "OK":
                done.append(i)
            else:
                errors.add(err)
            equal(a.call("UPPER", "x").data, "X", "local")
            return servers[0].proc.poll() is not None
        wait_for(ended, "the first nats-server has ended", 60)
        c.sees(a, "LOG", seconds=30)
        at_least(len(done), 1, "calls meanwhile")
        equal(errors <= {"TPENOENT", "TPESVCERR"}, True, errors)
        wait_for(lambda: a.call("LOG", "1000000").err == "OK", "at the other")
        got = _numbers(b)
        equal(len(got), len(set(got) | {1000000}) + got.count(1000000) - 1,
              "none twice")
        equal(set(done) - set(got), set(), "what was answered was executed")


# ---- clocks ----

def _clock(stack, seconds):
    """The environment of a machine whose wall clock differs."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("sanitizers want to be loaded first")
    f = stack.enter_context(tempfile.NamedTemporaryFile(prefix="ow_steps_"))
    f.write(struct.pack("q", seconds))
    f.flush()
    return {"OW_STEPS_FILE": f.name,
            "LD_PRELOAD": f"{BUILD}/tests/e2e/libsteps.so"}


def test_clocks_that_differ_by_minutes_change_nothing():
    with Cluster() as c:
        a = c.domain(1, _clock(c.stack, -600))
        b = c.domain(2, _clock(c.stack, 900))
        b.server(1, "ECHO", "SLEEP")
        c.bridge(a)
        c.bridge(b)
        c.sees(a, "ECHO", "SLEEP")
        for _ in range(20):
            r = a.call("ECHO", "x")
            equal(r.data, "x", r.text)
        r, ms = timed(a.client(NDRX_TOUT="2").call, "SLEEP", "5000")
        equal(r.err, "TPETIME", r.text)
        near(ms, 1900, 4000, "the time-out of the caller")
        link = a.row("pnet", node=2)
        equal((link.up, link.lost), (True, 0), link)
        at_most(link.heard_ms, 5000 * SLOW, "it was heard")
        at_most(link.rtt_us, 1e6 * SLOW, "round trip")


# ---- certificates ----

class Renewed(Cluster):
    """A nats-server with TLS, and two nodes; authorities "old" and "new"."""

    def __enter__(self):
        if shutil.which("openssl") is None:
            raise Skip("no openssl here")
        self.folder = self.stack.enter_context(
            tempfile.TemporaryDirectory(prefix="ow_renew_"))
        for name in ("old", "new"):
            authority(self.folder, name)
        for name in ("server", "node"):
            certificate(self.folder, "old", name)
        self.trust("old")
        f = self.folder
        self.conf = (f'tls {{ cert_file: "{f}/server.pem", key_file: '
                     f'"{f}/server.key", ca_file: "{f}/ca.pem", '
                     "verify: true }")
        return super().__enter__()

    def trust(self, *names):
        text = ""
        for name in names:
            with open(f"{self.folder}/{name}.pem", encoding="utf-8") as f:
                text += f.read()
        with open(f"{self.folder}/ca.next", "w", encoding="utf-8") as f:
            f.write(text)
        os.replace(f"{self.folder}/ca.next", f"{self.folder}/ca.pem")

    def renew(self, name):
        """A certificate of the new authority, in place of the old one."""
        certificate(self.folder, "new", name + "-new")
        for end in ("key", "pem"):
            os.replace(f"{self.folder}/{name}-new.{end}",
                       f"{self.folder}/{name}.{end}")

    def _reloads(self):
        with open(os.path.join(self.nats.home, "log"), encoding="utf-8") as f:
            return f.read().count("Reloaded server configuration")

    def reload(self):
        before = self._reloads()
        self.nats.proc.send_signal(signal.SIGHUP)
        wait_for(lambda: self._reloads() > before, "nats-server has reloaded")

    def join(self, d, *more):
        f = self.folder
        return self.bridge(d, "-A", f"{f}/ca.pem", "-T", f"{f}/node.pem",
                           "-K", f"{f}/node.key", *more,
                           url=f"tls://localhost:{self.nats.port}")


def _logged(d, text):
    with open(os.path.join(d.logs, f"ndrxbridge.{BRIDGE}.log"),
              encoding="utf-8") as f:
        return f.read().count(text)

ANEW = "connected anew"
REFUSED = "cannot be used yet"


class Callers:
    """Calls all the time, four at a time; `pause` after every 80, so that
    other stories have the CPUs, too."""

    def __init__(self, c, d, pause=0.01):
        self.d, self.told, self.stop = d, [], threading.Event()
        self.pause = pause
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        c.stack.callback(self.end)

    def _run(self):
        cl = self.d.client()
        while not self.stop.wait(self.pause):
            r = cl("calls", "ECHO", 20, 4, 3000)
            self.told.append((r.ok, r.wrong))

    def end(self):
        self.stop.set()
        self.thread.join()
        return self.told


def test_certificates_are_renewed_while_calls_go_on_and_none_fails():
    with Renewed() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        bridges = [c.join(d, "-b", "1s") for d in (a, b)]
        c.sees(a, "ECHO")
        callers = Callers(c, a)

        def taken(times):
            wait_for(lambda: all(_logged(d, ANEW) == times for d in (a, b)),
                     f"taken by both, {times}", 30)
            n = len(callers.told)
            wait_for(lambda: len(callers.told) > n + 1, "calls go on", 30)
        c.trust("old", "new")
        taken(1)
        c.reload()
        c.renew("node")
        taken(2)
        c.renew("server")
        c.reload()
        c.trust("new")
        taken(3)
        c.reload()
        told = callers.end()
        equal(set(told), {(80, 0)}, "calls, all the time")
        equal([p.poll() for p in bridges], [None, None], "the same processes")
        equal(c.link(a, 2).lost, 0)
        equal([_logged(d, "not connected") for d in (a, b)], [0, 0])
        c.nats.stop()  # whoever connects now shows what it has
        c.lacks(a, "ECHO")
        c.nats.start()
        c.sees(a, "ECHO", seconds=30)
        wait_for(lambda: a.call("ECHO", "x").err == "OK", "again")


def test_a_conversation_goes_on_while_certificates_are_renewed():
    with Renewed() as c:
        a, b = c.domain(1), c.domain(2)
        convs(b, 1, "CONV")
        c.join(a, "-b", "1s")  # a busy machine is no silent node
        c.join(b, "-b", "1s")
        c.sees(a, "CONV")
        cl = a.client()
        cd = connect(cl, "all give:two all return:bye")
        equal(cl("send", cd, "-", "STRING:one").err, "OK")
        certificate(c.folder, "old", "node")
        wait_for(lambda: all(_logged(d, ANEW) == 1 for d in (a, b)),
                 "taken by both", 30)
        equal(cl("send", cd, "TPRECVONLY", "STRING:control").err, "OK")
        r = cl("recv", cd)
        equal((r.event, r.data), ("SENDONLY", "two"), r)
        equal(cl("send", cd, "TPRECVONLY", "STRING:three").err, "OK")
        r = cl("recv", cd)
        equal((r.event, r.data), ("SVCSUCC", "bye"), r)


def test_files_that_do_not_fit_leave_the_connection_as_it_is():
    with Renewed() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.join(b)
        c.join(a)
        c.sees(a, "ECHO")
        callers = Callers(c, a, 0.05)
        certificate(c.folder, "old", "other")
        os.replace(f"{c.folder}/other.key", f"{c.folder}/node.key")
        wait_for(lambda: _logged(a, REFUSED) == 1, "a key of another one", 20)
        c.trust("new")  # of another authority than the server
        wait_for(lambda: _logged(a, REFUSED) == 2, "another reason", 20)
        os.remove(f"{c.folder}/node.pem")
        wait_for(lambda: _logged(a, REFUSED) == 3, "no certificate", 20)
        holds(lambda: _logged(a, REFUSED) == 3, "each reason once", 4)
        equal(_logged(a, ANEW), 0)
        c.trust("old")
        os.replace(f"{c.folder}/other.pem", f"{c.folder}/node.pem")
        wait_for(lambda: _logged(a, ANEW) == 1, "they fit again", 30)
        equal(set(callers.end()), {(80, 0)}, "calls, all the time")
        equal(c.link(a, 2).lost, 0)


def test_a_bridge_that_nats_refuses_joins_with_the_next_certificate():
    """Its certificate is of no use any more; the connection is lost."""
    with Renewed() as c:
        a, b = c.domain(1), c.domain(2)
        b.server(1, "ECHO")
        c.join(a)
        c.join(b)
        c.sees(a, "ECHO")
        c.nats.stop()
        c.lacks(a, "ECHO")
        c.trust("new")
        c.renew("server")
        c.nats.start()
        holds(lambda: "ECHO" not in c.offers(a), "nobody is let in", 1)
        c.renew("node")
        c.sees(a, "ECHO", seconds=30)
        wait_for(lambda: a.call("ECHO", "x").err == "OK", "again")


def test_a_silent_node_holds_up_a_renewal_only_until_it_is_gone():
    with Renewed() as c:
        a, b, e = (c.domain(n) for n in (1, 2, 3))
        b.server(1, "ECHO")
        e.server(1, "UPPER")
        c.join(a)
        c.join(b)
        silent = c.join(e)
        c.sees(a, "ECHO", "UPPER")
        callers = Callers(c, a)
        silent.send_signal(signal.SIGSTOP)
        try:
            certificate(c.folder, "old", "node")
            wait_for(lambda: _logged(a, ANEW) == 1, "taken", 60)
        finally:
            silent.send_signal(signal.SIGCONT)
        equal(set(callers.end()), {(80, 0)}, "calls, all the time")
        c.sees(a, "UPPER", seconds=30)
