# SPDX-License-Identifier: Apache-2.0
"""Values of Python and typed buffers: what goes in comes out."""
import asyncio
import copy
import decimal
import pickle
import random
import re
import subprocess
import sys

import pytest

import onewake
from account import Account
from onewake import Buffer, aio

TRANSPORT = "shm"
EVERY = {"P_SHORT": -32768, "P_LONG": 2**63 - 1, "P_CHAR": "x",
         "P_FLOAT": 0.5, "P_DOUBLE": 1e300, "P_STRING": "text",
         "P_CARRAY": b"\0bytes\xff"}


def lists(fields):
    return {k: v if isinstance(v, list) else [v] for k, v in fields.items()}


def back(value):
    return Buffer(value).decode()


def test_each_type_of_field_comes_back_as_a_list():
    assert back(EVERY) == lists(EVERY)


def test_occurrences_keep_their_order():
    given = {"P_STRING": ["b", "", "a"], "P_LONG": (3, 1, 2)}
    assert back(given) == {"P_STRING": ["b", "", "a"], "P_LONG": [3, 1, 2]}


def test_none_is_left_out_and_an_empty_dict_is_an_empty_buffer():
    assert back({"P_STRING": None, "P_LONG": [1, None]}) == {"P_LONG": [1]}
    assert back({}) == {}


def test_embedded_buffers_are_dicts():
    given = {"P_UBF": [{"P_LONG": 1, "P_UBF": {"P_STRING": ["x", "y"]}}, {},
                       {"P_SHORT": 2}], "P_STRING": "after"}
    assert back(given) == {
        "P_STRING": ["after"],
        "P_UBF": [{"P_LONG": [1], "P_UBF": [{"P_STRING": ["x", "y"]}]}, {},
                  {"P_SHORT": [2]}]}


def test_a_dict_that_holds_itself_is_refused():
    given = {"P_UBF": None}
    given["P_UBF"] = given
    with pytest.raises(RecursionError):
        Buffer(given)


def test_values_are_converted_to_the_type_of_the_field():
    given = {"P_STRING": 12, "P_LONG": "34", "P_DOUBLE": 5, "P_CHAR": 65,
             "P_SHORT": True}
    assert back(given) == {"P_STRING": ["12"], "P_LONG": [34],
                           "P_DOUBLE": [5.0], "P_CHAR": ["A"], "P_SHORT": [1]}


