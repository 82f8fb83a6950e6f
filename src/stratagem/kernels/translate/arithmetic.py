"""Instructions for numbers: literals, conversions, operators and comparisons.

Integers wrap; ``//`` and ``%`` round down, as in Python; a shift takes its count modulo 64. Floats follow IEEE 754 without
any liberties, so that results are the same on every machine.
"""

from __future__ import annotations

import ast
import operator
import struct
from collections.abc import Callable
from typing import Final

from stratagem.kernels.language.numbers import HIGHEST, LOWEST, float32
from stratagem.kernels.language.numbers import WORD as ALL_ONES
from stratagem.kernels.translate.code import FunctionText
from stratagem.kernels.translate.types import BOOL, FLOAT, INT, SINGLE, WORD, Number, Operand

WHOLE: Final[dict[type[ast.operator], str]] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
}
REAL: Final[dict[type[ast.operator], str]] = {
    ast.Add: "fadd",
    ast.Sub: "fsub",
    ast.Mult: "fmul",
    ast.Div: "fdiv",
}
COMPARISONS: Final[dict[type[ast.cmpop], str]] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
FOLDED: Final[dict[type[ast.operator], Callable[[int | float, int | float], int | float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


class Mismatch(Exception):
    """Operands that do not go together: why, and what to do."""

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.hint = reason, hint


def literal(number: int | float) -> Operand:
    return Operand("", FLOAT if isinstance(number, float) else INT, number)


def typed(value: Operand, kind: Number) -> Operand:
    """A literal as a number of the given type."""
    number = value.constant
    assert number is not None
    if kind.kind == "float":
        real = float32(number) if kind is SINGLE else float(number)
        return Operand(f"0x{struct.unpack('>Q', struct.pack('>d', real))[0]:016X}", kind)
    if isinstance(number, float) or kind is BOOL:
        raise Mismatch(f"{kind} is expected here, not {number!r}")
    if kind is WORD:
        word = number & ALL_ONES
        return Operand(str(word - (1 << 64) if word > HIGHEST else word), WORD)
    if not LOWEST <= number <= HIGHEST:
        raise Mismatch(f"{number} does not fit into an int", "say uint64(...)")
    return Operand(str(number), INT)


def settled(value: Operand) -> Operand:
    """A value that has a type for certain."""
    if value.constant is None or not isinstance(value.type, Number):
        return value
    return typed(value, value.type)


def paired(code: FunctionText, one: Operand, other: Operand) -> tuple[Operand, Operand, Number]:
    """Two operands brought to one type."""
    if not isinstance(one.type, Number) or not isinstance(other.type, Number):
        raise Mismatch(f"{one.type} and {other.type} are not both numbers")
    if one.constant is not None and other.constant is not None:
        kind: Number = FLOAT if FLOAT in (one.type, other.type) else INT
        return typed(one, kind), typed(other, kind), kind
    if one.constant is not None:
        kind = _partner(one, other.type)
        return typed(one, kind), converted(code, other, kind), kind
    if other.constant is not None:
        kind = _partner(other, one.type)
        return converted(code, one, kind), typed(other, kind), kind
    if one.type == other.type:
        return one, other, one.type
    for kind in (one.type, other.type):
        rest = other.type if kind is one.type else one.type
        if kind.kind == "float" and rest is INT:
            return converted(code, one, kind), converted(code, other, kind), kind
    raise Mismatch(
        f"{one.type} and {other.type} do not mix", f"convert one: {one.type}(...) or {other.type}(...)"
    )


def _partner(constant: Operand, kind: Number) -> Number:
    return FLOAT if isinstance(constant.constant, float) and kind is INT else kind


def converted(code: FunctionText, value: Operand, kind: Number) -> Operand:
    """``int(value)`` and its like."""
    if value.constant is not None:
        if kind.whole and isinstance(value.constant, float):
            return typed(literal(int(value.constant)), kind)
        if kind is BOOL:
            return Operand(str(bool(value.constant)).lower(), BOOL)
        if kind is INT and not LOWEST <= value.constant <= HIGHEST:
            return Operand(typed(value, WORD).text, INT)
        return typed(value, kind)
    old = value.type
    assert isinstance(old, Number)
    if old == kind:
        return value
    if kind is BOOL:
        zero, test = ("0.0", "fcmp une") if old.kind == "float" else ("0", "icmp ne")
        return Operand(code.let(f"{test} {old.llvm} {value.text}, {zero}"), BOOL)
    if old.whole and kind.whole:
        return Operand(value.text, kind)
    if old.kind == "float" and kind.kind == "float":
        name = "fptrunc" if kind is SINGLE else "fpext"
    elif old.kind == "float":
        way = "si" if kind is INT else "ui"
        suffix = "f64" if old is FLOAT else "f32"
        text = f"call i64 @llvm.fpto{way}.sat.i64.{suffix}({old.llvm} {value.text})"
        return Operand(code.let(text), kind)
    elif kind.kind == "float":
        name = "sitofp" if old is INT else "uitofp"
    else:
        name = "zext"
    return Operand(code.let(f"{name} {old.llvm} {value.text} to {kind.llvm}"), kind)


def narrowed(code: FunctionText, value: Operand, bits: int, signed: bool) -> Operand:
    """An integer cut down to so many *bits*."""
    whole = converted(code, value, INT)
    cut = code.let(f"trunc i64 {whole.text} to i{bits}")
    return Operand(code.let(f"{'sext' if signed else 'zext'} i{bits} {cut} to i64"), INT)


def computed(code: FunctionText, op: ast.operator, one: Operand, other: Operand) -> Operand:
    """``one op other``."""
    if one.constant is not None and other.constant is not None:
        return literal(FOLDED[type(op)](one.constant, other.constant))
    if isinstance(op, ast.LShift | ast.RShift):
        return _shifted(code, op, one, other)
    a, b, kind = paired(code, one, other)
    if isinstance(op, ast.Div) and kind is INT:
        a, b, kind = converted(code, a, FLOAT), converted(code, b, FLOAT), FLOAT
    if kind.kind == "float":
        if type(op) not in REAL:
            raise Mismatch(f"{kind} has no such operator")
        return Operand(code.let(f"{REAL[type(op)]} {kind.llvm} {a.text}, {b.text}"), kind)
    if kind is BOOL and not isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        raise Mismatch("a bool is not a number", "convert it: int(...)")
    if isinstance(op, ast.FloorDiv | ast.Mod):
        return _divided(code, isinstance(op, ast.Mod), a, b, kind, other.constant)
    if type(op) not in WHOLE:
        raise Mismatch(f"{kind} has no such operator")
    return Operand(code.let(f"{WHOLE[type(op)]} {kind.llvm} {a.text}, {b.text}"), kind)


def _shifted(code: FunctionText, op: ast.operator, one: Operand, other: Operand) -> Operand:
    if one.constant is not None:
        kind = other.type
        one = typed(one, kind if kind is WORD else INT)
    kind = one.type
    if not isinstance(kind, Number) or not kind.whole:
        raise Mismatch(f"{one.type} cannot be shifted")
    if other.constant is not None:
        if isinstance(other.constant, float) or not 0 <= other.constant < 64:
            raise Mismatch("a shift is by 0 to 63 places")
        places = str(other.constant)
    elif isinstance(other.type, Number) and other.type.whole:
        places = code.let(f"and i64 {other.text}, 63")
    else:
        raise Mismatch(f"a shift by {other.type}")
    name = "shl" if isinstance(op, ast.LShift) else "ashr" if kind is INT else "lshr"
    return Operand(code.let(f"{name} i64 {one.text}, {places}"), kind)


def _divided(
    code: FunctionText, rest: bool, a: Operand, b: Operand, kind: Number, divisor: int | float | None
) -> Operand:
    """Division that rounds down; the rest has the sign of the divisor."""
    if divisor == 0:
        raise Mismatch("a division by zero")
    if kind is WORD:
        return Operand(code.let(f"{'urem' if rest else 'udiv'} i64 {a.text}, {b.text}"), kind)
    if isinstance(divisor, int) and divisor > 0 and divisor & (divisor - 1) == 0:
        if rest:
            return Operand(code.let(f"and i64 {a.text}, {divisor - 1}"), kind)
        return Operand(code.let(f"ashr i64 {a.text}, {divisor.bit_length() - 1}"), kind)
    quotient = code.let(f"sdiv i64 {a.text}, {b.text}")
    product = code.let(f"mul i64 {quotient}, {b.text}")
    remainder = code.let(f"sub i64 {a.text}, {product}")
    signs = code.let(f"xor i64 {remainder}, {b.text}")
    differ = code.let(f"icmp slt i64 {signs}, 0")
    inexact = code.let(f"icmp ne i64 {remainder}, 0")
    down = code.let(f"and i1 {differ}, {inexact}")
    if rest:
        moved = code.let(f"add i64 {remainder}, {b.text}")
        return Operand(code.let(f"select i1 {down}, i64 {moved}, i64 {remainder}"), kind)
    lower = code.let(f"sub i64 {quotient}, 1")
    return Operand(code.let(f"select i1 {down}, i64 {lower}, i64 {quotient}"), kind)


def compared(code: FunctionText, op: ast.cmpop, one: Operand, other: Operand) -> Operand:
    """``one op other``, a bool."""
    name = COMPARISONS.get(type(op))
    if name is None:
        raise Mismatch("there is no such comparison")
    a, b, kind = paired(code, one, other)
    if kind.kind == "float":
        test = f"fcmp {'u' if name == 'ne' else 'o'}{name}"
    else:
        sign = "" if name in ("eq", "ne") else "s" if kind is INT else "u"
        test = f"icmp {sign}{name}"
    return Operand(code.let(f"{test} {kind.llvm} {a.text}, {b.text}"), BOOL)


def negated(code: FunctionText, value: Operand) -> Operand:
    """``-value``"""
    if value.constant is not None:
        return literal(-value.constant)
    kind = value.type
    if not isinstance(kind, Number) or kind is BOOL:
        raise Mismatch(f"{kind} has no sign")
    if kind.kind == "float":
        return Operand(code.let(f"fneg {kind.llvm} {value.text}"), kind)
    return Operand(code.let(f"sub i64 0, {value.text}"), kind)


def inverted(code: FunctionText, value: Operand) -> Operand:
    """``~value``"""
    if value.constant is not None and isinstance(value.constant, int):
        return literal(~value.constant)
    if not isinstance(value.type, Number) or not value.type.whole:
        raise Mismatch(f"{value.type} has no bits to invert")
    return Operand(code.let(f"xor i64 {value.text}, -1"), value.type)


def lesser(code: FunctionText, name: str, one: Operand, other: Operand) -> Operand:
    """``min(one, other)`` or ``max(one, other)``: as in Python the first where both are equal."""
    if one.constant is not None and other.constant is not None:
        return literal(
            min(one.constant, other.constant) if name == "min" else max(one.constant, other.constant)
        )
    a, b, kind = paired(code, one, other)
    test: ast.cmpop = ast.Lt() if name == "min" else ast.Gt()
    better = compared(code, test, b, a)
    return Operand(code.let(f"select i1 {better.text}, {kind.llvm} {b.text}, {kind.llvm} {a.text}"), kind)
