# SPDX-License-Identifier: Apache-2.0
"""Replies of services are kept, and given to the next callers."""
from checks import at_least, contains, ended, equal
from covers import covers
from fixture import Domain, kill, wait_for
from trans import Trans

MAINLY = "posix"

FIELDS = """*base 10100
T_LONG 1 long
T_SHORT 2 short
T_TEXT 3 string
T_INNER 4 ubf
"""


def services(**rows):
    """<services>; NAME="value of cache"."""
    return ("<services>" + "".join(
        f'<service svcnm="{name}" cache="{value}"/>'
        for name, value in rows.items()) + "</services>")


class Cached(Domain):
    """One server, whose COUNT tells how many requests it has served."""

    def start(self, *more, served="ECHO COUNT FAIL CALLON", **rows):
        with open(f"{self.home}/fields", "w", encoding="utf-8") as f:
            f.write(FIELDS)
        self.env.update({"FLDTBLDIR": self.home, "FIELDTBLS": "fields"})
        self.servers = [{"srvid": 1, "appopt": served}, *more]
        self.boot(*self.servers, sections=services(**rows))

    def reconfigure(self, **rows):
        self.configure(*self.servers, sections=services(**rows))
        self.xadmin("reload")

    def served(self):
        return self.call("COUNT").urcode

    def cached(self, name="ECHO"):
        return self.row("cacheshow", service=name)

    def echo(self, text, flags="-", client=None):
        """The text, by a call that is served or not."""
        r = client.call("ECHO", text, flags) if client else \
            self.call("ECHO", text, flags)
        equal((r.err, r.data), ("OK", text))
        return r


@covers("cache", "xadmin cacheshow")
def test_the_same_request_is_served_once():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        first = d.echo("x")
        equal(d.served(), 1)
        other = d.client()
        for c in (None, other, d.client()):
            r = d.echo("x", client=c)
            equal((r.urcode, r.type), (first.urcode, first.type))
        equal(d.served(), 1)
        d.echo("y")
        d.echo("y", client=other)
        d.echo("", client=other)
        equal(d.served(), 3)
        row = d.cached()
        equal((row.hits, row.misses, row.kept, row.unfit), (4, 3, 3, 0))
        equal((row.ttl_ms, row.key, row.drop), (3600000, "", ""))
        contains(d.xadmin("cs").stdout, "ECHO")


def test_replies_of_all_sizes_and_types():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        c = d.client()
        for data in ("STRING:", "STRING:abc", "CARRAY:#0", "CARRAY:#1",
                     "CARRAY:#200", "CARRAY:#8193", "CARRAY:#60000",
                     "UBF:#10", "UBF:#20000", "JSON:{}", "-"):
            n = d.served()
            one = c("call", "ECHO", "-", data)
            two = c("call", "ECHO", "-", data)
            for name in ("err", "data", "len", "type", "urcode"):
                equal(one.get(name), two.get(name), f"{data}: {name}")
            equal(one.err, "OK")
            equal(d.served(), n + 1, data)
        # The keys have 65,536 bytes at most.
        for _ in range(2):
            equal(c("call", "ECHO", "-", "CARRAY:#70000").err, "OK")
        equal(d.served(), n + 3)
        equal(d.cached().unfit, 2)


def test_the_type_of_the_reply_is_checked_as_always():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        c = d.client()
        for _ in range(2):
            equal(c("callto", "CARRAY", "ECHO", "TPNOCHANGE", "STRING:x").err, "TPEOTYPE")
        equal(d.served(), 1)


def test_a_reply_is_given_until_its_time_has_passed():
    with Cached() as d:
        d.start(ECHO="ttl=400ms")
        d.echo("x")
        equal(d.served(), 1)

        def served_again():
            d.echo("x")
            return d.served() == 2
        wait_for(served_again, "the reply is too old")
        at_least(d.cached().misses, 2)


def test_fields_of_the_request_are_the_key():
    with Cached() as d:
        d.start(served="SRVID COUNT ECHO",
                SRVID="ttl=1h key=T_LONG+T_TEXT")

        def ask(fields, **env):
            r = d.run("mibcl", env=env, text=f"SRVID {fields}\n")
            equal(r.returncode, 0, r.stderr)
            contains(r.stdout, '"err": "OK"')
            row = d.cached("SRVID")
            return row.hits, row.misses, row.unfit
        equal(ask("T_LONG=1 T_TEXT=a"), (0, 1, 0))
        equal(ask("T_LONG=1 T_TEXT=a T_SHORT=5"), (1, 1, 0))
        equal(ask("T_SHORT=6 T_TEXT=a T_LONG=1"), (2, 1, 0))
        equal(ask("T_LONG=1 T_TEXT=b"), (2, 2, 0))
        equal(ask("T_LONG=1"), (2, 3, 0))
        equal(ask("T_TEXT=a"), (2, 4, 0))
        equal(ask("T_LONG=1 T_TEXT=a T_TEXT=a"), (2, 5, 0))
        equal(ask("T_LONG=1 T_TEXT=a T_TEXT=a"), (3, 5, 0))
        # A request of another type has no key, nor has one to a field that
        # the caller does not know.
        equal(d.call("SRVID", "text").err, "OK")
        equal(d.cached("SRVID").unfit, 1)
        d.reconfigure(SRVID="ttl=1h key=T_INNER")
        equal(ask("T_LONG=1")[2], 2)
        d.reconfigure(SRVID="ttl=1h key=T_NOSUCH")
        equal(ask("T_LONG=1")[2], 3)


