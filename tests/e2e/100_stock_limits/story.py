# SPDX-License-Identifier: Apache-2.0
"""The kernel's stock limits are enough for 60 client contexts at once."""
import os
import resource

from checks import between, contains, equal
from fixture import Domain, Skip, only_on

HEAVY = True


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
    with Domain(env={"NDRX_MSGMAX": "10", "NDRX_MSGSIZEMAX": "8192"}) as d:
        p = d.spawn(1, "many=200")
        if p.wait() == 0:
            raise Skip("no limits here")
        with open(os.path.join(d.logs, "testsv.1.log"),
                  encoding="utf-8") as f:
            text = f.read()
        contains(text, "xadmin doctor")


def test_waiting_for_room_among_the_queues_is_time_of_the_call():
    only_on("posix", "the kernel counts no queue")
    with open("/proc/self/status", encoding="utf-8") as f:
        caps = [int(x.split()[1], 16) for x in f if x.startswith("CapEff")]
    if caps[0] >> 24 & 1:
        raise Skip("this user is not bound by the limits")
    with Domain() as d:
        d.server(1, "ECHO")
        for tout, low, high in (("20ms", 0, 300), ("400ms", 350, 1000)):
            for flags in ("call", "acall"):
                c = d.client(NDRX_TOUT=tout)
                resource.prlimit(c.pid, resource.RLIMIT_MSGQUEUE, (0, 0))
                r = c(flags, "ECHO", "-", "STRING:x")
                equal(r.err, "TPEOS", r.text)
                contains(r.text, "RLIMIT_MSGQUEUE")
                between(r.ms, low, high, f"ms of a call of {tout}")
