# SPDX-License-Identifier: Apache-2.0
"""Other users look at a domain and command it, as <access> says: operators, admins,
and nobody else."""
import contextlib
import json
import os
import socket
import struct
import subprocess
import tempfile

from checks import at_least, check, contains, differs, ended, equal, lacks
from covers import covers
from fixture import Domain, kill, wait_for
from guests import (ASKED, AUDIT, GUEST, OTHER, OWNER, SERVICES, STRANGER, TELLERS,
                    gate_socket, guest_domain)
from machine import pids_of
from terminal import Terminal, need_tmux

MAINLY = "shm"
COST = 6

# Every command of xadmin: its words, who may give it, and what it says where
# it may fail. ALL: it needs no domain. LOOK: operators, admins, the owner.
ALL, LOOK, ADMIN, OWNER_ONLY = range(4)
COMMANDS = [
    ("help", ALL), ("quit", ALL), ("echo hello", ALL), ("ver", ALL),
    ("poller", ALL), ("pmode", ALL), ("printenv", ALL), ("set A=B", ALL),
    ("unset A", ALL), ("ps -x 1", ALL), ("svmaps", ALL), ("svqids", ALL),
    ("svsemids", ALL), ("testcfg FILE", ALL), ("config FILE", ALL),
    ("provision -d FOLDER/USER", ALL),
    ("import -n ubbconfig FOLDER/ubb", ALL), ("scan FOLDER/ubb", ALL),

    ("testcfg", LOOK), ("config", LOOK), ("config -x", LOOK), ("cat", LOOK),
    ("dping -c 1", LOOK), ("dpid", LOOK), ("appconfig", LOOK), ("lcf", LOOK),
    ("stat", LOOK), ("ppm", LOOK), ("ppm -3", LOOK), ("psg", LOOK),
    ("psc", LOOK), ("psc -s", LOOK), ("psvc", LOOK), ("prtsvc", LOOK),
    ("psrv", LOOK),
    ("pq", LOOK), ("pqa", LOOK), ("events -n 5", LOOK), ("clients", LOOK),
    ("calls", LOOK), ("calls --stuck", LOOK), ("calls age>0", OWNER_ONLY),
    ("pubfdb", LOOK), ("acl", LOOK), ("shmcfg", LOOK), ("shms", LOOK), ("doctor", LOOK),
    ("cacheshow", LOOK), ("hosts", LOOK), ("http", LOOK), ("schema", LOOK), ("spans", LOOK), (f"logs {32 * 'a'}", LOOK), ("when", LOOK, "no black box"), ("pc", LOOK), ("mibget -c T_SERVER", LOOK), ("printtrans", LOOK),
    ("recoverlocal", LOOK), ("pnet", LOOK), ("times", LOOK), ("releases", LOOK), ("mqlq", LOOK), ("mqlc", LOOK),
    ("mqlm -s NONE -q Q", LOOK, "NONE"), ("mqdm -s NONE -m x", LOOK, "MSGID"),
    ("mqexport -s NONE", LOOK, "NONE"),

    ("unadv -i 1 -s ECHO", ADMIN), ("readv -i 1 -s ECHO", ADMIN),
    ("suspend -s ECHO", ADMIN), ("resume -s ECHO", ADMIN),
    ("lcf logchg -A tp=4", ADMIN), ("lcf disable", ADMIN),
    ("appconfig sanity 2", ADMIN), ("stop -y -i 1", ADMIN),
    ("start -y -i 1", ADMIN), ("drain -y -i 1", ADMIN),
    ("start -y -i 1", ADMIN), ("restart -y -i 1", ADMIN),
    ("sreload -y -i 1", ADMIN), ("reload -y", ADMIN),
    ("cabort -y", ADMIN, "nothing in progress"),
    ("cacheinval -s ECHO", ADMIN, "not cached"),
    ("mmon", ADMIN), ("mmoff", ADMIN),
    ("bc -t IDLE", ADMIN), ("rc -t IDLE", ADMIN), ("sc -t IDLE", ADMIN),
    ("killall nothing", ADMIN, "no process nothing"),
    ("qrm /nothing", ADMIN, "queue"),
    ("qrmall nothing", ADMIN, "queue"),
    (f"aborttrans -t @TM-9-9-9 -x {32 * '1'} -y", ADMIN, "no tmsrv offers"),
    (f"committrans -t @TM-9-9-9 -x {32 * '1'} -y", ADMIN, "no tmsrv offers"),
    (f"commitlocal -s @TM-9-9-9 -x {48 * '1'} -y", ADMIN, "no tmsrv offers"),
    (f"abortlocal -s @TM-9-9-9 -x {48 * '1'} -y", ADMIN, "no tmsrv offers"),
    (f"forgetlocal -s @TM-9-9-9 -x {48 * '1'} -y", ADMIN, "no tmsrv offers"),

    ("mqrm -s NONE -m x", ADMIN, "MSGID"), ("mqrc", ADMIN),
    ("mqpurge -y -s NONE -q Q", ADMIN, "NONE"),
    ("mqmv -i 99 -m x -s NONE -q Q", ADMIN, "MSGID"),
    ("mqch -s NONE -q Q", ADMIN, "NONE"),

    ("passwd -l", OWNER_ONLY), ("report FOLDER/report", OWNER_ONLY), ("mqimport -s NONE", OWNER_ONLY),
    ("repair", OWNER_ONLY),
    ("idle", OWNER_ONLY), ("ldcf", OWNER_ONLY), ("dsleep 0.1", OWNER_ONLY),
    ("call ECHO", OWNER_ONLY), ("down -y", OWNER_ONLY), ("udown -y", OWNER_ONLY),
]
IDLE = ('<clients><client cmdline="sleep 600"><exec tag="IDLE" autostart="N"/>'
        '</client></clients>')
