# SPDX-License-Identifier: Apache-2.0
"""Other users, let in on purpose: they call through the gate, look and command
as <access> says, and a hostile one harms only itself."""
import contextlib
import json
import os
import random
import signal
import socket
import struct
import subprocess
import tempfile
import time

from checks import (at_least, between, check, contains,
                    differs, ended, equal, lacks, soon)
from covers import covers
from fixture import Domain, Skip, alive, kill, wait_for
from machine import pids_of
from terminal import Terminal, need_tmux

OWNER, GUEST, OTHER, STRANGER = 62001, 62002, 62003, 62004
TELLERS, AUDIT = 62100, 62101
MAINLY = "shm"
COST = 30
ASKED = {"NDRX_OWNER": str(OWNER)}
SERVICES = {"srvid": 1, "min": 2, "max": 2,
            "appopt": "ECHO SLEEP FAIL COUNT PID"}
VIEWS = """VIEW PERSON
long number - 1 - - -1
string name - 2 C 20 -
END

VIEW LARGE
long number - 1 - - -
string text - 1 - 20000 -
END
"""
CALLERS = f'<access group="{TELLERS}" clients="Y"/>'


@contextlib.contextmanager
def _domain(access=CALLERS, **kw):
    if os.geteuid() != 0:
        raise Skip("only root can run programs as other users")
    with Domain(user=OWNER, **kw) as d:
        d.groups = {GUEST: [TELLERS], OTHER: [TELLERS]}
        try:
            d.run("mqput", user=GUEST)
        except PermissionError:
            raise Skip(f"other users cannot read {d.program('mqput')}"
                       ) from None
        d.boot(SERVICES, sections=access)
        if "clients=\"Y\"" in access:
            wait_for(lambda: os.path.exists(_socket(d)), "the gate", 15)
            wait_for(lambda: _lets_in(d), "the gate lets a guest in", 15)
        yield d


def _socket(d, name="call"):
    return f"{d.shm}/{d.prefix},gate/{name}"


def _lets_in(d):
    return '"ret":0' in d.run("testcl", "init", user=GUEST, env=ASKED).stdout


def _guest(d, user=GUEST, **env):
    return d.client(user=user, **{**ASKED, **env})


def _gate(d):
    """The process of the gate."""
    return next((r.pid for r in d.rows("pc")
                 if r.tag == "NDRXGATE" and r.state == "runok"), 0)


# ---- calls ----

@covers("access", "group", "clients")
def test_a_guest_calls_and_gets_its_replies():
    with tempfile.TemporaryDirectory(prefix="ow_e2e_views_") as folder, \
            _domain(env={"VIEWDIR": folder, "VIEWFILES": "test.v"}) as d:
        os.chmod(folder, 0o755)
        with open(os.path.join(folder, "test.v"), "w", encoding="ascii") as f:
            f.write(VIEWS)
        c = _guest(d)
        equal(c.call("ECHO", "from next door").data, "from next door")
        contains(d.xadmin("clients").stdout, f"{GUEST}.{c.pid}")
        for data in ("CARRAY:#24", "CARRAY:#65536", "CARRAY:#2097152",
                     "UBF:#300000", "JSON:{\"a\":1}"):
            r = c("call", "ECHO", "-", data)
            equal((r.err, r["sum"]), ("OK", r.sent), data)
        equal(c("call", "ECHO", "-", "-").err, "OK", "no data")
        for view in ("VIEW/PERSON:number=-7,name=Ann", "VIEW/LARGE:text="
                     + "x" * 3000):
            r = c("call", "ECHO", "-", view)
            equal((r.err, r["sum"]), ("OK", r.sent), r.text)
        equal(r.subtype, "LARGE")
        r = c.call("FAIL", "7")
        equal(r.err, "TPESVCFAIL", r.text)
        equal(c.call("NOSUCH", "x").err, "TPENOENT")
        for own in ".TMIB", "@TPEVSUBS", "@TPEVUNSUBS", "@TM-1-1", "@QSPX":
            equal((own, c.call(own, "x").err), (own, "TPEPERM"))
        equal(c("connect", "ECHO", "TPRECVONLY", "-").err, "TPEPROTO")
        equal(c("term").err, "OK")
        equal(c.call("ECHO", "again").data, "again")
        # What is the owner's is closed as before.
        folder = f"{d.shm}/{d.prefix},shm"
        equal(os.stat(folder).st_mode & 0o777, 0o700)
        r = d.client(user=GUEST).call("ECHO", "x")
        equal(r.err, "TPEPERM", "without NDRX_OWNER")
        contains(r.text, str(OWNER))


