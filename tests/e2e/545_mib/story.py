# SPDX-License-Identifier: Apache-2.0
"""The MIB: administration by buffers, of the library and of tpadmsv."""
import json
import os

from checks import at_least, contains, differs, ended, equal, one_of
from covers import covers
from fixture import BUILD, Domain, Row, kill, wait_for

MAINLY = "posix"
QUEUE_KB = 160

TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../conf/ubftab")
ENV = {"FLDTBLDIR": TABLES, "FIELDTBLS": "Excompat"}
TAOK, TAUPDATED = 0, 1
ADMIN = {"name": "tpadmsv", "srvid": 90, "min": 2, "max": 2}


def _ask(d, *lines):
    """Requests of one process: replies, each value a list."""
    r = d.run("mibcl", env=ENV, text="".join(n + "\n" for n in lines))
    equal(r.returncode, 0, r.stderr)
    rows = [Row(json.loads(n)) for n in r.stdout.splitlines()]
    for row in rows:
        row["reply"] = {k: v if isinstance(v, list) else [v]
                        for k, v in row.reply.items()}
    equal(len(rows), len(lines))
    return rows


def _get(d, class_, *fields, to="adm"):
    """All objects of a class, page by page."""
    get = f"{to} TA_OPERATION=GET TA_CLASS={class_} " + " ".join(fields)
    r = _ask(d, get)[0]
    equal((r.err, r.reply["TA_ERROR"]), ("OK", [TAOK]))
    pages = 1 + r.reply["TA_MORE"][0] if r.reply["TA_MORE"][0] else 1
    rows = _ask(d, get, *[f"{to} TA_OPERATION=GETNEXT TA_CLASS={class_} "
                          "TA_CURSOR=@"] * (pages - 1))
    found = []
    for row in rows:
        if row.reply.get("TA_ERROR") != [TAOK]:
            break
        n = row.reply["TA_OCCURS"][0]
        names = [k for k in row.reply if len(row.reply[k]) == n and k not in
                 ("TA_ERROR", "TA_CLASS", "TA_OCCURS", "TA_MORE", "TA_CURSOR")]
        found += [Row({k: row.reply[k][i] for k in names}) for i in range(n)]
        if row.reply["TA_MORE"] == [0]:
            break
    return found


def _set(d, *fields, to="adm"):
    return _ask(d, f"{to} TA_OPERATION=SET " + " ".join(fields))[0]


def test_each_class_has_its_objects():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO FAIL",
                "procgrp": "G"},
               {"srvid": 9, "min": 0, "appopt": "ECHO"}, ADMIN,
               sections='<procgroups><procgroup name="G" grpno="1"/>'
               "</procgroups>")
        c = d.client()
        for _ in range(3):
            c.call("ECHO", "x")
            c.call("FAIL", "x")
        for to in "adm", ".TMIB":
            services = {r.TA_SERVICENAME: r.TA_STATE
                        for r in _get(d, "T_SERVICE", to=to)}
            equal((services["ECHO"], services[".TMIB"]), ("ACT", "ACT"))
            servers = {r.TA_SRVID: r for r in _get(d, "T_SERVER", to=to)}
            equal(sorted(servers), [1, 2, 90, 91])
            equal((servers[1].TA_STATE, servers[1].TA_PID,
                   servers[1].TA_SERVERNAME, servers[1].TA_SRVGRP),
                  ("ACT", d.pid(1), "testsv", "G"))
            contains(servers[1].TA_CLOPT, "ECHO FAIL")
            rows = [r for r in _get(d, "T_SVCGRP", to=to)
                    if r.TA_SERVICENAME in ("ECHO", "FAIL")]
            equal(sorted((r.TA_SERVICENAME, r.TA_SRVID) for r in rows),
                  [("ECHO", 1), ("ECHO", 2), ("FAIL", 1), ("FAIL", 2)])
            equal(sum(r.TA_TOTSUCCNUM for r in rows), 3)
            equal(sum(r.TA_TOTSFAILNUM for r in rows), 3)
            equal(sum(r.TA_NCOMPLETED for r in rows), 6)
            one = _get(d, "T_DOMAIN", to=to)[0]
            equal((one.TA_DOMAINID, one.TA_STATE, one.TA_CURSERVERS),
                  (d.prefix, "ACT", 4))
            equal(_get(d, "T_MACHINE", to=to)[0].TA_LMID, "1")
            queues = {r.TA_RQADDR: r for r in _get(d, "T_QUEUE", to=to)}
            equal(queues[f"{d.prefix},svc,ECHO"].TA_NQUEUED, 0)
            clients = {r.TA_PID: r for r in _get(d, "T_CLIENT", to=to)}
            equal(clients[c.pid].TA_CLTNAME, "testcl")
            contains(clients[c.pid].TA_CLIENTID, f"clt,testcl,{c.pid},")


