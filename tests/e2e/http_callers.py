# SPDX-License-Identifier: Apache-2.0
"""http_callers.py - who says who they are to a gate for HTTP, for stories"""
import base64
import json
import os
import subprocess
import time


def basic(name, password):
    return {"Authorization": "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()}


def private(d, name, text):
    path = os.path.join(d.home, name)
    with open(path, "w", encoding="utf-8", opener=lambda p, f: os.open(p, f, 0o600)) as f:
        f.write(text)
    return path


class Issuer:
    """Keys and tokens, by openssl."""

    def __init__(self, folder):
        self.key = os.path.join(folder, "issuer.key")
        subprocess.run(["openssl", "genrsa", "-out", self.key, "2048"], check=True, capture_output=True)
        n = subprocess.run(["openssl", "rsa", "-in", self.key, "-modulus", "-noout"], check=True,
                           capture_output=True, text=True).stdout.strip().split("=")[1]
        self.jwks = json.dumps({"keys": [{"kty": "RSA", "kid": "1", "alg": "RS256", "e": "AQAB",
                                          "n": self.text(bytes.fromhex(n))}]}).encode()

    @staticmethod
    def text(b):
        return base64.urlsafe_b64encode(b).rstrip(b"=").decode()

    def token(self, **claims):
        head = {"alg": "RS256", "kid": "1"}
        body = {"iss": "https://issuer", "aud": "bank", "sub": "anna", "exp": int(time.time()) + 600, **claims}
        signed = ".".join(self.text(json.dumps(p).encode()) for p in (head, body))
        r = subprocess.run(["openssl", "dgst", "-sha256", "-sign", self.key], input=signed.encode(), check=True,
                           capture_output=True)
        return {"Authorization": f"Bearer {signed}.{self.text(r.stdout)}"}
