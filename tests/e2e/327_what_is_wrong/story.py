# SPDX-License-Identifier: Apache-2.0
"""doctor, ndrxtop and the listings name what is wrong, not what follows."""
import json
import os
import re
import signal
import subprocess

from checks import check, contains, ended, equal, lacks
from fixture import Domain, Skip, alive, kill, wait_for


def _doctor(d, what, env=None):
    """A line of doctor: (result, found, meaning, cure)."""
    r = d.run("xadmin", "doctor", "--json", env=env)
    for row in json.loads(r.stdout):
        if row["what"] == what:
            return row["result"], row["found"], row["meaning"], row["cure"]
    return None


def _top(d, screen="services"):
    r = d.run("ndrxtop", "-b", "-d", "0.3", "-w", "160", "-s", screen)
    equal(r.returncode, 0, r.stderr)
    return r.stdout


def _stop(pid):
    kill(pid, signal.SIGSTOP)


def test_a_stopped_server_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "UPPER"},
               settings={"pingtime": "0"})
        pid = d.pid(2)
        _stop(pid)
        line = _doctor(d, "stopped servers")
        equal((line[0], line[1]), ("FAIL", f"testsv 2 (pid {pid})"))
        text = _top(d, "servers")
        contains(text, f"! 1 server stopped by a signal: id 2  testsv: `kill "
                       f"-CONT {pid}`")
        rows = [n for n in text.splitlines() if "testsv" in n and
                not n.startswith("!")]
        equal([n.split()[0] for n in rows], ["2", "1"], "trouble first")
        contains(rows[0], "stopped")
        kill(pid, signal.SIGCONT)
        wait_for(lambda: "stopped" not in _top(d, "servers"), "continued")
        equal(_doctor(d, "stopped servers"), None)


def test_a_stopped_client_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        c = d.client()
        equal(c.call("ECHO", "x").err, "OK")
        equal(_doctor(d, "stopped clients"), None)
        _stop(c.pid)
        try:
            wait_for(lambda: _doctor(d, "stopped clients"), "named")
            line = _doctor(d, "stopped clients")
            equal((line[0], line[1]), ("warn", f"testcl (pid {c.pid})"))
            equal(_doctor(d, "stopped servers"), None)
        finally:
            kill(c.pid, signal.SIGCONT)
        equal(c.call("ECHO", "x").err, "OK")


def test_a_server_that_was_given_up_is_named():
    with Domain() as d:
        once = {"srvid": 9, "appopt": "UPPER", "respawn": "N"}
        d.boot({"srvid": 1, "appopt": "ECHO"}, once)
        equal(_doctor(d, "servers given up"), None)
        equal(d.rows("stat")[0].servers_missing, 0)
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    {"srvid": 7, "appopt": "init=-1", "restart_tries": "2"},
                    {"name": "false", "srvid": 8, "restart_tries": "2"}, once)
        kill(d.pid(9))
        d.xadmin("reload", ok=False)
        d.xadmin("start", "-i", "8", ok=False)
        every = "testsv 7 (died), id 8 (died), testsv 9 (died)"
        wait_for(lambda: (_doctor(d, "servers given up") or [""] * 2)[1] ==
                 every, "given up")
        equal(_doctor(d, "servers given up")[0], "FAIL")
        contains(_doctor(d, "servers given up")[2], "have ended")
        equal(d.rows("stat")[0].servers_missing, 3)
        contains(d.xadmin("stat").stdout, "3 servers that are to run do not")
        equal(d.run("xadmin", "doctor").returncode, 1)


def _console(d):
    """What ndrxtop says is wrong."""
    return [n for n in d.run("ndrxtop", "-b", "-n", "1").stdout.splitlines()
            if n.startswith("!")]


def test_a_server_that_runs_and_keeps_dying_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               settings={"restart_min": "1ms", "restart_max": "1ms"})
        for n in range(3):
            equal(_doctor(d, "servers that keep dying"), None)
            equal(_console(d), [])
            old = d.pid(1)
            kill(old)
            wait_for(lambda: d.pid(1) not in (0, None, old) and
                     d.call("ECHO", "x").err == "OK", "it runs again")
            wait_for(lambda: d.row("ppm", srvid=1).state == "runok", "ready")
        line = wait_for(lambda: _doctor(d, "servers that keep dying"), "named")
        equal(line[:2], ("warn", "testsv 1 (3 times; Killed)"))
        contains(_console(d)[0], "server 1 testsv keeps dying: started again 3 "
                 "times, the last time ")