def test_groups_have_numbers_and_clients_users():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO", "procgrp": "G"},
               {"srvid": 2, "appopt": "ECHO", "procgrp": "H"},
               {"srvid": 3, "appopt": "ECHO", "procgrp": "G"}, ADMIN,
               sections='<procgroups><procgroup name="G" grpno="7"/>'
               '<procgroup name="H" grpno="3"/></procgroups>')
        d.xadmin("stop", "-i", "2")
        for to in "adm", ".TMIB":
            equal(sorted((r.TA_SRVGRP, r.TA_GRPNO, r.TA_STATE, r.TA_LMID,
                          r.TA_CURLMID) for r in _get(d, "T_GROUP", to=to)),
                  [("G", 7, "ACT", "1", "1"), ("H", 3, "INA", "1", "1")])
        equal({r.TA_SRVID: r.TA_GRPNO for r in _get(d, "T_SERVER")},
              {1: 7, 2: 3, 3: 7, 90: 0, 91: 0})
        equal(len(_get(d, "T_GROUP", "TA_GRPNO=7")), 1)
        r = _ask(d, "adm TA_OPERATION=SET TA_CLASS=T_GROUP TA_SRVGRP=G "
                 "TA_STATE=INA")[0]
        equal((r.err, r.reply["TA_STATUS"]),
              ("TPEMIB", ["objects of T_GROUP cannot be set"]))
        c = d.client(NDRX_COMPAT="strict-tuxedo")
        equal(c("login", "anna", "any").err, "OK")
        equal(c.call("ECHO", "x").data, "x")
        users = {r.TA_PID: r.TA_USRNAME for r in _get(d, "T_CLIENT")}
        equal(users[c.pid], "anna")


def _counters(d):
    names = ("REQ", "POST", "TRAN", "TRANABT", "TRANCMT", "ENQUEUE",
             "DEQUEUE")
    row, = _get(d, "T_MACHINE", "TA_FLAGS=1")
    return [row[f"TA_NUM{n}"] for n in names]


def test_a_machine_counts_what_its_programs_do():
    with Domain() as d:
        env = {"NDRX_XA_RES_ID": "5",
               "NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"',
               "NDRX_XA_DRIVERLIB": f"{BUILD}/lib/libndrxxaqdisk.so"}
        d.server(5, binary="tmsrv", env=env)
        with open(f"{d.home}/q.conf", "w", encoding="utf-8") as f:
            f.write("@\n")
        d.server(80, "-m", "S", "-q", f"{d.home}/q.conf", binary="tmqueue",
                 env=env)
        d.server(81, binary="tpevsrv")
        d.server(1, "ECHO", "FAIL")
        before = _counters(d)
        equal(before, [0] * 7, "what the runtime says to itself")
        c = d.client()
        for svc, err in (*[("ECHO", "OK")] * 7, ("FAIL", "TPESVCFAIL"),
                         ("NOSUCH", "TPENOENT")):
            equal(c.call(svc, "x").err, err)
        for _ in range(3):
            equal(c("post", "NEWS", "-", "STRING:x").err, "OK")
        for end in ("commit", "abort", "commit", "abort", "commit"):
            equal((c("tx", "begin").err, c("tx", end).err), ("OK", "OK"))
        for _ in range(5):
            equal(c("enq", "S", "Q", "-", "-", "STRING:x").err, "OK")
        for err in ("OK", "OK", "OK", "OK", "OK", "TPEDIAGNOSTIC"):
            equal(c("deq", "S", "Q", "-", "-").err, err)
        equal(_counters(d), [8, 3, 5, 2, 3, 5, 5])
        c.kill()
        for _ in range(20):  # of many contexts, which end
            equal(d.client().call("ECHO", "x").err, "OK")
            d.close_clients()
        equal(_counters(d), [28, 3, 5, 2, 3, 5, 5], "of the dead, too")


def test_requests_that_wait_are_counted():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "SLEEP"})
        one, two, go = d.client(), d.client(), f"{d.home}/go"
        one.begin("call", "SLEEP", "-", f"STRING:{go}")
        wait_for(lambda: d.row("psc", service="SLEEP").status == "BUSY",
                 "at work")
        two.begin("call", "SLEEP", "-", "STRING:0")
        wait_for(lambda: [r.TA_NQUEUED for r in _get(
            d, "T_QUEUE", f"TA_RQADDR={d.prefix},svc,SLEEP")] == [1],
            "it waits")
        open(go, "w", encoding="ascii").close()
        equal((one.end().err, two.end().err), ("OK", "OK"))


