# SPDX-License-Identifier: Apache-2.0
"""Two machines by TCP: entries of tpbridge with an address and a port need no
nats-server of the user's."""
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile

from certificates import authority, certificate
from checks import at_least, contains, equal, lacks
from cluster import Nats, free_port
from covers import covers
from conversations import connect, convs
from fixture import BUILD, Domain, Skip, holds, kill, wait_for
from machine import SLOW, alive
from trans import Trans
from tuxedo_app import App, SIMPAPP
from unsolicited import got_all, listener

MAINLY = "shm"
COST = 22
QUEUE_KB = 520
LINK = 91  # the server id of the first bridge
BEAT = f"{200 * SLOW:.0f}ms"


class Links:
    """Domains, each a node, on one machine."""

    def __init__(self):
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        if not os.path.exists(f"{BUILD}/bin/ndrxbridge") or not (
                shutil.which("nats-server", path=os.environ["PATH"] +
                             ":/usr/sbin")):
            raise Skip("no libnats, or no nats-server, here")
        return self

    def __exit__(self, *what):
        return self.stack.__exit__(*what)

    def domain(self, node, kind=Domain, **env):
        return self.stack.enter_context(kind(env={
            "NDRX_NODEID": str(node), "NDRX_CLUSTER_BEAT": BEAT, **env}))


def _entry(node, kind, port, srvid=LINK, more="-r"):
    """An entry as configurations of two machines have it."""
    return {"name": "tpbridge", "max": 1, "srvid": srvid, "appopt":
            f"-n{node} {more} -i 127.0.0.1 -p {port} -t{kind} -z30"}


def _boot(d, *rows, **kw):
    d.boot({"srvid": 1, "appopt": f"PID{d.env['NDRX_NODEID']}=PID ECHO"},
           *rows, **kw)


def _sees(d, *services, seconds=20):
    wait_for(lambda: set(services) <= {r.service for r in d.rows("psc")},
             f"services {services}", seconds)


def _pair(c, second="P", **env):
    """Nodes 1 and 2 with a server and a link each; the port."""
    port = free_port()
    a, b = c.domain(1, **env), c.domain(2, **env)
    kinds = ("A", "P") if second == "P" else ("P", "A")
    _boot(a, _entry(2, kinds[0], port))
    _boot(b, _entry(1, kinds[1], port))
    _sees(a, "PID2")
    _sees(b, "PID1")
    return a, b, port


def _child(d, srvid=LINK):
    """The pid of the nats-server of a bridge."""
    pid = d.pid(srvid)
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children",
                      encoding="ascii") as f:
                for child in f.read().split():
                    return int(child)
    return 0


def _logs(d):
    text = ""
    for folder in (d.logs, d.home):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and ("log" in name or "ULOG" in name):
                with open(path, encoding="utf-8", errors="replace") as f:
                    text += f.read()
    return text


def _says(d, text, seconds=15):
    wait_for(lambda: text in _logs(d), f'"{text}" in the log', seconds)


def _calls(a, b):
    """Each calls the other one's server."""
    for d, svc in ((a, "PID2"), (b, "PID1")):
        other = b if d is a else a
        wait_for(lambda d=d, svc=svc: d.call(svc).err == "OK", svc, 20)
        equal(d.call(svc).data, str(other.pid(1)))


@covers("xadmin testcfg")
def test_two_configurations_run_word_for_word_and_call_each_other():
    with Links() as c:
        a, b, port = _pair(c)
        _calls(a, b)
        for d, n in ((a, 2), (b, 1)):
            wait_for(lambda d=d, n=n: (d.row("pnet", node=n) or {}).get(
                "state") == "up", f"pnet shows node {n}")
        contains([r.service for r in a.rows("psc")], "@TPBRIDGE002")
        contains(a.xadmin("testcfg", a.env["NDRX_CONFIG"]).stdout,
                 f"a TCP link to node 2: this side connects to "
                 f"127.0.0.1:{port}")
        contains(b.xadmin("testcfg", b.env["NDRX_CONFIG"]).stdout,
                 f"a TCP link to node 1: this side starts a nats-server that "
                 f"listens at 127.0.0.1:{port}")
        child = _child(b)
        at_least(child, 1, "nats-server is a child of the passive side")
        equal(_child(a), 0)
        b.xadmin("stop", "-y")
        equal(alive(child), False, "it ended with the bridge")
        wait_for(lambda: a.call("PID2").err == "TPENOENT", "node 2 is gone")
        b.xadmin("start", "-y")
        _sees(a, "PID2")
        _calls(a, b)


