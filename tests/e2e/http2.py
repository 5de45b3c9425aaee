# SPDX-License-Identifier: Apache-2.0
"""http2.py - the caller's end of HTTP/2 (RFC 9113), frame by frame, for stories

    with Http2(d) as c:
        c.request(1, "/echo", b"x")
        equal(c.answer(1), (200, b"x"))

It can say what no library of clients says. Of the headers of an answer it reads the status.
"""
import socket
import ssl
import struct

DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
_STATUS = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}
_DIGITS = {"00000": "0", "00001": "1", "00010": "2", "011001": "3", "011010": "4", "011011": "5", "011100": "6",
           "011101": "7", "011110": "8", "011111": "9"}


def field(name, value, how=0):
    """A header as HPACK has it, without tables; how=0x40: it goes to the table of the gate."""
    def text(s):
        b = s if isinstance(s, bytes) else s.encode()
        n, head = len(b), b""
        if n < 127:
            return bytes([n]) + b
        head, n = b"\x7f", n - 127
        while n >= 128:
            head, n = head + bytes([n & 127 | 128]), n >> 7
        return head + bytes([n]) + b
    return bytes([how]) + text(name) + text(value)


def _status(block):
    """The first header of an answer."""
    if block[0] & 0x80:
        return _STATUS.get(block[0] & 0x7f)
    n = block[1] & 0x7f
    value = block[2:2 + n]
    if not block[1] & 0x80:
        return int(value)
    bits, text = "".join(f"{b:08b}" for b in value), ""
    while len(text) < 3:
        for size in (5, 6):
            if bits[:size] in _DIGITS:
                text, bits = text + _DIGITS[bits[:size]], bits[size:]
                break
    return int(text)


class Http2:
    def __init__(self, d, window=1 << 24):
        context = ssl.create_default_context(cafile=f"{d.home}/ca.pem")
        context.set_alpn_protocols(["h2"])
        self.s = context.wrap_socket(socket.create_connection(("localhost", d.port), 20), server_hostname="localhost")
        self.host = f"localhost:{d.port}"
        self.buffer, self.status, self.body, self.ended, self.reset = b"", {}, {}, set(), {}
        self.settings, self.gone = {}, None
        self.s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.frame(SETTINGS, 0, 0, struct.pack(">HI", 4, window))
        if window:
            self.frame(WINDOW, 0, 0, struct.pack(">I", window))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()

    def frame(self, kind, flags, stream, payload=b""):
        self.s.sendall(packed(kind, flags, stream, payload))

    def block(self, path, method="POST", more=b""):
        return (field(":method", method) + field(":scheme", "https") + field(":authority", self.host) +
                field(":path", path) + more)

    def request(self, stream, path, body=b"", method="POST", more=b""):
        self.frame(HEADERS, END_HEADERS | (0 if body else END_STREAM), stream, self.block(path, method, more))
        if body:
            self.frame(DATA, END_STREAM, stream, body)

    def _exactly(self, n):
        while len(self.buffer) < n:
            part = self.s.recv(65536)
            if not part:
                raise ConnectionError("it is closed")
            self.buffer += part
        taken, self.buffer = self.buffer[:n], self.buffer[n:]
        return taken

    def take(self):
        """One frame: its kind."""
        head = self._exactly(9)
        n, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
        stream, payload = int.from_bytes(head[5:], "big"), self._exactly(n)
        if kind == HEADERS and stream not in self.status:
            self.status[stream] = _status(payload)
        elif kind == DATA:
            self.body[stream] = self.body.get(stream, b"") + payload
        elif kind == RST:
            self.reset[stream] = struct.unpack(">I", payload)[0]
            self.ended.add(stream)
        elif kind == GOAWAY:
            self.gone = struct.unpack(">II", payload[:8])[1]
        elif kind == SETTINGS and not flags & ACK:
            self.settings.update(struct.iter_unpack(">HI", payload))
            self.frame(SETTINGS, ACK, 0)
        if kind in (HEADERS, DATA) and flags & END_STREAM:
            self.ended.add(stream)
        return kind

    def answer(self, stream):
        """Status and body; of one that was reset its error and b""."""
        while stream not in self.ended and self.gone is None:
            self.take()
        if stream in self.reset and stream not in self.status:
            return f"reset {self.reset[stream]}", b""
        return self.status.get(stream), self.body.get(stream, b"")

    def until_closed(self):
        """The error of the GOAWAY with which it ended; None: it had none."""
        try:
            while True:
                self.take()
        except (ConnectionError, ssl.SSLError):
            return self.gone


def packed(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
