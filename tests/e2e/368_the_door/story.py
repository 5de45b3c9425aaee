# SPDX-License-Identifier: Apache-2.0
"""Where the configuration says so, callers log in, and are served what its
lists let them have."""
import json
import os
import stat

from checks import (at_least, at_most, between, check, contains, differs,
                    ended, equal, lacks)
from covers import covers
from fixture import Domain, alive, kill, wait_for

MAINLY = "shm"
COST = 24

SERVICES = {"srvid": 1, "min": 2, "max": 2, "appopt":
            "ECHO PID=ECHO PAY=ECHO BACK=ECHO LETIN APPKEY CALLON FORWARD "
            "SLEEP COUNT"}
BROKER = {"name": "tpevsrv", "srvid": 90}


def _file(d):
    return os.path.join(d.home, "passwords")


def _set(d, name, password):
    ended(d.run("xadmin", "passwd", "-f", _file(d), name,
                text=password + "\n"), 0)


def _security(auth, d, more=""):
    return (f'<security auth="{auth}" passwords="{_file(d)}"/>' if not more
            else f'<security auth="{auth}" {more}/>')


def _boot(d, sections, *more):
    d.boot(SERVICES, *more, sections=sections)


def _gate(d):
    return next((r.pid for r in d.rows("pc")
                 if r.tag == "NDRXGATE" and r.state == "runok"), 0)


def _anna(d):
    c = d.client()
    r = c("login", "anna", "secret")
    equal(r.err, "OK", r.text)
    return c


def _refused(r, *words):
    equal((r.ret, r.err), (-1, "TPEPERM"), r.text)
    for word in words:
        contains(r.text, word)


# ---- logins ----

@covers("security", "auth", "passwords", "xadmin passwd")
def test_who_has_not_logged_in_is_not_served():
    with Domain() as d:
        _set(d, "anna", "secret")
        equal(stat.S_IMODE(os.stat(_file(d)).st_mode), 0o600)
        _boot(d, _security("SYS", d))
        c = d.client()
        equal(c("chkauth").ret, 1)
        for r in (c.call("ECHO", "x"), c("acall", "ECHO", "-", "STRING:x"),
                  c("acall", "ECHO", "TPNOREPLY", "STRING:x"),
                  c("connect", "ECHO", "TPSENDONLY", "-"), c("init"),
                  c("broadcast", "-", "-", "-", "STRING:x")):
            _refused(r, "tpinit()" if r.text.count("tpinit") else "TPINIT")
        equal(c("login", "anna", "secret").err, "OK")
        equal(c.call("ECHO", "x").data, "x")
        equal(c("acall", "ECHO", "TPNOREPLY", "STRING:x").err, "OK")
        equal(c("init").err, "OK", "a second tpinit() has no effect")
        equal([r.login for r in d.rows("clients")
               if r.pid == c.pid], ["anna"])
        contains(d.xadmin("clients").stdout, "anna")
        equal(c("term").err, "OK")
        _refused(c.call("ECHO", "x"))
        equal(c("login", "anna", "secret").err, "OK")
        equal(c.call("ECHO", "y").data, "y")


def test_a_wrong_password_costs_a_second_and_says_no_more():
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, _security("SYS", d))
        c = d.client()
        texts = set()
        for user, password in (("anna", "secreT"), ("anna", "~"),
                               ("anne", "secret"), ("~", "secret"),
                               ("~", "~")):
            r = c("login", user, password)
            _refused(r)
            at_least(r.ms, 1000, "ms of a refusal")
            texts.add(r.text)
        equal(len(texts), 1, "it does not say whether the name is there")
        _refused(c.call("ECHO", "x"))
        equal(c("login", "anna", "secret").err, "OK")
        equal(c.call("ECHO", "x").data, "x")


def test_entries_are_set_changed_listed_and_removed():
    with Domain() as d:
        for name in ("bob", "anna", "eve"):
            _set(d, name, "pw-" + name)
        with open(_file(d), encoding="ascii") as f:
            text = f.read()
        equal(text.count("$argon2id$"), 3)
        lacks(text, "pw-")
        _boot(d, _security("SYS", d))
        equal(sorted(d.xadmin("passwd", "-l").stdout.split()),
              ["anna", "bob", "eve"])
        c = d.client()
        ended(d.run("xadmin", "passwd", "eve", text="other\n"), 0)
        _refused(c("login", "eve", "pw-eve"))
        equal(c("login", "eve", "other").err, "OK", "at once")
        d.xadmin("passwd", "-d", "bob")
        _refused(d.client()("login", "bob", "pw-bob"))
        equal(sorted(d.xadmin("passwd", "-l").stdout.split()),
              ["anna", "eve"])
        ended(d.xadmin("passwd", "-d", "bob", ok=False), 1, "no entry bob")
        for name, password in (("a:b", "x"), ("x" * 32, "x"), (" a", "x"),
                               ("ok", ""), ("ok", "y" * 32)):
            differs(d.run("xadmin", "passwd", name,
                          text=password + "\n").returncode, 0, name)
        equal(sorted(d.xadmin("passwd", "-l").stdout.split()),
              ["anna", "eve"])


