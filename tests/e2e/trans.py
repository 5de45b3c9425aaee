# SPDX-License-Identifier: Apache-2.0
"""trans.py - transactions for stories: resource managers of files, their
servers and clients

    with Trans() as t:
        t.tm(1), t.tm(2)                      # a tmsrv for each
        t.sv(11, 1, "A"), t.sv(12, 2, "B")    # servers with a resource manager
        c = t.client(1)
        c.ok("begin", 20)
        c.ok("call", "-", "A", "add:5")
        c.ok("commit")
        equal(t.total(1), 5)
"""
import os
import subprocess

from checks import equal
from fixture import BUILD, Client, Domain, wait_for

__all__ = ["Trans", "totals", "transfer", "two"]


class XaClient(Client):
    """The program xacl."""

    def __init__(self, domain, env):
        # As that of testcl, with another program.
        self.domain = domain
        self.log = open(os.path.join(domain.logs, "xacl.log"), "ab")
        self.proc = subprocess.Popen(
            [domain.program("xacl")], env={**domain.env, **env},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, bufsize=0, **domain.who())
        self.pid = self.proc.pid

    def ok(self, *words, **kw):
        """A command that must succeed."""
        r = self(*words, **kw)
        if r.err != "OK" or r.ret < 0:
            raise AssertionError(f"{' '.join(map(str, words))}: {r.text}")
        return r

    def err(self, *words, **kw):
        """The error of a command."""
        return self(*words, **kw).err


class Trans(Domain):
    """A domain with resource managers 1, 2, ..., each a folder."""

    def rm(self, n):
        """The folder of a resource manager."""
        path = os.path.join(self.home, f"rm{n}")
        os.makedirs(path, exist_ok=True)
        return path

    def xa(self, n, flags=""):
        """The environment of its processes; 0: none."""
        if n == 0:
            return {}
        return {"NDRX_XA_RES_ID": str(n), "NDRX_XA_OPEN_STR": self.rm(n),
                "NDRX_XA_DRIVERLIB": f"{BUILD}/tests/e2e/libtestxa.so",
                "NDRX_XA_FLAGS": flags}

    def tm(self, n, srvid=None, args=("-s", "200ms")):
        """Start the tmsrv of a resource manager."""
        return self.server(srvid or 100 + n, *args, binary="tmsrv",
                           env=self.xa(n))

    def sv(self, srvid, n, *services, flags="", **kw):
        """Start a server of services that use resource manager `n`."""
        return self.server(srvid, *services, binary="xasv",
                           env=self.xa(n, flags), **kw)

    def services(self, *rows, command="start"):
        """Have ndrxd configure services: attributes of <service>."""
        self.configure(sections="<services>" + "".join(
            f"<service {row}/>" for row in rows) + "</services>")
        self.xadmin(command, *(["-y"] if command == "start" else []))

    def xaclient(self, n=0, opened=True, **env):
        c = XaClient(self, {**self.xa(n), **env})
        self.clients.append(c)
        if opened:
            c.ok("open")
        return c

    def order(self, n, op, what):
        """An order to the next call of xa_OP, whoever makes it."""
        path = os.path.join(self.rm(n), "order." + op)
        with open(path + "~", "w", encoding="ascii") as f:
            f.write(what)
        os.rename(path + "~", path)

    def held(self, n, op):
        """Such a call obeys "hold"."""
        return os.path.exists(os.path.join(self.rm(n), "held." + op))

    def release(self, n, op):
        """It may go on."""
        os.remove(os.path.join(self.rm(n), "held." + op))

    def countermand(self, n, op):
        path = os.path.join(self.rm(n), "order." + op)
        if os.path.exists(path):
            os.remove(path)

    def branches(self, n, kind):
        """Branches: a active, p prepared, c committed."""
        return sorted(f for f in os.listdir(self.rm(n))
                      if f.endswith("." + kind))

    def total(self, n):
        """The sum of what is committed."""
        amount = 0
        for name in self.branches(n, "c"):
            with open(os.path.join(self.rm(n), name),
                      encoding="ascii") as f:
                amount += sum(int(w[2:]) for w in f if w[0] == "W")
        return amount

    def calls(self, n, op=None):
        """What the switch was called for: (op, flags, result)."""
        path = os.path.join(self.rm(n), "calls")
        if not os.path.exists(path):
            return []
        with open(path, encoding="ascii") as f:
            rows = [line.split() for line in f]
        return [(r[1], int(r[3], 16), int(r[4])) for r in rows
                if op in (None, r[1])]

    def settled(self, *rms, seconds=20):
        """Wait until no branch is active or prepared."""
        wait_for(lambda: all(not self.branches(n, k)
                             for n in rms for k in "ap"),
                 "no branch is open", seconds)

    def decided(self, *rms, seconds=20):
        """Wait until no branch is prepared. One that is active, whose
        coordinator was killed, is left to its resource manager."""
        wait_for(lambda: not any(self.branches(n, "p") for n in rms),
                 "no branch is in doubt", seconds)

    def replace(self, p, start):
        """A server is killed, or about to be: start another."""
        p.wait(20)
        self.procs.pop(p.pid, None)
        return start()

    def through_death(self, c, words, p, start):
        """A command during which server `p` is killed; the result."""
        c.begin(*words)
        self.replace(p, start)
        return c.end(40)


def two(t):
    """Two resource managers, a server of each, a client of the first."""
    t.tm(1)
    t.tm(2)
    t.sv(11, 1, "A")
    t.sv(12, 2, "B")
    return t.xaclient(1)


def totals(t):
    return t.total(1), t.total(2)


def transfer(c, amount, seconds=20):
    """Begin; take from the one, give to the other."""
    c.ok("begin", seconds)
    c.ok("call", "-", "A", f"add:-{amount}")
    c.ok("call", "-", "B", f"add:{amount}")
