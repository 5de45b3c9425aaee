#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - check the models of the transports with spin

    python3 tests/model/run.py [--long] [MODEL]

Each claim is one exhaustive search of a model. Most must hold; those that
leave something out of the protocol must not: they show that the model can
fail, and what each part of the protocol is there for. A failure prints the
steps that lead to it. Exit code 0 when every claim came out as it should.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
MEMORY_MB = 4000


class Claim(NamedTuple):
    """One search: of which model, with what defined, holds or not."""
    model: str
    holds: bool
    what: str
    defines: str
    long: bool = False


RING_1_2 = "SENDERS=1 TAKERS=2 EACH=3 CIRCLES"
RING_2_1 = "SENDERS=2 TAKERS=1 EACH=2 CIRCLES"
ONE_SENDER = "SENDERS=1 EACH=2"
CLAIMS = (
    Claim("ring", True, "two takers, one death", RING_1_2),
    Claim("ring", True, "two senders, one death", RING_2_1),
    Claim("ring", True, "two and two, two deaths", "EACH=1 DEATHS=2"),
    Claim("ring", True, "two and two, one death", "EACH=2", long=True),
    Claim("ring", False, "put does not help with the tail",
          RING_2_1 + " NO_HELP_TAIL"),
    Claim("ring", False, "take does not help with the head",
          RING_1_2 + " NO_HELP_HEAD"),
    Claim("ring", False, "blocks are not claimed", RING_1_2 + " NO_CLAIM"),
    Claim("ring", False, "cells have no lap", RING_1_2 + " NO_LAP"),
    Claim("ring", False, "stale cells stay", RING_1_2 + " NO_DROP_STALE"),
    Claim("avail", True, "three senders, two priorities", ""),
    Claim("avail", True, "one death, repaired", "DEATHS=1"),
    Claim("avail", False, "a cleared ring is not checked again",
          "NO_SECOND_CHECK"),
    Claim("avail", False, "the bit is set before the message",
          "BIT_FIRST"),
    Claim("avail", False, "one death, never repaired",
          "DEATHS=1 NO_REPAIR"),
    Claim("room", True, "two senders, two takers", ""),
    Claim("room", False, "a sender looks before its wish is visible",
          "NO_SENDER_FENCE"),
    Claim("room", False, "a taker looks before its taking is visible",
          "NO_TAKER_FENCE"),
    Claim("wake", True, "two senders", ""),
    Claim("wake", True, "two messages in a row", ONE_SENDER),
    Claim("wake", True, "servers held up", ONE_SENDER + " HELD=1"),
    Claim("wake", True, "servers that leave", ONE_SENDER + " LEAVES=1"),
    Claim("wake", True, "overdue wake-ups", ONE_SENDER + " OVERDUE"),
    Claim("wake", True, "two queues", ONE_SENDER + " QUEUES=2"),
    Claim("wake", True, "polls", ONE_SENDER + " TICKS=2"),
    Claim("wake", True, "polls, two senders", "TICKS=1", long=True),
    Claim("wake", True, "one death", ONE_SENDER + " DEATHS=1"),
    Claim("wake", True, "servers that look", ONE_SENDER + " LOOKS"),
    Claim("wake", True, "servers that look, two queues",
          ONE_SENDER + " LOOKS QUEUES=2", long=True),
    Claim("wake", True, "servers that look, two senders", "LOOKS", long=True),
    Claim("wake", True, "servers that look, polls",
          ONE_SENDER + " LOOKS TICKS=1"),
    Claim("wake", True, "servers that look, one death",
          ONE_SENDER + " LOOKS DEATHS=1", long=True),
    Claim("wake", False, "a waker gives up when a look ends",
          ONE_SENDER + " LOOKS NO_SECOND_TRY"),
    Claim("wake", False, "a server that was chosen stores IDLE",
          ONE_SENDER + " LOOKS STORES_IDLE"),
    Claim("wake", True, "one death, calls one by one",
          "SENDERS=1 EACH=3 DEATHS=1 CLOSED", long=True),
    Claim("wake", True, "three servers", "SERVERS=3 SENDERS=1 EACH=2",
          long=True),
    Claim("wake", False, "no check after going idle",
          ONE_SENDER + " NO_CHECK_AFTER_IDLE"),
    Claim("wake", False, "the last check before going idle",
          ONE_SENDER + " IDLE_AFTER_CHECK"),
    Claim("wake", False, "a woken server does not wake the next",
          ONE_SENDER + " HELD=1 NO_CHECK_ON_FINISH"),
    Claim("wake", False, "no check after clearing `pending_wake`",
          "NO_CHECK_AFTER_CLEARING"),
    Claim("wake", False, "woken in vain, wake-up stays pending", ONE_SENDER + " NO_FINISH"),
    Claim("wake", False, "senders ignore pending wake-ups", ONE_SENDER + " NO_PENDING"),
    Claim("wake", False, "a server that leaves wakes no other",
          "QUEUES=2 SENDERS=1 EACH=3 LEAVES=1 NO_NOTIFY_ON_LEAVE"),
    Claim("wake", False, "wake-ups of the dead are never overdue",
          "SENDERS=1 EACH=3 DEATHS=1 CLOSED NO_AGE"),
    Claim("wake", False, "a polling server wakes no server",
          ONE_SENDER + " DEATHS=1 NO_NOTIFY_ON_TICK"),
    Claim("bell", True, "two senders", ""),
    Claim("bell", True, "two senders, two messages each", "EACH=2", long=True),
    Claim("bell", True, "three messages in a row, a server held up",
          "SENDERS=1 EACH=3 HELD=1"),
    Claim("bell", True, "three servers, two held up",
          "SERVERS=3 SENDERS=1 EACH=3 HELD=2", long=True),
    Claim("bell", True, "servers that leave, polls",
          "SENDERS=1 EACH=3 LEAVES=1 TICKS=1"),
    Claim("bell", True, "servers that are late, held up",
          "SENDERS=1 EACH=3 LATE HELD=1"),
    Claim("bell", True, "servers that look", "SENDERS=1 EACH=3 LOOKS HELD=1"),
    Claim("bell", True, "servers that look, two senders", "LOOKS HELD=1",
          long=True),
    Claim("bell", True, "servers that doze", ONE_SENDER + " DOZES"),
    Claim("bell", True, "servers that doze, held up",
          "SENDERS=1 EACH=3 DOZES HELD=1", long=True),
    Claim("bell", True, "servers that doze, two senders", "DOZES", long=True),
    Claim("bell", True, "servers that doze, or stand by",
          ONE_SENDER + " DOZES STANDBYS", long=True),
    Claim("bell", True, "servers that doze, late ones, held up",
          ONE_SENDER + " DOZES LATE HELD=1", long=True),
    Claim("bell", True, "dozes that end, one death",
          ONE_SENDER + " DOZES DOZES_END DEATHS=1", long=True),
    Claim("bell", False, "who dozes does not look for a byte",
          "DOZES NO_FIRST_LOOK"),
    Claim("bell", False, "who has written a byte does not look who dozes",
          "DOZES NO_SECOND_LOOK"),
    Claim("bell", True, "a kept queue", ONE_SENDER + " KEPT=2 HELD=1"),
    Claim("bell", True, "one death, one nudge", "DEATHS=1"),
    Claim("bell", True, "callers that nudge while a server is on its way",
          "SENDERS=1 EACH=2 ASKS=2 HELD=1"),
    Claim("bell", True, "the same, one death",
          ONE_SENDER + " ASKS=1 DEATHS=1"),
    Claim("bell", True, "one death, one nudge, three in a row",
          "SENDERS=1 EACH=3 HELD=1 DEATHS=1"),
    Claim("bell", True, "servers that stand by while others work",
          "SENDERS=1 EACH=3 STANDBYS"),
    Claim("bell", True, "the same, two senders", "STANDBYS"),
    Claim("bell", True, "the same, late ones", ONE_SENDER + " STANDBYS LATE"),
    Claim("bell", True, "three servers, of whom one may stand by",
          "SERVERS=3 SENDERS=1 EACH=3 STANDBYS", long=True),
    Claim("bell", False, "a sender that wakes nobody says nothing", "NO_MORE"),
    Claim("bell", False, "a server that arrives does not look",
          "EACH=2 HELD=1 NO_LOOK_ON"),
    Claim("bell", False, "the word is read, then cleared",
          ONE_SENDER + " TWO_STEPS"),
    Claim("bell", False, "a server that has looked leaves no MORE",
          "SENDERS=1 EACH=3 HELD=1 NEVER_SEVERAL"),
    Claim("bell", False, "a server that has looked sets MORE after the byte",
          "SENDERS=1 EACH=4 SEVERAL_LATER"),
    Claim("bell", False, "the byte before the word", ONE_SENDER + " BYTE_FIRST"),
    Claim("bell", False, "a server that joins nudges nobody",
          "SENDERS=0 KEPT=2 NO_NUDGE_ON_JOIN"),
    Claim("bell", False, "who finds the queue empty says nothing",
          "SENDERS=1 EACH=3 STANDBYS NO_EMPTY"),
    Claim("bell", False, "who finds the queue empty lets one stand by",
          "SENDERS=1 EACH=3 STANDBYS STAYS"),
    Claim("bell", False, "who ends a standby does not receive once more",
          "SENDERS=1 EACH=3 STANDBYS ONCE NOT_TOLD"),
    Claim("bell", False, "nor looks for more when it has received it",
          "SENDERS=1 EACH=3 STANDBYS NOT_TOLD"),
    Claim("bell", False, "who works leaves while one stands by",
          "SENDERS=1 EACH=3 STANDBYS CUT"),
    Claim("bell", False, "a nudge for one message only",
          "SENDERS=1 EACH=3 DEATHS=1 NUDGE_FOR_ONE"),
)