def test_pages_of_many_objects():
    with Domain(env={"NDRX_MSGMAX": "2"}) as d:
        d.boot({"srvid": 1, "appopt": "many=120 ECHO"}, ADMIN)
        want = sorted(["ECHO"] + [f"MANY{i}" for i in range(120)])
        for to in "adm", ".TMIB", ".TMIB-1", ".TMIB-1-91":
            rows = _get(d, "T_SVCGRP", "TA_SRVID=1", to=to)
            equal(sorted(r.TA_SERVICENAME for r in rows), want)
            r = _ask(d, f"{to} TA_OPERATION=GET TA_CLASS=T_SVCGRP")[0]
            at_least(r.reply["TA_MORE"][0], 1)
            contains(r.reply["TA_CURSOR"][0], ".TMIB-1-")
        rows = _get(d, "T_SERVICE", "TA_FILTER=TA_SERVICENAME",
                    "TA_SERVICENAME=MANY7", "TA_SERVICENAME=MANY8")
        equal(sorted(tuple(r.items()) for r in rows),
              [(("TA_SERVICENAME", "MANY7"),), (("TA_SERVICENAME", "MANY8"),)])


def test_a_cursor_whose_server_has_died_is_unknown():
    with Domain(env={"NDRX_MSGMAX": "2"}) as d:
        d.boot({"srvid": 1, "appopt": "many=100"},
               {"name": "tpadmsv", "srvid": 90})
        first = _ask(d, ".TMIB TA_OPERATION=GET TA_CLASS=T_SERVICE")[0]
        cursor = first.reply["TA_CURSOR"][0]
        old = d.pid(90)
        kill(old)
        wait_for(lambda: d.pid(90) not in (0, old), "restarted")
        r = _ask(d, f".TMIB TA_OPERATION=GETNEXT TA_CURSOR={cursor}")[0]
        equal((r.err, r.reply["TA_ERROR"]), ("TPESVCFAIL", [-3]))
        contains(r.reply["TA_STATUS"][0], "not known, or too old")
        dead = cursor.replace("-90_", "-77_")
        r = _ask(d, f".TMIB TA_OPERATION=GETNEXT TA_CURSOR={dead}")[0]
        equal(r.reply["TA_ERROR"], [-3], "of a server that never was")


def test_servers_are_started_and_stopped():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, ADMIN)
        for to in "adm", ".TMIB":
            key = ("TA_CLASS=T_SERVER", "TA_SRVID=1")
            old = d.pid(1)
            r = _set(d, *key, "TA_STATE=INA", to=to)
            equal((r.err, r.reply["TA_ERROR"]), ("OK", [TAUPDATED]))
            equal(d.call("ECHO", "x").err, "TPENOENT")
            equal(_get(d, "T_SERVER", "TA_SRVID=1", to=to)[0].TA_STATE,
                  "INA")
            r = _set(d, *key, "TA_STATE=ACTive", to=to)
            equal(r.reply["TA_ERROR"], [TAUPDATED])
            equal(d.call("ECHO", "x").data, "x")
            differs(d.pid(1), old)
            r = _set(d, *key, "TA_STATE=ACT", to=to)
            equal(r.reply["TA_ERROR"], [TAOK], "it runs already")
            r = _set(d, *key, "TA_STATE=DEA", to=to)
            equal(r.reply["TA_ERROR"], [TAUPDATED])
            r = _set(d, *key, "TA_STATE=ACT", to=to)
            equal(r.reply["TA_ERROR"], [TAUPDATED])
        contains(d.xadmin("events").stdout, "mibcl")


def test_services_are_suspended_and_resumed():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}, ADMIN)
        for class_ in "T_SERVICE", "T_SVCGRP":
            for to in "adm", ".TMIB":
                key = (f"TA_CLASS={class_}", "TA_SERVICENAME=ECHO")
                r = _set(d, *key, "TA_STATE=SUSpended", to=to)
                equal(r.reply["TA_ERROR"], [TAUPDATED])
                equal(d.call("ECHO", "x").err, "TPENOENT")
                equal({r.TA_STATE for r in _get(
                    d, class_, "TA_SERVICENAME=ECHO", to=to)}, {"SUS"})
                r = _set(d, *key, "TA_STATE=SUS", to=to)
                equal(r.reply["TA_ERROR"], [TAOK])
                r = _set(d, *key, "TA_STATE=ACT", to=to)
                equal(r.reply["TA_ERROR"], [TAUPDATED])
                equal(d.call("ECHO", "x").data, "x")


def test_one_server_offers_a_service_no_more():
    with Domain() as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "SRVID"}, ADMIN)
        key = ("TA_CLASS=T_SVCGRP", "TA_SERVICENAME=SRVID", "TA_SRVID=1")
        equal(_set(d, *key, "TA_STATE=INA").reply["TA_ERROR"], [TAUPDATED])
        equal({d.call("SRVID").data for _ in range(10)}, {"2"})
        equal(_set(d, *key, "TA_STATE=INA").reply["TA_ERROR"], [TAOK])
        equal(_set(d, *key, "TA_STATE=ACT",
                   to=".TMIB").reply["TA_ERROR"], [TAUPDATED])
        equal(d.row("psvc", service="SRVID").servers, 2)


