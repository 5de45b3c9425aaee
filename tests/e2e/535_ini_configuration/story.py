# SPDX-License-Identifier: Apache-2.0
"""The ini configuration of NDRX_CCONFIG, in every kind of process."""
import contextlib
import os
import pty
import signal
import subprocess
import tarfile
import termios

from checks import at_most, check, contains, ended, equal, lacks
from fixture import Domain, kill, wait_for
from machine import children_of, stopped

MAINLY = "posix"

# What the ini file gives instead of the environment.
GIVEN = ("NDRX_QPREFIX", "NDRX_APPHOME", "NDRX_ULOG", "NDRX_CONFIG",
         "NDRX_TOUT", "NDRX_DEBUG_STR")


def _into_file(d, more=""):
    """Move the environment of the domain into an ini file."""
    lines = [f"{name}={d.env.pop(name)}" for name in GIVEN[:-1]]
    d.env.pop("NDRX_DEBUG_STR")
    path = f"{d.home}/app.ini"
    with open(path, "w", encoding="utf-8") as f:
        f.write("; the domain\n[@global]\n" + "\n".join(lines) + "\n" + more)
    d.env["NDRX_CCONFIG"] = path


def test_the_global_section_is_the_environment_of_all_processes():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ENV"})
        _into_file(d, "OW_OF_ALL=from the file\n")
        d.xadmin("start", "-y")
        equal(d.call("ENV", "OW_OF_ALL").data, "from the file")
        contains(d.xadmin("printenv").stdout, "OW_OF_ALL=from the file\n")
        contains(d.xadmin("ppm").stdout, "runok")


def test_the_tag_of_a_server_chooses_its_sub_section():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ENV", "cctag": "FIRST"},
                    {"srvid": 2, "appopt": "ENV", "cctag": "FIRST/SECOND",
                     "sysopt": "-s ENV2:ENV -n ENV"})
        _into_file(d, "OW_TAG=none\nOW_BASE=b\n"
                      "[@global/FIRST]\nOW_TAG=${OW_BASE}1\n"
                      "[@global/SECOND]\nOW_TAG=2\n")
        d.xadmin("start", "-y")
        equal(d.call("ENV", "OW_TAG").data, "b1")
        equal(d.call("ENV2", "OW_TAG").data, "2")
        contains(d.xadmin("printenv").stdout, "OW_TAG=none\n")


def test_the_debug_section_is_the_configuration_of_the_log():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "SAY"})
        _into_file(d, "[@debug]\n*=ndrx=2 tp=2 file=${NDRX_APPHOME}/all.log\n"
                      "testsv=tp=4 file=${NDRX_APPHOME}/sv.log\n")
        d.xadmin("start", "-y")
        equal(d.call("SAY", "in the log").err, "OK")
        with open(f"{d.home}/sv.log", encoding="utf-8") as f:
            contains(f.read(), "in the log")


