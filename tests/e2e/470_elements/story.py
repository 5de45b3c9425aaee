# SPDX-License-Identifier: Apache-2.0
"""Each element of <server>, <defaults> and <appconfig> has its effect."""
import os
import shutil
import signal
import subprocess

from checks import at_least, check, contains, differs, equal, near, soon
from covers import accepts, covers
from events import read_events
from fixture import Domain, Skip, alive, holds, kill, wait_for

MAINLY = "shm"
COST = 21

ECHO = {"srvid": 1, "appopt": "ECHO"}


def _events(d, word, srvid=None):
    return [e for e in read_events(d)
            if e.word == word and srvid in (None, e.srvid)]


def _gap_ms(a, b):
    return (b.real_ns - a.real_ns) / 1e6


@covers("start_max", "sanity")
def test_times_have_units_fractions_or_sanity_cycles():
    for text, sanity, want in (("250ms", "1", 250), ("0.3", "1", 300),
                               ("1.5", "200ms", 300), ("0.4s", "7", 400)):
        with Domain() as d:
            d.boot_any({**ECHO, "start_max": text, "respawn": "N",
                        "appopt": "init=sleep:60000 ECHO"},
                       settings={"sanity": sanity, "killtime": "100ms"})
            reasons = [e.text for e in _events(d, "late")]
            equal(reasons[:1], [f"not ready within {want} ms"])
            wait_for(lambda: d.row("ppm", srvid=1).state == "died", "died")


@covers("restart_min", "restart_step", "restart_max", "restart_tries")
def test_restarts_back_off_and_give_up():
    with Domain() as d:
        d.boot_any({**ECHO, "appopt": "init=fail", "restart_tries": 5},
                   settings={"restart_min": "100ms", "restart_step": "300ms",
                             "restart_max": "600ms"})
        wait_for(lambda: _events(d, "gave up"), "given up", 10)
        starts = _events(d, "start")
        equal(len(starts), 5)
        late = [_gap_ms(starts[i], starts[i + 1]) - want
                for i, want in enumerate((100, 400, 600, 600))]
        at_least(min(late), 0, "ms after the time")
        soon(max(late), 300, "after the time")
        # Events tell the first, second, fourth ... failure in a row.
        equal([e.text.split(",")[0] for e in _events(d, "retry")],
              [f"started again in {ms} ms" for ms in (100, 400, 600)])
        row = d.row("ppm", srvid=1)
        contains(row.reason, "; given up, because it failed 5 times in a row")
        equal(row.requested, "exit")
        equal(_events(d, "gave up")[0].text, row.reason)


@covers("respawn")
def test_respawn_n_does_not_restart():
    with Domain() as d:
        d.boot({**ECHO, "respawn": "N"})
        kill(d.pid(1))
        wait_for(lambda: d.row("ppm", srvid=1).state == "died", "dead")
        contains(d.row("ppm", srvid=1).reason, "killed by signal 9 (Killed); "
                 "given up, because <respawn> is N")


@covers("killseq", "killtime", "end_max")
def test_a_hung_server_gets_its_kill_sequence():
    with Domain() as d:
        d.boot({**ECHO, "killseq": "10,12,9", "killtime": "200ms",
                "end_max": "300ms"})
        kill(d.pid(1), signal.SIGSTOP)  # only SIGKILL ends it now
        d.xadmin("stop", "-i", 1)
        signals = _events(d, "signal")
        equal([e.text.split()[1] for e in signals], ["10", "12", "9"])
        near(_gap_ms(_events(d, "stop")[0], signals[0]), 300, 900)
        near(_gap_ms(signals[0], signals[1]), 200, 600)


@covers("autokill")
def test_autokill_n_spares_a_hung_server():
    with Domain() as d:
        ping = {"pingtime": "100ms", "ping_max": "200ms"}
        d.boot({**ECHO, **ping, "autokill": "N"},
               {**ping, "srvid": 2, "appopt": "UPPER", "autokill": "Y"})
        pid, other = d.pid(1), d.pid(2)
        kill(pid, signal.SIGSTOP)
        kill(other, signal.SIGSTOP)
        wait_for(lambda: not alive(other), "the other one is killed", 3)
        # Three times what was enough for the other one.
        holds(lambda: alive(pid) and not _events(d, "signal", 1), "alone", 0.9)
        kill(pid, signal.SIGCONT)
        equal(d.call("ECHO", "x").data, "x")


