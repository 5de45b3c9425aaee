# SPDX-License-Identifier: Apache-2.0
"""exbenchcl and exbenchsv: a service called as often as it goes."""
import os
import re

from checks import at_least, check, contains, ended, equal
from fixture import Domain

MAINLY = "posix"


def _boot(d, appopt=""):
    d.boot({"name": "exbenchsv", "srvid": 1, "min": 2, "max": 2,
            "appopt": appopt})


def test_requests_are_counted():
    with Domain() as d:
        _boot(d)
        r = d.run("exbenchcl", "-n", 3, "-R", 50, "-S", 100, "-T", 10)
        equal(r.returncode, 0, r.stderr)
        contains(r.stdout, "150 requests, 0 failed, ")
        r = d.run("exbenchcl", "-n", 5, "-t", 1, env={"NDRX_COMPAT": "strict-tuxedo"})
        contains(r.stdout, " 0 failed, ", r.stderr)
        r = d.run("exbenchcl", "-t", 1, "-I")
        equal(r.returncode, 0, r.stderr)
        at_least(int(re.match(r"\d+", r.stdout)[0]), 1, "requests")


def test_services_are_called_in_turn():
    with Domain() as d:
        _boot(d, "-N 3 -s BENCH")
        equal(d.run("exbenchcl", "-s", "BENCH", "-N", 3, "-R",
                    30).returncode, 0)
        done = {}
        for row in d.rows("psc"):
            done[row.service] = done.get(row.service, 0) + row.succeeded
        equal(done, {"BENCH001": 10, "BENCH002": 10, "BENCH003": 10})


def test_buffers_come_from_json():
    with Domain() as d:
        with open(os.path.join(d.home, "t.fd"), "w", encoding="utf-8") as f:
            f.write("T_LONG 1001 long\nT_DATA 1002 carray\n")
        d.env.update(FLDTBLDIR=d.home, FIELDTBLS="t.fd")
        _boot(d)
        r = d.run("exbenchcl", "-R", 1, "-b", '{"T_LONG":7}', "-f", "T_DATA",
                  "-S", 4, "-P")
        equal(r.returncode, 0, r.stderr)
        contains(r.stdout, "T_LONG\t7\n")
        ended(d.run("exbenchcl", "-R", 1, "-b", "{"), 1, "EXBENCH: ")


def test_a_line_for_plots_is_added():
    with Domain() as d:
        d.env.update(NDRX_BENCH_FILE=f"{d.home}/plot",
                     NDRX_BENCH_CONFIGNAME="two servers")
        _boot(d)
        for size in (10, 20):
            d.run("exbenchcl", "-R", 5, "-S", size, "-p")
        with open(f"{d.home}/plot", encoding="utf-8") as f:
            text = f.read()
        check(re.fullmatch(r'"two servers" 10 \d+\n"two servers" 20 \d+\n',
                           text), text)


def test_failures_are_an_exit_status():
    with Domain() as d:
        ended(d.run("exbenchcl", "-R", 2), 1, "EXBENCH: ")
        ended(d.run("exbenchcl", "-n", "0"), 2, "usage: exbenchcl")
        ended(d.run("exbenchcl", "-Q", "NONE", "-R", 1), 1, "EXBENCH: ")


def test_messages_go_through_a_durable_queue():
    with Domain() as d:
        with open(f"{d.home}/q.conf", "w", encoding="utf-8") as f:
            f.write("@\n")
        d.server(80, "-q", f"{d.home}/q.conf", binary="tmqueue",
                 env={"NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"'})
        r = d.run("exbenchcl", "-Q", "S", "-s", "LOAD", "-n", 2, "-R", 20, "-S", 50)
        equal(r.returncode, 0, r.stderr)
        contains(r.stdout, "40 requests, 0 failed, ")
        row = d.row("mqlq", queue="LOAD")
        equal((row.enqueued, row.dequeued, row.queued), (40, 40, 0))


def test_options_without_effect_are_named():
    with Domain() as d:
        _boot(d)
        r = d.run("exbenchcl", "-R", 2, "-A", "-EeF", "-i")
        equal(r.returncode, 0, r.stderr)
        contains(r.stdout, "2 requests, 0 failed, ")
        equal(r.stderr, "".join(f"exbenchcl: -{letter}: taken without effect\n"
                                for letter in "AEeFi"))
