# SPDX-License-Identifier: Apache-2.0
"""network.py - a way to nats-server that stories slow down and cut"""
import contextlib
import selectors
import socket
import threading
import time


class Network:
    """A way to nats-server that is slow, or swallows everything: connections
    stay open, as when a cable is cut."""

    def __init__(self, port, delay=0.0):
        self.port, self.delay, self.cut = port, delay, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.select = selectors.DefaultSelector()
        self.select.register(self.listener, selectors.EVENT_READ)
        self.late = []  # (when, to, data), in order
        self.peer = {}
        self.ended = False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    @property
    def url(self):
        return f"nats://127.0.0.1:{self.listener.getsockname()[1]}"

    def _accept(self):
        here = self.listener.accept()[0]
        try:
            there = socket.create_connection(("127.0.0.1", self.port), 5)
        except OSError:
            here.close()
            return
        for s, other in ((here, there), (there, here)):
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.peer[s] = other
            self.select.register(s, selectors.EVENT_READ)

    def _end(self, s):
        for one in (s, self.peer.pop(s, None)):
            if one is not None:
                self.peer.pop(one, None)
                with contextlib.suppress(KeyError, ValueError):
                    self.select.unregister(one)
                one.close()

    def _take(self, s):
        try:
            data = s.recv(65536)
        except OSError:
            data = b""
        if data:
            self.late.append((time.monotonic() + self.delay,
                              self.peer.get(s), data))
        else:
            self._end(s)

    def _give(self):
        now = time.monotonic()
        while self.late and self.late[0][0] <= now and not self.cut:
            _, to, data = self.late.pop(0)
            try:
                if to in self.peer:
                    to.sendall(data)
            except OSError:
                self._end(to)

    def _run(self):
        while not self.ended:
            if self.cut:
                time.sleep(0.01)  # nobody reads: it waits, as for repeats
                continue
            for key, _ in self.select.select(0.002):
                if key.fileobj is self.listener:
                    self._accept()
                elif key.fileobj in self.peer:
                    self._take(key.fileobj)
            self._give()

    def close(self):
        self.ended = True
        self.thread.join()
        for s in list(self.peer):
            self._end(s)
        self.listener.close()
