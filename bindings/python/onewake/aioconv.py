# SPDX-License-Identifier: Apache-2.0
"""aioconv.py - conversations of an event loop: they wait, and it goes on

    async with aio.connect("REPORT", {"T_YEAR": 2026}, receive=True) as c:
        async for row in c:
            print(row)
        print(c.reply)

Each has a context of its own, so a descriptor of its own, which the loop watches
while somebody receives: what nobody wants yet stays where it is.
"""
import asyncio
import contextlib
from typing import Any, AsyncIterator, Optional

from onewake import _core, conversations, forks
from onewake.errors import TPEBLOCK, TPETIME

TPNOBLOCK = 0x1
ROOM = 0.008  # seconds at most between looks at an end that does not receive


@contextlib.contextmanager
def _inside(context):
    """The context is on this thread, and then what the thread had."""
    had = _core.get_context()
    _core.set_context(context)
    try:
        yield
    finally:
        _core.set_context(had)


class Conversation:
    """One end, by connect(). `control`: this end may send. `open`: it has not
    ended. `reply`, `urcode`: what the service returned at its end."""

    def __init__(self, begin):
        self._begin, self._context, self._talk, self._fd = begin, None, None, -1
        self._forks = forks.count()

    control = property(lambda self: self._talk.control)
    open = property(lambda self: self._talk.open)
    reply = property(lambda self: self._talk.reply)
    urcode = property(lambda self: self._talk.urcode)

    def _connect(self):
        """In another thread: a full queue is waited for."""
        with _inside(self._context):
            self._fd = _core.reply_fd()
            self._talk = self._begin()

    async def __aenter__(self) -> "Conversation":
        self._context = _core.new_context()
        connecting = asyncio.get_running_loop().run_in_executor(None, self._connect)
        try:
            await asyncio.shield(connecting)
        except BaseException:
            connecting.add_done_callback(self._drop)
            raise
        return self

    def _drop(self, done):
        """Nobody waits for it any more."""
        if not done.cancelled():
            done.exception()
        self.close()

    async def __aexit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Leave it, if it is open."""
        if self._context is None or self._forks != forks.count():
            return
        if self._talk is not None:
            with _inside(self._context):
                self._talk.close()
        context, self._context = self._context, None
        _core.free_context(context)

    async def _come(self, seconds):
        """Until something has come, or the time is over."""
        loop = asyncio.get_running_loop()
        future = loop.create_future()

        def wake():
            if not future.done():
                future.set_result(None)
        loop.add_reader(self._fd, wake)
        timer = loop.call_later(seconds, wake)
        try:
            await future
        finally:
            timer.cancel()
            loop.remove_reader(self._fd)

    def _try_receive(self, raw):
        """(True, the message), or (False, seconds to wait)."""
        forks.refuse("the conversation", self._forks)
        with _inside(self._context):
            try:
                return True, self._talk.receive(raw=raw, flags=TPNOBLOCK)
            except TPEBLOCK:
                return False, _core.reply_timeout() / 1000

    async def receive(self, *, timeout: Optional[float] = None, raw: bool = False) -> Any:
        """The next message. EOFError when the service has ended with success:
        `reply` has what it returned then. TPETIME: the conversation goes on."""
        clock = asyncio.get_running_loop().time
        end = None if timeout is None else clock() + timeout
        while True:
            came, got = self._try_receive(raw)
            if came:
                return got
            if end is not None:
                if clock() >= end:
                    raise TPETIME("no message in time")
                got = min(got, end - clock())
            await self._come(got)

    async def send(self, data: Any = None, *, then_receive: bool = False) -> None:
        """Send a message; `then_receive`: the other end sends next."""
        forks.refuse("the conversation", self._forks)
        nap = 0.0005
        while True:
            try:
                with _inside(self._context):
                    return self._talk.send(data, then_receive=then_receive, flags=TPNOBLOCK)
            except TPEBLOCK:
                nap = min(2 * nap, ROOM)
            await asyncio.sleep(nap)

    async def __aiter__(self) -> AsyncIterator[Any]:
        """Messages until this end gets control, or the service ends."""
        while self.open and not self.control:
            try:
                data = await self.receive()
            except EOFError:
                return
            if data is not None or not self.control:
                yield data


def connect(service: str, data: Any = None, *, receive: bool = False,
            timeout: Optional[float] = None) -> Conversation:
    """Begin a conversation: `async with connect(...) as c`. This end sends first;
    with `receive` the other. It is of no transaction."""
    return Conversation(lambda: conversations.connect(
        service, data, receive=receive, timeout=timeout, transaction=False))