@covers("sleep_after", "srvstartwait")
def test_start_waits_for_sleep_after_and_srvstartwait():
    with Domain() as d:
        d.boot_any({**ECHO, "sleep_after": "600ms"},
                   {"srvid": 2, "appopt": "init=sleep:2500 SLOW=ECHO",
                    "srvstartwait": "500ms"},
                   {"srvid": 3, "appopt": "UPPER"})
        first, second, third = [_events(d, "start", i)[0] for i in (1, 2, 3)]
        near(_gap_ms(_events(d, "ready", 1)[0], second), 590, 1800)
        # The event of a start is written some time after the start.
        near(_gap_ms(second, third), 350, 1500)
        check(first.number < second.number < third.number, "their order")


@covers("srvstopwait")
def test_stop_goes_on_after_srvstopwait():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "UPPER"},
               {**ECHO, "srvid": 2, "srvstopwait": "300ms", "end_max": "1",
                "killtime": "100ms"})
        kill(d.pid(2), signal.SIGSTOP)
        d.xadmin("stop", "-y", "-s", "testsv", ok=False)
        stops = {e.srvid: e for e in _events(d, "stop")}
        near(_gap_ms(stops[2], stops[1]), 300, 900)


@covers("compat")
def test_compat_is_a_variable_of_the_process():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ENV", "compat": "strict-tuxedo"},
               {"srvid": 2, "appopt": "ENV2=ENV"})
        equal(d.call("ENV", "NDRX_COMPAT").data, "strict-tuxedo")
        differs(d.call("ENV2", "NDRX_COMPAT").data, "strict-tuxedo")


def test_a_line_of_env_that_is_no_assignment_means_nothing_in_strict_tuxedo():
    with Domain() as d:
        with open(f"{d.home}/sv.env", "w", encoding="utf-8") as f:
            f.write("ONE=1\nset -o vi\nTWO=2\n")
        server = {"srvid": 1, "appopt": "ENV", "env": f"{d.home}/sv.env"}
        r = d.boot_any(server)
        equal(r.returncode, 1)
        contains(r.stdout + r.stderr, "sv.env:2")
        d.configure({**server, "compat": "strict-tuxedo"})
        d.xadmin("reload")
        d.xadmin("start", "-y")
        equal([d.call("ENV", n).data for n in ("ONE", "TWO")], ["1", "2"])


@covers("env", "envs", "group", "usegroup", "unset", "cctag",
        "threadstacksize", "mindispatchthreads", "maxdispatchthreads")
def test_a_server_gets_its_configured_environment():
    groups = ('<envs><env name="ALL">all</env><env name="TWO">first</env>'
              '</envs><envs group="G"><env name="TWO">group</env>'
              '<env name="GONE" unset="Y"/></envs>')
    with Domain({"GONE": "here", "FROM": "outside"}) as d:
        envfile = f"{d.home}/sv.env"
        with open(envfile, "w", encoding="utf-8") as f:
            f.write('# comment\nexport FILE="in file"\nTWO=file\n'
                    "REF=${FROM}\nLAST=first\n")
        with open(f"{d.home}/more.env", "w", encoding="utf-8") as f:
            f.write("LAST=second after ${LAST}\n")
        d.boot({"srvid": 1, "appopt": "ENV",
                "env": f"{envfile}, {d.home}/more.env", "cctag": "A/B",
                "threadstacksize": 256, "mindispatchthreads": 2,
                "maxdispatchthreads": 4, "xml": "<usegroup>G</usegroup>"
                '<envs><env name="OWN">${FROM}</env></envs>'},
               {"srvid": 2, "appopt": "ENV2=ENV"}, defaults=groups)
        for name, want in (("ALL", "all"), ("TWO", "group"),
                           ("FILE", "in file"), ("REF", "outside"),
                           ("OWN", "outside"), ("NDRX_CCTAG", "A/B"),
                           ("LAST", "second after first"),
                           ("NDRX_THREADSTACKSIZE", "256"),
                           ("NDRX_MAXDISPATCHTHREADS", "4"),
                           ("NDRX_MINDISPATCHTHREADS", "2"),
                           ("NDRX_SVSRVID", "1"),
                           ("NDRX_SVPROCNAME", "testsv"),
                           ("NDRX_SVPPID", str(d.ndrxd_pid())),
                           ("NDRX_SVCLOPT", "-i 1 -- ENV")):
            equal(d.call("ENV", name).data, want, name)
        equal(d.call("ENV", "GONE").err, "TPESVCFAIL", "unset")
        equal(d.call("ENV2", "GONE").data, "here", "in the group only")
        equal(d.call("ENV2", "TWO").data, "first")