def test_later_files_and_folders_win():
    with Domain() as d:
        _into_file(d, "OW_A=1\nOW_B=1\n")
        os.mkdir(f"{d.home}/more")
        for name, text in (("1.conf", "[@global]\nOW_B=2\n"),
                           ("2.txt", "[@global]\nOW_B=3\n")):
            with open(f"{d.home}/more/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        d.env["NDRX_CCONFIG1"] = f"{d.home}/more"
        for name in ("OW_A=1\n", "OW_B=2\n"):
            contains(d.xadmin("printenv").stdout, name)
        d.env["NDRX_CCONFIG2"] = f"{d.home}/none"
        r = d.xadmin("printenv")
        contains(r.stderr, f"{d.home}/none: No such file")
        lacks(r.stdout, "OW_B=3")
        del d.env["NDRX_CCONFIG2"]


def test_tools_without_a_domain_read_the_global_section_too():
    with Domain() as d:
        for name, text in (("t.fd", "T_FIELD 1001 long\n"),
                           ("app.ini", "[@global/TOOLS]\nFIELDTBLS=t.fd\n"
                            f"[@global]\nFLDTBLDIR={d.home}\n")):
            with open(f"{d.home}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        d.env.update(NDRX_CCONFIG=f"{d.home}/app.ini", NDRX_CCTAG="TOOLS")
        ended(d.run("mkfldhdr"), 0)
        with open(f"{d.home}/t.fd.h", encoding="utf-8") as f:
            contains(f.read(), "T_FIELD")


def test_the_section_of_the_field_data_base_names_its_folder():
    with Domain() as d:
        _into_file(d, "[@ubfdb]\nresource=${NDRX_APPHOME}/fields\n")
        equal(d.client()("fldadd", "T_NAME", 77).err, "OK")
        contains(d.xadmin("pubfdb").stdout, "T_NAME")
        contains(d.xadmin("printenv").stdout, f"NDRX_UBFDB={d.home}/fields\n")


def test_the_lock_file_of_a_group_is_that_of_exsinglesv():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO", "procgrp": "ONE"},
                    {"name": "exsinglesv", "srvid": 9, "procgrp_lp": "ONE",
                     "cctag": "ONE"},
                    sections='<procgroups><procgroup name="ONE" grpno="1" '
                    'singleton="Y"/></procgroups>')
        _into_file(d, "[@exsinglesv/ONE]\nlockfile_1=${NDRX_APPHOME}/one\n"
                      "lockfile_2=${NDRX_APPHOME}/two\n")
        contains(d.xadmin("testcfg").stdout,
                 f"lock file of group ONE: {d.home}/one")
        d.xadmin("start", "-y")
        equal(d.row("psg", group="ONE").lockfile, f"{d.home}/one")
        # The start does not wait for members of the group.
        wait_for(lambda: d.pid(1), "the member runs")
        equal(d.call("ECHO", "x").data, "x")


def test_without_a_file_nothing_changes():
    with Domain() as d:
        d.env["NDRX_CCONFIG"] = ""
        ended(d.xadmin("printenv"), 0)
        equal(d.xadmin("printenv").stderr, "")


def _key(d, text="a key of 32 characters, or nearly"):
    """A file with a key, which NDRX_ENCKEYFILE names in the ini file."""
    path = f"{d.home}/key"
    with open(path, "w", encoding="utf-8") as f:
        f.write(text + "\n")
    os.chmod(path, 0o600)
    return f"NDRX_ENCKEYFILE={path}\n"


def _encrypt(d, text):
    """By the standard input; an argument gives the same kind of text."""
    env = {"NDRX_ENCKEYFILE": f"{d.home}/key"}
    r = d.run("exencrypt", text=text + "\n", env=env)
    ended(r, 0)
    equal(d.run("exdecrypt", r.stdout.strip(), env=env).stdout, text + "\n")
    ended(d.run("exencrypt", text, env=env), 0)
    return r.stdout.strip()


def _with(**envs):
    """A server with these variables."""
    return {"srvid": 1, "appopt": "ENV",
            "xml": "<envs>" + "".join(f'<env name="{name}">{text}</env>'
                                      for name, text in envs.items())
                   + "</envs>"}


def _files(folder):
    """What stands in all files of a folder."""
    for path, _, names in os.walk(folder):
        for name in names:
            if os.path.isfile(f"{path}/{name}"):
                with open(f"{path}/{name}", "rb") as f:
                    yield name, f.read()


def test_encrypted_values_reach_processes_and_nobody_else():
    with Domain() as d:
        key = _key(d)
        hidden = _encrypt(d, "s3cret-word")
        d.configure(_with(OW_PART="${dec=" + hidden + "}",
                          OW_WHOLE="u/${OW_PART}@db"))
        _into_file(d, key + "OW_GLOBAL=g-${dec=" + hidden + "}\n"
                      "NDRX_XA_OPEN_STR=bank:${OW_GLOBAL}\n"
                      "NDRX_OWN_WORD=w-${OW_GLOBAL}\n")
        d.xadmin("start", "-y")
        equal(d.call("ENV", "OW_GLOBAL").data, "g-s3cret-word")
        equal(d.call("ENV", "NDRX_XA_OPEN_STR").data, "bank:g-s3cret-word")
        contains(d.xadmin("printenv").stdout, "OW_GLOBAL=***\n")
        equal(d.call("ENV", "OW_PART").data, "s3cret-word")
        equal(d.call("ENV", "OW_WHOLE").data, "u/s3cret-word@db")
        for words in (("config",), ("config", "-x"), ("config", "--json"),
                      ("testcfg",), ("events",), ("ppm", "--json"),
                      ("printenv",)):
            lacks(d.xadmin(*words, ok=False).stdout, "s3cret-word")
        ended(d.xadmin("report", f"{d.home}/report.tgz"), 0)
        with tarfile.open(f"{d.home}/report.tgz") as t:
            contains(t.extractfile("environment.txt").read(),
                     b"NDRX_OWN_WORD=***\n")
            for m in t.getmembers():
                lacks(t.extractfile(m).read(), b"s3cret-word", m.name)
        contains(d.xadmin("config", "-x").stdout, "${dec=" + hidden + "}")
        ended(d.xadmin("reload", "-y"), 0)
        equal(d.call("ENV", "OW_WHOLE").data, "u/s3cret-word@db")
        for name, text in _files(d.home):
            equal(b"s3cret-word" in text, False, name)


# Listings that look at processes and at the configuration.
LISTINGS = ("ps", "ps --json", "pc", "pc --json", "ppm", "ppm --json", "psrv",
            "config", "config -x", "config --json", "testcfg", "events", "doctor",
            "clients", "releases", "mibget -c T_SERVER", "mibget -c T_CLIENT",
            "stat", "printenv", "logs")


def test_encrypted_words_of_command_lines_are_in_no_listing():
    with Domain() as d:
        key = _key(d)
        hidden = "${dec=" + _encrypt(d, "s3cret-word") + "}"
        d.configure({"srvid": 1, "appopt": f"ECHO init=dieif:/{hidden}"},
                    sections='<clients><client cmdline="sh -c '
                    f"'echo $1 &gt; {d.home}/got.new; cd {d.home}; "
                    "mv got.new got; exec sleep 1000' sh "
                    f'{hidden}"><exec tag="ONE" autostart="Y"/></client>'
                    f'<client cmdline="/none-{hidden}/x {hidden}"><exec tag="TWO" '
                    'autostart="Y"/></client></clients>')
        _into_file(d, key)
        d.xadmin("start", "-y")
        wait_for(lambda: os.path.exists(f"{d.home}/got"), "the client runs")
        with open(f"{d.home}/got", encoding="utf-8") as f:
            equal(f.read(), "s3cret-word\n")
        os.unlink(f"{d.home}/got")
        equal(d.call("ECHO", "x").data, "x")
        contains(d.xadmin("ps").stdout, "testsv ***\n")
        contains(d.xadmin("mibget", "-c", "T_SERVER").stdout, " *** ")
        contains(d.xadmin("events").stdout, "init=dieif:/${dec=")
        for words in LISTINGS:
            r = d.xadmin(*words.split(), ok=False)
            lacks(r.stdout + r.stderr, "s3cret-word", words)
        for name, text in _files(d.home):
            equal(b"s3cret-word" in text, False, name)


def test_a_value_that_cannot_be_decrypted_is_a_plain_error():
    with Domain() as d:
        key = _key(d)
        hidden = _encrypt(d, "s3cret-word")
        good = _with(OW_PART="${dec=" + hidden + "}")
        d.configure(good)
        path = d.env["NDRX_CONFIG"]
        _into_file(d, key + "OW_GLOBAL=${dec=" + hidden + "}\n")
        d.env["NDRX_CONFIG"] = path
        d.xadmin("start", "-y")
        for text, says in ((hidden[:-4], "not encrypted with the key"),
                           (hidden[:-1], "not base64, or cut off")):
            d.configure(_with(OW_PART="${dec=" + text + "}"))
            r = d.xadmin("testcfg", ok=False)
            ended(r, 1, f"${{dec=...}}: {says}")
            ended(d.xadmin("reload", "-y", ok=False), 1, says)
            equal(d.call("ENV", "OW_PART").data, "s3cret-word")
        d.configure(good)
        _key(d, "another key")
        r = d.xadmin("testcfg", ok=False)
        ended(r, 1, "<envs>")
        contains(r.stderr, "configuration OW_GLOBAL: ${dec=...}: not encrypted "
                           "with the key of this process, or changed since; "
                           "the key is left out")
        lacks(d.xadmin("printenv").stdout, "OW_GLOBAL")
        # Servers that are started again have no value, and are not started.
        ended(d.xadmin("restart", "-i", "1", ok=False), 1)
        _key(d)
        ended(d.xadmin("start", "-y", "-i", "1"), 0)
        equal(d.call("ENV", "OW_PART").data, "s3cret-word")


def test_a_command_for_the_key_runs_once_for_values_that_are_read_together():
    with Domain() as d:
        runs = f"{d.home}/runs"
        command = f"echo >> {runs}; echo the key"
        hidden = d.run("exencrypt", "s3cret-word",
                       env={"NDRX_ENCKEYCMD": command}).stdout.strip()
        values = {f"OW_{i}": "${dec=" + hidden + "}" for i in range(5)}
        d.configure({**_with(**values), "min": 8, "max": 8})
        d.env["NDRX_ENCKEYCMD"] = command

        def run(*words, until=lambda: True):
            with open(runs, "w", encoding="utf-8"):
                pass
            d.xadmin(*words)
            wait_for(until, words)
            with open(runs, encoding="utf-8") as f:
                return len(f.readlines())

        def adopted():
            return [e.text for e in d.rows("events")].count("found running")
        # For the file; for the entry when it is checked, started, adopted.
        equal(run("testcfg"), 2)
        at_most(run("start", "-y"), 4)
        equal(d.call("ENV", "OW_4").data, "s3cret-word")
        kill(d.ndrxd_pid())
        at_most(run("idle", until=lambda: adopted() == 8), 3)
        ended(d.xadmin("reload", "-y"), 0)
        equal(d.call("ENV", "OW_4").data, "s3cret-word")


def test_exencrypt_and_exdecrypt_say_what_is_wrong():
    with Domain() as d:
        for words, text, status, says in (
                (("exencrypt", "a", "b"), "", 2, "usage: exencrypt"),
                (("exdecrypt", "-x"), "", 2, "usage: exdecrypt"),
                (("exencrypt",), "", 1, "there is no line"),
                (("exencrypt",), "\n", 1, "1 to 4095 bytes"),
                (("exencrypt",), "x" * 4096 + "\n", 1, "1 to 4095 bytes"),
                (("exencrypt",), "se\0cret\n", 1, "there is a NUL in it"),
                (("exencrypt",), "secret\0\n", 1, "there is a NUL in it"),
                (("exdecrypt", "QUJD"), "", 1, "not encrypted with this key"),
                (("exdecrypt",), "?\n", 1, "not base64")):
            ended(d.run(*words, text=text), status, says)
        long = "x" * 4095
        r = d.run("exencrypt", "-", text=long + "\n")
        ended(r, 0)
        equal(d.run("exdecrypt", text=r.stdout).stdout, long + "\n")


def test_exencrypt_and_exdecrypt_fail_when_nobody_gets_what_they_print():
    with Domain() as d:
        hidden = d.run("exencrypt", "a").stdout.strip()
        for words in (("exencrypt", "a"), ("exdecrypt", hidden)):
            with open("/dev/full", "wb") as full:
                r = subprocess.run([d.program(words[0]), words[1]],
                                   env=d.env, stdout=full, text=True,
                                   stderr=subprocess.PIPE, check=False)
            equal(r.returncode, 1, words)
            contains(r.stderr, "standard output: not all of it was written")


@contextlib.contextmanager
def _at_a_terminal(*argv, env):
    """A program at a terminal of its own: its pid, the terminal's other end."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, env)
    end = os.open(os.readlink(f"/proc/{pid}/fd/0"), os.O_RDWR | os.O_NOCTTY)
    try:
        yield pid, terminal
    finally:
        kill(pid)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
        os.close(end)
        os.close(terminal)


def _shows(terminal):
    return termios.tcgetattr(terminal)[3] & termios.ECHO != 0


def _said(terminal, before):
    """All that was written to a terminal; `before`: a list, the pieces of it."""
    os.set_blocking(terminal, False)
    with contextlib.suppress(OSError):  # no more now, or ever
        while True:
            before.append(os.read(terminal, 4096).decode())
    os.set_blocking(terminal, True)
    return "".join(before)


def test_who_ends_exencrypt_finds_the_terminal_as_it_was():
    with Domain() as d:
        for sig, key in ((signal.SIGINT, b"\x03"), (signal.SIGQUIT, b"\x1c"),
                         (signal.SIGTERM, None), (signal.SIGHUP, None)):
            with _at_a_terminal(d.program("exencrypt"), env=d.env) as (p, t):
                wait_for(lambda: not _shows(t), "it asks")
                if key is not None:
                    os.write(t, key)
                else:
                    kill(p, sig)
                _, status = os.waitpid(p, 0)
                equal(os.WTERMSIG(status), sig)
                check(_shows(t), sig)


def test_exencrypt_asks_again_when_it_was_suspended():
    with Domain() as d:
        with _at_a_terminal("/bin/sh", "-c", 'set -m; "$0"; read x; fg',
                            d.program("exencrypt"), env=d.env) as (sh, t):
            wait_for(lambda: not _shows(t), "it asks")
            child, = children_of(sh)
            os.write(t, b"half\x1a")
            wait_for(lambda: stopped(child), "it is suspended")
            check(_shows(t), "the terminal as it was")
            os.write(t, b"\n")
            wait_for(lambda: not _shows(t), "it asks again")
            os.write(t, b"s3cret\n")
            said = []
            wait_for(lambda: "Once more" in _said(t, said), "the first")
            wait_for(lambda: not _shows(t), "it asks for the second time")
            os.write(t, b"s3cret\n")
            wait_for(lambda: _shows(t), "it has it")
            os.waitpid(sh, 0)
            lacks(_said(t, said), "s3cret")
            equal(d.run("exdecrypt", _said(t, said).split()[-1]).stdout,
                  "s3cret\n")
