# SPDX-License-Identifier: Apache-2.0
"""forks.py - what a forked child has of its parent: nothing

The child's first call makes a context of its own, as in C. What the parent has under
way is copied by os.fork() as objects of Python, and belongs to the parent: in the
child it is refused, before it could mean something of the child's own.
"""
import os
from typing import Any, Callable

from onewake.errors import TPEPROTO

_forks = 0  # of this process and those that it comes from
_forget: list[Callable[[], Any]] = []


def count():
    return _forks


def in_child(function):
    """Call it in each child, before anything else of this package."""
    _forget.append(function)
    return function


def refuse(what, made):
    """TPEPROTO if `what`, which was made when count() was `made`, is the parent's."""
    if made != _forks:
        raise TPEPROTO(f"{what} belongs to the process that made it, from which this "
                       "one was forked: not done", not_done=True)


def _begin():
    global _forks
    _forks += 1
    for function in _forget:
        function()


os.register_at_fork(after_in_child=_begin)
