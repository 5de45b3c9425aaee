# SPDX-License-Identifier: Apache-2.0
"""ablation.py - what each rule of waiting and waking is worth

Two domains stand side by side: one with all rules, one without the rule (or
group of rules) in question (NDRX_WAKE_POLICY). They work in turn, in short
rounds, so that what disturbs the machine disturbs both. A figure is the ratio
of a pair, with the rule to without it: above 1 the rule is a gain. The rule
`none` takes nothing away: its row is the noise of the job."""
from typing import NamedTuple

from domain import Domain
from queues import run_lines
from report import median
from ways import ways

NEVER = 10000000000  # ns; longer than any round
RULES = {
    "none": "",
    "pending": "pending_ns=0",
    "clock": "slow_ns=%d clock_every=1" % NEVER,
    "pollers": "pollers=65535",
    "looks": "look_max_ns=0",
    "yields": "yields=0",
    "costly": "yield_costly_ns=%d" % NEVER,
    "room": "room_part=65536",
    "runs": "run_max=0",
    "standby": "standby_ns=0",
    "doze": "doze_ns=0 waiting_ns=2000000",
    # groups
    "waits": "look_max_ns=0 yields=0",
    "crowd": "pending_ns=0 pollers=65535",
}
TABLE = (
    ("transport", "transport", 9, "%s"), ("job", "job", 7, "%s"),
    ("rule", "without", 8, "%s"), ("pairs", "pairs", 5, "%d"),
    ("with_rule", "with", 9, "%.0f"), ("without_rule", "without", 9, "%.0f"),
    ("ratio", "ratio", 6, "%.3f"), ("low", "25 %", 6, "%.3f"),
    ("high", "75 %", 6, "%.3f"), ("wins", "better", 6, "%d"),
    ("verdict", "", 6, "%s"),
)


class Job(NamedTuple):
    """One load, and the figure of it that counts."""
    server: str
    count: int
    program: str
    words: tuple
    figure: str  # calls_per_s: more is better; p99_us: less


JOBS = {
    "bank": Job("banksv", 250, "load",
                ("-s", "BALANCE", "-n", 60000, "-t", 10), "calls_per_s"),
    "lone": Job("echosv", 4, "load",
                ("-s", "ECHO", "-n", 30000, "-t", 1, "-z", 200),
                "calls_per_s"),
    "echo": Job("echosv", 4, "load",
                ("-s", "ECHO", "-n", 50000, "-t", 4, "-z", 200),
                "calls_per_s"),
    "burn": Job("worksv", 250, "workcl", ("burn100", 100, 2), "p99_us"),
    "net": Job("worksv", 250, "workcl", ("net", 200, 1), "calls_per_s"),
    "mixed": Job("worksv", 250, "workcl", ("mixed", 50, 1), "p99_us"),
    "oneway": Job("echosv", 4, "load",
                  ("-s", "SINK", "-1", "-n", 300000, "-t", 4, "-z", 200),
                  "calls_per_s"),
    "crowd": Job("banksv", 4000, "load",
                 ("-s", "BALANCE", "-n", 60000, "-t", 10), "calls_per_s"),
    "tail": Job("banksv", 250, "pace",
                ("-s", "BALANCE", "-t", 10, "-d", 0.5, "-r", 50000,
                 "-p", 100), "p99_us"),
}


def bench_ablation(m):
    """What each rule of waking is worth: pairs with it and without it."""
    rules = m.rule or list(RULES)
    for way in ways(m.transport):
        for name in m.job or list(JOBS):
            compare_all(m, way, name, rules)


def compare_all(m, way, name, rules):
    """One job: a domain with all rules beside one without each."""
    job = JOBS[name]
    with Domain(m.bin, job.server, job.count, env=way.env()) as whole:
        whole.start()
        for rule in rules:
            env = {**way.env(), "NDRX_WAKE_POLICY": RULES[rule]}
            with Domain(m.bin, job.server, job.count, env=env) as less:
                m.report.note("ablation, %s, %s: %s" % (way, name, rule))
                less.start()
                pairs = [pair(m, job, whole, less, i % 2)
                         for i in range(m.rounds)]
                less.stop()
            show(m, way, name, rule, pairs)
        whole.stop()


def pair(m, job, whole, less, turned):
    """One round of each, in turned order every second time: figures."""
    order = (less, whole) if turned else (whole, less)
    got = {dom: one(m, job, dom) for dom in order}
    return got[whole], got[less]


def one(m, job, dom):
    """One round: its figure."""
    wait = () if job.program == "workcl" else ("-w", dom.count)
    row = run_lines(dom.command(job.program, *wait, *job.words), dom.env)[-1]
    if row.get("failed"):
        m.report.fail("ablation: %d calls failed" % row["failed"])
    return row[job.figure]


def show(m, way, name, rule, pairs):
    """Median and quartiles of the ratios; a gain if 4 of 5 pairs say so."""
    less_is_better = JOBS[name].figure.endswith("_us")
    ratios = sorted((b / a if less_is_better else a / b)
                    for a, b in pairs if a > 0 and b > 0)
    n = len(ratios)
    wins = sum(r > 1 for r in ratios)
    verdict = "gain" if wins >= 0.8 * n else \
        "loss" if wins <= 0.2 * n else "noise"
    m.report.row(TABLE, {
        "bench": "ablation", "transport": way.transport, "job": name,
        "rule": rule, "pairs": n, "with_rule": median(a for a, _ in pairs),
        "without_rule": median(b for _, b in pairs),
        "ratio": round(median(ratios), 4), "low": round(ratios[n // 4], 4),
        "high": round(ratios[n - 1 - n // 4], 4), "wins": wins,
        "verdict": verdict})