def test_what_failed_is_not_kept():
    with Cached() as d:
        d.start(served="FAIL COUNT SLEEP", FAIL="ttl=1h", SLEEP="ttl=1h")
        for _ in range(3):
            equal(d.call("FAIL", "x").err, "TPESVCFAIL")
        row = d.cached("FAIL")
        equal((row.hits, row.misses, row.kept), (0, 3, 0))
        c = d.client()
        c("tout", 1)
        equal(c.call("SLEEP", "3000").err, "TPETIME")
        equal(d.cached("SLEEP").kept, 0)


def test_flags_of_a_call():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        d.echo("x", "TPNOCACHEADD")
        d.echo("x")
        equal(d.served(), 2, "the first was not kept")
        d.echo("x", "TPNOCACHELOOK")
        equal(d.served(), 3, "not looked for")
        d.echo("x", "TPNOCACHEDDATA")
        equal(d.served(), 4)
        d.echo("x")
        equal(d.served(), 4)
        equal(d.cached().hits, 1)


def test_forwarded_and_unanswered_requests_are_served():
    with Cached() as d:
        d.start(served="ECHO COUNT CALLON FORWARD", ECHO="ttl=1h")
        d.echo("x")
        c = d.client()
        equal(c("acall", "ECHO", "TPNOREPLY", "STRING:x").err, "OK")
        wait_for(lambda: d.served() == 2, "served")
        equal(d.call("FORWARD", "ECHO x").data, "x")
        equal(d.served(), 3)
        equal(d.cached().hits, 0)


def _acall(c, text, flags="-"):
    r = c("acall", "ECHO", flags, f"STRING:{text}")
    equal(r.err, "OK", r.text)
    return r.ret


def test_tpacall_gets_kept_replies_and_leaves_some():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        c = d.client()
        first = d.echo("a")
        for flags in ("-", "TPNOBLOCK"):
            cd = _acall(c, "a")
            r = c("getrply", cd, flags)
            equal((r.err, r.data, r.urcode), ("OK", "a", first.urcode))
            equal(c("getrply", cd, "-").err, "TPEBADDESC")
        equal(d.served(), 1)
        for _ in range(2):
            equal(c("getrply", _acall(c, "b"), "-").data, "b")
        d.echo("b")
        equal(d.served(), 2)
        row = d.cached()
        equal((row.hits, row.misses, row.kept), (4, 2, 2))


def test_calls_that_are_out_together_get_each_its_reply():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        c = d.client()
        d.echo("k0")
        texts = [f"k{i % 7}" for i in range(40)]
        cds = {_acall(c, text): text for text in texts}
        equal(len(cds), 40, "descriptors")
        for _ in texts:
            r = c("getrply", 0, "TPGETANY")
            equal((r.err, r.data), ("OK", cds.pop(r.ret)))
        equal(d.cached().hits, 6, "of k0")
        n = d.served()
        for i in range(7):
            equal(c("getrply", _acall(c, f"k{i}"), "-").data, f"k{i}")
        equal(d.served(), n)


def test_flags_of_tpacall_and_calls_that_are_cancelled():
    with Cached() as d:
        d.start(ECHO="ttl=1h", FAIL="ttl=1h")
        c = d.client()
        for flags, n in (("TPNOCACHEADD", 1), ("-", 2), ("TPNOCACHELOOK", 3),
                         ("TPNOCACHEDDATA", 4), ("-", 4)):
            equal(c("getrply", _acall(c, "x", flags), "-").data, "x")
            equal(d.served(), n, flags)
        equal(c("cancel", _acall(c, "x")).err, "OK", "kept")
        equal(c("cancel", _acall(c, "y")).err, "OK", "under way")
        wait_for(lambda: d.served() == 5, "served")
        d.echo("y")
        equal(d.served(), 6, "nobody has fetched the reply")
        cd = c("acall", "FAIL", "-", "STRING:x").ret
        equal(c("getrply", cd, "-").err, "TPESVCFAIL")
        equal(d.cached("FAIL").kept, 0)


