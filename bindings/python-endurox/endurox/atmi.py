# SPDX-License-Identifier: Apache-2.0
"""atmi.py - calls, conversations, events, queues, transactions

Results are tuples with names. TPESVCFAIL is a result, other errors are
AtmiException; TPEEVENT of a conversation is a result, too.
"""
import collections

import onewake
from onewake import _core

from endurox.buffers import from_buffer, to_value

AtmiException, UbfException = onewake.AtmiError, onewake.UbfError
SVCFAIL, EVENT = 11, 22
_NOBLOCK, _NOREPLY, _GETANY = 0x1, 0x4, 0x80
_GIVES_CONTROL = 0x20

TpReply = collections.namedtuple("TpReply", "tperrno tpurcode data")
TpReplyCd = collections.namedtuple("TpReplyCd", "tperrno tpurcode data cd")
TpSendRet = collections.namedtuple("TpSendRet", "tperrno tpurcode revent")
TpRecvRet = collections.namedtuple("TpRecvRet", "tperrno tpurcode revent data")
TpGetCtxtRet = collections.namedtuple("TpGetCtxtRet", "pyret pyctxt")


class QmException(onewake.TPEDIAGNOSTIC):
    """`code` is a QME... number."""


class NstdException(onewake.Error):
    """`code` is an Nerror."""
    code = 0


# ---- calls ----

def tpcall(svc, idata, flags=0):
    try:
        data = _core.call(svc, to_value(idata), flags=flags, raw=True)
    except onewake.TPESVCFAIL as e:
        return TpReply(SVCFAIL, e.urcode, from_buffer(e.data))
    return TpReply(0, _core.urcode(), from_buffer(data))


def tpacall(svc, idata, flags=0):
    return _core.acall(svc, to_value(idata), flags=flags)


def tpgetrply(cd, flags=0):
    error = None
    if flags & _GETANY:
        got = _core.getany(block=not flags & _NOBLOCK, raw=True)
        if got is None:
            raise onewake.TPEBLOCK("no reply is there")
        cd, data, error = got
    else:
        try:
            data = _core.getrply(cd, block=not flags & _NOBLOCK, raw=True)
        except onewake.TPESVCFAIL as e:
            error = e
    if isinstance(error, onewake.TPESVCFAIL):
        return TpReplyCd(SVCFAIL, error.urcode, from_buffer(error.data), cd)
    if error is not None:
        raise error
    return TpReplyCd(0, _core.urcode(), from_buffer(data), cd)


def tpcancel(cd=0):
    _core.cancel(cd)


# ---- conversations ----

def tpconnect(svc, idata, flags=0):
    return _core.connect(svc, to_value(idata), flags, None)


def tpsend(cd, idata, flags=0):
    event = _core.send(cd, to_value(idata), flags, None)
    return TpSendRet(EVENT if event else 0, _core.urcode(), event)


def tprecv(cd, flags=0):
    data, event = _core.recv(cd, flags, None, True)
    return TpRecvRet(EVENT if event else 0, _core.urcode(), event,
                     from_buffer(data))


def tpdiscon(cd=0):
    _core.discon(cd)


# ---- unsolicited messages, events ----

def tpnotify(clientid, idata, flags=0):
    _core.notify(getattr(clientid, "clientdata", clientid), to_value(idata),
                 flags)


def tpbroadcast(lmid, usrname, cltname, idata, flags=0):
    _core.broadcast(lmid or None, usrname or None, cltname or None,
                    to_value(idata), flags)


def tpsetunsol(func):
    def handler(data):
        func(from_buffer(None if data is None else onewake.Buffer(data)))
    return _core.set_unsol(handler if func is not None else None)


def tpchkunsol():
    return _core.check_unsol()


class TPEVCTL:
    def __init__(self, flags=0, name1="", name2=""):
        self.flags, self.name1, self.name2 = flags, name1, name2


def tpsubscribe(eventexpr, filter=None, ctl=None, flags=0):  # noqa: A002
    return _core.subscribe(
        eventexpr, filter or None, ctl.name1 if ctl is not None else None,
        flags, ctl.flags if ctl is not None else 0)


def tpunsubscribe(subscription, flags=0):
    return _core.unsubscribe(subscription, flags)


