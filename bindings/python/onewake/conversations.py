# SPDX-License-Identifier: Apache-2.0
"""conversations.py - both ends of a conversation

    with onewake.connect("REPORT", {"T_YEAR": 2026}, receive=True) as c:
        for row in c:
            print(row)
        print(c.reply)

The block leaves the conversation if it is still open: the other end gets
TPEV_DISCONIMM.
"""
from typing import Any, Iterator, Optional

from onewake import _core, forks
from onewake.errors import AtmiError, TPEEVENT, TPESVCERR, TPESVCFAIL

TPNOTRAN, TPSENDONLY, TPRECVONLY = 0x8, 0x800, 0x1000
DISCONIMM, SVCERR, SVCFAIL, SVCSUCC, SENDONLY = 1, 2, 4, 8, 0x20
_NAMES = {DISCONIMM: "TPEV_DISCONIMM", SVCERR: "TPEV_SVCERR"}


class Conversation:
    """One end. `control`: this end may send. `open`: it has not ended.
    `reply`, `urcode`: what the service returned at its end."""

    def __init__(self, cd, control, mine=True):
        self.cd, self.control, self.mine = cd, control, mine
        self.open, self.reply, self.urcode = True, None, 0
        self._forks = forks.count()

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Leave it, if it is open and ours to leave."""
        if self.open and self.mine and self._forks == forks.count():
            self.open = False
            _core.discon(self.cd)

    def _end(self, event, data):
        self.open = False
        self.reply, self.urcode = data, _core.urcode()
        if event == SVCSUCC:
            return
        if event == SVCFAIL:
            raise TPESVCFAIL("the service ended the conversation with TPFAIL",
                             self.urcode, data)
        cls = TPESVCERR if event == SVCERR else TPEEVENT
        raise cls(f"the conversation has ended: {_NAMES.get(event, event)}")

    def send(self, data: Any = None, *, then_receive: bool = False,
             timeout: Optional[float] = None, flags: int = 0) -> None:
        """Send a message; `then_receive`: the other end sends next."""
        forks.refuse("the conversation", self._forks)
        event = _core.send(self.cd, data, (TPRECVONLY if then_receive else 0) | flags,
                           timeout)
        if event:
            self._end(event, None)
            raise TPEEVENT("the service has ended the conversation")
        if then_receive:
            self.control = False

    def receive(self, *, timeout: Optional[float] = None, raw: bool = False, flags: int = 0) -> Any:
        """The next message. EOFError when the service has ended with success:
        `reply` has what it returned then."""
        if not self.open:
            raise EOFError("the conversation has ended")
        forks.refuse("the conversation", self._forks)
        data, event = _core.recv(self.cd, flags, timeout, raw)
        if event == SENDONLY:
            self.control = True
        elif event:
            self._end(event, data)
            raise EOFError("the service has ended the conversation")
        return data

    def __iter__(self) -> Iterator[Any]:
        """Messages until this end gets control, or the service ends."""
        while self.open and not self.control:
            try:
                data = self.receive()
            except EOFError:
                return
            if data is not None or not self.control:
                yield data


def connect(service: str, data: Any = None, *, receive: bool = False,
            timeout: Optional[float] = None, transaction: bool = True) -> Conversation:
    """Begin a conversation. This end sends first; with `receive` the other."""
    flags = (TPRECVONLY if receive else TPSENDONLY) | \
        (0 if transaction else TPNOTRAN)
    return Conversation(_core.connect(service, data, flags, timeout),
                        not receive)


def of_request(request):
    """The service's end."""
    return Conversation(request.cd, bool(request.flags & TPSENDONLY), False)


__all__ = ["AtmiError", "Conversation", "connect", "of_request"]