def test_a_file_that_others_may_read_lets_nobody_in():
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, _security("SYS", d))
        c = d.client()
        os.chmod(_file(d), 0o644)
        r = c("login", "anna", "secret")
        equal(r.err, "TPESYSTEM", r.text)
        contains(d.xadmin("passwd", "-l", ok=False).stderr, "chmod 600")
        os.rename(_file(d), _file(d) + ".gone")
        equal(c("login", "anna", "secret").err, "TPESYSTEM")
        os.rename(_file(d) + ".gone", _file(d))
        os.chmod(_file(d), 0o600)
        equal(c("login", "anna", "secret").err, "OK")


@covers("authsvc")
def test_a_service_lets_users_in_and_gives_them_a_key():
    with Domain() as d:
        _boot(d, _security("APP", d, 'authsvc="LETIN"'))
        c = d.client()
        equal(c("chkauth").ret, 2)
        _refused(c("login", "anna", "any", 6))
        _refused(c.call("APPKEY"))
        equal(c("login", "anna", "any", 7).err, "OK")
        equal(c.call("APPKEY").data, "4")
        equal(c.call("FORWARD", "APPKEY").data, "4", "it goes with a request")
        _refused(c.call("LETIN", "x"))
        other = d.client()
        equal(other("login", "christine", "any", 7).err, "OK")
        equal((other.call("APPKEY").data, c.call("APPKEY").data), ("9", "4"))
        # Its time-out, and its absence.
        r = d.client(NDRX_TOUT="1")("login", "slow", "any", 7)
        check(r.err in ("TPESYSTEM", "TPETIME"), r.text)
        between(r.ms, 900, 4500, "ms until it is given up")
        for srvid in (1, 2):  # one may be busy with it
            d.xadmin("unadv", "-i", srvid, "-s", "LETIN", ok=False)
        wait_for(lambda: not d.row("psc", service="LETIN"), "it is gone")
        r = d.client()("login", "anna", "any", 7)
        equal(r.err, "TPESYSTEM", r.text)
        contains(r.text, "LETIN")
        equal(c.call("APPKEY").data, "4", "who is in, is in")


def test_all_data_of_tpinit_reach_the_service_that_lets_in():
    with Domain() as d:
        _boot(d, _security("APP", d, 'authsvc="LETIN"'))
        for text in ("sesame", "sesame1", "sesame12", "sesame" + "x" * 50,
                     "sesame" + "y" * 60000):
            c = d.client()
            equal(c("login", "anna", "any", "-", text).err, "OK", text[:60])
            equal(c.call("APPKEY").data, str(len(text) + 1))
        # datalen is not believed beyond the buffer.
        c = d.client()
        equal(c("login", "anna", "any", "-", "sesame", 1 << 40).err, "OK")
        at_most(int(c.call("APPKEY").data), 2000, "bytes of a small buffer")
        r = d.client()("login", "anna", "any", "-", "sesame", 70000)
        equal(r.err, "TPEINVAL", r.text)
        contains(r.text, "65536")


def test_the_password_of_a_user_may_be_the_data():
    """As programs of Tuxedo have it, where tpchkauth() says TPAPPAUTH."""
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, _security("APP", d, f'passwords="{_file(d)}"'))
        c = d.client()
        equal(c("chkauth").ret, 2)
        _refused(c("login", "anna", "secret", "-", "secre"))
        _refused(c("login", "anna", "secret", "-", "secret" + "x" * 60))
        _refused(c("login", "anna", "wrong"))
        _refused(c.call("ECHO", "x"))
        equal(c("login", "anna", "application", "-", "secret").err, "OK")
        equal(c.call("ECHO", "x").data, "x")
        equal(d.client()("login", "anna", "secret").err, "OK", "without data")


def test_a_service_can_be_asked_after_the_file():
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, f'<security auth="APP" authsvc="LETIN" '
                 f'passwords="{_file(d)}"/>')
        c = d.client()
        _refused(c("login", "anna", "secret", 6))
        _refused(c("login", "anna", "wrong", 7))
        equal(c("login", "anna", "secret", 7).err, "OK")
        equal(c.call("APPKEY").data, "4")


def test_servers_need_no_login():
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, _security("SYS", d))
        c = _anna(d)
        equal(c.call("CALLON", "ECHO x").data, "x")
        equal(c.call("FORWARD", "ECHO x").data, "x")


