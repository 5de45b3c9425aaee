# SPDX-License-Identifier: Apache-2.0
"""pauses.py - when the machine stood still during a fact

A process of its own sleeps 20 ms again and again and notes each time that it
woke late. Other tests, the disk and the host of a virtual machine make such
pauses; a bound of one single time is moved by them (checks.py, soon).
"""
import mmap
import os
import select
import signal
import struct
import time

_PERIOD_S = 0.02
_LATE_S = 0.03  # less is the ordinary life of a busy machine
_ROOM = 4096  # records; the rest of a story's pauses is not noted
_RECORD = struct.Struct("dd")  # end of the pause by the monotonic clock, s

_notes = mmap.mmap(-1, 8 + _ROOM * _RECORD.size)
_state = {"since": 0.0, "pipe": None}


def _note(n, end, late):
    _RECORD.pack_into(_notes, 8 + n * _RECORD.size, end, late)
    struct.pack_into("q", _notes, 0, n + 1)


def _watch(pipe):
    """Until the runner has ended: nobody has the other end of the pipe."""
    n, begin = 0, time.monotonic()
    while not select.select([pipe], [], [], _PERIOD_S)[0]:
        end = time.monotonic()
        late = end - begin - _PERIOD_S
        if late > _LATE_S and n < _ROOM:
            _note(n, end, late)
            n += 1
        begin = end


def start():
    """Begin to watch, in a process that ends with this one."""
    r, w = os.pipe()
    if os.fork() != 0:
        os.close(r)
        _state["pipe"] = w
        return
    os.close(w)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    try:
        _watch(r)
    finally:
        os._exit(0)


def begin():
    """A fact begins: earlier pauses are nothing to it."""
    _state["since"] = time.monotonic()


def worst_ms(span_ms):
    """How much of a time of `span_ms` in this fact were pauses, at most."""
    n = struct.unpack_from("q", _notes, 0)[0]
    seen = [_RECORD.unpack_from(_notes, 8 + i * _RECORD.size)
            for i in range(n)]
    seen = [s for s in seen if s[0] >= _state["since"]]
    return max((1000 * sum(late for end, late in seen
                           if 0 <= end - first <= span_ms / 1000)
                for first, _ in seen), default=0)
