# SPDX-License-Identifier: Apache-2.0
"""Containers that share /dev/shm and POSIX queues, but not PIDs: a domain has
processes of one PID namespace, and a restarted container takes it over."""
import json
import os
import shutil
import subprocess

from checks import check, contains, differs, equal
from fixture import (Client, Domain, alive, holds, kill, only_on,
                     wait_for)
from machine import SLOW, TRANSPORT, Skip

MAINLY = "shm"
COST = 13

ECHO = {"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"}
ADVICE = "shareProcessNamespace"


class Container:
    """A PID namespace with its own /proc; everything in it ends with it."""

    def __init__(self, d):
        if os.geteuid() != 0 or shutil.which("unshare") is None or \
                shutil.which("nsenter") is None:
            raise Skip("needs unshare and nsenter, as root")
        self.d = d
        self.proc = subprocess.Popen(
            ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", "echo up; trap : TERM; while :; do sleep 1; done"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        d.helpers.append(self.proc)
        equal(self.proc.stdout.readline(), "up\n")
        with open(f"/proc/{self.proc.pid}/task/{self.proc.pid}/children",
                  encoding="ascii") as f:
            self.init = int(f.read())

    def enter(self, *argv):
        return ["nsenter", "-t", str(self.init), "-m", "-p", "--", *argv]

    def run(self, *argv, ok=True):
        d = self.d
        r = subprocess.run(self.enter(d.program(argv[0]), *argv[1:]),
                           env=d.env, cwd=d.home, capture_output=True,
                           text=True, timeout=40 * SLOW, check=False,
                           stdin=subprocess.DEVNULL)
        if ok and r.returncode != 0:
            raise AssertionError(f"{argv}: exit {r.returncode}\n{r.stdout}"
                                 f"{r.stderr}")
        return r

    def client(self, pid):
        """A client with this number in the container."""
        d = self.d
        script = (f"echo {pid - 1} >/proc/sys/kernel/ns_last_pid; "
                  f"{d.program('testcl')}; :")
        c = _InContainer(d, self.enter("sh", "-c", script))
        d.clients.append(c)
        return c

    def end(self):
        """As a container runtime ends it: SIGKILL to all."""
        kill(self.init)
        self.proc.wait()


class _InContainer(Client):
    """testcl as a child of another program."""

    def __init__(self, domain, argv):  # pylint: disable=super-init-not-called
        self.domain = domain
        self.log = open(os.path.join(domain.logs, "testcl.log"), "ab")
        self.proc = subprocess.Popen(
            argv, env=domain.env, cwd=domain.home, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log, bufsize=0)
        self.pid = self.proc.pid


def _refused(r):
    differs(r.returncode, 0)
    contains(r.stdout + r.stderr, ADVICE)


def test_processes_of_two_containers_do_not_use_one_domain():
    with Domain() as d:
        d.configure(ECHO)
        a, b = Container(d), Container(d)
        a.run("xadmin", "start", "-y")
        c = a.client(500)
        equal(c.call("ECHO", "before").data, "before")
        for words in (("psc",), ("start", "-y"), ("down", "-y"),
                      ("killall", "testsv"), ("qrmall", ",")):
            _refused(b.run("xadmin", *words, ok=False))
            _refused(d.xadmin(*words, ok=False))
        _refused(b.run("testsv", "-i", "7", "--", "UPPER", ok=False))
        stranger = b.client(500)
        equal(stranger.call("ECHO", "x").err, "TPESYSTEM")
        r = b.run("xadmin", "doctor", ok=False)
        contains(r.stdout, ADVICE)
        check("xadmin down" not in r.stdout.split(ADVICE)[1].split("\n")[0],
              "doctor does not advise to remove a living domain")
        holds(lambda: c.call("ECHO", "still").data == "still", "served", 1.5)
        equal(len(a.run("xadmin", "psc").stdout.splitlines()) > 1, True)
        b.end()
        a.run("xadmin", "stop", "-y")
        a.end()
        d.clients.clear()


def _queues(container):
    return json.loads(container.run("xadmin", "pqa", "--json").stdout)


def _old_and_new(d):
    """A container that was killed with a client in it, and the next one."""
    d.configure(ECHO)
    old = Container(d)
    old.run("xadmin", "start", "-y")
    c = old.client(500)
    equal(c.call("ECHO", "before").data, "before")
    old.end()
    wait_for(lambda: c.proc.poll() is not None, "the client has ended")
    d.clients.remove(c)
    return Container(d)


def test_a_restarted_container_takes_its_domain_over():
    with Domain() as d:
        new = _old_and_new(d)
        # The same number as the client of the old one, whose slot is still
        # there: what reaps that slot must leave this client's queue alone.
        c = new.client(500)
        c.begin("call", "ECHO", "-", "STRING:first")
        wait_for(lambda: any(r["queue"].endswith(",ECHO") and r["queued"] == 1
                             for r in _queues(new)), "the call is out")
        new.run("xadmin", "start", "-y")
        differs(c.end().err, "TPETIME")
        # Until the old slot is reaped; no server has opened the queue yet.
        holds(lambda: TRANSPORT == "shm" or
              any("clt,reply" in r["queue"] for r in _queues(new)),
              "the new client's queue has its name", 2.5)
        equal(c.call("ECHO", "again").data, "again")
        with open(os.path.join(d.logs, "ndrxd.log"), encoding="utf-8") as f:
            check("another PID namespace" not in f.read(), "taken over")
        new.run("xadmin", "stop", "-y")
        new.end()
        d.clients.clear()


def test_what_a_container_left_can_be_removed_from_outside():
    with Domain() as d:
        _old_and_new(d).end()
        d.dirty = True  # the tables of the first one


def test_processes_of_a_container_with_memory_of_its_own_are_left_alone():
    """The same prefix and user, another /dev/shm: down of the machine sees the
    processes in /proc, and they are not its own."""
    only_on("shm", "POSIX queues are shared here")
    with Domain() as d:
        d.configure(ECHO)
        c = Container(d)
        subprocess.run(["nsenter", "-t", str(c.init), "-m", "--", "mount",
                        "-t", "tmpfs", "none", "/dev/shm"], check=True)
        c.run("xadmin", "start", "-y")
        cl = c.client(500)
        equal(cl.call("ECHO", "x").data, "x")
        # Its ndrxd would obey if it were reached through the run folder.
        equal(d.run("xadmin", "down", "-y",
                    env={"NDRX_APPHOME": d.home + "/no"}).returncode, 0)
        equal(cl.call("ECHO", "still").data, "still")
        c.end()
        wait_for(lambda: not alive(c.init), "ended")
        d.clients.clear()
