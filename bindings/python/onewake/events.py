# SPDX-License-Identifier: Apache-2.0
"""events.py - events and unsolicited messages

A client's subscriptions come as unsolicited messages, all in one stream for
the thread, as in C: messages() iterates over them, on_message() sets a
function that gets them while a call waits.
"""
import collections
import threading
import time
from typing import Any, Callable, Iterator, Optional

from onewake import _core, forks

TPNOREPLY, TPNOTRAN, TPREGEXMATCH, TPEVPERSIST = 0x4, 0x8, 0x800000, 0x8


class _Own(threading.local):
    def __init__(self):
        self.reset()

    def reset(self):
        self.came = None  # a deque of messages that wait for messages()
        self.function = False  # on_message() has set one


_own = _Own()
forks.in_child(_own.reset)


def post(event: str, data: Any = None, *, wait: bool = True, transaction: bool = True,
         timeout: Optional[float] = None) -> int:
    """Post an event; how many subscribers of this node got it."""
    return _core.post(event, data, (0 if wait else TPNOREPLY) |
                      (0 if transaction else TPNOTRAN), timeout)


class Subscription:
    """Ends with close(), with its block, or with its process."""

    def __init__(self, number: int) -> None:
        self.number: Optional[int]
        self.number, self._forks = number, forks.count()

    def close(self) -> None:
        if self.number is not None and self._forks == forks.count():
            number, self.number = self.number, None
            _core.unsubscribe(number)

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
    return Subscription(_core.subscribe(
        expression, filter, service, 0, TPEVPERSIST if persistent else 0))


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


def messages(timeout: Optional[float] = None) -> Iterator[Any]:
    """The unsolicited messages of this thread, as they come. Ends when none
    has come for `timeout` seconds."""
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
