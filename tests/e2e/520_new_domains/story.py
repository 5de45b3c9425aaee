# SPDX-License-Identifier: Apache-2.0
"""New domains: provision, import, config, testcfg."""
import os
import re
import shlex
import shutil
import subprocess

from checks import at_least, check, contains, ended, equal, lacks
from covers import covers
from fixture import Domain
from machine import Skip

MAINLY = "shm"

HERE = os.path.dirname(os.path.abspath(__file__))
UBB = os.path.join(HERE, "ubbbank")
UBB_TWO = os.path.join(HERE, "ubbtwo")
UBB_QUOTES = os.path.join(HERE, "ubbquotes")


def _path(d, *parts):
    return os.path.join(d.home, *parts)


def _read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as f:
        return f.read()


def _in_domain(d, folder, script):
    """Run a script in the environment of the folder's setenv."""
    env = {k: v for k, v in d.env.items() if not k.startswith("NDRX_")}
    env.update({"NDRX_SILENT": "Y", "NDRX_MSGMAX": "4",
                "NDRX_MSGSIZEMAX": "512"})
    return subprocess.run(["sh", "-ec", f". {folder}/setenv\n{script}"],
                          env=env, cwd=d.home, capture_output=True, text=True,
                          timeout=60, check=False)


@covers("xadmin provision")
def test_a_provisioned_domain_starts_at_once():
    with Domain() as d:
        home = _path(d, "new")
        r = d.xadmin("provision", "-d", f"-vname={d.prefix}",
                     "-vserver=testsv", "-vservers=2", home)
        contains(r.stdout, f". {home}/setenv")
        shutil.copy(d.program("testsv"), _path(d, "new", "bin"))
        r = _in_domain(d, home, "xadmin testcfg; xadmin start -y\n"
                       "xadmin ppm; xadmin config -g; xadmin stop -y")
        equal(r.returncode, 0, r.stdout + r.stderr)
        contains(r.stderr, "3 processes started")
        equal(r.stdout.count("runok runok"), 3, r.stdout)
        contains(r.stdout, f"{home}/conf/ndrxconfig.xml:")


@covers("xadmin import")
def test_what_is_left_out_is_said_once_and_a_word_given_twice_is_named():
    with Domain() as d:
        with open(_path(d, "ubb"), "w", encoding="ascii") as f:
            f.write('*RESOURCES\nIPCKEY 1\nMASTER m1\nMODEL MP\n*MACHINES\n'
                    '"h" LMID=m1 APPDIR="/a" TUXCONFIG="/a/t" TUXDIR="/t"\n'
                    '"g" LMID=m2 APPDIR="/a" TUXCONFIG="/a/t" TUXDIR="/t"\n'
                    "*GROUPS\nG1 LMID=m1 GRPNO=1\nG2 LMID=m2 GRPNO=2\n"
                    "*SERVERS\nTLR SRVGRP=G1 SRVID=1 MIN=2 MIN=3\n"
                    "TLR SRVGRP=G2 SRVID=1\n  MIN=2\n")
        r = d.xadmin("import", "-n", "ubbconfig", _path(d, "ubb"))
        contains(r.stdout, "SRVGRP=G2 is on another machine: left out")
        contains(r.stdout, "MIN=3: is there twice, the first one counts")
        lacks(r.stdout, "not known here")


def _unit_environment(text):
    """As systemd reads it: names and values, without variables replaced."""
    return {k: re.sub(r"\\(.)", r"\1", v) for k, v in
            re.findall(r'^(\w+)="(.*)"$', text, re.M)}


@covers("xadmin provision")
def test_provision_writes_the_environment_of_the_unit():
    for folder in ("new", 'a "$b" \\ c'):
        with Domain() as d:
            home = _path(d, folder)
            r = d.xadmin("provision", "-d", f"-vname={d.prefix}",
                         "-vserver=testsv", "-vservers=1", home)
            contains(r.stdout, f"/etc/onewake/{d.prefix}.env")
            contains(r.stdout, f"systemctl enable --now onewake@{d.prefix}")
            shutil.copy(d.program("testsv"), home + "/bin")
            env = _unit_environment(_read(home, "conf", f"{d.prefix}.env"))
            equal((env["NDRX_APPHOME"], env["NDRX_QPREFIX"]),
                  (home, f"/{d.prefix}"))
            # Nothing else is needed: systemd gives little more.
            for words in (["xadmin", "start", "-y"], ["xadmin", "stop", "-y"]):
                r = subprocess.run(
                    ["/usr/bin/env", "-", *(f"{k}={v}" for k, v in
                                            env.items()), *words],
                    cwd="/", capture_output=True, text=True, timeout=60,
                    check=False)
                equal(r.returncode, 0, r.stdout + r.stderr)


def test_a_unit_gets_its_environment_where_it_reads_it():
    with Domain() as d:
        home = _path(d, "new")
        words = ["unshare", "-rm", "sh", "-c",
                 'mount -t tmpfs none /etc && mkdir /etc/onewake && "$@" && '
                 "cat /etc/onewake/*.env", "-"]
        if shutil.which("unshare") is None or subprocess.run(
                ["unshare", "-rm", "true"], stderr=subprocess.DEVNULL,
                check=False).returncode != 0:
            raise Skip("no namespace of mounts here")
        r = subprocess.run(
            [*words, d.program("xadmin"), "provision", "-d",
             f"-vname={d.prefix}", home], env=d.env, capture_output=True,
            text=True, timeout=60, check=False)
        equal(r.returncode, 0, r.stderr)
        equal("install -D" in r.stdout, False)
        contains(r.stdout, _read(home, "conf", f"{d.prefix}.env"))


