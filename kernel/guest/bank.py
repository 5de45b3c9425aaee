# SPDX-License-Identifier: GPL-2.0-only
"""bank.py WAKE SERVERS THREADS CALLS - BANK under ndrxd, in a guest.

Starts the domain, calls BALANCE, stops it: one JSON object with the driver's
figures, the spread summed up, and what was left behind.
"""
import json
import sys

sys.path.insert(0, "/onewake/bench")

from domain import Domain  # noqa: E402


def main():
    wake, servers, threads, calls = sys.argv[1], *map(int, sys.argv[2:5])
    with Domain("/onewake/build/bin", "banksv", servers,
                env={"NDRX_WAKE": wake}) as dom:
        dom.start()
        row = dom.run("load", "-w", servers, "-s", "BALANCE", "-n", calls,
                      "-t", threads)
        dom.stop()
        row["left_behind"] = dom.leftovers()
    spread = row.pop("spread")
    row["servers_used"] = sum(n > 0 for n in spread)
    row["largest_share"] = round(max(spread) * servers / calls, 3)
    print(json.dumps(row))
    return 1 if row["failed"] or row["wrong"] or row["left_behind"] else 0


if __name__ == "__main__":
    sys.exit(main())
