# SPDX-License-Identifier: Apache-2.0
"""The Debian packages: contents, upgrade and removal under a running domain.

It is installed into a folder that stands for /."""
import fcntl
import glob
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from checks import at_least, contains, differs, equal, lacks
from fixture import Domain, Skip, kill, wait_for
from machine import BUILD

MAINLY = "posix"
HEAVY = True
COST = 15
ROOT = pathlib.Path(__file__).resolve().parents[3]


def run(*argv, cwd=None, env=None):
    r = subprocess.run(argv, capture_output=True, text=True, cwd=cwd,
                       env=env, check=False, stdin=subprocess.DEVNULL)
    if r.returncode != 0:
        raise AssertionError(f"{' '.join(argv)}: exit {r.returncode}\n"
                             f"{r.stdout}{r.stderr}")
    return r.stdout + r.stderr


def newest():
    """When the last file that may be in the package was changed."""
    return max(os.path.getmtime(os.path.join(at, n))
               for top in (f"{BUILD}/bin", f"{BUILD}/lib", f"{ROOT}/doc",
                           f"{ROOT}/conf", f"{ROOT}/include", f"{ROOT}/cmake")
               for at, _, names in os.walk(top) for n in names
               if os.path.exists(os.path.join(at, n)))


def packages():
    """The packages of this build by name, made once for the stories of both
    transports: it takes half a minute."""
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitized build")
    for tool in ("cpack", "dpkg", "dpkg-deb", "dpkg-shlibdeps"):
        if shutil.which(tool) is None:
            raise Skip(f"needs {tool}")
    folder = os.path.abspath(f"{BUILD}/package")
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = glob.glob(f"{folder}/*deb")
        if not found or os.path.getmtime(found[0]) < newest():
            found = make_packages(folder)
    return {os.path.basename(name).split("_")[0]: name for name in found}


def package():
    """That of what a domain needs."""
    return packages()["onewake"]


def make_packages(folder):
    for name in glob.glob(f"{folder}/*deb"):
        os.remove(name)
    with tempfile.TemporaryDirectory(prefix="ow_deb_") as at:
        run("cpack", "--config", f"{BUILD}/CPackConfig.cmake", "-B", at, "-D",
            "CPACK_DEBIAN_COMPRESSION_TYPE=none", cwd=at)
        for name in glob.glob(f"{at}/*deb"):
            shutil.copy(name, folder)
    return glob.glob(f"{folder}/*deb")


def newer(deb, folder):
    """The same package with a later version."""
    tree = f"{folder}/tree"
    run("dpkg-deb", "-R", deb, tree)
    path = f"{tree}/DEBIAN/control"
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(re.sub(r"^(Version: .*)$", r"\1+2", text, flags=re.M))
    out = f"{folder}/newer.deb"
    run("dpkg-deb", "-b", "-Znone", "--root-owner-group", tree, out)
    shutil.rmtree(tree)
    return out


class Root:
    """A folder that stands for /, with a dpkg database of its own."""

    def __init__(self, path):
        if os.geteuid() != 0:
            raise Skip("needs root for dpkg")
        self.path = path
        os.makedirs(f"{path}/var/lib/dpkg/updates")
        os.makedirs(f"{path}/var/lib/dpkg/info")
        open(f"{path}/var/lib/dpkg/status", "w", encoding="utf-8").close()

    def dpkg(self, *words, **env):
        return run("dpkg", f"--root={self.path}", "--log=/dev/null",
                   "--force-depends", "--force-script-chrootless",
                   "--force-unsafe-io", *words, env={**os.environ, **env})

    def files(self):
        return [os.path.join(folder, n) for folder, _, names in
                os.walk(self.path) for n in names
                if "/var/lib/dpkg" not in folder]


def domain_of(root, **env):
    """A domain that runs the programs of the root folder."""
    d = Domain(env=env)
    d.env["PATH"] = f"{root.path}/usr/bin:{BUILD}/tests/e2e:/usr/bin:/bin"
    d.env["LD_LIBRARY_PATH"] = f"{root.path}/usr/lib"

    def program(name):
        path = f"{root.path}/usr/bin/{name}"
        return path if os.path.exists(path) else Domain.program(name)
    d.program = program
    return d


