# SPDX-License-Identifier: Apache-2.0
"""The data of a request choose the group of servers that serves it."""
import json
import os
from html import escape

from checks import contains, ended, equal, lacks, one_of
from covers import accepts, covers
from fixture import Domain, Row, kill, wait_for

MAINLY = "shm"

FIELDS = """*base 10100
T_LONG 1 long
T_SHORT 2 short
T_TEXT 3 string
T_REAL 4 double
T_CHAR 5 char
T_NONE 6 string
"""


class Routed(Domain):
    """A domain with field tables."""

    def __init__(self, env=None):
        super().__init__(env)
        with open(f"{self.home}/fields", "w", encoding="utf-8") as f:
            f.write(FIELDS)
        self.env.update({"FLDTBLDIR": self.home, "FIELDTBLS": "fields"})

    def ask(self, *lines, env=None):
        """Requests of one process: SERVICE FIELD=VALUE ..."""
        r = self.run("mibcl", env=env, text="".join(n + "\n" for n in lines))
        equal(r.returncode, 0, r.stderr)
        return [Row(json.loads(n)) for n in r.stdout.splitlines()]

    def served_by(self, *lines):
        """Which server serves each request, or its error."""
        return [r.text if r.err == "OK" else r.err for r in self.ask(*lines)]


class Groups(Routed):
    """Group A is server 1, B is 2; 3 is in no group."""

    def who_serves(self, *fields):
        return self.served_by(*(f"SRVID {f}" for f in fields))

    def start(self, ranges, field="T_LONG", type_="LONG", **kw):
        self.boot(*servers(), sections=route(ranges, field, type_), **kw)


def servers():
    return ({"srvid": 1, "sysopt": "-g A", "appopt": "SRVID"},
            {"srvid": 2, "appopt": "SRVID",
             "xml": '<envs><env name="NDRX_RTGRP">B</env></envs>'},
            {"srvid": 3, "appopt": "SRVID ECHO"})


def route(ranges, field="T_LONG", type_="LONG", service="SRVID", name="R"):
    kind = f"<fieldtype>{type_}</fieldtype>" if type_ else ""
    return (f'<services><service svcnm="{service}" routing="{name}"/>'
            f'</services><routing><route routing="{name}"><field>{field}'
            f"</field><ranges>{escape(ranges)}</ranges><buftype>UBF</buftype>"
            f"{kind}</route></routing>")


@covers("services", "service", "svcnm", "routing", "route", "field",
        "ranges")
@accepts("buftype")
def test_ranges_of_numbers_choose_the_group():
    with Groups() as d:
        d.start("MIN--1:A,0:B,1-9:A,10-MAX:B")
        equal(d.who_serves(*(f"T_LONG={n}" for n in
                             (-99999, -1, 0, 1, 9, 10, 2 ** 40))),
              ["1", "1", "2", "1", "1", "2", "2"])


def test_the_first_range_wins_and_bounds_belong_to_it():
    with Groups() as d:
        d.start("1-5:A,5-9:B,-3--2:B")
        equal(d.who_serves("T_LONG=5", "T_LONG=6", "T_LONG=-3", "T_LONG=-2",
                           "T_LONG=-1", "T_LONG=10"),
              ["1", "2", "2", "2", "TPESYSTEM", "TPESYSTEM"])


@covers("fieldtype")
def test_other_types_of_fields():
    for field, type_, ranges, cases in (
            ("T_SHORT", "SHORT", "1-2:A,3:B", {"1": "1", "3": "2"}),
            ("T_REAL", "DOUBLE", "0.5-1.5:A,MIN-MAX:B",
             {"0.5": "1", "1.4999": "1", "1.5000001": "1", "1.51": "2"}),
            ("T_TEXT", "STRING", r"'a b'-'c':A,'it\'s':B",
             {"b": "1", "c": "1", "it's": "2", "ca": "TPESYSTEM"}),
            ("T_TEXT", None, "MIN-m:A,*:B", {"abc": "1", "xyz": "2"}),
            ("T_CHAR", "CHAR", "'x':A,*:B", {"x": "1", "y": "2"}),
            ("T_TEXT", "LONG", "1-9:A,*:B", {"7": "1", "77": "2"})):
        with Groups() as d:
            d.start(ranges, field, type_)
            equal((ranges, d.who_serves(*(f"{field}={v}" for v in cases))),
                  (ranges, list(cases.values())))


def test_a_star_as_group_is_any_server():
    with Groups() as d:
        d.start("1:A,*:*")
        equal(d.who_serves("T_LONG=1"), ["1"])
        one_of(d.who_serves("T_LONG=2")[0], "1", "2", "3")
        d.xadmin("stop", "-y", "-i", 1)
        one_of(d.who_serves("T_LONG=2")[0], "2", "3")
        d.xadmin("stop", "-y", "-i", 3)
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["TPENOENT", "2"])


