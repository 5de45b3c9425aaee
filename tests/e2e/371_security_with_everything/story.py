# SPDX-License-Identifier: Apache-2.0
"""Whatever the domain demands of its callers, its own parts work together.

A matrix: each row is one small fact (a call, an event, a queue, a commit), each
column what <security> and the lists demand. Two nodes are booted once; a reload
changes the column.
"""
import json
import os

from checks import contains, equal, lacks
from cluster import BRIDGE, Cluster
from fixture import BUILD, Domain, Row, wait_for
from trans import Trans

MAINLY = "shm"
COST = 9
QUEUES = 5  # the resource manager of the durable queues
TABLES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../../conf/ubftab")
FIELDS = "*base 10100\nT_LONG 1 long\n"


class Node(Trans):
    """A node of the cluster, which ndrxd runs whole."""

    def __init__(self, cluster, number):
        super().__init__(env={"NDRX_NODEID": str(number), "NDRX_TOUT": "6"})
        self.cluster, self.number = cluster, number
        with open(f"{self.home}/fields", "w", encoding="utf-8") as f:
            f.write(FIELDS)
        self.env.update({"FLDTBLDIR": f"{self.home}:{TABLES}", "FIELDTBLS": "fields,Excompat"})
        self.clt = None

    def with_env(self, srvid, name, env, appopt="", **more):
        """A server that has a file of variables of its own."""
        path = f"{self.home}/env.{srvid}"
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f'{k}={v}\n' for k, v in env.items())
        return {"name": name, "srvid": srvid, "env": path, "appopt": appopt,
                **more}

    def tmsrv(self, n, env):
        return self.with_env(100 + n, "tmsrv", env, "-s 200ms")

    def bridge_row(self):
        return {"name": "ndrxbridge", "srvid": BRIDGE}

    def demand(self, column):
        """Have what the column demands in force."""
        self.configure(*self.servers, sections=self.sections +
                       self.cluster.section(self.number) + column.xml(self))

    def login(self, column):
        """A client as the column wants it, and one that has not logged in."""
        c = self.client()
        if column.auth is not None:
            r = c("login", "anna", "secret", 7)
            equal(r.err, "OK", r.text)
        return c


def _queue_env(d):
    return {"NDRX_XA_RES_ID": str(QUEUES), "NDRX_XA_DRIVERLIB":
            f"{BUILD}/lib/libndrxxaqdisk.so",
            "NDRX_XA_OPEN_STR": f'datadir="{d.home}/qdata",qspace="S"'}


def _first(c):
    """Node 1 has everything."""
    d = c.stack.enter_context(Node(c, 1))
    with open(f"{d.home}/q.conf", "w", encoding="utf-8") as f:
        f.write("P\nR\nECHO,autoq=y\nSHUT,autoq=y\nA,autoq=T\n"
                "LATER,autoq=y,svcnm=FARSHUT,tries=1,waitretry=10ms\n")
    d.servers = [
        {"srvid": 1, "appopt": "CALLON FORWARD ASIDE CHILDCALL"},
        {"srvid": 5, "appopt": "ECHO SHUT=ECHO LETIN COUNT KEPT=COUNT"},
        {"srvid": 2, "sysopt": "-g A", "appopt": "SRVID"},
        {"srvid": 3, "sysopt": "-g B", "appopt": "SRVID"},
        d.with_env(4, "thrsv", {"NDRX_MINDISPATCHTHREADS": "2",
                                "NDRX_MAXDISPATCHTHREADS": "2"}),
        d.with_env(11, "xasv", d.xa(1), "A AT"),
        d.with_env(12, "xasv", d.xa(2), "B"),
        d.tmsrv(1, d.xa(1)), d.tmsrv(2, d.xa(2)),
        d.tmsrv(QUEUES, _queue_env(d)),
        d.with_env(80, "tmqueue", _queue_env(d), f"-m S -q {d.home}/q.conf"),
        {"name": "tpevsrv", "srvid": 95}, {"name": "tpadmsv", "srvid": 96},
        d.bridge_row()]
    d.sections = (
        '<services><service svcnm="AT" autotran="Y"/>'
        '<service svcnm="KEPT" cache="ttl=1h"/>'
        '<service svcnm="SRVID" routing="N"/>%s</services>'
        '<routing><route routing="N"><field>T_LONG</field>'
        '<ranges>1:A,2:B</ranges><buftype>UBF</buftype></route></routing>')
    return d


