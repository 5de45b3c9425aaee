# SPDX-License-Identifier: Apache-2.0
"""http_peer.py - a program that others call by HTTP, for stories

    with Peer(lambda r: (200, {}, r.body)) as peer:
        peer.url, peer.seen
"""
import http.server
import ssl
import threading


class Request:
    def __init__(self, handler, body):
        self.method, self.path = handler.command, handler.path
        self.headers, self.body = dict(handler.headers.items()), body
        self.peer = handler.client_address
        cert = getattr(handler.connection, "getpeercert", lambda: None)()
        self.subject = dict(x[0] for x in cert["subject"]) if cert else {}


class Peer:
    """`answer` gets a Request and gives status, headers, body; or bytes, as they are, and whether the
    connection stays until the other side closes it."""

    def __init__(self, answer, port=0, tls=None):
        peer = self
        self.answer = answer
        self.seen = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def serve(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                r = Request(self, body)
                peer.seen.append(r)
                said = peer.answer(r)
                if len(said) == 2:
                    self.close_connection = True
                    self.wfile.write(said[0])
                    if said[1]:
                        self.rfile.read(1)
                    return
                status, headers, text = said
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_DELETE = serve

            def log_message(self, format, *args):  # pylint: disable=redefined-builtin
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        if tls:
            c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            c.load_cert_chain(f"{tls}/server.pem", f"{tls}/server.key")
            c.load_verify_locations(f"{tls}/ca.pem")
            c.verify_mode = ssl.CERT_REQUIRED
            self.server.socket = c.wrap_socket(self.server.socket, server_side=True)
            self.url = f"https://localhost:{self.port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