UBB = """*RESOURCES
IPCKEY 52617
MODEL SHM
MASTER here
*MACHINES
"host" LMID=here
*GROUPS
G GRPNO=1 LMID=here
*SERVERS
testsv SRVGRP=G SRVID=1
"""


@contextlib.contextmanager
def _office(look=AUDIT, admin=TELLERS):
    """A domain, a folder that all may write to, and xadmin as any user."""
    access = (f'<access group="{admin}" admin="Y"/>'
              f'<access group="{look}"/><access group="62102" look="N"/>')
    with tempfile.TemporaryDirectory(prefix="ow_e2e_all_") as folder, \
            guest_domain(access=access + IDLE) as d:
        os.chmod(folder, 0o777)
        for name, text in (("ubb", UBB),
                           ("ndrxconfig.xml", "<endurox><servers/></endurox>")):
            with open(f"{folder}/{name}", "w", encoding="ascii") as f:
                f.write(text)
        d.groups = {GUEST: [TELLERS], OTHER: [AUDIT], STRANGER: [62102]}

        def as_(user, *words, **kw):
            for word, value in (("FOLDER", folder), ("USER", str(user)),
                                ("FILE", f"{folder}/ndrxconfig.xml")):
                words = [w.replace(word, value) for w in words]
            return d.run(*words, user=user, env=ASKED, **kw)
        yield d, as_


def _words(r):
    return r.stdout + r.stderr


def _refused(r, user, what):
    """By name, and it names who may."""
    differs(r.returncode, 0, what)
    contains(_words(r), "TPEPERM", what)
    lacks(_words(r), "finished", what)
    if user == STRANGER and "whose domain it is" not in _words(r):
        contains(_words(r), f"user {STRANGER} is in no group", what)
    else:
        contains(_words(r), f"user {OWNER}", what)


def _done(r, row, what):
    if len(row) > 2:
        contains(_words(r), row[2], what)
        lacks(_words(r), "TPEPERM", what)
    else:
        equal(r.returncode, 0, f"{what}: {_words(r)}")


def test_the_table_has_every_command_of_xadmin():
    with Domain() as d:
        told = {line.split()[0].rstrip(",")
                for line in d.xadmin("help").stdout.splitlines()
                if line.startswith("  ")}
    at_least(len(told), 50, "commands")
    equal(told - {row[0].split()[0] for row in COMMANDS}, set())


