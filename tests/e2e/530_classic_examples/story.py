# SPDX-License-Identifier: Apache-2.0
"""The classic examples of Tuxedo, from their documented command lines.

buildserver and buildclient make the programs, tmloadcf the domain; TUXCONFIG is
all that a program needs to find it."""
import glob
import os
import re

from checks import at_least, check, contains, ended, equal, lacks
from fixture import Domain
from tuxedo_app import App, ROOT, SIMPAPP

MAINLY = "shm"

BANKAPP = ROOT / "examples/bankapp"


def test_simpapp_runs_from_its_documented_commands():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        app.configure()
        r = app.run("tmboot", text="y\n")
        for text in ("Boot all admin and server processes? (y/n): ",
                     f"processes in {app.home}/tuxconfig\n",
                     "Booting admin processes ...\n\nexec ndrxd :\n\tprocess "
                     "id=", "Booting server processes ...\n\nexec simpserv ",
                     " ... Started.\n", "\n2 processes started.\n"):
            contains(r.stdout, text)
        r = app.run("simpcl", "hello, world")
        equal(r.stdout, "Returned string is: HELLO, WORLD\n")
        r = app.run("tmshutdown", text="y\n")
        for text in ("Shutdown all admin and server processes? (y/n): ",
                     "Shutting down server processes ...\n\n\tServer Id = 1 "
                     "Group Id = GROUP1 Machine = simple:\tshutdown "
                     "succeeded", "Shutting down admin processes ...\n",
                     "\n2 processes stopped.\n"):
            contains(r.stdout.replace("Shutdown succ", "shutdown succ"), text)
        ended(app.run("simpcl", "x", ok=False), 1, "TPE")


def test_without_a_in_clopt_only_what_it_names_is_offered():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp("-o", "simpserv", "-f", "simpserv.c", "-s",
                          "TOUPPER,UPPER:TOUPPER", "-s", "OTHER:TOUPPER")
        names = f"{app.home}/names"
        with open(names, "w", encoding="ascii") as f:
            f.write("# of the second server\n OTHER\n\nMORE,ALSO:TOUPPER # two\n")
        app.configure(change=lambda text: text.replace(
            "simpserv\tSRVGRP=GROUP1 SRVID=1",
            'simpserv SRVGRP=GROUP1 SRVID=1 CLOPT="-s UPPER --"\n'
            f'simpserv SRVGRP=GROUP1 SRVID=2 CLOPT="-s @{names}"\n'
            'simpserv SRVGRP=GROUP1 SRVID=3 CLOPT="-- "\n'
            'simpserv SRVGRP=GROUP1 SRVID=4'))
        app.run("tmboot", "-y")
        rows = app.run("tmadmin", text="psc\n").stdout
        found = re.findall(r"^(\w+) +\w+ +simpserv +GROUP1 +(\d)", rows, re.M)
        equal(sorted(found), [("ALSO", "2"), ("MORE", "2"), ("OTHER", "2"),
                              ("OTHER", "4"), ("TOUPPER", "4"), ("UPPER", "1"),
                              ("UPPER", "4")])
        app.run("tmshutdown", "-y")


def test_headers_of_system_tables_are_there():
    with Domain() as d:
        app = App(d, SIMPAPP)
        with open(f"{app.home}/tables.c", "w", encoding="ascii") as f:
            f.write("#include <Usysflds.h>\n#include <Usysfl32.h>\n"
                    "#include <evt_mib.h>\n"
                    "int main(void) { return TAOK; }\n")
        app.run("buildclient", "-o", "tables", "-f", "tables.c")
        app.run("tables")


def test_simpapp_without_a_table_advertises_itself():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp("-o", "simpserv", "-f", "simpadv.c")
        app.configure()
        app.run("tmboot", "-y")
        r = app.run("simpcl", "hello, world")
        equal(r.stdout, "Returned string is: HELLO, WORLD\n")
        app.run("tmshutdown", "-y")


def test_tmadmin_shows_the_application():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        app.configure()
        app.run("tmboot", "-y")
        app.run("simpcl", "x")
        for word in ("printserver", "psr", "psr -g GROUP1", "psr -i 1"):
            row = app.run("tmadmin", text=word + "\nq\n").stdout
            check(re.search(r"^simpserv +00001\.00001 +GROUP1 +1 +1 +50 "
                            r"\( IDLE \)$", row, re.M), word + "\n" + row)
        lacks(app.run("tmadmin", text="psr -i 7\n").stdout, "simpserv")
        for word in ("printservice", "psc", "psc -s TOUPPER"):
            row = app.run("tmadmin", text=word + "\n").stdout
            check(re.search(r"^TOUPPER +TOUPPER +simpserv +GROUP1 +1 +simple "
                            r"+1 AVAIL$", row, re.M), word + "\n" + row)
        row = app.run("tmadmin", text="pq\n").stdout
        check(re.search(r"^simpserv +TOUPPER +1 +0 +0 +0 +simple$", row, re.M), row)
        contains(app.run("tmadmin", text="pclt\n").stdout, "Client Name")
        c = d.client(NDRX_COMPAT="strict-tuxedo")
        equal(c("login", "anna", "any").err, "OK")
        equal(c.call("TOUPPER", "x").data, "X")
        for words, n in (("", 1), ("-u anna", 1), ("-c testcl", 1),
                         ("-u bea", 0), ("-c bea", 0)):
            row = app.run("tmadmin", text=f"pclt {words}\n").stdout
            equal(len(re.findall(rf"^simple +anna +testcl +{c.pid} +IDLE", row,
                                 re.M)), n, words + row)
        contains(app.run("tmadmin", text="pg\n").stdout, "GROUP1")
        equal(app.run("tmadmin", text="pt\n").stdout, "")
        r = app.run("tmadmin", text="commit\n", ok=False)
        ended(r, 1, "xadmin committrans")
        r = app.run("tmadmin", text="frobnicate\n", ok=False)
        ended(r, 1, "frobnicate: no such command")
        app.run("tmadmin", text="shutdown -y\n")