def test_a_server_that_ends_with_0_again_and_again_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO EXIT"},
               settings={"restart_min": "1ms", "restart_max": "1ms"})
        for n in range(3):
            equal(_doctor(d, "servers that keep dying"), None)
            old = d.pid(1)
            d.call("EXIT", "x")
            wait_for(lambda: d.pid(1) not in (0, None, old) and
                     d.call("ECHO", "x").err == "OK", "it runs again")
            wait_for(lambda: d.row("ppm", srvid=1).state == "runok", "ready")
        line = wait_for(lambda: _doctor(d, "servers that keep dying"), "named")
        equal(line[:2], ("warn", "testsv 1 (3 times; exit 0)"))
        contains(_console(d)[0], "server 1 testsv keeps dying: started again 3 "
                 "times, the last time ")
        contains(_console(d)[0], " ago: exit 0")
        # an order is no failure
        d.xadmin("restart", "-y", "-i", 1)
        equal(_doctor(d, "servers that keep dying"), None)


def test_a_server_that_was_given_up_is_settled_by_stop():
    with Domain() as d:
        d.boot_any({"srvid": 1, "appopt": "ECHO"},
                   {"srvid": 2, "appopt": "X=ECHO init=fail", "respawn": "N"})
        equal(_doctor(d, "servers given up")[0], "FAIL")
        contains(_console(d)[0], "1 server died: id 2  testsv: exit 1")
        d.kill_ndrxd()
        d.xadmin("idle")
        equal(_doctor(d, "servers given up")[0], "FAIL")
        d.xadmin("stop", "-y", "-i", 2)
        equal(_doctor(d, "servers given up"), None)
        equal((d.rows("stat")[0].servers_missing, _console(d)), (0, []))
        equal(d.row("ppm", srvid=2).requested, "exit")
        equal(d.row("ppm", srvid=2).state, "exit")


def test_a_server_that_is_no_longer_configured_is_not_missed():
    with Domain() as d:
        first = {"srvid": 1, "appopt": "ECHO"}
        d.boot_any(first, {"srvid": 2, "appopt": "X=ECHO init=fail"},
                   {"srvid": 3, "appopt": "Y=ECHO"},
                   {"srvid": 4, "appopt": "Z=ECHO"})
        kill(d.pid(3))  # noticed before the reload, or in it
        d.configure(first)
        d.xadmin("reload")
        wait_for(lambda: [r.srvid for r in d.rows("ppm")] == [1], "2, 3, 4 are gone")
        equal((d.rows("stat")[0].servers_missing, _console(d)), (0, []))
        equal(_doctor(d, "servers given up"), None)
        equal(_doctor(d, "servers away"), None)


def test_a_client_that_is_to_run_and_does_not_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               settings={"restart_min": "60", "restart_max": "60"},
               sections="<clients><client cmdline=\"sleep 1000\">"
               "<exec tag=\"GOOD\" autostart=\"Y\"/>"
               "<exec tag=\"BAD\" cmdline=\"sh -c 'exit 3'\"/>"
               "</client></clients>")
        wait_for(lambda: d.row("pc", tag="GOOD").pid, "it runs")
        equal((_doctor(d, "clients away"), _doctor(d, "clients given up")),
              (None, None))
        d.xadmin("bc", "-t", "BAD", ok=False)
        line = wait_for(lambda: _doctor(d, "clients away"), "named")
        equal((line[0], line[1].split()[0]), ("warn", "BAD/-"))
        kill(d.row("pc", tag="GOOD").pid)
        wait_for(lambda: "GOOD/-" in _doctor(d, "clients away")[1], "both")
        contains(line[2], "tries again")
        d.xadmin("mmon")
        contains(_doctor(d, "clients away")[3], "xadmin mmoff")
        contains(_doctor(d, "maintenance mode")[2], "kills no hung server")
        d.xadmin("mmoff")
        d.xadmin("sc", "-t", "BAD")
        d.xadmin("sc", "-t", "GOOD")
        equal((_doctor(d, "clients away"), _doctor(d, "clients given up")),
              (None, None))


