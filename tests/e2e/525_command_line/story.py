# SPDX-License-Identifier: Apache-2.0
"""xadmin's command line: help, completion, progress, scripts."""
import os
import pathlib
import pty
import re
import select
import subprocess
import time

from checks import at_least, at_most, check, contains, ended, equal, lacks
from covers import covers
from fixture import Domain, wait_for
from machine import BUILD, SLOW

MAINLY = "posix"

ROOT = pathlib.Path(__file__).resolve().parents[3]
BASH = """
source {root}/conf/xadmin.bash-completion
compopt() {{ :; }}
COMP_WORDS=(xadmin "$@") COMP_CWORD=$#
_xadmin
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# The one home of the number.
VERSION = (pathlib.Path(__file__).resolve().parents[3] / "VERSION").read_text(
    encoding="utf-8").strip()


def _complete(d, *words):
    r = subprocess.run(["bash", "-c", BASH.format(root=ROOT), "bash", *words],
                       env=d.env, cwd=d.home, capture_output=True, text=True,
                       timeout=30, check=False)
    equal(r.stderr, "")
    return set(r.stdout.split())


def _commands(d):
    return re.findall(r"^  ([a-z]\w*)", d.xadmin("help").stdout, re.M)


def test_bash_completes_commands_and_names():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               {"srvid": 10, "min": 0, "max": 2, "appopt": "UPPER"})
        equal(_complete(d, ""), set(_commands(d)))
        equal(_complete(d, "relo"), {"reload"})
        equal({"-y", "-s", "-i", "-k", "-f", "--help"} -
              _complete(d, "stop", "-"), set(), "options missed")
        equal(_complete(d, "psc", "--w"), {"--wide", "--watch"})
        equal(_complete(d, "start", "-i", ""), {"1", "10", "11"})
        equal(_complete(d, "stop", "-yi", "1"), {"1", "10", "11"})
        equal(_complete(d, "sr", "-s", "t"), {"testsv"})
        equal(_complete(d, "unadv", "-s", ""), {"ECHO"})
        equal(_complete(d, "help", "psc"), {"psc"})
        equal(_complete(d, "appconfig", "restart_m"), {"restart_min",
                                                       "restart_max"})
        equal(_complete(d, "testcfg", "ndrx"), {"ndrxconfig.xml"})
        equal(_complete(d, "qrm", "/"), {f"/{d.prefix},svc,ECHO"})
        equal(_complete(d, "nosuch", ""), set())


def _read_to_the_end(fd):
    """Read until all processes have closed the terminal."""
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass
    os.close(fd)


def _at_prompt(d, keys, until, shell=None):
    """Type at the prompt, or in a shell; returns the output of the
    terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.clear()
        os.environ.update({**d.env, "TERM": "xterm", "NO_COLOR": "1",
                           "PS1": "> ", "INPUTRC": "/dev/null"})
        if shell is not None:
            os.execvp(shell[0], shell)
        os.execv(d.program("xadmin"), ["xadmin"])
    text, deadline = "", time.monotonic() + 20
    while until not in text and time.monotonic() < deadline:
        if keys and "> " in text:
            os.write(fd, keys.encode())
            keys = ""
        if not select.select([fd], [], [], 0.5)[0]:
            continue
        try:
            text += os.read(fd, 65536).decode()
        except OSError:
            break
    os.write(fd, b"\x15quit\n" if shell is None else b"\x15exit\n")
    _read_to_the_end(fd)
    os.waitpid(pid, 0)
    return text


def test_the_prompt_completes_words():
    with Domain() as d:
        d.boot({"srvid": 77, "appopt": "ECHO"})
        _at_prompt(d, "unadv -i 7\t-s E\t\n", "CHO")
        wait_for(lambda: d.call("ECHO", "x").err == "TPENOENT", "unadv")


def _make_bad_file(d):
    """A configuration with an error, behind a name with a blank."""
    os.makedirs(f"{d.home}/far/my files")
    with open(f"{d.home}/far/my files/bad.xml", "w", encoding="utf-8") as f:
        f.write("<endurox><nothing/></endurox>")


def test_the_prompt_completes_folders_and_quotes_names():
    with Domain() as d:
        _make_bad_file(d)
        for keys in ("%s/fa\tm\tb\t\n", "%s/far/my\\ f\tb\t\n",
                     "\"%s/far/my f\tb\t\n"):
            contains(_at_prompt(d, "testcfg " + keys % d.home, "<nothing>"),
                     "far/my files/bad.xml:1:")


