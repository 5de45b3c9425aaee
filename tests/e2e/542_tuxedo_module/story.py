# SPDX-License-Identifier: Apache-2.0
"""The Python module `tuxedo` of PyPI, from its source, unmodified: its documented
client and server, and prometheus-tuxedo-exporter, in a domain of a UBBCONFIG.

It needs a package index (pip), a C++ compiler and the headers of Python. Only in
the long form: its build takes a minute of CPU time, a twelfth of all stories."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from checks import contains, equal
from cluster import free_port
from fixture import Domain, kill, wait_for
from machine import BUILD, LONG, SLOW, Skip, at_end

MAINLY = "shm"
COST = 120  # of the long form; it is skipped at once otherwise

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SERVER = """#!%(python)s
import sys
import tuxedo as t

class Server:
    def tpsvrinit(self, args):
        t.tpadvertise('ECHO')
        return 0

    def tpsvrthrinit(self, args):
        return 0

    def tpsvrthrdone(self):
        pass

    def tpsvrdone(self):
        pass

    def ECHO(self, args):
        return t.tpreturn(t.TPSUCCESS, 0, args)

if __name__ == '__main__':
    t.run(Server(), sys.argv)
"""
CLIENT = """import tuxedo as t

rval, rcode, data = t.tpcall('.TMIB', {'TA_CLASS': 'T_SVCGRP',
                                       'TA_OPERATION': 'GET'})
print(rval, 'ECHO' in data['TA_SERVICENAME'])
print(t.tpcall('ECHO', 'text')[2], t.tpcall('ECHO', b'bytes')[2])
cd = t.tpacall('ECHO', {'TA_CLASS': ['a', 'b']})
print(t.tpgetrply(cd)[2])
"""
LOAD = """import sys
import tuxedo as t

n = sum(t.tpcall('ECHO', 'x')[2] == 'x' for _ in range(int(sys.argv[1])))
print(n)
"""
PACKAGES = ("tuxedo==1.0.10", "prometheus-tuxedo-exporter==1.0.1",
            "prometheus_client")
UBB = """*RESOURCES
IPCKEY 123456
DOMAINID %(domain)s
MASTER m1
MODEL SHM
*MACHINES
"%(host)s" LMID=m1 APPDIR="%(app)s" TUXCONFIG="%(app)s/tuxconfig" TUXDIR="%(tuxdir)s"
*GROUPS
GROUP1 LMID=m1 GRPNO=1
*SERVERS
%(servers)s"tpadmsv" SRVGRP=GROUP1 SRVID=40 MIN=1
"""


def _tuxdir(home):
    """A TUXDIR of the build: include and lib."""
    folder = f"{home}/tuxdir"
    os.makedirs(f"{folder}/include")
    for source in (f"{ROOT}/include", f"{BUILD}/include"):
        for name in os.listdir(source):
            if name.endswith(".h"):
                os.symlink(f"{source}/{name}", f"{folder}/include/{name}")
    os.symlink(f"{BUILD}/lib", f"{folder}/lib")
    return folder


def _install(home):
    """The modules, built by pip, in home/site; TUXDIR is home/tuxdir."""
    if not LONG:
        raise Skip("builds C++ for a minute: in the long form")
    if shutil.which("c++") is None or os.environ.get("OW_SANITIZE"):
        raise Skip("needs c++, and programs without sanitizers")
    r = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps",
         "--no-binary", "tuxedo,prometheus-tuxedo-exporter", "--target",
         f"{home}/site", *PACKAGES],
        env={**os.environ, "TUXDIR": _tuxdir(home)}, capture_output=True,
        text=True, timeout=600 * SLOW, check=False)
    if "No matching distribution" in r.stderr or "No module named pip" in \
            r.stderr:
        raise Skip("needs pip and a package index")
    equal(r.returncode, 0, r.stdout + r.stderr)


_MADE = []  # the folder of all facts


def _installed():
    if not _MADE:
        home = tempfile.mkdtemp(prefix="ow_e2e_tuxedo_")
        at_end(shutil.rmtree, home, ignore_errors=True)
        _install(home)
        _MADE.append(home)
    return _MADE[0]


class Tuxedo:
    """A domain of a UBBCONFIG, which is down at the end."""

    def __init__(self, d, servers, **programs):
        made, self.app = _installed(), f"{d.home}/app"
        os.mkdir(self.app)
        site = f"{made}/site"
        files = {**programs, "ubb": UBB % {
            "domain": d.prefix.strip("/"), "app": self.app,
            "host": os.uname().nodename, "tuxdir": f"{made}/tuxdir",
            "servers": servers}}
        for name, text in files.items():
            with open(f"{self.app}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
            os.chmod(f"{self.app}/{name}", 0o755)
        self.env = {k: v for k, v in d.env.items()
                    if not k.startswith("NDRX_") or k == "NDRX_TRANSPORT"}
        self.env.update(
            TUXDIR=f"{made}/tuxdir", TUXCONFIG=f"{self.app}/tuxconfig",
            APPDIR=self.app, LD_LIBRARY_PATH=f"{BUILD}/lib", PYTHONPATH=site,
            PATH=f"{BUILD}/bin:{self.app}:{site}/bin:/usr/bin:/bin",
            FLDTBLDIR32=f"{ROOT}/conf/ubftab", FIELDTBLS32="Excompat")

    def __enter__(self):
        self.ok("tmloadcf", "-y", "ubb")
        self.ok("tmboot", "-y")
        return self

    def __exit__(self, *what):
        self.run("tmshutdown", "-y")

    def run(self, *words):
        return subprocess.run(words, env=self.env, cwd=self.app, text=True,
                              capture_output=True, timeout=60 * SLOW,
                              stdin=subprocess.DEVNULL, check=False)

    def ok(self, *words):
        r = self.run(*words)
        equal(r.returncode, 0, r.stdout + r.stderr)
        return r

    def python(self, program, *words):
        r = self.run(sys.executable, program, *words)
        equal(r.stderr, "")
        return r.stdout


def test_its_documented_client_and_server_run():
    with Domain() as d, Tuxedo(
            d, '"pyecho" SRVGRP=GROUP1 SRVID=20 MIN=1\n',
            pyecho=SERVER % {"python": sys.executable},
            pyclient=CLIENT) as t:
        out = t.python("pyclient")
        for line in ("0 True", "text b'bytes'", "{'TA_CLASS': ['a', 'b']}"):
            contains(out, line)


def _scrape(port):
    """The counters of the exporter: name to value."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics",
                                timeout=10 * SLOW) as r:
        text = r.read().decode()
    return {k: float(v) for k, v in
            re.findall(r"^tuxedo_(\w+)_total (\S+)$", text, re.M)}


