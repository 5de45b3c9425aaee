# SPDX-License-Identifier: Apache-2.0
"""client.py - the driver of bench/run bindings in Python

    client.py echo CALLS THREADS    a CARRAY of 200 bytes to ECHO and back
    client.py bank CALLS THREADS    BALANCE, each reply checked
    client.py tasks CALLS TASKS     BALANCE, from one event loop
    client.py contexts TIMES        a thread's context made, used and freed
    client.py fields TIMES          20 fields: dict to buffer, buffer to dict

The result is one JSON object: calls_per_s, failed, and the memory after a tenth and at
the end, or nanoseconds.
"""
import asyncio
import json
import sys
import threading
import time

import onewake
from onewake import aio

DATA = b"x" * 200
FIELDS = {**{f"L_S{i}": f"text {i}" for i in range(1, 9)},
          **{f"L_L{i}": i * 1000 for i in range(1, 7)},
          **{f"L_D{i}": i * 1.5 for i in range(1, 5)}, "L_H1": 3, "L_C1": b"bytes"}


def question(n):
    return {"T_ACCNUM": f"ACC{n:011d}", "T_ACCCUR": "USD"}


def is_right(reply, n):
    return reply["T_AMTAVL"][0] == n / 100


def echo(calls):
    call = onewake.call
    return sum(call("ECHO", DATA) != DATA for _ in range(calls))


def bank(calls):
    call = onewake.call
    return sum(not is_right(call("BALANCE", question(n)), n) for n in range(calls))


def contexts(times):
    failed = 0
    for _ in range(times):
        failed += onewake.call("ECHO", DATA) != DATA
        onewake.term()
    return failed


def rss_kb():
    with open("/proc/self/status", encoding="ascii") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


def by_threads(work, calls, n):
    failed = []

    def one():
        failed.append(work(calls // n))
        onewake.term()
    threads = [threading.Thread(target=one) for _ in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return sum(failed)


async def by_tasks(calls, n):
    numbers, failed = iter(range(calls)), 0

    async def one():
        nonlocal failed
        for number in numbers:
            failed += not is_right(await aio.call("BALANCE", question(number)), number)
    await asyncio.gather(*(one() for _ in range(n)))
    return failed


def fields(times):
    def ns(what):
        best, each = 1e9, max(1, times // 100)
        for _ in range(100):  # one of these is not interrupted
            start = time.perf_counter_ns()
            for _ in range(each):
                what()
            best = min(best, (time.perf_counter_ns() - start) / each)
        return round(best)
    buffer = onewake.Buffer(FIELDS)
    return {"put_ns": ns(lambda: onewake.Buffer(FIELDS)), "get_ns": ns(buffer.decode)}


def main():
    what, n, *more = sys.argv[1:]
    n, callers = int(n), int(more[0]) if more else 1
    if what == "fields":
        print(json.dumps(fields(n)))
        return
    try:  # join, and find the services
        is_echo = what in ("echo", "contexts")
        onewake.call("ECHO" if is_echo else "BALANCE", DATA if is_echo else question(1))
        start, failed, memory = time.monotonic(), 0, []
        for part in (n // 10, n - n // 10):
            failed += asyncio.run(by_tasks(part, callers)) if what == "tasks" else by_threads(
                {"echo": echo, "bank": bank, "contexts": contexts}[what], part, callers)
            memory.append(rss_kb())
    except onewake.AtmiError as e:
        sys.exit(f"client.py: {e}")
    print(json.dumps({"calls_per_s": round(n / (time.monotonic() - start)), "failed": failed,
                      "rss_kb": memory}))


main()