def test_deaths_let_nobody_in():
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, _security("SYS", d) +
              '<services><service svcnm="PAY" acl="login:anna"/></services>')
        c, stranger = _anna(d), d.client()
        gate, ndrxd = _gate(d), d.ndrxd_pid()
        kill(gate)
        equal(c.call("PAY", "x").data, "x", "the gate is not on its way")
        _refused(stranger.call("ECHO", "x"))
        equal(_anna(d).call("PAY", "x").data, "x", "it waits for a gate")
        d.kill_ndrxd()
        equal(c.call("PAY", "x").data, "x")
        _refused(stranger.call("ECHO", "x"))
        d.xadmin("idle")
        wait_for(lambda: d.ndrxd_pid() not in (0, ndrxd), "the next ndrxd")
        _refused(stranger.call("ECHO", "x"))
        equal(c.call("PAY", "x").data, "x")
        check(alive(d.pid(1)), "servers go on")


def test_a_slot_of_who_was_killed_gives_its_name_to_nobody():
    with Domain() as d:
        _set(d, "anna", "secret")
        _boot(d, _security("SYS", d))
        for _ in range(3):
            c = _anna(d)
            equal(c.call("ECHO", "x").data, "x")
            c.kill()
            other = d.client()
            _refused(other.call("ECHO", "x"))
            other.close()


# ---- lists ----

@covers("acl")
def test_a_list_counts_for_the_service_in_each_group():
    """Whoever names the group (PAY@A), or has it chosen by the data, is asked
    the same."""
    with Domain() as d:
        d.boot({"srvid": 1, "sysopt": "-g A", "appopt": "PAY=ECHO"},
               {"srvid": 2, "sysopt": "-g B -G", "appopt": "PAY=ECHO"},
               sections='<services><service svcnm="PAY" acl="none"/>'
               '</services>')
        c = d.client()
        for name in ("PAY", "PAY@A", "PAY@B"):
            _refused(c.call(name, "x"))


@covers("xadmin acl")
def test_a_service_serves_those_of_its_list():
    with Domain() as d:
        _set(d, "anna", "secret")
        _set(d, "bob", "secret")
        _boot(d, _security("SYS", d) + '<services>'
              '<service svcnm="PAY" acl="login:anna login:carl"/>'
              '<service svcnm="BACK" acl="none"/></services>')
        anna, bob = _anna(d), d.client()
        equal(bob("login", "bob", "secret").err, "OK")
        for _ in range(3):
            equal(anna.call("PAY", "x").data, "x")
            _refused(bob.call("PAY", "x"))
            equal(bob.call("ECHO", "x").data, "x", "no list")
            _refused(anna.call("BACK", "x"))
        cd = bob("acall", "PAY", "-", "STRING:x").ret
        _refused(bob("getrply", cd, "-"))
        # Servers answer for what they ask, and for what they forward.
        equal(bob.call("CALLON", "PAY x").data, "x")
        equal(bob.call("FORWARD", "BACK x").data, "x")
        rows = {(r.kind, r.name): r.who for r in d.rows("acl")}
        equal(rows, {("login", "SYS"): _file(d),
                     ("call", "PAY"): "login:anna login:carl",
                     ("call", "BACK"): "none"})
        contains(d.xadmin("acl").stdout, "login:carl")


def test_a_server_calls_for_whom_it_has_identified():
    """The lists hold for the name, and for nobody of this machine."""
    with Domain() as d:
        _set(d, "anna", "secret")
        services = {"srvid": 1, "min": 3, "max": 3,
                    "appopt": "CALLFOR WHOCALLS PAY=ECHO OWN=ECHO BACK=ECHO"}
        d.boot(services, sections=_security("SYS", d) +
               '<services><service svcnm="PAY" acl="login:carl"/>'
               f'<service svcnm="OWN" acl="user:{os.geteuid()} '
               f'group:{os.getegid()}"/>'
               '<service svcnm="BACK" acl="none"/></services>')
        c = _anna(d)

        def call(words):
            r = c.call("CALLFOR", words)
            return r.data if r.err == "OK" else r.urcode
        equal(c.call("WHOCALLS").data, "anna 4 0")
        equal(call("- WHOCALLS"), " 0 0")
        equal(call("carl WHOCALLS"), "carl 4 42")
        equal(call("carl PAY"), "x")
        for words in ("anna PAY", "carl BACK", "carl OWN"):
            equal(call(words), 8, words)  # TPEPERM
        for words in ("- PAY", "- BACK", "- OWN"):
            equal(call(words), "x", words)
        equal(call("a:b PAY"), 4, "TPEINVAL")
        equal(call("~ WHOCALLS"), 8, "nobody is known, and all must log in")