def test_requests_that_no_range_takes():
    with Groups() as d:
        d.start("1:A,2:NOBODY")
        rows = d.ask("SRVID T_LONG=3", "SRVID T_TEXT=x", "SRVID T_LONG=2",
                     "ECHO T_LONG=3")
        equal([r.err for r in rows],
              ["TPESYSTEM", "TPESYSTEM", "TPENOENT", "OK"])
        c = d.client()
        r = c.call("SRVID", "a string")
        equal(r.err, "TPESYSTEM")
        contains(r.text, "the request is not UBF")
        contains(d.ask("SRVID T_TEXT=x")[0].why, "no field T_LONG")
        contains(d.ask("SRVID T_LONG=3")[0].why, "no range holds")
        contains(d.ask("SRVID T_LONG=2")[0].why, "SRVID@NOBODY is not adv")


def test_the_client_needs_no_field_table_if_ndrxd_has_it():
    with Groups() as d:
        d.start("1:A,2:B")
        c = d.client()
        # TEST_FIELD of testcl is in no table.
        equal(c("call", "SRVID", "-", "UBF:#10").err, "TPESYSTEM")
        equal(d.who_serves("T_LONG=2"), ["2"])


def test_a_reload_changes_routes_at_once():
    with Groups() as d:
        d.start("1:A,2:B")
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["1", "2"])
        for _ in range(3):
            d.configure(*servers(), sections=route("1:B,2:A"))
            d.xadmin("reload")
            equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["2", "1"])
            d.configure(*servers(), sections=route("1:A,2:B"))
            d.xadmin("reload")
            equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["1", "2"])
        d.configure(*servers())
        d.xadmin("reload")
        equal(d.call("SRVID").err, "OK", "not routed any more")
        d.configure(*servers(), sections=route("1:B"))
        d.xadmin("reload")
        equal(d.call("SRVID").err, "TPESYSTEM")


def test_a_client_that_runs_on_sees_the_new_route():
    with Groups() as d:
        d.start("MIN-MAX:A")
        c = d.client()
        equal(c.call("ECHO", "x").data, "x")
        equal(c.call("SRVID").err, "TPESYSTEM", "not UBF")
        d.configure(*servers())
        d.xadmin("reload")
        equal(c.call("SRVID").err, "OK")
        d.configure(*servers(), sections=route("1:B"))
        d.xadmin("reload")
        equal(c.call("SRVID").err, "TPESYSTEM")


def test_routes_survive_ndrxd_and_servers():
    with Groups() as d:
        d.start("1:A,2:B")
        d.kill_ndrxd()
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["1", "2"])
        d.xadmin("idle")
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["1", "2"])
        old = d.pid(2)
        kill(old)
        wait_for(lambda: d.pid(2) not in (0, old), "restarted")
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["1", "2"])


def test_a_damaged_file_of_routes_fails_calls_and_nothing_else():
    with Groups() as d:
        d.start("1:A,2:B")
        path = d.segment("routes")
        for text in "route R\n", "route R 1 T_LONG LONG 1-:A\n", "\0\n":
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            rows = d.ask("SRVID T_LONG=1", "ECHO T_LONG=1")
            equal([r.err for r in rows], ["TPESYSTEM", "OK"])
        os.unlink(path)
        equal(d.who_serves("T_LONG=1"), ["TPESYSTEM"])
        d.xadmin("reload")
        equal(d.who_serves("T_LONG=1"), ["1"])


def test_a_service_and_a_group_are_suspended_apart():
    with Groups() as d:
        d.start("1:A,2:B")
        d.xadmin("suspend", "-s", "SRVID@A")
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["TPENOENT", "2"])
        d.xadmin("suspend", "-s", "SRVID")
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["TPENOENT"] * 2)
        d.xadmin("resume", "-s", "SRVID")
        d.xadmin("resume", "-s", "SRVID@A")
        equal(d.who_serves("T_LONG=1", "T_LONG=2"), ["1", "2"])


def test_services_of_a_group_in_a_server():
    with Routed() as d:
        d.boot({"srvid": 1, "sysopt": "-g A", "appopt": "NAME ADV UNADV"},
               {"srvid": 2, "sysopt": "-g B -G", "appopt": "N2=NAME"})
        names = {r.service for r in d.rows("psc")}
        equal(names, {"NAME", "NAME@A", "ADV", "ADV@A", "UNADV", "UNADV@A",
                      "N2", "N2@B"})
        equal(d.call("NAME@A").data, "NAME")
        equal(d.call("N2@B").data, "N2@B", "-G")
        equal(d.call("ADV", "ECHO").err, "OK")
        equal(d.call("ECHO@A", "x").data, "x")
        equal(d.call("UNADV", "ECHO").err, "OK")
        equal((d.call("ECHO@A", "x").err, d.call("ECHO", "x").err),
              ("TPENOENT", "TPENOENT"))


def test_mistakes_in_the_configuration():
    with Routed() as d:
        for ranges in "1-", "1-2", ":A", "1:A,", "1:ABCDEFGHIJKLMNOP":
            d.configure(*servers(), sections=route(ranges))
            ended(d.xadmin("start", "-y", ok=False), 1, "ranges")
        d.configure(*servers(), sections='<services><service svcnm="SRVID" '
                    'routing="NONE"/></services>')
        d.xadmin("start", "-y")
        contains(d.xadmin("testcfg").stdout, "there is no <route> NONE")
        equal(d.call("SRVID").err, "OK")


