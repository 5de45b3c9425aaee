# SPDX-License-Identifier: Apache-2.0
"""bindings.py - what other languages make of the runtime, C beside them in each round

A language is a row of LANGUAGES: the command of its driver, for each kind of
client, and its server. A driver prints what bench/languages/client.py says.
"""
import json
import os
import shutil
import subprocess
import sys

from domain import Domain, DomainFailed
from report import median
from tree import SOURCE
from ways import ways

HERE = os.path.join(SOURCE, "bench", "languages")
TABLE = (
    ("bench", "bench", 8, "%s"), ("transport", "transport", 9, "%s"),
    ("what", "what", 28, "%s"), ("language", "language", 8, "%s"),
    ("calls_per_s", "calls/s", 8, "%d"), ("of_c", "of C", 5, "%.2f"),
    ("us", "us", 6, "%.2f"),
)


class C:
    """The measure of the others: the drivers of the other benchmarks."""
    name, server = "C", "echosv"
    clients = {"echo": ("threads",), "bank": ("threads",)}

    def __init__(self, m):
        self.load = os.path.join(m.bin, "load")

    def here(self):
        return True

    def env(self):
        return {}

    def driver(self, what, how, calls, callers):
        return [self.load, "-s", "ECHO" if what == "echo" else "BALANCE", "-z", "200", "-n",
                str(calls), "-t", str(callers)]


class Python:
    """The package of the build."""
    name, server = "Python", "echo.py"
    clients = {"echo": ("threads",), "bank": ("threads", "tasks")}

    def __init__(self, m):
        self.build = os.path.dirname(m.bin)
        self.site = os.path.join(self.build, "bindings", "python")

    def here(self):
        return os.path.exists(os.path.join(self.site, "onewake", "_core.abi3.so"))

    def env(self):
        path = os.pathsep.join([os.path.dirname(sys.executable), HERE])
        return {"PYTHONPATH": self.site, "LD_LIBRARY_PATH": os.path.join(self.build, "lib"),
                "PATH": f"{path}:{os.path.join(self.build, 'bin')}:/usr/bin:/bin",
                "FLDTBLDIR": f"{HERE}:{os.path.join(SOURCE, 'examples', 'bank')}",
                "FIELDTBLS": "fields.fd,bank.fd"}

    def driver(self, what, how, calls, callers):
        return [sys.executable, "-B", os.path.join(HERE, "client.py"),
                "tasks" if how == "tasks" else what, str(calls), str(callers)]


class Go:
    """The package of the sources, with a driver and a server of its own; where Go is."""
    name, server = "Go", "goechosv"
    clients = {"echo": ("threads",), "bank": ("threads", "tasks")}

    def __init__(self, m):
        self.build = os.path.dirname(m.bin)
        self.folder = os.path.join(self.build, "go")
        self.go = shutil.which("go") or "/usr/local/go/bin/go"

    def here(self):
        if os.environ.get("OW_SANITIZE") or not os.path.exists(self.go):
            return False
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, "onewake-client.pc"), "w", encoding="utf-8") as f:
            f.write("Name: onewake-client\nDescription: of this build\nVersion: 0\n"
                    f"Cflags: -I{SOURCE}/include -I{self.build}/include\n"
                    f"Libs: -L{self.build}/lib -latmi -lubf\n")
        for name in ("gobench", "goechosv"):
            self.make(name, os.path.join(SOURCE, "bindings", "go"), "./internal/" + name)
        return True

    def make(self, name, folder, source):
        """A program of the module in `folder`: its path."""
        path = os.path.join(self.folder, name)
        env = {**os.environ, "PKG_CONFIG_PATH": self.folder, "GOPROXY": "off",
               "CGO_CFLAGS": f"-O2 -g -I{SOURCE} -I{self.build}"}
        env.pop("LDFLAGS", None)
        subprocess.run([self.go, "build", "-o", path, source], env=env, check=True, cwd=folder)
        return path

    def env(self):
        return {"LD_LIBRARY_PATH": os.path.join(self.build, "lib"),
                "PATH": f"{self.folder}:{os.path.join(self.build, 'bin')}:/usr/bin:/bin",
                "FLDTBLDIR": f"{HERE}:{os.path.join(SOURCE, 'examples', 'bank')}",
                "FIELDTBLS": "fields.fd,bank.fd"}

    def driver(self, what, how, calls, callers):
        return [os.path.join(self.folder, "gobench"), what, str(calls), str(callers)]