def test_whoever_is_killed_comes_back_with_the_link():
    with Links() as c:
        a, b, _ = _pair(c, second="A")  # a is passive, started first
        child, bridge = _child(a), a.pid(LINK)
        kill(child)
        wait_for(lambda: _child(a) not in (0, child), "a new nats-server")
        equal(a.pid(LINK), bridge)
        _calls(a, b)
        for d in (a, b):
            child, old = _child(a), d.pid(LINK)
            kill(old)
            if d is a:
                wait_for(lambda child=child: not alive(child),
                         "nats-server dies with the bridge", 5)
            wait_for(lambda d=d, old=old: d.pid(LINK) not in (0, old),
                     "restarted", 20)
            _calls(a, b)


def test_a_port_that_is_in_use_is_named_and_taken_when_it_is_free():
    with Links() as c, socket.socket() as s:
        s.bind(("127.0.0.1", 0))  # and nobody listens
        port = s.getsockname()[1]
        a, b = c.domain(1), c.domain(2)
        _boot(b, _entry(1, "P", port))
        _says(b, f"port {port} is in use by another program")
        _boot(a, _entry(2, "A", port))
        at_least(b.pid(LINK), 1, "the bridge is up")
        s.close()
        _sees(a, "PID2")
        _sees(b, "PID1")
        _calls(a, b)


def test_without_r_nothing_is_offered_and_lists_count():
    with Links() as c:
        port = free_port()
        a, b = c.domain(1), c.domain(2)
        _boot(a, _entry(2, "A", port, more=""))
        row = _entry(1, "P", port)
        row["appopt"] = row["appopt"].replace("127.0.0.1", "0.0.0.0")
        b.boot({"srvid": 1, "appopt": "PID2=PID HIDDEN=PID LATER=PID"},
               {**row, "blacklistsvcs": "HIDDEN"})
        _sees(a, "PID2", "LATER")
        # Others reach that address, and there is no secret.
        _says(b, "can speak as that node")
        equal(a.call("HIDDEN").err, "TPENOENT")
        wait_for(lambda: (b.row("pnet", node=1) or {}).get("state") == "up",
                 "up")
        holds(lambda: b.call("PID1").err == "TPENOENT", "nothing of node 1",
              0.5)


def test_who_believes_to_be_or_to_call_another_node_is_refused():
    with Links() as c:
        port = free_port()
        a, b = c.domain(3), c.domain(2)
        _boot(b, _entry(1, "P", port))
        _boot(a, _entry(2, "A", port))  # node 3, where 1 is expected
        _says(b, "node3")
        _says(a, "uthorization")
        equal(b.rows("pnet"), [])
        equal(a.call("PID2").err, "TPENOENT")
        for words, why in (("-n 2 -i 127.0.0.1 -p 1 -t A", "is this node"),
                           ("-n 1 -i 127.0.0.1 -t A", "-p, the port"),
                           ("-n 1 -p 1 -t P", "-i, the address"),
                           ("-i 127.0.0.1 -p 1 -t P", "-n, the number"),
                           ("-n 1 -i 127.0.0.1 -p 1 -t X", "-t is P")):
            b.configure({"name": "tpbridge", "srvid": LINK, "appopt": words})
            r = b.xadmin("testcfg", b.env["NDRX_CONFIG"], ok=False)
            contains(r.stdout + r.stderr, why)
            p = b.spawn(77, *words.split(), binary="ndrxbridge")
            equal(p.wait(10) != 0, True, "the bridge ends")
            del b.procs[p.pid]
            contains(_logs(b), why)


def _secret(d, name, text):
    path = f"{d.home}/{name}"
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def _with_env(row, **env):
    return {**row, "xml": "<envs>%s</envs>" % "".join(
        f'<env name="{k}">{v}</env>' for k, v in env.items())}