def test_operators_see_what_the_owner_sees():
    with _office() as (d, as_):
        equal(d.call("ECHO", "x").data, "x")
        for row in COMMANDS:
            if row[1] != LOOK:
                continue
            words = row[0].split()
            own = d.run("xadmin", *words)
            r = as_(OTHER, "xadmin", *words)
            what = f"xadmin {row[0]} of an operator: {_words(r)}"
            equal(r.returncode, own.returncode, what)
            equal(r.stderr, own.stderr, what)  # the titles
            equal(bool(r.stdout), bool(own.stdout), what)
        names = [r["service"] for r in json.loads(
            as_(OTHER, "xadmin", "psc", "--json").stdout)]
        contains(names, "ECHO")
        r = as_(OTHER, "xadmin", "psc", "--csv")
        equal(r.stdout, d.xadmin("psc", "--csv").stdout)
        contains(as_(OTHER, "xadmin", "events").stdout, "start")
        # On a terminal: the titles stand above the rows.
        for user in (OWNER, OTHER):
            both = subprocess.run(
                [d.program("xadmin"), "psc"], env={**d.env, **ASKED},
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                stdin=subprocess.DEVNULL, check=True, **d.who(user)).stdout
            contains(both.splitlines()[0], "Service Name", f"user {user}")


@covers("look", "admin")
def test_every_command_is_for_those_whom_the_table_names():
    with _office() as (d, as_):
        pid, ndrxd = d.pid(1), d.ndrxd_pid()
        for user in (STRANGER, OTHER):
            for row in COMMANDS:
                what = f"xadmin {row[0]} of user {user}"
                r = as_(user, "xadmin", *row[0].split())
                if row[1] == ALL:
                    _done(r, row, what)
                elif row[1] > LOOK or user == STRANGER:
                    _refused(r, user, what)
        equal((d.pid(1), d.ndrxd_pid()), (pid, ndrxd), "nobody changed it")
        equal(d.call("ECHO", "x").data, "x")
        for row in COMMANDS:
            what = f"xadmin {row[0]} of an admin"
            r = as_(GUEST, "xadmin", *row[0].split())
            if row[1] == OWNER_ONLY:
                _refused(r, GUEST, what)
            elif row[0] not in ("doctor", "pubfdb"):
                _done(r, row, what)
        differs(d.pid(1), pid, "an admin may")
        equal(d.ndrxd_pid(), ndrxd, "the domain is the same")
        equal(d.call("ECHO", "x").data, "x")
        told = d.xadmin("events").stdout
        for words in ("restart", "run xadmin", "lcf disable"):
            check(any(words in line and f"by user {GUEST}" in line
                      for line in told.splitlines()), f"who gave {words}")


SECRETS = ("geheim1", "geheim2", "geheim3", "geheim4")


def test_operators_see_no_secrets():
    """Variables, open strings, urls and options, wherever they are shown."""
    with _office() as (d, as_):
        d.configure(
            {**SERVICES, "xml": '<envs><env name="DB_PASSWORD">geheim1</env>'
             '<env name="NDRX_XA_OPEN_STR">user=u geheim2</env></envs>'},
            sections=f'<access group="{AUDIT}"/><access group="{TELLERS}" '
            'admin="Y"/><cluster name="c" node="1" '
            'urls="nats://u:geheim3@127.0.0.1:1"/><clients><client cmdline='
            '"sleep 600 --password geheim4"><exec tag="IDLE" autostart="N"/>'
            "</client></clients>")
        d.xadmin("reload", "-y")
        d.xadmin("bc", "-t", "IDLE", ok=False)
        shown = set()
        for words in (["config"], ["config", "--json"], ["config", "-x"],
                      ["config", "--csv"], ["events"], ["events", "--json"],
                      ["testcfg"], ["clients"], ["doctor"], ["pc"], ["psg"],
                      ["ppm", "--json"], ["pnet"],
                      ["mibget", "-c", "T_SERVER"]):
            own = _words(d.run("xadmin", *words))
            shown |= {s for s in SECRETS if s in own}
            for user in (OTHER, GUEST):
                r = as_(user, "xadmin", *words)
                for s in SECRETS:
                    lacks(_words(r), s, f"{words} of {user}")
        equal(sorted(shown & set(SECRETS[:3])), list(SECRETS[:3]),
              "the owner sees them")
        contains(as_(OTHER, "xadmin", "config").stdout, "***")
        d.xadmin("sc", "-t", "IDLE", ok=False)


