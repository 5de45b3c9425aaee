# SPDX-License-Identifier: Apache-2.0
"""Logs: request ids in lines, changes while running, rotation."""
import glob
import json
import os
import re

from checks import at_least, check, contains, differs, ended, equal, lacks
from covers import covers
from fixture import Domain, kill, wait_for

MAINLY = "shm"
COST = 15

IDS = re.compile(r":\[req=([0-9a-f]{16}) trace=([0-9a-f]{32})\] (.*)$", re.M)
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def read(path):
    try:
        with open(path, encoding="utf-8") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def test_a_trace_can_be_followed_through_all_processes():
    with Domain(env={"NDRX_DEBUG_STR": "tp=4 file=${NDRX_APPHOME}/all.log"}
                ) as d:
        d.server(1, "SAY")
        d.server(2, "CALLON")
        c = d.client(TRACEPARENT=f"00-{TRACE}-00f067aa0ba902b7-01")
        equal(c.call("CALLON", "SAY in the trace").err, "OK")
        equal(c.call("SAY", "in it too").err, "OK")
        equal(d.call("SAY", "on its own").err, "OK")
        said = {text: (req, trace) for req, trace, text
                in IDS.findall(read(f"{d.home}/all.log"))}
        equal(said["in the trace"][1], TRACE)
        equal(said["in it too"][1], TRACE)
        equal(len({req for req, _ in said.values()}), 3, "requests")
        differs(said["on its own"][1], TRACE)


def _traced(path):
    """The lines of calls and services, without ids: [words]."""
    return [n.split("trace: ")[1].split() for n in read(path).splitlines()
            if "trace: " in n]


def test_each_call_is_a_line_on_both_sides():
    with Domain(env={"NDRX_DEBUG_STR":
                     "ndrx=2 trace=y file=${NDRX_APPHOME}/all.log"}) as d:
        d.server(1, "SAY", "FAIL")
        d.server(2, "CALLON")
        c = d.client()
        equal(c.call("CALLON", "SAY hello").err, "OK")
        equal(c.call("FAIL", "x").err, "TPESVCFAIL")
        equal(c.call("NOSUCH", "x").err, "TPENOENT")
        c("acall", "SAY", "TPNOREPLY", "STRING:12345")
        lines = wait_for(lambda: len(_traced(f"{d.home}/all.log")) >= 9 and
                         _traced(f"{d.home}/all.log"), "all of them", 5)
        said = [(w[0], w[1], w[4]) for w in lines]
        equal(sorted(said), sorted([
            ("serve", "SAY", "ok"), ("call", "SAY", "ok"),
            ("serve", "CALLON", "ok"), ("call", "CALLON", "ok"),
            ("serve", "FAIL", "TPESVCFAIL"), ("call", "FAIL", "TPESVCFAIL"),
            ("call", "NOSUCH", "TPENOENT"),
            ("send", "SAY", "ok"), ("serve", "SAY", "ok")]))
        size = {w[1]: int(w[2]) for w in lines if w[0] == "serve"}
        equal(size["SAY"], 6, "bytes of 12345")
        traces = {}
        for w in lines:
            ids = dict(x.split("=") for x in w if "=" in x)
            traces.setdefault(ids["trace"], []).append((w[0], w[1]))
        contains([sorted(t) for t in traces.values()],
                 [("call", "CALLON"), ("call", "SAY"), ("serve", "CALLON"),
                  ("serve", "SAY")])


def test_calls_are_traced_while_an_order_says_so():
    with Domain() as d:
        d.server(1, "ECHO")
        c, log = d.client(), f"{d.logs}/testsv.1.log"
        equal(c.call("ECHO", "x").err, "OK")
        d.xadmin("lcf", "logchg", "-A", "trace=y")

        def both(then):
            equal(c.call("ECHO", "x").err, "OK")
            return min(len(_traced(p)) for p in
                       (log, f"{d.logs}/testcl.log")) > then

        wait_for(lambda: both(0), "lines of both", 10)
        d.xadmin("lcf", "disable")

        def quiet():
            before = _traced(log)
            equal([c.call("ECHO", "x").err for _ in range(5)], ["OK"] * 5)
            return _traced(log) == before

        wait_for(quiet, "no more", 10)


