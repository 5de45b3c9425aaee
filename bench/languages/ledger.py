#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ledger.py - ledgercl and ledgersv of the audit in Python

    ledger.py -c NUMBER [-t CALLERS] [-T MS] [-1]   calls, until the ledger is full, or SIGTERM
    ledger.py OPTIONS OF A SERVER                   serves LEDGER and PASS

Half of the callers are threads, half are tasks of one event loop.
"""
import argparse
import asyncio
import ctypes
import os
import random
import signal
import sys
import threading
import traceback

import onewake
from onewake import aio

TICKET = 24  # bytes (ledger.h)
NO_DATA = 2
RIGHT, WRONG, ONEWAY, CANCELLED, TIMEOUT, REFUSED, ABSENT, UNSENT, ERROR = range(1, 10)
SERVICES = ("LEDGER", "LEDGER", "LEDGER", "PASS", "PASS", "ASK", "FLICKER")

# Where the library of the audit is (bench/audit.py).
ledger = ctypes.CDLL(os.environ["OW_LEDGER_SO"])
ledger.ledger_begin.argtypes = (ctypes.c_void_p, *[ctypes.c_uint32] * 3)
ledger.ledger_begin.restype = ctypes.c_void_p
ledger.ledger_is_of.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64
ledger.ledger_end.argtypes = ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_uint32
ledger.ledger_execute.argtypes = ctypes.c_char_p, ctypes.c_uint64


def open_ledger():
    if ledger.ledger_open() != 0:
        sys.exit("ledger.py: cannot open the ledger")


# ---- the server ----

def execute(data):
    how = ledger.ledger_execute(data, len(data or b""))
    if how == -1:
        raise onewake.Fail()
    return None if how == NO_DATA else data


@onewake.service("LEDGER")
def serve(request):
    ledger.ledger_answered()
    return execute(request.data)


@onewake.service("PASS")
def hand_on(request):
    ledger.ledger_answered()
    return onewake.Forward("LEDGER", request.data)


# ---- a client ----

def length():
    """Most are small, one in 500 has 2 MB."""
    r = random.randrange(1000)
    return 2 << 20 if r < 2 else TICKET + random.randrange(
        60000 if r < 50 else 5000 if r < 250 else 200)


class Caller:
    def __init__(self, number, ms):
        self.number, self.ms, self.over = number, ms, False

    def begin(self):
        """Its entry and data, and the time for it; None: the ledger is full."""
        ms = self.ms or 1000 * random.randint(1, 10)
        data = bytearray(length())
        view = (ctypes.c_char * len(data)).from_buffer(data)
        e = ledger.ledger_begin(ctypes.addressof(view), len(data), ms, random.randrange(3))
        self.over |= e is None
        return e and (e, bytes(data), ms / 1000)

    def end(self, e, reply=b"", error=None):
        told = RIGHT
        if error is None:
            if reply and not ledger.ledger_is_of(e, reply, len(reply)):
                told = WRONG
        elif isinstance(error, asyncio.CancelledError):
            told = CANCELLED
        else:
            told = {onewake.TPETIME: TIMEOUT, onewake.TPESVCERR: REFUSED, onewake.TPENOENT: ABSENT,
                    onewake.TPELIMIT: ABSENT}.get(type(error), ERROR)
            if told == TIMEOUT and error.not_done:
                told = UNSENT
            elif told == REFUSED and error.not_done:
                told = ABSENT
            if told == ERROR:
                traceback.print_exception(type(error), error, error.__traceback__)
        self.note(e, told, getattr(error, "code", 0))

    def note(self, e, told, code=0):
        ledger.ledger_end(e, told, code, self.number)

    def once(self):
        """A call of a thread."""
        begun = self.begin()
        if begun is None:
            return
        e, data, seconds = begun
        service, r = random.choice(SERVICES), random.random()
        try:
            if r < 0.05:
                onewake.cast(service, data, timeout=seconds)
                self.note(e, ONEWAY)
            elif r < 0.07:
                onewake.acall(service, data, timeout=seconds).cancel()
                self.note(e, CANCELLED)
            else:
                self.end(e, onewake.call(service, data, timeout=seconds))
        except onewake.AtmiError as error:
            self.end(e, error=error)

    def thread(self):
        while not self.over:
            self.once()
        onewake.term()

    async def task(self):
        while not self.over:
            begun = self.begin()
            if begun is None:
                return
            e, data, seconds = begun
            service, r = random.choice(SERVICES), random.random()
            call = asyncio.ensure_future(aio.cast(service, data, timeout=seconds) if r < 0.05 else
                                         aio.call(service, data, timeout=seconds))
            if r > 0.98:
                asyncio.get_running_loop().call_later(random.random() / 300, call.cancel)
            try:
                reply = await call
                if r < 0.05:
                    self.note(e, ONEWAY)
                else:
                    self.end(e, reply)
            except (onewake.AtmiError, asyncio.CancelledError) as error:
                self.end(e, error=error)

    async def tasks(self, n):
        await asyncio.gather(*(self.task() for _ in range(n)))
        await aio.close()

    def run(self, n):
        threads = [threading.Thread(target=self.thread) for _ in range(n // 2)]
        for t in threads:
            t.start()
        asyncio.run(self.tasks(n - n // 2))
        for t in threads:
            t.join()


def main():
    open_ledger()
    if sys.argv[1:2] != ["-c"]:
        onewake.run()
    p = argparse.ArgumentParser()
    p.add_argument("-c", dest="number", type=int)
    p.add_argument("-t", dest="callers", type=int, default=8)
    p.add_argument("-T", dest="ms", type=int, default=0)
    p.add_argument("-1", dest="one", action="store_true")
    a = p.parse_args()
    caller = Caller(a.number, a.ms)

    ledger.ledger_watch()

    def stop(*_):
        caller.over = True
    signal.signal(signal.SIGTERM, stop)
    if a.one:
        caller.once()
        onewake.term()
    else:
        caller.run(a.callers)


main()
