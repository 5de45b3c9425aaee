# SPDX-License-Identifier: Apache-2.0
"""ndrxtop in a real terminal: screens, sizes, keys, mouse."""
import os
import re
import signal

from checks import at_least, at_most, check, contains, ended, equal, lacks
from fixture import Domain, kill, wait_for
from machine import LONG, Skip, alive, pids_of, segments
from terminal import Terminal, need_tmux

MAINLY = "shm"
COST = 15
HEAVY = True
QUEUE_KB = 240  # in its long form

SIZES = ((80, 24), (100, 30), (132, 43), (200, 60))
SCREENS = ("services", "servers", "queues", "clients", "events", "wake-ups",
           "transactions", "durable", "nodes", "calls", "http")
# Columns that a screen has even at 80 x 24.
ALWAYS = {
    "services": "SERVICE CALLS/S ERR/S QUEUE HISTORY WAIT99 SERV99 BUSY SRVS",
    "servers": "ID PROGRAM STATE CALLS/S CPU% MEMORY REQUEST FOR RST",
    "queues": "QUEUE NOW MEAN PEAK BYTES OLDEST FULL/S LATE/S SRVS",
    "clients": "PROGRAM KIND PID CALLS/S CALLS OPEN TIMEOUTS LATE",
    "events": "AGO EVENT ID WHO WHY",
    "wake-ups": "SERVICE CALLS/S WAKE/CALL VAIN/CALL SWITCH/CALL ACTIVE "
                "SRVS TOP%",
    "transactions": "TRANSACTION STATE AGE LEFT DOUBT TRIES BRANCHES BEGUN",
    "durable": "QUEUE SPACE KIND DEPTH IN/S OUT/S OLDEST WAITING FAILED",
    "calls": "SERVICE STATE AGE LEFT WHERE CALLER",
    "http": "METHOD PATH CALLS/S P99 OPEN 5XX UNKN STATE",
    "nodes": "NODE BRIDGE STATE OUT/S IN/S ERR/S OPEN BACKLOG RTT SVCS",
}
ROWS = 5  # the first line of rows


def _top(d, *options, columns=80, lines=24, env=None):
    return Terminal(d, "ndrxtop", "-d", "0.1", *options, columns=columns,
                    lines=lines, env=env)


def _busy_domain(d):
    """Two kinds of servers; SLEEP serves one call, two are queued."""
    d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO FAIL"},
           {"srvid": 10, "appopt": "SLEEP"})
    for _ in range(3):
        d.client().begin("call", "SLEEP", "-", "STRING:2000")
    converser = d.client()
    converser.begin("calls", "ECHO", 10000000, 1, 20)
    return converser


def _leave(d):
    """Kill clients that are in the middle of calls."""
    for c in d.clients:
        c.kill()
    d.clients.clear()


def _words(line):
    return line.replace("▲", " ").replace("▼", " ").split()


def _check_screen(t, name, columns, lines):
    # tmux may show the first lines of a screen before the last one.
    wait_for(lambda: set(ALWAYS[name].split()) <=
             set(_words(t.screen()[ROWS - 1])) and
             "help" in t.screen()[lines - 1],
             f"{name} at {columns} x {lines}: titles, and the last line")
    screen = t.screen()
    text = "\n".join(screen)
    at_most(len(screen), lines + 1, text)
    at_most(max(map(len, screen)), columns, text)
    # No broken numbers, none too wide for its column.
    equal(re.search(r"\*\*|nan|inf|e[+-]\d\d|\d{12}", text), None, text)
    contains(screen[lines - 1], "help", text)


def test_each_screen_fits_each_size():
    need_tmux()
    with Domain() as d:
        _busy_domain(d)
        for columns, lines in SIZES:
            with _top(d, columns=columns, lines=lines) as t:
                for number, name in enumerate(SCREENS, 1):
                    t.keys("H" if name == "http" else str(number % 10))
                    _check_screen(t, name, columns, lines)
                t.keys("q")
                t.wait("status 0")
        _leave(d)


