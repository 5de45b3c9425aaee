# SPDX-License-Identifier: Apache-2.0
"""basicsv.py - services of the tests: each does one thing"""
import asyncio
import logging
import os
import signal
import threading
import time

import onewake
from onewake import aio

log = logging.getLogger("basicsv")
log.addHandler(onewake.TplogHandler())
log.setLevel(logging.DEBUG)


class Odd:
    """No value that can travel."""


@onewake.service("ECHO")
def echo(request):
    return request.data


@onewake.service("BUFFER")
def buffer(request):
    return request.buffer()


@onewake.service("ABOUT")
def about(request):
    return onewake.JSON({
        "type": request.type, "subtype": request.subtype,
        "service": request.service, "length": request.length,
        "client": len(request.client), "appkey": request.appkey,
        "pid": os.getpid(), "thread": threading.get_ident()})


@onewake.service("FAIL")
def fail(request):
    raise onewake.Fail(request.data, urcode=7)


@onewake.service("CODE")
def code(request):
    return onewake.Reply(request.data, urcode=8)


@onewake.service("RAISE")
def raises(request):
    raise ValueError("a fault of the service")


@onewake.service("ODDCODE")
def odd_code(request):
    raise onewake.Fail("x", urcode="five")


@onewake.service("AGAIN")
def again(request):
    onewake.run()


@onewake.service("ODD")
def odd(request):
    return Odd()


@onewake.service("FORWARD")
def forward(request):
    return onewake.Forward("ECHO", request.data)


@onewake.service("NOWHERE")
def nowhere(request):
    return onewake.Forward("NOSUCHSVC", request.data)


@onewake.service("SLEEP")
def sleep(request):
    time.sleep(float(request.data))
    return request.data


@onewake.service("HOLD")
def hold(request):
    """Until the file is there."""
    while not os.path.exists(request.data):
        time.sleep(0.002)
    return request.data


@onewake.service("KILL")
def kill(request):
    os.kill(os.getpid(), signal.SIGKILL)


@onewake.service("EXIT")
def leave(request):
    return onewake.Reply("gone", exit=True)


@onewake.service("LOG")
def write(request):
    log.error("an error: %s", request.data)
    log.debug("left out: %s", request.data)
    return request.data


kept = []


@onewake.service("KEEP")
def keep(request):
    kept.append(request)
    return "kept"


@onewake.service("KEPT")
def look_at_kept(request):
    try:
        return kept[-1].data
    except RuntimeError as e:
        return str(e)


@onewake.service("LATE")
async def late(request):
    await asyncio.sleep(float(request.data))
    return "late " + request.data


@onewake.service("LATEFAIL")
async def late_fail(request):
    await asyncio.sleep(0)
    raise onewake.Fail(request.data, urcode=9)


@onewake.service("LATERAISE")
async def late_raise(request):
    raise ValueError("a fault of the coroutine")


@onewake.service("LATEFORWARD")
async def late_forward(request):
    return onewake.Forward("ECHO", request.data)


@onewake.service("NOTIFY")
def notify(request):
    for i in range(3):
        onewake.notify(request.client, f"{request.data} {i}")


def more(request):
    onewake.unadvertise("MORE2")
    return "more"


@onewake.service("ADVERTISE")
def advertise(request):
    onewake.advertise("MORE1", more)
    onewake.advertise("MORE2", more)
    return "done"


@onewake.service("CHAIN")
async def chain(request):
    """Three calls at once, of another server, from the loop."""
    replies = await asyncio.gather(*(
        aio.call("CECHO", f"{request.data} {i}") for i in range(3)))
    return "; ".join(replies)