def test_queues_may_be_made_before_the_configuration_is_loaded():
    """Nothing is there: neither the domain, nor a space, nor its device."""
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        contains(app.run("tmipcrm", "-y").stdout, "nothing to remove")
        for line in ("crdl /tmp/none 0 200", "qspc PARCELS 41 64 8 2 9 70 SPARE y 8",
                     "qopen PARCELS\nqcr SPARE time none 0 0 90% 5% ''",
                     "qopen PARCELS\nqcr TOUPPER time none 6 2 90% 5% ''"):
            app.run("qmadmin", text=line + "\n")
        app.configure(change=lambda text: text.replace(
            "*SERVERS", "STORE LMID=simple GRPNO=7 TMSNAME=TMS_QM TMSCOUNT=2\n"
            'OPENINFO="TUXEDO/QM:/tmp/none:PARCELS"\n*SERVERS\n'
            'TMQUEUE SRVGRP=STORE SRVID=1 CLOPT="-s PARCELS:TMQUEUE -- "\n'
            'TMQFORWARD SRVGRP=STORE SRVID=3 CLOPT="-A -- -q TOUPPER,MORE -i 1"\n'))
        with open(f"{app.home}/tuxconfig.d/conf/PARCELS.queues",
                  encoding="utf-8") as f:
            queues = f.read()
        lacks(queues, "\n@,")  # a queue that nobody made is QMEBADQUEUE
        for line in ("SPARE,svcnm=-,autoq=n,mode=fifo,tries=1,waitretry=0",
                     "TOUPPER,svcnm=TOUPPER,autoq=T,mode=fifo,tries=7,waitretry=2,"
                     "errorq=SPARE", "MORE,svcnm=MORE,autoq=T,errorq=SPARE"):
            contains(queues, f"\n{line}\n")
        app.run("tmboot", "-y")
        contains(app.run("xadmin", "mqlc").stdout, "MORE")
        c = d.client()  # what TMQFORWARD did: the service gets the message
        equal(c("enq", "PARCELS", "TOUPPER", "-", "reply=SPARE", "STRING:shop").err,
              "OK")
        equal(c("deq", "PARCELS", "SPARE", "-", "wait").data, "SHOP")
        # The error queue of the space has what no service takes.
        app.run("tmadmin", text="susp -s TOUPPER\n")
        app.run("qmadmin", text="qopen PARCELS\nqch TOUPPER fifo none 0 0 0 0 ''\n")
        equal(c("enq", "PARCELS", "TOUPPER", "-", "-", "STRING:spoiled").err, "OK")
        equal(c("deq", "PARCELS", "SPARE", "-", "wait").data, "spoiled")
        app.run("tmshutdown", "-y")


def test_an_error_queue_gives_up_nothing_to_itself():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        for line in ("crdl /tmp/none 0 200", "qspc PARCELS 41 64 8 2 9 70 LAST y 8"):
            app.run("qmadmin", text=line + "\n")
        app.configure(change=lambda text: text.replace(
            "*SERVERS", "STORE LMID=simple GRPNO=7 TMSNAME=TMS_QM TMSCOUNT=2\n"
            'OPENINFO="TUXEDO/QM:/tmp/none:PARCELS"\n*SERVERS\n'
            'TMQUEUE SRVGRP=STORE SRVID=1 CLOPT="-s PARCELS:TMQUEUE -- "\n'
            'TMQFORWARD SRVGRP=STORE SRVID=3 CLOPT="-A -- -q FIRST,LAST"\n'))
        with open(f"{app.home}/tuxconfig.d/conf/PARCELS.queues",
                  encoding="utf-8") as f:
            queues = f.read()
        contains(queues, "\nFIRST,svcnm=FIRST,autoq=T,errorq=LAST\n")
        contains(queues, "\nLAST,svcnm=LAST,autoq=T\n")