def test_a_password_of_both_sides_keeps_strangers_out():
    with Links() as c:
        port = free_port()
        a, b = c.domain(1), c.domain(2)
        word = 'a {word} # of 5 $signs'
        good = _secret(b, "word", word + "\n")
        bad = _secret(a, "word", "other\n")
        _boot(b, _with_env(_entry(1, "P", port),
                           NDRX_CLUSTER_PASSWORD_FILE=good))
        _boot(a, _with_env(_entry(2, "A", port),
                           NDRX_CLUSTER_PASSWORD_FILE=bad))
        _says(a, "uthorization")
        _says(b, "authentication error")
        equal(a.call("PID2").err, "TPENOENT")
        _secret(a, "word", word)  # it is let in without a restart
        pid = a.pid(LINK)
        _sees(a, "PID2")
        _calls(a, b)
        equal(a.pid(LINK), pid)
        child = _child(b)
        for d in (b, a):  # a new one is taken so, too
            _secret(d, "word", "another word")
        # nats-server cuts off who came with the old one, then lets it in again.
        wait_for(lambda: (a.row("pnet", node=2) or {}).get("state") != "up",
                 "cut off", 10)
        _calls(a, b)
        equal((a.pid(LINK), _child(b)), (pid, child))


def test_a_link_with_certificates():
    with Links() as c, tempfile.TemporaryDirectory(
            prefix="ow_e2e_tls_") as folder:
        if shutil.which("openssl") is None:
            raise Skip("no openssl here")
        authority(folder, "ca")
        certificate(folder, "ca", "one")
        certificate(folder, "ca", "two")
        port = free_port()
        a, b = c.domain(1), c.domain(2)

        def tls(name):
            return {"NDRX_CLUSTER_CA": f"{folder}/ca.pem",
                    "NDRX_CLUSTER_CERTIFICATE": f"{folder}/{name}.pem",
                    "NDRX_CLUSTER_KEY": f"{folder}/{name}.key"}

        _boot(b, _with_env(_entry(1, "P", port), **tls("two")))
        lacks(_logs(b), "can speak as that node")
        row = _entry(2, "A", port)
        row["appopt"] = row["appopt"].replace("-i 127.0.0.1", "-h localhost")
        _boot(a, _with_env(row, **tls("one")))
        _sees(a, "PID2")
        _sees(b, "PID1")
        _calls(a, b)
        a.xadmin("stop", "-y")
        _boot(a, row)  # without certificates: not let in
        wait_for(lambda: a.pid(LINK) > 0, "the bridge is up")
        holds(lambda: a.call("PID2").err == "TPENOENT", "refused", 1)


def _without_nats_server(d, program, *argv):
    """Run it with no nats-server on the machine, if that can be had."""
    dirs = f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin".split(":")
    files = {os.path.realpath(f"{x}/nats-server") for x in dirs
             if os.path.exists(f"{x}/nats-server")}
    hide = " && ".join(f"mount --bind /dev/null {f}" for f in files)
    words = ["unshare", "-rm", "sh", "-c", f'{hide} && exec "$@"', "-"]
    if shutil.which("unshare") is None or subprocess.run(
            [*words, "true"], stderr=subprocess.DEVNULL,
            check=False).returncode != 0:
        raise Skip("no namespace of mounts here")
    return subprocess.run(
        [*words, d.program(program), *map(str, argv)], env=d.env, text=True,
        capture_output=True, timeout=30, check=False)


def test_without_nats_server_an_error_names_the_package():
    with Links() as c:
        d = c.domain(2)
        row = _entry(1, "P", free_port())
        d.configure(row)
        r = _without_nats_server(d, "xadmin", "testcfg",
                                 d.env["NDRX_CONFIG"])
        equal(r.returncode != 0, True)
        contains(r.stdout + r.stderr, "install the package nats-server")
        r = _without_nats_server(d, "ndrxbridge", "-i", LINK, "--",
                                 *row["appopt"].split())
        equal(r.returncode != 0, True)
        contains(r.stdout + r.stderr + _logs(d), "of the package nats-server")
        # The active side needs none.
        d.configure(_entry(1, "A", free_port()))
        r = _without_nats_server(d, "xadmin", "testcfg",
                                 d.env["NDRX_CONFIG"])
        equal(r.returncode, 0, r.stdout + r.stderr)


