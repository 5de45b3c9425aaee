#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""http_dead.py - a gate for HTTP beside connections that sent half a request, and under load

    bench/http_dead.py BUILD [--dead 0,1000,10000] [--ms 2000] [--rounds 3] [--svg FILE]
    bench/http_dead.py BUILD --load [--ms 2000] [--rounds 3]

A private domain with BANK, echosv and httpgate; beside it nginx that serves a file, where it is
installed, and a server that waits with poll() (http_poll.c). 32 callers with kept connections
(http_load.c) ask each of them, while so many others have sent half a request and say nothing
more. Figures are medians of the rounds, and each round asks all of them. Callers, gate and
servers share the CPUs, so calls per second are to be compared, and only with each other. CPU is
that of the server alone, by /proc, for each answer; of a gate without that of BANK. Memory is
resident memory for each dead connection.

--load: the gate with BANK, and the same gate when it answers without a call (echo): callers,
sizes of bodies, and the time of answers at half of the most.
"""
import argparse
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BODY = b'{"T_ACCNUM": "ACC000000001", "T_ACCCUR": "EUR"}'
CALLERS = 32
# Queues as long as by default: those of a story have room for four requests.
QUEUES = {"NDRX_MSGMAX": None, "NDRX_MSGSIZEMAX": None}
NGINX = """daemon off; master_process on; worker_processes 2; worker_rlimit_nofile 20000; pid nginx.pid;
error_log /dev/null crit; user root;
events { worker_connections 12000; }
http { access_log off; keepalive_requests 1000000000; client_header_timeout 600; keepalive_timeout 600;
server { listen 127.0.0.1:PORT; root ROOT; } }
"""


def request(method, path, body=b""):
    return b"%s %s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (method, path, len(body), body)


def processes(pid):
    """A process and those that it has started."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [pid, *map(int, f.read().split())]


def cpu(pid):
    """Seconds that a server has used."""
    used = 0
    for p in processes(pid):
        words = pathlib.Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()
        used += int(words[11]) + int(words[12])
    return used / os.sysconf("SC_CLK_TCK")


def resident(pid):
    return sum(int(pathlib.Path(f"/proc/{p}/statm").read_text().split()[1]) for p in processes(pid)) * \
        os.sysconf("SC_PAGE_SIZE")


