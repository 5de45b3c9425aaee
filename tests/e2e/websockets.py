# SPDX-License-Identifier: Apache-2.0
"""websockets.py - the caller's end of a WebSocket (RFC 6455), for stories

    with Socket(port, "/talk") as s:
        s.send("hello")
        equal(s.next(), "hello")
        equal(s.next(), 1000)
"""
import base64
import os
import socket
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Socket:
    """status is what the gate has said; no other attribute counts if it is not 101."""

    def __init__(self, port, path, headers=None):
        self.s = socket.create_connection(("127.0.0.1", port), 20)
        self.f = self.s.makefile("rb")
        said = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
                "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
                **(headers or {})}
        self.s.sendall(f"GET {path} HTTP/1.1\r\n".encode() +
                       "".join(f"{k}: {v}\r\n" for k, v in said.items()).encode() + b"\r\n")
        self.status = int(self.f.readline().split()[1])
        while self.f.readline().strip():
            pass
        self.reason = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.f.close()
        self.s.close()

    def frame(self, kind, data):
        mask = os.urandom(4)
        n = len(data)
        head = bytes([0x80 | kind]) + (bytes([0x80 | n]) if n < 126 else
                                       b"\xfe" + struct.pack(">H", n) if n < 65536 else b"\xff" + struct.pack(">Q", n))
        self.s.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def send(self, data):
        if isinstance(data, bytes):
            self.frame(BINARY, data)
        else:
            self.frame(TEXT, data.encode())

    def _take(self):
        first, n = self.f.read(2)
        if n == 126:
            n = struct.unpack(">H", self.f.read(2))[0]
        elif n == 127:
            n = struct.unpack(">Q", self.f.read(8))[0]
        return first & 15, self.f.read(n)

    def next(self):
        """The next message; a closing frame is its code."""
        while True:
            kind, data = self._take()
            if kind == PING:
                self.frame(PONG, data)
            elif kind == CLOSE:
                self.reason = data[2:].decode()
                self.frame(CLOSE, data[:2])
                return struct.unpack(">H", data[:2])[0]
            elif kind in (TEXT, BINARY):
                return data.decode() if kind == TEXT else data
