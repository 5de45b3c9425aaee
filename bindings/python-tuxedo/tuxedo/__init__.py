# SPDX-License-Identifier: Apache-2.0
"""tuxedo over onewake: programs that `import tuxedo as t` run as they are.

Values are plain: CARRAY is bytes, STRING str, FML32 a dict of lists. tpcall()
and tpgetrply() return (rval, rcode, data), rval 0 or TPESVCFAIL; other errors
are exceptions with `code`.
"""
import threading

import onewake
from onewake import _core

globals().update(_core.constants())

XatmiException = onewake.AtmiError
Fml32Exception = onewake.UbfError
_SUCCESS, _EXIT, _GETANY, _NOREPLY, _NOBLOCK = 2, 0x08000000, 0x80, 4, 1
_SVCFAIL = 11
xaoSvcCtx = _core.server_id  # there is none: a number that says nothing


class QmException(onewake.TPEDIAGNOSTIC):
    """`code` is a QME... number."""


def userlog(message):
    _core.userlog(message)


# ---- client ----

def tpinit(usrname=None, cltname=None, passwd=None, grpname=None, flags=0):
    _core.init(usrname, cltname, passwd, grpname, flags)


tpappthrinit = tpinit
tpterm = tpappthrterm = _core.term


def tpcall(svc, idata, flags=0):
    try:
        data = _core.call(svc, idata, flags=flags)
    except onewake.TPESVCFAIL as e:
        return _SVCFAIL, e.urcode, e.data
    return 0, _core.urcode(), data


def tpacall(svc, idata, flags=0):
    return _core.acall(svc, idata, flags=flags)


def tpgetrply(cd, flags=0):
    if flags & _GETANY:
        got = _core.getany(block=not flags & _NOBLOCK)
        if got is None:
            raise onewake.TPEBLOCK("no reply is there")
        cd, data, error = got
    else:
        data, error = None, None
        try:
            data = _core.getrply(cd, block=not flags & _NOBLOCK)
        except onewake.TPESVCFAIL as e:
            error = e
    if isinstance(error, onewake.TPESVCFAIL):
        return _SVCFAIL, error.urcode, error.data
    if error is not None:
        raise error
    return 0, _core.urcode(), data


def tpcancel(cd):
    _core.cancel(cd)


def tpexport(ibuf, flags=0):
    return _core.export(ibuf, flags)


def tpimport(istr, flags=0):
    return _core.import_(istr, flags)


def tppost(eventname, data, flags=0):
    return _core.post(eventname, data, flags)


def tpgblktime(flags):
    return _core.context_timeout(None, flags)


def tpsblktime(blktime, flags):
    _core.context_timeout(blktime, flags)


def tpadmcall(idata, flags=0):
    data = _core.admin(idata, flags)
    return 0, data.get("TA_ERROR", [0])[0], data


# ---- transactions and queues ----

def tpbegin(timeout, flags=0):
    _core.begin(timeout, flags)


def tpcommit(flags=0):
    _core.commit(flags)


def tpabort(flags=0):
    _core.abort(flags)


def tpsuspend(flags=0):
    return _core.suspend()


def tpresume(tranid, flags=0):
    _core.resume(tranid)


tpgetlev = _core.level
tpopen, tpclose = _core.open, _core.close


class TPQCTL:
    """The control block of tpenqueue() and tpdequeue()."""

    def __init__(self, **members):
        self.flags = self.deq_time = self.priority = self.diagnostic = 0
        self.urcode = self.appkey = self.exp_time = 0
        self.delivery_qos = self.reply_qos = 0
        self.diagmsg = self.replyqueue = self.failurequeue = ""
        self.msgid = self.corrid = b"\0" * 32
        self.cltid = b""
        self.__dict__.update(members)


def _as_id(value):
    return value.encode() if isinstance(value, str) else bytes(value)


def _queue_error(e):
    code = e.diagnostic
    raise QmException(e.text, e.urcode, e.data, code) from None