def test_qmadmin_takes_the_words_of_scripts():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.run("qmadmin", "/tmp/none", text="echo on\nverbose off\npage off\n"
                "crdl /tmp/none 0 200\nlidl\nlivtoc\nqspacecreate\nPARCELS\n"
                "41\n64\n8\n2\n9\n70\nSPARE\ny\n8\nqopen PARCELS\n"
                "qcreate URGENT priority,time,fifo none 2 30 80% 0% ''\n"
                "qcreate\nLAST\nexpr,lifo\nnone\n0\n0\n80%\n0%\n\nq\n")
        with open(f"{app.home}/tuxconfig.d/conf/PARCELS.queues",
                  encoding="utf-8") as f:
            queues = f.read()
        contains(queues, "\nURGENT,svcnm=-,autoq=n,mode=priority,tries=3,")
        contains(queues, "\nLAST,svcnm=-,autoq=n,mode=lifo,tries=1,")
        for order in ("priority,,fifo", "urgent", "fifo,x", ",fifo"):
            ended(app.run("qmadmin", ok=False, text="qopen PARCELS\n"
                          f"qcreate OTHER {order} none 0 0 80% 0% ''\n"), 1,
                  "give an order")


def test_tmadmin_changes_chosen_servers_and_needs_no_devices():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        app.configure()
        devices = "crdl -b 200 -z /dev/none\ncrlog -m simple\n"
        r = app.run("tmadmin", "-c", text=devices).stdout
        contains(r, "crlog: nothing to do: tmsrv makes its log")
        app.run("tmboot", "-y")
        app.run("tmadmin", text="unadv -g GROUP1 -i 1 TOUPPER\n")
        ended(app.run("./simpcl", "x", ok=False), 1, "TOUPPER")
        app.run("tmadmin", text="adv -q simpserv TOUPPER:TOUPPER\n")
        contains(app.run("./simpcl", "x").stdout, "X")
        contains(app.run("tmadmin", text="srp -g GROUP1 -i 1\n").stdout,
                 "simpserv")
        contains(app.run("tmadmin", text="bbclean simple\npclean simple\n"
                         "livtoc\ndumptlog -z /tmp/x\n"
                         "scp -g GROUP1 -i 1 -s TOUPPER\n!!\n").stdout,
                 "TOUPPER      TOUPPER ")
        app.run("tmadmin", text="bcst -m simple -c nobody a word to all\n")
        app.run("tmadmin", text="broadcast a word\n")
        equal(app.run("tmadmin", text="echo a\n!!\n!!\n").stdout,
              "a\necho a\na\necho a\na\n")
        for words, says in (("adv TOUPPER", "give a service, and a server"),
                            ("bcst -u anna", "usage: broadcast"),
                            ("adv -g NONE TOUPPER", "no such server"),
                            ("srp -i 77", "no such server")):
            ended(app.run("tmadmin", text=words + "\n", ok=False), 1, says)
        app.run("tmipcrm", "-n")
        ended(app.run("tmipcrm", "-y", "/nonexistent", ok=False), 1,
              "set TUXCONFIG to it")
        app.run("tmipcrm", "-y", app.env["TUXCONFIG"])
        ended(app.run("tmipcrm", text="n\n", ok=False), 1)
        equal(app.run("./simpcl", "x", ok=False).returncode, 1)


def test_an_environment_file_is_read_and_never_run():
    lines = {"PLAIN": "one", "DATE_FORMAT": "YYYY-MM-DD HH24:MI:SS",
             "PAIR": "a&b", "LIST": "x;y", "QUOTED": "'it' \"is\"",
             "_UNDER": "$$ `touch run` $(touch run)", "EMPTY": ""}
    with Domain() as d:
        app = App(d, SIMPAPP)
        with open(f"{app.home}/app.env", "w", encoding="utf-8") as f:
            f.write("# a comment\nno assignment\n1X=no\nA-B=no\n")
            f.writelines(f"{k}={v}\n" for k, v in lines.items())
            f.write("WHOLE=<${PLAIN} ${NOSUCH}${PLAIN}>\n"
                    "ODD=${touch run}${PLAIN\nRUN=x; touch run")
        app.configure(change=lambda text: text.replace(
            "LMID=simple\n", f'LMID=simple ENVFILE="{app.home}/app.env"\n', 1))
        lines.update(WHOLE="<one one>", ODD="${PLAIN", RUN="x; touch run")
        r = app.run("sh", "-c", '. "$TUXCONFIG.d/setenv"; exec env')
        got = dict(row.split("=", 1) for row in r.stdout.splitlines())
        equal({k: got.get(k) for k in lines}, lines)
        lacks(got, "1X")
        lacks(got, "A-B")
        check(not os.path.exists(f"{app.home}/run"), "it was run")
        with open(f"{app.home}/tuxconfig", encoding="utf-8") as f:
            text = f.read()
            contains(text, "\nDATE_FORMAT=YYYY-MM-DD HH24:MI:SS\n")
            contains(text, "\n_UNDER=$$ ")