def test_a_guest_has_many_calls_out_and_takes_them_in_any_order():
    with _domain() as d:
        c = _guest(d)
        cds = [c("acall", "ECHO", "-", f"STRING:{i}").ret for i in range(60)]
        equal(len(set(cds)), 60)
        equal(c("getrply", cds[30], "-").data, "30")
        got = {c("getrply", 0, "TPGETANY").data for _ in range(59)}
        equal(got, {str(i) for i in range(60)} - {"30"})
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
        slow = c("acall", "SLEEP", "-", "STRING:600").ret
        equal(c("getrply", slow, "TPNOBLOCK").err, "TPEBLOCK")
        equal(c("cancel", slow).err, "OK")
        equal(c("getrply", slow, "-").err, "TPEBADDESC")
        equal(c("acall", "ECHO", "TPNOREPLY", "STRING:x").ret, 0)


def test_times_of_a_guest_end_as_those_of_any_client():
    with _domain() as d:
        c = _guest(d, NDRX_TOUT="300ms")
        r = c.call("SLEEP", "1500")
        equal(r.err, "TPETIME", r.text)
        between(r.ms, 290, 1200, "ms of a time-out")
        r = c.call("SLEEP", "1200", "TPNOTIME")
        equal(r.err, "OK", r.text)
        cd = c("acall", "SLEEP", "-", "STRING:900").ret
        equal(c("getrply", cd, "-").err, "TPETIME")
        equal(c("getrply", cd, "TPNOTIME").err, "OK", "it comes later")


def test_a_guest_that_only_looks_sees_the_time_out_of_its_call():
    with _domain() as d:
        c = _guest(d, NDRX_TOUT="500ms")
        cd = c("acall", "SLEEP", "-", "STRING:2000").ret
        equal(c("getrply", cd, "TPNOBLOCK").err, "TPEBLOCK")
        wait_for(lambda: c("getrply", cd, "TPNOBLOCK").err == "TPETIME",
                 "its time-out")
        equal(c("getrply", cd, "TPNOBLOCK").err, "TPEBADDESC")
        equal(c.call("ECHO", "x", "TPNOTIME").data, "x")


def test_a_signal_ends_the_wait_of_a_guest():
    with _domain() as d:
        c = _guest(d)
        c("alarm", 200, 200)  # again and again: the first may be too early
        r = c.call("SLEEP", "3000")
        equal(r.err, "TPGOTSIG", r.text)
        soon(r.ms, 2000)
        equal(c.call("SLEEP", "700", "TPSIGRSTRT").err, "OK")
        equal(c("setsig", 1).ret, 0, "TPSIG_RESTART")
        equal(c.call("SLEEP", "700").err, "OK")
        c("alarm", 0, 0)
        equal(c.call("ECHO", "x").data, "x")


def test_a_guest_has_no_descriptor_to_wait_for():
    with _domain() as d:
        c = _guest(d)
        r = c("replyfd")
        equal((r.ret, r.err), (-1, "TPEPROTO"))
        contains(r.text, "gate")
        equal(c("looptime").err, "TPEPROTO")
        equal(c.call("ECHO", "x").data, "x")


# ---- who gets in ----