@covers("fullpath", "cmdline", "sysopt", "appopt")
def test_a_server_is_started_with_its_configured_command():
    with Domain() as d:
        other = f"{d.home}/other sv"
        shutil.copy(d.program("testsv"), other)
        log = f"{d.home}/own.log"
        d.boot({"srvid": 1, "fullpath": other, "appopt": "PID ENV",
                "sysopt": f"-e '{log}' -r"},
               {"srvid": 2, "cmdline": "sh -c 'exec testsv -i "
                "${NDRX_SVSRVID} -- W=PID WENV=ENV'"},
               {"srvid": 3, "cmdline": "${NDRX_SVPROCNAME} -i 3 -- V=PID"})
        pid = int(d.call("PID").data)
        equal(os.readlink(f"/proc/{pid}/exe"), other)
        check(os.path.exists(log), "sysopt -e")
        equal(int(d.call("W").data), d.pid(2))
        equal(int(d.call("V").data), d.pid(3))
        equal(d.call("WENV", "NDRX_SVSRVID").data, "2")


@covers("clopt")
def test_clopt_has_options_of_the_system_and_of_the_application():
    with Domain() as d:
        log = f"{d.home}/own -- .log"
        d.boot({"srvid": 1, "clopt": f"-A -s OTHER:PID -e '{log}' -- PID ENV"})
        equal(int(d.call("OTHER").data), d.pid(1))
        equal(d.call("ENV", "NDRX_SVSRVID").data, "1")
        check(os.path.exists(log), "-e")


@covers("protected")
def test_a_protected_server_survives_stop_k():
    with Domain() as d:
        d.boot({**ECHO, "protected": "Y"}, {"srvid": 2, "appopt": "UPPER"})
        pid = d.pid(1)
        d.xadmin("stop", "-s", "testsv", "-k", ok=False)
        equal((d.pid(1), d.pid(2)), (pid, 0))
        d.xadmin("stop", "-i", 1)
        equal(d.pid(1), 0, "asked without -k, it ends")


@covers("reloadonchange", "checkpm")
def test_a_changed_program_is_reloaded():
    with Domain() as d:
        other = f"{d.home}/changing"
        shutil.copy(d.program("testsv"), other)
        d.boot({**ECHO, "min": 2, "max": 2, "fullpath": other,
                "reloadonchange": "Y"},
               settings={"checkpm": "200ms", "sanity": "10"})
        before = {r.srvid: r.pid for r in d.rows("ppm")}
        shutil.copy(d.program("testsv"), other + ".new")
        os.rename(other + ".new", other)
        wait_for(lambda: _events(d, "changed"), "noticed at the next tick", 3)
        wait_for(lambda: all(d.pid(i) not in (0, before[i]) for i in (1, 2)),
                 "both replaced", 15)
        equal(len(_events(d, "changed")), 2)


@covers("rssmax", "vszmax")
def test_a_server_above_its_memory_limit_is_replaced():
    for element in ("rssmax", "vszmax"):
        with Domain() as d:
            d.boot({**ECHO, element: "100K"},
                   settings={"checkpm": "200ms"})
            wait_for(lambda: _events(d, "limit"), "over the limit")
            contains(_events(d, "limit")[0].text, element)
            d.xadmin("stop", "-y")