def _second(c):
    """Node 2 has what others call from afar."""
    d = c.stack.enter_context(Node(c, 2))
    d.servers = [{"srvid": 1, "appopt": "FAR=ECHO FARSHUT=ECHO LETIN"},
                 d.with_env(13, "xasv", d.xa(3), "C"), d.tmsrv(3, d.xa(3)),
                 {"name": "tpevsrv", "srvid": 95}, d.bridge_row()]
    d.sections = "<services>%s</services>"
    return d


class Column:
    """What is demanded of callers."""

    def __init__(self, name, auth=None, lists=False):
        self.name, self.auth, self.lists = name, auth, lists

    def xml(self, d):
        if self.auth is None:
            return ""
        service = ' authsvc="LETIN"' if self.auth == "APP" else ""
        return (f'<security auth="{self.auth}"{service} '
                f'passwords="{d.home}/passwords"/>')

    def rules(self):
        """Services that nobody may call, but through others."""
        return '<service svcnm="SHUT" acl="none"/><service svcnm="ECHO" ' \
               f'acl="user:{os.geteuid()}"/>' if self.lists else ""

COLUMNS = [Column("off"), Column("lists", lists=True), Column("SYS", "SYS"),
           Column("APP", "APP"), Column("SYS and lists", "SYS", True)]
ROWS = []
GET = "TA_OPERATION=GET TA_CLASS=T_SERVER"


def row(fn):
    """A row of the matrix: fn(nodes, column, client)."""
    ROWS.append(fn)
    return fn


def _ok(r, data=None):
    equal(r.err, "OK", r.text)
    if data is not None:
        equal(r.data, data)
    return r


class Nodes:
    def __init__(self, c):
        self.a, self.b = _first(c), _second(c)
        self.plain = {d: d.sections for d in (self.a, self.b)}
        self.stranger = None

    def demand(self, column):
        for d in (self.a, self.b):
            d.sections = self.plain[d] % column.rules()
            d.demand(column)

    def mib(self, column, *lines):
        """Requests of one process with a login, if the column wants one."""
        who = ["login anna secret"] if column.auth == "SYS" else []
        r = self.a.run("mibcl", text="\n".join([*who, *lines]) + "\n")
        equal((r.returncode, r.stderr), (0, ""))
        rows = [Row(json.loads(n)) for n in r.stdout.splitlines()]
        equal(len(rows), len(lines))
        return rows


# ---- calls ----

@row
def call(n, _, c):
    _ok(c.call("ECHO", "x"), "x")
    for text in ("b", "c"):
        cd = _ok(c("acall", "ECHO", "-", f"STRING:{text}")).ret
        _ok(c("getrply", cd, "-"), text)


@row
def one_way(n, _, c):
    before = n.a.row("psc", service="COUNT").succeeded
    _ok(c("acall", "COUNT", "TPNOREPLY", "STRING:x"))
    wait_for(lambda: n.a.row("psc", service="COUNT").succeeded == before + 1,
             "it was served")


@row
def strangers_are_refused(n, column, _):
    s = n.stranger
    want = "OK" if column.auth is None else "TPEPERM"
    equal(s.call("ECHO", "x").err, want)
    equal(s("enq", "S", "P", "-", "-", "STRING:s").err, want)
    if want == "OK":
        equal(s("deq", "S", "P", "-", "-").data, "s")
        return
    equal(s("acall", "ECHO", "TPNOREPLY", "STRING:x").err, want)
    equal(s("tx", "begin").err, want)
    equal(s("subscribe", "E", "-", "-", 0).err, want)
    equal(n.mib(Column("off"), f".TMIB {GET}")[0].err, want)


