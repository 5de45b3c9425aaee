# SPDX-License-Identifier: Apache-2.0
"""The kernel's stock limits bind the number of services, not that of callers."""
import json
import os
import resource
import subprocess

from checks import contains, equal
from fixture import Domain, Row, Skip, kill, lone_user, only_on, wait_for
from machine import SLOW, queues

HEAVY = True
MANY = 2000  # of four processes
CROWD = 10000


def test_sixty_contexts_at_once():
    with Domain(small=False) as d:
        d.server(1, "ECHO", "UPPER")
        d.server(2, "ECHO", "UPPER")
        r = d.client()("contexts", "ECHO", 60)
        equal((r.ok, r.wrong, r.errors), (120, 0, {}))


def test_sixty_client_processes_at_once():
    with Domain(small=False) as d:
        d.server(1, "ECHO")
        clients = [d.client() for _ in range(60)]
        for i, c in enumerate(clients):
            c.begin("call", "ECHO", "-", f"STRING:{i}")
        for i, c in enumerate(clients):
            equal(c.end().data, str(i))


def test_queues_beyond_the_limits_are_refused_with_a_hint():
    only_on("posix", "the kernel counts no queue")
    with Domain(env={"NDRX_MSGMAX": "10", "NDRX_MSGSIZEMAX": "8192"},
                user=lone_user()) as d:
        p = d.spawn(1, "many=200")
        if p.wait() == 0:
            raise Skip("no limits here")
        with open(os.path.join(d.logs, "testsv.1.log"),
                  encoding="utf-8") as f:
            text = f.read()
        contains(text, "xadmin doctor")


def _kernel_queues(d):
    """Those that the kernel has of what the domain calls a queue."""
    return queues(d.prefix, [r.queue.lstrip("/") for r in d.rows("pqa")])


def test_ten_thousand_contexts_call_and_no_kernel_queue_is_theirs():
    with Domain(small=False) as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        before = _kernel_queues(d)
        p = subprocess.Popen([d.program("ctxcl"), "many", str(CROWD)], env=d.env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True, **d.who())
        r = Row(json.loads(p.stdout.readline()))
        equal((r.good, r.refused, r.wrong), (2 * CROWD, 0, 0))
        equal(d.rows("stat")[0].clients, CROWD)
        names = [x.queue for x in d.rows("pqa") if ",clt,reply," in x.queue]
        equal(len(names), CROWD, "mailboxes in the listing")
        equal(_kernel_queues(d), before)
        kill(p.pid)
        p.wait()
        wait_for(lambda: d.rows("stat")[0].clients == 0, "slots given back", 20)
        equal(_kernel_queues(d), before)
        equal(d.call("ECHO", "x").data, "x")


def test_processes_together_have_as_many_contexts():
    with Domain(small=False) as d:
        d.boot({"srvid": 1, "min": 2, "max": 2, "appopt": "ECHO"})
        before = _kernel_queues(d)
        many = [subprocess.Popen([d.program("ctxcl"), "many", str(MANY // 4)],
                                 env=d.env, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True, **d.who())
                for _ in range(4)]
        for p in many:
            r = Row(json.loads(p.stdout.readline()))
            equal((r.good, r.refused, r.wrong), (MANY // 2, 0, 0))
        equal(d.rows("stat")[0].clients, MANY)
        equal(_kernel_queues(d), before)
        for p in many:
            p.communicate("\n", timeout=20 * SLOW)
            equal(p.returncode, 0)
        equal(d.rows("stat")[0].clients, 0)


def test_a_context_that_may_have_no_kernel_queue_calls():
    with Domain(small=False) as d:
        d.server(1, "ECHO")
        c = d.client()
        resource.prlimit(c.pid, resource.RLIMIT_MSGQUEUE, (0, 0))
        for words in ("call", "acall"):
            equal(c(words, "ECHO", "-", "STRING:x").err, "OK")