def test_a_folder_may_have_blanks_in_its_name():
    with Domain() as d:
        home = _path(d, "my  domain & more")
        r = d.xadmin("provision", "-d", f"-vname={d.prefix}",
                     "-vserver=testsv", "-vservers=1", home)
        shutil.copy(d.program("testsv"), home + "/bin")
        source = next(n.strip() for n in r.stdout.splitlines()
                      if n.strip().startswith(". "))
        r = subprocess.run(
            ["sh", "-ec", f"{source}\nxadmin start -y\nxadmin ppm\n"
             "xadmin stop -y"], cwd=d.home, capture_output=True, text=True,
            env={**d.env, "NDRX_CONFIG": "", "NDRX_DEBUG_STR": ""},
            timeout=60, check=False)
        equal(r.returncode, 0, r.stdout + r.stderr)
        contains(r.stderr, "2 processes started")
        logs = os.listdir(home + "/log")
        for name in ("testsv.log", "ndrxd.log", "ATMI.log"):
            contains(logs, name)


def test_a_folder_with_quotes_in_its_name():
    for name in ("it's", 'a "b" c', "it's \"both\" & <${HOME}>"):
        with Domain() as d:
            home = _path(d, name)
            d.xadmin("provision", "-d", f"-vname={d.prefix}",
                     "-vserver=testsv", "-vservers=1", home)
            shutil.copy(d.program("testsv"), home + "/bin")
            word = shlex.quote(home + "/setenv")
            r = subprocess.run(
                ["sh", "-ec", f". {word}\nxadmin start -y\nxadmin stop -y"],
                cwd=d.home, capture_output=True, text=True, timeout=60,
                env={**d.env, "NDRX_CONFIG": "", "NDRX_DEBUG_STR": ""},
                check=False)
            equal(r.returncode, 0, r.stdout + r.stderr)
            contains(r.stderr, "2 processes started")
            contains(os.listdir(home + "/log"), "testsv.log")


def test_the_advice_of_provision_works_without_a_server():
    with Domain() as d:
        home = _path(d, "empty")
        r = d.xadmin("provision", "-d", f"-vname={d.prefix}", home)
        contains(r.stdout, "<server>")
        text = _read(home, "conf", "ndrxconfig.xml")
        with open(home + "/conf/ndrxconfig.xml", "w", encoding="utf-8") as f:
            f.write(re.sub(r'<server name="blackboxsv">.*?</server>', "", text,
                           flags=re.S))
        r = _in_domain(d, home, "xadmin start -y")
        equal(r.returncode, 0, r.stdout + r.stderr)
        contains(r.stderr, "no server to start: add a <server> to "
                           f"{home}/conf/ndrxconfig.xml, then `xadmin reload`")
        shutil.copy(d.program("testsv"), home + "/bin")
        text = _read(home, "conf", "ndrxconfig.xml")
        with open(home + "/conf/ndrxconfig.xml", "w", encoding="utf-8") as f:
            f.write(text.replace("</servers>", "<server name=\"testsv\">"
                                 "<srvid>1</srvid><min>1</min></server>"
                                 "</servers>"))
        r = _in_domain(d, home, "xadmin reload; xadmin stop -y")
        equal(r.returncode, 0, r.stdout + r.stderr)
        contains(r.stderr, "1 processes reloaded")


def test_a_server_without_min_is_named():
    with Domain() as d:
        home = _path(d, "none")
        d.xadmin("provision", "-d", f"-vname={d.prefix}", home)
        for name in ("testsv", "other"):
            shutil.copy(d.program("testsv"), f"{home}/bin/{name}")
        with open(_path(d, "none", "conf", "ndrxconfig.xml"), "w",
                  encoding="utf-8") as f:
            f.write("<endurox><servers>\n<server name=\"testsv\">"
                    "<srvid>1</srvid></server>\n<server name=\"other\">"
                    "<srvid>2</srvid><min>0</min></server></servers>"
                    "</endurox>\n")
        r = _in_domain(d, home, "xadmin testcfg; xadmin start -y\n"
                       "xadmin stop -y")
        equal(r.returncode, 0, r.stdout + r.stderr)
        contains(r.stdout, ":2: <server name=\"testsv\">: has no <min>")
        lacks(r.stdout, "other", "its <min> 0 is said")
        contains(r.stderr, "no server to start: ")
        contains(r.stderr, "<min>")


def test_the_times_of_a_provisioned_domain_fit_together():
    for timeout, shown, end in (("45", "45s", "45s"),
                                ("1.5", "1500ms", "10s")):
        with Domain() as d:
            home = _path(d, "times")
            d.xadmin("provision", "-d", f"-vtimeout={timeout}",
                     "-vserver=testsv", home)
            d.xadmin("testcfg", home + "/conf/ndrxconfig.xml", ok=False)
            value = {r.name: r.value for r in d.rows(
                "config", home + "/conf/ndrxconfig.xml")}
            equal((value["svctimeout"], value["end_max"]), (shown, end))
            at_least(float(value["ping_max"].rstrip("s")),
                     float(value["pingtime"].rstrip("s")))
            contains(_read(home, "setenv"), f"NDRX_TOUT='{timeout}'")


def test_provision_checks_answers_and_keeps_files():
    with Domain() as d:
        home = _path(d, "asked")
        answers = f"a b\n{d.prefix}\n\n99\n7\n1.5\nnone\n"
        r = d.run("xadmin", "provision", home, text=answers)
        equal(r.returncode, 0, r.stderr)
        contains(r.stderr, "a b: give letters")
        contains(r.stderr, "99: give a node")
        script = _read(home, "setenv")
        for line in (f"NDRX_QPREFIX='/{d.prefix}'", "NDRX_NODEID='7'",
                     "NDRX_TOUT='1.5'"):
            contains(script, line)
        with open(_path(d, "asked", "setenv"), "w", encoding="utf-8") as f:
            f.write("mine")
        r = d.xadmin("provision", "-d", home)
        contains(r.stderr, "exists: kept")
        equal(_read(home, "setenv"), "mine")


