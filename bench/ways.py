# SPDX-License-Identifier: Apache-2.0
"""ways.py - the transports, their ways to wake, and what each is compared
with.

A way is measured in a domain of its own, against bare queues (baseline.c)
that are made of the same thing and wake in the same way.
"""
from typing import NamedTuple


class Way(NamedTuple):
    """One transport with one way to wake a server."""
    transport: str
    wake: str
    bare: str  # mode of baseline.c

    def env(self):
        """What a process of such a domain has in its environment."""
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
