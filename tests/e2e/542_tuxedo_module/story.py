# SPDX-License-Identifier: Apache-2.0
"""The Python module `tuxedo` of PyPI, from its source, unmodified: its documented
client and server, in a domain of a UBBCONFIG.

It needs a package index (pip), a C++ compiler and the headers of Python. Only in
the long form: its build takes a minute of CPU time, a twelfth of all stories."""
import os
import shutil
import subprocess
import sys

from checks import contains, equal
from fixture import Domain
from machine import BUILD, LONG, SLOW, Skip

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
"pyecho" SRVGRP=GROUP1 SRVID=20 MIN=1
"tpadmsv" SRVGRP=GROUP1 SRVID=40 MIN=1
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


def _installed(home, tuxdir):
    """The module, built by pip: the folder that it is in."""
    if not LONG:
        raise Skip("builds C++ for a minute: in the long form")
    if shutil.which("c++") is None or os.environ.get("OW_SANITIZE"):
        raise Skip("needs c++, and programs without sanitizers")
    r = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps",
         "--no-binary", "tuxedo", "--target", f"{home}/site",
         "tuxedo==1.0.10"], env={**os.environ, "TUXDIR": tuxdir},
        capture_output=True, text=True, timeout=600 * SLOW, check=False)
    if "No matching distribution" in r.stderr or "No module named pip" in \
            r.stderr:
        raise Skip("needs pip and a package index")
    equal(r.returncode, 0, r.stdout + r.stderr)
    return f"{home}/site"


def test_its_documented_client_and_server_run():
    with Domain() as d:
        tuxdir, app = _tuxdir(d.home), f"{d.home}/app"
        site = _installed(d.home, tuxdir)
        os.mkdir(app)
        files = {"pyecho": SERVER % {"python": sys.executable},
                 "pyclient": CLIENT,
                 "ubb": UBB % {"domain": d.prefix.strip("/"), "app": app,
                               "host": os.uname().nodename,
                               "tuxdir": tuxdir}}
        for name, text in files.items():
            with open(f"{app}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        os.chmod(f"{app}/pyecho", 0o755)
        env = {k: v for k, v in d.env.items()
               if not k.startswith("NDRX_") or k == "NDRX_TRANSPORT"}
        env.update(TUXDIR=tuxdir, TUXCONFIG=f"{app}/tuxconfig", APPDIR=app,
                   LD_LIBRARY_PATH=f"{BUILD}/lib", PYTHONPATH=site,
                   PATH=f"{BUILD}/bin:{app}:/usr/bin:/bin",
                   FLDTBLDIR32=f"{ROOT}/conf/ubftab", FIELDTBLS32="Excompat")

        def run(*words):
            return subprocess.run(words, env=env, cwd=app, text=True,
                                  capture_output=True, timeout=60 * SLOW,
                                  stdin=subprocess.DEVNULL, check=False)
        equal(run("tmloadcf", "-y", "ubb").returncode, 0)
        try:
            r = run("tmboot", "-y")
            equal(r.returncode, 0, r.stdout + r.stderr)
            r = run(sys.executable, "pyclient")
            equal(r.stderr, "")
            for line in ("0 True", "text b'bytes'",
                         "{'TA_CLASS': ['a', 'b']}"):
                contains(r.stdout, line)
        finally:
            run("tmshutdown", "-y")
