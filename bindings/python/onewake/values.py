# SPDX-License-Identifier: Apache-2.0
"""values.py - values of Python that are neither text, bytes nor fields

JSON(value) travels as a JSON text, and comes as the plain value. A dataclass
with @view is a structure of a view file; one without a class is a View.
"""
import dataclasses
import decimal
import json
import typing
from typing import Any

from onewake import _core

_classes: dict[str, Any] = {}
_T = typing.TypeVar("_T")


@dataclasses.dataclass
class JSON:
    """A value that travels as a JSON text; `text`: that text itself."""
    value: Any = None
    text: typing.Optional[str] = None


class View(typing.Dict[str, Any]):
    """Members of a structure whose view has no class here: View("NAME",
    {member: value}). An array is a list; None is null."""

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.__view_name__ = name

    def __repr__(self):
        return f"View({self.__view_name__!r}, {super().__repr__()})"

    def __reduce__(self):
        return View, (self.__view_name__, dict(self))

    def __eq__(self, other):
        return getattr(other, "__view_name__", None) == \
            self.__view_name__ and super().__eq__(other)

    __hash__ = None


def view(name: str) -> typing.Callable[[type[_T]], type[_T]]:
    """A dataclass is the structure of this view:

        @onewake.view("ACCOUNT")
        @dataclasses.dataclass
        class Account:
            number: str = ""
            limits: list = dataclasses.field(default_factory=list)

    Its fields are called as the members are."""
    def named(cls):
        if not dataclasses.is_dataclass(cls):
            raise TypeError(f"{cls.__name__} is no dataclass")
        cls.__view_name__ = name
        _classes[name] = cls
        return cls
    return named


def _made_view(name, members):
    cls = _classes.get(name)
    if cls is None:
        return View(name, members)
    known = {f.name for f in dataclasses.fields(cls)}
    return cls(**{k: v for k, v in members.items()
                  if k in known and v is not None})


def _refused(value):
    kind = type(value).__name__
    if isinstance(value, decimal.Decimal):
        return TypeError(
            "a Decimal has no field type: a double would round it. Give "
            "str(value) to a field of text, an int of the smallest unit, or "
            "float(value)")
    if kind == "coroutine":
        return TypeError("a coroutine that nobody has awaited: a service that is one is declared "
                         "by async def")
    if isinstance(value, dict):
        return TypeError("a dict is a value of fields of type ubf only")
    if isinstance(value, (int, float)):
        return TypeError(f"{kind} objects are values of fields only: give {{'FIELD': {value!r}}}")
    return TypeError(f"{kind} objects cannot travel: give None, str, bytes, dict, JSON, "
                     "a view or a Buffer; in fields int and float, too")


def _other(value, in_field=0):
    """What C does not know: see struct owpy_hooks in core.h."""
    name = getattr(value, "__view_name__", None)
    if name is not None and isinstance(value, type):
        raise TypeError(f"{value.__name__} is the class: give an instance")
    if name is not None:
        members = dict(value) if isinstance(value, dict) else \
            {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return "VIEW", name, members
    if isinstance(value, JSON) and not in_field:
        return "JSON", value.text if value.text is not None else json.dumps(
            value.value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    if in_field and hasattr(value, "__index__"):
        return "INT", value.__index__()
    raise _refused(value)


_core._setup({"other": _other, "view": _made_view, "json": json.loads})
