# SPDX-License-Identifier: Apache-2.0
"""peer.py - a bridge that a story speaks by hand, frame by frame
(servers/bridge/wire/frame.h)."""
import socket
import struct

from cluster import BRIDGE

__all__ = ["CONTROL", "Peer", "REPLIES", "REQUEST", "REQUESTS"]

HEAD = struct.Struct("<IHBBIIQQIIQQQ")
FRAME = struct.Struct("<IBBBBQQQQQqiI16s8sB7x32s")
REQUESTS, REPLIES, CONTROL = range(3)
REQUEST = 1


class Peer:
    """A bridge by hand: node 7, to the first bridge of node 2."""

    def __init__(self, c):
        self.root = f"ow.{c.name}"
        self.sock = socket.create_connection(("127.0.0.1", c.nats.port), 20)
        self.file = self.sock.makefile("rb")
        self.file.readline()
        self.number = [0, 0]
        self._write('CONNECT {"verbose":false}\r\n'
                    f"SUB {self.root}.*.7.90 1\r\n"
                    f"SUB {self.root}.2.all 2\r\n")
        self.session = HEAD.unpack_from(self._message(2))[6]

    def close(self):
        self.file.close()
        self.sock.close()

    def _write(self, text):
        self.sock.sendall(text.encode())

    def _message(self, sid):
        while True:
            words = self.file.readline().split()
            if words[:1] == [b"PING"]:
                self._write("PONG\r\n")
            if words[:1] != [b"MSG"]:
                continue
            data = self.file.read(int(words[-1]) + 2)[:-2]
            if words[2] == str(sid).encode():
                return data

    def send(self, lane, kind, payload=b"", *, ident=0, buftype=3, flags=0,
             tperr=0, number=0, svc=b""):
        """One frame, as a message."""
        room = (len(payload) + 7) & ~7
        frame = FRAME.pack(FRAME.size + room, kind, buftype, 0, 50, ident,
                           len(payload), 0, len(payload), number, 0, tperr,
                           flags, b"", b"", 0, svc)
        if lane != CONTROL:
            self.number[lane] += 1
        data = HEAD.pack(0x5242574f, 1, lane, 0, 7, 90, 4711, self.session, 1,
                         0, self.number[lane] if lane != CONTROL else 0, 0,
                         0) + frame + payload.ljust(room, b"\0")
        to = "all" if lane == CONTROL else f"2.{BRIDGE}"
        self.sock.sendall(f"PUB {self.root}.7.{to} {len(data)}\r\n".encode()
                          + data + b"\r\n")

    def hears(self):
        """The next frames of the lane of replies: (kind, id, tperr, flags)."""
        while True:
            got = self._message(1)
            if HEAD.unpack_from(got)[2] != REPLIES:
                continue
            at = HEAD.size
            while at < len(got):
                f = FRAME.unpack_from(got, at)
                at += f[0]
                yield f[1], f[5], f[11], f[12]
