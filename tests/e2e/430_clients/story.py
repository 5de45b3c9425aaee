# SPDX-License-Identifier: Apache-2.0
"""ndrxd starts, supervises, restarts and stops client programs."""
import os
import signal
import time
from html import escape

from checks import at_most, check, contains, differs, ended, equal, one_of
from covers import covers
from events import read_events
from fixture import Domain, alive, kill, wait_for

MAINLY = "shm"
COST = 16

ECHO = {"srvid": 1, "appopt": "ECHO"}
SLEEPER = "sh -c 'echo $NDRX_CLTTAG $NDRX_CLTSUBSECT; exec sleep 1000'"


def _clients(*execs, attrs=f'cmdline="{SLEEPER}"', envs="", groups=""):
    return (f"{groups}<clients><envs group=\"G\"><env name=\"FROM\">group"
            f"</env></envs><client {attrs}>{envs}"
            + "".join(f"<exec {e}/>" if not e.startswith("<") else e
                      for e in execs)
            + "</client></clients>")


def _row(d, tag, subsect="-"):
    for row in d.rows("pc"):
        if (row.tag, row.subsect) == (tag, subsect):
            return row
    return None


def _pid(d, tag, subsect="-"):
    row = _row(d, tag, subsect)
    return row.pid if row and row.state == "runok" else 0


def _ready(d, tag, subsect="-"):
    wait_for(lambda: _pid(d, tag, subsect), f"{tag}/{subsect} runs", 15)
    return _pid(d, tag, subsect)