@row
def who_is_not_on_a_list_is_refused(n, column, c):
    equal(c.call("SHUT", "x").err, "TPEPERM" if column.lists else "OK")


@row
def servers_call_and_forward_what_their_callers_may_not(n, _, c):
    _ok(c.call("CALLON", "SHUT x"), "x")
    _ok(c.call("FORWARD", "SHUT x"), "x")


@row
def dispatch_threads_call(n, _, c):
    for _ in range(4):
        _ok(c.call("RELAY", "x"), "x")
        _ok(c.call("FWD", "x"), "x")


@row
def threads_that_a_server_starts_call(n, _, c):
    equal(_ok(c.call("ASIDE", "SHUT")).urcode, 0)


@row
def children_of_a_server_are_clients(n, column, c):
    equal(_ok(c.call("CHILDCALL", "SHUT")).urcode,
          8 if column.auth or column.lists else 0)  # TPEPERM


@row
def cached_replies(n, column, c):
    before = n.a.row("psc", service="KEPT").succeeded
    for _ in range(2):
        _ok(c.call("KEPT", f"x{column.name}"))
    equal(n.a.row("psc", service="KEPT").succeeded - before,
          1 if column.auth is None and not column.lists else 2,
          "who asks is checked by who serves")


@row
def routes(n, column, _):
    if column.auth == "APP":
        return  # mibcl gives no data
    equal([r.text for r in n.mib(column, "SRVID T_LONG=1", "SRVID T_LONG=2")],
          ["2", "3"])


# ---- events and queues ----

@row
def events(n, _, c):
    _ok(c("unsol", "record"))
    sub = _ok(c("subscribe", "^NEWS$", "-", "-", 0)).ret
    equal(_ok(c("post", "NEWS", "-", "STRING:n")).ret, 1)
    wait_for(lambda: c("got").data is not None, "it has come")
    _ok(c("unsubscribe", sub))


@row
def queues(n, _, c):
    _ok(c("enq", "S", "P", "-", "-", "STRING:p"))
    _ok(c("deq", "S", "P", "-", "-"), "p")


def _forwarded(c, queue, text):
    _ok(c("enq", "S", queue, "-", "reply=R", f"STRING:{text}"))
    return _ok(c("deq", "S", "R", "-", "wait"))


@row
def automatic_queues(n, _, c):
    for queue in ("ECHO", "SHUT"):
        equal(_forwarded(c, queue, "m").data, "m")


@row
def automatic_queues_in_transactions(n, _, c):
    before = n.a.total(1), n.a.total(2)
    _forwarded(c, "A", "add:3 call:B:add:4")
    n.a.settled(1, 2)
    equal((n.a.total(1), n.a.total(2)), (before[0] + 3, before[1] + 4))


# ---- transactions ----

@row
def commits_over_resource_managers(n, _, c):
    a, before = n.a, (n.a.total(1), n.a.total(2))
    for end, grown in (("commit", 1), ("abort", 1), ("commit", 2)):
        _ok(c("tx", "begin"))
        _ok(c.call("A", "add:1"))
        _ok(c.call("B", "add:1"))
        _ok(c("enq", "S", "P", "-", "-", f"STRING:{end}"))
        _ok(c("tx", end))
        a.settled(1, 2)
        equal((a.total(1), a.total(2)), tuple(b + grown for b in before))
    for _ in range(2):
        _ok(c("deq", "S", "P", "-", "-"), "commit")


@row
def services_with_autotran(n, _, c):
    before = n.a.total(1), n.a.total(2)
    _ok(c.call("AT", "add:2 call:B:add:2"))
    n.a.settled(1, 2)
    equal((n.a.total(1), n.a.total(2)), tuple(b + 2 for b in before))


# ---- administration ----