def test_provision_names_wrong_values():
    with Domain() as d:
        for words, code, says in (
                (("-d", "-vnode=99"), 2, "1 to 32"),
                (("-d", "-vnam=x"), 2, "name prefix node"),
                (("-d", "-vprefix=x"), 2, "give a /"),
                (("-d", "-vprefix=/a,b"), 2, "no comma"),
                (("-d", "-vtimeout=soon"), 2, "give seconds"),
                (("-d", "-vservers=0", "-vserver=x"), 2, "how many"),
                (("-d", "/proc/here"), 1, "/proc/here: "),
                (("a", "b"), 2, "b: unexpected word")):
            r = d.xadmin("provision", *words, ok=False)
            ended(r, code, says)
        r = d.run("xadmin", "provision", _path(d, "x"), text="")
        ended(r, 1, "not done")
        check(not os.path.exists(_path(d, "x")), "nothing was made")


@covers("xadmin import")
def test_a_ubbconfig_becomes_a_domain():
    with Domain() as d:
        home = _path(d, "imported")
        r = d.xadmin("import", "-o", home, "ubbconfig", UBB)
        xml = _read(home, "conf", "ndrxconfig.xml")
        for text in ('<server name="tellersv">\n\t\t\t<srvid>1010</srvid>\n'
                     "\t\t\t<min>3</min>\n\t\t\t<max>5</max>",
                     "<appopt>-b 'main &amp; branch'</appopt>",
                     "<sysopt>-s DEPOSIT,WITHDRAW:TRANSFER</sysopt>",
                     "<respawn>N</respawn>",
                     '<procgroup name="REPORTS" grpno="2"/>',
                     '<service svcnm="DEPOSIT" prio="60" routing="BRANCH"/>',
                     '<service svcnm="REPORT" svctimeout="30"/>',
                     "<ranges>1-10:TELLERS,*:*</ranges>"):
            contains(xml, text)
        check(xml.index("reportsv") < xml.index("tellersv"),
              "the order of SEQUENCE")
        lacks(xml, "farsv", "a server of the other machine")
        script = _read(home, "setenv")
        contains(script, "NDRX_TOUT='45'")
        contains(script, "NDRX_ULOG='/var/log/bank'")
        equal(r.stdout, _read(home, "conf", "import.report"))
        # Correct, but this machine has not all that its servers need.
        r = d.xadmin("testcfg", home + "/conf/ndrxconfig.xml", ok=False)
        ended(r, 1, "4 entries would not start")
        contains(r.stdout, "/srv/bank/reports.env: No such file")
        contains(r.stdout, "the program tellersv is not in PATH")


def test_a_domain_without_a_name_is_called_after_its_ipckey():
    with Domain() as d:
        text = _read(UBB).replace("DOMAINID\tbank", "")
        with open(_path(d, "ubb"), "w", encoding="utf-8") as f:
            f.write(text)
        d.xadmin("import", "-o", _path(d, "new"), "ubbconfig", _path(d, "ubb"))
        contains(_read(d.home, "new", "setenv"), "NDRX_QPREFIX='/tux123456'")


def test_the_import_report_names_every_keyword():
    with Domain() as d:
        report = d.xadmin("import", "-n", "ubbconfig", UBB).stdout
        for line in ("look     33  SERVERS tellersv: SRVID=10: becomes 1010",
                     "none     38  SERVERS convsv: FROBNICATE=7: not known",
                     "taken    37  SERVERS convsv: CONV=Y",
                     "none     29  NETWORK SITE1: NADDR=",
                     "none     20  MACHINES host-two: another machine",
                     "none     39  SERVERS farsv: SRVGRP=REMOTE",
                     "none      3  RESOURCES: IPCKEY=123456",
                     "taken    43  SERVICES DEPOSIT"):
            contains(report, line)
        lacks(report[report.index("what became of it"):], "tiger",
              "a report gets passed around")
        equal(os.listdir(d.home).count("conf"), 0, "-n writes nothing")


def test_keywords_of_tuxedo_have_a_reason_of_their_own():
    with Domain() as d:
        with open(_path(d, "ubb"), "w", encoding="utf-8") as f:
            f.write("*RESOURCES\nIPCKEY 1\nMASTER M\nCMTRET COMPLETE\n"
                    "MAXBUFTYPE 16\n*MACHINES\nhost LMID=M UID=0 "
                    "SPINCOUNT=5000\n*GROUPS\nG LMID=M GRPNO=1\n*SERVERS\n"
                    "sv SRVGRP=G SRVID=1\n*SERVICES\nDEFAULT: PRIO=50\n"
                    "A PRIO=80 SVCTIMEOUT=30\nB PRIO=60\n"
                    "*RMS\nRM SRVGRP=G RMID=2\n")
        report = d.xadmin("import", "-n", "ubbconfig", _path(d, "ubb")).stdout
        lacks(report, "not known here")
        for line in ("SERVICES DEFAULT: PRIO=50: every entry that it could be "
                     "for has its own", "SERVICES A: SVCTIMEOUT=30: ",
                     "RESOURCES: CMTRET=COMPLETE: tpscmt()",
                     "RMS RM: RMID=2: a group has one resource manager",
                     "MACHINES host: UID=0: the user"):
            contains(report, line)


