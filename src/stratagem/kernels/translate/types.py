"""The types of values in a kernel, as the translator sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, get_args, get_origin

from stratagem.kernels.language.arrays import Array
from stratagem.kernels.language.elements import ELEMENTS, Element
from stratagem.kernels.language.functions import Function
from stratagem.kernels.language.numbers import float32, uint64
from stratagem.kernels.language.records import Record, RecordLayout, layout_of


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a register."""

    name: str
    llvm: str
    kind: str
    """``signed``, ``unsigned``, ``float`` or ``bool``."""

    @property
    def whole(self) -> bool:
        return self.kind in ("signed", "unsigned")

    def __str__(self) -> str:
        return self.name


INT: Final = Number("int", "i64", "signed")
WORD: Final = Number("uint64", "i64", "unsigned")
FLOAT: Final = Number("float", "double", "float")
SINGLE: Final = Number("float32", "float", "float")
BOOL: Final = Number("bool", "i1", "bool")
NUMBERS: Final[dict[object, Number]] = {int: INT, uint64: WORD, float: FLOAT, float32: SINGLE, bool: BOOL}


@dataclass(frozen=True, slots=True)
class Pointer:
    """An array of numbers, or of records."""

    element: Element | Reference

    llvm = "ptr"

    def __str__(self) -> str:
        return f"Array[{self.element.name}]"


@dataclass(frozen=True, slots=True)
class Reference:
    """A record."""

    record: type[Record]

    llvm = "ptr"

    @property
    def layout(self) -> RecordLayout:
        return layout_of(self.record)

    @property
    def name(self) -> str:
        return self.record.__name__

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that is called by its address."""

    parameters: tuple[Type, ...]
    result: Type

    llvm = "ptr"

    def __str__(self) -> str:
        return f"Function[[{', '.join(map(str, self.parameters))}], {self.result}]"


@dataclass(frozen=True, slots=True)
class Several:
    """The values that a function returns together."""

    items: tuple[Type, ...]

    @property
    def llvm(self) -> str:
        return f"{{ {', '.join(item.llvm for item in self.items)} }}"

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True, slots=True)
class Nothing:
    """What a function without a result returns."""

    llvm = "void"

    def __str__(self) -> str:
        return "None"


Type = Number | Pointer | Reference | Callee | Several | Nothing
NOTHING: Final = Nothing()


@dataclass(frozen=True, slots=True)
class Operand:
    """An operand. A *constant* has no type of its own yet where it is a literal: it takes that of its partner."""

    text: str
    type: Type
    constant: int | float | None = None


def type_of(annotation: Any) -> Type | None:
    """The type for an annotation, None where it is none of the kernel language."""
    if annotation is None or annotation is type(None):
        return NOTHING
    if annotation in NUMBERS:
        return NUMBERS[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Array and len(arguments) == 1:
        element = ELEMENTS.get(arguments[0])
        if element is not None:
            return Pointer(element)
        inner = type_of(arguments[0])
        return Pointer(inner) if isinstance(inner, Reference) else None
    if origin is Function:
        parameters, result = [type_of(each) for each in arguments[0]], type_of(arguments[1])
        if result is None or None in parameters:
            return None
        return Callee(tuple(each for each in parameters if each is not None), result)
    if origin is tuple:
        items = tuple(each for each in map(type_of, arguments) if each is not None)
        return Several(items) if len(items) == len(arguments) else None
    if isinstance(annotation, type) and issubclass(annotation, Record):
        return Reference(annotation)
    return None


def evaluated(annotation: object, names: Mapping[str, object]) -> object:
    """An annotation as an object; *names* are those of its module."""
    return eval(annotation, dict(names)) if isinstance(annotation, str) else annotation


def register(element: Element) -> Number:
    """The type that an element of memory has once it is read."""
    return NUMBERS[element.register]
