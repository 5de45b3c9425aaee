# SPDX-License-Identifier: Apache-2.0
"""Memory stays as it is, however long a program calls. OW_LONG=1: over ten million calls, and
over a hundred contexts that are made, used and freed ten thousand times."""
import os

import pytest

import onewake
from onewake import _core

COST = 7
LONG = bool(os.environ.get("OW_LONG"))
pytestmark = pytest.mark.skipif(bool(os.environ.get("OW_SANITIZE")),
                                reason="a sanitizer keeps what was freed")
FIELDS = {"P_STRING": ["x" * 50, "y"], "P_UBF": {"P_LONG": 1}, "P_CARRAY": b"z" * 100}


@pytest.fixture(scope="module")
def domain(boot):
    return boot([{"program": "testsv", "srvid": 50, "appopt": "ECHO FAIL"}])


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def grown(some, first, then):
    """Bytes that `then` rounds after the first ones have taken for good."""
    some(first)
    before, fds = resident(), descriptors()
    some(then)
    assert descriptors() < fds + first  # of each round, or context, one would be more
    return resident() - before


def test_calls_take_no_memory(domain):
    def some(n):
        for _ in range(n):
            onewake.call("ECHO", FIELDS)
            onewake.Buffer(FIELDS).decode()
            for name in ("NOSUCHSVC", "FAIL"):
                try:
                    onewake.call(name, FIELDS)
                except (onewake.TPENOENT, onewake.TPESVCFAIL):
                    pass
    assert grown(some, 1000, 3_400_000 if LONG else 5000) < 1_000_000


def test_contexts_take_no_memory(domain):
    """A hundred at once, each with a descriptor to wait on, and a call out when it ends."""
    def some(n):
        for _ in range(n):
            made = []
            for _ in range(100):
                made.append(_core.new_context())
                _core.set_context(made[-1])
                _core.reply_fd()
                assert onewake.call("ECHO", "x") == "x"
                _core.acall("ECHO", "y")
                assert _core.get_context() == made[-1]
            for context in made:
                _core.free_context(context)
    onewake.term()
    assert grown(some, 5, 10_000 if LONG else 15) < 1_000_000