def test_all_logs_have_one_mode():
    """Those of ndrxd, servers, clients and the history: not for everybody."""
    before = os.umask(0o022)
    try:
        with Domain(env={"NDRX_DEBUG_STR":
                         "ndrx=4 file=${NDRX_APPHOME}/log/all.log"}) as d:
            d.boot({"srvid": 1, "appopt": "ECHO"},
                   {"srvid": 2, "appopt": "SAY", "sysopt":
                    "-e ${NDRX_APPHOME}/log/own.log"})
            equal(d.call("SAY", "x").err, "OK")
            logs = {os.path.basename(p): oct(os.stat(p).st_mode & 0o777)
                    for p in glob.glob(f"{d.home}/log/*") if os.path.isfile(p)}
            for name in ("ndrxd.log", "history.log", "own.log", "all.log"):
                equal(logs[name], "0o640", name)
    finally:
        os.umask(before)


def test_log_lines_are_json_on_request():
    with Domain(env={"NDRX_DEBUG_STR":
                     "tp=4 format=json file=${NDRX_APPHOME}/all.log"}) as d:
        d.server(1, "SAY")
        equal(d.call("SAY", "a_\"text\"").err, "OK")
        rows = [json.loads(line) for line in
                read(f"{d.home}/all.log").splitlines()]
        row = [r for r in rows if r["message"] == "a_\"text\""][0]
        equal((row["level"], row["facility"], row["program"]),
              ("info", "TP", "testsv"))
        check(re.fullmatch("[0-9a-f]{16}", row["request"]), row["request"])
        check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}"
                           r"[+-]\d\d:\d\d", row["time"]), row["time"])


def test_a_changed_log_configuration_is_applied():
    with Domain(env={"NDRX_DEBUG_STR": None,
                     "NDRX_DEBUG_CONF": "debug.conf"}) as d:
        d.env["NDRX_DEBUG_CONF"] = conf = f"{d.home}/debug.conf"
        log = f"{d.home}/sv.log"
        with open(conf, "w", encoding="utf-8") as f:
            f.write(f"* ndrx=2\ntestsv tp=2 file={log}\n")
        d.server(1, "SAY")
        equal(d.call("SAY", "hidden").err, "OK")
        with open(conf + ".new", "w", encoding="utf-8") as f:
            f.write(f"* ndrx=2\ntestsv tp=4 file={log}\n")
        os.rename(conf + ".new", conf)
        wait_for(lambda: d.call("SAY", "shown").err == "OK" and
                 "shown" in read(log), "level", 5)
        lacks(read(log), "hidden")
        os.unlink(conf)  # its settings remain
        wait_for(lambda: d.call("SAY", "still").err == "OK" and
                 read(log).count("still") > 3, "still there", 5)


@covers("xadmin lcf")
def test_xadmin_lcf_changes_log_levels():
    with Domain(env={"NDRX_DEBUG_STR": "tp=2 file=${NDRX_APPHOME}/all.log"}
                ) as d:
        d.boot({"srvid": 1, "appopt": "SAY"}, {"srvid": 2,
                                               "appopt": "S2=SAY"})
        log = f"{d.home}/all.log"

        def heard(svc, text):
            equal(d.call(svc, text).err, "OK")
            return text in read(log)
        pid = d.pid(1)
        d.xadmin("lcf", "logchg", "-p", pid, "-A", "tp=5")
        wait_for(lambda: heard("SAY", "one"), "the process", 5)
        check(not heard("S2", "not_two"), "the other server is as before")
        d.xadmin("lcf", "logchg", "-b", "testsv", "-A", "tp=4")
        wait_for(lambda: heard("S2", "two"), "the program", 5)
        equal([(r.who, r.text) for r in d.rows("lcf")],
              [(f"pid:{pid}", "tp=5"), ("testsv", "tp=4")])
        d.xadmin("restart", "-i", 2)  # new processes follow the command, too
        check(heard("S2", "again"), "the new process logs at the new level")
        d.xadmin("lcf", "disable")
        wait_for(lambda: not heard("S2", os.urandom(4).hex()), "withdrawn", 5)
        ended(d.xadmin("lcf", "disable", ok=False), 1, "there are no orders")


def test_wrong_lcf_commands_are_refused():
    with Domain() as d:
        d.server(1, "SAY")
        for words, what in ((("logchg",), "needs -A"),
                            (("logchg", "-A", "tp=loud"), "tp"),
                            (("logchg", "-A", "tp=5", "-p", "x"), "-p x"),
                            (("logchg", "-A", "tp=5", "-p", "1", "-b", "x"),
                             "exclude each other"),
                            (("dance",), "give logchg")):
            r = d.xadmin("lcf", *words, ok=False)
            ended(r, 1, what)