def test_a_drop_counts_for_replies_that_are_not_fetched():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        c = d.client()
        cd = _acall(c, "x")
        wait_for(lambda: d.served() == 1, "served")
        d.xadmin("ci", "-s", "ECHO")
        equal(c("getrply", cd, "-").data, "x")
        d.echo("x")
        equal(d.served(), 2, "the reply was older than the drop")


def test_an_event_drops_what_is_kept():
    with Cached() as d:
        d.start({"name": "tpevsrv", "srvid": 9}, ECHO="ttl=1h drop=CHANGED",
                COUNTED="ttl=1h")
        c = d.client()
        for n in range(1, 6):
            d.echo("x")
            d.echo("x")
            equal(d.served(), n)
            equal(c("post", "ELSE", "-", "-").err, "OK")
            d.echo("x")
            equal(d.served(), n)
            equal(c("post", "CHANGED", "-", "-").err, "OK")
        row = d.cached()
        equal((row.drops, row.hits, row.drop), (5, 10, "CHANGED"))
        equal(d.cached("COUNTED").drops, 0)


@covers("xadmin cacheinval")
def test_an_operator_drops_what_is_kept():
    with Cached() as d:
        d.start(ECHO="ttl=1h", FAIL="ttl=1h")
        d.echo("x")
        d.xadmin("cacheinval", "-s", "FAIL")
        d.echo("x")
        equal(d.served(), 1)
        d.xadmin("cacheinval", "-s", "ECHO")
        d.echo("x")
        equal(d.served(), 2)
        contains(d.xadmin("ci", "-a").stdout, "of 2 services")
        d.echo("x")
        equal(d.served(), 3)
        ended(d.xadmin("ci", "-s", "COUNT", ok=False), 1, "is not cached")
        ended(d.xadmin("ci", ok=False), 2, "-s SVC or -a")
        contains(d.xadmin("events").stdout, "cacheinval ECHO")


def test_a_reload_begins_ends_and_changes_it():
    with Cached() as d:
        d.start()
        d.echo("x")
        d.echo("x")
        equal(d.served(), 2)
        equal(d.rows("cacheshow"), [])
        d.reconfigure(ECHO="ttl=1h")
        d.echo("x")
        d.echo("x")
        equal(d.served(), 3)
        d.xadmin("reload")
        d.echo("x")
        equal(d.served(), 3, "nothing has changed")
        d.reconfigure(ECHO="ttl=2h")
        d.echo("x")
        d.echo("x")
        equal(d.served(), 4)
        d.reconfigure(ECHO="none")
        d.echo("x")
        equal(d.served(), 5)
        equal(d.cached().ttl_ms, 0)
        contains(d.xadmin("cs").stdout, "off")
        d.reconfigure(ECHO="ttl=2h")
        d.echo("x")
        equal(d.served(), 6)


def test_a_service_without_servers_or_suspended_has_no_cache():
    with Cached() as d:
        d.start({"srvid": 2, "appopt": "UPPER"}, ECHO="ttl=1h",
                UPPER="ttl=1h")
        d.echo("x")
        d.xadmin("suspend", "-s", "ECHO")
        equal(d.call("ECHO", "x").err, "TPENOENT")
        d.xadmin("resume", "-s", "ECHO")
        d.echo("x")
        equal(d.served(), 1)
        equal(d.call("UPPER", "a").data, "A")
        d.xadmin("stop", "-y", "-i", 2)
        equal(d.call("UPPER", "a").err, "TPENOENT")
        d.xadmin("start", "-y", "-i", 2)
        equal(d.call("UPPER", "a").data, "A")
        equal(d.cached("UPPER").hits, 1)


def test_no_kept_reply_passes_a_list_of_callers():
    with Cached() as d:
        d.start({"srvid": 2, "appopt": "SAFE=ECHO"}, ECHO="ttl=1h",
                SAFE="ttl=1h")
        equal(d.call("SAFE", "secret").data, "secret")
        equal(d.call("SAFE", "secret").data, "secret")
        equal(d.cached("SAFE").hits, 1)
        d.configure(*d.servers, sections='<services><service svcnm="SAFE" '
                    'cache="ttl=1h" acl="none"/><service svcnm="ECHO" '
                    'cache="ttl=1h"/></services>')
        d.xadmin("reload")
        equal(d.call("SAFE", "secret").err, "TPEPERM")
        n = d.served()
        d.echo("x")
        d.echo("x")
        equal(d.served(), n + 2, "no cache where there are lists")
        d.reconfigure(ECHO="ttl=1h", SAFE="ttl=1h")
        d.echo("x")
        d.echo("x")
        equal(d.served(), n + 3)


