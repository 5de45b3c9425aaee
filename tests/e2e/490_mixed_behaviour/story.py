# SPDX-License-Identifier: Apache-2.0
"""Servers with every kind of fault, under load, watched by an auditor.

A few seconds with 60 servers; OW_LONG=1: ten minutes with 500; OW_SECONDS:
another length. At intervals ndrxd is killed, and a new one continues.

The clients pause for half a millisecond between two calls: without a pause,
56 clients that get errors at once starve processes of usual priority for up
to 20 seconds where sessions are scheduled as groups (Linux 6.18), also
processes that are being killed, and the auditor would check the kernel.
"""
import json
import os
import re
import signal
import subprocess
import time

from events import read_events
from fixture import Domain, equal, wait_for

COST = 12
HEAVY = True
LONG = os.environ.get("OW_LONG") == "1"
SERVERS, SECONDS = (500, 600) if LONG else (60, 8)
KILLS = 7 if LONG else 3
SECONDS = int(os.environ.get("OW_SECONDS", SECONDS))

# behaviour, share of the servers, more elements
MIX = (
    ("good", 40, {}),
    ("slow", 10, {}),
    ("crashstart", 10, {}),
    ("crash:300", 15, {}),
    ("hang:400", 10, {}),
    ("deaf", 5, {}),
    ("leak:512", 10, {"rssmax": "24M"}),
)
POLICY = {"restart_min": "200ms", "restart_step": "200ms",
          "restart_max": "1s"}
DEFAULTS = {"end_max": "1", "killtime": "300ms", "pingtime": "500ms",
            "ping_max": "1", "autokill": "Y", "start_max": "10",
            "min": "1", "max": "1"}


def _configure(d):
    servers, srvid = [], 1
    for i, (how, share, more) in enumerate(MIX):
        n = max(1, SERVERS * share // 100)
        servers.append({"name": "mixsv", "srvid": srvid, "min": n, "max": n,
                        "appopt": f"MIX{i} {how}", **more})
        srvid += n
    d.configure(*servers)
    path = d.env["NDRX_CONFIG"]
    with open(path, encoding="utf-8") as f:
        xml = f.read()
    head, tail = xml[:xml.index("<appconfig>")], xml[xml.index("<servers>"):]

    def elements(values):
        return "".join(f"<{k}>{v}</{k}>" for k, v in values.items())

    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{head}<appconfig>{elements(POLICY)}"
                f"<checkpm>500ms</checkpm></appconfig>"
                f"<defaults>{elements(DEFAULTS)}</defaults>{tail}")


def _audit(d):
    """One auditor for all ndrxd: their events are one sequence."""
    return subprocess.Popen(
        [d.program("auditor"), "200", "1000", "1000", "300"],
        env=d.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _explain(d, out):
    """The report of the auditor, and the last events of servers it names."""
    named = {int(n) for n in re.findall(r"^violation: server (\d+)", out, re.M)}
    told = [str(e) for e in read_events(d)
            if e.srvid in named or e.about == "ndrxd"]
    return "\n".join([out, *told[-60:]])


def _under_load(d):
    """Calls to every kind of server, while ndrxd is killed KILLS times."""
    stop = os.path.join(d.home, "stop")
    clients = [d.client(NDRX_TOUT="3") for _ in MIX]
    for i, c in enumerate(clients):
        c.begin("calls", f"MIX{i}", 0, 8 if LONG else 2, 200, stop,
                500)
    for _ in range(KILLS):
        time.sleep(SECONDS / (KILLS + 1))  # load only
        d.kill_ndrxd()
        d.xadmin("idle")
    time.sleep(SECONDS / (KILLS + 1))  # the same under the last ndrxd
    open(stop, "w", encoding="utf-8").close()
    for c in clients:
        r = c.end(60)
        equal(r.wrong, 0, "every reply is for its caller")
        equal(set(r.errors) <= {"TPESVCERR", "TPETIME", "TPENOENT"}, True,
              r.errors)
        equal(r.ok > 0, True, f"{r.ok} calls")


def test_the_supervisor_does_what_its_table_says():
    with Domain() as d:
        _configure(d)
        d.xadmin("idle")
        auditor = _audit(d)
        d.helpers.append(auditor)
        d.xadmin("start", "-y", ok=False, seconds=60)
        _under_load(d)
        try:
            wait_for(lambda: {r.state for r in d.rows("ppm")} <=
                     {"runok", "start", "died"}, "no server hangs", 20)
        except AssertionError:
            print(*[r for r in d.rows("ppm") if r.state != "runok"],
                  *read_events(d)[-30:], sep="\n")
            raise
        d.close_clients()
        auditor.send_signal(signal.SIGTERM)
        out, err = auditor.communicate(timeout=30)
        print(out[-2000:], err, *[e for e in read_events(d)
                                  if e.word in ("ndrxd", "command")],
              sep="\n")
        summary = json.loads(out.splitlines()[-1])
        equal(summary["violations"], 0, _explain(d, out))
        for word in ("start", "exit", "died", "signal", "late", "limit",
                     "adopt"):
            equal(summary[word] > 0, True, f"{word} was seen: {summary}")
        start = time.monotonic()
        d.xadmin("stop", "-y", ok=False, seconds=60)
        equal(time.monotonic() - start < 30, True, "stops in bounded time")
        wait_for(lambda: d.leftovers() == [], "nothing left")