@row
def xadmin_is_let_in(n, _, c):
    _ok(c("enq", "S", "P", "-", "-", "STRING:p"))
    for words in (("mqlc",), ("mqlq",), ("mqlm", "-s", "S", "-q", "P"),
                  ("printtrans",), ("recoverlocal",), ("psc",), ("clients",),
                  ("acl",)):
        r = n.a.xadmin(*words, ok=False)
        equal((words, r.returncode), (words, 0), r.stderr)
        lacks(r.stdout + r.stderr, "TPEPERM")
    equal(n.a.row("mqlq", queue="P").queued, 1)
    _ok(c("deq", "S", "P", "-", "-"), "p")


@row
def tpadmcall_and_tmib(n, column, _):
    lines = [f"adm {GET}"]
    if column.auth != "APP":
        lines.append(f".TMIB {GET}")
    for r in n.mib(column, *lines):
        equal(r.err, "OK")
        contains(r.reply["TA_SERVERNAME"], "tmqueue")


@row
def the_gate(n, column, _):
    equal(n.a.client()("chkauth").ret,
          {None: 0, "SYS": 1, "APP": 2}[column.auth])
    if column.auth is not None:
        equal(n.a.client()("login", "anna", "wrong", 6).err, "TPEPERM")


# ---- another node ----

@row
def calls_of_another_node(n, _, c):
    _ok(c.call("FAR", "x"), "x")


@row
def commits_over_nodes(n, _, c):
    before = n.a.total(1), n.b.total(3)
    _ok(c("tx", "begin"))
    _ok(c.call("A", "add:1"))
    _ok(c.call("C", "add:1"))
    _ok(c("tx", "commit"))
    n.a.settled(1)
    n.b.settled(3)
    equal((n.a.total(1), n.b.total(3)), tuple(b + 1 for b in before))


@row
def what_another_node_refuses_stays_in_its_queue(n, column, c):
    """The forwarder has not logged in: node 2 does not know who it is."""
    _ok(c("enq", "S", "LATER", "-", "reply=R", "STRING:later"))
    if column.auth is None:
        _ok(c("deq", "S", "R", "-", "wait"), "later")
        return
    wait_for(lambda: "FARSHUT cannot be called" in _ulog(n.a), "it was tried")
    equal(n.a.row("mqlq", queue="LATER").queued, 1)
    _ok(c("deq", "S", "LATER", "-", "wait"), "later")


def _ulog(d):
    text = ""
    for name in os.listdir(d.logs):
        if name.startswith("ULOG"):
            with open(f"{d.logs}/{name}", encoding="utf-8") as f:
                text += f.read()
    return text


# ---- all of it ----

def _cell(nodes, fn, column, c):
    """What is wrong with it; None: nothing."""
    try:
        fn(nodes, column, c)
        return None
    except Exception as e:  # pylint: disable=broad-except
        return f"{column.name}: {fn.__name__}: {type(e).__name__}: {e}"


def test_every_part_works_whatever_is_demanded_of_callers():
    wrong, done = [], 0
    with Cluster() as cluster:
        nodes = Nodes(cluster)
        for d in (nodes.a, nodes.b):
            equal(d.run("xadmin", "passwd", "-f", f"{d.home}/passwords",
                        "anna", text="secret\n").returncode, 0)
        nodes.demand(COLUMNS[0])
        nodes.b.boot()
        nodes.a.boot()
        cluster.sees(nodes.a, "FAR", "FARSHUT", "C", "@TMABROAD")
        cluster.sees(nodes.b, "ECHO", "A", "@TMABROAD")
        nodes.stranger = nodes.a.client()
        for column in COLUMNS:
            nodes.demand(column)
            for d in (nodes.a, nodes.b):
                d.xadmin("reload", "-y")
            c = nodes.a.login(column)
            for fn in ROWS:
                wrong.append(_cell(nodes, fn, column, c))
                done += 1
    equal([w for w in wrong if w], [])
    equal(done, len(ROWS) * len(COLUMNS))
