# SPDX-License-Identifier: Apache-2.0
"""unsolicited.py - a client that takes down unsolicited messages"""
from checks import equal
from fixture import wait_for

__all__ = ["got_all", "listener"]


def listener(d, **env):
    c = d.client(**env)
    equal((c("unsol", "record").ret, c("unsol", "record").ret), (0, 1))
    return c


def got_all(c, n):
    """The messages that a client gets, once there are n."""
    got = []
    wait_for(lambda: c("chkunsol").ret >= 0 and
             got.extend(c("got").data.split("|")[:-1]) or len(got) >= n,
             f"{n} messages", 20)
    return got
