# SPDX-License-Identifier: Apache-2.0
"""The domain is changed while transactions and durable queues work: what was
told committed is there once, everywhere, and nothing else is."""
import os
import threading

from checks import at_least, equal
from fixture import BUILD, wait_for
from trans import Trans

QUEUES = 5


class Bank(Trans):
    """A and B add in two resource managers; messages enter queue P."""

    def __init__(self):
        super().__init__()
        with open(f"{self.home}/q.conf", "w", encoding="utf-8") as f:
            f.write("P\nDONE\nECHO,autoq=y\n")
        self.servers = [
            {"srvid": 1, "appopt": "ECHO KEPT=COUNT"},
            self._server(11, "xasv", self.xa(1), "A"),
            self._server(12, "xasv", self.xa(2), "B"),
            self._server(101, "tmsrv", self.xa(1), "-s 200ms"),
            self._server(102, "tmsrv", self.xa(2), "-s 200ms"),
            self._server(105, "tmsrv", self.of_queues(), "-s 200ms"),
            self._server(80, "tmqueue", self.of_queues(),
                         f"-m S -q {self.home}/q.conf")]
        equal(self.run("xadmin", "passwd", "-f", f"{self.home}/passwords",
                       "anna", text="secret\n").returncode, 0)

    def of_queues(self):
        return {"NDRX_XA_RES_ID": str(QUEUES), "NDRX_XA_DRIVERLIB":
                f"{BUILD}/lib/libndrxxaqdisk.so", "NDRX_XA_OPEN_STR":
                f'datadir="{self.home}/qdata",qspace="S"'}

    def _server(self, srvid, name, env, appopt):
        path = f"{self.home}/env.{srvid}"
        with open(path, "w", encoding="ascii") as f:
            f.writelines(f"{k}={v}\n" for k, v in env.items())
        return {"name": name, "srvid": srvid, "env": path, "appopt": appopt}

    def change(self, sections="", **servers):
        """A reload; NAME=elements that this server has more."""
        self.configure(*({**s, **servers.get(f"_{s['srvid']}", {})}
                         for s in self.servers), sections=sections)
        self.xadmin("reload", "-y")


class Worker(threading.Thread):
    """Transfers until it is told to stop; what it was told about each."""

    def __init__(self, d):
        super().__init__()
        self.d, self.c = d, d.client()
        self.told = {"committed": 0, "not": 0}
        self.unknown, self.stop = [], False
        self.sent = 0

    def run(self):
        while not self.stop:
            self.told[self._transfer()] += 1
            r = self.c("enq", "S", "ECHO", "-", "reply=DONE",
                       f"STRING:{self.sent}")
            self.sent += r.err == "OK"

    def _transfer(self):
        c = self.c
        if c("tx", "begin").err != "OK":
            return "not"
        if c.call("A", "add:1").err == "OK" and \
                c.call("B", "add:1").err == "OK" and \
                c("enq", "S", "P", "-", "-", "STRING:p").err == "OK":
            r = c("tx", "commit")
            if r.err == "OK":
                return "committed"
            if r.err != "TPEABORT":
                self.unknown.append(r.text)
            return "not"
        c("tx", "abort")
        return "not"


def _security(d):
    return f'<security auth="SYS" passwords="{d.home}/passwords"/>'

SERVICES = '<services><service svcnm="KEPT" cache="ttl=1s"/>' \
           '<service svcnm="A" prio="70"/></services>'


def _changes(d):
    """Each is made while the worker works, which goes on to commit."""
    yield lambda: d.change(_security(d) + SERVICES)
    yield lambda: (d.xadmin("suspend", "-s", "B"),
                   d.xadmin("resume", "-s", "B"))
    yield lambda: d.xadmin("sreload", "-y", "-i", 11)
    yield lambda: d.change(_security(d) + SERVICES.replace(
        'prio="70"', f'acl="user:{os.geteuid()}"'))
    yield lambda: d.xadmin("sreload", "-y", "-i", 12)
    yield lambda: d.change(_security(d))
    yield lambda: (d.xadmin("stop", "-y", "-i", 11),
                   d.xadmin("start", "-y", "-i", 11))


def test_what_was_told_committed_is_there_once():
    with Bank() as d:
        d.boot(*d.servers, sections=_security(d))
        w = Worker(d)
        equal(w.c("login", "anna", "secret").err, "OK")
        w.start()
        try:
            for change in _changes(d):
                change()
                before = w.told["committed"]
                wait_for(lambda n=before: w.told["committed"] > n + 5,
                         "it goes on", 30)
        finally:
            w.stop = True
            w.join()
        d.settled(1, 2)
        at_least(w.told["committed"], 10, "transfers")
        equal(w.unknown, [])
        n = w.told["committed"]
        equal((d.total(1), d.total(2)), (n, n))
        wait_for(lambda: d.row("mqlq", queue="P").locked == 0, "all ended")
        equal(d.row("mqlq", queue="P").queued, n)
        wait_for(lambda: (d.row("mqlq", queue="ECHO").queued,
                          d.row("mqlq", queue="DONE").queued) == (0, w.sent),
                 "each was forwarded once", 30)