def test_screens_show_the_counters_of_the_domain():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO FAIL"})
        equal(d.client()("calls", "ECHO", 200, 1, 20).ok, 200)
        for _ in range(7):
            equal(d.call("FAIL").err, "TPESVCFAIL")
        rows = _batch(d, "services")
        equal(rows["ECHO"]["CALLS"], "200")
        equal(rows["ECHO"]["ERRORS"], "0")
        equal(rows["FAIL"]["CALLS"], "7")
        equal(rows["FAIL"]["ERRORS"], "7")
        equal(rows["ECHO"]["SRVS"], "2")
        clients = _batch(d, "clients")
        equal(clients["testcl"]["KIND"], "client")
        servers = _batch(d, "servers", key="ID")
        equal(sorted(servers), ["1", "2"])
        equal(int(servers["1"]["PID"]), d.pid(1))


def _batch(d, screen, *options, key=None):
    """Rows of `ndrxtop -b` by their first column."""
    r = d.run("ndrxtop", "-b", "-d", "0.1", "-w", "180", "-s", screen,
              *options)
    equal(r.returncode, 0, r.stderr)
    lines = [n for n in r.stdout.splitlines()[1:] if not n.startswith("!")]
    # Columns end (numbers) or begin (names) with their titles.
    titles = lines[0].split()
    found = {}
    for line in lines[1:]:
        words = line.split()
        if len(words) >= len(titles) - 3:
            found[words[0]] = _row(lines[0], line)
    equal(titles[0], key or titles[0])
    return found


def _row(head, line):
    """Fields under their titles: a number ends where its title ends."""
    row = {}
    for m in re.finditer(r"\S+( EXIT)?", head):
        # A field is the word that overlaps its title.
        for w in re.finditer(r"\S+", line):
            if w.start() < m.end() and w.end() > m.start():
                row[m.group()] = w.group()
                break
    return row


def test_waiting_requests_are_shown_and_explained():
    need_tmux()
    with Domain() as d:
        _busy_domain(d)
        with _top(d, "-s", "queues") as t:
            t.wait("SLEEP: 2 wait, the oldest for up to ")
            t.wait("1 of 1 servers busy")
            line = next(n for n in t.screen()[ROWS:] if "SLEEP" in n)
            equal(line.split()[1], "2", line)
            t.keys("2")
            t.wait("busy")
            # The other server may be busy for a moment, too.
            wait_for(lambda: any("busy" in n and "SLEEP" in n
                                 for n in t.screen()[ROWS:]),
                     "the busy server's service")
            t.keys("!")
            t.wait("Problems")
        _leave(d)


def test_ndrxtop_goes_on_without_ndrxd():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        with _top(d) as t:
            t.wait("nothing wrong")
            pid = d.ndrxd_pid()
            kill(pid)
            t.wait("ndrxd is not running: calls go on")
            t.wait("no ndrxd")
            equal(d.call("ECHO", "x").data, "x")
            t.keys("2")
            t.wait("testsv")
            t.keys("r")
            t.wait("Restart server 1, testsv?")
            t.keys("y")
            t.wait("failed")
            t.wait("ndrxd is not running: `xadmin start -y` starts it")
        d.xadmin("start", "-y")


def test_ndrxtop_waits_for_the_domain_to_start():
    need_tmux()
    with Domain() as d:
        with _top(d) as t:
            t.wait("no such domain")
            d.boot({"srvid": 1, "appopt": "ECHO"})
            t.wait("nothing wrong")
            t.wait("ECHO")
            d.xadmin("stop", "-y")
            t.wait("no such domain")
            d.boot({"srvid": 1, "appopt": "UPPER"})
            t.wait("UPPER")
            lacks(t.text(), "ECHO")


def test_the_screen_shows_the_death_of_a_server():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO CRASH"})
        with _top(d, "-s", "servers", columns=120) as t:
            t.wait("idle")
            equal(d.call("CRASH").err, "TPESVCERR")
            screen = t.wait("Killed")
            t.wait(" idle ")
            contains(screen, "testsv")


def test_the_events_screen_shows_actions_of_ndrxd():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO CRASH"})
        if not any("events" in s for s in segments(d.prefix)):
            raise Skip("this ndrxd keeps no events")
        with _top(d, "-s", "events", columns=120) as t:
            t.wait("start")
            old = d.pid(1)
            equal(d.call("CRASH").err, "TPESVCERR")
            t.wait("died")
            # Not while ndrxd starts it again: the next ndrxd may not know a
            # process that has not joined.
            wait_for(lambda: d.pid(1) not in (0, old), "server 1 is back")
            kill(d.ndrxd_pid())
            t.wait("no ndrxd")
            contains(t.text(), "died")  # events outlive ndrxd
            t.keys("2", "e")
            t.wait("events of server 1 testsv")
        d.xadmin("start", "-y")


