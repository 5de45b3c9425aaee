# SPDX-License-Identifier: Apache-2.0
"""demo_cluster.py - ./demo --cluster: three domains, one is killed and back

All calls come from node 1. Whatever happens to the others, it is the same
program that calls the same service.
"""
import contextlib
import json
import os
import secrets
import time

from calling import call
from cluster import Nats
from domain import Domain, DomainFailed
from screen import BAR, number, short_time

NODES = (1, 2, 3)
PATIENCE = 30  # seconds
CONFIG = """<?xml version="1.0"?>
<endurox>
	<appconfig>
		<sanity>1</sanity>
		<restart_min>1</restart_min>
		<restart_step>1</restart_step>
		<restart_max>5</restart_max>
	</appconfig>
	<defaults>
		<min>1</min>
		<max>1</max>
		<autokill>1</autokill>
		<start_max>30</start_max>
		<pingtime>10</pingtime>
		<ping_max>30</ping_max>
		<end_max>5</end_max>
		<killtime>1</killtime>
	</defaults>
	<cluster name="{cluster}" urls="{url}" node="{node}"/>
	<servers>
		<server name="banksv">
			<srvid>1</srvid>
			<min>{servers}</min>
			<max>{servers}</max>
			<sysopt>-e ${{NDRX_APPHOME}}/log/banksv.log</sysopt>
		</server>
		<server name="ndrxbridge">
			<srvid>900</srvid>
			<sysopt>-e ${{NDRX_APPHOME}}/log/ndrxbridge.log</sysopt>
		</server>
	</servers>
</endurox>
"""


class Nodes:
    """The domains, and how many calls each has served."""

    def __init__(self, m, stack):
        name = "demo" + secrets.token_hex(4)
        self.servers = m.servers
        url = stack.enter_context(Nats()).url
        env = {"NDRX_TRANSPORT": m.transport} if m.transport else {}
        self.dom = {n: stack.enter_context(
            Domain(m.bin, count=m.servers + 1, env=env)) for n in NODES}
        self.base = {n: 0 for n in NODES}
        for n, dom in self.dom.items():
            with open(dom.settings["NDRX_CONFIG"], "w",
                      encoding="utf-8") as f:
                f.write(CONFIG.format(cluster=name, url=url, node=n,
                                      servers=m.servers))

    def offers(self, node, program):
        """Rows of servers of this program that offer BALANCE at the node."""
        try:
            rows = json.loads(self.dom[node].xadmin("psc", "--json") or "[]")
        except DomainFailed:
            return []
        return [r for r in rows if r["service"] == "BALANCE" and
                r["program"] == program]

    def total(self, node):
        """Calls that servers of the node have served since it started."""
        return sum(r["succeeded"] for r in self.offers(node, "banksv"))

    def mark(self):
        """From now on calls are counted."""
        self.base = {n: self.total(n) for n in NODES}

    def served(self):
        """Calls since mark(), by node."""
        return {n: max(self.total(n) - self.base[n], 0) for n in NODES}

    def wait(self, what, condition):
        """Until it is so."""
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise DomainFailed("not within %d s: %s\n%s" % (
                    PATIENCE, what, self.dom[1].log_tail()))
            time.sleep(0.02)

    def links(self, *others):
        """Does node 1 see just these?"""
        rows = json.loads(self.dom[1].xadmin("pnet", "--json") or "[]")
        return {r["node"] for r in rows if r["up"] and r["services"] > 0} == \
            set(others)


def picture(screen, served):
    """A bar for each node, as long as its share."""
    every = sum(served.values()) or 1
    for node, count in sorted(served.items()):
        part = round(count * BAR / every)
        screen.line("  node %d" % node, "%s%s %9s calls" % (
            "#" * part, "." * (BAR - part), number(count)))


def figures(screen, result):
    """Of one run."""
    screen.line("calls per second", "%s, half within %s, 99 %% within %s" % (
        number(result["calls_per_s"]), short_time(result["p50_us"]),
        short_time(result["p99_us"])))


def run(screen, nodes, m, halfway=None):
    """All calls of one part of the demo: the result, and who has served."""
    nodes.mark()
    screen.doing("calling")
    result = call(screen, nodes.dom[1], m.calls, m.threads, 0,
                  halfway=halfway)
    if result["wrong"] or (result["failed"] and halfway is None):
        raise DomainFailed("%s calls failed %s, %s answers were wrong\n%s" % (
            number(result["failed"]), result["errors"] or "",
            number(result["wrong"]), nodes.dom[1].log_tail()))
    figures(screen, result)
    return result


def part_local(screen, nodes, m):
    screen.title("Node 1 has servers: none of its calls goes to another")
    run(screen, nodes, m)
    picture(screen, nodes.served())


def part_remote(screen, nodes, m):
    screen.title("The servers of node 1 stop: nodes 2 and 3 serve its calls")
    nodes.dom[1].xadmin("stop", "-s", "banksv", "-y")
    nodes.wait("node 1 offers BALANCE of others",
               lambda: nodes.offers(1, "ndrxbridge"))
    run(screen, nodes, m)
    picture(screen, nodes.served())


def part_killed(screen, nodes, m):
    """Node 2 dies halfway; its counters are read before it starts again."""
    screen.title("Node 2 is killed in the middle: its bridge, its servers, "
                 "its ndrxd")
    dead = {}

    def die():
        dead.update(nodes.served())
        nodes.dom[2].note_queues()
        nodes.dom[2].kill_processes()
    result = run(screen, nodes, m, halfway=die)
    served = nodes.served()
    served[2] = m.calls - result["failed"] - served[1] - served[3]
    picture(screen, served)
    told = ", ".join("%s %s" % (number(n), name)
                     for name, n in sorted(result["errors"].items()))
    screen.line("callers were told", told or "no call was under way there")
    if served[2] < dead[2]:
        raise DomainFailed("node 3 has served calls of node 2 again")


def part_back(screen, nodes, m):
    screen.title("Node 2 is back")
    nodes.wait("node 2 is gone", lambda: nodes.links(3))
    begun = time.monotonic()
    nodes.dom[2].start()
    nodes.wait("node 1 sees node 2", lambda: nodes.links(2, 3))
    screen.line("start", "node 1 uses it again after %.1f s" %
                (time.monotonic() - begun))
    run(screen, nodes, m)
    picture(screen, nodes.served())


def stop(screen, nodes):
    """All in order; nothing may be left."""
    screen.doing("stopping")
    left = []
    for dom in nodes.dom.values():
        dom.stop()
        left += dom.leftovers()
    if left:
        raise DomainFailed("left behind: " + ", ".join(left[:10]))
    screen.clear()
    print("\nNothing is left behind: no process, no queue, no shared memory.")


def show_cluster(screen, m):
    """Everything; domains and nats-server end with it."""
    if not os.access(os.path.join(m.bin, "ndrxbridge"), os.X_OK):
        raise DomainFailed("ndrxbridge is not built: libnats-dev is missing")
    with contextlib.ExitStack() as stack:
        nodes = Nodes(m, stack)
        screen.title("3 domains, %d servers of BALANCE each, one nats-server; "
                     "%d threads call at node 1" % (m.servers, m.threads))
        begun = time.monotonic()
        screen.doing("starting three domains")
        for dom in nodes.dom.values():
            dom.start()
        nodes.wait("the nodes see each other", lambda: nodes.links(2, 3))
        screen.line("start", "the nodes know each other after %.1f s" %
                    (time.monotonic() - begun))
        for part in (part_local, part_remote, part_killed, part_back):
            part(screen, nodes, m)
        stop(screen, nodes)
