# SPDX-License-Identifier: Apache-2.0
"""Plugins: commands to all processes, a key, a filter of log lines."""
import os

from checks import contains, ended, equal, lacks
from covers import covers
from fixture import Domain, holds, kill, wait_for
from machine import BUILD

MAINLY = "posix"
COST = 18

PLUGIN = os.path.join(BUILD, "tests/e2e", "liblcfplugin.so")
ENV = {"NDRX_PLUGINS": PLUGIN,
       "NDRX_DEBUG_STR": "ndrx=3 ubf=3 tp=4 file=all.log"}


def _domain(**env):
    return Domain(env={**ENV, **env})


def _log(d):
    try:
        with open(os.path.join(d.home, "all.log"), encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def _slot(d, slot):
    rows = [r for r in d.rows("lcf", "-1") if r.slot == slot]
    return rows[0] if rows else None


def _outcome(d, slot):
    r = _slot(d, slot)
    return (r.seen, r.applied, r.failed) if r else None


@covers("xadmin lcf")
def test_each_server_carries_a_command_out_once():
    with _domain() as d:
        for i in (1, 2, 3):
            d.server(i, f"ECHO{i}=ECHO")
        d.xadmin("lcf", "greet", "-A", "ada", "-B", "two words")
        wait_for(lambda: _outcome(d, 3) == (3, 3, 0), "three servers")
        equal(_log(d).count("greeted by <ada> <two words>"), 3)
        holds(lambda: _outcome(d, 3) == (3, 3, 0), "only once", 1.5)
        r = _slot(d, 3)
        equal((r.number, r.code, r.command, r.arg_a), (1, 1001, "greet",
                                                       "ada"))
        contains(r.feedback, "pid ")
        contains(d.xadmin("lcf", "-1").stdout, "greet")
        contains(d.xadmin("lcf", "-2").stdout, "two words")
        contains(d.xadmin("lcf", "-3").stdout, "pid ")
        d.xadmin("lcf", "greet", "-A", "fail")
        wait_for(lambda: _outcome(d, 3) == (3, 0, 3), "all failed")
        equal(_slot(d, 3).number, 2)


@covers("xadmin lcf")
def test_a_command_is_for_some_processes():
    with _domain() as d:
        pids = [d.server(i, f"ECHO{i}=ECHO").pid for i in (1, 2, 3)]
        for words, applied in ((("-p", pids[0]), 1), (("-b", "testsv"), 3),
                               (("-b", "tests"), 0), (("-b", "te.*v", "-r"), 3),
                               (("-p", f"{pids[0]}|{pids[1]}", "-r"), 2)):
            d.xadmin("lcf", "greet", *words)
            wait_for(lambda: _outcome(d, 3) == (3, applied, 0), str(words))
        d.xadmin("lcf", "count", "-s", "7")
        wait_for(lambda: _outcome(d, 7) == (3, 3, 0), "in slot 7")
        equal(_slot(d, 7).feedback, "42")


def test_a_process_that_starts_later_leaves_a_command_alone():
    with _domain() as d:
        d.server(1, "ECHO1=ECHO")
        d.xadmin("lcf", "greet")
        d.xadmin("lcf", "count", "-n")
        d.xadmin("lcf", "count", "-e", "-s", "5")
        wait_for(lambda: _outcome(d, 5) == (1, 1, 0), "one server")
        d.server(2, "ECHO2=ECHO")
        wait_for(lambda: _outcome(d, 4) == (2, 2, 0), "with -n: two")
        wait_for(lambda: _outcome(d, 5) == (2, 2, 0), "with -e: two")
        equal(_outcome(d, 3), (1, 1, 0))


def test_old_commands_of_e_are_left_alone():
    with _domain(NDRX_LCFCMDEXP="1ms") as d:
        d.server(1, "ECHO1=ECHO")
        d.xadmin("lcf", "count", "-e")
        wait_for(lambda: _outcome(d, 4) == (1, 1, 0), "one server")
        d.server(2, "ECHO2=ECHO")
        d.xadmin("lcf", "greet")
        wait_for(lambda: _outcome(d, 3) == (2, 2, 0), "both have looked")
        equal(_outcome(d, 4), (1, 1, 0))


def test_a_process_can_be_left_out():
    with _domain() as d:
        d.server(1, "ECHO1=ECHO")
        d.server(2, "ECHO2=ECHO", env={"NDRX_LCFNORUN": "y"})
        d.xadmin("lcf", "greet")
        wait_for(lambda: _outcome(d, 3) == (1, 1, 0), "one server")
        holds(lambda: _outcome(d, 3) == (1, 1, 0), "and no other", 1.5)


def test_the_function_may_call_services_and_clients_run_it_too():
    with _domain() as d:
        d.server(1, "GREETED=ECHO", env={"NDRX_LCFNORUN": "y"})
        c = d.client()
        c.call("GREETED", "x")
        d.xadmin("lcf", "greet", "-B", "call")
        wait_for(lambda: (c.call("GREETED", "x").err,
                          _outcome(d, 3)) == ("OK", (1, 1, 0)), "by the client")
        equal(c.call("GREETED", "y").data, "y")
        lacks(_log(d), "GREETED: ")


def test_a_client_obeys_commands_of_the_domain_that_is_there_now():
    """Its domain is stopped and started under it."""
    quiet = '<envs><env name="NDRX_LCFNORUN">y</env></envs>'
    with _domain() as d:
        c = d.client()
        for life in (1, 2, 3):
            d.boot({"srvid": 1, "appopt": "ECHO", "xml": quiet})
            equal(c.call("ECHO", "x").err, "OK")
            d.xadmin("lcf", "greet")
            wait_for(lambda: (c.call("ECHO", "x").err,
                              _outcome(d, 3)) == ("OK", (1, 1, 0)),
                     f"carried out in life {life}")
            d.xadmin("stop", "-y")


def test_commands_survive_a_killed_process():
    with _domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.xadmin("lcf", "greet", "-n")
        wait_for(lambda: _outcome(d, 3) == (1, 1, 0), "carried out")
        old = d.pid(1)
        kill(old)
        wait_for(lambda: d.pid(1) not in (0, old), "restarted")
        wait_for(lambda: _outcome(d, 3) == (2, 2, 0), "by the next one, too")


def test_wrong_commands_are_refused():
    with _domain() as d:
        d.server(1, "ECHO")
        for words, text in ((("nosuch",), "give logchg, logrotate, disable"),
                            (("nosuch",), "greet"),
                            (("greet", "-s", "99"), "a slot is a number"),
                            (("greet", "-p", "1", "-b", "x"), "exclude"),
                            (("greet", "-b", "(", "-r"), "regular")):
            ended(d.xadmin("lcf", *words, ok=False), 1, text)
        equal(d.rows("lcf", "-1"), [])


def test_a_plugin_that_cannot_be_loaded_is_named():
    with Domain(env={"NDRX_PLUGINS": "/nonexistent/x.so"}) as d:
        d.server(1, "ECHO")
        equal(d.call("ECHO", "x").data, "x")
        ended(d.xadmin("lcf", "greet", ok=False), 1, "/nonexistent/x.so")


def test_a_plugin_filters_what_tplogprintubf_writes():
    with _domain() as d:
        d.server(1, "PRINT")
        for text in ("open", "secret"):
            equal(d.call("PRINT", text).err, "OK")
        contains(_log(d), "hooked: ")
        contains(_log(d), "open")
        lacks(_log(d), "secret")


def test_a_plugin_gives_the_key():
    with _domain() as d:
        d.server(1, "ENCRYPT", "DECRYPT")
        d.server(2, "PLAIN=DECRYPT", env={"NDRX_PLUGINS": ""})
        text = d.call("ENCRYPT", "hello").data
        equal(d.call("DECRYPT", text).data, "hello")
        r = d.call("PLAIN", text)
        equal((r.err, r.urcode), ("TPESVCFAIL", 4))
