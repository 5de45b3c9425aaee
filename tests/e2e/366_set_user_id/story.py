# SPDX-License-Identifier: Apache-2.0
"""A set-user-ID program does not load, read or write what its caller names."""
import contextlib
import os
import shutil
import tempfile
import time

from checks import contains, equal, lacks
from fixture import BUILD, Domain, Skip

OWNER, CALLER = 62001, 62002


@contextlib.contextmanager
def _domain():
    """A domain of OWNER, and a folder in which CALLER may do anything."""
    if os.geteuid() != 0:
        raise Skip("only root can make a program of another user")
    if os.environ.get("OW_SANITIZE"):
        raise Skip("the leak checker of such a program cannot be switched off")
    with tempfile.TemporaryDirectory(prefix="ow_e2e_suid_") as folder, \
            Domain(user=OWNER) as d:
        os.chown(folder, CALLER, CALLER)
        os.chmod(folder, 0o777)
        if os.statvfs(folder).f_flag & os.ST_NOSUID:
            raise Skip("programs in the temporary folder have no such bit")
        yield d, folder


def _install(folder, mode, name="elevated"):
    path = os.path.join(folder, f"{name}.{mode:o}")
    shutil.copy(f"{BUILD}/tests/e2e/{name}", path)
    os.chown(path, OWNER, OWNER)
    os.chmod(path, mode)
    return path


def _run(d, folder, program, *argv, **env):
    """As CALLER, with a file called `mark` for a library that was loaded."""
    keep = {k: d.env[k] for k in ("NDRX_QPREFIX", "NDRX_TRANSPORT",
                                  "LD_LIBRARY_PATH", "PATH")}
    d.env, old = {**keep, "INTRUDED": f"{folder}/mark", **env}, d.env
    d.program = lambda name: name
    try:
        return d.run(program, *argv, user=CALLER)
    finally:
        d.env = old
        del d.program


def _hostile(folder):
    """A caller's environment: each variable names something of the caller."""
    intruder = f"{BUILD}/tests/e2e/libintruder.so"
    for name, text in (("conf", f"*\tndrx=5 file={folder}/debug\n"),
                       ("ini", f"[@global]\nNDRX_PLUGINS={intruder}\n"),
                       ("own", "*base 10100\nT_OWN 1 long\n"),
                       ("envfile", f"NDRX_ULOG={folder}\n")):
        with open(f"{folder}/{name}", "w", encoding="ascii") as f:
            f.write(text)
    return {
        "NDRX_PLUGINS": intruder,
        "NDRX_XA_RES_ID": "1", "NDRX_XA_OPEN_STR": "x",
        "NDRX_XA_DRIVERLIB": intruder, "NDRX_XA_RMLIB": intruder,
        "NDRX_CCONFIG": f"{folder}/ini",
        "NDRX_DEBUG_STR": f"ndrx=5 tp=5 file={folder}/debugstr",
        "NDRX_DEBUG_CONF": f"{folder}/conf",
        "NDRX_DFLTLOG": f"{folder}/dflt", "NDRX_DMNLOG": f"{folder}/dmn",
        "NDRX_ULOG": folder, "ENVFILE": f"{folder}/envfile",
        "FLDTBLDIR": folder, "FIELDTBLS": "own",
        "NDRX_ENCKEYFILE": f"{folder}/key",
        "NDRX_ENCKEYCMD": f"touch {folder}/mark",
    }


def _made(folder, before):
    """What has come into being in the folder."""
    return sorted(set(os.listdir(folder)) - set(before))


def test_it_loads_and_writes_nothing_that_its_caller_names():
    with _domain() as (d, folder):
        env = _hostile(folder)
        program = _install(folder, 0o4755)
        before = os.listdir(folder)
        r = _run(d, folder, program, **env)
        equal(r.returncode, 0, r.stderr)
        equal(_made(folder, before), [])
        contains(r.stdout, "field unknown")
        contains(r.stderr, "a line of ULOG")
        # The same program without the bit: all of this has an effect.
        r = _run(d, folder, _install(folder, 0o755), **env)
        made = _made(folder, before)
        contains(made, "mark")
        contains(made, "debugstr")
        equal([n[:5] for n in made if n.startswith("ULOG")], ["ULOG."])
        contains(r.stdout, "field known")


def test_a_link_in_the_folder_of_its_caller_is_not_followed():
    with _domain() as (d, folder):
        victim = os.path.join(d.home, "victim")
        with open(victim, "w", encoding="ascii") as f:
            f.write("untouched\n")
        os.chown(victim, OWNER, OWNER)
        program = _install(folder, 0o4755)
        for day in _days():
            os.symlink(victim, os.path.join(folder, f"ULOG.{day}"))
        r = _run(d, folder, "/bin/sh", "-c", f"cd {folder} && exec {program}")
        contains(r.stderr, "a line of ULOG")
        with open(victim, encoding="ascii") as f:
            equal(f.read(), "untouched\n")


def _days():
    now = time.time()
    return {time.strftime("%Y%m%d", time.localtime(now + n))
            for n in (0, 3600)}


def test_it_calls_services_of_the_domain_of_its_user():
    with _domain() as (d, folder):
        d.server(1, "ECHO")
        r = _run(d, folder, _install(folder, 0o4755))
        contains(r.stdout, "ECHO x")
        r = _run(d, folder, _install(folder, 0o755))
        contains(r.stdout, "ECHO TPEPERM")


def test_it_is_no_server():
    with _domain() as (d, folder):
        program = _install(folder, 0o4755, "testsv")
        r = _run(d, folder, program, "-i", "1", "-e", f"{folder}/log", "--",
                 "ECHO")
        equal(r.returncode, 1)
        contains(r.stderr, "is no server")
        lacks(os.listdir(folder), "log")