def test_a_stranger_is_refused_by_name():
    with _domain() as d:
        for user in (STRANGER, 0):
            r = _guest(d, user=user).call("ECHO", "x")
            equal((r.ret, r.err), (-1, "TPEPERM"), r.text)
            contains(r.text, f"{user}")
        r = d.client(user=GUEST, NDRX_OWNER=str(STRANGER)).call("ECHO", "x")
        equal(r.err, "TPEPERM", r.text)
        contains(r.text, str(OWNER), "the gate of somebody else")


def test_the_kernel_refuses_strangers_where_the_owner_is_in_the_group():
    with _domain() as d:
        equal(os.stat(_socket(d)).st_mode & 0o777, 0o666)
        d.xadmin("stop", "-y")
        d.groups[OWNER] = [TELLERS]
        d.boot()
        wait_for(lambda: os.path.exists(_socket(d)), "the gate", 15)
        st = os.stat(_socket(d))
        equal((st.st_mode & 0o777, st.st_gid), (0o660, TELLERS))
        r = _guest(d, user=STRANGER).call("ECHO", "x")
        equal(r.err, "TPEPERM", r.text)
        contains(r.text, str(STRANGER))
        equal(_guest(d).call("ECHO", "x").data, "x")


def test_without_access_there_is_no_gate():
    with _domain(access="") as d:
        check(not os.path.exists(f"{d.shm}/{d.prefix},gate"), "no folder")
        r = _guest(d).call("ECHO", "x")
        equal(r.err, "TPENOENT", r.text)
        contains(r.text, "<access>")
        # A reload makes one, and takes it away.
        d.configure(SERVICES, sections=CALLERS)
        d.xadmin("reload", "-y")
        wait_for(lambda: _lets_in(d), "the gate", 15)
        d.configure(SERVICES)
        if d.xadmin("reload", "-y", ok=False).returncode != 0:
            d.xadmin("sc", "-t", "NDRXGATE")
            d.xadmin("reload", "-y")
        wait_for(lambda: not os.path.exists(f"{d.shm}/{d.prefix},gate"),
                 "the folder is gone")


def test_the_guests_of_a_user_share_a_budget_of_bytes():
    """However many connections: one-way requests and cancelled ones, too, until
    they are served."""
    with _domain(small=False) as d:
        owner = d.client()
        for _ in range(2):  # both servers are busy
            equal(owner("acall", "SLEEP", "TPNOREPLY",
                        "STRING:100000").err, "OK")
        wait_for(lambda: d.rows("stat")[0].servers_busy == 2, "they are")
        big = f"CARRAY:#{62 << 20}"
        clients = [_guest(d) for _ in range(5)]
        got = [c("acall", "ECHO", flags, big, seconds=60) for c, flags in
               zip(clients, ["TPNOREPLY", "-", "TPNOREPLY", "-", "-"])]
        equal([r.err for r in got], ["OK"] * 4 + ["TPELIMIT"])
        contains(got[4].text, "256 MiB")
        equal(clients[1]("cancel", got[1].ret).err, "OK")
        r = clients[4]("acall", "ECHO", "TPNOREPLY", big, seconds=60)
        equal(r.err, "TPELIMIT", "a cancelled call is still in the queue")
        equal(clients[4]("acall", "ECHO", "TPNOREPLY", "STRING:x").err, "OK",
              "what is small is bounded by the queue")
        equal(d.row("psc", service="ECHO").succeeded, 0, "none was served")
        for c in (owner, _guest(d, OTHER)):
            r = c("acall", "ECHO", "TPNOREPLY", big, seconds=60)
            equal(r.err, "OK", "others have their own budget")
        for srvid in (1, 2):  # the next ones are not busy
            kill(d.pid(srvid))
        wait_for(lambda: clients[4]("acall", "ECHO", "TPNOREPLY", big,
                                    seconds=60).err == "OK",
                 "served requests do not count", 60)


# ---- operators ----

def _words(r):
    return r.stdout + r.stderr


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
            _domain(access=access + IDLE) as d:
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
            s.connect(_socket(d, "control"))
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


# ---- a hostile guest ----

