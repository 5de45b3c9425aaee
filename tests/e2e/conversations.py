# SPDX-License-Identifier: Apache-2.0
"""conversations.py - conversations for stories: the server conversesv, and what it writes

    conversations(d, 1, "CONV")
    c = d.client()
    cd = connect(c, "trace:t recv return:bye")
"""
import os

from checks import equal


def convs(domain, srvid, *services):
    """Start a server of conversations and wait until it offers them."""
    return domain.server(srvid, *services, binary="conversesv")


def connect(client, script, flags="TPSENDONLY", service="CONV"):
    """Connect to a service that follows the script: the descriptor."""
    r = client("connect", service, flags, "STRING:" + script)
    equal(r.err, "OK", r.text)
    return r.ret


def go_on(domain, *names):
    """Services that await these files may go on."""
    for name in names:
        with open(os.path.join(domain.home, name), "wb"):
            pass


def traced(domain, name="trace"):
    """Lines that a service has written: (word, result, error, event, data)."""
    path = os.path.join(domain.home, name)
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as f:
        return [tuple(line.rstrip("\n").split(" ", 4)) for line in f
                if line.endswith("\n")]


def blocks(domain):
    """Blocks that are not free."""
    return int(domain.run("holder", "blocks").stdout.split()[1])


def block_bytes(domain):
    """Shared memory that messages take."""
    return sum(r.used_bytes for r in domain.rows("shms")
               if r.path.endswith("/blocks"))
