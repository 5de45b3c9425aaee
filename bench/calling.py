# SPDX-License-Identifier: Apache-2.0
"""calling.py - the calls of ./demo: the driver, with visible progress"""
import json
import subprocess
import tempfile
import time

from domain import DomainFailed


def call(screen, dom, calls, threads, servers, show=True, halfway=None):
    """Run the driver with visible progress: its result. It begins when so many
    servers are ready. `halfway` is called in the middle, while calls go on."""
    begun = time.monotonic()
    noted = False
    screen.step = 0
    command = dom.command("load", "-p", "-s", "BALANCE", "-n", calls, "-t",
                          threads, "-w", servers)
    with tempfile.TemporaryFile("w+") as out, \
            subprocess.Popen(command, env=dom.env, stdout=out, text=True,
                             stdin=subprocess.DEVNULL,
                             stderr=subprocess.PIPE) as driver:
        words = []
        for line in driver.stderr:
            if not line.startswith("progress "):
                words.append(line)
                continue
            if show:
                screen.progress(int(line.split()[1]), calls,
                                time.monotonic() - begun)
            if not noted:  # the queues of the callers, to look for later
                dom.note_queues()
                noted = True
            if halfway is not None and int(line.split()[1]) * 2 >= calls:
                halfway()
                halfway = None
        driver.wait()
        if halfway is not None and driver.returncode == 0:
            raise DomainFailed("%d calls are over too soon for something to "
                               "happen in their middle: --calls" % calls)
        out.seek(0)
        try:
            result = json.load(out)
        except ValueError:
            raise DomainFailed("the calls ended with status %d\n%s" % (
                driver.returncode, "".join(words[-10:]))) from None
    screen.clear()
    return result