def test_stop_start_and_restart_ask_first():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, {"srvid": 2, "appopt": "UPPER"})
        with _top(d, "-s", "servers", columns=100) as t:
            t.wait("testsv")
            t.keys("Down", "x")
            t.wait("Stop server 2, testsv?")
            t.keys("n")
            t.wait("nothing was done")
            at_least(d.pid(2), 1)
            t.keys("x")
            t.wait("Stop server 2, testsv?")
            t.keys("y")
            t.wait("stop of server 2: done")
            t.wait(" off ")
            equal(d.call("UPPER", "x").err, "TPENOENT")
            t.keys("s")
            t.wait("Start server 2, testsv?")
            t.keys("y")
            t.wait("start of server 2: done")
            equal(d.call("UPPER", "x").data, "X")
            before = d.pid(2)
            t.keys("r")
            t.wait("Restart server 2, testsv?")
            t.keys("y")
            t.wait("restart of server 2: done")
            lacks((0, before), d.pid(2))
            t.keys("o")
            t.wait("Shutdown succeeded")


def test_keys_filter_freeze_sort_and_descend():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3,
                "appopt": "ECHO UPPER AAA=ECHO"})
        with _top(d) as t:
            t.wait("AAA")
            t.keys("/")
            t.type("upp")
            t.wait("Enter keeps it")
            wait_for(lambda: "ECHO" not in t.text(), "filtered")
            t.keys("Enter")
            t.wait("/upp  1 of 3")
            t.keys("Enter")
            t.wait("UPPER, by server")
            equal(t.text().count("testsv"), 3)
            t.keys("Enter")
            t.wait("services of server 1 testsv")
            t.wait("AAA")
            t.keys("Escape")
            t.wait("UPPER, by server")
            t.keys("Escape")
            wait_for(lambda: "by server" not in t.text(), "back")
            t.keys("Escape")
            t.wait("ECHO")
            t.keys("<")  # now by name, ascending
            t.wait("SERVICE▲")
            equal([n.split()[0] for n in t.screen()[ROWS:ROWS + 3]],
                  ["AAA", "ECHO", "UPPER"])
            t.keys("R")
            t.wait("SERVICE▼")
            wait_for(lambda: t.screen()[ROWS].startswith("UPPER"), "turned")
            t.keys("Space")
            t.wait("FROZEN")
            equal(d.client()("calls", "ECHO", 50, 1, 20).ok, 50)
            t.keys("i")
            t.wait("All columns")
            t.keys("Escape")
            t.keys("Space")
            wait_for(lambda: "FROZEN" not in t.text(), "continued")
            t.keys("?")
            t.wait("Help")
            t.wait("PgUp PgDn: more")
            t.keys("PageDown")
            t.wait("next screen")


def test_the_mouse_selects_tabs_columns_and_rows():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO UPPER"})
        with _top(d) as t:
            t.wait("UPPER")
            head = t.screen()[2]
            t.click(2, head.index("Servers"))
            t.wait("STATE")
            t.click(ROWS - 1, t.screen()[ROWS - 1].index("STATE") + 1)
            t.wait("STATE▲")
            t.click(ROWS + 1, 5)
            t.wait("2 of 2")
            t.click(ROWS, 5, times=2)
            t.wait("services of server")


def test_a_resized_terminal_is_redrawn():
    need_tmux()
    with Domain() as d:
        converser = _busy_domain(d)
        with _top(d) as t:
            t.wait("ECHO")
            for columns, lines in ((200, 60), (80, 24), (45, 9), (132, 43),
                                   (30, 6), (80, 24)):
                t.resize(columns, lines)
                if columns < 40:
                    t.wait("at least 40 x 8")
                    continue
                wait_for(lambda: "help" in t.screen()[lines - 1]
                         and "ECHO" in t.text(), "drawn anew")
                at_most(max(map(len, t.screen())), columns, t.text())
            _check_screen(t, "services", 80, 24)
        check(alive(converser.pid), "the domain goes on")
        _leave(d)