class Server:
    def __init__(self, name, port, pid, text, folder):
        self.name, self.port, self.pid = name, port, pid
        self.path = os.path.join(folder, f"request{len(os.listdir(folder))}")
        pathlib.Path(self.path).write_bytes(text)

    def ask(self, load, ms, dead=0, callers=CALLERS, rate=0):
        """Answers/s, median and p99 in us, CPU us of an answer, bytes of a dead connection."""
        before = resident(self.pid)
        with subprocess.Popen([load, str(self.port), self.path, str(callers), str(ms), str(dead), str(rate)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
            if p.stdout.readline() != "ready\n":
                raise SystemExit(f"http_dead: {self.name} does not answer")
            time.sleep(0.3)
            memory = (resident(self.pid) - before) / dead if dead else 0
            used, began = cpu(self.pid), time.monotonic()
            said, _ = p.communicate("go\n")
            used, took = cpu(self.pid) - used, time.monotonic() - began
        if p.returncode:
            raise SystemExit(f"http_dead: {self.name}: no answer, or not 200")
        rate, p50, p99, _ = map(float, said.split())
        return rate, p50 / 1000, p99 / 1000, used / max(1, rate * took) * 1e6, memory


def medians(rounds):
    return [statistics.median(x) for x in zip(*rounds)]


def show_dead(servers, load, a):
    counts = [int(n) for n in a.dead.split(",")]
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200
    if max(counts) > most:
        print(f"at most {most} dead connections: more files may not be open here (ulimit -n)")
        counts = [n for n in counts if n <= most]
    said = {(s.name, n): [] for s in servers for n in counts}
    for _ in range(a.rounds):
        for s in servers:
            for n in counts:
                said[s.name, n].append(s.ask(load, a.ms, n))
                time.sleep(0.2)
    rows = {key: medians(r) for key, r in said.items()}
    print(f"{'server':22}{'dead':>8}{'answers/s':>11}{'of 0 dead':>11}{'p99 us':>9}{'CPU us':>9}{'bytes/dead':>12}")
    for (name, n), (rate, _, p99, used, memory) in rows.items():
        print(f"{name:22}{n:8}{rate:11.0f}{rate / max(1, rows[name, counts[0]][0]):11.2f}{p99:9.0f}{used:9.1f}{memory:12.0f}")
    if a.svg:
        plot(a.svg, rows, counts)
        print(f"plot: {a.svg}")


def plot(path, rows, counts):
    """Answers per second against dead connections, as lines."""
    top = max(r[0] for r in rows.values()) * 1.1
    at = lambda i: 60 + 460 * i / max(1, len(counts) - 1)  # noqa: E731
    marks = []
    for name, colour in zip(dict.fromkeys(k[0] for k in rows), ("#06c", "#08a", "#393", "#c30")):
        points = [(at(i), 260 - 220 * rows[name, n][0] / top) for i, n in enumerate(counts)]
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        marks.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{points[-1][0] + 5:.0f}" y="{points[-1][1]:.0f}" fill="{colour}">{name}</text>')
    marks += [f'<text x="{at(i):.0f}" y="285">{n}</text>' for i, n in enumerate(counts)]
    pathlib.Path(path).write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="680" height="300" font-family="sans-serif" font-size="12">'
        f'<rect width="680" height="300" fill="#fff"/><text x="5" y="15">answers per second, up to {top:.0f}, '
        f'against dead connections</text>{"".join(marks)}</svg>\n', encoding="utf-8")


def show_load(pairs, load, a):
    """What a call costs: pairs of a gate that calls, and the same that does not."""
    print(f"{'request':28}{'callers':>8}{'with call':>11}{'without':>10}{'ratio':>7}{'p99 us':>9}{'CPU us':>8}{'without':>9}")
    for name, callers, called, echoed in pairs:
        rounds = [[s.ask(load, a.ms, 0, callers) for s in (called, echoed)] for _ in range(a.rounds)]
        with_, without = (medians([r[i] for r in rounds]) for i in (0, 1))
        ratio = statistics.median(r[0][0] / max(1, r[1][0]) for r in rounds)
        print(f"{name:28}{callers:8}{with_[0]:11.0f}{without[0]:10.0f}{ratio:7.2f}{with_[2]:9.0f}{with_[3]:8.1f}{without[3]:9.1f}")
    called, echoed = pairs[0][2:]
    half = [[s.ask(load, a.ms, 0, CALLERS, int(s.ask(load, a.ms)[0] / 2)) for s in (called, echoed)]
            for _ in range(a.rounds)]
    for i, what in ((0, "with call"), (1, "without")):
        _, p50, p99, _, _ = medians([r[i] for r in half])
        print(f"at half of its most, {what}: median {p50:.0f} us, p99 {p99:.0f} us, {p99 / max(1, p50):.1f} times")


def nginx(folder, port):
    exe = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if exe is None:
        print("nginx is not installed (Debian: nginx-light): left out")
        return None
    pathlib.Path(folder, "balance").write_bytes(BODY * 2)
    pathlib.Path(folder, "nginx.conf").write_text(NGINX.replace("PORT", str(port)).replace("ROOT", folder), encoding="utf-8")
    return subprocess.Popen([exe, "-p", folder, "-c", "nginx.conf"], stderr=subprocess.DEVNULL)


ROUTES = ('<route path="/balance" svc="BALANCE"/><route path="/nocall" echo="Y"/>'
          '<route path="/raw" svc="ECHO" conv="raw" body_max="2M"/><route path="/rawnocall" echo="Y" conv="raw" body_max="2M"/>')


def measure(d, a, folder, started):
    import httpgate  # pylint: disable=import-outside-toplevel
    load, gate = os.path.join(a.build, "bin/http_load"), d.pid(httpgate.GATE)
    print(f"curl -d '{BODY.decode()}' http://127.0.0.1:{d.port}/balance")
    print(d.post("/balance", BODY).body.decode())
    at = lambda name, path, body: Server(name, d.port, gate, request(b"POST", path, body), folder)  # noqa: E731
    bank = at("httpgate, BANK", b"/balance", BODY)
    if a.load:
        pairs = [("BALANCE", CALLERS, bank, at("httpgate, no call", b"/nocall", BODY))]
        pairs.append(("BALANCE, kept connections", 1000, *pairs[0][2:]))
        for name, n in (("10 KB", 10000), ("1 MB", 1000000)):
            pairs.append((name, CALLERS, *(at(name, p, b"x" * n) for p in (b"/raw", b"/rawnocall"))))
        show_load(pairs, load, a)
        return
    servers, port = [bank], httpgate.free_port()
    p = nginx(folder, port)
    if p:
        started.append(p)
        servers.append(Server("nginx, a file", port, p.pid, request(b"GET", b"/balance"), folder))
    port = httpgate.free_port()
    reply = os.path.join(folder, "reply")
    pathlib.Path(reply).write_bytes(BODY * 2)
    p = subprocess.Popen([os.path.join(a.build, "bin/http_poll"), str(port), reply])
    started.append(p)
    servers.append(Server("poll(), no call", port, p.pid, request(b"POST", b"/balance", BODY), folder))
    time.sleep(0.5)
    show_dead(servers, load, a)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--dead", default="0,1000,10000")
    p.add_argument("--ms", type=int, default=2000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--svg")
    p.add_argument("--load", action="store_true")
    a = p.parse_args()
    a.build = os.path.abspath(a.build)
    os.environ.update(OW_BUILD=a.build, OW_TRANSPORT=os.environ.get("OW_TRANSPORT", "shm"))
    sys.path.insert(0, str(ROOT / "tests/e2e"))
    import httpgate  # pylint: disable=import-outside-toplevel
    started = []
    with tempfile.TemporaryDirectory(prefix="ow_http_") as folder:
        try:
            with httpgate.gate(ROUTES, {"name": "banksv", "srvid": 1, "min": 2, "max": 2},
                               {"name": "echosv", "srvid": 20, "min": 2, "max": 2},
                               http='header_time="600" body_time="600"', env=QUEUES) as d:
                measure(d, a, folder, started)
        except httpgate.Skip as why:
            print(f"http_dead: {why}", file=sys.stderr)
            return 1
        finally:
            for one in started:
                one.terminate()
                one.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
