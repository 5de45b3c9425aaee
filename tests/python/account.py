# SPDX-License-Identifier: Apache-2.0
"""account.py - a view of python.v as a dataclass"""
import dataclasses

import onewake


@onewake.view("PYACCOUNT")
@dataclasses.dataclass
class Account:
    number: str = ""
    cents: int = 0
    rate: float = 0.0
    limits: list = dataclasses.field(default_factory=list)
    key: bytes = b""
