# SPDX-License-Identifier: Apache-2.0
"""queues.py - durable queues

    onewake.queue.put("ORDERS", "NEW", {"T_ID": 1})
    message = onewake.queue.get("ORDERS", "NEW", wait=5)

put() returns when the message is on disk. In a transaction it is there when
that commits; what get() took comes back if it does not.
"""
from onewake import _core
from onewake.errors import TPEDIAGNOSTIC, TPETIME

TPNOTRAN, TPNOTIME = 0x8, 0x20
CORRID, PRIORITY, TIME_ABS, TIME_REL = 0x1, 0x20, 0x200, 0x400
REPLYQ, FAILUREQ, WAIT, PEEK = 0x100, 0x2, 0x80, 0x1000
EXPTIME_ABS, EXPTIME_REL = 0x8000, 0x10000
GETBYMSGID, GETBYCORRID = 0x40008, 0x80800
NOMSG = -11


class QueueEmpty(TPEDIAGNOSTIC):
    """There is no message (QMENOMSG)."""


class Message:
    """`data`, `id`, `correlation`, and the whole control block as `ctl`."""

    def __init__(self, data, ctl):
        self.data, self.ctl = data, ctl
        self.id, self.correlation = ctl["msgid"], ctl["corrid"].rstrip(b"\0")

    @property
    def priority(self):
        return self.ctl["priority"]

    def __getattr__(self, name):
        try:
            return self.__dict__["ctl"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"<Message {self.id[:8].hex()} {self.data!r}>"


def _as_bytes(text):
    return text.encode() if isinstance(text, str) else text


def put(space, name, data=None, *, correlation=None, priority=None, delay=None,
        at=None, expires=None, reply_queue=None, failure_queue=None, urcode=0,
        timeout=None, transaction=True):
    """Put a message into a queue; its id. `delay`, `expires`: seconds from
    now; `at`: when it can be taken, in seconds since 1970."""
    flags, more = 0, {}
    for value, flag, key in ((correlation, CORRID, "corrid"),
                             (priority, PRIORITY, "priority"),
                             (delay, TIME_REL, "deq_time"),
                             (at, TIME_ABS, "deq_time"),
                             (expires, EXPTIME_REL, "exp_time"),
                             (reply_queue, REPLYQ, "replyqueue"),
                             (failure_queue, FAILUREQ, "failurequeue")):
        if value is not None:
            flags |= flag
            more[key] = _as_bytes(value) if key == "corrid" else value
    ctl = _core.enqueue(space, name, data, timeout=timeout, flags=flags,
                        urcode=urcode,
                        call_flags=0 if transaction else TPNOTRAN, **more)
    return ctl["msgid"]


def get(space, name, *, wait=None, id=None,  # noqa: A002
        correlation=None, peek=False, timeout=None, transaction=True,
        raw=False):
    """Take a message out of a queue. `wait`: so many seconds for one; then,
    as without `wait` at once, QueueEmpty. `peek`: it stays."""
    flags, more = PEEK if peek else 0, {}
    if wait:
        flags |= WAIT
        timeout = wait
    if id is not None:
        flags |= GETBYMSGID
        more["msgid"] = id
    if correlation is not None:
        flags |= GETBYCORRID
        more["corrid"] = _as_bytes(correlation)
    try:
        return Message(*_core.dequeue(
            space, name, timeout=timeout, flags=flags, raw=raw,
            call_flags=0 if transaction else TPNOTRAN, **more))
    except TPETIME as e:
        if not wait:
            raise
        raise QueueEmpty(f"no message within {wait} s", data={
            "diagnostic": NOMSG}) from e
    except TPEDIAGNOSTIC as e:
        if e.diagnostic != NOMSG:
            raise
        raise QueueEmpty(e.text, e.urcode, e.data) from None


class Queue:
    """A queue of a queue space: put() and get() without saying which."""

    def __init__(self, space, name):
        self.space, self.name = space, name

    def put(self, data=None, **how):
        return put(self.space, self.name, data, **how)

    def get(self, **how):
        return get(self.space, self.name, **how)

    def __iter__(self):
        """Take messages until there is none."""
        while True:
            try:
                yield self.get()
            except QueueEmpty:
                return

    def __repr__(self):
        return f"Queue({self.space!r}, {self.name!r})"
