# SPDX-License-Identifier: Apache-2.0
"""events.py - events and unsolicited messages

A client's subscriptions come as unsolicited messages, all in one stream for
the thread, as in C: messages() iterates over them, on_message() sets a
function that gets them while a call waits.
"""
import collections
import contextlib
import threading
import time
from typing import Any, Callable, Iterator, Optional

from onewake import _core, forks
from onewake.errors import TPEPROTO, AtmiError

TPNOREPLY, TPNOTRAN, TPREGEXMATCH, TPEVPERSIST = 0x4, 0x8, 0x800000, 0x8


class _Subscribed:
    """What a thread has subscribed to in one domain."""
    is_over = False


class _Own(threading.local):
    subscribed = None  # until its domain is over; None: nothing, or nothing tells

    def __init__(self):
        self.reset()

    def reset(self):
        self.end()
        self.came = None  # a deque of messages that wait for messages()
        self.function = False  # on_message() has set one

    def end(self):
        if self.subscribed is not None:
            self.subscribed.is_over, self.subscribed = True, None


_own = _Own()
forks.in_child(_own.reset)


def post(event: str, data: Any = None, *, wait: bool = True, transaction: bool = True,
         timeout: Optional[float] = None) -> int:
    """Post an event; how many subscribers of this node got it."""
    return _core.post(event, data, (0 if wait else TPNOREPLY) |
                      (0 if transaction else TPNOTRAN), timeout)


class Subscription:
    """Ends with close(), with its block, with its domain, or with its process."""

    def __init__(self, number: int) -> None:
        self.number: Optional[int]
        self.number, self._forks = number, forks.count()
        self._group = _own.subscribed

    def close(self) -> None:
        if self.number is not None and self._forks == forks.count():
            number, self.number = self.number, None
            if self._group is not None and self._group is _own.subscribed:
                _core.check_unsol()
                _look()
            if self._group is None or not self._group.is_over:
                _core.unsubscribe(number)  # in the next domain it would be another's

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def subscribe(expression: str, filter: Optional[str] = None, *,  # noqa: A002
              service: Optional[str] = None, persistent: bool = False) -> Subscription:
    """Subscribe to events whose name matches. With `service` they are
    requests to it; without, unsolicited messages of this thread."""
    if service is None:
        _listen()
    number = _core.subscribe(expression, filter, service, 0, TPEVPERSIST if persistent else 0)
    if service is None:
        _watch()
    return Subscription(number)


def leave() -> None:
    """The thread has left its domain: it has no handler and no subscriptions any more."""
    _own.reset()


def on_message(function: Optional[Callable[[Any], Any]]) -> Optional[Callable[[Any], Any]]:
    """Set the function that gets the messages of this thread; None: none. A
    decorator, too."""
    _own.came, _own.function = None, function is not None
    _core.set_unsol(function)
    return function


def _listen():
    """Keep messages for messages(), unless on_message() has set a function."""
    if _own.came is None and not _own.function:
        came = collections.deque()
        _core.set_unsol(came.append)
        _own.came = came


def _watch():
    """See to it that _look() tells when the domain of this thread is over."""
    _look()
    if _own.subscribed is None:
        with contextlib.suppress(AtmiError):  # no descriptor is free
            _core.reply_fd()
            _own.subscribed = _Subscribed()


def _look():
    """Has the context been made anew, without what was subscribed to with it?"""
    if _own.subscribed is None:
        return False
    try:
        _core.reply_timeout()
    except TPEPROTO:
        _own.end()
        return True
    return False


def messages(timeout: Optional[float] = None) -> Iterator[Any]:
    """The unsolicited messages of this thread, as they come. Ends when none
    has come for `timeout` seconds. TPEPROTO, once: the domain was shut down, and
    what the thread had subscribed to has ended with it."""
    _own.function = False
    _listen()
    while True:
        if not _own.came and not _wait(timeout):
            return
        yield _own.came.popleft()


def _wait(timeout):
    """Until a message is there: False after `timeout` seconds."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        _core.check_unsol()
        if _own.came:
            return True
        if _look():
            raise TPEPROTO("the domain was shut down, and what was subscribed to with it",
                           not_done=True)
        left = 1 if end is None else end - time.monotonic()
        if left <= 0:
            return False
        _core.reply_wait(left)


def notify(client: bytes, data: Any = None, *, block: bool = True) -> None:
    """Send a message to one client: request.client of its request."""
    _core.notify(client, data, 0 if block else 1)


def broadcast(data: Any = None, *, node: Optional[str] = None, client: Optional[str] = None,
              pattern: bool = False) -> None:
    """Send a message to all clients of the program `client` (None: any) on
    node `node`. `pattern`: these are regular expressions."""
    _core.broadcast(node, None, client, data, TPREGEXMATCH if pattern else 0)