def test_segments_of_the_domain_do_not_count_for_vszmax():
    if os.environ.get("OW_SANITIZE"):
        raise Skip("a sanitizer maps terabytes")
    with Domain() as d:
        d.boot({**ECHO, "vszmax": "32M"}, settings={"checkpm": "100ms"})
        pid = d.pid(1)
        with open(f"/proc/{pid}/statm", encoding="ascii") as f:
            at_least(int(f.read().split()[0]) * 4096, 2**25, "with segments")
        # Ten checks of the limits.
        holds(lambda: d.pid(1) == pid, "not replaced", 1.5)
        equal(_events(d, "limit"), [])


@covers("transport", "wake")
def test_the_configuration_sets_transport_and_wake():
    with Domain({"NDRX_TRANSPORT": None}) as d:
        for transport, wake in (("posix", "exclusive"), ("shm", "even")):
            d.boot(ECHO, appconfig=f"<transport>{transport}</transport>"
                   f"<wake>{wake}</wake>")
            equal(d.call("ECHO", "x").data, "x")
            equal((d.row("stat").transport, d.row("stat").wake),
                  (transport, wake))
            contains(d.xadmin("stat").stdout, f"{transport}, wake {wake}\n")
            d.close_clients()
            d.xadmin("stop", "-y")