def tpenqueue(qspace, qname, ctl, data, flags=0):
    try:
        told = _core.enqueue(
            qspace, qname, data, call_flags=flags, flags=ctl.flags,
            deq_time=ctl.deq_time, priority=ctl.priority,
            exp_time=ctl.exp_time, urcode=ctl.urcode, appkey=ctl.appkey,
            corrid=_as_id(ctl.corrid), msgid=_as_id(ctl.msgid),
            replyqueue=ctl.replyqueue, failurequeue=ctl.failurequeue,
            delivery_qos=ctl.delivery_qos, reply_qos=ctl.reply_qos)
    except onewake.TPEDIAGNOSTIC as e:
        _queue_error(e)
    return TPQCTL(**told)


def tpdequeue(qspace, qname, ctl, flags=0):
    try:
        data, told = _core.dequeue(
            qspace, qname, call_flags=flags, flags=ctl.flags,
            msgid=_as_id(ctl.msgid), corrid=_as_id(ctl.corrid))
    except onewake.TPEDIAGNOSTIC as e:
        _queue_error(e)
    return TPQCTL(**told), data


# ---- server ----

class _Own(threading.local):
    end = None


_own = _Own()
_running = None


def tpreturn(rval, rcode, data, flags=0):
    """Sets the reply of the service, which then returns."""
    if rval == _SUCCESS:
        _own.end = onewake.Reply(data, rcode)
    else:
        _own.end = onewake.Fail(data, rcode, rval == _EXIT)


def tpforward(svc, data, flags=0):
    _own.end = onewake.Forward(svc, data)


def _service(method):
    def begin(request):
        _own.end = None
        method(request.data)
        end, _own.end = _own.end, None
        if end is None:
            raise RuntimeError("the service returned without tpreturn()")
        if isinstance(end, onewake.Fail):
            raise end
        return end
    return begin


_services = {}


def _advertise(name):
    if name not in _services:
        _services[name] = _service(getattr(_running, name))
    _core.advertise(name, _services[name])


def tpadvertise(svcname):
    """The method of this name of the server is the service."""
    _advertise(svcname)


def tpadvertisex(svcname, flags=0):
    _advertise(svcname)


def tpunadvertise(svcname):
    _core.unadvertise(svcname)


def tpsubscribe(eventexpr, filter=None, ctl=None, flags=0):  # noqa: A002
    return _core.subscribe(eventexpr, filter or None,
                           ctl.name1 if ctl is not None else None, flags)


def tpunsubscribe(subscription, flags=0):
    return _core.unsubscribe(subscription, flags)


def tpexit():
    _core.stop()


def run(server, args, rmname="NONE"):
    """Be a server until it is stopped."""
    global _running
    _running = server

    def call(name, *given):
        method = getattr(server, name, None)
        return method(*given) if method is not None else 0

    def init(arguments):
        if call("tpsvrinit", [args[0], *arguments[1:]]) == -1:
            raise RuntimeError("tpsvrinit() returned -1")

    def thrinit(arguments):
        if call("tpsvrthrinit", [args[0], *arguments[1:]]) == -1:
            raise RuntimeError("tpsvrthrinit() returned -1")

    onewake.server.leave_ctrl_c()
    return _core.run(list(args), init, lambda: call("tpsvrdone"), thrinit,
                     lambda: call("tpsvrthrdone"), True)


# ---- fields ----

def Fldtype32(fieldid):  # noqa: N802
    return _core.field_type(fieldid)


def Fldno32(fieldid):  # noqa: N802
    return _core.field_number(fieldid)


def Fmkfldid32(type, num):  # noqa: A002, N802
    return _core.make_field(type, num)


def Fname32(fieldid):  # noqa: N802
    return _core.field_name(fieldid)


def Fldid32(name):  # noqa: N802
    return _core.field_id(name)


def Fboolev32(fbfr, expression):  # noqa: N802
    return int(onewake.Buffer(fbfr).test(expression))


def Ffloatev32(fbfr, expression):  # noqa: N802
    return _core.float_value(fbfr, expression)


def Fboolpr32(expression, iop):  # noqa: N802
    iop.write(_core.print_expression(expression))


def Ffprint32(fbfr, iop):  # noqa: N802
    iop.write(_core.print_fields(fbfr))


def Fextread32(iop):  # noqa: N802
    return _core.read_fields(iop.read())