def test_queues_events_and_coordinators_of_a_ubbconfig_run():
    groups = ('QUEUES LMID=simple GRPNO=7 TMSNAME=TMS_QM '
              'OPENINFO="TUXEDO/QM:/dev/none:SPACE"\n'
              "NULLS LMID=simple GRPNO=8 TMSNAME=TMS\n")
    servers = ("TMUSREVT SRVGRP=NULLS SRVID=31\n"
               "TMSYSEVT SRVGRP=NULLS SRVID=32\n"
               'TMQUEUE SRVGRP=QUEUES SRVID=33 CLOPT="-s SPACE:TMQUEUE --"\n'
               'TMQFORWARD SRVGRP=QUEUES SRVID=34 CLOPT="-- -q TOUPPER"\n')
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        app.configure(change=lambda text: text.replace(
            "*SERVERS", groups + "*SERVERS\n" + servers))
        # A space and its queues, a question at a time.
        app.run("qmadmin", "/dev/none", text="crdl /dev/none 0 1000\n"
                "qspacecreate\nSPACE\n4713\n300\n40\n800\n800\n800\nspoiled\n"
                "y\n16\nqopen SPACE\nqcreate\nTOUPPER\nfifo\nnone\n2\n30\n70%\n"
                '0%\n""\nqcreate NEWS priority none 0 0 70% 0% ""\nqclose\nq\n')
        with open(f"{app.home}/tuxconfig.d/conf/SPACE.queues",
                  encoding="utf-8") as f:
            queues = f.read()
        contains(queues, "\nTOUPPER,svcnm=TOUPPER,autoq=T,errorq=spoiled,"
                         "mode=fifo,tries=3,waitretry=30\n")
        contains(queues, "\nNEWS,svcnm=-,autoq=n,mode=priority,tries=1,")
        app.run("tmloadcf", "-y", "ubb")  # keeps them
        app.run("tmboot", "-y")
        contains(app.run("xadmin", "mqlc").stdout, "NEWS")
        app.run("qmadmin", text="qo SPACE\nqcr LATER lifo\nnone\n0\n0\n\n\n\n"
                                "qset queue LATER\nqlist\nqinfo\n")
        contains(app.run("xadmin", "mqlc").stdout, "LATER")
        for text, says in (("qcreate X fifo none 0 0 1 1 1\n", "no queue space"),
                           ("qo S\nqcr X odd none 0 0 1 1 1\n", "give an order"),
                           ("qdestroy X\n", "no such command")):
            ended(app.run("qmadmin", text=text, ok=False), 1, says)
        r = app.run("tmadmin", text="psr\nq\n").stdout
        for name in ("tpevsrv", "tmqueue", "tmsrv", "simpserv"):
            contains(r, name)
        contains(app.run("xadmin", "clients", "--csv").stdout, "clt,tmsrv,")
        lacks(app.run("tmadmin", text="pclt\n").stdout, "tmsrv")
        contains(app.run("xadmin", "mqlc").stdout, "TOUPPER")
        contains(app.run("./simpcl", "shop").stdout, "SHOP")
        app.run("tmshutdown", "-y")


def test_a_queue_that_is_made_takes_no_used_one_away():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        app.configure(change=lambda text: text.replace(
            "*SERVERS", 'STORE LMID=simple GRPNO=7 TMSNAME=TMS_QM '
            'OPENINFO="TUXEDO/QM:/tmp/none:SPACE"\n*SERVERS\n'
            'TMQUEUE SRVGRP=STORE SRVID=33 CLOPT="-s SPACE:TMQUEUE --"\n'))
        app.run("tmboot", "-y")
        c = d.client()
        equal(c("enq", "SPACE", "USED", "-", "-", "STRING:work").err, "OK")
        app.run("qmadmin", text="qopen SPACE\n"
                "qcreate MADE fifo none 0 0 80% 0% ''\n")
        equal(c("enq", "SPACE", "MADE", "-", "-", "STRING:x").err, "OK")
        r = c("enq", "SPACE", "SLIP", "-", "-", "STRING:x")
        equal(r.err, "TPEDIAGNOSTIC", r.text)
        equal(c("deq", "SPACE", "USED", "-", "-").data, "work")
        app.run("tmshutdown", "-y")
        # While the space is down nobody knows of it.
        path, = glob.glob(f"{app.home}/**/SPACE.queues", recursive=True)
        with open(path, "w", encoding="ascii") as f:
            f.write("@,svcnm=-,autoq=n,tries=3\n")
        app.run("tmboot", "-y")
        c = d.client()
        equal(c("enq", "SPACE", "LEFT", "-", "-", "STRING:more").err, "OK")
        app.run("tmshutdown", "-y")
        app.run("qmadmin", text="qopen SPACE\n"
                "qcreate MADE fifo none 0 0 80% 0% ''\n")
        app.run("tmboot", "-y")
        equal(d.client()("deq", "SPACE", "LEFT", "-", "-").data, "more")
        app.run("tmshutdown", "-y")