def test_whom_nobody_knows_is_in_no_list():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2,
                "appopt": "CALLFOR WHOCALLS PAY=ECHO ALL=ECHO"},
               sections='<services><service svcnm="PAY" acl="login:carl '
               f'user:{os.geteuid()}"/><service svcnm="ALL" acl="any"/>'
               '</services>')
        c = d.client()
        equal(c.call("CALLFOR", "~ WHOCALLS").data, " 0 0")
        equal(c.call("CALLFOR", "~ ALL").data, "x")
        equal(c.call("CALLFOR", "~ PAY").urcode, 8)
        equal(c.call("CALLFOR", "carl PAY").data, "x")


def test_a_client_calls_for_nobody_else():
    with Domain() as d:
        _boot(d, "")
        r = d.client()("setcaller", "anna", 0)
        _refused(r, "only servers")


def test_a_service_knows_how_long_its_caller_waits():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "TIMELEFT"})
        c = d.client()
        c("blktime", "TPBLK_NEXT", 5)
        between(c.call("TIMELEFT").urcode, 3000, 5000)
        equal(c("call", "TIMELEFT", "TPNOTIME", "-").urcode, -1)


def test_a_reload_puts_lists_in_force_for_the_next_request():
    with Domain() as d:
        d.boot(SERVICES)
        c = d.client()
        equal(c("chkauth").ret, 0)
        equal(c.call("PAY", "x").data, "x")
        equal(d.rows("acl"), [])
        pids = d.pid(1), d.pid(2)
        for acl, may in (("none", False), ("any", True), ("login:x", False),
                         (f"user:{os.geteuid()}", True), ("user:1", False),
                         (f"group:{os.getegid()}", True), (None, True)):
            d.configure(SERVICES, sections="" if acl is None else
                        f'<services><service svcnm="PAY" acl="{acl}"/>'
                        '</services>')
            d.xadmin("reload", "-y")
            for _ in range(4):
                r = c.call("PAY", "x")
                if may:
                    equal(r.data, "x", acl)
                else:
                    _refused(r)
            equal(c.call("ECHO", "x").data, "x")
        equal((d.pid(1), d.pid(2)), pids, "no server was restarted")
        equal(d.rows("acl"), [])


def test_logins_can_be_demanded_and_given_up_by_a_reload():
    with Domain() as d:
        _set(d, "anna", "secret")
        d.boot(SERVICES)
        c = d.client()
        equal(c.call("ECHO", "x").data, "x")
        d.configure(SERVICES, sections=_security("SYS", d))
        d.xadmin("reload", "-y")
        _refused(c.call("ECHO", "x"))
        equal(c("login", "anna", "secret").err, "OK", "it keeps its slot")
        equal(c.call("ECHO", "x").data, "x")
        d.configure(SERVICES, sections='<security auth="NONE"/>')
        d.xadmin("sc", "-t", "NDRXGATE")
        d.xadmin("reload", "-y")
        equal(d.client().call("ECHO", "x").data, "x")


def test_a_user_who_is_not_on_the_machine_is_nobody():
    with Domain() as d:
        _boot(d, '<services><service svcnm="PAY" acl="user:nobodyhere7 '
                 'group:nogrouphere7 login:z"/></services>')
        _refused(d.client().call("PAY", "x"))
        equal(d.rows("acl")[0].who, "login:z")
        with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8",
                  errors="replace") as f:
            contains(f.read(), "nobodyhere7")


# ---- events ----

@covers("event", "post", "subscribe")
def test_events_are_posted_and_got_by_those_of_their_lists():
    with Domain() as d:
        _set(d, "anna", "secret")
        _set(d, "bob", "secret")
        _boot(d, _security("SYS", d) +
              '<event name="^NEWS$" post="login:anna"/>'
              '<event name="^SECRET" subscribe="login:anna"/>', BROKER)
        anna, bob = _anna(d), d.client()
        equal(bob("login", "bob", "secret").err, "OK")
        for c in (anna, bob):
            equal(c("unsol", "record").err, "OK")
            equal(c("subscribe", "^NEWS$", "-", "-", 0).err, "OK")
        equal(anna("post", "NEWS", "-", "STRING:x").ret, 2)
        _refused(bob("post", "NEWS", "-", "STRING:x"), "NEWS")
        _refused(bob("post", "NEWS", "TPNOBLOCK", "STRING:x"))
        equal(bob("post", "OTHER", "-", "STRING:x").ret, 0)
        # Who gets it: by name at once, by expression event by event.
        _refused(bob("subscribe", "^SECRET$", "-", "-", 0))
        equal(bob("subscribe", ".*", "-", "-", 0).err, "OK")
        equal(anna("subscribe", "^SECRET$", "-", "-", 0).err, "OK")
        equal(bob("post", "SECRET", "-", "STRING:s").ret, 1, "to anna alone")
        equal(bob("post", "PUBLIC", "-", "STRING:p").ret, 1, "to bob alone")
