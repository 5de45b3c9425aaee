# SPDX-License-Identifier: Apache-2.0
"""buffers.py - buffers as dicts: buftype, subtype, data, callinfo

What comes back always has its buftype; of a dict that is given, the type of
the data says it where it has none.
"""
import onewake
from onewake import _core

from endurox.ubfdict import UbfDict, _plain

_PTR, _UBF, _VIEW = 9, 10, 11
_use_dict = True


def use_ubfdict(do_use):
    """UBF comes as UbfDict, or as a dict of lists: what was before."""
    global _use_dict
    was, _use_dict = _use_dict, bool(do_use)
    return was


# ---- to the runtime ----

def _field_to(name, value):
    kind = _core.field_type(_core.field_id(name))
    if kind == _PTR:
        return to_value(value)
    if kind == _UBF:
        return fields_to(value)
    if kind == _VIEW:
        if not value:
            raise onewake.UbfError(17, f"{name}: a view without a name")
        return onewake.View(value["vname"], _plain(value["data"]))
    return value


def fields_to(data):
    """A UBF buffer of a mapping."""
    made = {}
    for name, values in _plain(data).items():
        if not isinstance(values, list):
            values = [values]
        made[name] = [_field_to(name, v) for v in values] \
            if values and isinstance(values[0], dict) else values
    return made


def _by_data(data):
    if data is None:
        return "NULL"
    if isinstance(data, str):
        return "STRING"
    if isinstance(data, (bytes, bytearray, memoryview)):
        return "CARRAY"
    return "UBF"


def to_value(buffer):
    """What onewake sends for a buffer."""
    if buffer is None or buffer == {}:
        return None
    data = buffer.get("data")
    kind = buffer.get("buftype") or _by_data(data)
    if kind in ("NULL", "INIT", "TPINIT"):
        value = None
    elif kind in ("UBF", "UBF32", "FML", "FML32"):
        value = fields_to(data or {})
    elif kind == "JSON":
        value = onewake.JSON(text=data)
    elif kind in ("VIEW", "VIEW32"):
        value = onewake.View(buffer["subtype"], _plain(data or {}))
    else:
        value = data
    if "callinfo" not in buffer or value is None:
        return value
    made = onewake.Buffer(value)
    made.set_callinfo(fields_to(buffer["callinfo"]))
    return made


# ---- from the runtime ----

def _from_field(value):
    if isinstance(value, onewake.View):
        return {"vname": value.__view_name__, "data": _lists(value)}
    if isinstance(value, dict):
        return _from_fields(value)
    return value


def _lists(members):
    return {k: v if isinstance(v, list) else [v] for k, v in members.items()
            if v is not None}


def _from_fields(fields):
    made = {k: [_from_pointer(v) if _core.field_type(_core.field_id(k)) == _PTR
                else _from_field(v) for v in values]
            if values and not isinstance(values[0], (int, float)) else values
            for k, values in fields.items()}
    return UbfDict(made) if _use_dict else made


def _from_pointer(value):
    return value if isinstance(value, dict) and "buftype" in value else \
        from_buffer(onewake.Buffer(value)) if value is not None else {}


def from_buffer(buffer):
    """The dict of a Buffer, or of None."""
    if buffer is None:
        return {"buftype": "NULL"}
    # FML32 is what strict-tuxedo calls it; programs of this module know UBF.
    kind = "UBF" if buffer.type == "FML32" else buffer.type
    made = {"buftype": kind}
    if kind == "UBF":
        made["data"] = _from_fields(buffer.decode())
    elif kind == "JSON":
        made["data"] = bytes(memoryview(buffer)).decode(errors="surrogateescape")
    elif kind == "VIEW":
        made["subtype"] = buffer.subtype
        made["data"] = _lists(buffer.decode())
    else:
        made["data"] = buffer.decode()
    info = buffer.callinfo()
    if info is not None:
        made["callinfo"] = _from_fields(info)
    return made