def _may_real_time():
    try:  # ndrxd takes it if it was started with the usual priority
        os.setpriority(os.PRIO_PROCESS, 0, 0)
    except PermissionError:
        return False
    return subprocess.run(["chrt", "-r", "1", "true"], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def test_ndrxd_has_real_time_priority_and_its_servers_do_not():
    if not _may_real_time():
        raise Skip("real time is not allowed here")
    clients = ('<clients><client cmdline="sleep 1000"><exec tag="C" '
               'autostart="Y"/></client></clients>')
    with Domain() as d:
        d.boot(ECHO, sections=clients)
        who = (d.ndrxd_pid(), d.pid(1), d.rows("pc")[0].pid)
        equal([os.getpriority(os.PRIO_PROCESS, p) for p in who], [0, 0, 0])
        equal([os.sched_getscheduler(p) & ~os.SCHED_RESET_ON_FORK
               for p in who],
              [os.SCHED_RR, os.SCHED_BATCH, os.SCHED_OTHER])


def test_new_ndrxd_takes_real_time_priority_from_a_server():
    """As if ndrxd had been killed between fork and exec of its child."""
    if not _may_real_time():
        raise Skip("real time is not allowed here")
    with Domain() as d:
        d.boot(ECHO)
        pid = d.pid(1)
        d.kill_ndrxd()
        os.sched_setscheduler(pid, os.SCHED_RR, os.sched_param(1))
        d.xadmin("idle")
        wait_for(lambda: os.sched_getscheduler(pid) == os.SCHED_OTHER,
                 "the server is one of many")


def test_a_server_that_joins_gives_real_time_priority_back():
    """As if ndrxd had been killed right after the exec of its child."""
    if not _may_real_time():
        raise Skip("real time is not allowed here")
    with Domain() as d:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
        try:
            p = d.spawn(11, "ECHO")
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        d.wait_ready(11)
        equal(os.sched_getscheduler(p.pid) & ~os.SCHED_RESET_ON_FORK,
              os.SCHED_BATCH)


def test_ndrx_sched_batch_applies_to_servers():
    with Domain() as d:
        d.env["NDRX_SCHED"] = "batch"
        d.boot(ECHO)
        equal(os.sched_getscheduler(d.pid(1)),
              os.SCHED_BATCH | os.SCHED_RESET_ON_FORK)


def test_an_unknown_word_of_ndrx_sched_is_refused():
    with Domain() as d:
        d.env["NDRX_SCHED"] = "fifo"
        r = d.boot_any(ECHO)
        contains(r.stderr, 'NDRX_SCHED="fifo": give batch or normal')


def test_ndrx_sched_normal_applies_to_ndrxd():
    with Domain() as d:
        d.env["NDRX_SCHED"] = "normal"
        d.boot(ECHO)
        equal([os.sched_getscheduler(p) for p in (d.ndrxd_pid(), d.pid(1))],
              [os.SCHED_OTHER, os.SCHED_OTHER])


@accepts("rqaddr", "brrefresh", "rqaddrttl", "ddrreload")
def test_elements_of_other_runtimes_are_accepted():
    with Domain() as d:
        r = d.boot({**ECHO, "rqaddr": "ECHOQ"},
                   appconfig="<checkpm>2</checkpm><brrefresh>0</brrefresh>"
                   "<rqaddrttl>10</rqaddrttl><ddrreload>60</ddrreload>"
                   "<gather_pq_stats>Y</gather_pq_stats>")
        contains(r.stderr, "1 processes started")


@accepts("onewake")
def test_the_root_may_be_named_onewake():
    with Domain() as d:
        d.configure(ECHO)
        with open(d.env["NDRX_CONFIG"], encoding="utf-8") as f:
            text = f.read()
        with open(d.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
            f.write(text.replace("endurox>", "onewake>"))
        d.xadmin("start", "-y")
        equal(d.call("ECHO", "x").data, "x")


@covers("restart_to_check")
def test_a_server_that_does_not_connect_within_restart_to_check_is_replaced():
    with Domain() as d:
        d.boot({**ECHO, "pingtime": 0},
               settings={"restart_to_check": "1"})
        pid = d.pid(1)
        d.kill_ndrxd()
        kill(pid, signal.SIGSTOP)
        d.xadmin("idle")
        wait_for(lambda: d.pid(1) not in (0, pid), "replaced", 15)
        contains(_events(d, "late")[0].text, "has not connected")


@covers("xadmin testcfg")
def test_reload_starts_stops_and_restarts_changed_servers():
    with Domain() as d:
        same = {"srvid": 50, "appopt": "UPPER"}
        d.boot({"srvid": 1, "min": 3, "max": 5, "appopt": "ECHO"}, same,
               {"srvid": 60, "min": 2, "max": 2, "appopt": "PID"})
        before = {r.srvid: r.pid for r in d.rows("ppm") if r.pid}
        d.configure({"srvid": 1, "min": 4, "max": 4, "appopt": "ECHO"}, same,
                    {"srvid": 60, "min": 1, "max": 1, "appopt": "PID ENV"},
                    {"srvid": 70, "appopt": "NEW=ECHO"})
        said = d.xadmin("testcfg").stdout
        for line in ("server testsv id 4: new: is started",
                     "server testsv id 60: changed: is restarted",
                     "server testsv id 61: no longer configured: is stopped",
                     "server testsv id 70: new: is started"):
            contains(said, line)
        equal({r.srvid: r.pid for r in d.rows("ppm") if r.pid}, before)
        d.xadmin("reload")
        after = {r.srvid: r.pid for r in d.rows("ppm") if r.pid}
        equal(sorted(after), [1, 2, 3, 4, 50, 60, 70])
        for srvid in (1, 2, 3, 50):
            equal(after[srvid], before[srvid], f"{srvid} runs on")
        differs(after[60], before[60])
        equal(d.call("ENV", "NDRX_SVSRVID").data, "60")
        equal(d.xadmin("reload").returncode, 0, "nothing differs now")
        equal({r.srvid: r.pid for r in d.rows("ppm") if r.pid}, after)


def test_reload_refuses_with_file_line_and_hint():
    with Domain() as d:
        d.boot(ECHO, {"srvid": 10, "appopt": "UPPER"})
        path = d.env["NDRX_CONFIG"]
        d.configure(ECHO, {"name": "othersv", "srvid": 10})
        r = d.xadmin("reload", ok=False)
        for word in (f"{path}:", "id 10 still runs as testsv"):
            contains(r.stderr, word)
        d.configure(ECHO, {"srvid": 10, "appopt": "UPPER"},
                    appconfig="<wake>exclusive</wake>")
        r = d.xadmin("reload", ok=False)
        contains(r.stderr, "<wake>: cannot change")
        equal(d.call("UPPER", "x").data, "X")
