# SPDX-License-Identifier: Apache-2.0
"""What scripts of existing domains rely on: facts observed elsewhere."""
import os
import pathlib
import shutil
import subprocess

from checks import check, contains, ended, equal
from fixture import Domain, alive, wait_for
from machine import SLOW

MAINLY = "shm"
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def test_stop_returns_when_all_processes_are_gone_ndrxd_included():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 3, "max": 3, "appopt": "ECHO"})
        pids = [d.ndrxd_pid(), *(r.pid for r in d.rows("ppm"))]
        equal(len(pids), 4)
        d.xadmin("stop", "-y")
        equal([p for p in pids if alive(p)], [])


def test_start_without_servers_starts_ndrxd():
    with Domain() as d:
        d.configure()
        r = d.xadmin("start", "-y")
        equal(r.returncode, 0)
        contains(r.stderr, "no server to start")
        check(alive(d.ndrxd_pid()), "ndrxd runs")


def test_cpmsrv_is_the_client_monitor_that_ndrxd_has():
    with Domain() as d:
        r = d.boot({"srvid": 1, "appopt": "ECHO"},
                   {"name": "cpmsrv", "srvid": 9999, "sysopt": "-e cpm -r",
                    "appopt": "-k3 -i1"},
                   sections='<clients><client cmdline="sleep 1000"><exec '
                   'tag="NAP" autostart="Y"/></client></clients>')
        contains(r.stderr, "2 processes started")
        wait_for(lambda: "NAP/- - running pid" in d.xadmin("pc").stdout,
                 "the client")


def test_servers_of_other_runtimes_are_processes():
    """Listings show them, scripts wait for them; @CCONF is answered."""
    names = ("cconfsrv", "exsinglesv", "exsingleckl", "exsingleckr",
             "tpbrdcstsv", "tmrecoversv", "tpcachesv")
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               *({"name": n, "srvid": 10 + i, "sysopt": "-e x.log -r",
                  "appopt": "-s 30"} for i, n in enumerate(names)))
        equal({r.state for r in d.rows("ppm")}, {"runok"})
        for name in names:
            contains(d.xadmin("ppm").stdout, name[:10])
        contains(d.xadmin("psc").stdout, "@CCONF")
        ulog = "".join(pathlib.Path(d.logs, n).read_text(encoding="utf-8")
                       for n in os.listdir(d.logs) if n.startswith("ULOG"))
        contains(ulog, "tmrecoversv: each tmsrv rolls back orphaned branches")
        contains(ulog, "in listings; without effect: -s 30")
        equal(ulog.count("this process stands for it"), len(names) - 1)
        d.xadmin("stop", "-y", "-i", "10")
        d.xadmin("start", "-y", "-i", "10")
        path = f"{d.home}/app.ini"
        with open(path, "w", encoding="utf-8") as f:
            f.write("[gate]\nport=7\nhost=h\n[gate/x]\nport=8\n[other]\na=1\n")
        request = f"SRVCNM\t@CCONF\nEX_CC_RESOURCE\t{path}\n"

        def asks(*lines):
            r = d.run("ud", text=request + "".join(
                x + "\n" for x in lines) + "\n", env={
                    "FLDTBLDIR": f"{ROOT}/conf/ubftab",
                    "FIELDTBLS": "Exfields"})
            return r.stdout
        got = asks("EX_CC_CMD\tg", "EX_CC_LOOKUPSECTION\tgate/x",
                   "EX_CC_MANDATORY\thost", "EX_CC_FORMAT_KEY\tport",
                   "EX_CC_FORMAT_FORMAT\ti1..5")
        for line in ("EX_NERROR_CODE\t0", "EX_CC_KEY\tport", "EX_CC_VALUE\t8",
                     "EX_CC_KEY\thost", "EX_CC_VALUE\th"):
            contains(got, line)
        contains(asks("EX_CC_CMD\tl", "EX_CC_SECTIONMASK\tga"),
                 "EX_CC_SECTION\tgate/x")
        contains(asks("EX_CC_CMD\tg", "EX_CC_LOOKUPSECTION\tgate",
                      "EX_CC_MANDATORY\tuser"), "EX_NERROR_CODE\t6")
        contains(asks("EX_CC_CMD\tg", "EX_CC_LOOKUPSECTION\tgate",
                      "EX_CC_FORMAT_KEY\thost", "EX_CC_FORMAT_FORMAT\tt"),
                 "EX_NERROR_CODE\t7")


def test_settings_of_features_to_come_are_accepted():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"},
               appconfig="<brrefresh>6</brrefresh><rqaddrttl>10</rqaddrttl>"
               "<ddrreload>60</ddrreload>", sections='<services><service '
               'svcnm="ECHO" routing="BYID"/>'
               '</services><routing><route routing="BYID"><field>T_ID</field>'
               "<ranges>MIN-9:A,10-'x y':B,*:*</ranges><buftype>UBF</buftype>"
               "<fieldtype>LONG</fieldtype></route></routing>")
        equal(d.xadmin("appconfig", "brrefresh").stdout, "6\n")
        equal(d.call("ECHO", "x").err, "TPESYSTEM", "it is routed")


def test_psvc_r_lists_services():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        contains(d.xadmin("psvc", "-r").stdout, "ECHO")


def test_xadmin_waits_for_ndrxd_as_long_as_normwaitmax_says():
    with Domain() as d:
        d.configure()
        os.mkdir(f"{d.home}/bin")
        shutil.copy(d.program("xadmin"), f"{d.home}/bin/xadmin")
        # An ndrxd that never listens, beside this xadmin.
        with open(f"{d.home}/bin/ndrxd", "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\necho $$ >{d.home}/pid\nexec sleep 1\n")
        os.chmod(f"{d.home}/bin/ndrxd", 0o755)
        r = subprocess.run([f"{d.home}/bin/xadmin", "idle"], cwd=d.home,
                           env={**d.env, "NDRX_NORMWAITMAX": "0.5"},
                           stdin=subprocess.DEVNULL, capture_output=True,
                           text=True, timeout=30 * SLOW, check=False)
        ended(r, 1, "after 0.5 s (NDRX_NORMWAITMAX")
        with open(f"{d.home}/pid", encoding="utf-8") as f:
            pid = int(f.read())
        wait_for(lambda: not alive(pid), "its end")


def test_sections_given_twice_are_merged():
    with Domain() as d:
        r = d.boot({"srvid": 1, "appopt": "ECHO", "procgrp": "A"},
                   {"srvid": 2, "appopt": "UPPER", "procgrp": "B"},
                   sections='<procgroups><procgroup name="A" grpno="1"/>'
                   "</procgroups><appconfig><checkpm>7</checkpm></appconfig>"
                   '<procgroups><procgroup name="B" grpno="2"/></procgroups>')
        contains(r.stderr, "2 processes started")
        equal(d.xadmin("appconfig", "checkpm").stdout, "7\n")
        contains(d.xadmin("testcfg").stdout, "<appconfig>: is there twice")


def test_defaults_hold_for_the_servers_that_follow_them():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"},
                    sections="<defaults><min>2</min><max>2</max></defaults>"
                    '<servers><server name="testsv"><srvid>10</srvid>'
                    "<appopt>UPPER</appopt></server></servers>")
        d.xadmin("start", "-y")
        equal(sorted(r.srvid for r in d.rows("ppm")), [1, 10, 11])
        equal(d.call("UPPER", "x").data, "X")
