#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""http_dead.py - what a call costs a gate beside connections that sent half a request

    bench/http_dead.py BUILD [--dead 0,1000,10000] [--calls 5000] [--svg FILE]

A private domain with BANK and httpgate, and a server that waits with poll() beside
it (written here, one process). Eight callers with kept connections make calls while
so many others have sent half a request and say nothing more. What counts is CPU time
of the server for each call, by /proc: other work of the machine does not change it
much, as it does calls per second. Memory is resident memory for each dead connection.
"""
import argparse
import os
import pathlib
import resource
import select
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BODY = b'{"T_ACCNUM": "ACC000000001", "T_ACCCUR": "EUR"}'
HALF = b"POST /balance HTTP/1.1\r\nHost: a\r\nContent-Le"
CALL = b"POST /balance HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
CALLERS = 8


def serve_by_poll(port):
    """Answers each request that has come whole; looks at every connection each time."""
    listener = socket.create_server(("127.0.0.1", port), backlog=4096)
    listener.setblocking(False)
    poll, conns = select.poll(), {}
    poll.register(listener, select.POLLIN)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)
    while True:
        for fd, _ in poll.poll():
            if fd == listener.fileno():
                s, _ = listener.accept()
                conns[s.fileno()] = [s, b""]
                poll.register(s, select.POLLIN)
                continue
            s, had = conns[fd]
            try:
                part = s.recv(65536)
            except OSError:
                part = b""
            if not part:
                poll.unregister(fd)
                s.close()
                del conns[fd]
            elif (had + part).endswith(CALL):
                conns[fd][1] = b""
                s.sendall(answer)
            else:
                conns[fd][1] = had + part


def cpu(pid):
    """Seconds that a process has used."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    words = pathlib.Path(f"/proc/{pid}/statm").read_text().split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE")


def call(port, calls):
    """A caller; an answer that is none ends the benchmark."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        for _ in range(calls):
            s.sendall(CALL)
            said = b""
            while not said.endswith(b"}"):
                part = s.recv(4096)
                if not part:
                    os._exit(1)
                said += part
            if not said.startswith(b"HTTP/1.1 200 "):
                print(said.decode(), file=sys.stderr)
                os._exit(1)


def measure(port, pid, dead, calls):
    """CPU microseconds for each call, calls per second, bytes for each dead connection."""
    before = resident(pid)
    held = []
    for _ in range(dead):
        s = socket.create_connection(("127.0.0.1", port))
        s.sendall(HALF)
        held.append(s)
    time.sleep(0.5)
    memory = (resident(pid) - before) / dead if dead else 0
    threads = [threading.Thread(target=call, args=(port, calls // CALLERS)) for _ in range(CALLERS)]
    used, began = cpu(pid), time.monotonic()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    took, used = time.monotonic() - began, cpu(pid) - used
    for s in held:
        s.close()
    n = calls // CALLERS * CALLERS
    return used / n * 1e6, n / took, memory


def plot(path, rows, counts):
    """CPU time for each call against dead connections, as lines."""
    top = max(r[2] for r in rows) * 1.1
    marks = []
    for name, colour in (("httpgate", "#06c"), ("poll()", "#c30")):
        points = [(60 + 500 * counts.index(r[1]) / max(1, len(counts) - 1), 260 - 220 * r[2] / top)
                  for r in rows if r[0] == name]
        line = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        marks.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>'
                     f'<text x="{points[-1][0] + 5:.0f}" y="{points[-1][1]:.0f}" fill="{colour}">{name}</text>')
    marks += [f'<text x="{60 + 500 * i / max(1, len(counts) - 1):.0f}" y="285">{n}</text>'
              for i, n in enumerate(counts)]
    pathlib.Path(path).write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="660" height="300" font-family="sans-serif" '
        f'font-size="12"><text x="5" y="15">CPU microseconds for each call, up to {top:.0f}; '
        f'dead connections</text>{"".join(marks)}</svg>\n', encoding="utf-8")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--dead", default="0,1000,10000")
    p.add_argument("--calls", type=int, default=5000)
    p.add_argument("--svg")
    p.add_argument("--poll", type=int, help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.poll:
        return serve_by_poll(a.poll)
    os.environ.update(OW_BUILD=os.path.abspath(a.build), OW_TRANSPORT=os.environ.get("OW_TRANSPORT", "shm"))
    sys.path.insert(0, str(ROOT / "tests/e2e"))
    import httpgate  # pylint: disable=import-outside-toplevel
    counts, rows = [int(n) for n in a.dead.split(",")], []
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200
    if max(counts) > most:
        print(f"at most {most} dead connections: more files may not be open here (ulimit -n)")
        counts = [n for n in counts if n <= most]
    routes = '<route path="/balance" svc="BALANCE"/>'
    port = httpgate.free_port()
    beside = subprocess.Popen([sys.executable, __file__, a.build, "--poll", str(port)])
    try:
        with httpgate.gate(routes, {"name": "banksv", "srvid": 1, "min": 2, "max": 2},
                           http='header_time="600" body_time="600"') as d:
            print(f"curl -d '{BODY.decode()}' http://127.0.0.1:{d.port}/balance")
            print(d.post("/balance", BODY).body.decode())
            for n in counts:
                rows.append(("httpgate", n, *measure(d.port, d.pid(httpgate.GATE), n, a.calls)))
        for n in counts:
            rows.append(("poll()", n, *measure(port, beside.pid, n, a.calls)))
    except httpgate.Skip as why:
        print(f"http_dead: {why}", file=sys.stderr)
        return 1
    finally:
        beside.kill()
        beside.wait()
    print(f"{'server':10}{'dead':>8}{'CPU us/call':>14}{'calls/s':>10}{'bytes/dead':>12}")
    for name, n, used, rate, memory in rows:
        print(f"{name:10}{n:8}{used:14.1f}{rate:10.0f}{memory:12.0f}")
    if a.svg:
        plot(a.svg, rows, counts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