LINE = 100  # bytes of a line of the log, about


def rotation_under_load(d, rotate):
    """Each call logs a line while the log is renamed several times: each
    line is in one of the files, once."""
    d.boot({"srvid": 1, "min": 4, "max": 4, "appopt": "SAY"})
    log = f"{d.home}/all.log"
    c = d.client()
    enough = f"{d.home}/enough"
    c.begin("calls", "SAY", 0, 4, 60, enough)
    for i in range(4):
        wait_for(lambda: os.path.exists(log) and
                 os.path.getsize(log) > 300 * LINE, "a new file", 10)
        os.rename(log, f"{log}.{i}")
        rotate()
    open(enough, "w", encoding="utf-8").close()
    result = c.end(60)
    equal(result.wrong, 0)
    at_least(result.ok, 1000, "calls")
    lines = []
    for path in glob.glob(log + "*"):
        lines += [text for _, _, text in IDS.findall(read(path))]
    equal((len(lines), len(set(lines))), (result.ok, result.ok), "lines")


def test_logrotate_loses_no_line():
    with Domain(env={"NDRX_DEBUG_STR": "tp=4 file=${NDRX_APPHOME}/all.log"}
                ) as d:
        rotation_under_load(d, lambda: None)


def test_xadmin_logrotate_loses_no_line():
    with Domain(env={"NDRX_DEBUG_STR": "tp=4 file=${NDRX_APPHOME}/all.log"}
                ) as d:
        rotation_under_load(d, lambda: d.xadmin("lcf", "logrotate"))


def test_ndrxd_and_servers_reopen_a_renamed_log():
    with Domain(env={"NDRX_DEBUG_STR": None, "NDRX_DMNLEV": "3"}) as d:
        d.boot({"srvid": 1, "appopt": "NOTRETURN"},
               {"srvid": 2, "appopt": "N2=NOTRETURN",
                "sysopt": f"-e {d.home}/own.log"})
        log = f"{d.logs}/ndrxd.log"
        equal(d.call("NOTRETURN").err, "TPESVCERR")
        contains(read(log), "service NOTRETURN returned")
        os.rename(log, log + ".1")
        wait_for(lambda: os.path.exists(log), "a new file", 5)
        wait_for(lambda: d.call("NOTRETURN").err == "TPESVCERR" and
                 "service NOTRETURN returned" in read(log), "in it", 5)
        kill(d.pid(1))
        wait_for(lambda: "killed by signal 9" in read(log), "ndrxd, too", 5)
        equal(d.call("N2").err, "TPESVCERR")  # -e overrides the file of ndrxd
        contains(read(f"{d.home}/own.log"), "service N2 returned")


def test_redirected_output_reopens_a_renamed_file():
    with Domain() as d:
        out = f"{d.home}/sv.out"
        p = d.server(1, "NOTRETURN", opts=["-e", out])
        equal(d.call("NOTRETURN").err, "TPESVCERR")
        os.rename(out, out + ".1")
        wait_for(lambda: os.path.exists(out), "a new file", 5)
        equal(d.stop_server(p), 0)
        contains(read(out + ".1"), "without tpreturn")
        contains(read(out), "tpsvrdone")


def test_a_relative_file_of_e_is_made_anew_by_logrotate():
    with Domain() as d:
        out = os.path.relpath(f"{d.home}/sv.out")
        p = d.server(1, "NOTRETURN", opts=["-e", out])
        os.unlink(out)
        d.xadmin("lcf", "logrotate")
        equal(d.call("NOTRETURN").err, "TPESVCERR")
        equal(d.stop_server(p), 0)
        contains(read(out), "without tpreturn")
        contains(read(out), "tpsvrdone")


def test_standard_output_that_cannot_be_opened_goes_to_the_file_of_e():
    with Domain() as d:
        err, out = f"{d.home}/sv.err", f"{d.home}/none/sv.out"
        p = d.server(1, "ECHO", opts=["-e", err, "-o", out])

        def goes_to():
            return os.readlink(f"/proc/{p.pid}/fd/1")
        equal(goes_to(), err)
        contains(read(err), f"{out}: No such file or directory: output goes "
                 "to the file of -e")
        os.rename(err, err + ".1")
        wait_for(lambda: goes_to() == err, "the new file", 5)
        os.mkdir(os.path.dirname(out))
        wait_for(lambda: goes_to() == out, "the file of -o", 5)


