#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bankcl.py - the client of the BANK example in Python

    bankcl.py [CALLS [THREADS]]         threads that call, as bankcl.c does
    bankcl.py --async [CALLS [TASKS]]   tasks of one event loop

Every reply is checked. The exit status is 0 if all replies were right.
"""
import asyncio
import sys
import threading
import time
from typing import Any

import onewake
from onewake import aio


def question(number: int) -> dict[str, str]:
    return {"T_ACCNUM": f"ACC{number:011d}", "T_ACCCUR": "USD"}


def is_right(reply: dict[str, list[Any]], number: int) -> bool:
    return bool(reply["T_AMTAVL"][0] == number / 100)


def work(first: int, calls: int, wrong: list[int]) -> None:
    """A thread: a context of its own."""
    for number in range(first, first + calls):
        try:
            if not is_right(onewake.call("BALANCE", question(number)), number):
                wrong.append(number)
        except onewake.AtmiError as e:
            print(f"bankcl: BALANCE: {e}", file=sys.stderr)
            wrong.append(number)
    onewake.term()


def by_threads(calls: int, n: int, wrong: list[int]) -> None:
    each = calls // n
    threads = [threading.Thread(target=work, args=(i * each, each, wrong)) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


async def by_tasks(calls: int, n: int, wrong: list[int]) -> None:
    numbers = iter(range(calls))

    async def task() -> None:
        for number in numbers:
            try:
                if not is_right(await aio.call("BALANCE", question(number)), number):
                    wrong.append(number)
            except onewake.AtmiError as e:
                print(f"bankcl: BALANCE: {e}", file=sys.stderr)
                wrong.append(number)
    await asyncio.gather(*(task() for _ in range(n)))


def main() -> None:
    words = sys.argv[1:]
    tasks = words[:1] == ["--async"]
    if tasks:
        words.pop(0)
    calls = int(words[0]) if words else 1000
    n = int(words[1]) if len(words) > 1 else 100 if tasks else 4
    wrong: list[int] = []
    start = time.monotonic()
    if tasks:
        asyncio.run(by_tasks(calls, n, wrong))
    else:
        by_threads(calls, n, wrong)
    seconds = time.monotonic() - start
    print(f"{calls} calls, {n} {'tasks' if tasks else 'threads'}: "
          f"{calls / seconds:.0f} calls/s, {len(wrong)} wrong")
    sys.exit(0 if not wrong else 1)


if __name__ == "__main__":
    main()
