# SPDX-License-Identifier: Apache-2.0
"""srv.py - servers: tprun(Server(), sys.argv)

A service gets a TPSVCINFO and calls tpreturn() or tpforward(), which set what
is sent when it returns. A request that was taken by tpsrvsetctxdata() in
another thread is answered there.
"""
import threading

import onewake
from onewake import _core

from endurox.buffers import from_buffer, to_value

_SUCCESS, _EXIT = 2, 0x08000000


class _Own(threading.local):
    end = None  # what tpreturn() and its like have said
    request = None  # of the service that runs
    taken = None  # (request as bytes, name) of tpsrvsetctxdata()


_own = _Own()


class CLIENTID:
    def __init__(self, clientdata):
        self.clientdata = clientdata


class TPSVCINFO:
    def __init__(self, request):
        self.name, self.fname = request.service, request.function
        self.flags, self.appkey = request.flags, request.appkey
        self.cd, self.cltid = request.cd, CLIENTID(request.client)
        self.data = from_buffer(request.buffer())


class PyTpSrvCtxtData:
    """A request, for another thread."""

    def __init__(self, later, name):
        self.pyctxt, self.name = later, name


def _end(end):
    if _own.taken is None:
        _own.end = end
        return
    (later, name), _own.taken = _own.taken, None
    error = end if isinstance(end, onewake.Fail) else None
    _core.answer(later, name, None if error else end, error)


def tpreturn(rval, rcode, data=None, flags=0):
    value = to_value(data)
    _end(onewake.Reply(value, rcode) if rval == _SUCCESS else
         onewake.Fail(value, rcode, rval == _EXIT))


def tpforward(svc, data, flags=0):
    _end(onewake.Forward(svc, to_value(data)))


def tpcontinue():
    _own.end = onewake.LATER


def tpsrvgetctxdata():
    request = _own.request
    if request is None:
        raise onewake.TPEPROTO("the thread has no request")
    return PyTpSrvCtxtData(request.later(), request.service)


def tpsrvsetctxdata(ctxt, flags=0):
    _own.taken = ctxt.pyctxt, ctxt.name


_running = None
_services = {}  # (name, function) -> wrapped: the same object each time


def _service(func):
    def begin(request):
        _own.end, _own.request = None, request
        try:
            func(TPSVCINFO(request))
        finally:
            end, _own.end, _own.request = _own.end, None, None
        if end is None:
            raise RuntimeError("the service returned without tpreturn()")
        if isinstance(end, onewake.Fail):
            raise end
        return end
    return begin


def tpadvertise(svcname, funcname=None, func=None):
    """Without `func` the method of the server that has the name of the service."""
    if func is None:
        func = getattr(_running, funcname or svcname)
    key = svcname, func
    if key not in _services:
        _services[key] = _service(func)
    _core.advertise(svcname, _services[key])


def tpunadvertise(svcname):
    _core.unadvertise(svcname)


def tpexit():
    _core.stop()


def tprun(server, args):
    """Be a server until it is stopped."""
    global _running
    _running = server

    def call(name, *given):
        method = getattr(server, name, None)
        return method(*given) if method is not None else 0

    def init(arguments):
        if call("tpsvrinit", list(args)) == -1:
            raise RuntimeError("tpsvrinit() returned -1")

    def thrinit(arguments):
        if call("tpsvrthrinit", list(args)) == -1:
            raise RuntimeError("tpsvrthrinit() returned -1")

    onewake.server.leave_ctrl_c()
    return _core.run(list(args), init, lambda: call("tpsvrdone"), thrinit,
                     lambda: call("tpsvrthrdone"), True)


# ---- the loop ----

def tpext_addpollerfd(fd, events, ptr1, func):
    _core.add_fd(fd, events, lambda f, ev, data: func(f, ev, data), ptr1)


def tpext_delpollerfd(fd):
    _core.del_fd(fd)


def tpext_addperiodcb(secs, func):
    _core.add_period(secs, func)


def tpext_addb4pollcb(func):
    _core.add_before(func)


tpext_delperiodcb, tpext_delb4pollcb = _core.del_period, _core.del_before