def test_bash_completes_folders_and_quotes_names():
    with Domain() as d:
        _make_bad_file(d)
        rc = f"{d.home}/rc"
        with open(rc, "w", encoding="utf-8") as f:
            f.write(f"source {ROOT}/conf/xadmin.bash-completion\nPS1='> '\n")
        for keys in ("%s/fa\tm\tb\t\n", "%s/far/my\\ f\tb\t\n",
                     "\"%s/far/my f\tb\t\n"):
            contains(_at_prompt(d, "xadmin testcfg " + keys % d.home,
                                "<nothing>", shell=("bash", "--rcfile", rc)),
                     "far/my files/bad.xml:1:")


def test_every_program_has_help_and_version():
    def say(path, option):
        r = subprocess.run([path, option], env=d.env, cwd=d.home, text=True,
                           stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=30, check=False)
        equal((r.returncode, r.stderr), (0, ""), f"{path} {option}")
        return r.stdout

    with Domain() as d:
        root = f"{d.home}/root"
        subprocess.run(["cmake", f"-DCMAKE_INSTALL_PREFIX={root}", "-P",
                        os.path.join(BUILD, "cmake_install.cmake")],
                       stdout=subprocess.DEVNULL, check=True)
        paths = [*pathlib.Path(root, "bin").iterdir(), d.program("banksv")]
        at_least(len(paths), 25, "programs")
        for path in paths:
            # A second name for the same program.
            name = re.sub("32$", "", os.path.basename(path))
            contains(say(path, "--help").lower(),
                     name if name != "xadmin" else "help")
            equal(say(path, "--version"), f"{name} (Onewake) {VERSION}\n")


@covers("xadmin help")
def test_help_explains_every_command_with_an_example():
    with Domain() as d:
        names = _commands(d)
        at_least(len(names), 40, names)
        for name in names:
            text = d.xadmin("help", name).stdout
            check(text.startswith(name), text)
            contains(text, "\nExample:\n  ")
            equal(text, d.xadmin(name, "--help").stdout
                  if name not in ("echo", "set", "unset") else text)
            at_most(max(map(len, text.splitlines())), 100, text)
        listed = d.xadmin("help").stdout
        at_most(max(map(len, listed.splitlines())), 80, listed)


def test_a_terminal_shows_the_progress_of_a_start():
    with Domain() as d:
        d.configure({"srvid": 1, "min": 5, "max": 5, "appopt": "ECHO"},
                    {"srvid": 10, "name": "nosuchprogram"})
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.clear()
            os.environ.update(d.env)
            os.execv(d.program("xadmin"), ["xadmin", "start", "-y"])
        text = ""
        while True:
            try:
                text += os.read(fd, 65536).decode()
            except OSError:
                break
        equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 1)
        os.close(fd)
        contains(text, "[ 1 of 6 done, 0 failed")
        contains(text, "[ 6 of 6 done, 1 failed")
        plain = re.sub(r"\[ \d+ of \d+ done[^\r]*\r\033\[K", "", text)
        lacks(plain, "\033")
        equal(plain.count("... Started.\r\n"), 5, plain)
        r = d.xadmin("stop", "-y")
        lacks(r.stderr, "\033", "no terminal, no such line")


@covers("xadmin echo")
def test_a_script_of_commands_runs_to_its_end():
    with Domain() as d:
        r = d.run("xadmin", text="# a comment\n\necho one 'two  three'\n"
                  "nosuch\npsc -z\nset OW_X=5\necho done\n")
        equal(r.stdout, "one two  three\ndone\n")
        equal(r.returncode, 2, "the last failure's code")


def test_output_that_was_not_written_is_an_exit_status():
    with Domain() as d:
        d.server(1, "ECHO")
        how = {"env": d.env, "timeout": 30 * SLOW, "check": False, **d.who()}
        for words in (("psc",), ("psc", "--json"), ("help",)):
            with open("/dev/full", "wb") as full:
                r = subprocess.run([d.program("xadmin"), *words], stdout=full,
                                   stderr=subprocess.PIPE, **how)
            equal(r.returncode, 1, words)
            contains(r.stderr.decode(), "standard output: not all of it")
        r = subprocess.run(["bash", "-c", "xadmin help | head -1; exit $PIPESTATUS"],
                           capture_output=True, **how)
        equal((r.returncode, r.stderr), (0, b""), "a reader that has seen enough")