def test_operators_do_not_see_what_is_masked_in_messages():
    with _office() as (d, as_):
        with open(f"{d.home}/t.fd", "w", encoding="ascii") as f:
            f.write("CARD 2002 string\nNAME 2003 string\n")
        with open(f"{d.home}/q.conf", "w", encoding="ascii") as f:
            f.write("A\n")
        d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
        d.configure(SERVICES, settings={"mask": "CARD"}, sections=IDLE +
                    f'<access group="{AUDIT}"/>'
                    f'<access group="{TELLERS}" admin="Y"/>')
        d.xadmin("reload", "-y")
        d.server(80, "-m", "S", "-q", f"{d.home}/q.conf", binary="tmqueue")
        c = d.client()
        equal(c("enq", "S", "A", "-", "-",
                "FIELDS:CARD=4711,NAME=Ann").err, "OK")
        contains(d.xadmin("mqexport", "-s", "S").stdout, "4711")
        for user in (OTHER, GUEST):
            r = as_(user, "xadmin", "mqexport", "-s", "S")
            contains(r.stdout, '"***"')
            lacks(_words(r), "4711", f"mqexport of {user}")


def test_operators_cannot_push_others_out_of_the_history():
    with _office() as (d, as_):
        before = len(d.rows("events", "-n", "1000"))
        for _ in range(20):
            equal(as_(OTHER, "xadmin", "testcfg").returncode, 0)
            equal(as_(OTHER, "xadmin", "appconfig").returncode, 0)
            differs(as_(OTHER, "xadmin", "reload", "-y").returncode, 0)
        equal(len(d.rows("events", "-n", "1000")), before)
        equal(as_(GUEST, "xadmin", "reload", "-y").returncode, 0)
        contains(d.xadmin("events").stdout, f"{GUEST}")


def test_an_operator_of_a_stopped_domain_is_told_so():
    with _office() as (d, as_):
        d.xadmin("stop", "-y")
        for words in ("psc", "doctor", "start -y", "killall x"):
            r = as_(OTHER, "xadmin", *words.split())
            differs(r.returncode, 0, words)
            contains(_words(r), "does not run", words)


def test_the_console_and_the_figures_are_for_operators_too():
    with _office() as (d, as_):
        r = as_(OTHER, "ndrxtop", "-b", "-s", "services")
        ended(r, 0)
        contains(r.stdout, "ECHO")
        r = as_(OTHER, "ndrxmetrics", "-1")
        ended(r, 0)
        contains(r.stdout, "onewake_up 1")
        check(r.stdout.endswith("# EOF\n"), "the whole text")
        for program in (("ndrxtop", "-b"), ("ndrxmetrics", "-1")):
            r = as_(STRANGER, *program)
            differs(r.returncode, 0, program)
            contains(r.stderr, f"user {STRANGER} is in no group")


def _is_console(pid):
    with contextlib.suppress(OSError), \
            open(f"/proc/{pid}/comm", encoding="utf-8") as f:
        return f.read() == "ndrxtop\n"
    return False


def _as(user, *groups):
    return ("setpriv", f"--reuid={user}", f"--regid={user}",
            f"--groups={','.join(map(str, groups))}")


def test_the_console_runs_on_the_terminal_of_an_operator():
    need_tmux()
    with _office() as (d, _):
        with Terminal(d, "ndrxtop", "-d", "0.2", env=ASKED,
                      before=_as(OTHER, AUDIT)) as t:
            t.wait("ECHO")
            t.keys("2")
            t.wait("testsv")
            t.resize(100, 30)
            wait_for(lambda: "help" in t.screen()[29], "drawn anew")
            t.keys("x")
            t.wait("for guests")
            t.keys("q")
            t.wait("status 0")
        with Terminal(d, "ndrxtop", env=ASKED,
                      before=_as(STRANGER, 62102)) as t:
            t.wait(f"user {STRANGER} is in no group", 10)
        with Terminal(d, "ndrxtop", env=ASKED,
                      before=_as(OTHER, AUDIT)) as t:
            t.wait("ECHO")  # the terminal goes away, and the console with it
        wait_for(lambda: not any(map(_is_console, pids_of(d.prefix))),
                 "no console is left")


