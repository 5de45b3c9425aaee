# SPDX-License-Identifier: Apache-2.0
"""The kernel's stock limits are enough for 60 client contexts at once."""
import os

from checks import contains, equal
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
