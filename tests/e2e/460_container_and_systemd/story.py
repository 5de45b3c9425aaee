# SPDX-License-Identifier: Apache-2.0
"""ndrxd as PID 1 of a container, under systemd, and stopped by a signal."""
import os
import re
import shutil
import signal
import socket
import subprocess
import time

from checks import at_least, at_most, check, contains, equal
from covers import covers
from events import read_events
from fixture import Domain, alive, holds, kill, wait_for
from machine import SLOW, Skip

MAINLY = "posix"
COST = 14

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}


def _start(d, *argv, env=None):
    """Start any program; it is killed at the end."""
    p = subprocess.Popen(argv, env={**d.env, **(env or {})}, cwd=d.home,
                         stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)
    d.helpers.append(p)
    return p


def _kids(pid):
    path = f"/proc/{pid}/task/{pid}/children"
    with open(path, encoding="utf-8") as f:
        return [int(k) for k in f.read().split()]


def _state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        return f.read().rsplit(")", 1)[1].split()[0]


class Systemd:
    """The receiving end of NOTIFY_SOCKET."""

    def __init__(self, d):
        self.path = f"{d.home}/notify"
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.sock.bind(self.path)
        self.sock.settimeout(10 * SLOW)
        self.heard = []

    def hear(self, word):
        while not any(word in m for m in self.heard):
            self.heard.append(self.sock.recv(4096).decode())
        return next(m for m in self.heard if word in m)


def test_ndrxd_notifies_systemd():
    with Domain() as d:
        d.configure({**ECHO, "appopt": "init=sleep:500 ECHO ENV"})
        s = Systemd(d)
        p = _start(d, d.program("ndrxd"), "-f", "-b",
                   env={"NOTIFY_SOCKET": s.path, "WATCHDOG_USEC": "2000000"})
        start = time.monotonic()
        s.hear("STATUS=starting")
        text = s.hear("READY=1")
        contains(text, "all servers run")
        at_least(time.monotonic() - start, 0.4, "ready when the servers are")
        equal(d.call("ECHO", "x").data, "x")
        equal(d.call("ENV", "NOTIFY_SOCKET").err, "TPESVCFAIL",
              "not for the servers")
        s.hear("WATCHDOG=1")
        d.close_clients()
        p.send_signal(signal.SIGTERM)
        s.hear("STOPPING=1")
        equal(p.wait(10 * SLOW), 0)
        equal(d.leftovers(), [])