def test_programs_that_run_for_a_guest_are_few_and_end_with_it():
    with _office() as (d, as_):
        def consoles():
            return [p for p in pids_of(d.prefix) if _is_console(p)
                    and os.stat(f"/proc/{p}").st_uid == OWNER]

        mine = [subprocess.Popen(
            [d.program("ndrxtop"), "-b", "-n", "0"], env={**d.env, **ASKED},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **d.who(OTHER))
            for _ in range(4)]
        wait_for(lambda: len(consoles()) == 4, "they run")
        r = as_(OTHER, "xadmin", "psc")
        ended(r, 1, "too many programs run for guests")
        ended(as_(GUEST, "xadmin", "psc"), 0)  # another user has room
        for p in mine[:2]:
            p.kill()
        wait_for(lambda: len(consoles()) == 2, "they ended with the guest")
        ended(as_(OTHER, "xadmin", "psc"), 0)
        # The others end with ndrxd.
        kill(d.ndrxd_pid())
        wait_for(lambda: not consoles(), "they ended with ndrxd")
        for p in mine:
            p.communicate(timeout=20)
        d.xadmin("start", "-y")


CONTROL_CMD = struct.Struct("<IHHIIIIII64s256s")


def _order(d, user, name, text, flags=0, fds=None):
    """What ndrxd answers to CMD run of a guest: (status, text)."""
    parent, child = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups(d.groups[user])
            os.setgid(user)
            os.setuid(user)
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(gate_socket(d, "control"))
            raw = CONTROL_CMD.pack(0x4c54574f, 1, 10, CONTROL_CMD.size, 1,
                                   _VERB_RUN, flags, 0, 0, name, text)
            if fds is None:
                s.send(raw)
            else:
                socket.send_fds(s, [raw], fds)
            s.settimeout(20)
            child.send(s.recv(4096))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    child.close()
    reply = parent.recv(4096)
    parent.close()
    status = struct.unpack_from("<I", reply, 16)[0] if reply else None
    return status, reply[24:].split(b"\0")[0].decode()


_VERB_RUN = 22
TPEPERM = 8  # the status of what is refused


def test_what_a_guest_may_let_run_and_where_it_writes_is_narrow():
    with _office() as (d, as_):
        a, b = os.pipe()
        null = os.open("/dev/null", os.O_RDWR)
        with tempfile.TemporaryFile() as plain:
            for fds in (None, [b], [b, null], [plain.fileno(), b]):
                status, text = _order(d, OTHER, b"xadmin", b"0\npsc", 0, fds)
                equal(status, 1, f"{fds}: {text}")
                contains(text, "two pipes")
        for name in (b"sh", b"/bin/sh", b"testsv", b""):
            status, text = _order(d, OTHER, name, b"-c\nid", 0, [b, b])
            equal(status, 1, text)
            contains(text, "give xadmin, ndrxtop or ndrxmetrics")
        # An xadmin that only looks refuses commands, files and its prompt.
        for words in (b"0\nkillall\ntestsv", b"0\nstop\n-y", b"0", b"",
                      b"0\nprovision\n-d\n/tmp", b"0\nlcf\ndisable",
                      b"0\nconfig\n/etc/passwd", b"0\nprintenv",
                      b"0\ndown\n-y", b"0\ntestcfg\n/etc/passwd",
                      b"0\nset\nA=B"):
            equal(_order(d, OTHER, b"xadmin", words, 0, [b, b])[0], 0, words)
            os.set_blocking(a, False)
            text = b""
            with contextlib.suppress(BlockingIOError):
                text = os.read(a, 65536)
            check(b"TPEPERM" in text or not text, (words, text))
        status, text = _order(d, OTHER, b"xadmin", b"0\npsc", 16, [b, b])
        equal(status, TPEPERM, "what changes something is for admins")
        contains(text, "may look, not command")
        # An admin's words are in the history, fit for a terminal.
        equal(_order(d, GUEST, b"xadmin", b"0\nkillall\na\x1b[31mb\nc", 16,
                     [b, b])[0], 0)
        told = d.xadmin("events").stdout
        contains(told, "run xadmin 0 killall a?[31mb c by user "
                       f"{GUEST}")
        lacks(told, "\x1b")
        os.close(a)
        os.close(b)
        os.close(null)
        ended(as_(OTHER, "xadmin", "psc"), 0)
        equal(d.call("ECHO", "x").data, "x")
