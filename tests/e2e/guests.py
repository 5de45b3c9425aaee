# SPDX-License-Identifier: Apache-2.0
"""guests.py - a domain that lets other users in, in a story that root runs"""
import contextlib
import os

from fixture import Domain, Skip, wait_for

__all__ = ["ASKED", "AUDIT", "CALLERS", "GUEST", "OTHER", "OWNER", "SERVICES",
           "STRANGER", "TELLERS", "gate_lets_in", "gate_socket", "guest_domain"]

OWNER, GUEST, OTHER, STRANGER = 62001, 62002, 62003, 62004
TELLERS, AUDIT = 62100, 62101
ASKED = {"NDRX_OWNER": str(OWNER)}
SERVICES = {"srvid": 1, "min": 2, "max": 2,
            "appopt": "ECHO SLEEP FAIL COUNT PID"}
CALLERS = f'<access group="{TELLERS}" clients="Y"/>'


@contextlib.contextmanager
def guest_domain(access=CALLERS, **kw):
    if os.geteuid() != 0:
        raise Skip("only root can run programs as other users")
    with Domain(user=OWNER, **kw) as d:
        d.groups = {GUEST: [TELLERS], OTHER: [TELLERS]}
        try:
            d.run("mqput", user=GUEST)
        except PermissionError:
            raise Skip(f"other users cannot read {d.program('mqput')}"
                       ) from None
        d.boot(SERVICES, sections=access)
        if "clients=\"Y\"" in access:
            wait_for(lambda: os.path.exists(gate_socket(d)), "the gate", 15)
            wait_for(lambda: gate_lets_in(d), "the gate lets a guest in", 15)
        yield d


def gate_socket(d, name="call"):
    return f"{d.shm}/{d.prefix},gate/{name}"


def gate_lets_in(d):
    return '"ret":0' in d.run("testcl", "init", user=GUEST, env=ASKED).stdout