FRAME = struct.Struct("<IHBBIIIIQiiQQQQq16s8sBBBB4x8xIiII256s")


def _frame(op=2, text=b"ECHO", magic=0x474d574f, version=1, kind=1,
           buftype=3, flags=0, cd=0, deadline=0, length=0, block=0, sub=0):
    return FRAME.pack(magic, version, kind, buftype, flags, 0, 0, 0, 0, cd, 0,
                      deadline, 0, length, block, 0, b"", b"", 0, 0, sub, 0,
                      op, 0, 0, 0, text)


def _raw(d, user=GUEST):
    """A connected socket, as of a guest: connected by a child of that user,
    so that the kernel notes its rights."""
    parent, child = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([TELLERS])
            os.setgid(user)
            os.setuid(user)
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(_socket(d))
            socket.send_fds(child, [b"x"], [s.fileno()])
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    child.close()
    parent.settimeout(10)
    _, fds, _, _ = socket.recv_fds(parent, 1, 1)
    parent.close()
    check(fds, "a connection")
    s = socket.socket(fileno=fds[0])
    s.settimeout(20)
    hello = s.recv(FRAME.size, socket.MSG_WAITALL)
    equal(FRAME.unpack(hello)[22], 6, "the gate's welcome")
    return s


def _hung_up(s):
    with contextlib.suppress(ConnectionResetError):
        equal(s.recv(1), b"", "end of file")
    s.close()


def test_a_hostile_guest_harms_only_itself():
    with _domain() as d:
        gate = _gate(d)
        good = _guest(d, user=OTHER)
        bad = [bytes(FRAME.size), b"\xff" * FRAME.size, _frame(magic=1),
               _frame(version=9), _frame(kind=2), _frame(op=0),
               _frame(op=7), _frame(op=77), _frame(buftype=1),
               _frame(buftype=2), _frame(buftype=200), _frame(cd=-1),
               _frame(cd=16384), _frame(length=5), _frame(block=99),
               _frame(buftype=5, length=1 << 62),
               _frame(buftype=5, length=(1 << 26) + 1),
               _frame(buftype=5, length=(1 << 64) - 112),
               _frame(text=b"x" * 256), _frame(text=b"\x1b[2J"),
               _frame(buftype=7, length=4, sub=200),
               _frame(op=3, buftype=5, length=4)]
        for frame in bad:
            s = _raw(d)
            s.sendall(frame)
            _hung_up(s)
        seed = random.randrange(1 << 30)
        rnd = random.Random(seed)
        for _ in range(60):
            raw = bytearray(_frame())
            for _ in range(rnd.randrange(1, 9)):
                raw[rnd.randrange(len(raw))] = rnd.randrange(256)
            with _raw(d) as s:
                s.sendall(raw)
        # Half a frame, a payload that never comes, replies never read.
        stuck = [_raw(d) for _ in range(4)]
        stuck[0].sendall(_frame()[:100])
        stuck[1].sendall(_frame(buftype=5, length=1 << 26) + b"x" * 1000)
        with contextlib.suppress(TimeoutError):
            stuck[2].settimeout(1)
            for _ in range(3000):
                stuck[2].sendall(_frame(op=1, buftype=5, length=60000)
                                 + bytes(60000))
        with contextlib.suppress(TimeoutError):
            stuck[3].settimeout(1)
            for _ in range(300):
                stuck[3].sendall(_frame(op=2, buftype=5, length=1000)
                                 + bytes(1000))
        # A damaged UBF buffer, a STRING without end: the server refuses.
        for kind in (0, 4):
            s = _raw(d)
            s.sendall(_frame(op=1, buftype=kind, length=64) + b"\x7f" * 64)
            answer = FRAME.unpack(s.recv(FRAME.size, socket.MSG_WAITALL))
            differs(answer[10], 0, f"seed {seed}: error of type {kind}")
            s.close()
        for i in range(50):
            r = good.call("ECHO", f"{i}")
            equal(r.data, f"{i}", r.text)
            soon(r.ms, 2000, "beside a hostile guest")
        for s in stuck:
            s.close()
        equal(_gate(d), gate, f"seed {seed}: the gate is the same process")
        equal(d.call("ECHO", "owner").data, "owner")


