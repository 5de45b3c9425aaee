# SPDX-License-Identifier: Apache-2.0
"""ubfdict.py - UbfDict: fields as a mapping, each a sequence of occurrences

A value that is set may be one value or a list; what is read is a UbfDictFld.
Fields are attributes, too: d.T_STRING_FLD[0].
"""
from collections.abc import Mapping, MutableMapping, MutableSequence


class UbfDictConst:
    """Names that are no fields."""
    OWN = ("_fields",)


class UbfDictFld(MutableSequence):
    """The occurrences of one field, in its dict."""

    def __init__(self, fields, name):
        self._fields, self._name = fields, name

    def _list(self):
        return self._fields[self._name]

    def __getitem__(self, i):
        return self._list()[i]

    def __setitem__(self, i, value):
        values = self._list()
        if isinstance(i, int) and i >= len(values):  # others get defaults
            values.extend([values[-1].__class__()] * (i - len(values) + 1))
        values[i] = value

    def __delitem__(self, i):
        del self._list()[i]
        if not self._list():
            del self._fields[self._name]

    def __len__(self):
        return len(self._fields.get(self._name, ()))

    def insert(self, i, value):
        self._list().insert(i, value)

    def __eq__(self, other):
        return self._list() == list(other)

    def __repr__(self):
        return repr(self._list())

    __hash__ = None


def _plain(value):
    """Lists and dicts, without the classes of this file."""
    if isinstance(value, Mapping):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, UbfDictFld)):
        return [_plain(v) for v in value]
    return value


class UbfDict(MutableMapping):
    """UbfDict({...}), UbfDict(NAME=value)"""

    def __init__(self, *args, **kwargs):
        object.__setattr__(self, "_fields", {})
        for name, value in dict(*args, **kwargs).items():
            self[name] = value

    def __getitem__(self, key):
        if key not in self._fields:
            raise KeyError(key)
        return UbfDictFld(self._fields, key)

    def __setitem__(self, key, value):
        value = _plain(value)
        self._fields[key] = value if isinstance(value, list) else [value]

    def __delitem__(self, key):
        del self._fields[key]

    def __iter__(self):
        return iter(list(self._fields))

    def __len__(self):
        return len(self._fields)

    def __contains__(self, key):
        return key in self._fields

    def itemsocc(self):
        """(name, value) of each occurrence."""
        return [(k, v) for k, values in self._fields.items() for v in values]

    def __eq__(self, other):
        if isinstance(other, UbfDict):
            return self._fields == other._fields
        return self._fields == UbfDict(other)._fields \
            if isinstance(other, Mapping) else NotImplemented

    __hash__ = None

    def __copy__(self):
        return UbfDict(self._fields)

    def __deepcopy__(self, memodict={}):  # noqa: B006
        return UbfDict(self._fields)

    def free(self):
        """Its memory is Python's."""
        self._fields.clear()

    def to_dict(self):
        return _plain(self._fields)

    def __repr__(self):
        return repr(self._fields)

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]
