"""Calls in a kernel: conversions, primitives, other kernels, functions by address, and the methods of arrays."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, get_origin

from stratagem.kernels.language import primitives
from stratagem.kernels.language.arrays import local
from stratagem.kernels.language.elements import ELEMENTS
from stratagem.kernels.language.functions import Function, KernelFunction
from stratagem.kernels.language.numbers import int8
from stratagem.kernels.translate.arithmetic import (
    Mismatch,
    compared,
    converted,
    lesser,
    literal,
    narrowed,
    negated,
)
from stratagem.kernels.translate.scope import MISSING, Scope
from stratagem.kernels.translate.types import (
    BOOL,
    INT,
    NOTHING,
    NUMBERS,
    WORD,
    Callee,
    Number,
    Operand,
    Pointer,
    Type,
    type_of,
)

if TYPE_CHECKING:
    from stratagem.kernels.translate.expressions import Expressions


def call(within: Expressions, node: ast.Call) -> Operand:
    """The value of a call."""
    if node.keywords:
        raise within.refused(node, "arguments are given by position")
    match node.func:
        case ast.Attribute(value=base, attr="at" | "row" as method) if _is_array(within, base):
            return _view(within, base, method, node.args)
    known = within.scope.known(node.func)
    if isinstance(known, KernelFunction):
        return _kernel(within, known, node)
    if isinstance(known, type):
        return _conversion(within, known, node)
    callee = type_of(known) if get_origin(known) is Function else None
    if isinstance(callee, Callee) and len(node.args) == 1:
        address = within.typed(node.args[0], INT)
        return Operand(within.code.let(f"inttoptr i64 {address.text} to ptr"), callee)
    translated = PRIMITIVES.get(known) if known is not MISSING else None
    if translated is not None:
        wanted = translated.__code__.co_argcount - 1
        if translated is not _extreme and len(node.args) != wanted:
            raise within.refused(node, f"{wanted} arguments are wanted, not {len(node.args)}")
        return _extreme(within, node) if translated is _extreme else translated(within, *node.args)
    if known is not MISSING:
        raise within.refused(node, "only kernels and primitives can be called")
    target = within.value(node.func)
    if not isinstance(target.type, Callee):
        raise within.refused(node, f"{target.type} cannot be called")
    return _called(within, target.text, target.type.parameters, target.type.result, node)


def _is_array(within: Expressions, base: ast.expr) -> bool:
    """Whether *at* and *row* are methods of an array here; a field of a record may have these names too."""
    return not isinstance(within.scope.known(base), type)


def _view(within: Expressions, base: ast.expr, method: str, index: Sequence[ast.expr]) -> Operand:
    if not index:
        raise within.refused(base, f"{method}() needs an index")
    if method == "row" and len(index) != len(within.array(base)[1]):
        raise within.refused(base, "row() takes an index for every dimension but the last")
    pointer, kind = within.item(base, index, whole=False)
    return Operand(pointer, kind)


def _kernel(within: Expressions, known: KernelFunction[Any, Any], node: ast.Call) -> Operand:
    within.scope.use(known)
    signature = Scope(known, within.scope.use).signature()
    parameters = tuple(kind for _, kind in signature.parameters)
    return _called(within, f'@"{known.symbol}"', parameters, signature.result, node)


def _called(
    within: Expressions, target: str, wanted: Sequence[Type], result: Type, node: ast.Call
) -> Operand:
    if len(node.args) != len(wanted):
        raise within.refused(node, f"{len(wanted)} arguments are wanted, not {len(node.args)}")
    given = [within.typed(argument, kind) for argument, kind in zip(node.args, wanted, strict=True)]
    arguments = ", ".join(f"{passed(value.type)} {value.text}" for value in given)
    if result is NOTHING:
        within.code.emit(f"call void {target}({arguments})")
        return Operand("", NOTHING)
    return Operand(within.code.let(f"call {result.llvm} {target}({arguments})"), result)


def passed(kind: Type) -> str:
    """How a value is passed to a function."""
    return "i1 zeroext" if kind is BOOL else kind.llvm


def _conversion(within: Expressions, known: type, node: ast.Call) -> Operand:
    if len(node.args) != 1:
        raise within.refused(node, "a conversion takes one value")
    value = within.value(node.args[0])
    if not isinstance(value.type, Number):
        raise within.refused(node, f"{value.type} is not a number")
    if known in NUMBERS:
        return converted(within.code, value, NUMBERS[known])
    if known in ELEMENTS and issubclass(known, int8):
        return narrowed(within.code, value, known.bits, known.signed)
    raise within.refused(node, f"{known.__name__} is not a type to convert to")


# primitives: each takes the nodes of its arguments


def _bits(intrinsic: str, more: str = "") -> Callable[..., Operand]:
    def translated(within: Expressions, word: ast.expr) -> Operand:
        value = within.typed(word, WORD).text
        return Operand(within.code.let(f"call i64 @llvm.{intrinsic}.i64(i64 {value}{more})"), INT)

    return translated


def _highest_one(within: Expressions, word: ast.expr) -> Operand:
    value = within.typed(word, WORD).text
    above = within.code.let(f"call i64 @llvm.ctlz.i64(i64 {value}, i1 false)")
    return Operand(within.code.let(f"sub i64 63, {above}"), INT)


def _rotate_left(within: Expressions, word: ast.expr, places: ast.expr) -> Operand:
    value, by = within.typed(word, WORD).text, within.typed(places, INT).text
    return Operand(within.code.let(f"call i64 @llvm.fshl.i64(i64 {value}, i64 {value}, i64 {by})"), WORD)


def _byte_swap(within: Expressions, word: ast.expr) -> Operand:
    return Operand(within.code.let(f"call i64 @llvm.bswap.i64(i64 {within.typed(word, WORD).text})"), WORD)


def _real(intrinsic: str) -> Callable[..., Operand]:
    def translated(within: Expressions, argument: ast.expr) -> Operand:
        value = within.settled(argument)
        if not isinstance(value.type, Number) or value.type.kind != "float":
            raise Mismatch(f"a float is expected here, not {value.type}", "convert it: float(...)")
        suffix = "f64" if value.type.llvm == "double" else "f32"
        text = f"call {value.type.llvm} @llvm.{intrinsic}.{suffix}({value.type.llvm} {value.text})"
        return Operand(within.code.let(text), value.type)

    return translated


def _extreme(within: Expressions, node: ast.Call) -> Operand:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    values = [within.value(argument) for argument in node.args]
    if len(values) < 2:
        raise within.refused(node, f"{name} takes two values or more")
    best = values[0]
    for value in values[1:]:
        best = lesser(within.code, name, best, value)
    return best


def _absolute(within: Expressions, argument: ast.expr) -> Operand:
    value = within.value(argument)
    if value.constant is not None:
        return literal(abs(value.constant))
    kind = value.type
    if isinstance(kind, Number) and kind.kind == "float":
        suffix = "f64" if kind.llvm == "double" else "f32"
        return Operand(
            within.code.let(f"call {kind.llvm} @llvm.fabs.{suffix}({kind.llvm} {value.text})"), kind
        )
    opposite = negated(within.code, value)
    below = compared(within.code, ast.Lt(), value, literal(0))
    return Operand(within.code.let(f"select i1 {below.text}, i64 {opposite.text}, i64 {value.text}"), kind)


def _local(within: Expressions, kind: ast.expr, size: ast.expr) -> Operand:
    element, count = ELEMENTS.get(within.scope.known(kind)), within.value(size).constant
    if element is None:
        raise Mismatch("a local array holds numbers")
    if not isinstance(count, int):
        raise Mismatch("the size of a local array is a constant")
    return Operand(within.code.slot(f"[{count} x {element.llvm}]", align=16), Pointer(element))


def _prefetch(within: Expressions, array: ast.expr, index: ast.expr) -> Operand:
    pointer, _ = within.item(array, [index], whole=False)
    within.code.emit(f"call void @llvm.prefetch.p0(ptr {pointer}, i32 0, i32 3, i32 1)")
    return Operand("", NOTHING)


# atomics


def _load(order: str) -> Callable[..., Operand]:
    def translated(within: Expressions, array: ast.expr, index: ast.expr) -> Operand:
        pointer, element = within.element(array, [index])
        text = f"load atomic volatile {element.llvm}, ptr {pointer} {order}, align {element.size}"
        return within.from_memory(within.code.let(text), element)

    return translated


def _store(order: str) -> Callable[..., Operand]:
    def translated(within: Expressions, array: ast.expr, index: ast.expr, value: ast.expr) -> Operand:
        pointer, element = within.element(array, [index])
        text = within.to_memory(value, within.value(value), element)
        within.code.emit(f"store atomic {element.llvm} {text}, ptr {pointer} {order}, align {element.size}")
        return Operand("", NOTHING)

    return translated


def _modify(whole: str, real: str | None) -> Callable[..., Operand]:
    def translated(within: Expressions, array: ast.expr, index: ast.expr, value: ast.expr) -> Operand:
        pointer, element = within.element(array, [index])
        text = within.to_memory(value, within.value(value), element)
        name = whole if element.register in (int, bool) or element.name == "uint64" else real
        if name is None:
            raise Mismatch(f"an element of type {element.name} cannot be changed in one step")
        found = within.code.let(f"atomicrmw {name} ptr {pointer}, {element.llvm} {text} acq_rel")
        return within.from_memory(found, element)

    return translated


def _compare_and_swap(
    within: Expressions, array: ast.expr, index: ast.expr, expected: ast.expr, value: ast.expr
) -> Operand:
    pointer, element = within.element(array, [index])
    old = within.to_memory(expected, within.value(expected), element)
    new = within.to_memory(value, within.value(value), element)
    kind = element.llvm
    pair = within.code.let(f"cmpxchg ptr {pointer}, {kind} {old}, {kind} {new} acq_rel acquire")
    return Operand(within.code.let(f"extractvalue {{ {kind}, i1 }} {pair}, 1"), BOOL)


def _try_lock(within: Expressions, lock: ast.expr, index: ast.expr) -> Operand:
    free, held = ast.copy_location(ast.Constant(0), lock), ast.copy_location(ast.Constant(1), lock)
    return _compare_and_swap(within, lock, index, free, held)


def _unlock(within: Expressions, lock: ast.expr, index: ast.expr) -> Operand:
    return _store("release")(within, lock, index, ast.copy_location(ast.Constant(0), lock))


PRIMITIVES: Final[dict[object, Callable[..., Operand]]] = {
    min: _extreme,
    max: _extreme,
    abs: _absolute,
    local: _local,
    primitives.count_ones: _bits("ctpop"),
    primitives.lowest_one: _bits("cttz", ", i1 false"),
    primitives.highest_one: _highest_one,
    primitives.rotate_left: _rotate_left,
    primitives.byte_swap: _byte_swap,
    primitives.sqrt: _real("sqrt"),
    primitives.log: _real("log"),
    primitives.exp: _real("exp"),
    primitives.prefetch: _prefetch,
    primitives.load_relaxed: _load("monotonic"),
    primitives.load_acquire: _load("acquire"),
    primitives.store_relaxed: _store("monotonic"),
    primitives.store_release: _store("release"),
    primitives.exchange: _modify("xchg", "xchg"),
    primitives.fetch_add: _modify("add", "fadd"),
    primitives.compare_and_swap: _compare_and_swap,
    primitives.try_lock: _try_lock,
    primitives.unlock: _unlock,
}
DECLARATIONS: Final = "".join(
    f"declare {line}\n"
    for line in (
        "i64 @llvm.ctpop.i64(i64)",
        "i64 @llvm.cttz.i64(i64, i1)",
        "i64 @llvm.ctlz.i64(i64, i1)",
        "i64 @llvm.fshl.i64(i64, i64, i64)",
        "i64 @llvm.bswap.i64(i64)",
        *(
            f"{kind} @llvm.{name}.{suffix}({kind})"
            for name in ("sqrt", "log", "exp", "fabs")
            for kind, suffix in (("double", "f64"), ("float", "f32"))
        ),
        *(
            f"i64 @llvm.fpto{way}.sat.i64.{suffix}({kind})"
            for way in ("si", "ui")
            for kind, suffix in (("double", "f64"), ("float", "f32"))
        ),
        "void @llvm.prefetch.p0(ptr, i32, i32, i32)",
    )
)