def test_a_stopped_ndrxd_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        pid = d.ndrxd_pid()
        _stop(pid)
        line = _doctor(d, "ndrxd")
        equal((line[0], line[1], line[3]),
              ("FAIL", f"stopped, pid {pid}", f"kill -CONT {pid}"))
        contains(_top(d), "! ndrxd is stopped by a signal")
        r = d.xadmin("ppm")
        contains(r.stdout, "testsv", "from the tables")
        contains(r.stderr, "ndrxd does not answer")
        kill(pid, signal.SIGCONT)


def test_nobody_is_left_while_a_caller_waits():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "HANG ECHO"})
        c = d.client()
        c.begin("call", "HANG", "-", "-")
        wait_for(lambda: any(r.status == "BUSY" for r in d.rows("psc")
                             if r.service == "HANG"), "the call is served")
        server, ndrxd = d.pid(1), d.ndrxd_pid()
        kill(ndrxd)
        kill(server)
        wait_for(lambda: not alive(ndrxd) and not alive(server), "all dead")
        line = _doctor(d, "ndrxd")
        equal((line[0], line[3]), ("FAIL", "xadmin start -y"))
        contains(line[2], "all servers are gone, and callers wait")
        text = _top(d)
        contains(text, "! ndrxd and all servers are gone: nobody serves "
                       "calls, 1 wait for a reply")
        lacks(text, "calls go on")
        d.xadmin("start", "-y")
        equal(c.end().err, "TPESVCERR")


def test_a_dead_server_without_ndrxd_is_not_called_busy():
    with Domain(env={"NDRX_TOUT": "5"}) as d:
        p = d.server(1, "ECHO")
        kill(p.pid)
        p.wait()
        c = d.client()
        c.begin("call", "ECHO", "-", "-")
        wait_for(lambda: any(r.queued for r in d.rows("pqa")
                             if "ECHO" in r.queue), "the request waits")
        line = _doctor(d, "servers")
        equal(line[:2], ("warn", "0 alive, 1 dead: testsv 1"))
        contains(line[2], "without ndrxd nobody tells their callers")
        equal(_doctor(d, "busy services"), None)
        equal(_doctor(d, "waiting requests")[0], "ok")
        # Its successor does, who takes the slot.
        d.procs.clear()
        d.server(1, "ECHO")
        r = c.end()
        equal((r.err, "no server had begun it" in r.text), ("TPENOENT", True))


def test_the_hung_server_is_named_and_not_those_that_wait_for_it():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "CALLON"},
               {"srvid": 2, "appopt": "HANG"})
        d.client().begin("call", "CALLON", "-", "STRING:HANG")
        wait_for(lambda: {r.service for r in d.rows("psc")
                          if r.status == "BUSY"} == {"CALLON", "HANG"},
                 "both are busy")
        env = {"NDRX_TOUT": "0.2"}
        wait_for(lambda: _doctor(d, "requests in hand", env)[0] == "warn",
                 "longer than 0.2 s")
        found = _doctor(d, "requests in hand", env)[1]
        contains(found, "testsv 2 (")
        contains(found, "1 more wait for others")
        lacks(found, "testsv 1 (")
        for c in d.clients:
            c.kill()
        d.clients.clear()
        kill(d.pid(2))  # it would be asked to end for long


def test_a_queue_that_never_empties_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP ECHO"})
        for _ in range(3):
            d.client().begin("calls", "SLEEP", 10000, 1, 2, "STRING:20")
        line = wait_for(lambda: _doctor(d, "busy services"), "noticed")
        equal(line[0], "warn")
        check(re.fullmatch(r"SLEEP \([12] wait\)", line[1]), line)
        contains(line[3], "<min>")
        wait_for(lambda: re.search(r"^! SLEEP: [12] wait, and its 1 servers "
                                   "are busy all the time", _top(d), re.M),
                 "the alarm")
        for c in d.clients:
            c.kill()
        d.clients.clear()
        wait_for(lambda: _doctor(d, "busy services") is None, "no more")


