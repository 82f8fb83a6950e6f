"""Records: named, typed fields in one block of memory, shared by Python and kernels.

    class Graph(Record):
        nodes: int = size()
        words: int = size()
        states: Array[uint64] = dims("nodes", "words")
        visits: Array[int32] = dims("nodes")
        root: int = 0

    graph = Graph(states=np.zeros((100, 2), np.uint64), visits=np.zeros(100, np.int32))

Numbers lie in the block itself; arrays, other records and functions are pointers to what the record keeps alive. Every
array is checked for its type and its shape, and the sizes are read off the shapes. Kernels may change numbers; arrays
and sizes are changed by Python alone, with `put`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, ClassVar, Final, Self, get_args, get_origin

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import UsageError
from stratagem.kernels.language.arrays import Array
from stratagem.kernels.language.elements import ELEMENTS, Element
from stratagem.kernels.language.functions import Function
from stratagem.kernels.language.numbers import uint64

POINTER: Final = Element(uint64, uint64, "u8", "ptr", 8)


@dataclass(frozen=True, slots=True)
class Dims:
    """The sizes of an array: names of fields, or fixed numbers."""

    sizes: tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class SizeOf:
    """A field that is filled in from the shape of arrays."""


def dims(*sizes: str | int) -> Any:
    """The dimensions of an array field: names of `size` fields, or fixed numbers."""
    return Dims(sizes)


def size() -> Any:
    """A field that holds the size of a dimension."""
    return SizeOf()


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its type in memory, its place, and what it stands for."""

    name: str
    kind: Any
    """The annotation: a number type, ``Array[...]``, a record or ``Function[...]``."""
    memory: Element
    offset: int
    dims: tuple[str | int, ...] = ()
    is_size: bool = False
    default: object = None

    @property
    def fixed(self) -> bool:
        """Whether kernels may only read it."""
        return self.is_size or self.memory is POINTER


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """The fields of a record in memory."""

    name: str
    fields: Mapping[str, Field]
    bytes: int
    dtype: np.dtype[np.void] = dataclass_field(repr=False)


class Record:
    """The declaration of a record: a class with annotated fields, made with a value for each field."""

    declared: ClassVar[dict[str, object]]

    def __init_subclass__(cls) -> None:
        own = inspect.get_annotations(cls)
        cls.declared = {name: cls.__dict__.get(name) for name in own}
        for name in own:
            setattr(cls, name, _Access(name))

    def __init__(self, **values: object) -> None:
        self._attach(np.zeros(1, layout_of(type(self)).dtype), 0)
        self.put(**self._with_defaults(values))

    def _attach(self, memory: NDArray[np.void], row: int) -> None:
        self.record_memory = memory
        self.record_row = row
        self.record_held: dict[str, Any] = {}
        self._as_parameter_ = memory.ctypes.data + row * memory.itemsize  # what ctypes passes for it

    @classmethod
    def record_view(cls, memory: NDArray[np.void], row: int) -> Self:
        """The record in *row* of an array of such records."""
        record = cls.__new__(cls)
        record._attach(memory, row)
        return record

    def put(self, **values: object) -> None:
        """Gives fields new values; arrays that share a dimension are given together."""
        layout = layout_of(type(self))
        for name, value in values.items():
            field = layout.fields.get(name)
            if field is None:
                raise UsageError(
                    f"{layout.name} has no field {name}", hint=f"it has {', '.join(layout.fields)}"
                )
            if field.is_size:
                raise UsageError(f"{layout.name}.{name} is a size: it follows from the arrays")
            if field.memory is POINTER:
                target = _target(layout, field, value)
                self.record_held[name] = target
                self.record_memory[name][self.record_row] = target._as_parameter_
            else:
                _write(self, field, value)
        self._measure(layout)

    def _with_defaults(self, values: dict[str, object]) -> dict[str, object]:
        fields = layout_of(type(self)).fields
        defaults = {name: field.default for name, field in fields.items() if field.default is not None}
        missing = [
            name for name, field in fields.items() if not field.is_size and name not in {**defaults, **values}
        ]
        if missing:
            raise UsageError(f"{type(self).__name__} needs {', '.join(missing)}")
        return defaults | values

    def _measure(self, layout: RecordLayout) -> None:
        """Reads the sizes off the arrays, which must agree."""
        found: dict[str, tuple[int, str]] = {}
        for field in layout.fields.values():
            if not field.dims:
                continue
            shape = self.record_held[field.name].shape
            for name, length in zip(field.dims, shape, strict=True):
                if isinstance(name, int):
                    if length != name:
                        raise _wrong(layout, field, f"needs the size {name} where it has {length}")
                    continue
                known, where = found.setdefault(name, (length, field.name))
                if known != length:
                    raise _wrong(layout, field, f"has {length} {name}, but {where} has {known}")
        for name, (length, _) in found.items():
            self.record_memory[name][self.record_row] = length