@covers("xadmin config")
def test_links_become_a_cluster_that_runs():
    with Links() as c:
        d = {n: c.domain(n) for n in (1, 2)}
        nats = c.stack.enter_context(contextlib.closing(Nats()))
        d[1].configure(_entry(2, "P", nats.port), _entry(3, "A", 1, LINK + 1))
        d[2].configure(_entry(1, "A", nats.port, more=""))
        for one in d.values():
            r = one.xadmin("config", "--cluster").stdout
            contains(r, f'urls="nats://127.0.0.1:{nats.port}"')
            cluster, entry = r.split("\n", 1)
            _boot(one, sections=cluster)
            with open(one.env["NDRX_CONFIG"], encoding="utf-8") as f:
                text = f.read()
            with open(one.env["NDRX_CONFIG"], "w", encoding="utf-8") as f:
                f.write(text.replace("</servers>", entry + "</servers>"))
            one.xadmin("reload")
        _sees(d[2], "PID1")
        holds(lambda: d[1].call("PID2").err == "TPENOENT",
              "2 had no -r and offers nothing", 0.3)
        r = d[1].xadmin("config", "--cluster", ok=False)
        contains(r.stderr, "no entry of tpbridge")


# ---- three nodes, two links of the one in the middle ----

def _star(c, kind=Trans):
    """Node 1 with links to 2 and 3, which have none to each other."""
    ports = free_port(), free_port()
    d = {n: c.domain(n, kind) for n in (1, 2, 3)}
    d[1].spawn(LINK, *_words(2, "P", ports[0]), binary="ndrxbridge")
    d[1].spawn(LINK + 1, *_words(3, "A", ports[1]), binary="ndrxbridge")
    d[2].spawn(LINK, *_words(1, "A", ports[0]), binary="ndrxbridge")
    d[3].spawn(LINK, *_words(1, "P", ports[1]), binary="ndrxbridge")
    return d


def _words(node, kind, port):
    return _entry(node, kind, port)["appopt"].split()


def test_one_domain_has_links_to_several_nodes():
    with Links() as c:
        d = _star(c)
        for n in d:
            d[n].server(1, f"PID{n}=PID", "WHO=PID")
        _sees(d[1], "PID2", "PID3", "@TPBRIDGE002", "@TPBRIDGE003")
        for n in (2, 3):
            _sees(d[n], "PID1", "@TPBRIDGE001")
            equal(d[n].call("PID1").data, str(next(iter(
                p for p, x in d[1].procs.items() if x.args[2] == "1"))))
            equal(d[n].call(f"PID{5 - n}").err, "TPENOENT",
                  "no way by the middle")
            equal(d[1].call(f"PID{n}").err, "OK")
            wait_for(lambda n=n: (d[1].row("pnet", node=n) or {}).get(
                "state") == "up", f"pnet shows node {n}")


def test_transactions_go_to_the_node_of_each_link():
    with Links() as c:
        d = _star(c)
        for n in d:
            d[n].tm(n)
        d[2].sv(2, 2, "B")
        d[3].sv(3, 3, "C")
        _sees(d[1], "B", "C")
        cl = d[1].xaclient(1)
        for end, sums in (("commit", (5, 7)), ("abort", (5, 7)),
                          ("commit", (10, 14))):
            cl.ok("begin", 20)
            cl.ok("call", "-", "B", "add:5")
            cl.ok("call", "-", "C", "add:7")
            cl.ok(end)
            equal((d[2].total(2), d[3].total(3)), sums, end)


def test_messages_and_events_go_by_all_links():
    with Links() as c:
        d = _star(c)
        for n in d:
            d[n].server(80, binary="tpevsrv")
            d[n].server(1, "SUBSCRIBE", f"LOG{n}=LOG", f"GETLOG{n}=GETLOG",
                        f"CLTID{n}=CLTID")
        _sees(d[1], "CLTID2", "CLTID3")
        for n in (2, 3):
            _sees(d[n], "CLTID1")
        cl = {n: listener(d[n]) for n in d}
        equal(d[1].client()("broadcast", "-", "-", "-", "STRING:all").err,
              "OK")
        for n in (2, 3):
            equal(got_all(cl[n], 1), ["STRING:all"])
            me = cl[n].call("CLTID1").data
            equal(d[1].client()("notify", me, "-", f"STRING:to{n}").err, "OK")
            equal(got_all(cl[n], 1), [f"STRING:to{n}"])
            equal(d[n].call("SUBSCRIBE", f"NEWS - LOG{n} 1").err, "OK")
        poster = d[1].client()
        for n in (2, 3):
            wait_for(lambda n=n: poster("post", "NEWS", "-", "STRING:probe")
                     .err == "OK" and "probe" in
                     d[n].call(f"GETLOG{n}").data, f"posts reach {n}", 20)
        equal(poster("post", "NEWS", "-", "STRING:once").err, "OK")
        log = {2: [], 3: []}
        for n, seen in log.items():
            wait_for(lambda n=n, seen=seen: seen.extend(
                d[n].call(f"GETLOG{n}").data.split()) or "once" in seen,
                     f"node {n} has it")
        holds(lambda: "once" not in d[2].call("GETLOG2").data +
              d[3].call("GETLOG3").data, "once only", 0.3)
        equal([seen.count("once") for seen in log.values()], [1, 1])


