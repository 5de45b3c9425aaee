# SPDX-License-Identifier: Apache-2.0
"""transactions.py - `with transaction(timeout=30):` commits, or rolls back

A transaction is that of the thread. Calls and queues inside take part, unless
they say transaction=False.
"""
import contextlib

from onewake import _core, forks
from onewake.errors import AtmiError


def open():  # noqa: A001
    """Open the resource manager of this process (tpopen)."""
    _core.open()


def close():
    _core.close()


def begun():
    """Is this thread in a transaction?"""
    return _core.level() == 1


@contextlib.contextmanager
def transaction(timeout=0, *, flags=0):
    """Commits at the end of the block; an exception rolls back and goes on.
    TPEABORT: the commit has rolled back."""
    _core.begin(int(timeout), flags)
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
def suspended():
    """The block is outside of the transaction of this thread."""
    what = _core.suspend()
    made = forks.count()
    try:
        yield
    finally:
        if made == forks.count():
            _core.resume(what)