def test_parts_of_an_application_are_booted_and_shut_down():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.build_simpapp()
        app.configure(change=lambda text: text.replace(
            "SRVGRP=GROUP1 SRVID=1", "SRVGRP=GROUP1 SRVID=1 MIN=2"))
        contains(app.run("tmboot", "-y", "-A").stdout,
                 "1 process started")
        contains(app.run("tmboot", "-y", "-S").stdout, "2 processes started")
        contains(app.run("tmshutdown", "-i", "2").stdout,
                 "1 process stopped")
        contains(app.run("tmboot", "-g", "GROUP1", "-i", "2").stdout,
                 "1 process started")
        ended(app.run("tmshutdown", "-y", "-A", ok=False), 1, "servers run")
        contains(app.run("tmshutdown", "-y", "-S").stdout,
                 "2 processes stopped")
        contains(app.run("tmboot", "-s", "simpserv").stdout,
                 "2 processes started")
        contains(app.run("tmshutdown", "-g", "GROUP1").stdout,
                 "2 processes stopped")
        contains(app.run("tmshutdown", "-y", "-A").stdout,
                 "1 process stopped")


def test_tmadmin_shows_what_the_application_has_and_no_more():
    """Its servers by group and SRVID; of a routed service one row, with what it has
    done in its group; no service of the runtime, and no server among clients."""
    with Domain() as d:
        app = App(d, SIMPAPP)
        with open(f"{app.home}/names", "w", encoding="ascii") as f:
            f.write("*base 100\nT_LONG 1 long\n")
        app.env.update(FLDTBLDIR32=app.home, FIELDTBLS32="names")
        _in_two_groups(app, "SRVID=1", "SRVID=1", ROUTED, "TMSNAME=TMS")
        app.run("tmboot", "-y")
        rows = app.run("tmadmin", text="psr\n").stdout
        equal(re.findall(r"^(\w+) +(\S+) +(\w+) +(\d+)", rows, re.M),
              [("tmsrv", "00002.60002", "GROUP2", "60002"),
               ("simpserv", "00001.00001", "GROUP1", "1"),
               ("simpserv", "00002.00001", "GROUP2", "1")])
        app.run(d.program("mibcl"), text="TOUPPER T_LONG=7\n" * 3)
        c = d.client(NDRX_COMPAT="strict-tuxedo")
        equal(c("login", "anna", "any").err, "OK")
        equal(c.call("TOUPPER@GROUP1", "x").data, "X")
        rows = app.run("tmadmin", text="psc\n").stdout
        equal(re.findall(r"^(\S+) +\w+ +simpserv +(\w+) +1 +simple +(\d)", rows,
                         re.M),
              [("TOUPPER", "GROUP1", "1"), ("TOUPPER", "GROUP2", "3")])
        lacks(rows, "@")
        contains(app.run("tmadmin", text="psc -s TOUPPER@GROUP2\n").stdout,
                 "TOUPPER@GROUP2")
        lacks(app.run("tmadmin", text="pq\n").stdout, "@")
        rows = app.run("tmadmin", text="pclt\n").stdout
        equal(re.findall(r"^simple .* (\w+) +\d+ +IDLE", rows, re.M), ["testcl"],
              rows)
        app.run("tmshutdown", "-y")


ROUTED = """TOUPPER ROUTING=R
*ROUTING
R FIELD=T_LONG BUFTYPE="FML32" RANGES="MIN-5:GROUP1,*:GROUP2"
"""


def _in_two_groups(app, first, second, services="", group=""):
    """simpserv in GROUP1 and in GROUP2, with these SRVIDs."""
    app.build_simpapp()
    app.configure(change=lambda text: text.replace(
        "SRVGRP=GROUP1 SRVID=1", f"SRVGRP=GROUP1 {first}\n"
        f"simpserv SRVGRP=GROUP2 {second}").replace(
            "*SERVERS", f"GROUP2 LMID=simple GRPNO=2 {group}\n*SERVERS").replace(
                "*SERVICES", "*SERVICES\n" + services))


def test_an_srvid_is_unique_in_its_group_only():
    with Domain() as d:
        app = App(d, SIMPAPP)
        _in_two_groups(app, "SRVID=1 MIN=2", "SRVID=1 MIN=2")

        def running():
            rows = app.run("tmadmin", text="psr\n").stdout
            return sorted(re.findall(r"^simpserv +\S+ +(\w+) +(\d+)", rows,
                                     re.M))

        app.run("tmboot", "-A")
        for words, want in (
                ("-g GROUP2 -i 1", [("GROUP2", "1")]),
                ("-i 2", [("GROUP1", "2"), ("GROUP2", "1"), ("GROUP2", "2")]),
                ("-s simpserv -g GROUP1",
                 [("GROUP1", "1"), ("GROUP1", "2"), ("GROUP2", "1"),
                  ("GROUP2", "2")])):
            r = app.run("tmboot", "-n", *words.split()).stdout
            chosen = re.findall(r"Group Id = (\w+) Server Id = (\d+)", r)
            app.run("tmboot", *words.split())
            equal(running(), want, words)
            equal([one for one in chosen if one not in want], [], r)
        r = app.run("tmadmin", text="psr -g GROUP2 -i 2\npsc -i 1\n").stdout
        equal(r.count("GROUP2"), 2, r)
        equal(r.count("GROUP1"), 1, r)
        r = app.run("tmshutdown", "-g", "GROUP1", "-i", "2").stdout
        contains(r, "Server Id = 2 Group Id = GROUP1")
        contains(r, "1 process stopped")
        equal(running(), [("GROUP1", "1"), ("GROUP2", "1"), ("GROUP2", "2")])
        r = app.run("tmshutdown", "-s", "simpserv", "-i", "1").stdout
        contains(r, "2 processes stopped")
        equal(running(), [("GROUP2", "2")])
        for words, status, says in (
                ("tmshutdown -g GROUP1 -i 2", 1, "no running server is chosen"),
                ("tmboot -g GROUP3 -i 1", 1, "no server is chosen by all"),
                ("tmboot -y -l elsewhere", 1, "this is machine simple"),
                ("tmshutdown -y -l elsewhere", 1, "this is machine simple")):
            ended(app.run(*words.split(), ok=False), status, says)
        equal(running(), [("GROUP2", "2")])
        app.run("tmboot", "-y", "-l", "simple")
        equal(len(running()), 4)
        contains(app.run("tmshutdown", "-y", "-l", "simple").stdout,
                 "4 processes stopped")
        app.run("tmshutdown", "-y")


