# SPDX-License-Identifier: Apache-2.0
"""previous.py - programs of an earlier version, beside those of this tree

    with Two(SAME_LAYOUT, this=True) as d:  # ndrxd, xadmin: of this tree
        d.boot({"name": "other_testsv", "srvid": 1, ...})   # the earlier one's

`other_NAME` is program NAME of the version that the domain is not of. Versions
are found in the history, and built once in the build folder, by the long form.
"""
import fcntl
import os
import shutil
import subprocess

from fixture import BUILD, Client, Domain, Skip
from machine import LONG, SLOW
from trans import Trans, XaClient

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                    "../.."))
# The first commit with the layout of the tables that is in force, and the
# last one before it.
SAME_LAYOUT, OTHER_LAYOUT = "{}", "{}^"
PROGRAMS = "ndrxd", "xadmin", "testsv", "testcl", "tmsrv", "xasv", "xacl"
BUILD_S = 900


def _git(*words):
    r = subprocess.run(["git", "-C", ROOT, *words], capture_output=True,
                       text=True, check=False)
    return r.stdout.strip() if r.returncode == 0 else ""


def _commit(layout):
    first = _git("log", "-1", "--format=%H", "-G^#define OW_TABLES_VERSION",
                 "--", "libatmi/domain/tables.h")
    commit = first and _git("rev-parse", "--verify", "-q",
                            layout.format(first) + "^{commit}")
    if not commit:
        raise Skip("the history here does not go back to that layout")
    return commit


def _sources(commit, folder):
    with subprocess.Popen(["git", "-C", ROOT, "archive", commit],
                          stdout=subprocess.PIPE) as tar:
        subprocess.run(["tar", "x", "-C", folder], stdin=tar.stdout, check=True)


def _build(commit, to):
    work = f"{to}.new"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(f"{work}/source")
    _sources(commit, f"{work}/source")
    for words in (("-S", f"{work}/source", "-B", f"{work}/build", "-G", "Ninja",
                   "-DCMAKE_BUILD_TYPE=Release"),
                  ("--build", f"{work}/build", "-j2", "--target", *PROGRAMS,
                   "testxa")):
        r = subprocess.run(["cmake", *words], capture_output=True, text=True,
                           timeout=BUILD_S * SLOW, check=False)
        if r.returncode != 0:
            raise AssertionError(f"{commit} is not built:\n{r.stdout[-3000:]}"
                                 f"{r.stderr[-3000:]}")
    shutil.rmtree(f"{work}/source")
    os.rename(work, to)


def build_of(layout):
    """The folder of a build of an earlier version."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("the earlier version is not sanitized")
    commit = _commit(layout)
    folder = os.path.abspath(os.path.join(BUILD, "previous", commit[:12]))
    if os.path.isdir(folder):
        return f"{folder}/build"
    if not LONG:
        raise Skip("builds an earlier commit for a minute: in the long form")
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(f"{folder}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the other transport's story
        if not os.path.isdir(folder):
            _build(commit, folder)
    return f"{folder}/build"


def _libraries(build):
    """It was moved since it was built: libtestxa.so is not where it was."""
    return f"{build}/lib:{build}/tests/e2e"


class Two(Domain):
    """A domain of one version (`this`: of this tree's) with programs of both."""

    def __init__(self, layout, this):
        earlier = build_of(layout)
        self.mine, self.others = (BUILD, earlier) if this else (earlier, BUILD)
        super().__init__({"PATH": f"{self.mine}/tests/e2e:{self.mine}/bin:/usr/bin:/bin",
                          "LD_LIBRARY_PATH": _libraries(self.mine)})
        os.mkdir(f"{self.home}/bin")
        self.env["PATH"] = f"{self.home}/bin:{self.env['PATH']}"
        for name in PROGRAMS:
            path = f"{self.home}/bin/other_{name}"
            with open(path, "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\nexport LD_LIBRARY_PATH={_libraries(self.others)}\n"
                        f"export PATH={self.others}/tests/e2e:{self.others}/bin:$PATH\n"
                        f"exec {self.find(self.others, name)} \"$@\"\n")
            os.chmod(path, 0o755)

    @staticmethod
    def find(build, name):
        for folder in ("tests/e2e", "bin"):
            if os.path.exists(f"{build}/{folder}/{name}"):
                return f"{build}/{folder}/{name}"
        raise AssertionError(f"{name} is not in {build}")

    def program(self, name):
        if name.startswith("other_"):
            return f"{self.home}/bin/{name}"
        return self.find(self.mine, name)

    def other(self, *words):
        """Run xadmin of the other version."""
        return self.run("other_xadmin", *words)

    def other_client(self):
        return _OtherClient(self)

    def runs_other(self, pid):
        """Is the process one of the other version, with its library?"""
        with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
            said = f.read()
        others, mine = (os.path.realpath(b) for b in (self.others, self.mine))
        return f"{others}/" in said and \
            f"{mine}/lib/" not in said and f"{mine}/bin/" not in said


class TwoInTransactions(Two, Trans):
    """The same, with resource managers."""

    def xa_of(self, build, n, flags=""):
        return {**super().xa(n, flags),
                "NDRX_XA_DRIVERLIB": f"{build}/tests/e2e/libtestxa.so"}

    def xa(self, n, flags=""):
        return self.xa_of(self.mine, n, flags)

    def other_tm(self, n):
        return self.server(100 + n, "-s", "200ms", binary="other_tmsrv",
                           env=self.xa_of(self.others, n))

    def other_sv(self, srvid, n, *services):
        return self.server(srvid, *services, binary="other_xasv",
                           env=self.xa_of(self.others, n))

    def other_xaclient(self, n):
        c = XaClient(_Renamed(self), self.xa_of(self.others, n))
        self.clients.append(c)
        c.ok("open")
        return c


class _OtherClient(Client):
    def __init__(self, d):
        super().__init__(_Renamed(d))
        d.clients.append(self)


class _Renamed:
    """The domain, as a client sees it that is of the other version."""

    def __init__(self, d):
        self.logs, self.env, self.who, self._d = d.logs, d.env, d.who, d

    def program(self, name):
        return self._d.program(f"other_{name}")
