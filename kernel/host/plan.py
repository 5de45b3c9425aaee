# SPDX-License-Identifier: GPL-2.0-only
"""plan.py - the steps of each guest.

Claims find a result by the name of its step. "depth" raises limits inside its
guest; all other steps run on stock limits.
"""
SERVERS, THREADS = 250, 10
DEPTH = 65528
FULL = {"bare": 50000, "herd": 1500, "bank": 20000, "even": 100000,
        "chaos": 20000, "wake": 10000, "servers": SERVERS}
QUICK = {"bare": 10000, "herd": 500, "bank": 10000, "even": 10000,
         "chaos": 3000, "wake": 2000, "servers": SERVERS}
DEBUG = {"bare": 1000, "herd": 20, "bank": 1000, "even": 1000,
         "chaos": 1000, "wake": 500, "servers": 50}  # each costs a second
BANK = ["python3", "-B", "/verify/bank.py"]


def step(name, *argv, timeout=300, **more):
    """One step of a plan."""
    return dict(name=name, argv=[str(a) for a in argv], timeout=timeout,
                **more)


def bare(mode, calls, n, shape=(SERVERS, THREADS)):
    """Calls over bare queues, counted per server."""
    name = mode if shape == (SERVERS, THREADS) else "%s %d x %d" % (
        mode, *shape)
    return step("bare " + name, "/verify/spread", mode, *shape, calls,
                repeat=n["repeat"])


def selftests():
    """The kernel's own tests and those of the patches."""
    return [step("selftest " + name, "/selftests/" + name)
            for name in ("mq_poll_tests", "epoll_balance_test",
                         "mq_open_tests", "epoll_wakeup_test")]


def bank(wake, calls, n):
    """BANK with ndrxd, with this NDRX_WAKE."""
    return step("bank " + wake, *BANK, wake, n["servers"], THREADS, calls,
                timeout=600, repeat=n["repeat"])


def wakes(n):
    """How fifty waiters at one queue are woken, one event at a time."""
    return [step("wake " + way, "wake", "-k", "mqueue", "-w", way, "-n", 50,
                 "-e", n) for way in ("exclusive", "balanced")]


def depth():
    """Cost of a message in a queue of 65,528 others."""
    return [step("depth", "depth", "-k", "mqueue", "-d", DEPTH,
                 sysctl={"fs/mqueue/msg_max": 65536}, msgqueue=1 << 30)]


def chaos(n):
    """Servers are killed and stopped while they are called."""
    return [step("chaos", "python3", "-B", "/onewake/bench/run", "chaos",
                 "--json", "--calls", n["chaos"], "--servers", n["servers"],
                 timeout=900)]


def one_waker(n, quick):
    """Stock and patched: everything."""
    steps = [bare("excl", n["bare"], n), bare("herd", n["herd"], n),
             bare("excl", n["bare"], n, (4, 2)),
             step("doctor", "xadmin", "doctor", "--json",
                  env={"NDRX_QPREFIX": "/doctor", "NDRX_APPHOME": "/tmp"}),
             bank("exclusive", n["bank"], n), bank("bell", n["bank"], n),
             bank("even", n["even"], n)]
    steps += selftests()[:2] if quick else selftests()
    if not quick:
        steps += [bank("herd", n["herd"], n), *wakes(n["wake"]), *depth()]
    return steps + chaos(n)


def old_kernel(bare_calls, bank_calls, n):
    """Without EPOLLEXCLUSIVE, and with what brings it back."""
    return [bare("excl", bare_calls, n), bank("exclusive", bank_calls, n),
            selftests()[1]]


def plan(variant, quick, repeat=1):
    """The steps of a guest. What is told in time is told `repeat` times."""
    n = dict(QUICK if quick else FULL, repeat=repeat)
    if variant == "stock":
        return [bare("rotate", n["even"], n)] + one_waker(n, quick)
    if variant == "patched":
        return [bare("even", n["even"], n)] + one_waker(n, quick)
    if variant == "fixture":
        return old_kernel(n["herd"], n["herd"], n)
    if variant == "legacy":
        return old_kernel(n["bare"], n["bank"], n)
    n = dict(DEBUG, repeat=1)
    return [bare("excl", n["bare"], n), bare("even", n["bare"], n),
            bare("herd", n["herd"], n), bank("exclusive", n["bank"], n),
            bank("even", n["bank"], n), *selftests()[:3],
            *chaos(n)]