def stale(pid):
    """Replaced files of the package that the process has still mapped."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        return re.findall(r"/(lib(?:onewake|atmi)\S*|ndrxd) \(deleted\)",
                          f.read())


def names_in(deb):
    return set(re.findall(r" \./(\S+)", run("dpkg-deb", "-c", deb)))


def test_clients_need_no_library_of_bridges_and_consoles():
    debs = packages()
    for name, has, needs in (
            ("onewake-dev", "usr/include/atmi.h", "onewake (= "),
            ("onewake-dev", "usr/share/man/man3/tpcall.3", "onewake (= "),
            ("onewake-dev", "usr/lib/pkgconfig/onewake-server.pc", "onewake"),
            ("onewake-dev", "usr/lib/libonewake.so", "onewake"),
            ("onewake-dev", "usr/bin/buildserver", "onewake"),
            ("onewake-bridge", "usr/bin/ndrxbridge", "libnats"),
            ("onewake-bridge", "usr/bin/tpbridge", "onewake (= "),
            ("onewake-httpgate", "usr/bin/httpgate", "onewake (= "),
            ("onewake-httpgate", "usr/bin/restincl", "libc6"),
            ("onewake-httpgate", "usr/bin/restoutsv", "onewake (= "),
            ("onewake-console", "usr/bin/ndrxtop", "libncurses")):
        if name not in debs and name != "onewake-dev":
            continue  # its library is not here
        contains(names_in(debs[name]), has, name)
        contains(run("dpkg-deb", "-f", debs[name], "Depends"), needs, name)
        equal(has in names_in(debs["onewake"]), False, has)
    depends = run("dpkg-deb", "-f", debs["onewake"], "Depends")
    for library in ("libnats", "libncurses", "libpq", "libmariadb"):
        equal(library in depends, False, depends)
    # Debuggers find the symbols of a program by its build id.
    names = names_in(debs["onewake-dbgsym"])
    equal([n for n in names if n.endswith(".debug")] == [], False)
    equal(all(n.startswith("usr/lib/debug/.build-id/") for n in names
              if n.endswith(".debug")), True)


def test_the_package_contains_programs_libraries_and_manuals():
    deb = package()
    control = run("dpkg-deb", "-f", deb)
    for field in ("Package: onewake", "Architecture: ", "Maintainer: ",
                  "Depends: ", "Description: ATMI"):
        contains(control, field)
    for lib in ("libc6", "libev4", "libxml2", "libyajl2", "libedit2",
                "libmicrohttpd12"):
        contains(control, lib, lib)
    names = names_in(deb)
    for name in ("usr/bin/ndrxd", "usr/bin/xadmin", "usr/bin/ndrxmetrics",
                 "usr/bin/ud", "usr/lib/libatmi.so.0",
                 "usr/lib/libonewake.so.0",
                 "usr/share/doc/onewake/copyright",
                 "usr/share/doc/onewake/operating.md",
                 "usr/share/onewake/onewake.rules.yml",
                 "usr/share/onewake/ubftab/tpadm",
                 "usr/share/onewake/ubftab/Usysfl32",
                 "usr/share/man/man8/ndrxd.8"):
        contains(names, name, name)
    strange = [n for n in names if not n.startswith("usr/")
               and n.rstrip("/") not in ("usr", "")]
    equal(strange, [])
    lacks(" ".join(names), "udataobj", "only of an installation of its own")
    equal([n for n in names if "/tests" in n or n.endswith(".o")], [])


def test_the_gate_for_http_is_a_package_where_it_was_built():
    debs = packages()
    built = os.path.exists(f"{BUILD}/bin/httpgate")
    equal("onewake-httpgate" in debs, built)
    if not built:
        raise Skip("httpgate was not built: it needs go 1.22")
    lacks(run("dpkg-deb", "-f", debs["onewake-httpgate"], "Depends"), "golang")
    with tempfile.TemporaryDirectory(prefix="ow_root_") as folder:
        root = Root(f"{folder}/root")
        root.dpkg("-i", debs["onewake"], debs["onewake-httpgate"])
        at = f"{root.path}/usr/bin/httpgate"
        env = {**os.environ, "LD_LIBRARY_PATH": f"{root.path}/usr/lib"}
        contains(run(at, "--version", env=env), "httpgate")
        made = re.search(r"Build ID: (..)(\w+)", run("readelf", "-n", at))
        contains(names_in(debs["onewake-dbgsym"]), f"usr/lib/debug/.build-id/{made[1]}/{made[2]}.debug")


def test_an_upgrade_under_a_running_domain_fails_no_call():
    deb = package()
    with tempfile.TemporaryDirectory(prefix="ow_root_") as folder:
        root = Root(f"{folder}/root")
        root.dpkg("-i", deb)
        with domain_of(root) as d:
            d.boot({"srvid": 1, "min": 4, "max": 4, "appopt": "ECHO"})
            pid = d.ndrxd_pid()
            equal(os.readlink(f"/proc/{pid}/exe"),
                  f"{root.path}/usr/bin/ndrxd")
            c = d.client()
            enough = f"{d.home}/enough"
            c.begin("calls", "ECHO", 0, 4, 60, enough)
            wait_for(lambda: d.row("psc", service="ECHO").succeeded > 100,
                     "load")
            contains(root.dpkg("-i", newer(deb, folder)), "+2")
            differs(stale(d.pid(1)), [])  # it keeps the old files
            d.xadmin("sreload", "-y", "-s", "testsv")
            equal([stale(d.pid(i)) for i in range(1, 5)], [[]] * 4)
            kill(pid)  # ndrxd last: the new one takes over
            wait_for(lambda: not os.path.exists(f"/proc/{pid}") or
                     d.ndrxd_pid() != pid, "its end")
            # Its lock goes with the last of its threads.
            wait_for(lambda: d.xadmin("idle", ok=False).returncode == 0,
                     "a new ndrxd")
            wait_for(lambda: d.row("stat").ndrxd_running and
                     d.ndrxd_pid() != pid, "it is another one")
            equal(stale(d.ndrxd_pid()), [])
            open(enough, "w", encoding="utf-8").close()
            r = c.end(30)
            equal((r.errors, r.wrong), ({}, 0))
            at_least(r.ok, 100, "calls")


def test_a_removal_under_a_running_domain_is_refused_unless_told():
    deb = package()
    with tempfile.TemporaryDirectory(prefix="ow_root_") as folder:
        root = Root(f"{folder}/root")
        root.dpkg("-i", deb)
        with domain_of(root) as d:
            d.boot({"srvid": 1, "appopt": "ECHO"})
            equal(d.call("ECHO", "before").data, "before")
            before = root.files()
            try:
                said = root.dpkg("-r", "onewake")
            except AssertionError as refused:
                said = str(refused)
            contains(said, f"onewake: running domains: {d.prefix} - stop")
            equal(root.files(), before)
            root.dpkg("-r", "onewake", ONEWAKE_REMOVE="anyway")
            equal(root.files(), [])
            equal(d.call("ECHO", "after").data, "after")
            root.dpkg("-i", deb)  # to stop it properly
        differs(root.dpkg("-P", "onewake"), "")
        equal(root.files(), [])
