# SPDX-License-Identifier: Apache-2.0
"""endurox over onewake: programs that `import endurox as e` run as they are.

A buffer is a dict: {"buftype": "UBF", "data": {...}}, see buffers.py. Calls
return (tperrno, tpurcode, data). doc/bindings/python.md of Onewake says what
is not there.
"""
from onewake import _core

from endurox.atmi import *  # noqa: F401,F403
from endurox.atmi import NstdException  # noqa: F401
from endurox.buffers import use_ubfdict as ndrxpy_ubfdict_enable  # noqa: F401
from endurox.log import *  # noqa: F401,F403
from endurox.srv import *  # noqa: F401,F403
from endurox.ubfdict import UbfDict, UbfDictConst, UbfDictFld  # noqa: F401

globals().update(_core.constants())