def step(command, folder, what):
    """Run one tool; its output. It must succeed."""
    done = subprocess.run(command, cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if done.returncode != 0:
        raise SystemExit("%s: %s" % (what, done.stdout[-2000:]))
    return done.stdout


def search(claim, folder):
    """Search all states: (did it hold, number of states, the trail)."""
    model = os.path.join(HERE, claim.model + ".pml")
    flags = ["-D" + d for d in claim.defines.split()]
    step(["spin", "-a", *flags, model], folder, "spin")
    step(["cc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DMEMLIM=%d" %
          MEMORY_MB, "-o", "pan", "pan.c"], folder, "cc")
    # -E: processes that died, or wait for ever, are no error by themselves.
    out = step(["./pan", "-m1000000", "-E"], folder, "pan")
    errors = re.search(r"errors: (\d+)", out)
    states = re.search(r"(\d+) states, stored", out)
    if errors is None or states is None or "memory" in out.split(
            "State-vector")[0] or "max search depth too small" in out:
        raise SystemExit("%s: the search is not complete:\n%s" % (
            claim.model, out[-1500:]))
    trail = ""
    if errors.group(1) != "0":
        trails = [f for f in os.listdir(folder) if f.endswith(".trail")]
        trail = step(["spin", "-t", "-p", "-g", "-k", trails[0], *flags,
                      model], folder, "spin -t")
    return errors.group(1) == "0", int(states.group(1)), trail


def check(claim):
    """One claim: True when it came out as it should."""
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="onewake-model-") as folder:
        held, states, trail = search(claim, folder)
    good = held == claim.holds
    print("%-6s %-5s %-6s %-42s %11s states %5.1f s" % (
        "ok" if good else "FAILED", claim.model,
        "holds" if held else "fails", claim.what, f"{states:,}",
        time.monotonic() - begun), flush=True)
    if not good and trail:
        print("\n".join(trail.splitlines()[-80:]))
    return good


def main():
    words = sys.argv[1:]
    long = "--long" in words or os.environ.get("OW_LONG") == "1"
    models = [w for w in words if not w.startswith("-")]
    if not shutil.which("spin"):
        raise SystemExit("the models need spin: apt-get install -y spin")
    claims = [c for c in CLAIMS if (long or not c.long) and
              (not models or c.model in models)]
    if not claims:
        raise SystemExit(__doc__)
    results = [check(c) for c in claims]
    print("claims that are as they should be:")
    print("%d passed, %d failed" % (sum(results), results.count(False)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