def test_outstanding_calls_and_connections_of_a_guest_are_bounded():
    with _domain() as d:
        c = _guest(d)
        errors = [c("acall", "SLEEP", "-", "STRING:1").err
                  for _ in range(257)]
        equal(errors[:256], ["OK"] * 256)
        equal(errors[256], "TPELIMIT")
        before = len(d.rows("clients"))
        c.kill()
        many = []
        try:
            wait_for(lambda: len(d.rows("clients")) == before - 1,
                     "its context has ended")
            for _ in range(64):
                many.append(_raw(d))
            r = _guest(d)("init")
            equal(r.err, "TPELIMIT", r.text)
            contains(r.text, "64")
            equal(_guest(d, user=OTHER).call("ECHO", "x").data, "x")
        finally:
            for s in many:
                s.close()


# ---- deaths ----

def test_the_gate_dies_and_comes_back():
    with _domain() as d:
        c = _guest(d)
        cds = [c("acall", "SLEEP", "-", "STRING:2000").ret for _ in range(2)]
        c.begin("call", "SLEEP", "-", "STRING:3000")
        time.sleep(0.3)
        gate = _gate(d)
        kill(gate)
        r = c.end()
        equal(r.err, "TPESYSTEM", r.text)
        soon(r.ms, 2000)
        equal({c("getrply", 0, "TPGETANY").err for _ in cds}, {"TPESYSTEM"})
        equal(c("getrply", 0, "TPGETANY").err, "TPEBADDESC")
        wait_for(lambda: _gate(d) not in (0, gate), "a new gate", 15)
        wait_for(lambda: c.call("ECHO", "back").err == "OK", "calls", 15)
        equal(c.call("ECHO", "x").data, "x")


def test_a_stopped_gate_ends_calls_at_their_time():
    with _domain() as d:
        c = _guest(d, NDRX_TOUT="500ms")
        equal(c.call("ECHO", "x").data, "x")
        gate = _gate(d)
        kill(gate, signal.SIGSTOP)
        try:
            r = c.call("ECHO", "x")
            equal(r.err, "TPETIME", r.text)
            soon(r.ms, 6000)
        finally:
            os.kill(gate, signal.SIGCONT)
        wait_for(lambda: c.call("ECHO", "x").err == "OK", "it goes on", 15)


def test_a_guest_that_dies_leaves_nothing():
    with _domain() as d:
        c = _guest(d)
        before = len(d.rows("clients"))
        c.begin("call", "SLEEP", "TPNOTIME", "STRING:4000")
        wait_for(lambda: len(d.rows("clients")) == before + 1, "it is here")
        c.kill()
        wait_for(lambda: len(d.rows("clients")) == before,
                 "its context has ended")
        check(alive(_gate(d)), "the gate")


def test_ndrxd_dies_and_guests_go_on():
    with _domain() as d:
        c = _guest(d)
        gate = _gate(d)
        d.kill_ndrxd()
        equal(c.call("ECHO", "x").data, "x")
        d.xadmin("idle")
        wait_for(lambda: _gate(d) == gate, "the same gate", 15)
        equal(c.call("ECHO", "y").data, "y")


def test_everything_killed_leaves_nothing_after_down():
    with _domain() as d:
        gate = _gate(d)
        d.kill_ndrxd()
        kill(gate)
        wait_for(lambda: not alive(gate), "the gate is dead")
        check(os.path.exists(_socket(d)), "its socket is left")
        r = _guest(d).call("ECHO", "x")
        equal(r.err, "TPESYSTEM", r.text)
        contains(d.xadmin("doctor", ok=False).stdout, "ndrxd")
        d.xadmin("down", "-y")
        check(not os.path.exists(os.path.dirname(_socket(d))), "folder")
