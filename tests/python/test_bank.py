# SPDX-License-Identifier: Apache-2.0
"""The BANK example: clients and servers in Python and C, each with each."""
import os
import re
import sys

import pytest

import onewake
from conftest import BUILD, HERE

COST = 6
MAINLY = "shm"
BANK = os.path.abspath(f"{HERE}/../../examples/bank")
C_SERVER = {"program": f"{BUILD}/bin/banksv", "max": 2, "min": 2}
PYTHON_SERVER = {"program": f"{BANK}/python/banksv.py", "srvid": 20}


@pytest.fixture(scope="module", params=["C", "Python", "both"])
def bank(request, boot):
    servers = {"C": [C_SERVER], "Python": [PYTHON_SERVER], "both": [C_SERVER, PYTHON_SERVER]}
    return boot(servers[request.param], fields=f"{BANK}/bank.fd")


@pytest.mark.parametrize("client", [
    [f"{BUILD}/bin/bankcl", "400", "4"],
    [sys.executable, f"{BANK}/python/bankcl.py", "400", "4"],
    [sys.executable, f"{BANK}/python/bankcl.py", "--async", "400", "40"],
], ids=["C", "threads", "tasks"])
def test_every_reply_is_right(bank, client):
    r = bank.run(*client)
    assert re.fullmatch(r"400 calls, \d+ \w+: \d+ calls/s, 0 wrong\n", r.stdout), r.stdout


def test_what_is_missing_is_said_by_the_same_codes(bank):
    for fields, urcode in (({}, 1), ({"T_ACCNUM": "ACC1"}, 2)):
        with pytest.raises(onewake.TPESVCFAIL) as e:
            onewake.call("BALANCE", fields)
        assert e.value.urcode == urcode