def test_quotes_survive_an_import():
    with Domain() as d:
        home = _path(d, "imported")
        d.xadmin("import", "-o", home, "ubbconfig", UBB_QUOTES)
        xml = _read(home, "conf", "ndrxconfig.xml")
        contains(xml, "<sysopt>-s 'A,B':F -e &quot;/tmp/a b.err&quot;")
        contains(xml, "<appopt>-x &quot;main branch&quot; -y 'one two' -- z"
                      "</appopt>")
        r = _in_domain(d, home, "echo done")  # the file is not there
        contains(r.stderr, "/srv/it's/here.env")


def test_an_import_takes_nothing_that_has_no_effect():
    with Domain() as d:
        home = _path(d, "imported")
        r = d.xadmin("import", "-o", home, "ubbconfig", UBB_QUOTES)
        xml = _read(home, "conf", "ndrxconfig.xml")
        for name in ("WSL", "TMQUEUE", "TMS_ORA"):
            lacks(xml, name, "a server of Tuxedo itself")
        contains(xml, "<appopt>-m QUEUE -q ${NDRX_APPHOME}/conf/QUEUE.queues<")
        contains(xml, "<restart_tries>5</restart_tries>")
        for line in ("none     17  SERVERS WSL: ",
                     "look     18  SERVERS /opt/tuxedo/bin/TMQUEUE: ",
                     "none     19  SERVERS TMS_ORA: ",
                     "look     14  SERVERS quotesv: MAXGEN=5: ",
                     "none     14  SERVERS quotesv: CLOPT -l t: ",
                     "look     14  SERVERS quotesv: CLOPT -p 1,10:2,20: ",
                     "none     14  SERVERS quotesv: CLOPT -n 5: ",
                     "none     14  SERVERS quotesv: CLOPT -r: ",
                     "none     14  SERVERS quotesv: CLOPT -t: ",
                     "taken    16  SERVERS oncesv: CLOPT -s @/srv/names",
                     "taken    16  SERVERS oncesv: CLOPT without -A: -B: ",
                     "taken    22  SERVICES PLAIN: prio 60",
                     "taken    23  SERVICES ROUTED: ROUTING=BRANCH",
                     "taken    24  SERVICES TIMED: AUTOTRAN=Y TRANTIME=20",
                     "look     24  SERVICES TIMED: PRIO=700: ",
                     "taken    27  ROUTING BRANCH: FIELD="):
            contains(r.stdout, line)
        for line in r.stdout.splitlines():
            if line.startswith("taken"):
                for word in ("WSL", " -l "):
                    lacks(line, word)


