# SPDX-License-Identifier: Apache-2.0
"""ways.py - the combinations of transport and way to wake

Each is measured in a domain of its own and compared with bare queues of the
same kind (baseline.c) that wake in the same way.
"""
from typing import NamedTuple


class Way(NamedTuple):
    """One transport with one way to wake a server."""
    transport: str
    wake: str
    bare: str  # mode of baseline.c

    def env(self):
        """The environment of processes of such a domain."""
        return {"NDRX_TRANSPORT": self.transport, "NDRX_WAKE": self.wake}

    def __str__(self):
        return "%s, %s" % (self.transport, self.wake)


WAYS = (
    Way("posix", "bell", "bell"),
    Way("posix", "exclusive", "excl"),
    Way("posix", "herd", "herd"),
    Way("shm", "hot", "shm"),
    Way("shm", "even", "shm"),
)
TRANSPORTS = ("posix", "shm")


def ways(transports, wakes=None):
    """Those of `transports`; without `wakes`, each one's default only."""
    seen = set()
    for way in WAYS:
        if way.transport not in transports:
            continue
        if wakes is None and way.transport in seen:
            continue
        if wakes is None or way.wake in wakes:
            seen.add(way.transport)
            yield way