def test_a_conversation_goes_by_a_link():
    with Links() as c:
        port = free_port()
        a, b = c.domain(1), c.domain(2)
        convs(b, 1, "CONV")
        a.spawn(LINK, *_words(2, "A", port), binary="ndrxbridge")
        b.spawn(LINK, *_words(1, "P", port), binary="ndrxbridge")
        _sees(a, "CONV")
        cl = a.client()
        cd = connect(cl, "all give:two all return:bye")
        for text, event, data in (("one", "SENDONLY", "two"),
                                  ("three", "SVCSUCC", "bye")):
            equal(cl("send", cd, "TPRECVONLY", f"STRING:{text}").err, "OK")
            r = cl("recv", cd)
            equal((r.event, r.data), (event, data))


def test_more_services_than_queues_are_called_by_one_link_and_beside_another():
    with Links() as c:
        d = _star(c)
        names = [f"MANY{i:03d}=ECHO" for i in range(100)]
        d[2].server(1, *names)
        d[3].server(1, "OTHER=ECHO")
        _sees(d[1], "MANY000", "MANY099", "OTHER")
        for svc in ("MANY000", "MANY063", "MANY099", "OTHER"):
            equal(d[1].call(svc, "x").data, "x")


def _domain_of_tuxedo(c, own, other, port, *rows):
    """A domain of a UBBCONFIG and a DMCONFIG."""
    app = App(c.domain(7), SIMPAPP)
    for name in ("NDRX_NODEID", "NDRX_CLUSTER_BEAT"):
        app.env.pop(name)
    app.build_simpapp("-o", "simpserv", "-f", "simpserv.c", "-s",
                      "TOUPPER,SECRET:TOUPPER")
    app.configure()
    with open(f"{app.home}/dm", "w", encoding="utf-8") as f:
        f.write(f"*DM_LOCAL\nL{own} GWGRP=G TYPE=TDOMAIN DOMAINID={own}\n"
                f"*DM_REMOTE\nR{other} TYPE=TDOMAIN DOMAINID={other}\n"
                f'*DM_TDOMAIN\nL{own} NWADDR="//127.0.0.1:{port}"\n'
                f'R{other} NWADDR="//127.0.0.1:{port}"\n' + "\n".join(rows))
    app.run("dmloadcf", "-y", "dm")
    app.run("tmboot", "-y")
    return app


def test_domains_of_two_dmconfigs_export_and_import_what_these_say():
    with Links() as c:
        port = free_port()
        bank = _domain_of_tuxedo(c, "BANK", "SALES", port,
                                 "*DM_EXPORT\nTOUPPER\nSECRET")
        sales = _domain_of_tuxedo(c, "SALES", "BANK", port,
                                  "*DM_EXPORT\nTOUPPER",
                                  "*DM_IMPORT\nTOUPPER RDOM=RBANK")
        try:
            own = sales.run("xadmin", "pnet").stdout
            wait_for(lambda: " up" in sales.run("xadmin", "pnet").stdout,
                     "the link: " + own, 20)
            sales.run("tmshutdown", "-s", "simpserv", "-y")
            r = wait_for(lambda: sales.run("simpcl", "a", ok=False).returncode
                         == 0 and sales.run("simpcl", "hello"), "a call", 20)
            equal(r.stdout, "Returned string is: HELLO\n")
            lacks(sales.run("xadmin", "psc").stdout, "SECRET")
            # BANK imports nothing.
            bank.run("tmshutdown", "-s", "simpserv", "-y")
            contains(bank.run("simpcl", "a", ok=False).stderr, "TPENOENT")
        finally:
            sales.run("tmshutdown", "-y")
            bank.run("tmshutdown", "-y")
