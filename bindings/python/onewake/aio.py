# SPDX-License-Identifier: Apache-2.0
"""aio.py - calls from an event loop: thousands in flight in one thread

    from onewake import aio

    replies = await asyncio.gather(*(aio.call("PRICE", i) for i in items))

One descriptor says that something has come for the thread (tpreplyfd), one
timer when to look at the latest. A cancelled task drops its call. Calls take
no part in a transaction: tasks of one thread share its context. A plain call(),
and result() of a plain Call, make the loop wait; as_completed() is refused while
tasks of its thread call.
"""
import asyncio
import collections
import contextlib
import os
import threading
from typing import Any, AsyncIterator, Optional

from onewake import _core, forks
from onewake import client as plain
from onewake.aioconv import connect as connect  # exported
from onewake.errors import (TPEBADDESC, TPEBLOCK, TPEOTYPE, TPEPROTO, TPESYSTEM, TPETIME,
                            AtmiError)
from onewake.server import Reply

BATCH = 500  # replies taken before other tasks have their turn
RETRY = 0.002  # seconds between looks at a full queue that nobody empties
BLIND = 0.02  # seconds between looks for replies while there is no descriptor for them


class _Client:
    """The calls of one event loop."""

    def __init__(self, loop):
        self.loop = loop
        self.waiting = {}  # descriptor -> Future of (data, urcode)
        self.services = {}  # descriptor -> service
        self.blocked = {}  # service -> those who wait for room in its queue
        self._retry = None
        self.raw = set()  # descriptors whose reply stays a Buffer
        self.came = None  # messages for messages(), and who waits for one
        self.listeners = []
        self.domains = 0  # that have ended
        self._timer, self._asked = None, False
        self._fd = -1
        self._watch()

    def close(self):
        if self._timer is not None:
            self._timer.cancel()
        self._unwatch()
        if self._retry is not None:
            self._retry.cancel()
        for cd in self.waiting:
            with contextlib.suppress(AtmiError):
                _core.cancel(cd)
        if not self.loop.is_closed():
            self._end_all()
        self.waiting.clear()
        self.services.clear()
        self.raw.clear()

    def _end_all(self):
        """Nobody waits for what is dropped."""
        _refuse(self.listeners, "the calls of the loop were closed")
        self._fail(TPESYSTEM("the calls of the loop were closed: what became of this "
                             "one is not known"))
        for line in self.blocked.values():
            _refuse(line, "the calls of the loop were closed: not done")
        self.blocked.clear()

    # ---- the descriptor ----

    def _watch(self):
        """By a copy: the library closes its own when it finds that the domain was shut
        down, and the next thing that is opened has that number."""
        self._fd = os.dup(_core.reply_fd())
        self.loop.add_reader(self._fd, self._ready)

    def _watch_again(self):
        """Without a descriptor (EMFILE) calls go on: _ask() looks for replies now and then,
        and tries again."""
        self._unwatch()
        try:
            self._watch()
        except AtmiError:
            raise
        except OSError:
            self._unwatch()

    def _unwatch(self):
        fd, self._fd = self._fd, -1
        if fd >= 0 and not self.loop.is_closed():
            self.loop.remove_reader(fd)
        if fd >= 0:
            os.close(fd)

    def __del__(self):
        if self._fd >= 0:
            os.close(self._fd)

    def _renew(self):
        """There is another domain: another descriptor. Calls of the one before are lost,
        those of this one go on."""
        self.domains += 1
        for cd in list(self.waiting):
            try:
                self._arrive(cd, _core.getrply(cd, raw=bool(self.raw), block=False), None)
            except TPEBLOCK:
                pass
            except TPEBADDESC:
                self._arrive(cd, None, plain.gone())
            except AtmiError as e:
                self._arrive(cd, None, e)
        _refuse(self.listeners, "the domain was shut down, and what was subscribed to with it")
        self.listeners.clear()
        try:
            if self.came is not None:
                _core.set_unsol(self._message)
            self._watch_again()
        except AtmiError as e:
            self._fail(e)
            return
        self._look_later()

    # ---- replies ----

    def _ready(self):
        """Something has come, or it is time to look."""
        try:
            for _ in range(BATCH):
                if not self.waiting:
                    break
                got = _core.getany(raw=bool(self.raw), block=False)
                if got is None:
                    break
                self._arrive(*got)
            if self.came is not None:
                _core.check_unsol()
        except AtmiError as e:
            self._fail(e)
        self._look_later()

    def _arrive(self, cd, data, error):
        future = self.waiting.pop(cd, None)
        service = self.services.pop(cd, None)
        if service in self.blocked:
            self._next(service)
        stays = cd in self.raw
        if self.raw and not stays:
            data, error = _decoded(data, error)
        self.raw.discard(cd)
        if future is None:
            plain.arrived(cd, data, error)
            return
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result((data, _core.urcode()))

    def _fail(self, error):
        """The domain is gone, or something as bad: nobody waits in vain."""
        waiting, self.waiting = self.waiting, {}
        self.services.clear()
        self.raw.clear()
        for future in [*waiting.values(), *self.listeners]:
            if not future.done():
                future.set_exception(error)
        self.listeners.clear()

    # ---- time ----

    def _look_later(self):
        """Ask once in a turn of the loop how long it may wait."""
        if not self._asked:
            self._asked = True
            self.loop.call_soon(self._ask)

    def _ask(self):
        self._asked = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.waiting and self.came is None:
            return
        try:
            if self._fd < 0:
                self._watch_again()
            ms = _core.reply_timeout()
        except TPEPROTO:  # the context was made anew
            self._renew()
            return
        except AtmiError as e:
            self._fail(e)
            return
        seconds = ms / 1000 if self._fd >= 0 else min(ms / 1000, BLIND)
        self._timer = self.loop.call_later(seconds, self._ready)

    # ---- calls ----

    async def call(self, service, data, timeout, raw):
        cd = await self._send(service, data, timeout, True)
        old = self.waiting.get(cd)
        if old is not None and not old.done():
            old.set_exception(plain.gone())
        future = self.waiting[cd] = self.loop.create_future()
        self.services[cd] = service
        if raw:
            self.raw.add(cd)
        else:
            self.raw.discard(cd)  # of a call of the domain before
        self._look_later()
        try:
            return await future
        except asyncio.CancelledError:
            if self.waiting.get(cd) is future:  # not of a later call, if its reply had come
                del self.waiting[cd]
                self.raw.discard(cd)
                del self.services[cd]
                with contextlib.suppress(AtmiError):  # it has ended with its domain
                    _core.cancel(cd)
            raise

    async def _send(self, service, data, timeout, reply):
        if timeout is not None:
            plain.check_seconds(timeout)
        end = self.loop.time() + (_core.default_timeout() if timeout is None
                                  else timeout)
        again = False
        while True:
            if again or service not in self.blocked:
                try:
                    return _core.acall(
                        service, data, transaction=False, reply=reply,
                        block=False, timeout=timeout and
                        max(0.001, end - self.loop.time()))
                except TPEBLOCK:  # the queue of the service is full
                    pass
            await self._room(service, end, again)
            again = True

    # ---- full queues: who comes first is served first ----

    async def _room(self, service, end, again):
        """Until there may be room: a reply of the service has come, or a
        moment is over."""
        left = end - self.loop.time()
        if left <= 0:
            raise TPETIME("the queue was full until the time-out was over: not done",
                          not_done=True)
        future = self.loop.create_future()
        line = self.blocked.setdefault(service, collections.deque())
        (line.appendleft if again else line.append)(future)
        if self._retry is None:
            self._retry = self.loop.call_later(min(RETRY, left), self._knock)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self._next(service)  # its turn is another one's
            raise

    def _next(self, service):
        """The first in line for this service tries."""
        line = self.blocked.get(service)
        while line:
            future = line.popleft()
            if not future.done():
                future.set_result(None)
                break
        if line is not None and not line:
            del self.blocked[service]

    def _knock(self):
        self._retry = None
        for service in list(self.blocked):
            for _ in range(4):
                self._next(service)
        if self.blocked:
            self._retry = self.loop.call_later(RETRY, self._knock)

    # ---- messages ----

    def listen(self):
        if self.came is None:
            self.came = collections.deque()
            _core.set_unsol(self._message)
        self._look_later()  # there may be another domain

    def _message(self, data):
        self.came.append(data)
        for future in self.listeners:
            if not future.done():
                future.set_result(None)
        self.listeners.clear()

    async def message(self):
        while not self.came:
            _core.check_unsol()
            if self.came:
                break
            future = self.loop.create_future()
            self.listeners.append(future)
            await future
        return self.came.popleft()


