# SPDX-License-Identifier: Apache-2.0
"""events.py - read the event ring in shared memory

The layout is that of libatmi/domain/events.h: a page with the head, then slots
of 512 bytes. A slot is valid if its sequence number is that of a complete
event.
"""
import collections
import struct

PAGE, SLOT, MAX = 4096, 512, 2048
WORDS = ("?", "start", "ready", "adopt", "stop", "exit", "died", "failed",
         "late", "signal", "retry", "gave up", "limit", "changed", "scale",
         "lock", "reload", "command", "ndrxd", "lost")
ABOUT = ("ndrxd", "server", "client", "group")

Event = collections.namedtuple(
    "Event", "number real_ns mono_ns word about srvid pid state who text")


def _string(raw):
    return raw.split(b"\0", 1)[0].decode(errors="replace")


def read_events(d):
    """All events of a domain, oldest first."""
    try:
        with open(d.segment("events"), "rb") as f:
            data = f.read()
    except FileNotFoundError:
        return []
    _, _, _, following = struct.unpack_from("<QIIQ", data, 0)
    found = []
    for n in range(max(0, following - MAX), following):
        at = PAGE + n % MAX * SLOT
        seq, number, real, mono, kind, about, srvid, pid, state, _ = \
            struct.unpack_from("<QQQQIIIiII", data, at)
        if seq != 2 * n + 2:
            continue
        text = at + SLOT - 392
        found.append(Event(number, real, mono, WORDS[kind], ABOUT[about],
                           srvid, pid, state,
                           _string(data[text - 64:text]),
                           _string(data[text:text + 392])))
    return found