HAND_MADE = (
    "ULOG.20261128", f"00042:20261128:01020304:testcl      :ulog {TRACE}",
    "own.log", f"somebody's own line of {TRACE} with \x1b[2J and "
    "password=hunter2",
    "json.log", json.dumps({"time": "2026-11-28T01:02:03.000001+00:00",
                            "level": "warn", "pid": 43, "request": 16 * "a",
                            "trace": TRACE, "message": "as \"json\""}),
    "torn.log", "{\"trace\":\"" + TRACE,
    "blackbox", f"no log: {TRACE}",
)


@covers("xadmin logs")
def test_the_lines_of_a_trace_are_found_in_all_logs():
    with Domain(env={"NDRX_DEBUG_STR": "tp=4 file=${NDRX_APPHOME}/apart/sv.log"}
                ) as d:
        os.mkdir(f"{d.home}/apart")
        for name, line in zip(HAND_MADE[::2], HAND_MADE[1::2]):
            with open(f"{d.home}/log/{name}", "w", encoding="utf-8") as f:
                f.write(f"a line before\n{line}\nand one behind\n")
        d.server(1, "SAY")
        d.server(2, "CALLON")
        c = d.client(TRACEPARENT=f"00-{TRACE}-00f067aa0ba902b7-01")
        equal(c.call("CALLON", "SAY in the trace").err, "OK")
        equal(d.call("SAY", "on its own").err, "OK")
        rows = d.rows("logs", TRACE)
        found = {os.path.basename(r.log): r for r in rows}
        equal(set(found), {"ULOG.20261128", "own.log", "json.log", "torn.log",
                           "sv.log"}, "also one that servers have open")
        equal(found["sv.log"].text, "in the trace")
        check(re.fullmatch("[0-9a-f]{16}", found["sv.log"].request) and
              found["sv.log"].level == "info" and found["sv.log"].pid > 0,
              found["sv.log"])
        j = found["json.log"]
        equal((j.time, j.level, j.pid, j.request, j.text),
              ("2026-11-28 01:02:03.000001", "warn", 43, 16 * "a",
               "as \"json\""))
        u = found["ULOG.20261128"]
        equal((u.time, u.pid, u.text), ("2026-11-28 01:02:03.040000", 42,
                                        f"testcl      :ulog {TRACE}"))
        equal(found["torn.log"].text, "{\"trace\":\"" + TRACE)
        equal([r.time for r in rows], sorted(r.time for r in rows))
        one = d.rows("logs", found["sv.log"].request)
        equal([r.text for r in one], ["in the trace"])
        equal(d.rows("logs", f"00-{TRACE.upper()}-00f067aa0ba902b7-01"), rows)
        text = d.xadmin("logs", TRACE).stdout
        contains(text, "password=hunter2", "its owner sees it")
        lacks(text, "\x1b")
        other = d.xadmin("--guest", "look", "200", "logs", TRACE)
        contains(other.stdout, "password=***")
        lacks(other.stdout, "hunter2")
        _wrong_and_bounded(d)


def _wrong_and_bounded(d):
    for word in ("x", TRACE + "0", 32 * "0", TRACE[:-1] + "g", ""):
        ended(d.xadmin("logs", word, ok=False), 2)
    ended(d.xadmin("logs", ok=False), 2)
    ended(d.xadmin("logs", "-n", "0", TRACE, ok=False), 2)
    with open(f"{d.home}/log/many.log", "w", encoding="utf-8") as f:
        f.writelines(f"00042:20261128:0102{i // 100:02}{i % 100:02}:testcl      "
                     f":{i} {16 * 'b'}\n" for i in range(5000))
    r = d.xadmin("logs", "-n", "7", 16 * "b", "--json")
    equal([x["text"].split()[1][1:] for x in json.loads(r.stdout)],
          [str(i) for i in range(4993, 5000)])
    contains(r.stderr, "4993 older lines are left out")
    r = d.xadmin("logs", 16 * "c")
    equal(r.stdout, "")
    contains(r.stderr, "no line of")
    os.mkfifo(f"{d.home}/log/fifo.log")
    equal(len(d.rows("logs", "-n", "3", 16 * "b")), 3, "a FIFO hangs nobody")