def test_many_servers_of_a_group_and_a_program_are_chosen():
    with Domain() as d:
        app = App(d, SIMPAPP)
        _in_two_groups(app, "SRVID=1 MIN=140", "SRVID=1")
        app.run("tmboot", "-A")
        chosen = ("-g", "GROUP1", "-s", "simpserv")
        contains(app.run("tmboot", *chosen).stdout,
                 "140 processes started")
        contains(app.run("tmshutdown", *chosen).stdout,
                 "140 processes stopped")
        app.run("tmshutdown", "-y")


def test_the_sequence_is_printed_and_nothing_is_done():
    with Domain() as d:
        app = App(d, SIMPAPP)
        _in_two_groups(app, "SRVID=7 MIN=2", "SRVID=3")
        lines = ("exec ndrxd :", "Group Id = GROUP1 Server Id = 7",
                 "Group Id = GROUP1 Server Id = 8",
                 "Group Id = GROUP2 Server Id = 3")
        r = app.run("tmboot", "-n").stdout
        equal([r.count(line) for line in lines], [1] * 4, r)
        equal(sorted(lines, key=r.index), list(lines), "in this order")
        for words, want in (("-n -A", 0), ("-n -g GROUP2", 3),
                            ("-n -i 8", 2), ("-n -y -S -q", None)):
            r = app.run("tmboot", *words.split()).stdout
            equal([line in r for line in lines],
                  [want == i if want is not None else i > 0
                   for i in range(4)], words + r)
        equal(app.run("xadmin", "ppm", ok=False).stdout.count("simpserv"), 0)
        app.run("tmboot", "-y")
        r = app.run("tmshutdown", "-n").stdout
        for n in (0, 3, 7, 8):
            contains(r, f"Server Id = {n} Group Id")
        r = app.run("tmshutdown", "-n", "-g", "GROUP2").stdout
        equal(r, "\tServer Id = 3 Group Id = GROUP2 Machine = simple:\n")
        contains(app.run("./simpcl", "x").stdout, "X")  # it still runs
        # Services of chosen servers, if no other server has them.
        r = app.run("tmadmin", text="susp -g GROUP2\n", ok=False)
        ended(r, 1, "other servers offer it, too")
        ended(app.run("tmadmin", text="susp -s TOUPPER -g GROUP2\n", ok=False),
              1, "other servers offer it, too")
        contains(app.run("./simpcl", "x").stdout, "X")
        app.run("tmshutdown", "-g", "GROUP1")
        app.run("tmadmin", text="susp -g GROUP2\n")
        ended(app.run("./simpcl", "x", ok=False), 1, "TOUPPER")
        app.run("tmadmin", text="res -i 3\n")
        contains(app.run("./simpcl", "x").stdout, "X")
        app.run("tmadmin", text="susp -s TOUPPER\nres TOUPPER\nsusp all\n")
        ended(app.run("./simpcl", "x", ok=False), 1, "TOUPPER")
        app.run("tmadmin", text="res all\n")
        contains(app.run("./simpcl", "x").stdout, "X")
        for words, says in (("susp", "give -s SERVICE"),
                            ("susp -g NONE", "no such server"),
                            ("susp -s NONE", "NONE")):
            ended(app.run("tmadmin", text=words + "\n", ok=False), 1, says)
        app.run("tmshutdown", "-y")


