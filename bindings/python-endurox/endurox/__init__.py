# SPDX-License-Identifier: Apache-2.0
"""endurox over onewake: programs that `import endurox as e` run as they are.

A buffer is a dict: {"buftype": "UBF", "data": {...}}, see buffers.py. Calls
return (tperrno, tpurcode, data). doc/bindings/python.md of Onewake says what
is not there.
"""
import platform
import re

import onewake
from onewake import _core

from endurox.atmi import *  # noqa: F401,F403
from endurox.atmi import NstdException  # noqa: F401
from endurox.buffers import use_ubfdict as ndrxpy_ubfdict_enable  # noqa: F401
from endurox.log import *  # noqa: F401,F403
from endurox.srv import *  # noqa: F401,F403
from endurox.ubfdict import UbfDict, UbfDictConst, UbfDictFld  # noqa: F401

globals().update(_core.constants())

# Of the build. What a build of Onewake does not note is empty.
NDRXPY_BLD_PRODUCT, NDRXPY_BLD_SYSTEM = "Onewake", platform.system()
NDRXPY_BLD_VERSION, NDRXPY_BLD_RELEASE = onewake.__version__, "1"
NDRXPY_BLD_CONFIG = NDRXPY_BLD_TAG = NDRXPY_BLD_BRANCH = NDRXPY_BLD_FLAGS = ""
NDRXPY_BLD_COMMIT = NDRXPY_BLD_HASH = ""
NDRXPY_VERSION_MAJOR, NDRXPY_VERSION_MINOR, NDRXPY_VERSION_PATCH = map(
    int, re.findall(r"\d+", onewake.__version__)[:3])
NDRXPY_VERSION_NUM = (NDRXPY_VERSION_MAJOR * 100 + NDRXPY_VERSION_MINOR) * 100 + \
    NDRXPY_VERSION_PATCH