def _with_small_disk(d, folder, command):
    """Run a program in a namespace of its own, where the folder is a file
    system of 64 KB, full."""
    script = (f"mount -t tmpfs -o size=64k none {folder} && "
              f"{{ head -c 65536 /dev/zero > {folder}/fill; exec {command}; }}")
    r = subprocess.run(["unshare", "-rm", "sh", "-c", script], env=d.env,
                       cwd=d.home, capture_output=True, text=True,
                       timeout=60, check=False)
    if "unshare" in r.stderr or "mount" in r.stderr:
        raise Skip(f"no user namespaces here: {r.stderr.strip()}")
    return r


def test_a_full_disk_of_the_logs_is_named():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        r = _with_small_disk(d, d.logs, "xadmin doctor")
        ended(r, 1)
        contains(r.stdout, "FAIL  disk of the logs: 0 of 64.0K free at "
                           f"{d.logs}: calls go on, and lines")
        r = _with_small_disk(d, d.logs, "ndrxtop -b -d 0.1")
        contains(r.stdout, f"! {d.logs}: the disk is full, lines of the logs "
                           "are lost")
        equal(_doctor(d, "disk of the logs")[0], "ok")


def test_servers_are_listed_without_ndrxd():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"},
               {"srvid": 9, "appopt": "UPPER"})
        d.xadmin("stop", "-i", 9)
        before = {r.srvid: (r.pid, r.program, r.state)
                  for r in d.rows("ppm")}
        d.kill_ndrxd()
        kill(before[2][0])
        wait_for(lambda: not alive(before[2][0]), "dead")
        rows = {r.srvid: r for r in d.rows("ppm")}
        equal(sorted(rows), [1, 2, 9])
        equal((rows[1].pid, rows[1].program, rows[1].state), before[1])
        equal((rows[2].pid, rows[2].state, rows[2].requested),
              (0, "died", "runok"))
        equal((rows[9].pid, rows[9].state), (0, "exit"))
        r = d.xadmin("ppm")
        contains(r.stderr, "ndrxd is not running")
        contains(r.stdout, "testsv")
        equal(d.xadmin("psrv").returncode, 0)
        d.xadmin("start", "-y")


def test_the_console_shows_group_and_services_of_a_server():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO UPPER FAIL", "procgrp": "TELLERS"},
               sections="<procgroups><procgroup name=\"TELLERS\" "
                        "grpno=\"1\"/></procgroups>")
        line = next(n for n in _top(d, "servers").splitlines()
                    if "testsv" in n)
        contains(line.split(), "TELLERS")
        contains(line, "ECHO +2")


def test_orders_that_do_nothing_fail():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        for words, says in (
                (("unadv", "-i", 1, "-s", "NOTHING"),
                 "server 1 does not offer NOTHING; it offers ECHO"),
                (("readv", "-i", 1, "-s", "NOTHING"),
                 "server 1 does not offer NOTHING"),
                (("lcf", "logrotate", "-b", "nosuch"), "no program nosuch"),
                (("lcf", "logrotate", "-p", os.getpid()),
                 f"process {os.getpid()} is not of this domain"),
                (("stop", "-y", "-s", "nosuch"), "no server \"nosuch\""),
                (("stop", "-i", 999), "no server with id 999"),
                (("sreload", "-y", "-s", "nosuch"), "no server \"nosuch\""),
                (("start", "-y", "-g", "NOGRP"), "group \"NOGRP\""),
                (("bc", "-t", "NOSUCH"), "no such client"),
                (("sc", "-t", "NOSUCH"), "no such client"),
                (("appconfig", "nosuch", 1), "no setting \"nosuch\""),
                (("lcf", "disable"), "there are no orders"),
                (("killall", "nosuch"), "no process nosuch"),
                (("qrmall", "nosuch"), "nosuch"),
                (("cabort", "-y"), "nothing in progress")):
            if words[0] == "qrmall" and d.env["NDRX_TRANSPORT"] == "shm":
                continue  # its queues have no names
            r = d.xadmin(*words, ok=False)
            ended(r, 1, says)
        d.xadmin("unadv", "-i", 1, "-s", "ECHO")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.xadmin("readv", "-i", 1, "-s", "ECHO")
        equal(d.call("ECHO", "x").data, "x")
        equal(d.rows("lcf"), [])
        check(alive(d.pid(1)), "the server runs")