def test_bankapp_runs_from_its_documented_commands():
    with Domain() as d:
        app = App(d, BANKAPP)
        app.env.update(FLDTBLDIR32=app.home, FIELDTBLS32="bankflds")
        app.run("mkfldhdr", "bankflds")
        app.run("buildserver", "-o", "TLR", "-f", "tlr.c", "-s", "INQUIRY",
                "-s", "DEPOSIT,WITHDRAWAL:book")
        app.run("buildserver", "-o", "XFER", "-f", "xfer.c", "-s", "TRANSFER")
        app.run("buildclient", "-o", "bankclt", "-f", "bankclt.c")
        app.configure("ubbshm")
        contains(app.run("tmboot", "-y").stdout, "4 processes started")
        for words, says in (
                (("INQUIRY", "10001"), "Balance: $1000.00\n"),
                (("DEPOSIT", "10001", "$50.00"), "Balance: $1050.00\n"),
                (("WITHDRAWAL", "10001", "$0.50"), "Balance: $1049.50\n"),
                (("TRANSFER", "10001", "10002", "$49.50"),
                 "Balance: $1000.00\nBalance: $1049.50\n")):
            equal(app.run("bankclt", *words).stdout, says)
        for words, says in (
                (("INQUIRY", "99"), "Refused: Invalid account number\n"),
                (("WITHDRAWAL", "10001", "$1000.01"),
                 "Refused: Account Overdraft\n"),
                (("TRANSFER", "10001", "99", "$10.00"),
                 "Refused: Invalid account number\n")):
            r = app.run("bankclt", *words, ok=False)
            equal((r.returncode, r.stdout), (1, says))
        equal(app.run("bankclt", "INQUIRY", "10001").stdout,
              "Balance: $1000.00\n", "paid back")
        row = app.run("tmadmin", text="psc -s TRANSFER\n").stdout
        equal(len(re.findall(r"^TRANSFER +TRANSFER +XFER +BANKB2 ", row,
                             re.M)), 2, row)
        contains(app.run("tmshutdown", "-y").stdout, "4 processes stopped")


def test_what_does_not_boot_is_an_exit_status():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.configure()
        r = app.run("tmboot", "-y", "-e", "echo called for help", ok=False)
        equal(r.returncode, 1, r.stdout + r.stderr)
        for text in ("1 process started", "called for help"):
            contains(r.stdout, text)
        ended(app.run("tmboot", "-y", "-s", "nosuch", ok=False), 1)
        ended(app.run("tmboot", "-x", ok=False), 2)
        equal(app.run("tmboot", text="n\n").stdout,
              "Boot all admin and server processes? (y/n): ")
        app.run("tmshutdown", "-y")


def test_tmloadcf_keeps_what_tmunloadcf_prints():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.configure()
        with open(f"{app.home}/ubb", encoding="utf-8") as f:
            text = f.read()
        equal(app.run("tmunloadcf").stdout, text)
        app.run("tmloadcf", "-n", "ubb")
        app.run("tmloadcf", "-y", "-", text=text)
        r = app.run("tmloadcf", "ubb", text="q\n", ok=False)
        equal((r.returncode, r.stdout), (1, "Initialize TUXCONFIG file: "
              f"{app.home}/tuxconfig [y, q] ? "))
        with open(f"{app.home}/bad", "w", encoding="utf-8") as f:
            f.write("no section\n")
        r = app.run("tmloadcf", "-n", "bad", ok=False)
        ended(r, 1, "bad:1: give a section first")
        del app.env["TUXCONFIG"]
        ended(app.run("tmloadcf", "-y", "ubb", ok=False), 1,
              "TUXCONFIG is not set")
        ended(app.run("tmunloadcf", ok=False), 1, "TUXCONFIG is not set")


def test_buildserver_names_services_and_functions():
    with Domain() as d:
        app = App(d, SIMPAPP)
        with open(f"{app.home}/names", "w", encoding="utf-8") as f:
            f.write("# of the server\nUP,BIG:TOUPPER\n")
        app.build_simpapp("-k", "-t", "-v", "-o", "simpserv", "-f",
                          "simpserv.c", "-s", "@names", "-s", ":TOUPPER",
                          "-b", "shm", "-l", "-lm")
        equal(len([n for n in os.listdir(app.home)
                   if re.fullmatch(r"BS-\d+\.c", n)]), 1)
        # A function of the table gets a service by the option of the server.
        app.configure(change=lambda text: text.replace(
            '"-A"', '"-A -s TOUPPER:TOUPPER"'))
        app.run("tmboot", "-y")
        shown = app.run("tmadmin", text="psc\n").stdout
        for name in ("UP", "BIG", "TOUPPER"):
            check(re.search(rf"^{name} +TOUPPER ", shown, re.M), shown)
        contains(app.run("simpcl", "a").stdout, "Returned string is: A")
        app.run("tmshutdown", "-y")


def test_resource_managers_that_are_always_there():
    with Domain() as d:
        app = App(d, SIMPAPP)
        for name in ("NULL", "TUXEDO/QM"):
            app.run("buildtms", "-r", name, "-o", "TMS")
            contains(app.run("./TMS", "--version").stdout, "Onewake")
            os.unlink(f"{app.home}/TMS")
        app.build_simpapp("-r", "TUXEDO/QM", "-o", "simpserv", "-f",
                          "simpserv.c", "-s", "TOUPPER")
        app.configure()
        app.run("tmboot", "-y")
        contains(app.run("./simpcl", "x").stdout, "X")
        app.run("tmshutdown", "-y")
        # A file of the user's comes first, and need not have them.
        with open(f"{app.home}/RM", "w", encoding="utf-8") as f:
            f.write("OTHER:tmnull_switch:\nNULL:no_such_switch:\n")
        app.env["NDRX_RMFILE"] = f"{app.home}/RM"
        for name in ("OTHER", "TUXEDO/QM"):
            app.run("buildtms", "-r", name, "-o", "TMS")
        ended(app.run("buildtms", "-r", "NULL", ok=False), 1)
        ended(app.run("buildtms", "-r", "NONE", ok=False), 1, "not in")