def _listens(port):
    try:
        return _scrape(port)
    except OSError:
        return None


def _pid_of(t, port):
    """The process of the exporter that has this port in its arguments."""
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
        except OSError:
            continue
        if b"--port" in words and str(port).encode() in words:
            return int(name)
    return 0


def test_the_exporter_runs_as_a_server_and_as_a_client():
    port, other = free_port(), free_port()
    with Domain() as d, Tuxedo(
            d, '"pyecho" SRVGRP=GROUP1 SRVID=20 MIN=1\n'
            '"prometheus-tuxedo-exporter.py" SRVGRP="GROUP1" SRVID=5555\n'
            f'    CLOPT="-- --port {port} --addr 127.0.0.1"\n'
            "    MAX=1 MAXGEN=2  GRACE=0 RESTART=Y\n",
            pyecho=SERVER % {"python": sys.executable},
            pyload=LOAD) as t:
        before = wait_for(lambda: _listens(port), "the exporter", 20)
        equal(sorted(before), ["numdequeue", "numenqueue", "numpost",
                               "numreq", "numtran", "numtranabt",
                               "numtrancmt"])
        equal(t.python("pyload", "7"), "7\n")
        equal(_scrape(port)["numreq"] - before["numreq"], 7.0)
        old = _pid_of(t, port)
        kill(old)
        wait_for(lambda: _pid_of(t, port) not in (0, old), "restarted", 20)
        after = wait_for(lambda: _listens(port), "it serves again", 20)
        equal(after["numreq"] - before["numreq"], 7.0, "what was counted")
        client = subprocess.Popen(
            [sys.executable, f"{_installed()}/site/bin/"
             "prometheus-tuxedo-exporter.py", "--port", str(other),
             "--addr", "127.0.0.1"],
            env=t.env, cwd=t.app, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            equal(wait_for(lambda: _listens(other), "the client", 20), after)
        finally:
            client.kill()
            client.wait()
