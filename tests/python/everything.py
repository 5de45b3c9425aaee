# SPDX-License-Identifier: Apache-2.0
"""everything.py - a client that uses each part of the package many times, for leaks

    everything.py [leak]	leak: three pieces of memory are lost on purpose
"""
import asyncio
import contextlib
import ctypes
import gc
import sys
import threading

import onewake
from account import Account
from onewake import _core, aio

ROUNDS = 20
FIELDS = {"P_STRING": ["a", "b"], "P_LONG": [1], "P_UBF": {"P_DOUBLE": 1.5}, "P_CARRAY": b"\0x"}


def values():
    for value in (None, "text", b"bytes", FIELDS, onewake.JSON({"a": [1]}),
                  Account("1", 2, 3.5, [1, 2, 3], b"k")):
        if value is not None:
            onewake.Buffer(value).decode()
        onewake.call("ABOUT", value)
        onewake.call("BUFFER", value, raw=True)
    b = onewake.Buffer(FIELDS)
    b.update({"P_LONG": [5, 6]})
    assert b.get("P_LONG", 1) == 6 and b.test("P_LONG == 5") and b.delete("P_LONG")
    with memoryview(b) as m:
        assert len(m)
    _core.print_fields(FIELDS)
    for wrong in ({1}, 5, ["a"], "a\0b", {"NOFIELD": 1}, {"P_LONG": "x" * 5, "P_SHORT": 1 << 40},
                  onewake.View("NOVIEW", {"a": 1})):
        with contextlib.suppress(TypeError, ValueError, OverflowError, onewake.Error):
            onewake.Buffer(wrong)


def errors():
    for service, data in (("NOSUCH", "x"), ("FAIL", FIELDS), ("RAISE", None), ("ODD", None)):
        with contextlib.suppress(onewake.AtmiError):
            onewake.call(service, data)
        with contextlib.suppress(onewake.AtmiError):
            onewake.acall(service, data).result()
    with contextlib.suppress(onewake.TPETIME):
        onewake.call("LATE", "5", timeout=0.01)
    with contextlib.suppress(onewake.AtmiError):
        onewake.queue.put("NOSPACE", "Q", FIELDS)
    with contextlib.suppress(onewake.AtmiError):
        onewake.post("X", FIELDS)


def calls():
    onewake.acall("LATE", "1").cancel()
    calls = [onewake.acall("ECHO", FIELDS) for _ in range(3)]
    assert all(c.result() for c in onewake.as_completed(calls))
    onewake.cast("ECHO", FIELDS)
    with onewake.connect("COUNT", {"P_LONG": 3}, receive=True) as c:
        assert len(list(c)) == 3
    with onewake.connect("COUNT", {"P_LONG": 300}, receive=True) as c:
        c.receive()  # and it is left
    onewake.on_message(lambda message: None)
    _core.free_context(_core.new_context())


async def tasks():
    await asyncio.gather(*(aio.call("ECHO", FIELDS) for _ in range(20)))
    task = asyncio.ensure_future(aio.call("LATE", "5"))
    await asyncio.sleep(0.01)
    task.cancel()
    with contextlib.suppress(onewake.AtmiError):
        await aio.call("FAIL", FIELDS)
    async with aio.connect("COUNT", {"P_LONG": 3}, receive=True) as c:
        assert len([m async for m in c]) == 3
    await aio.close()


def everything():
    for _ in range(ROUNDS):
        values()
        errors()
        calls()
    onewake.term()


def main():
    for run in (everything, everything):  # the second thread finds what the first has left
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    for _ in range(3):
        asyncio.run(tasks())
    everything()
    if sys.argv[1:] == ["leak"]:
        malloc = ctypes.CDLL(None).malloc
        for _ in range(3):
            malloc(777)
    gc.collect()


main()
