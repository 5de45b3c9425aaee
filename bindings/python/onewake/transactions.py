# SPDX-License-Identifier: Apache-2.0
"""transactions.py - `with transaction(timeout=30):` commits, or rolls back

A transaction is that of the thread. Calls and queues inside take part, unless
they say transaction=False.
"""
import contextlib
import math
from typing import Iterator

from onewake import _core, forks
from onewake.client import check_number
from onewake.errors import AtmiError


def open() -> None:  # noqa: A001
    """Open the resource manager of this process (tpopen)."""
    _core.open()


def close() -> None:
    _core.close()


def begun() -> bool:
    """Is this thread in a transaction?"""
    return _core.level() == 1


def _seconds(timeout):
    """0.5 is not 0, which is no limit."""
    check_number(timeout)
    if not 0 <= timeout <= 2e6:
        raise ValueError(f"timeout={timeout!r}: give 0 (no limit) to 2,000,000 seconds")
    return math.ceil(timeout)


@contextlib.contextmanager
def transaction(timeout: float = 0, *, flags: int = 0) -> Iterator[None]:
    """Commits at the end of the block; an exception rolls back and goes on.
    TPEABORT: the commit has rolled back. `timeout`: seconds, of which a part counts as a
    whole one; 0: no limit."""
    _core.begin(_seconds(timeout), flags)
    made = forks.count()
    try:
        yield
    except BaseException:
        with contextlib.suppress(AtmiError):  # the first one tells more
            if made == forks.count():
                _core.abort()
        raise
    forks.refuse("the transaction", made)
    try:
        _core.commit()
    except KeyboardInterrupt:
        if begun():
            _core.abort()
        raise


@contextlib.contextmanager
def suspended() -> Iterator[None]:
    """The block is outside of the transaction of this thread."""
    what = _core.suspend()
    made = forks.count()
    try:
        yield
    finally:
        if made == forks.count():
            _core.resume(what)