def _text(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


@covers("clients", "client", "exec", "tag", "autostart", "cmdline",
        "xadmin pc")
def test_autostart_clients_start_and_stop_with_the_domain():
    with Domain() as d:
        d.boot(ECHO, sections=_clients('tag="A" autostart="Y"', 'tag="B"'))
        pid = _ready(d, "A")
        equal(_row(d, "B").state, "nstrd")
        out = d.xadmin("pc").stdout.splitlines()
        check(out[0].startswith(f"A/- - running pid {pid} (2"), out)
        equal(out[1], "B/- - not started")
        d.xadmin("stop", "-y")
        check(not alive(pid), "stopped with the domain")
        equal(d.leftovers(), [])
        equal(os.listdir(f"{d.home}/run"), [], "nothing in the run folder")


@covers("subsectfrom", "subsectto", "subsect", "xadmin bc", "xadmin rc",
        "xadmin sc")
def test_bc_sc_rc_select_clients_by_tag_and_subsection():
    with Domain() as d:
        d.boot(ECHO, sections=_clients(
            'tag="LINE" subsectfrom="1" subsectto="3"',
            'tag="LONE" subsect="X"'))
        d.xadmin("bc", "-t", "LINE", "-s", "2")
        equal([r.subsect for r in d.rows("pc") if r.pid], ["2"])
        equal([r.subsect for r in d.rows("pc") if r.tag == "LONE"], ["X"])
        r = d.xadmin("bc", "-t", "L%", "-s", "%", "-w", "10")
        equal(r.stdout.count("running pid"), 4, r.stdout)
        before = {r.subsect: r.pid for r in d.rows("pc")}
        d.xadmin("rc", "-t", "LINE", "-s", "3")
        after = {r.subsect: r.pid for r in d.rows("pc")}
        differs(after.pop("3"), before.pop("3"), "a new process")
        equal(after, before, "the others run on")
        r = d.xadmin("sc", "-t", "LINE", "-s", "%")
        equal(r.stdout.count(" - shutdown ("), 3, r.stdout)
        equal([r.tag for r in d.rows("pc") if r.pid], ["LONE"])
        equal(d.xadmin("bc", "-t", "NONE", ok=False).returncode, 1)
        equal(d.xadmin("bc", ok=False).returncode, 2)


@covers("cctag", "wd", "env", "log", "stderr", "envs", "usegroup", "group",
        "unset")
def test_an_exec_sets_environment_outputs_and_folder():
    with Domain() as d:
        envfile = f"{d.home}/extra.env"
        with open(envfile, "w", encoding="utf-8") as f:
            f.write("export FROMFILE=file\n# comment\n")
        show = escape("sh -c 'echo $NDRX_CLTTAG $NDRX_CLTSUBSECT $NDRX_CCTAG "
                      "$FROM $FROMFILE $OWN \\${EMPTY-unset}; pwd; "
                      "echo oops >&2; exec sleep 1000'")
        d.env["EMPTY"] = "set"
        d.boot(ECHO, sections=_clients(
            '<exec tag="E" subsect="S" autostart="Y" cctag="CC" wd="/usr" '
            f'env="{envfile}" log="{d.home}/${{NDRX_CLTTAG}}.log" '
            f'stderr="{d.home}/${{NDRX_CLTTAG}}.${{NDRX_CLTSUBSECT}}.err">'
            '<envs><usegroup>G</usegroup><env name="OWN">${NDRX_CLTSUBSECT}'
            '</env><env name="EMPTY" unset="Y"/></envs></exec>',
            attrs=f'cmdline="{show}"'))
        wait_for(lambda: "/usr" in _text(f"{d.home}/E.log"), "its output")
        equal(_text(f"{d.home}/E.log"),
              "E S CC group file S unset\n/usr\n")
        wait_for(lambda: _text(f"{d.home}/E.S.err") == "oops\n", "stderr")


@covers("stdout", "stderr")
def test_stdout_and_stderr_have_files_of_their_own():
    with Domain() as d:
        show = "sh -c 'echo out; echo err &gt;&amp;2; exec sleep 1000'"
        d.boot(ECHO, sections=_clients(
            f'tag="A" autostart="Y" stdout="{d.home}/out" '
            f'stderr="{d.home}/err"', attrs=f'cmdline="{show}"'))
        wait_for(lambda: (_text(f"{d.home}/out"), _text(f"{d.home}/err")) ==
                 ("out\n", "err\n"), "each in its file")


def test_a_dead_client_is_restarted_with_pauses():
    with Domain() as d:
        d.boot(ECHO, settings={"restart_min": "500ms",
                                     "restart_max": "1"}, sections=_clients(
            'tag="A" autostart="Y"', 'tag="BAD" cmdline="sh -c \'exit 3\'"'))
        pid = _ready(d, "A")
        kill(pid)
        wait_for(lambda: _pid(d, "A") not in (0, pid), "a new one", 10)
        equal(_row(d, "A").restarts, 1)
        equal([e.text for e in read_events(d) if e.word == "died"],
              ["killed by signal 9 (Killed)"])
        d.xadmin("bc", "-t", "BAD", ok=False)
        wait_for(lambda: _row(d, "BAD").restarts >= 2, "tried again", 15)
        row = _row(d, "BAD")
        one_of(row.reason, "ended with exit code 3", "")
        at_most(row.restarts, 4, "there are pauses")
        wait_for(lambda: "BAD/- - dead 3 (" in d.xadmin("pc").stdout,
                 "dead is said", 5)


def test_a_missing_program_is_reported():
    with Domain() as d:
        d.boot(ECHO, sections=_clients('tag="A"', attrs='cmdline="nosuch"'))
        r = d.xadmin("bc", "-t", "A", ok=False)
        equal(r.returncode, 1)
        contains(r.stderr, "No such file or directory")
        d.xadmin("sc", "-t", "A")


def test_a_missing_folder_is_reported():
    with Domain() as d:
        d.boot(ECHO, sections=_clients('tag="A" wd="/no/such/folder"'))
        r = d.xadmin("bc", "-t", "A", ok=False)
        contains(r.stderr, "/no/such/folder")
        d.xadmin("sc", "-t", "A")


def _family(d, level):
    """A client with a child process, stopped: the pid of the child."""
    kids = f"{d.home}/kids"
    cmd = escape(f"sh -c 'sleep 1000 & echo $! > {kids}; wait'")
    d.boot(ECHO, sections=_clients(f'tag="A" klevel="{level}"',
                                   attrs=f'cmdline="{cmd}"'))
    d.xadmin("bc", "-t", "A")
    wait_for(lambda: _text(kids).strip(), "the child")
    child = int(_text(kids))
    d.xadmin("sc", "-t", "A")
    return child


def test_kill_level_0_spares_children():
    with Domain() as d:
        child = _family(d, 0)
        check(alive(child), "the child lives on")
        kill(child)


def test_kill_level_1_kills_children_with_sigkill_only():
    """It spares them on SIGTERM; test_a_deaf_client... has the other half."""
    with Domain() as d:
        child = _family(d, 1)
        check(alive(child), "it ended on SIGTERM")
        kill(child)


@covers("klevel")
def test_kill_level_2_kills_children_always():
    with Domain() as d:
        child = _family(d, 2)
        wait_for(lambda: not alive(child), "the child too")


@covers("klevel")
def test_a_deaf_client_ends_by_the_kill_sequence_its_child_too():
    with Domain() as d:
        kids = f"{d.home}/kids"
        deaf = escape(f"sh -c 'trap : INT TERM; sleep 1000 & echo $! > {kids};"
                      " while :; do wait; done'")
        d.boot(ECHO, sections=_clients('tag="A" klevel="1" autostart="Y"',
                                       attrs=f'cmdline="{deaf}"'))
        _ready(d, "A")
        wait_for(lambda: _text(kids).strip(), "the child")
        start = time.monotonic()
        d.xadmin("stop", "-y", seconds=25)
        at_most(time.monotonic() - start, 20, "bounded time")
        # The child was killed with it; it may end a little later.
        wait_for(lambda: not alive(int(_text(kids))), "the child too")
        wait_for(lambda: d.leftovers() == [], "nothing is left")


@covers("rssmax", "vszmax")
def test_a_client_above_its_memory_limit_is_restarted():
    for limit in ("rssmax", "vszmax"):
        with Domain() as d:
            d.boot(ECHO, settings={"checkpm": "200ms"},
                   sections=_clients(f'tag="A" {limit}="100K" '
                                     'autostart="Y"'))
            _ready(d, "A")
            wait_for(lambda: _row(d, "A").pid and
                     _row(d, "A").start_tries >= 1 and
                     len(_events(d, "limit")) >= 1, "restarted", 15)
            contains(_events(d, "limit")[0].text, limit)


def _events(d, word):
    return [e for e in read_events(d) if e.word == word]


def test_new_ndrxd_adopts_clients_and_starts_none_twice():
    with Domain() as d:
        d.boot(ECHO, sections=_clients(
            'tag="A" autostart="Y"', 'tag="B" autostart="Y"',
            'tag="C" autostart="Y"', 'tag="D" autostart="Y"'))
        a, b = _ready(d, "A"), _ready(d, "B")
        _ready(d, "C")
        d.xadmin("sc", "-t", "C")
        d.xadmin("sc", "-t", "D")
        d.xadmin("bc", "-t", "D")
        d.kill_ndrxd()
        kill(b)
        d.xadmin("idle")
        equal(_pid(d, "A"), a, "the same process")
        wait_for(lambda: _pid(d, "B") not in (0, b),
                 "it died meanwhile, or dies still: started again")
        equal(_row(d, "C").pid, 0, "was stopped, stays stopped")
        _ready(d, "D")
        kill(a, signal.SIGTERM)
        wait_for(lambda: _pid(d, "A") not in (0, a), "still watched", 10)


def test_reload_restarts_changed_clients_and_refuses_to_drop_running_ones():
    with Domain() as d:
        d.boot(ECHO, sections=_clients('tag="A" autostart="Y"',
                                       'tag="B" autostart="Y"'))
        a, b = _ready(d, "A"), _ready(d, "B")
        d.configure(ECHO, sections=_clients(
            'tag="A" autostart="Y"', 'tag="B" autostart="Y" cctag="NEW"',
            'tag="C" autostart="Y"'))
        d.xadmin("reload")
        _ready(d, "C")
        wait_for(lambda: _pid(d, "B") not in (0, b), "B is new", 10)
        equal(_pid(d, "A"), a, "A runs on")
        d.configure(ECHO, sections=_clients('tag="B" autostart="Y"'))
        r = d.xadmin("reload", ok=False)
        ended(r, 1, '<exec tag="A" subsect="-">', "xadmin sc -t A -s -")
        equal(_pid(d, "A"), a, "nothing has happened")


def test_cpmsrv_is_a_process_that_stands_for_ndrxds_work():
    with Domain() as d:
        d.boot(ECHO, {"name": "cpmsrv", "srvid": 9999,
                      "appopt": "-i 15 -k 30"},
               sections=_clients('tag="A" autostart="Y"'))
        _ready(d, "A")
        equal([(r.srvid, r.state) for r in d.rows("ppm")],
              [(1, "runok"), (9999, "runok")])
