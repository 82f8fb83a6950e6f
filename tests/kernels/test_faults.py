"""A fault in a kernel's source is shown with its file, its line, the expression and the reason, in words."""

from __future__ import annotations

import re

import pytest
from tests.kernels.sources import kernels_from

from stratagem.kernels.errors import KernelError
from stratagem.kernels.translate.family import KernelFamily

FIRST = 12
"""The line at which the body of `f` begins."""
RECORD = """
class Table(Record):
    rows: int = size()
    width: int = size()
    values: Array[int] = dims("rows", "width")
    flags: Array[bool] = dims("rows")
    used: int = 0

@kernel
def f(a: int, w: uint64, x: float, s: float32, t: Table, n: Array[int]) -> int:
    {body}

def plain(a: int) -> int:
    return a

@kernel
def twice(a: int) -> int:
    return 2 * a
"""


def complaint(source: str) -> str:
    function = kernels_from(source)["f"]
    with pytest.raises(KernelError) as caught:
        KernelFamily("test", (function,)).assembly()
    return str(caught.value)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("return a + w", "a + w: int and uint64 do not mix; convert one: int(...) or uint64(...)"),
        ("return int(x * s)", "x * s: float and float32 do not mix; convert one: float(...) or float32(...)"),
        ("return x", "x: int is expected here, not float; convert it: int(...)"),
        ("return c", "c: this name is not known here"),
        ("return [a]", "[a]: the kernel language has no such construct"),
        ("with a: pass", "with a:: the kernel language has no such construct"),
        ("a = 1.5", "1.5: int is expected here, not 1.5"),
        ("y = a\n    y = w\n    return y", "w: int is expected here, not uint64; convert it: int(...)"),
        ("y = n\n    y = t.flags\n    return 0", "t.flags: y is Array[int], and becomes Array[bool] here"),
        ("return plain(a)", "plain(a): only kernels and primitives can be called"),
        ("return twice(a, a)", "twice(a, a): 1 arguments are wanted, not 2"),
        ("return twice(w)", "w: int is expected here, not uint64; convert it: int(...)"),
        ("return twice(a=a)", "twice(a=a): arguments are given by position"),
        ("return t.rest", "t.rest: Table has no field rest; it has rows, width, values, flags, used"),
        ("return a.used", "a.used: int has no fields"),
        ("t.rows = 3\n    return 0", "t.rows: pointers and sizes of a record are changed by Python alone"),
        ("return t.values[a]", "t.values: 1 indices for 2 dimensions"),
        ("return n[a, a]", "n: 2 indices for 1 dimensions"),
        ("return n[w]", "w: int is expected here, not uint64; convert it: int(...)"),
        ("return a[0]", "a: an array is expected here, not int"),
        (
            "y = t.values\n    return 0",
            "t.values: an array of 2 dimensions; use an element, row(...) or at(...)",
        ),
        ("n[0] = w\n    return 0", "w: int is expected here, not uint64; convert it: int(...)"),
        ("t.flags[0] = a\n    return 0", "a: bool is expected here, not int; convert it: bool(...)"),
        ("for y in n: pass", "n: a loop runs over range(...)"),
        ("for y in range(0, 9, 0): pass", "range(0, 9, 0): the step of a range is not 0"),
        ("return a << 64", "a << 64: a shift is by 0 to 63 places"),
        ("return a % 0", "a % 0: a division by zero"),
        ("return 1 << 63", "1 << 63: 9223372036854775808 does not fit into an int; say uint64(...)"),
        ("return a + (a < 3)", "a + (a < 3): int and bool do not mix; convert one: int(...) or bool(...)"),
        ("return int(x // 2.0)", "x // 2.0: float has no such operator"),
        ("return", "return: int is to be returned here"),
        ("y = local(int, a)\n    return y[0]", "local(int, a): the size of a local array is a constant"),
        ("y, z = a\n    return y", "a: int cannot be taken apart"),
        ("return count_ones(a)", "a: uint64 is expected here, not int; convert it: uint64(...)"),
        ("return int(sqrt(a))", "sqrt(a): a float is expected here, not int; convert it: float(...)"),
        ("return len(n)", "len(n): only kernels and primitives can be called"),
        ("return str(a)", "str(a): str is not a type to convert to"),
        ("z += 1\n    return 0", "z: this name is not known here"),
    ],
)
def test_a_fault_is_located_and_explained(body: str, wanted: str) -> None:
    text = complaint(RECORD.format(body=body))
    place, _, rest = text.partition(": ")
    assert rest == wanted
    shown = wanted.split(":")[0].split(" ")[0]
    lines = [number for number, line in enumerate(body.splitlines(), FIRST) if shown in line]
    assert int(place.rpartition(":")[2]) in lines


def test_types_must_be_there_and_known() -> None:
    assert "the parameter a of f has no type; annotate it" in complaint(
        "@kernel\ndef f(a) -> int:\n    return 0\n"
    )
    assert "the result of f has no type" in complaint("@kernel\ndef f(a: int):\n    return 0\n")
    text = complaint("@kernel\ndef f(a: str) -> int:\n    return 0\n")
    assert (
        "str: this is not a type of the kernel language; use int, uint64, float, Array[...] or a record"
        in text
    )
    text = complaint("@kernel\ndef f(a: 'Graph') -> int:\n    return 0\n")
    assert "'Graph': this type is not known here (name 'Graph' is not defined)" in text
    assert "without defaults" in complaint("@kernel\ndef f(a: int = 3) -> int:\n    return 0\n")


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ("values: Array[int]", "Table.values is an array without dims"),
        ('values: Array[int] = dims("rows")', "there is no field rows: int = size()"),
        ("values: str", "is not a type of the kernel language"),
        ("values: 'Aray[int]'", "the type Aray[int] is not known"),
    ],
)
def test_a_record_that_cannot_be_laid_out_is_refused(fields: str, wanted: str) -> None:
    record = kernels_from(f"class Table(Record):\n    {fields}\n")["Table"]
    with pytest.raises(Exception, match=re.escape(wanted)):
        record(values=0)