@covers("xadmin scan")
def test_scan_lists_what_is_not_here_and_what_differs_with_its_lines():
    with Domain() as d:
        src = _path(d, "src")
        os.makedirs(src + "/sub")
        for name, text in (
                ("sub/a.c", "/* tpadvertisex()\n*/\nint f(void)\n{\n"
                 'char *s = "tpcancel\\" tpcancel"; // tpcancel()\n'
                 "tpcancel(3); tpcancel(4);\n"
                 "return tpadvertisex(s, 0, 0) + my_tpcancel(s) + tpopen();\n}\n"
                 + "tpcancel(9);\n" * 6 +
                 "tpcall(s, 0, 0, &s, &n, 0);\ntpfree(s);\n"
                 "tpcall(s, 0, 0, &s, &n,\n       TPNOCHANGE);\n"),
                ("a.txt", "tpadvertisex()"), (".hidden.c", "tpadvertisex()"),
                ("ndrxconfig.xml", "<endurox><servers><server name='x'>"
                 "<srvid>1</srvid>\n<rqaddr>q</rqaddr></server></servers>"
                 "</endurox>")):
            with open(f"{src}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        shutil.copy(UBB_TWO, src + "/ubb")
        r = d.xadmin("scan", src)
        contains(r.stderr, "1 sources, 2 configurations")
        for line in ("== not here: does not compile\ntpadvertisex: one queue "
                     "per service", f"\n\t{src}/sub/a.c:7\n",
                     "== here, and different\n",
                     "\ntpcancel: a descriptor whose call has ended: 0",
                     f"\n\t{src}/sub/a.c:6\n\t{src}/sub/a.c:9\n",
                     "\tand 2 more lines (-a)\n",
                     f"{src}/ubb:24: SERVERS TMQUEUE: tmqueue of the queue",
                     f"{src}/ndrxconfig.xml:2: "):
            contains(r.stdout, line)
        lacks(r.stdout, "a.c:1\n", "a comment")
        lacks(r.stdout, "a.c:5\n", "texts and comments")
        lacks(r.stdout, "tpopen", "it is as elsewhere")
        lacks(r.stdout, "tpfree", "it matters to no line")
        contains(r.stdout, f"as documented\n\t{src}/sub/a.c:17\n",
                 "tpcall() with a flag that matters, not the one in line 15")
        lacks(r.stdout, "hidden")
        contains(d.xadmin("scan", "-a", src).stdout, "a.c:14\n")
        ended(d.xadmin("scan", _path(d, "none"), ok=False), 1, "No such file")
        ended(d.xadmin("scan", ok=False), 2, "give a folder")


def _import(d, path, *words, text=None, ok=True):
    """Import the file, or `text`, into folder NAME: the configuration, the report."""
    home = _path(d, path)
    ubb = home + ".ubb"
    with open(ubb, "w", encoding="utf-8") as f:
        f.write(text or _read(UBB_TWO))
    r = d.xadmin("import", "-o", home, *words, "ubbconfig", ubb, ok=ok)
    return (_read(home, "conf", "ndrxconfig.xml") if ok else "", r)


def test_resource_managers_and_queues_of_groups_become_servers():
    with Domain() as d:
        xml, r = _import(d, "one")
        manager = ('<env name="NDRX_XA_RES_ID">1</env>\n\t\t\t\t'
                   '<env name="NDRX_XA_OPEN_STR">user=u,password=tiger:x</env>\n'
                   '\t\t\t\t<env name="NDRX_XA_CLOSE_STR">bye</env>\n')
        equal(xml.count(manager), 2, "the tmsrv of the group, and its server")
        contains(xml, '<server name="TMS_ORA">\n\t\t\t<srvid>60001</srvid>')
        contains(xml, "<appopt>-p 12</appopt>")
        queues = ('<env name="NDRX_XA_OPEN_STR">datadir=&quot;${NDRX_APPHOME}'
                  "/qdata&quot;,qspace=&quot;ORDERS&quot;</env>\n\t\t\t\t"
                  '<env name="NDRX_XA_DRIVERLIB">libndrxxaqdisk.so</env>')
        equal(xml.count(queues), 2, "tmsrv and tmqueue")
        contains(xml, "<appopt>-m ORDERS -q ${NDRX_APPHOME}/conf/ORDERS.queues"
                      "</appopt>")
        equal([xml.count(f'<server name="{name}">') for name in
               ("tmsrv", "tpevsrv", "tmqueue", "TMQFORWARD", "farsv")],
              [2, 1, 1, 0, 0], "one null TMS for all, one tpevsrv for both")
        contains(_read(d.home, "one", "conf", "ORDERS.queues"),
                 "\nPAY,svcnm=PAY,autoq=T,txtout=30\nSHIP,svcnm=SHIP,autoq=T")
        lacks(r.stdout, "tiger", "a report gets passed around")
        for line in ("look     11  GROUPS BANKA: OPENINFO=ORA_XA:...: ",
                     "look     11  GROUPS BANKA: TMSNAME=TMS_ORA TMSCOUNT=12",
                     "taken    13  GROUPS QGRP: TMSNAME=TMS_QM",
                     "taken    15  GROUPS NULLH: TMSNAME=TMS: tmsrv",
                     "taken    23  SERVERS TMSYSEVT: ",
                     "taken    25  SERVERS TMQFORWARD: tmqueue calls the "
                     "service SHIP"):
            contains(r.stdout, line)
        # It is a configuration that ndrxd takes: only programs are missing.
        r = d.xadmin("testcfg", _path(d, "one/conf/ndrxconfig.xml"), ok=False)
        contains(r.stdout, "the program paysv is not in PATH")
        lacks(r.stdout, "tmqueue is not")


def test_security_of_a_ubbconfig_is_that_of_the_domain():
    text = _read(UBB_TWO)
    with Domain() as d:
        xml, _ = _import(d, "app")
        contains(xml, '<security auth="APP" authsvc="AUTHSVC"/>')
        xml, r = _import(d, "own", text=text.replace(
            "paysv\t", "AUTHSVR SRVGRP=BANKA SRVID=77\npaysv\t"))
        sys = ('<security auth="SYS" passwords="${NDRX_APPHOME}/conf/passwords"'
               "/>")
        contains(xml, sys.replace("SYS", "APP"))  # what tpchkauth() says
        contains(r.stdout, "xadmin passwd")
        xml, r = _import(d, "lists", text=text.replace("USER_AUTH", "MANDATORY_ACL"))
        contains(r.stdout, "`acl` of each <service>")
        xml, _ = _import(d, "pw", text=text.replace("USER_AUTH", "APP_PW"))
        contains(xml, sys)
        xml, r = _import(d, "none", text=text.replace("USER_AUTH", "NONE"))
        lacks(xml, "<security")
        contains(r.stdout, "AUTHSVC=..AUTHSVC: means nothing")


def test_each_machine_of_several_is_a_node_of_the_cluster():
    with Domain() as d:
        xml, r = _import(d, "second", "--machine=SITE2")
        contains(xml, '<cluster name="shop" urls="nats://alpha.example:4222" '
                      'node="2"/>')
        contains(xml, '<server name="ndrxbridge">')
        contains(xml, '<server name="farsv">')
        lacks(xml, "paysv")
        lacks(r.stdout, "not known here")
        contains(r.stdout, "group BANKA is on another machine: its node must")
        contains(r.stdout, "taken    33  ROUTING R: FIELD=")
        contains(_read(d.home, "second", "setenv"), "NDRX_NODEID='2'")
        xml, r = _import(d, "alone")
        lacks(xml, "<cluster")
        contains(r.stdout, "group FARG is on another machine: requests for it "
                           "fail with TPENOENT")
        contains(r.stdout, "look     33  ROUTING R: FIELD=")


def test_a_dmconfig_becomes_entries_of_tpbridge():
    sides = {}
    with Domain() as d:
        for own, other in (("SALES", "BANK"), ("BANK", "SALES")):
            path = _path(d, own)
            with open(path, "w", encoding="utf-8") as f:
                f.write("*DM_RESOURCES\nVERSION=U22\n*DM_LOCAL\n"
                        f"L{own} GWGRP=G TYPE=TDOMAIN DOMAINID={own}\n*DM_REMOTE\n"
                        f"R{other} TYPE=TDOMAIN DOMAINID={other}\n*DM_TDOMAIN\n"
                        f'L{own} NWADDR="//{own.lower()}.example:4001"\n'
                        f'R{other} NWADDR="//{other.lower()}.example:4001"\n'
                        "*DM_EXPORT\nPAY\nSHIP RNAME=SHIPPING\n"
                        f"*DM_IMPORT\nASK RDOM=R{other} LDOM=L{own}\n"
                        "RATE RNAME=RATES FROB=1\n")
            sides[own] = d.xadmin("import", "dmconfig", path).stdout
        bank, sales = sides["BANK"], sides["SALES"]
        contains(bank, "<appopt>-n 2 -r -t P -i bank.example -p 4001</appopt>")
        contains(sales, "<appopt>-n 1 -r -t A -i bank.example -p 4001</appopt>")
        contains(bank, "BANK is node 1: NDRX_NODEID=1")
        contains(bank, "<exportsvcs>PAY,SHIP</exportsvcs>")
        contains(bank, "look     12  DM_EXPORT SHIP: ")
        contains(bank, 'IMPORTSVCS">2:ASK,RATES</env>')
        contains(bank, "look     15  DM_IMPORT RATE: importsvcs; programs call "
                       "RATES")
        contains(bank, "none     15  DM_IMPORT RATE: FROB=1: not known here")
        # It is a configuration that ndrxd takes.
        entry = bank[bank.index("\t\t<server"):bank.index("</server>")]
        with open(_path(d, "x.xml"), "w", encoding="utf-8") as f:
            f.write(f"<endurox><servers>{entry}</server></servers></endurox>")
        d.xadmin("testcfg", _path(d, "x.xml"))
        with open(_path(d, "none"), "w", encoding="utf-8") as f:
            f.write("*DM_RESOURCES\nVERSION=U22\n")
        ended(d.xadmin("import", "dmconfig", _path(d, "none"), ok=False), 1,
              "DM_LOCAL has no domain")


SELDOM = """*RESOURCES
MASTER m
MODEL SHM
SPINTUNING_FACTOR 100
SEC_PRINCIPAL_NAME "tux"
MAXACLGROUPS 100
*MACHINES
n LMID=m MINENCRYPTBITS=0 MAXENCRYPTBITS=128 MAXPENDINGBYTES=10000
*GROUPS
G LMID=m GRPNO=1 ENCRYPTION_REQUIRED=Y ENVFILE="/a/g"
QG LMID=m GRPNO=2 TMSNAME=TMS_QM OPENINFO="TUXEDO/QM:/a/QUE:QSPACE"
*SERVERS
sv SRVGRP=G SRVID=1 MAXDISPATCHTHREADS=4 THREADSTACKSIZE=200000
TMQUEUE SRVGRP=QG SRVID=2 CLOPT="-s QSPACE:TMQUEUE -- -t 60"
TMQFORWARD SRVGRP=QG SRVID=3 CLOPT="-- -n -q PAY -e -d -i 10 -f 5 -t 9"
TMUSREVT SRVGRP=G SRVID=4 CLOPT="-A -- -f /a/usr.dat" ENVFILE="/a/e"
*SERVICES
PAY CACHINGTTL=3 SIGNATURE_REQUIRED=Y FROB=1
"""


@covers("xadmin import")
def test_seldom_words_of_a_ubbconfig_have_their_reasons():
    with Domain() as d:
        with open(_path(d, "ubb"), "w", encoding="ascii") as f:
            f.write(SELDOM)
        r = d.xadmin("import", "-n", "ubbconfig", _path(d, "ubb"))
        contains(r.stdout, "<threadstacksize>196</threadstacksize>")
        for line in (
                "none      4  RESOURCES: SPINTUNING_FACTOR=100: not needed",
                "none      5  RESOURCES: SEC_PRINCIPAL_NAME=tux: buffers carry",
                "none      6  RESOURCES: MAXACLGROUPS=100: not needed",
                "none      8  MACHINES n: MINENCRYPTBITS=0: TLS of <cluster>",
                "none      8  MACHINES n: MAXPENDINGBYTES=10000: nodes are",
                "none     10  GROUPS G: ENCRYPTION_REQUIRED=Y: buffers carry",
                "taken    13  SERVERS sv: THREADSTACKSIZE=200000: ",
                "none     14  SERVERS TMQUEUE: CLOPT -t 60: ",
                "none     15  SERVERS TMQFORWARD: CLOPT -e: ",
                "look     15  SERVERS TMQFORWARD: CLOPT -d: ",
                "none     15  SERVERS TMQFORWARD: CLOPT -i 10: ",
                "none     15  SERVERS TMQFORWARD: CLOPT -f 5: ",
                "look     16  SERVERS TMUSREVT: CLOPT -f /a/usr.dat: ",
                "none     18  SERVICES PAY: CACHINGTTL=3: cache=",
                "none     18  SERVICES PAY: SIGNATURE_REQUIRED=Y: buffers",
                "none     18  SERVICES PAY: FROB=1: not known here"):
            contains(r.stdout, line)
        equal(r.stdout.count("not known here"), 1)
        d.xadmin("import", "-o", _path(d, "new"), "ubbconfig", _path(d, "ubb"))
        contains(_read(d.home, "new", "conf", "QSPACE.queues"),
                 "PAY,svcnm=PAY,autoq=y,txtout=9\n")
        for text, why in (("* RESOURCES\n", "1: the name of a section follows *"),
                          ("*RESOURCES\nMASTER m\n*SERVICES\nA PRIO= LOAD=5\n",
                           "4: PRIO= has no value"),
                          ("*RESOURCES\n*SERVICES\nA PRIO=\n", "PRIO= has no "
                           "value")):
            with open(_path(d, "ubb"), "w", encoding="ascii") as f:
                f.write(text)
            ended(d.xadmin("import", "-n", "ubbconfig", _path(d, "ubb"),
                           ok=False), 1, why)


@covers("xadmin scan")
def test_scan_finds_headers_that_are_not_here():
    with Domain() as d:
        with open(_path(d, "a.c"), "w", encoding="utf-8") as f:
            f.write('#include <atmi.h>\n# include <exnetproto.h>\n'
                    '#include "decimal.h" /* exnetproto.h */\nint exnetproto;\n')
        out = d.xadmin("scan", _path(d, "a.c")).stdout
        contains(out, f"exnetproto.h: private to Enduro/X\n\t{d.home}/a.c:2\n")
        contains(out, f"decimal.h: no decimal numbers\n\t{d.home}/a.c:3\n")
        lacks(out, "atmi.h")


def test_scan_leaves_the_environment_of_the_prompt_alone():
    with Domain() as d:
        path = _path(d, "scanned.xml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("<endurox><defaults><max>${OW_SCANNED}</max></defaults></endurox>")
        with open(_path(d, "own.xml"), "w", encoding="utf-8") as f:
            f.write('<endurox><servers><server name="x"><srvid>${OW_SCANNED}</srvid>'
                    "<max>1</max></server></servers></endurox>")
        text = f"scan {path}\ntestcfg {_path(d, 'own.xml')}\n"
        r = d.run("xadmin", text=text)
        contains(r.stdout + r.stderr, "the value is empty")


@covers("xadmin scan")
def test_scan_is_quiet_about_scripts_and_what_only_a_running_domain_knows():
    with Domain() as d:
        src = _path(d, "src")
        os.makedirs(src)
        for name, text in (
                ("make.sh", "#!/bin/sh\ncat >ubb <<X\n*RESOURCES\nMODEL SHM\nX\n"
                 "cat >x.xml <<X\n<endurox></endurox>\nX\n"),
                ("guide.md", "Guide\n*RESOURCES\n"),
                ("ndrxconfig.xml", '<?xml version="1.0"?>\n<endurox>'
                 "<cluster name='${CLUSTER_OF_IT}'/>"
                 "<servers><server name='x'><srvid>${FIRST_ID}</srvid><min>1</min>"
                 "<max>1</max><sysopt>-e ${LOGS_OF_IT}/x</sysopt></server>"
                 "<server name='x'><srvid>${SECOND_ID}</srvid><min>1</min>"
                 "<max>1</max></server></servers></endurox>\n"),
                ("ubb", "# bank\n\n*RESOURCES\nMASTER m\nMODEL SHM\n*MACHINES\n"
                 'n LMID=m TUXDIR="/t" TUXCONFIG="/c" APPDIR="/a"\n*GROUPS\n'
                 "G LMID=m GRPNO=1\n*SERVERS\nsv SRVGRP=G SRVID=1 REPLYQ=Y\n"),
                ("dom", "# links\n*DM_RESOURCES\nVERSION=1\n*DM_LOCAL\n"
                 "L GWGRP=G DOMAINID=A\n*DM_REMOTE\nR DOMAINID=B\n*DM_TDOMAIN\n"
                 'L NWADDR="//a:1"\n*DM_EXPORT\nPAY RNAME=BUY\n*DM_IMPORT\n'
                 "RATE RDOM=R\n")):
            with open(f"{src}/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        r = d.xadmin("scan", src)
        equal([line for line in r.stdout.splitlines()
               if not line.startswith(src + "/dom:")], [])
        contains(r.stdout, f"{src}/dom:11: DM_EXPORT PAY: ")
        lacks(r.stdout, "GWGRP")
        contains(r.stderr, "0 sources, 3 configurations: 2 to look at")
        lacks(r.stderr, "xadmin: scan")


def test_what_names_nothing_in_a_ubbconfig_is_an_error():
    text = _read(UBB_TWO)
    with Domain() as d:
        for old, new, says in (
                ("MASTER\tSITE1,SITE2", "MASTER\tNOPE", "MASTER=NOPE: MACHINES "
                 "has no entry with LMID=NOPE"),
                ("11-20:FARG", "11-20:GONE", "33: RANGES: GROUPS has no group "
                 "GONE")):
            check(old in text, old)
            _, r = _import(d, "x", text=text.replace(old, new), ok=False)
            ended(r, 1, says)
        _, r = _import(d, "x", "--machine", "SITE9", ok=False)
        ended(r, 1, "--machine=SITE9: MACHINES has no entry")


def test_the_report_is_written_even_where_the_configuration_is_not():
    with Domain() as d:
        home = _path(d, "kept")
        d.xadmin("import", "-o", home, "ubbconfig", UBB)
        r = d.xadmin("import", "-o", home, "ubbconfig", UBB_QUOTES, ok=False)
        ended(r, 1, "ndrxconfig.xml exists", "-f")
        contains(_read(home, "conf", "import.report"), "quotesv")
        contains(_read(home, "conf", "ndrxconfig.xml"), "tellersv")
        # A result that ndrxd would not accept.
        wrong = _path(d, "ubbwrong")
        with open(wrong, "w", encoding="utf-8") as f:
            f.write(_read(UBB_QUOTES).replace("oncesv\t", "o" * 80 + "\t"))
        home = _path(d, "wrong")
        r = d.xadmin("import", "-o", home, "ubbconfig", wrong, ok=False)
        ended(r, 1, "the result has an error", "ndrxconfig.xml.wrong")
        contains(_read(home, "conf", "import.report"), "quotesv")
        contains(r.stdout, "quotesv")
        check(not os.path.exists(home + "/conf/ndrxconfig.xml"),
              "no configuration was written")


def test_import_refuses_what_is_not_a_ubbconfig():
    with Domain() as d:
        for words, code, says in (
                (("ubbconfig", "/etc/passwd"), 1, "/etc/passwd:1: give a "
                 "section"),
                (("ubbconfig", "/nonexistent"), 1, "No such file"),
                (("ubbconfig", d.program("testcl")), 1, "tmunloadcf"),
                (("ubbconfig",), 2, "give a format and a file"),
                (("dmconfig", "/nonexistent"), 1, "No such file")):
            r = d.xadmin("import", *words, ok=False)
            ended(r, code, says)


def test_import_names_the_line_of_what_would_be_lost():
    with Domain() as d:
        text = _read(UBB)
        for old, new, says in (
                ("*SERVERS", "*SERVER", r": *SERVER: not a section: *SERVERS"),
                ("*GROUPS\n", "*GROUPS\nTELLERS LMID=SITE1 GRPNO=9\n",
                 ": GROUPS TELLERS: the group is there already, in line ")):
            check(old in text, old)
            path = _path(d, "wrong")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new, 1))
            r = d.xadmin("import", "-n", "ubbconfig", path, ok=False)
            ended(r, 1, says)
            check(re.search(path + r":\d+: ", r.stderr), r.stderr)


def test_testcfg_checks_a_file_against_the_schema():
    with Domain() as d:
        d.configure({"srvid": 1, "appopt": "ECHO"})
        good = d.env["NDRX_CONFIG"]
        text = _read(good)
        contains(d.xadmin("testcfg", good).stdout,
                 "1 server entries, 1 servers to start")
        for wrong, says in (
                ("<services><service svcnm=\"A\" prio=\"500\"/></services>",
                 ":2: <services>: <service>: attribute prio: \"500\""),
                ("<servers><server name=\"x\"><srvid>1</srvid></server>"
                 "</servers>", "overlap"),
                ("<srevers/>", "did you mean <servers>?")):
            with open(_path(d, "bad.xml"), "w", encoding="utf-8") as f:
                f.write(text.replace("<endurox>\n", "<endurox>" + wrong))
            r = d.xadmin("testcfg", _path(d, "bad.xml"), ok=False)
            ended(r, 1, says)
        # ndrxd checks the schema, too.
        d.boot()
        with open(good, "w", encoding="utf-8") as f:
            f.write(text.replace(
                "<endurox>\n", "<endurox>\n<services><service "
                "svcnm=\"A\" autotran=\"maybe\"/></services>"))
        r = d.xadmin("reload", ok=False)
        ended(r, 1, "autotran: \"maybe\"")


def test_config_shows_values_and_their_origin():
    with Domain() as d:
        d.configure({"srvid": 10, "max": 3, "appopt": "${OW_T} ECHO"},
                    {"srvid": 50, "name": "other"})
        d.env.update({"OW_T": "x", "NDRX_WAKE": "herd", "NDRX_QPREFX": "/y"})
        path = d.env["NDRX_CONFIG"]
        rows = {(r.section, r.srvid, r.name): r for r in d.rows("config")}
        for key, value, origin in (
                (("testsv", 10, "max"), "3", f"{path}:6"),
                (("testsv", 10, "min"), "1", f"{path}:4"),
                (("testsv", 10, "appopt"), "x ECHO",
                 f"{path}:6, environment OW_T"),
                (("testsv", 10, "respawn"), "Y", "default"),
                (("appconfig", 0, "wake"), "herd", "environment"),
                (("appconfig", 0, "transport"), d.env["NDRX_TRANSPORT"],
                 "environment"),
                (("environment", 0, "NDRX_TOUT"), "20", "environment"),
                (("environment", 0, "NDRX_QPREFX"), "/y",
                 "environment (not known here; did you mean "
                 "NDRX_QPREFIX)")):
            equal((rows[key].value, rows[key].origin), (value, origin), key)
        equal({r.section for r in d.rows("config", "-i", 12)}, {"testsv"})
        equal({r.srvid for r in d.rows("config", "-s", "other")}, {50})
        equal([r for r in d.rows("config", "-g") if r.origin == "default"],
              [])
        r = d.xadmin("config", "-i", 99, ok=False)
        ended(r, 1, "no such server")
        xml = d.xadmin("config", "-x").stdout
        with open(_path(d, "again.xml"), "w", encoding="utf-8") as f:
            f.write(xml)
        equal(d.xadmin("config", "-x", _path(d, "again.xml")).stdout, xml)


def test_config_shows_what_is_in_force_and_what_the_file_would_change():
    with Domain() as d:
        d.configure({"srvid": 10, "max": 3, "appopt": "ECHO"},
                    {"srvid": 50, "appopt": "UPPER"})
        contains(d.xadmin("config").stderr, "ndrxd is not running")
        d.boot()
        equal(d.xadmin("config").stderr.count("not as in the file"), 0)
        equal([r for r in d.rows("config") if r.pending], [])
        d.xadmin("appconfig", "restart_max", "7")
        d.configure({"srvid": 10, "max": 4, "appopt": "ECHO",
                     "xml": "<envs><env name=\"NEW\">1</env></envs>"},
                    {"srvid": 60, "name": "other", "min": 0})
        rows = {(r.section, r.srvid, r.name): r for r in d.rows("config")
                if r.pending}
        for key, value, pending, new in (
                (("appconfig", 0, "restart_max"), "7s", "change", "300ms"),
                (("testsv", 10, "max"), "3", "change", "4"),
                (("testsv", 10, "env NEW"), "1", "add", ""),
                (("other", 60, "min"), "0", "add", ""),
                (("testsv", 50, "appopt"), "UPPER", "remove", "")):
            row = rows[key]
            equal((row.value, row.pending, row.file_value),
                  (value, pending, new), key)
        equal({k[1] for k in rows if k[0] != "appconfig"}, {10, 50, 60})
        r = d.xadmin("config", "-g")
        contains(r.stderr, "values are not as in the file")
        contains(r.stdout, "in force; not in the file")
        with open(d.home + "/run/in_force.xml", encoding="utf-8") as f:
            contains(f.read(), "UPPER")
        equal(os.stat(d.home + "/run/in_force.xml").st_mode & 0o77, 0)
        d.xadmin("stop", "-s", "testsv")
        d.xadmin("reload")
        equal([r for r in d.rows("config") if r.pending], [])