def test_servers_and_ndrxd_may_die():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        d.echo("x")
        old = d.pid(1)
        kill(old)
        wait_for(lambda: d.pid(1) not in (0, old), "restarted")
        d.echo("x")
        equal(d.served(), 0, "the new server has served nothing")
        d.kill_ndrxd()
        d.echo("x")
        equal(d.served(), 0)
        d.xadmin("idle")
        d.echo("x")
        equal(d.served(), 0)
        d.xadmin("ci", "-a")
        d.echo("x")
        equal(d.served(), 1)


def test_a_domain_that_starts_again_begins_without():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        d.echo("x")
        d.echo("x")
        d.xadmin("stop", "-y")
        d.xadmin("start", "-y")
        d.echo("x")
        equal(d.served(), 1)
        row = d.cached()
        equal((row.hits, row.misses), (0, 1))


def test_killed_callers_leave_no_wrong_reply():
    with Cached() as d:
        d.start(served="ECHO COUNT", ECHO="ttl=1h")
        for n in range(8):
            loud = [d.client() for _ in range(3)]
            for c in loud:
                c.begin("calls", "ECHO", 0, 1, 60000, "/none", 0)
            before = d.cached().misses
            wait_for(lambda b=before: d.cached().misses > b, "they call")
            for c in loud:
                c.kill()
            d.clients = [c for c in d.clients if c not in loud]
            d.echo(f"x{n}")
            d.echo(f"x{n}")
            equal(d.cached().hits >= n + 1, True)


def test_listings_and_metrics_show_it():
    with Cached() as d:
        d.start(ECHO="ttl=1h")
        for _ in range(5):
            d.echo("x")
        for command in ("psc", "psvc"):
            row = d.row(command, service="ECHO")
            equal((row.cache_hits, row.cache_misses), (4, 1), command)
        equal("cache_hits" in d.row("psvc", service="COUNT"), False)
        top = d.run("ndrxtop", "-b", "-d", "0.1", "-w", "220").stdout
        titles, echo, count = (
            next(line.split() for line in top.splitlines()
                 if line.startswith(word))
            for word in ("SERVICE", "ECHO", "COUNT"))
        equal(titles[-3:], ["HIT/S", "HITS", "MISSES"])
        equal((echo[-2:], count[-2:]), (["4", "1"], ["-", "-"]))
        text = d.run("ndrxmetrics", "-1").stdout
        contains(text, 'onewake_service_cache_hits_total{service="ECHO"} 4')
        contains(text, 'onewake_service_cache_misses_total{service="ECHO"} 1')


def test_wrong_settings_are_refused():
    with Cached() as d:
        d.start()
        for wrong, why in (("ttl=0", "ttl: give a time"),
                           ("key=A", "ttl=TIME is missing"),
                           ("ttl=5 key=A-B", "key: give FIELD"),
                           ("ttl=5 x=1", "give ttl=TIME")):
            d.configure(*d.servers, sections=services(ECHO=wrong))
            contains(d.xadmin("testcfg", ok=False).stderr +
                     d.xadmin("testcfg", ok=False).stdout, why)
            equal(d.xadmin("reload", ok=False).returncode, 1)


def test_calls_in_a_transaction_are_served():
    with Trans() as t:
        t.boot({"srvid": 1, "appopt": "ECHO COUNT"},
               sections=services(ECHO="ttl=1h"))
        t.tm(1)
        c = t.xaclient(1)
        equal(t.call("ECHO", "x").data, "x")
        equal(t.call("ECHO", "x").data, "x")
        equal(t.call("COUNT").urcode, 1)
        c.ok("begin", 20)
        for _ in range(2):
            c.ok("call", "-", "ECHO", "x")
        c.ok("commit")
        equal(t.call("COUNT").urcode, 3)
        row = t.row("cacheshow", service="ECHO")
        equal((row.hits, row.misses, row.kept), (1, 1, 1))


def test_a_routed_service_may_be_cached():
    with Cached() as d:
        with open(f"{d.home}/fields", "w", encoding="utf-8") as f:
            f.write(FIELDS)
        d.env.update({"FLDTBLDIR": d.home, "FIELDTBLS": "fields"})
        d.boot({"srvid": 1, "sysopt": "-g A", "appopt": "SRVID"},
               {"srvid": 2, "sysopt": "-g B", "appopt": "SRVID"},
               sections='<services><service svcnm="SRVID" routing="R" '
               'cache="ttl=1h key=T_LONG"/></services><routing><route '
               'routing="R"><field>T_LONG</field><ranges>1:A,2:B</ranges>'
               "</route></routing>")
        for _ in range(2):
            for n in ("1", "2"):
                r = d.run("mibcl", text=f"SRVID T_LONG={n}\n")
                contains(r.stdout, f'"text": "{n}"')
        row = d.cached("SRVID")
        equal((row.hits, row.misses), (2, 2))
