# SPDX-License-Identifier: Apache-2.0
"""chaos.py - the benchmark of dying servers: chaos"""
from domain import Domain
from ways import ways


def bench_chaos(m):
    """Calls while servers are killed, or stopped and continued."""
    calls = m.calls or 1000000
    count = (m.servers or [250])[0]
    threads = (m.threads or [10])[0]
    for way in ways(m.transport):
        for mode in m.mode or ["kill", "busy", "stop"]:
            m.report.note("chaos: %s, %s" % (way, mode))
            with Domain(m.bin, "banksv", count, restart=0,
                        env=way.env()) as dom:
                dom.start()
                row = dom.run("chaos", "-m", mode, "-n", calls, "-t",
                              threads, "-w", count)
                if not row["clean"]:
                    m.report.fail(dom.log_tail())
                dom.stop()
                row["left_behind"] = len(dom.leftovers())
            m.report.facts({"bench": "chaos", "transport": way.transport,
                            "wake": way.wake, **row})
            if not row["clean"] or row["left_behind"]:
                m.report.fail("chaos %s: %s" % (mode, row.get("why", "")))