def test_ascii_and_no_color_are_respected():
    need_tmux()
    with Domain() as d:
        _busy_domain(d)
        for options, env in ((("-a",), {}), ((), {"LC_ALL": "C"})):
            with _top(d, *options, env=env) as t:
                t.wait("! SLEEP")
                for key in "12345678?":
                    t.keys(key)
                    t.wait({"?": "Help"}.get(key, "SRVS" if key == "1"
                                             else "help"))
                    check(t.text().isascii(), t.text())
        with _top(d, env={"NO_COLOR": "1"}) as t:
            t.wait("SLEEP")
            codes = re.findall(r"\x1b\[([0-9;]*)m", "".join(t.coloured()))
            used = {c for code in codes for c in code.split(";")}
            equal(used & {"38", "48", *map(str, range(30, 38)),
                          *map(str, range(40, 48))}, set())
        with _top(d) as t:
            t.wait("SLEEP")
            wait_for(lambda: "38;5" in "".join(t.coloured()), "colours")
        with _top(d, env={"TERM": "vt100"}) as t:
            t.wait("SLEEP")
            t.keys("q")
            t.wait("status 0")
        _leave(d)


def test_wrong_options_are_refused():
    with Domain() as d:
        for words, status, text in (
                (["-s", "nowhere"], 2, "-s: nowhere: no such screen"),
                (["-d", "fast"], 2, "-d: fast: give seconds, 0.1 to 60"),
                (["-d", "0"], 2, "give seconds, 0.1 to 60"),
                (["-b", "-o", "NOTHING"], 2, "has no such column"),
                (["-b", "-w", "5"], 2, "give a number, 20 to 1000"),
                (["-b", "-n", "x"], 2, "-n: x: give a number"),
                (["surplus"], 2, "usage:"),
                (["-Z"], 2, "usage:"),
                ([], 1, "this is not a terminal"),
                (["-b", "-d", "0.1"], 1, "no such domain")):
            r = d.run("ndrxtop", *words)
            ended(r, status, text)
        equal(d.run("ndrxtop", "-h").returncode, 0)
        r = d.run("ndrxtop", env={"NDRX_QPREFIX": "no slash"})
        ended(r, 1, "NDRX_QPREFIX")
        d.boot({"srvid": 1, "appopt": "ECHO"})


def _console(d):
    return next(p for p in pids_of(d.prefix)
                if os.path.basename(os.readlink(f"/proc/{p}/exe")) ==
                "ndrxtop")


def test_ndrxtop_ends_with_its_terminal():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        with _top(d) as t:
            t.wait("ECHO")
            pid = _console(d)
        wait_for(lambda: not alive(pid), "ended")


def test_a_killed_ndrxtop_leaves_the_domain_alone():
    need_tmux()
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        with _top(d) as t:
            t.wait("ECHO")
            pid = _console(d)
            kill(pid, signal.SIGSTOP)
            equal(d.call("ECHO", "x").data, "x")
            kill(pid, signal.SIGKILL)
            equal(d.call("ECHO", "x").data, "x")


def _run_ns(pid):
    with open(f"/proc/{pid}/schedstat", encoding="ascii") as f:
        return int(f.read().split()[0])


def test_watching_500_servers_costs_little_cpu():
    """CPU time of 40 refreshes in 10 s."""
    need_tmux()
    if not LONG:
        raise Skip("OW_LONG=1 tells it")
    with Domain(small=False) as d:
        d.boot(*[{"srvid": 1 + 100 * k, "min": 100, "max": 100,
                  "appopt": " ".join(f"S{k}_{i}=ECHO" for i in range(4))}
                 for k in range(5)])
        converser = d.client()
        converser.begin("calls", "S0_0", 10000000, 1, 20)
        with Terminal(d, "ndrxtop", "-d", "0.25", columns=120, lines=40,
                      env={}) as t:
            for screen in "126":
                t.keys(screen)
                t.wait("S0_0" if screen != "2" else "testsv")
                pid = _console(d)
                before = _run_ns(pid)
                try:
                    wait_for(lambda: False, "ten seconds", 10 / _slow())
                except AssertionError:
                    pass
                part = (_run_ns(pid) - before) / 10e9 * 100
                print(f"         screen {screen}: {part:.2f} % of a CPU")
                at_most(part, 3, "per cent of a CPU")
        _leave(d)


def _slow():
    return float(os.environ.get("OW_SLOW", "1"))
