# SPDX-License-Identifier: Apache-2.0
"""Bytes that are no request are dropped and logged; the server goes on."""
import os
import random
import signal
import struct

from checks import at_least, equal
from fixture import Domain, kill, wait_for


TRANSPORT = "posix"  # 125 tests shared memory

# The kernel wakes servers: no byte is written to the FIFO for messages that
# are put by hand.
KERNEL = {"NDRX_WAKE": "exclusive"}


def _dropped(d):
    with open(os.path.join(d.logs, "testsv.1.log"), encoding="utf-8") as f:
        return f.read().count("dropped")


def _whole(length, rnd):
    """A valid beginning, random bytes behind it."""
    head = struct.pack("=IHBB", 0x474d574f, 1, 1, rnd.choice((0, 3, 4, 5)))
    return (head + rnd.randbytes(512))[:length]


def _survives(d, p, messages, sender=None):
    for i in range(0, len(messages), 4):
        d.put("svc,ECHO", *messages[i:i + 4])
        if sender is not None:  # it fetches what was answered
            wait_for(lambda: d.row("pq", service="ECHO").queued == 0, "taken")
            sender("acall", "ECHO", "-", "STRING:x")
            sender("getrply", 0, "TPGETANY")
    wait_for(lambda: d.row("pq", service="ECHO").queued == 0, "taken")
    equal(d.call("ECHO", "x").data, "x")
    equal(p.poll(), None, "the server lives")


def test_random_bytes_of_0_to_200_are_dropped():
    with Domain(env=KERNEL) as d:
        p = d.server(1, "ECHO")
        rnd = random.Random(1)
        _survives(d, p, [rnd.randbytes(n) for n in range(201)])
        equal(_dropped(d), 201)


def test_headers_with_a_valid_beginning_are_dropped():
    with Domain(env=KERNEL) as d:
        p = d.server(1, "ECHO")
        rnd = random.Random(2)
        _survives(d, p, [_whole(n, rnd) for n in range(8, 209)])
        at_least(_dropped(d), 190, "messages dropped")


def _a_real_request(d, p, sender):
    """The bytes of a request, taken from the queue of a stopped server."""
    kill(p.pid, signal.SIGSTOP)
    cd = sender("acall", "ECHO", "-", "STRING:hello").ret
    equal(sender("cancel", cd).ret, 0)
    r = d.run("mqput", "take", f"/{d.prefix},svc,ECHO")
    kill(p.pid, signal.SIGCONT)
    return bytes.fromhex(r.stdout)


def test_a_request_with_any_byte_changed_harms_no_server():
    with Domain(env=KERNEL) as d:
        p = d.server(1, "ECHO")
        sender = d.client()
        good = _a_real_request(d, p, sender)
        rnd = random.Random(3)
        messages = []
        for at in range(len(good)):
            for value in (0, 255, rnd.randrange(256)):
                bad = bytearray(good)
                bad[at] = value
                messages.append(bytes(bad))
        _survives(d, p, messages, sender)
