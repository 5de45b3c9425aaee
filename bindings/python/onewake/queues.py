# SPDX-License-Identifier: Apache-2.0
"""queues.py - durable queues

    onewake.queue.put("ORDERS", "NEW", {"T_ID": 1})
    message = onewake.queue.get("ORDERS", "NEW", wait=5)

put() returns when the message is on disk. In a transaction it is there when
that commits; what get() took comes back if it does not.
"""
import math
from typing import Any, Iterator, Optional, Union

from onewake import _core
from onewake.errors import TPEDIAGNOSTIC, TPEOTYPE, TPETIME

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

    data: Any
    id: bytes
    correlation: bytes

    def __init__(self, data: Any, ctl: dict[str, Any]) -> None:
        self.data, self.ctl = data, ctl
        self.id, self.correlation = ctl["msgid"], ctl["corrid"].rstrip(b"\0")

    @property
    def priority(self) -> int:
        return self.ctl["priority"]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["ctl"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"<Message {self.id[:8].hex()} {self.data!r}>"


def _as_bytes(text):
    return text.encode() if isinstance(text, str) else text


def _whole(name, seconds):
    """The control block has whole seconds: a part counts as one."""
    try:
        return None if seconds is None else math.ceil(seconds)
    except (TypeError, ValueError, OverflowError):
        kind = ValueError if isinstance(seconds, float) else TypeError
        raise kind(f"{name}={seconds!r}: give a number of seconds") from None


def put(space: str, name: str, data: Any = None, *,
        correlation: Union[str, bytes, None] = None, priority: Optional[int] = None,
        delay: Optional[float] = None, at: Optional[float] = None,
        expires: Optional[float] = None,
        reply_queue: Optional[str] = None, failure_queue: Optional[str] = None, urcode: int = 0,
        timeout: Optional[float] = None, transaction: bool = True) -> bytes:
    """Put a message into a queue; its id. `delay`, `expires`: seconds from
    now; `at`: when it can be taken, in seconds since 1970. A part of a second
    counts as a whole one."""
    flags, more = 0, {}  # type: int, dict[str, Any]
    for value, flag, key in ((correlation, CORRID, "corrid"),
                             (priority, PRIORITY, "priority"),
                             (_whole("delay", delay), TIME_REL, "deq_time"),
                             (_whole("at", at), TIME_ABS, "deq_time"),
                             (_whole("expires", expires), EXPTIME_REL, "exp_time"),
                             (reply_queue, REPLYQ, "replyqueue"),
                             (failure_queue, FAILUREQ, "failurequeue")):
        if value is not None:
            flags |= flag
            more[key] = _as_bytes(value) if key == "corrid" else value
    ctl = _core.enqueue(space, name, data, timeout=timeout, flags=flags,
                        urcode=urcode,
                        call_flags=0 if transaction else TPNOTRAN, **more)
    return ctl["msgid"]


def _read(message, raw):
    """It has left its queue: who cannot read it is given it as it is."""
    if not raw and message.data is not None:
        try:
            message.data = message.data.decode()
        except Exception as e:
            raise TPEOTYPE(f"message {message.id.hex()} was taken and cannot be read: {e}; "
                           "the exception has it as data", data=message) from e
    return message


def get(space: str, name: str, *, wait: Optional[float] = None,
        id: Optional[bytes] = None,  # noqa: A002
        correlation: Union[str, bytes, None] = None, peek: bool = False,
        timeout: Optional[float] = None, transaction: bool = True, raw: bool = False) -> Message:
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
        return _read(Message(*_core.dequeue(
            space, name, timeout=timeout, flags=flags, raw=True,
            call_flags=0 if transaction else TPNOTRAN, **more)), raw)
    except TPETIME as e:
        if not wait or not e.data:  # tmqueue has not said so: nobody knows
            raise
        raise QueueEmpty(f"no message within {wait} s", data={
            "diagnostic": NOMSG}) from e
    except TPEDIAGNOSTIC as e:
        if e.diagnostic != NOMSG:
            raise
        raise QueueEmpty(e.text, e.urcode, e.data) from None


class Queue:
    """A queue of a queue space: put() and get() without saying which."""

    def __init__(self, space: str, name: str) -> None:
        self.space, self.name = space, name

    def put(self, data: Any = None, **how: Any) -> bytes:
        return put(self.space, self.name, data, **how)

    def get(self, **how: Any) -> Message:
        return get(self.space, self.name, **how)

    def __iter__(self) -> Iterator[Message]:
        """Take messages until there is none."""
        while True:
            try:
                yield self.get()
            except QueueEmpty:
                return

    def __repr__(self):
        return f"Queue({self.space!r}, {self.name!r})"
