# SPDX-License-Identifier: Apache-2.0
"""certificates.py - authorities and certificates for stories, by openssl"""
import os
import subprocess


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
            f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")


def certificate(folder, ca, name, days=2, email=None):
    """For a server on localhost, or a client."""
    with open(os.path.join(folder, "ext"), "w", encoding="utf-8") as f:
        f.write("subjectAltName=DNS:localhost" +
                (f",email:{email}" if email else "") + "\n")
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA",
            f"{ca}.pem", "-CAkey", f"{ca}.key", "-CAcreateserial", "-days",
            str(days), "-extfile", "ext", "-out", f"{name}.pem")
