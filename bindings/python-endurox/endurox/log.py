# SPDX-License-Identifier: Apache-2.0
"""log.py - the logs, and buffers as text"""
import sys
import traceback

import onewake
from onewake import _core

from endurox.buffers import _from_fields, fields_to

ALWAYS, ERROR, WARN, INFO, DEBUG = 1, 2, 3, 4, 5


def userlog(message):
    _core.userlog(message)


def _line(level, message):
    for line in str(message).split("\n"):
        _core.log(level, line)


def tplog(lev, message):
    _line(lev, message)


def tplog_debug(message):
    _line(DEBUG, message)


def tplog_info(message):
    _line(INFO, message)


def tplog_warn(message):
    _line(WARN, message)


def tplog_error(message):
    _line(ERROR, message)


def tplog_always(message):
    _line(ALWAYS, message)


def tplog_exception(msg=""):
    """The exception that is handled now, as error."""
    _line(ERROR, f"{msg} {traceback.format_exc()}".strip())


def tplogdump(lev, comment, data):
    _core.log_dump(lev, comment, bytes(data))


def tplogprintubf(lev, title, data):
    fields = data.get("data", data)
    _core.log_fields(lev, title, fields_to(fields))


def tplogconfig(logger, lev=-1, debug_string="", module="", new_file=""):
    _core.log_config(logger, lev, debug_string or None, module or None,
                     new_file or None)


def tplogqinfo(lev, flags):
    return _core.log_info(lev, flags)


def tplogsetreqfile_direct(filename=""):
    _core.request_log(filename)


def tploggetreqfile():
    return _core.request_log() or ""


def tplogclosereqfile():
    _core.close_log()


def tplogclosethread():
    _core.close_log(True)


# ---- fields ----

def Bfldtype(fldid):  # noqa: N802
    return _core.field_type(fldid)


def Bfldno(fldid):  # noqa: N802
    return _core.field_number(fldid)


def Bmkfldid(type, num):  # noqa: A002, N802
    return _core.make_field(type, num)


def Bfname(fldid):  # noqa: N802
    return _core.field_name(fldid)


def Bfldid(name):  # noqa: N802
    return _core.field_id(name)


def _fields(buffer):
    return fields_to(buffer.get("data", buffer))


def Bboolev(fbfr, expression):  # noqa: N802
    return int(onewake.Buffer(_fields(fbfr)).test(expression))


def Bfloatev(fbfr, expression):  # noqa: N802
    return _core.float_value(_fields(fbfr), expression)


def Bboolpr(expression, iop):  # noqa: N802
    iop.write(_core.print_expression(expression))


def Bfprint(fbfr, iop):  # noqa: N802
    iop.write(_core.print_fields(_fields(fbfr)))


def Bprint(fbfr):  # noqa: N802
    Bfprint(fbfr, sys.stdout)


def Bextread(iop):  # noqa: N802
    return {"buftype": "UBF", "data": _from_fields(_core.read_fields(iop.read()))}