def test_what_nobody_could_serve_is_told_before():
    with Routed() as d:
        d.configure(*servers(), sections=route("1-9:A,*:NOBODY").replace(
            "<services>", '<services><service svcnm="ECHO" autotran="Y"/>'))
        out = d.xadmin("testcfg").stdout
        contains(out, "no server is in group NOBODY")
        lacks(out, "group A ")
        contains(out, 'svcnm="ECHO">: autotran: there is no <server '
                 'name="tmsrv">')


# ---- views ----

VIEWS = """VIEW PERSON
long number - 1 - - -1
string name - 2 C 20 -
double rate - 1 - - -
int small - 1 - - -
END

VIEW PAIR
short number - 1 - - -
char flag - 1 - - -
END
"""


class Views(Groups):
    """Routes by members of views."""

    def start(self, ranges, field="number", type_="", **kw):
        with open(f"{self.home}/test.v", "w", encoding="ascii") as f:
            f.write(VIEWS)
        self.env.update({"VIEWDIR": self.home, "VIEWFILES": "test.v"})
        super().start(ranges, field, type_, **kw)

    def by_view(self, *specs):
        c = self.client()
        got = (c("call", "SRVID", "-", f"VIEW/{spec}") for spec in specs)
        return [r.data if r.err == "OK" else r.err for r in got]


def of_views(sections):
    return sections.replace("<buftype>UBF<", "<buftype>VIEW<")


def test_a_member_of_a_view_chooses_the_group():
    for field, type_, ranges, cases in (
            ("number", "", "MIN-0:A,1-9:B,10-MAX:A",
             {"PERSON:number=5": "2", "PERSON:number=0": "1",
              "PERSON:number=99": "1", "PAIR:number=9": "2",
              "PAIR:number=-7": "1"}),
            ("small", "LONG", "3:A,4:B",
             {"PERSON:small=3": "1", "PERSON:small=4": "2",
              "PERSON:small=5": "TPESYSTEM"}),
            ("rate", "", "0.5-1.5:A,*:B",
             {"PERSON:rate=1.5": "1", "PERSON:rate=1.51": "2"}),
            ("name", "", "'Ada'-'Bob':A,*:B",
             {"PERSON:name=Ben": "1", "PERSON:name=Carl": "2"}),
            ("flag", "CHAR", "'x':A,*:B",
             {"PAIR:flag=x": "1", "PAIR:flag=y": "2"})):
        with Views() as d:
            d.start(ranges, field, type_)
            equal(d.by_view(*cases), ["TPESYSTEM"] * len(cases), "of UBF")
            d.configure(*servers(),
                        sections=of_views(route(ranges, field, type_)))
            d.xadmin("reload")
            equal((ranges, d.by_view(*cases)), (ranges, list(cases.values())))


def test_requests_that_a_route_of_views_does_not_take():
    with Views() as d:
        d.start("1:A,*:B")
        d.configure(*servers(), sections=of_views(
            route("1:A,*:B", "name", "")))
        d.xadmin("reload")
        c = d.client()
        for data, why in (("VIEW/PAIR:number=1", "view PAIR has no member"),
                          ("STRING:x", "is not a view known here"),
                          ("UBF:#5", "is not a view known here"),
                          ("-", "is not a view known here")):
            r = c("call", "SRVID", "-", data)
            equal(r.err, "TPESYSTEM")
            contains(r.text, why)


@covers("xadmin prtsvc")
def test_prtsvc_shows_what_is_in_force_of_a_service():
    with Domain() as d:
        servers = {"srvid": 1, "appopt": "ECHO UPPER COUNT"}
        d.boot(servers, sections='<services><service svcnm="ECHO" '
               'routing="R" prio="70" cache="ttl=1s"/><service svcnm="UPPER" '
               'autotran="Y" trantime="45"/></services><routing><route '
               'routing="R"><field>T_LONG</field><ranges>*:*</ranges>'
               "</route></routing>")
        row = {r.service: r for r in d.rows("prtsvc")}
        equal([(r.priority, r.route, r.autotran, r.trantime, r.cached)
               for r in (row["ECHO"], row["UPPER"], row["COUNT"])],
              [(70, "R", False, 0, True), (50, "", True, 45, False),
               (50, "", False, 0, False)])
        words = {w[1]: w[2:] for w in map(str.split, d.xadmin(
            "prtsvc", "-a").stdout.splitlines())}
        equal((words["ECHO"], words["UPPER"]),
              (["70", "R", "N", "0", "rc"], ["50", "-", "Y", "45", "-"]))
        d.xadmin("suspend", "-s", "COUNT")
        equal(d.row("prtsvc", service="COUNT").suspended, True)
        d.configure(servers)
        d.xadmin("reload")
        row = d.row("prtsvc", service="ECHO")
        equal((row.priority, row.route, row.cached), (50, "", False))