def test_an_option_that_counts_once_is_not_taken_twice():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "UPPER"},
               {"srvid": 3, "appopt": "PID"})
        for words in (("suspend", "-s", "ECHO", "-s", "UPPER"),
                      ("unadv", "-i", 1, "-i", 2, "-s", "ECHO"),
                      ("drain", "-y", "-v", "ECHO", "-v", "UPPER")):
            r = d.xadmin(*words, ok=False)
            equal(r.returncode, 2, words)
            contains(r.stderr, "is given twice")
        r = d.xadmin("rc", "-t", "NONE", "-w", "5s", ok=False)
        equal(r.returncode, 2, r.stderr)
        r = d.xadmin("drain", "-y", "-i", 1, "-v", "UPPER", ok=False)
        equal((r.returncode, d.call("ECHO", "x").data), (2, "x"), r.stderr)
        equal(d.call("UPPER", "x").data, "X")
        for verb in ("stop", "restart", "sreload", "drain"):
            for opt in ("-s", "-g", "-i"):  # "$SRV" of a variable that is not set
                r = d.xadmin(verb, "-y", opt, "", ok=False)
                equal(r.returncode, 2, (verb, opt))
                contains(r.stderr, "empty value")
        equal(d.xadmin("sreload", "-y", "", ok=False).returncode, 2)
        equal(d.xadmin("stop", "-y", "-i", 1, "-i", "x", ok=False).returncode, 2)
        check(d.pid(1) != 0, "nothing was done")
        d.xadmin("stop", "-y", "-i", 1, "-i", 2)
        equal([d.pid(i) != 0 for i in (1, 2, 3)], [False, False, True])
        d.xadmin("stop", "-y")
        equal(d.xadmin("stop", "-y", "-i", "x", ok=False).returncode, 2)


@covers("xadmin ver", "xadmin poller", "xadmin pmode")
def test_xadmin_shows_version_poller_and_build():
    with Domain() as d:
        equal(d.xadmin("ver").stdout, d.xadmin("-v").stdout)
        contains(d.xadmin("ver").stdout, "Onewake ")
        equal(d.xadmin("poller").stdout, "epoll\n")
        build = dict(line.split("=", 1) for line in
                     d.xadmin("pmode").stdout.splitlines())
        equal(build["transports"], "posix,shm")
        at_least(int(build["OW_SRV_MAX"]), 65535)


@covers("xadmin set", "xadmin unset", "xadmin printenv")
def test_set_and_unset_change_the_session():
    with Domain() as d:
        r = d.run("xadmin", text="set OW_ONE=1\nset OW_TWO = two words\n"
                  "printenv\nunset OW_ONE\npe\n")
        lines = r.stdout.splitlines()
        equal((lines.count("OW_ONE=1"), lines.count("OW_TWO=two words")),
              (1, 2))
        first = lines[:lines.index("OW_TWO=two words")]
        equal(first, sorted(first))
        for words, says in (("set X", "give NAME=VALUE"),
                            ("set =1", "give NAME=VALUE"),
                            ("unset", "give the NAME"),
                            ("unset A B", "give the NAME")):
            r = d.run("xadmin", text=f"{words}\n")
            ended(r, 2, says)


@covers("xadmin quit")
def test_quit_ends_a_script():
    with Domain() as d:
        for word in ("quit", "q", "exit"):
            r = d.run("xadmin", text=f"echo before\n{word}\necho after\n")
            equal((r.returncode, r.stdout), (0, "before\n"), word)


@covers("xadmin cat")
def test_cat_joins_a_start_in_progress():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO", "sleep_after": 2},
                    {"srvid": 10, "appopt": "UPPER"})
        equal(d.xadmin("cat", ok=False).returncode, 3, "no ndrxd")
        p = d.background("xadmin", "start", "-y")
        wait_for(lambda: d.pid(1), "the first one")
        r = d.xadmin("cat")
        ended(r, 0, "exec testsv -i 10 -- UPPER :", "... Started.")
        equal(p.wait(10), 0)
        check(d.pid(10), "the second one runs")
        r = d.xadmin("cat")
        contains(r.stderr, "nothing")
