#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""banksv.py - the server of the BANK example in Python: service BALANCE

In: T_ACCNUM and T_ACCCUR. Out: the same fields with T_AMTAVL added, as banksv.c
does: clients cannot tell which of them replied.
"""
from typing import Any

import onewake

NO_ACCOUNT, NO_CURRENCY = 1, 2


def balance_of(account: str) -> float:
    """Digits of the account number, as cents."""
    return int("".join(c for c in account if c.isascii() and c.isdigit()) or "0") / 100


@onewake.service("BALANCE")
def balance(request: onewake.Request) -> dict[str, Any]:
    fields: dict[str, Any] = request.data
    if "T_ACCNUM" not in fields:
        raise onewake.Fail(fields, urcode=NO_ACCOUNT)
    if "T_ACCCUR" not in fields:
        raise onewake.Fail(fields, urcode=NO_CURRENCY)
    fields["T_AMTAVL"] = balance_of(fields["T_ACCNUM"][0])
    return fields


if __name__ == "__main__":
    onewake.run(threads=True)