def test_errors():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"}, ADMIN)
        for line, error, field in (
                ("TA_CLASS=T_SERVER", -9, "TA_OPERATION"),
                ("TA_OPERATION=GET", -9, "TA_CLASS"),
                ("TA_OPERATION=GET TA_CLASS=T_X", -3, "TA_CLASS"),
                ("TA_OPERATION=GETNEXT TA_CLASS=T_SERVER", -9, "TA_CURSOR"),
                ("TA_OPERATION=SET TA_CLASS=T_DOMAIN", -10, "TA_CLASS"),
                ("TA_OPERATION=SET TA_CLASS=T_SERVER TA_STATE=ACT", -9,
                 "TA_SRVID"),
                ("TA_OPERATION=SET TA_CLASS=T_SERVER TA_STATE=ACT "
                 "TA_SRVID=777", -11, None),
                ("TA_OPERATION=SET TA_CLASS=T_SERVICE TA_STATE=SUS "
                 "TA_SERVICENAME=.TMIB", -11, None)):
            adm, svc = _ask(d, f"adm {line}", f".TMIB {line}")
            equal((line, adm.err, svc.err), (line, "TPEMIB", "TPESVCFAIL"))
            for r in adm, svc:
                equal((line, r.reply["TA_ERROR"]), (line, [error]))
                equal("TA_BADFLD" in r.reply, field is not None)
                at_least(len(r.reply["TA_STATUS"][0]), 5)
        r = _ask(d, ".TMIB-1-90 TA_OPERATION=SET TA_CLASS=T_SERVER "
                 "TA_STATE=INA TA_SRVID=90")[0]
        equal(r.reply["TA_ERROR"], [-10], "itself")
        d.kill_ndrxd()
        r = _set(d, "TA_CLASS=T_SERVER", "TA_SRVID=1", "TA_STATE=INA")
        equal((r.err, r.reply["TA_ERROR"]), ("TPEMIB", [-11]))
        equal(len(_get(d, "T_SERVER")), 3, "GET needs no ndrxd")
        d.xadmin("idle")


def test_without_a_domain():
    with Domain() as d:
        r = _ask(d, "adm TA_OPERATION=GET TA_CLASS=T_DOMAIN")[0]
        equal(r.err, "TPENOENT")


def test_with_strict_tuxedo_tmib_is_there_without_a_server():
    with Domain() as d:
        d.server(1, "ECHO")
        get = ".TMIB TA_OPERATION=GET TA_CLASS=T_SERVER"
        equal(_ask(d, get)[0].err, "TPENOENT")
        d.env["NDRX_COMPAT"] = "strict-tuxedo"
        equal([r.TA_SRVID for r in _get(d, "T_SERVER", to=".TMIB")], [1])
        r = _ask(d, ".TMIB TA_OPERATION=GET TA_CLASS=T_NOSUCH")[0]
        equal(r.err, "TPESVCFAIL")
        at_least(-1, r.reply["TA_ERROR"][0])
        equal(r.urcode, r.reply["TA_ERROR"][0])


def test_arguments_of_tpadmcall():
    with Domain() as d:
        d.server(1, "ECHO")
        r = _ask(d, "abuse")[0]
        equal((r.ret, r.err), (0, "TPEINVAL " * 5 + "0"))


@covers("xadmin mibget")
def test_mibget_lists_the_same_objects():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO UPPER"}, ADMIN)
        for class_ in ("T_DOMAIN", "T_GROUP", "T_MACHINE", "T_QUEUE",
                       "T_SERVER", "T_SERVICE", "T_SVCGRP"):
            rows = json.loads(d.xadmin("mibget", "-c", class_,
                                       "--json").stdout)
            equal(sorted(map(sorted, rows)),
                  sorted(sorted(r) for r in _get(d, class_)))
        lines = d.xadmin("mibget", "-c", "T_SERVICE", "-m").stdout
        contains(lines, "TA_LMID=1|TA_SERVICENAME=ECHO|TA_STATE=ACT\n")
        contains(d.xadmin("mibget", "-c", "T_SERVER").stdout, "testsv")
        ended(d.xadmin("mibget", "-c", "T_X", ok=False), 2, "T_SVCGRP")
        ended(d.xadmin("mibget", ok=False), 2, "-c CLASS")
        one_of(len(json.loads(d.xadmin("mibget", "-c", "T_CLIENT",
                                       "--json").stdout)), 0, 1)
