# SPDX-License-Identifier: Apache-2.0
"""conftest.py - where the tests of the Python package have their files"""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
SERVERS = os.path.join(HERE, "servers")
BUILD = os.environ["OW_BUILD"]
# The kernel limits the bytes of queues of a user: many domains of tests are to have room.
SMALL_QUEUES = {"NDRX_MSGMAX": "4", "NDRX_MSGSIZEMAX": "512"}
if "OW_COMPAT" in os.environ:  # as in stories (tests/README.md)
    SMALL_QUEUES["NDRX_COMPAT"] = os.environ["OW_COMPAT"]
    os.environ["NDRX_COMPAT"] = os.environ["OW_COMPAT"]
sys.path.insert(0, HERE)
os.environ.update(FLDTBLDIR=HERE, FIELDTBLS="python.fd", VIEWDIR=HERE,
                  VIEWFILES="python.v")


@pytest.fixture(scope="session")
def boot(onewake_domain):
    """onewake_domain, with the fields and views of these tests."""
    def start(servers=(), **how):
        how.setdefault("fields", f"{HERE}/python.fd")
        how.setdefault("views", f"{HERE}/python.v")
        how["env"] = {**SMALL_QUEUES, **(how.get("env") or {})}
        path = [SERVERS, f"{BUILD}/tests/e2e", f"{BUILD}/bin"]
        return onewake_domain(servers, path=path, **how)
    return start