def record_rows(kind: type[Record], count: int) -> NDArray[np.void]:
    """Memory for an `Array` of *count* records, all zero."""
    layout = layout_of(kind)
    if any(field.memory is POINTER for field in layout.fields.values()):
        raise UsageError(f"{layout.name} has pointers: an array of records holds numbers alone")
    return np.zeros(count, layout.dtype)


class _Access:
    """How Python reads and writes a field."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, record: Record | None, owner: type[Record]) -> Any:
        if record is None:
            return self
        field = layout_of(owner).fields[self.name]
        if field.memory is POINTER:
            return record.record_held[self.name]
        return field.memory.read(record.record_memory[self.name][record.record_row])

    def __set__(self, record: Record, value: Any) -> None:
        field = layout_of(type(record)).fields[self.name]
        if field.fixed:
            raise UsageError(f"{type(record).__name__}.{self.name} is changed with put() alone")
        _write(record, field, value)


def _write(record: Record, field: Field, value: Any) -> None:
    try:
        record.record_memory[field.name][record.record_row] = field.memory.checked(value)
    except UsageError as failure:
        raise UsageError(f"{type(record).__name__}.{field.name}: {failure.message}") from None


def _target(layout: RecordLayout, field: Field, value: object) -> Any:
    """What a pointer field points to, from what was given for it."""
    origin = get_origin(field.kind)
    if origin is Function:
        if isinstance(value, Function):
            return value
        if isinstance(value, int) or callable(value):
            return Function(value, field.kind)
        raise _wrong(layout, field, f"needs an address or a Python function, not {type(value).__name__}")
    if origin is not Array:
        if isinstance(value, field.kind):
            return value
        raise _wrong(layout, field, f"needs a {field.kind.__name__}, not {type(value).__name__}")
    values = value.numpy if isinstance(value, Array) else value
    if not isinstance(values, np.ndarray):
        raise _wrong(layout, field, f"needs an array, not {type(value).__name__}")
    (kind,) = get_args(field.kind)
    element = ELEMENTS.get(kind)
    wanted: Any = layout_of(kind).dtype if element is None else element.dtype
    if kind is bool and values.dtype == np.uint8:
        values = values.view(np.bool_)
    if values.dtype != wanted:
        raise _wrong(layout, field, f"needs an array of {kind.__name__}, not of {values.dtype}")
    if values.ndim != len(field.dims):
        raise _wrong(layout, field, f"needs {len(field.dims)} dimensions, not {values.ndim}")
    if not values.flags.c_contiguous or not values.flags.writeable:
        raise _wrong(layout, field, "needs an array in C order that can be written")
    return Array(kind, values)


def _wrong(layout: RecordLayout, field: Field, what: str) -> UsageError:
    return UsageError(f"{layout.name}.{field.name} {what}")


_layouts: dict[type[Record], RecordLayout] = {}


def layout_of(record: type[Record]) -> RecordLayout:
    """Where the fields of a record lie."""
    known = _layouts.get(record)
    if known is None:
        known = _layouts[record] = _laid_out(record)
    return known


def _laid_out(record: type[Record]) -> RecordLayout:
    """The fields one after another, each at a multiple of its size. Types may stand below the record in its module."""
    names = getattr(sys.modules.get(record.__module__), "__dict__", {})
    fields: dict[str, Field] = {}
    offset, widest = 0, 1
    for name, annotation in inspect.get_annotations(record).items():
        try:
            kind = eval(annotation, dict(names)) if isinstance(annotation, str) else annotation
        except NameError as failure:
            raise UsageError(
                f"{record.__name__}.{name}: the type {annotation} is not known ({failure})"
            ) from None
        given = record.declared[name]
        memory = ELEMENTS.get(kind)
        if memory is None:
            known = get_origin(kind) in (Array, Function) or (
                isinstance(kind, type) and issubclass(kind, Record)
            )
            if not known:
                raise UsageError(
                    f"{record.__name__}.{name}: {annotation} is not a type of the kernel language"
                )
            memory = POINTER
        sizes = given.sizes if isinstance(given, Dims) else ()
        if get_origin(kind) is Array and not sizes:
            raise UsageError(f"{record.__name__}.{name} is an array without dims(...)")
        offset = -(-offset // memory.size) * memory.size
        widest = max(widest, memory.size)
        is_size = isinstance(given, SizeOf)
        default = None if isinstance(given, Dims | SizeOf) else given
        fields[name] = Field(name, kind, memory, offset, sizes, is_size, default)
        offset += memory.size
    for field in fields.values():
        for each in field.dims:
            if isinstance(each, str) and not (each in fields and fields[each].is_size):
                raise UsageError(f"{record.__name__}.{field.name}: there is no field {each}: int = size()")
    width = -(-offset // widest) * widest
    return RecordLayout(record.__name__, fields, width, _numpy_type(fields.values(), width))


def _numpy_type(fields: Iterable[Field], width: int) -> np.dtype[np.void]:
    """The record as numpy describes it."""
    places = [(field.name, field.memory.numpy, field.offset) for field in fields]
    names, formats, offsets = zip(*places, strict=True)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": width})