class Index:
    """As the integers of numpy: none of int."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


@pytest.mark.parametrize("field, value, error, words", [
    ("P_SHORT", 32768, OverflowError, "P_SHORT: 32768 does not fit"),
    ("P_CHAR", 256, OverflowError, "P_CHAR"),
    ("P_LONG", 2**63, OverflowError, "P_LONG"),
    ("P_STRING", "a\0b", ValueError, "P_STRING: a NUL"),
    ("P_DOUBLE", decimal.Decimal("0.1"), TypeError, "P_DOUBLE: a Decimal"),
    ("P_LONG", object(), TypeError, "P_LONG: object objects cannot travel"),
    ("P_LONG", {"P_LONG": 1}, TypeError, "fields of type ubf only"),
    ("P_UBF", "text", onewake.UbfError, "BEBADOP.*P_UBF"),
    ("P_LONG", float("nan"), OverflowError, "P_LONG: nan does not fit"),
    ("P_LONG", 1e300, OverflowError, "P_LONG"),
    ("P_SHORT", -32769.5, OverflowError, "P_SHORT"),
    ("P_CHAR", "ab", OverflowError, 'P_CHAR: "ab" does not fit type char$'),
    ("P_CHAR", b"ab", OverflowError, 'P_CHAR: "ab" does not fit'),
    ("P_SHORT", "70000", ValueError, 'P_SHORT: "70000" does not fit type short$'),
    ("P_SHORT", b"70000", ValueError, 'P_SHORT: "70000" does not fit'),
    ("P_LONG", "abc", ValueError, 'P_LONG: "abc" does not fit type long'),
    ("P_LONG", "", ValueError, 'P_LONG: "" does not fit'),
    ("P_LONG", "12.50", ValueError, 'P_LONG: "12.50" does not fit'),
    ("P_FLOAT", "1e300", ValueError, 'P_FLOAT: "1e300" does not fit type float'),
    ("P_UBF", {"P_SHORT": "x"}, ValueError, 'P_SHORT: "x" does not fit'),
    ("P_SHORT", Index(70000), OverflowError, "P_SHORT: 70000 does not fit"),
    ("P_CHAR", Index(-1), OverflowError, "P_CHAR: -1 does not fit"),
    ("P_FLOAT", 1e300, OverflowError, r"P_FLOAT: 1e\+300 does not fit"),
    ("NOSUCHFIELD", 1, onewake.UbfError, "NOSUCHFIELD.*BBADNAME"),
    (0, 1, ValueError, "0 is no id"),
    (1.5, 1, TypeError, "a name or an id"),
])
def test_what_does_not_fit_is_refused_and_named(field, value, error, words):
    with pytest.raises(error, match=words):
        Buffer({field: value})
    with pytest.raises(error):
        Buffer({"P_STRING": "x", field: ["y", value][1:]})


def test_text_that_is_none_is_refused_and_named():
    with pytest.raises(ValueError, match="P_STRING: .*surrogate"):
        onewake.Buffer({"P_STRING": "\ud800"})


def test_a_value_that_changes_its_dict_while_it_is_asked_does_no_harm():
    """As another thread could meanwhile."""
    for kind, old in (("P_STRING", "old" * 1000), ("P_CARRAY", b"old" * 1000)):
        class Changes:
            def __index__(self):
                fields[kind][0] = old[:3] * 2000
                fields[kind] = [old[:0]]
                return 5
        fields = {kind: [old[:3] * 1000], "P_LONG": [Changes(), 6]}
        if kind == "P_CARRAY":
            fields[kind][0] = bytearray(fields[kind][0])
        got = onewake.Buffer(fields).decode()
        assert got == {kind: [old], "P_LONG": [5, 6]}


def test_fields_can_be_named_by_id():
    number = onewake.field_id("P_LONG")
    assert back({number: 5}) == {"P_LONG": [5]}
    assert onewake.field_name(number) == "P_LONG"
    with pytest.raises(onewake.UbfError) as e:
        onewake.field_name(number + 1000)
    assert e.value.name == "BBADFLD"
    unknown = number + 1000
    assert back({unknown: 7}) == {unknown: [7]}


def test_text_is_utf8_and_other_bytes_come_back():
    odd = b"caf\xe9".decode("utf-8", "surrogateescape")
    for text in ("", "ascii", "grün €", "\U0001f600", odd):
        assert back(text) == text
        assert back({"P_STRING": text}) == {"P_STRING": [text]}


def test_plain_types():
    for value in ("text", b"", b"\0x", {"P_LONG": [1]}):
        assert back(value) == value
    assert back(bytearray(b"ab")) == b"ab"
    assert back(memoryview(b"abc")[1:]) == b"bc"
    for kind, value in (("STRING", "x"), ("CARRAY", b"x"), ("UBF", {}),
                        ("JSON", onewake.JSON([1]))):
        assert Buffer(value).type == kind


def test_json_comes_back_as_the_value():
    value = {"a": [1, 2.5, None, True, "ü"], "b": {}}
    assert back(onewake.JSON(value)) == value


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
def test_what_json_has_no_word_for_is_refused(value):
    with pytest.raises(ValueError, match="JSON"):
        Buffer(onewake.JSON(value))


def test_what_is_no_call_or_function_is_refused_with_words():
    with pytest.raises(TypeError, match="17 is no Call"):
        list(onewake.as_completed([17]))
    with pytest.raises(TypeError, match="before a function, not 17"):
        onewake.service("X")(17)
    with pytest.raises(TypeError, match=r"advertise\(\) offers it"):
        onewake.service("X")(Index(1).__index__)


@pytest.mark.parametrize("wrong, error, words", [
    ("1", TypeError, "timeout='1': give a number of seconds"),
    (3e6, ValueError, "timeout=3000000.0: give"),
    (float("nan"), ValueError, "timeout=nan: give"),
])
def test_a_time_that_is_none_is_refused_and_named(wrong, error, words):
    for use in (lambda: asyncio.run(aio._Client._send(None, "X", None, wrong, True)),
                lambda: onewake.transaction(wrong).__enter__()):
        with pytest.raises(error, match=words):
            use()


def test_a_view_is_its_dataclass():
    given = Account("ACC1", 2**40, 0.25, [1, 2, 3], b"\1\2\3\4\5\6\7\10")
    b = Buffer(given)
    assert (b.type, b.subtype) == ("VIEW", "PYACCOUNT")
    assert b.decode() == given
    assert back({"P_VIEW": [given], "P_LONG": 1}) == \
        {"P_VIEW": [given], "P_LONG": [1]}


@pytest.mark.parametrize("wrong, words", [
    ({"limits": [1, 70000]}, "limits: 70000 does not fit"),
    ({"limits": [float("nan")]}, "limits: nan does not fit"),
    ({"limits": [Index(-32769)]}, "limits: -32769 does not fit"),
    ({"cents": 1e19}, r"cents: 1e\+19 does not fit"),
    ({"cents": 2**63}, "cents: "),
    ({"cents": "abc"}, 'cents: "abc" does not fit type long'),
    ({"limits": [1, "70000"]}, 'limits: "70000" does not fit type short'),
])
def test_what_a_member_of_a_view_cannot_hold_is_refused_and_named(wrong, words):
    for value in (Account(**wrong), onewake.View("PYACCOUNT", wrong)):
        with pytest.raises((OverflowError, ValueError), match="^" + words):
            Buffer(value)
        with pytest.raises((OverflowError, ValueError), match="P_VIEW: " + words):
            Buffer({"P_VIEW": value})


def test_a_view_without_a_class_is_a_view():
    members = {"number": "A", "cents": 5, "rate": 1.5, "limits": [7, 8, 9],
               "key": b"12345678"}
    onewake.values._classes.pop("PYACCOUNT")
    try:
        one = back(onewake.View("PYACCOUNT", members))
    finally:
        onewake.view("PYACCOUNT")(Account)
    assert one == onewake.View("PYACCOUNT", members)
    assert pickle.loads(pickle.dumps(one)) == one
    assert "PYACCOUNT" in repr(one)


def test_a_wrong_view_is_refused():
    with pytest.raises(onewake.UbfError, match="NOVIEW"):
        Buffer(onewake.View("NOVIEW", {}))
    with pytest.raises(onewake.UbfError, match="nomember"):
        Buffer(onewake.View("PYACCOUNT", {"nomember": 1}))
    with pytest.raises(TypeError, match="no dataclass"):
        onewake.view("PYACCOUNT")(object)


def test_pointers_are_values_of_their_buffers():
    given = {"P_PTR": ["text", {"P_LONG": [1]}, b"xy"]}
    got = back(given)
    assert got["P_PTR"][:2] == ["text", {"P_LONG": [1]}]
    assert got["P_PTR"][2].startswith(b"xy")


def test_memory_of_a_buffer_is_shown_without_a_copy():
    b = Buffer(b"hello")
    with memoryview(b) as m:
        assert bytes(m) == b"hello"
        m[0:1] = b"j"
    assert b.decode() == b"jello"
    assert len(b) == 5
    made = Buffer(type="CARRAY", size=1000)
    assert len(made) == 1000 and len(memoryview(made)) == 1000


def test_a_buffer_in_use_does_not_move():
    b = Buffer({"P_LONG": 1})
    with memoryview(b):
        with pytest.raises(BufferError):
            b.update({"P_STRING": "x"})
    b.update({"P_STRING": "x" * 100000})
    assert b.get("P_STRING") == "x" * 100000


class Sly:
    """A value that does something when it is asked what number it is."""

    def __init__(self, does):
        self.does = does

    def __index__(self):
        self.kept = self.does()
        return 0


def test_a_value_cannot_change_the_buffer_it_is_put_into():
    """Asking a value what it is runs Python: a view is taken, the memory handed over."""
    b = Buffer({"P_STRING": "x"})
    sly = Sly(lambda: memoryview(b))
    for change in (b.update, b.set_callinfo):
        with pytest.raises(BufferError):
            change({"P_LONG": sly, "P_CARRAY": b"y" * 100000})
    assert bytes(sly.kept)[:4] and b.decode() == {"P_STRING": ["x"]}
    sly.kept.release()
    for change in ("update", "set_callinfo", "get"):
        b = Buffer({"P_STRING": "x" * 5000})
        sly = Sly(lambda: Buffer({"P_PTR": b}) and None)
        with pytest.raises(ValueError, match="handed over"):
            if change == "get":
                b.get("P_STRING", sly)
            else:
                getattr(b, change)({"P_LONG": sly})


def test_memory_of_ubf_is_for_reading():
    with memoryview(Buffer({"P_LONG": 1})) as m:
        assert m.readonly
        with pytest.raises(TypeError):
            m[0:1] = b"x"


def test_a_name_of_a_field_is_whole():
    with pytest.raises(ValueError, match="NUL"):
        Buffer({"P_LONG\0": 1})
    with pytest.raises(ValueError, match="NUL"):
        onewake.field_id("P_LONG\0X")


def test_a_class_is_no_value():
    with pytest.raises(TypeError, match="give an instance"):
        Buffer(Account)


def inside_each_other(depth):
    made = {"P_LONG": [1], "P_STRING": ["x" * 900]}
    for _ in range(depth):
        made = {"P_UBF": [made]}
    return made


def test_buffers_lie_inside_each_other_up_to_a_limit():
    """Each is made once, however deep it lies."""
    assert back(inside_each_other(32)) == inside_each_other(32)
    with pytest.raises(onewake.UbfError, match="P_UBF.*32"):
        Buffer(inside_each_other(33))


def test_fields_of_a_buffer_one_by_one():
    b = Buffer({"P_STRING": ["a", "b"], "P_LONG": 5})
    assert b.get("P_STRING", 1) == "b"
    assert b.get("P_STRING", 2) is None
    assert b.get("P_DOUBLE", 0, 1.0) == 1.0
    b.update({"P_STRING": ["A"], "P_SHORT": 3})
    assert b.decode() == {"P_STRING": ["A", "b"], "P_LONG": [5],
                          "P_SHORT": [3]}
    assert b.delete("P_STRING") and not b.delete("P_STRING")
    assert b.test("P_LONG > 4") and not b.test("P_LONG > 5")
    with pytest.raises(onewake.UbfError) as e:
        b.test("P_LONG >")
    assert e.value.name == "BSYNTAX"
    with pytest.raises(TypeError):
        Buffer("text").get("P_LONG")


def test_nonsense_is_no_buffer():
    for wrong in (1, 1.5, [1], object(), decimal.Decimal(1), None):
        with pytest.raises(TypeError):
            Buffer(wrong)
    with pytest.raises(onewake.TPEOTYPE):
        Buffer(type="NOTYPE")


def some_fields(rng, depth=0):
    made = {}
    for name in rng.sample(sorted(EVERY) + ["P_STRING2", "P_UBF"],
                           rng.randrange(8)):
        if name == "P_UBF" and depth > 2:
            continue
        values = []
        for _ in range(rng.choice((1, 1, 2, 40))):
            if name == "P_UBF":
                values.append(some_fields(rng, depth + 1))
                if len(values) > 3:
                    break
            else:
                values.append({
                    "P_SHORT": rng.randrange(-2**15, 2**15),
                    "P_LONG": rng.randrange(-2**63, 2**63),
                    "P_CHAR": chr(rng.randrange(1, 128)),
                    "P_FLOAT": float(rng.randrange(1000)),
                    "P_DOUBLE": rng.random(),
                    "P_STRING": "ü" * rng.randrange(300),
                    "P_STRING2": str(rng.random()),
                    "P_CARRAY": rng.randbytes(rng.randrange(300)),
                }[name])
        made[name] = values
    return made


def test_whatever_goes_in_comes_out():
    rng = random.Random(36)
    for _ in range(300):
        given = some_fields(rng)
        before = copy.deepcopy(given)
        assert back(given) == given == before


def test_errors_have_names_codes_and_classes():
    assert issubclass(onewake.TPETIME, TimeoutError)
    assert issubclass(onewake.TPENOENT, onewake.AtmiError)
    e = onewake.TPESVCFAIL("text", 5, {"P_LONG": [1]})
    assert (e.code, e.name, e.urcode, str(e)) == (11, "TPESVCFAIL", 5, "text")
    again = pickle.loads(pickle.dumps(e))
    assert (type(again), again.data) == (onewake.TPESVCFAIL, {"P_LONG": [1]})


def test_the_types_of_the_exceptions_are_those_that_are_made():
    with open(onewake.errors.__file__ + "i", encoding="utf-8") as f:
        text = f.read()
    bases = dict(re.findall(r"^class (\w+)\((.*)\)", text, re.M))
    made = [*onewake.errors.ATMI_ERRORS.values(), onewake.AtmiError, onewake.UbfError]
    assert {c.__name__: ", ".join(b.__name__ for b in c.__bases__) for c in made} == \
        {name: base for name, base in bases.items() if name != "Error"}
    assert sorted(re.findall(r'"(TPE?\w+)"', text)) == sorted(onewake.errors.__all__)


def test_the_types_of_the_c_part_are_complete():
    """_core.pyi names what _core has, and nothing else."""
    import ast
    import os
    path = os.path.join(os.path.dirname(onewake.__file__), "_core.pyi")
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read())
    said = {n.name: n for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    there = {n for n in dir(onewake._core) if not n.startswith("__")}
    assert set(said) == there
    for name in ("Buffer", "Request"):
        members = {m.name if isinstance(m, ast.FunctionDef) else m.target.id
                   for m in said[name].body}
        has = {m for m in dir(getattr(onewake._core, name)) if not m.startswith("_")}
        assert has == {m for m in members if not m.startswith("_")}


SUBINTERPRETER = """
import onewake
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
one = interpreters.create()
text = '''
try:
    import onewake
except ImportError as e:
    print("refused:", e, flush=True)
'''
print(interpreters.run_string(one, text), flush=True)
"""


def test_a_subinterpreter_is_refused():
    said = subprocess.run([sys.executable, "-c", SUBINTERPRETER], capture_output=True, text=True,
                          check=False)
    assert said.stdout.startswith("refused: ") and said.returncode == 0, said
    if sys.version_info < (3, 12):
        assert "main interpreter" in said.stdout