def test_what_cannot_be_built_is_said():
    with Domain() as d:
        app = App(d, SIMPAPP)
        for words, code, says in (
                (("-o", "x", "-f", "none.c"), 1, "x was not made"),
                (("-s", "A.B"), 1, "not the name of a function"),
                (("-s", "@none"), 1, "No such file"),
                (("-C",), 1, "COBOL"),
                (("-x",), 2, "usage: buildserver"),
                (("simpserv.c",), 2, "files follow -f")):
            r = app.run("buildserver", *words, ok=False)
            ended(r, code, says)
        r = app.run("buildserver", "-r", "ORACLE", "-o", "simpserv", "-f",
                    "simpserv.c", "-s", "TOUPPER")
        contains(r.stderr, "NDRX_XA_DRIVERLIB names it")
        equal([n for n in os.listdir(app.home) if n.startswith("BS-")], [])
        at_least(os.path.getsize(f"{app.home}/simpserv"), 1000)


def _write(app, name, text):
    with open(f"{app.home}/{name}", "w", encoding="utf-8") as f:
        f.write(text)


DMCONFIG = """*DM_LOCAL
HERE DOMAINID=B GWGRP=GW SECURITY=DM_PW
*DM_REMOTE
THERE DOMAINID=C
*DM_TDOMAIN
HERE NWADDR="//127.0.0.1:4001"
*DM_EXPORT
TOUPPER
*DM_IMPORT
PAY RDOM=THERE TRANTIME=20
"""


def test_dmloadcf_adds_links_before_and_after_tmloadcf():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.env["BDMCONFIG"] = f"{app.home}/bdmconfig"
        _write(app, "dm", DMCONFIG)
        contains(app.run("dmloadcf", "-n", "dm").stdout,
                 "-n 2 -r -t P -i 127.0.0.1 -p 4001")
        ended(app.run("dmloadcf", "-n", "none", ok=False), 1, "No such file")
        ended(app.run("dmloadcf", ok=False), 2, "usage: dmloadcf")
        equal(os.path.exists(app.env["BDMCONFIG"]), False)
        contains(app.run("dmloadcf", "-y", "dm").stderr, "come with the domain")
        app.configure()
        conf = f"{app.home}/tuxconfig.d/conf"
        for _ in range(2):
            with open(f"{conf}/ndrxconfig.xml", encoding="utf-8") as f:
                text = f.read()
            for word in ("<exportsvcs>TOUPPER</exportsvcs>", "-n 2 -r -t P",
                         'IMPORTSVCS">2:PAY</env>'):
                equal(text.count(word), 1, word)
            with open(f"{app.home}/tuxconfig", encoding="utf-8") as f:
                contains(f.read(), "NDRX_NODEID=1\n")
            with open(f"{conf}/import.report", encoding="utf-8") as f:
                text = f.read()
            for word in ("SECURITY=DM_PW: NDRX_CLUSTER_PASSWORD_FILE",
                         "TRANTIME=20: time-outs are those of tpbegin()",
                         "DM_LOCAL HERE: GWGRP=GW: not needed: a link is a tpbridge"):
                contains(text, word)
            contains(app.run("dmloadcf", "dm", text="y\n").stderr,
                     "after tmshutdown and tmboot")
            app.run("dmloadcf", "-y", "-", text=DMCONFIG)
        equal(os.path.exists(app.env["BDMCONFIG"]), True)


def test_a_dmconfig_that_is_wrong_changes_nothing():
    with Domain() as d:
        app = App(d, SIMPAPP)
        app.configure()
        path = f"{app.home}/tuxconfig.d/conf/ndrxconfig.xml"
        with open(path, encoding="utf-8") as f:
            before = f.read()
        _write(app, "dm", DMCONFIG)
        app.run("dmloadcf", "dm", text="n\n", ok=False)
        for old, new, why in (
                ("RDOM=THERE", "RDOM=NOBODY", "10: NOBODY: no entry of"),
                ("HERE DOMAINID=B GWGRP=GW SECURITY=DM_PW\n", "",
                 "DM_LOCAL has no domain")):
            _write(app, "dm", DMCONFIG.replace(old, new))
            ended(app.run("dmloadcf", "-y", "dm", ok=False), 1, why)
        app.run("tmloadcf", "-y", "ubb")
        with open(path, encoding="utf-8") as f:
            equal(f.read(), before)


def test_dmadmin_says_what_is_there():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        r = d.run("dmadmin", text="pd -d BANK\nq\n")
        equal((r.returncode, r.stdout), (0, d.xadmin("pnet").stdout))
        ended(d.run("dmadmin", text="connect\nq\n"), 1, "man ndrxbridge")
        equal(d.run("dmadmin", text="help\nquit\n").returncode, 0)
