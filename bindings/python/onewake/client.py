# SPDX-License-Identifier: Apache-2.0
"""client.py - calls whose reply comes later

call() is C. A Call belongs to the thread that made it, as its descriptor does.
"""
import contextlib
import sys
import threading
import time
from typing import Any, Iterable, Iterator, Optional

from onewake import _core, forks
from onewake.errors import AtmiError, TPEBADDESC, TPEBLOCK, TPEPROTO, TPESYSTEM, TPETIME

_UNKNOWN = object()


class _Own(threading.local):
    def __init__(self):
        self.calls = {}  # descriptor -> Call


_own = _Own()


@forks.in_child
def _forget():
    _own.calls = {}


def check_number(timeout):
    if not hasattr(timeout, "__float__") and not hasattr(timeout, "__index__"):
        raise TypeError(f"timeout={timeout!r}: give a number of seconds")


def check_seconds(timeout):
    """As C does, which sees only what is left of it."""
    check_number(timeout)
    if not 0 < timeout <= 2e6:
        raise ValueError(f"timeout={timeout!r}: give more than 0 and at most 2,000,000 seconds")


def gone():
    """What becomes of the calls of a domain when there is another one, which gives
    out their descriptors again."""
    return TPESYSTEM("the domain was shut down: what became of the call is not known")


class Call:
    """A call under way: result() waits for its reply, cancel() drops it."""

    def __init__(self, cd: int, service: str, timeout: Optional[float] = None) -> None:
        self.cd, self.service = cd, service
        self.end = None if timeout is None else time.monotonic() + timeout
        self._reply, self._error = _UNKNOWN, None
        self.urcode = 0
        self._calls = _own.calls  # of its thread
        self._forks = forks.count()
        old = self._calls.get(cd)
        if old is not None:
            old._arrive(_UNKNOWN, gone())
        self._calls[cd] = self

    def _arrive(self, reply, error):
        self._reply, self._error = reply, error
        self.urcode = error.urcode if error else _core.urcode()
        _own.calls.pop(self.cd, None)

    def _is_open(self):
        """Has it no outcome yet? Only its thread may ask for one: in another one
        the descriptor is of another call, or of none."""
        if self._reply is not _UNKNOWN or self._error is not None:
            return False
        forks.refuse(self, self._forks)
        if self._calls is not _own.calls:
            raise TPEPROTO(f"{self!r} belongs to the thread that made it")
        return True

    def _result(self):
        if self._error is not None:
            raise self._error
        return self._reply

    def done(self) -> bool:
        """Is the reply here? Takes it if it is."""
        if self._is_open():
            try:
                self._arrive(_core.getrply(self.cd, block=False), None)
            except TPEBLOCK as e:
                return self._is_answer(e)
            except AtmiError as e:
                self._arrive(_UNKNOWN, e)
        return True

    def _is_answer(self, error):
        """TPEBLOCK: no reply is there; or the service returned it, which has ended the
        call, so that there is none to ask for again."""
        try:
            self._arrive(_core.getrply(self.cd, block=False), None)
        except TPEBLOCK:
            return False
        except TPEBADDESC:
            self._arrive(_UNKNOWN, error)
        except AtmiError as e:
            self._arrive(_UNKNOWN, e)
        return True

    def _left(self, timeout):
        """How long to wait: until the end of the call at the latest."""
        if self.end is None:
            return timeout
        left = max(0.001, self.end - time.monotonic())
        return left if timeout is None else min(left, timeout)

    def _expire(self, error):
        """If its time is over, `error` is its result, and a late reply is
        nobody's."""
        if self.end is None or time.monotonic() < self.end:
            return False
        with contextlib.suppress(AtmiError):  # of a transaction: it stays
            _core.cancel(self.cd)
        self._arrive(_UNKNOWN, error)
        return True

    def result(self, timeout: Optional[float] = None) -> Any:
        """The reply. TPETIME when the time of the call is over, or after
        `timeout` seconds: then it can still be waited for."""
        if self._is_open():
            try:
                self._arrive(_core.getrply(
                    self.cd, timeout=self._left(timeout)), None)
            except TPETIME as e:
                self._expire(e)
                raise
            except AtmiError as e:
                self._arrive(_UNKNOWN, e)
        return self._result()

    def cancel(self) -> None:
        """Its reply is dropped; what the service does it does."""
        if self._is_open() and self._calls.get(self.cd) is self:
            del self._calls[self.cd]
            _core.cancel(self.cd)
            self._error = TPEBADDESC("the call was cancelled")

    def __repr__(self):
        return f"<Call {self.cd} of {self.service}>"


def acall(service: str, data: Any = None, *, timeout: Optional[float] = None,
          transaction: bool = True) -> Call:
    """Send a request, and go on: a Call."""
    return Call(_core.acall(service, data, timeout=timeout,
                            transaction=transaction), service, timeout)


def cast(service: str, data: Any = None, *, timeout: Optional[float] = None,
         transaction: bool = False) -> None:
    """Send a request that nobody replies to."""
    _core.acall(service, data, timeout=timeout, transaction=transaction,
                reply=False)


def arrived(cd, reply, error):
    """The loop of this thread has got a reply that is none of its own."""
    call = _own.calls.get(cd)
    if call is not None:
        call._arrive(_UNKNOWN if error else reply, error)


def as_completed(calls: Iterable[Call], timeout: Optional[float] = None) -> Iterator[Call]:
    """These Calls of this thread, in the order of their replies."""
    calls = list(calls)
    for call in calls:
        if not isinstance(call, Call):
            raise TypeError(f"{call!r} is no Call: acall() makes one")
    aio = sys.modules.get("onewake.aio")
    if aio is not None and aio.busy():
        raise TPEPROTO("tasks of this thread call: it would take their replies")
    for call in calls:
        forks.refuse(call, call._forks)
    left = {c.cd: c for c in calls}
    for call in [c for c in calls if c.cd not in _own.calls]:
        del left[call.cd]  # was fetched before
        yield call
    end = None if timeout is None else time.monotonic() + timeout
    while left:
        ends = [e for e in (end, *(c.end for c in left.values())) if e]
        wait = max(0.001, min(ends) - time.monotonic()) if ends else None
        try:
            cd, reply, error = _core.getany(timeout=wait)  # type: ignore[misc]  # it waits
        except TPETIME as e:
            late = [c for c in left.values() if c._expire(e)]
            if not late:
                raise
            for call in late:
                del left[call.cd]
                yield call
            continue
        call = _own.calls.get(cd)
        if call is None:
            continue
        call._arrive(_UNKNOWN if error else reply, error)
        if left.pop(cd, None) is not None:
            yield call


def init(user: Optional[str] = None, client: Optional[str] = None,
         password: Optional[str] = None, group: Optional[str] = None, flags: int = 0) -> None:
    """Join the domain, with a name and password where it wants them. Without
    it the first call joins."""
    _core.init(user, client, password, group, flags)


def term() -> None:
    """This thread leaves the domain; its calls are dropped."""
    for call in list(_own.calls.values()):
        call._arrive(_UNKNOWN, TPESYSTEM("the thread has left the domain, by term(): what became "
                                         "of the call is not known"))
    aio = sys.modules.get("onewake.aio")
    if aio is not None:  # its descriptor ends with the context
        aio.leave()
    _core.term()
    events = sys.modules.get("onewake.events")
    if events is not None:  # its handler of messages has ended, too
        events.leave()
