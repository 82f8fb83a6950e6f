"""Expressions of a kernel as instructions: names, operators, elements of arrays and fields of records."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from stratagem.kernels.errors import KernelError
from stratagem.kernels.language.elements import Element
from stratagem.kernels.language.numbers import float32, uint64
from stratagem.kernels.language.records import POINTER, Field
from stratagem.kernels.translate.arithmetic import (
    Mismatch,
    compared,
    computed,
    converted,
    inverted,
    literal,
    negated,
    paired,
    settled,
    typed,
)
from stratagem.kernels.translate.calls import call
from stratagem.kernels.translate.code import FunctionText
from stratagem.kernels.translate.scope import MISSING, Scope
from stratagem.kernels.translate.types import (
    BOOL,
    INT,
    SINGLE,
    WORD,
    Number,
    Operand,
    Pointer,
    Reference,
    Type,
    register,
    type_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = ", !tbaa !2"
"""Pointers and sizes in a record: no kernel writes them, so that they stay in registers."""


class Expressions:
    """Translates the expressions of one kernel."""

    def __init__(self, code: FunctionText, scope: Scope) -> None:
        self.code, self.scope = code, scope

    @contextmanager
    def located(self, node: ast.AST) -> Iterator[None]:
        """Gives a mismatch its place."""
        try:
            yield
        except Mismatch as failure:
            raise self.scope.fault(node, failure.reason, hint=failure.hint) from None

    def refused(
        self, node: ast.AST, reason: str = "the kernel language has no such construct"
    ) -> KernelError:
        return self.scope.fault(node, reason)

    def value(self, node: ast.expr) -> Operand:
        """The value of an expression; a literal has no type yet."""
        with self.located(node):
            return self._value(node)

    def settled(self, node: ast.expr) -> Operand:
        with self.located(node):
            return settled(self.value(node))

    def typed(self, node: ast.expr, kind: Type) -> Operand:
        """The value of an expression that must be of the given type."""
        return self.fitted(self.value(node), kind, node)

    def fitted(self, value: Operand, kind: Type, node: ast.expr) -> Operand:
        with self.located(node):
            if value.constant is not None and isinstance(kind, Number):
                return typed(value, kind)
            if value.type != kind:
                hint = f"convert it: {kind}(...)" if isinstance(kind, Number) else None
                raise Mismatch(f"{kind} is expected here, not {value.type}", hint)
            return value

    def condition(self, node: ast.expr) -> str:
        """Whether an expression is true: a bool, or a number other than zero."""
        value = self.value(node)
        if not isinstance(value.type, Number):
            raise self.scope.fault(node, f"a condition is expected here, not {value.type}")
        return converted(self.code, value, BOOL).text

    def _value(self, node: ast.expr) -> Operand:
        match node:
            case ast.Constant(value=bool() | int() | float() as number):
                return _constant(number)
            case ast.Name() | ast.Attribute():
                return self.named(node)
            case ast.BinOp(left=left, op=op, right=right):
                one = self.value(left)
                return computed(self.code, op, one, self.value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return negated(self.code, self.value(operand))
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return inverted(self.code, self.value(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Operand(self.code.let(f"xor i1 {self.condition(operand)}, true"), BOOL)
            case ast.Compare(
                left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Tuple(elts=others)]
            ):
                return self.among(left, op, others)
            case ast.Compare(left=left, ops=ops, comparators=others):
                return self.chain(left, ops, others)
            case ast.BoolOp():
                return self.connected(node)
            case ast.IfExp(test=test, body=then, orelse=otherwise):
                return self.chosen(test, then, otherwise)
            case ast.Subscript(value=base, slice=index):
                pointer, kind = self.item(base, _indices(index), whole=True)
                if isinstance(kind.element, Reference):
                    return Operand(pointer, kind.element)
                return self.load(pointer, kind.element)
            case ast.Call():
                return call(self, node)
        raise self.refused(node)

    # names and fields

    def named(self, node: ast.Name | ast.Attribute) -> Operand:
        if isinstance(node, ast.Name) and node.id in self.scope.variables:
            slot, kind = self.scope.variables[node.id]
            return Operand(self.code.let(f"load {kind.llvm}, ptr {slot}"), kind)
        known = self.scope.known(node)
        if isinstance(known, bool | int | float):
            return _constant(known)
        if known is not MISSING:
            raise self.refused(node, "this is not a number")
        if isinstance(node, ast.Name):
            raise self.refused(node, "this name is not known here")
        owner = self.value(node.value)
        field = self.field(owner, node)
        if len(field.dims) > 1:
            raise self.scope.fault(
                node, f"an array of {len(field.dims)} dimensions", hint="use an element, row(...) or at(...)"
            )
        return self.read_field(owner, field)

    def field(self, owner: Operand, node: ast.Attribute) -> Field:
        if not isinstance(owner.type, Reference):
            raise self.scope.fault(node, f"{owner.type} has no fields")
        layout = owner.type.layout
        if node.attr not in layout.fields:
            raise self.scope.fault(
                node, f"{layout.name} has no field {node.attr}", hint=f"it has {', '.join(layout.fields)}"
            )
        return layout.fields[node.attr]

    def place(self, owner: Operand, field: Field) -> str:
        """The address of a field."""
        return self.code.let(f"getelementptr inbounds i8, ptr {owner.text}, i64 {field.offset}")

    def read_field(self, owner: Operand, field: Field) -> Operand:
        place = self.place(owner, field)
        if field.memory is POINTER:
            kind = type_of(field.kind)
            assert kind is not None
            return Operand(self.code.let(f"load ptr, ptr {place}{HEADER}"), kind)
        return self.load(place, field.memory, HEADER if field.is_size else "")

    # memory

    def element(self, base: ast.expr, index: Sequence[ast.expr]) -> tuple[str, Element]:
        """The address of an element that is a number, and its type."""
        pointer, kind = self.item(base, index, whole=True)
        if isinstance(kind.element, Reference):
            raise self.scope.fault(base, f"its elements are records, {kind.element}", hint="name a field")
        return pointer, kind.element

    def item(self, base: ast.expr, index: Sequence[ast.expr], *, whole: bool) -> tuple[str, Pointer]:
        """The address of an element of an array, and the type of the array.

        *whole*: the element is used, so that it must have all indices and lie within; otherwise missing ones are 0.
        """
        array, sizes = self.array(base)
        if len(index) > len(sizes) + 1 or (whole and len(index) != len(sizes) + 1):
            raise self.scope.fault(base, f"{len(index)} indices for {len(sizes) + 1} dimensions")
        numbers = [self.typed(each, INT).text for each in index]
        place = numbers[0]
        for number, length in enumerate(sizes):
            place = self.code.let(f"mul i64 {place}, {length}")
            if number + 1 < len(numbers):
                place = self.code.let(f"add i64 {place}, {numbers[number + 1]}")
        assert isinstance(array.type, Pointer)
        element = array.type.element
        step = element.llvm if isinstance(element, Element) else f"[{element.layout.bytes} x i8]"
        how = "getelementptr inbounds" if whole else "getelementptr"
        return self.code.let(f"{how} {step}, ptr {array.text}, i64 {place}"), array.type

    def array(self, node: ast.expr) -> tuple[Operand, list[str]]:
        """An array and its sizes from the second dimension on."""
        if isinstance(node, ast.Attribute) and not isinstance(self.scope.known(node.value), type):
            owner = self.value(node.value)
            field = self.field(owner, node)
            value = self.read_field(owner, field)
            if isinstance(value.type, Pointer):
                return value, [self.length(owner, each) for each in field.dims[1:]]
        else:
            value = self.value(node)
        if not isinstance(value.type, Pointer):
            raise self.scope.fault(node, f"an array is expected here, not {value.type}")
        return value, []

    def length(self, owner: Operand, dimension: str | int) -> str:
        if isinstance(dimension, int):
            return str(dimension)
        assert isinstance(owner.type, Reference)
        return self.read_field(owner, owner.type.layout.fields[dimension]).text

    def load(self, pointer: str, element: Element, note: str = "") -> Operand:
        return self.from_memory(self.code.let(f"load {element.llvm}, ptr {pointer}{note}"), element)

    def from_memory(self, text: str, element: Element) -> Operand:
        """A number as it was in memory, for computing."""
        kind = register(element)
        if kind is BOOL:
            text = self.code.let(f"icmp ne i8 {text}, 0")
        elif element.llvm != kind.llvm:
            way = "zext" if element.numpy.startswith("u") else "sext"
            text = self.code.let(f"{way} {element.llvm} {text} to i64")
        return Operand(text, kind)

    def to_memory(self, node: ast.expr, value: Operand, element: Element) -> str:
        """A number as it goes to memory: narrow integers are cut off, a `float32` is rounded."""
        kind = register(element)
        if kind.kind == "float" and isinstance(value.type, Number) and value.type.kind == "float":
            return converted(self.code, value, kind).text
        text = self.fitted(value, kind, node).text
        if kind is BOOL:
            return self.code.let(f"zext i1 {text} to i8")
        return text if element.llvm == kind.llvm else self.code.let(f"trunc i64 {text} to {element.llvm}")

    # conditions

    def chain(self, left: ast.expr, ops: Sequence[ast.cmpop], others: Sequence[ast.expr]) -> Operand:
        """``a < b < c``: every operand is looked at once, and no further than needed."""
        one = self.value(left)
        if len(ops) == 1:
            return compared(self.code, ops[0], one, self.value(others[0]))
        operands = iter(others)
        pending = [one]

        def link(op: ast.cmpop) -> str:
            other = self.value(next(operands))
            found = compared(self.code, op, pending.pop(), other)
            pending.append(other)
            return found.text

        return self.short([partial(link, op) for op in ops], stop_at=False)

    def among(self, left: ast.expr, op: ast.cmpop, others: Sequence[ast.expr]) -> Operand:
        """``a in (b, c)``"""
        one = self.value(left)
        tests = [partial(self._equals, one, other) for other in others]
        found = self.short(tests, stop_at=True)
        return found if isinstance(op, ast.In) else Operand(self.code.let(f"xor i1 {found.text}, true"), BOOL)

    def _equals(self, one: Operand, other: ast.expr) -> str:
        return compared(self.code, ast.Eq(), one, self.value(other)).text

    def connected(self, node: ast.BoolOp) -> Operand:
        """`and` and `or` look at their right side only if the left does not decide."""
        tests = [partial(self.condition, operand) for operand in node.values]
        return self.short(tests, stop_at=isinstance(node.op, ast.Or))

    def short(self, tests: Sequence[Callable[[], str]], *, stop_at: bool) -> Operand:
        code = self.code
        slot, after = code.slot("i1"), code.name("decided")
        for test in tests:
            found = test()
            code.emit(f"store i1 {found}, ptr {slot}")
            more = code.name("more")
            code.branch(found, *((after, more) if stop_at else (more, after)))
            code.place(more)
        code.label(after)
        return Operand(code.let(f"load i1, ptr {slot}"), BOOL)

    def chosen(self, test: ast.expr, then: ast.expr, otherwise: ast.expr) -> Operand:
        code = self.code
        first, second, after = code.name("then"), code.name("else"), code.name("after")
        code.branch(self.condition(test), first, second)
        code.place(first)
        one = self.value(then)
        first_lines, code.lines = code.lines, []
        code.place(second)
        other = self.value(otherwise)
        # The type is known only when both sides are, so that conversions are added to each side's end.
        second_lines, code.lines = code.lines, first_lines
        kind = self._common(one, other, then)
        slot = code.slot(kind.llvm)
        code.emit(f"store {kind.llvm} {self._as(one, kind)}, ptr {slot}")
        code.go(after)
        code.lines += second_lines
        code.open = True
        code.emit(f"store {kind.llvm} {self._as(other, kind)}, ptr {slot}")
        code.go(after)
        code.place(after)
        return Operand(code.let(f"load {kind.llvm}, ptr {slot}"), kind)

    def _common(self, one: Operand, other: Operand, node: ast.expr) -> Type:
        if isinstance(one.type, Number) and isinstance(other.type, Number):
            with self.located(node):
                return paired(FunctionText(), one, other)[2]
        if one.type != other.type:
            raise self.scope.fault(node, f"{one.type} and {other.type} are no choice")
        return one.type

    def _as(self, value: Operand, kind: Type) -> str:
        return converted(self.code, value, kind).text if isinstance(kind, Number) else value.text


def _constant(number: bool | int | float) -> Operand:
    if isinstance(number, bool):
        return Operand(str(number).lower(), BOOL)
    if isinstance(number, uint64):
        return typed(literal(int.__add__(number, 0)), WORD)
    if isinstance(number, float32):
        return typed(literal(float(number)), SINGLE)
    return literal(int(number) if isinstance(number, int) else float(number))


def _indices(index: ast.expr) -> Sequence[ast.expr]:
    return index.elts if isinstance(index, ast.Tuple) else [index]
