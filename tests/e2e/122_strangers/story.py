# SPDX-License-Identifier: Apache-2.0
"""Processes that are no servers of the domain, and names that are no names."""
import os
import socket
import struct

from checks import contains, equal, lacks
from fixture import Domain, wait_for


def _start_time():
    with open("/proc/self/stat", encoding="latin-1") as f:
        return int(f.read().rsplit(")", 1)[1].split()[19])


def _hello(d, srvid, name):
    """Say HELLO to ndrxd; is the connection closed then?"""
    body = struct.pack("=IiQ64sII", srvid, os.getpid(), _start_time(), name,
                       1, 0)
    head = struct.pack("=IHHII", 0x4c54574f, 1, 1, 16 + len(body), 0)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
        s.connect(f"{d.home}/run/ndrxd.sock")
        s.settimeout(10)
        s.send(head + body)
        try:
            return s.recv(1024) == b""
        except ConnectionResetError:
            return True


def test_a_stranger_leaves_no_row():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        before = d.rows("ppm")[0].pid
        for srvid in (1, 77, 65535):
            equal(_hello(d, srvid, b"\x1b[31mstranger"), True, srvid)
        rows = d.rows("ppm")
        equal([(r.srvid, r.pid, r.state) for r in rows],
              [(1, before, "runok")])
        equal(d.call("ECHO", "x").data, "x")


def test_names_reach_the_terminal_without_control_characters():
    with Domain() as d:
        d.boot({"srvid": 1, "appopt": "ECHO"})
        d.server(2, "UPPER", env={"NDRX_SVPROCNAME": "b\x1b[31mad\nname"})
        wait_for(lambda: len(d.rows("ppm")) == 2, "it has connected")
        for command in ("ppm", "psc", "psrv", "events", "clients", "doctor"):
            r = d.xadmin(command, ok=False)
            lacks(r.stdout + r.stderr, "\x1b[31m", command)
        contains(d.xadmin("ppm").stdout, "b?[31mad?name")
        r = d.run("ndrxtop", "-b", "-d", "0.1", "-s", "servers")
        lacks(r.stdout, "\x1b[31m")