def tppost(eventname, data, flags=0):
    return _core.post(eventname, to_value(data), flags)


# ---- durable queues ----

class TPQCTL:
    """The control block of tpenqueue() and tpdequeue()."""

    def __init__(self, **members):
        self.flags = self.deq_time = self.priority = self.diagnostic = 0
        self.urcode = self.appkey = self.exp_time = 0
        self.delivery_qos = self.reply_qos = 0
        self.diagmsg = self.replyqueue = self.failurequeue = ""
        self.msgid = self.corrid = self.cltid = b""
        self.__dict__.update(members)


def _as_id(value):
    return value.encode() if isinstance(value, str) else bytes(value)


def tpenqueue(qspace, qname, ctl, data, flags=0):
    try:
        told = _core.enqueue(
            qspace, qname, to_value(data), call_flags=flags, flags=ctl.flags,
            deq_time=ctl.deq_time, priority=ctl.priority,
            exp_time=ctl.exp_time, urcode=ctl.urcode,
            corrid=_as_id(ctl.corrid), msgid=_as_id(ctl.msgid),
            replyqueue=ctl.replyqueue, failurequeue=ctl.failurequeue,
            delivery_qos=ctl.delivery_qos, reply_qos=ctl.reply_qos)
    except onewake.TPEDIAGNOSTIC as e:
        raise QmException(e.text, e.urcode, e.data, e.diagnostic) from None
    return TPQCTL(**told)


def tpdequeue(qspace, qname, ctl, flags=0):
    try:
        data, told = _core.dequeue(
            qspace, qname, call_flags=flags, flags=ctl.flags,
            msgid=_as_id(ctl.msgid), corrid=_as_id(ctl.corrid), raw=True)
    except onewake.TPEDIAGNOSTIC as e:
        raise QmException(e.text, e.urcode, e.data, e.diagnostic) from None
    return TPQCTL(**told), from_buffer(data)


# ---- transactions ----

class TPTRANID:
    def __init__(self, state):
        self._state = state


def tpbegin(timeout, flags=0):
    _core.begin(timeout, flags)


def tpcommit(flags=0):
    _core.commit(flags)


def tpabort(flags=0):
    _core.abort(flags)


def tpsuspend(flags=0):
    return TPTRANID(_core.suspend())


def tpresume(tranid, flags=0):
    _core.resume(tranid._state)


def tpscmt(flags):
    return _core.scmt(flags)


tpgetlev, tpopen, tpclose = _core.level, _core.open, _core.close

# ---- session, contexts, times ----


def tpinit(flags=0):
    _core.init(None, None, None, None, flags)


tpterm = _core.term


class TPCONTEXT_T:  # noqa: N801
    def __init__(self, number):
        self._number = number

    @property
    def ctx_bytes(self):
        """The handle as bytes, to compare and to print."""
        return self._number.to_bytes(8, "little")


def tpnewctxt(auto_destroy=False, auto_set=False):
    return TPCONTEXT_T(_core.new_context(auto_destroy, auto_set))


def tpgetctxt(flags=0):
    number = _core.get_context()
    return TpGetCtxtRet(0x40 if number else 0, TPCONTEXT_T(number))


def tpsetctxt(context=None, flags=0, *, none=None):
    """`none` is the name of None in one of its forms."""
    _core.set_context(context._number if context is not None else 0)


def tpfreectxt(context):
    _core.free_context(context._number)


def tpgblktime(flags):
    return _core.context_timeout(None, flags)


def tpsblktime(blktime, flags):
    _core.context_timeout(blktime, flags)


def tptoutset(tout):
    _core.default_timeout(tout)


def tpsprio(prio, flags=0):
    _core.priority(prio, bool(flags & 0x40))


def tpexport(ibuf, flags=0):
    return _core.export(to_value(ibuf), flags)


def tpimport(istr, flags=0):
    return from_buffer(_core.import_(istr, flags, True))


def tpencrypt(input, flags=0):  # noqa: A002
    return _core.crypt(input, flags)


def tpdecrypt(input, flags=0):  # noqa: A002
    return _core.crypt(input, flags, True)


def tuxgetenv(envname):
    return _core.getenv(envname)


def tptoutget():
    return _core.default_timeout()


def tpgprio():
    return _core.priority()


tpgetnodeid = _core.node_id