def _decoded(data, error):
    """Of a reply that came as a Buffer, because another one is to stay one."""
    try:
        if error is None:
            return None if data is None else data.decode(), None
        if isinstance(error.data, _core.Buffer):
            error.data = error.data.decode()
    except Exception as e:  # noqa: BLE001: who waits is told
        if error is None:
            error = TPEOTYPE(f"the reply has come and cannot be read: {e}; the exception has its "
                             "buffer as data", _core.urcode(), data)
            error.__cause__ = e
    return None, error


def _refuse(futures, text):
    for future in futures:
        if not future.done():
            future.set_exception(TPEPROTO(text, not_done=True))


_own = threading.local()


@forks.in_child
def _forget():
    """The parent's loop goes on: its descriptors, which this process shares, stay as
    they are."""
    _own.client = None


def _client():
    loop = asyncio.get_running_loop()
    client = getattr(_own, "client", None)
    if client is None or client.loop is not loop:
        if client is not None:
            client.close()
        client = _own.client = _Client(loop)
    return client


async def call(service: str, data: Any = None, *, timeout: Optional[float] = None,
               raw: bool = False) -> Any:
    """Call a service: its reply. `timeout` is in seconds, of the whole call."""
    return (await _client().call(service, data, timeout, raw))[0]


async def reply(service: str, data: Any = None, *, timeout: Optional[float] = None,
                raw: bool = False) -> Reply:
    """The same with the code that the service returned: a Reply."""
    return Reply(*await _client().call(service, data, timeout, raw))