def test_sighup_reads_the_configuration_again():
    with Domain() as d:
        d.boot(ECHO)
        d.configure(ECHO, {"srvid": 9, "appopt": "UPPER"})
        kill(d.ndrxd_pid(), signal.SIGHUP)
        wait_for(lambda: d.call("UPPER", "x").data == "X", "started")
        with open(d.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
            f.write("<nonsense/>")
        kill(d.ndrxd_pid(), signal.SIGHUP)
        wait_for(lambda: any(e.word == "reload" and
                             e.text.startswith("refused: ")
                             for e in read_events(d)), "refused")
        equal(d.call("UPPER", "x").data, "X", "and nothing has changed")


def test_pid_1_reaps_orphans_of_its_container():
    if shutil.which("unshare") is None or os.geteuid() != 0:
        raise Skip("needs unshare, as root")
    with Domain() as d:
        # A client with an orphan that ends a moment later.
        orphan = "sh -c '(sleep 0.3; exit 7) &amp; (setsid sleep 0.5 &amp;); exec sleep 1000'"
        d.configure(ECHO, sections=(
            f'<clients><client cmdline="{orphan}"><exec tag="O" '
            'autostart="Y"/></client></clients>'))
        s = Systemd(d)
        p = _start(d, "unshare", "--pid", "--fork", "--kill-child",
                   "--mount-proc", d.program("ndrxd"), "-b",
                   env={"NOTIFY_SOCKET": s.path})
        s.hear("READY=1")
        init = _kids(p.pid)[0]
        # Two servers, one client; ndrxd inherits its orphan and reaps it.
        wait_for(lambda: len(_kids(init)) == 4, "the orphan is inherited", 10)
        wait_for(lambda: len(_kids(init)) == 3, "no zombie stays", 10)
        equal([k for k in _kids(init) if _state_of(k) == "Z"], [])
        # SIGUSR1 goes only to processes that handle it.
        before = sorted(_kids(init))
        kill(init, signal.SIGUSR1)
        holds(lambda: sorted(_kids(init)) == before, "no process ends", 0.3)
        kill(init, signal.SIGTERM)
        equal(p.wait(20 * SLOW), 0)
        wait_for(lambda: not any(alive(k) for k in before), "all gone")


def test_pid_1_passes_signals_to_clients():
    if shutil.which("unshare") is None or os.geteuid() != 0:
        raise Skip("needs unshare, as root")
    with Domain() as d:
        mark = f"{d.home}/mark"
        catcher = (f"sh -c 'trap \\'echo got &gt; {mark}\\' USR1; "
                   "echo up; while :; do sleep 0.05; done'").replace(
                       "\\'", "\\\"").replace("\\\"", "&quot;")
        d.configure(ECHO, sections=(
            f'<clients><client cmdline="{catcher}" log="{d.home}/c.log">'
            '<exec tag="O" autostart="Y"/></client></clients>'))
        s = Systemd(d)
        p = _start(d, "unshare", "--pid", "--fork", "--kill-child",
                   "--mount-proc", d.program("ndrxd"), "-b",
                   env={"NOTIFY_SOCKET": s.path})
        s.hear("READY=1")
        wait_for(lambda: os.path.exists(f"{d.home}/c.log") and
                 os.path.getsize(f"{d.home}/c.log") > 0, "client is up")
        kill(_kids(p.pid)[0], signal.SIGUSR1)
        wait_for(lambda: os.path.exists(mark), "signal has come")
        kill(_kids(p.pid)[0], signal.SIGTERM)
        equal(p.wait(20 * SLOW), 0)


def test_a_stopped_ndrxd_kills_no_server_when_it_continues():
    with Domain() as d:
        d.boot({**ECHO, "pingtime": "200ms", "ping_max": "400ms"})
        before = {r.srvid: r.pid for r in d.rows("ppm")}
        pid = d.ndrxd_pid()
        for _ in range(3):
            time.sleep(0.25)  # with or without a ping under way
            kill(pid, signal.SIGSTOP)
            end = time.monotonic() + 0.8  # longer than pingtime and ping_max
            while time.monotonic() < end:
                equal(d.call("ECHO", "x").data, "x", "calls go on")
            kill(pid, signal.SIGCONT)
        # As long again, for a late kill.
        holds(lambda: {r.srvid: r.pid for r in d.rows("ppm")} == before,
              "all live on", 0.8)
        equal([e for e in read_events(d) if e.word in ("late", "signal")],
              [])


@covers("pingtime", "ping_max")
def test_a_hung_server_is_found_by_its_pings():
    with Domain() as d:
        d.boot({**ECHO, "pingtime": "200ms", "ping_max": "400ms",
                "killtime": "200ms"})
        pid = d.pid(1)
        kill(pid, signal.SIGSTOP)
        wait_for(lambda: d.pid(1) not in (0, pid), "replaced", 4)
        texts = [e.text for e in read_events(d) if e.word == "late"]
        equal(texts[:1], ["no answer to ping for 400 ms"])


def test_the_unit_runs_as_a_user_and_keeps_what_servers_share():
    path = os.path.join(os.path.dirname(__file__), "../../..",
                        "conf/onewake@.service")
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    contains(lines, "User=%i")
    contains(lines, "RemoveIPC=no")


def test_the_unit_gives_a_domain_no_more_than_it_needs():
    tool = shutil.which("systemd-analyze")
    path = os.path.join(os.path.dirname(__file__), "../../..",
                        "conf/onewake@.service")
    with Domain() as d:
        unit = f"{d.home}/onewake@.service"
        shutil.copy(path, unit)
        r = subprocess.run([tool, "security", "--offline=yes", unit],
                           capture_output=True, text=True, check=False) \
            if tool else None
        if r is None or "exposure level" not in r.stdout:
            raise Skip("needs systemd-analyze security --offline")
        level = float(re.search(r"exposure level for \S+: ([\d.]+)",
                                r.stdout)[1])
        at_most(level, 3.9, "exposure")


def test_the_unit_has_room_for_all_queues_that_the_kernel_allows():
    top = os.path.join(os.path.dirname(__file__), "../../..")
    text = {}
    for name in ("conf/onewake@.service", "doc/operating.md"):
        with open(os.path.join(top, name), encoding="utf-8") as f:
            text[name] = f.read()
    limit = re.search(r"^LimitMSGQUEUE=(\d+)M$", text["conf/onewake@.service"],
                      re.M)
    check(limit, "the unit sets LimitMSGQUEUE")
    size = int(limit[1]) << 20
    at_least(size, 256 * 10 * (96 + 1024), "fs.mqueue.queues_max queues")
    for name, words in text.items():
        contains(words, limit[0], name)
        contains(words, f"- msgqueue {size}", name)
