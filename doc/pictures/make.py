#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py - the pictures of ndrxtop, from a real domain in a real terminal

    OW_BUILD=build/release python3 doc/pictures/make.py

Boots a domain of test servers that behave like a bank on a bad night, shows
each screen in tmux and writes what stands there as SVG beside this file.
"""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.dont_write_bytecode = True
sys.path[:0] = [os.path.join(ROOT, "tests", "e2e"), HERE]
os.environ["OW_BUILD"] = os.path.abspath(
    os.environ.get("OW_BUILD", os.path.join(ROOT, "build", "release")))

from fixture import Domain, kill  # noqa: E402
from machine import start_guard  # noqa: E402
from svg import picture  # noqa: E402
from terminal import Terminal  # noqa: E402

COLUMNS, LINES = 120, 32
SERVERS = (
    {"name": "accountsv", "srvid": 100, "min": 24, "max": 24,
     "appopt": "BALANCE=ECHO STATEMENT=UPPER"},
    {"name": "paymentsv", "srvid": 200, "min": 8, "max": 8,
     "appopt": "DEPOSIT=NAP WITHDRAW=NAP"},
    {"name": "limitsv", "srvid": 300, "min": 4, "max": 4,
     "appopt": "LIMITS=ECHO BLACKLIST=FAIL"},
    {"name": "reportsv", "srvid": 400, "min": 2, "max": 2,
     "appopt": "REPORT=SLEEP", "pingtime": 300, "ping_max": 300},
    {"name": "fraudsv", "srvid": 500, "appopt": "FRAUD=CRASH PING=ECHO"},
)
# Screens: name of the file, keys that lead there.
PICTURES = (
    ("services", "1"), ("servers", "2"), ("queues", "3"), ("clients", "4"),
    ("events", "5"), ("wake-ups", "6"), ("closer", "1 Enter"),
    ("calls", "c"), ("question", "1 2 End x"), ("help", "n 1 ?"),
)


def program(d, name):
    """The test server under another name."""
    folder = os.path.join(d.home, "bin")
    os.makedirs(folder, exist_ok=True)
    os.link(d.program("testsv"), os.path.join(folder, name)) \
        if os.stat(folder).st_dev == os.stat(d.program("testsv")).st_dev \
        else os.symlink(d.program("testsv"), os.path.join(folder, name))


def load(d):
    """Clients at work until they are killed."""
    for svc, clients in (("BALANCE", 4), ("STATEMENT", 1), ("DEPOSIT", 10),
                         ("WITHDRAW", 2), ("LIMITS", 1)):
        for _ in range(clients):
            d.client().begin("calls", svc, 100000000, 1, 20)
    for _ in range(6):
        d.client().begin("call", "REPORT", "-", "STRING:90000")
    for _ in range(9):
        d.call("BLACKLIST", "x")
    for _ in range(2):
        d.call("FRAUD", "x")
        time.sleep(1.5)


def shoot(t, name, prefix):
    lines = t.coloured()[:LINES]
    shown = ("/bank" + " " * len(prefix))[:len(prefix) + 1]
    lines = [n.replace("/" + prefix, shown) for n in lines]
    with open(os.path.join(HERE, f"ndrxtop-{name}.svg"), "w",
              encoding="utf-8") as f:
        f.write(picture(lines, COLUMNS, f"ndrxtop: {name}"))


def main():
    start_guard()
    with Domain(small=False) as d:
        d.env["PATH"] = f"{d.home}/bin:{d.env['PATH']}"
        for s in SERVERS:
            program(d, s["name"])
        d.boot(*SERVERS)
        with Terminal(d, "ndrxtop", "-d", "0.25", columns=COLUMNS,
                      lines=LINES) as t:
            load(d)
            time.sleep(float(os.environ.get("SECONDS", "20")))
            for name, keys in PICTURES:
                for key in keys.split():
                    t.keys(key)
                    time.sleep(0.4)
                time.sleep(3 if name == "wake-ups" else 0.8)
                shoot(t, name, d.prefix)
            t.keys("Escape")
        # The first terminal has ended: closing one waits for all of a domain.
        with Terminal(d, "ndrxtop", "-d", "0.25") as small:
            small.wait("REPORT")
            time.sleep(4)
            lines = [n.replace("/" + d.prefix, "/bank     ")
                     for n in small.coloured()[:24]]
            with open(os.path.join(HERE, "ndrxtop-80x24.svg"), "w",
                      encoding="utf-8") as f:
                f.write(picture(lines, 80, "ndrxtop: 80 x 24"))
        for c in d.clients:
            c.kill()
        d.clients.clear()
        for row in d.rows("ppm"):
            if row.program == "reportsv":
                kill(row.pid)


main()
