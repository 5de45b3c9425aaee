# SPDX-License-Identifier: Apache-2.0
"""transfer_demo.py - ./demo --transfer: money moves, processes die, the sum stays

First between durable queues alone, which need no database; then between a queue
and PostgreSQL, where that is installed.
"""
import os
import random
import time

from domain import DomainFailed
from money import Money, databases
from transfers import Fire, all_back, settle

CLIENTS = 4


def show_transfers(screen, m):
    """Both acts; DomainFailed if money is lost."""
    act(screen, m, "Coins move between two durable queues", {})
    dbs = databases(os.path.join(os.path.dirname(m.bin), "lib"), ("PG",))
    if dbs:
        act(screen, m, "Money moves between PostgreSQL and a durable queue",
            dbs)
    else:
        screen.title("PostgreSQL is not installed: that part is left out.")
    print("Nothing is left behind: no process, no queue, no shared memory.")


def act(screen, m, title, dbs):
    screen.title(title + ", each time in a transaction")
    with Money(m.bin, dbs) as dom:
        screen.doing("starting")
        screen.line("start", "%d servers ready in %.2f s" % (
            dom.count, dom.open()))
        before = dom.total()
        screen.line("money", "%d in %s" % (before, ", ".join(dom.places)))
        dom.begin_clients(CLIENTS, m.transfers)
        fire = Fire(dom, random.Random())
        while any(p.poll() is None for p in dom.clients):
            told = len(dom.told())
            screen.doing("%d of %d transfers" % (told,
                                                 CLIENTS * m.transfers))
            if sum(fire.deeds.values()) * CLIENTS * m.transfers < 4 * told:
                fire.kill_server()
            time.sleep(0.1)
        all_back(dom)
        report(screen, dom, fire, before)
        dom.stop()
        if dom.leftovers():
            raise DomainFailed("left behind: " + ", ".join(
                dom.leftovers()[:10]))


def report(screen, dom, fire, before):
    """What became of the money."""
    doubt = settle(dom)
    told = [t[2] for t in dom.told().values()]
    screen.line("killed", "%d servers, coordinators and queue managers "
                "meanwhile" % sum(fire.deeds.values()))
    screen.line("transfers", "%d done, %d undone, %d of unknown outcome" % (
        told.count("done"), told.count("undone"), told.count("unknown")))
    left = len(dom.in_doubt())
    screen.line("in doubt", "%d branches" % left if left else
                "nothing; %.1f s for the last branch" % doubt)
    after = dom.total()
    wrong = dom.books().problems()
    screen.line("money", "%d: %s" % (after, "the sum is exact"
                                     if after == before else "LOST"))
    if after != before or wrong or left:
        raise DomainFailed("money is lost, or somebody was told a wrong "
                           "outcome: %s" % wrong[:5])