async def cast(service: str, data: Any = None, *, timeout: Optional[float] = None) -> None:
    """Send a request that nobody replies to."""
    await _client()._send(service, data, timeout, False)


async def messages() -> AsyncIterator[Any]:
    """Unsolicited messages of this thread: `async for message in ...`."""
    client = _client()
    client.listen()
    while True:
        yield await client.message()


async def events(expression: str, filter: Optional[str] = None  # noqa: A002
                 ) -> AsyncIterator[Any]:
    """Messages of a subscription, as long as the loop over them lasts. An AtmiError: it has
    ended with its domain."""
    client = _client()
    client.listen()
    number, domains = _core.subscribe(expression, filter), client.domains
    try:
        while True:
            yield await client.message()
    finally:
        if client.domains == domains:  # in the next one the number is another's
            with contextlib.suppress(AtmiError):
                _core.unsubscribe(number)


def busy() -> bool:
    """Has a loop of this thread calls out?"""
    client = getattr(_own, "client", None)
    return client is not None and bool(client.waiting) and not client.loop.is_closed()


def leave() -> None:
    """Calls of this thread's loop are dropped: who waits for one gets TPESYSTEM, as nobody
    knows what became of it; TPEPROTO for what was not sent."""
    client = getattr(_own, "client", None)
    if client is not None:
        client.close()
        _own.client = None


async def close() -> None:
    """Calls of this loop are dropped, and the thread leaves the domain."""
    leave()
    _core.term()