LANGUAGES = (C, Python, Go)


def environment(found):
    """What all of them need."""
    env, paths = {}, []
    for x in found:
        of_it = x.env()
        paths += of_it.get("PATH", "").split(":")
        env.update(of_it)
    return {**env, "PATH": ":".join(dict.fromkeys(filter(None, paths)))} if env else env


def bench_bindings(m):
    """Calls and servers of other languages beside C; fields to dict and back."""
    all_of_them = [cls(m) for cls in LANGUAGES]
    found = [x for x in all_of_them if x.here()]
    for x in all_of_them:
        if x not in found:
            m.report.note("%s: not built here\n" % x.name)
    env = environment(found)
    for way in ways(m.transport):
        calls = m.calls or 40000
        with Domain(m.bin, "echosv", 1, env={**env, **way.env()}) as dom:
            dom.start()
            compare(m, dom, way, found, "echo", [("threads", 1)], calls)
            dom.stop()
        with Domain(m.bin, "banksv", (m.servers or [250])[0], env={**env, **way.env()}) as dom:
            dom.start()
            compare(m, dom, way, found, "bank", [("threads", 10), ("tasks", 1000)], calls)
            dom.stop()
        servers(m, way, found, env, calls)
    for x in found:
        if x.name != "C":
            fields(m, x, env)


def drive(m, dom, x, what, how, calls, callers):
    """One run of a driver: calls a second."""
    m.report.note("bindings: %s, %s, %s" % (x.name, what, how))
    r = subprocess.run(x.driver(what, how, calls, callers), env=dom.env, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    try:
        told = json.loads(r.stdout)
    except ValueError:
        raise DomainFailed("the driver in %s ended with status %d" % (
            x.name, r.returncode)) from None
    if told["failed"]:
        m.report.fail("%s: %d calls failed" % (x.name, told["failed"]))
    return told["calls_per_s"]


def row(m, way, what, name, figures, of_c):
    m.report.row(TABLE, {
        "bench": "bindings", "transport": way.transport, "what": what, "language": name,
        "calls_per_s": median(figures),
        "of_c": median(a / b for a, b in zip(figures, of_c))})


def compare(m, dom, way, found, what, hows, calls):
    """Clients of each language in turn, so that all see the same machine."""
    seen = {}
    for _ in range(m.rounds):
        for x in found:
            for how, callers in hows:
                if how in x.clients[what]:
                    seen.setdefault((x.name, how, callers), []).append(
                        drive(m, dom, x, what, how, calls, callers))
    of_c = seen["C", *hows[0]]
    for (name, how, callers), figures in seen.items():
        row(m, way, "%s, %d %s" % (what, callers, how), name, figures, of_c)


def servers(m, way, found, env, calls):
    """One server of each language, one caller in C."""
    seen = {x.name: [] for x in found}
    for _ in range(m.rounds):
        for x in found:
            with Domain(m.bin, x.server, 1, env={**env, **way.env()}) as dom:
                dom.start()
                seen[x.name].append(drive(m, dom, found[0], "echo", "threads", calls, 1))
                dom.stop()
    for name, figures in seen.items():
        row(m, way, "server, 1 caller in C", name, figures, seen["C"])


def fields(m, x, env):
    """Twenty fields into a value of the language, and back."""
    runs = [json.loads(subprocess.run(
        x.driver("fields", "", m.calls or 20000, 1), env={**os.environ, **env}, text=True,
        stdout=subprocess.PIPE, check=True).stdout) for _ in range(m.rounds)]
    for key, what in (("put_ns", "20 fields into a buffer"), ("get_ns", "20 fields of a buffer")):
        m.report.row(TABLE, {"bench": "bindings", "transport": "-", "what": what,
                             "language": x.name,
                             "us": round(median(r[key] for r in runs) / 1000, 2)})
