"""The kinds of values that `lower` knows, and the instructions for what can be done with them."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from stratagem.errors import UsageError

CELLS = {"Words": "i64", "Numbers": "i32", "Flags": "i8", "Scores": "i16"}
"""What each kind of cell is in memory."""
EXTENSIONS = {"i32": "sext", "i16": "sext", "i8": "zext"}
PRIMITIVES = {
    "count_ones": "i64 @llvm.ctpop.i64(i64 {0})",
    "lowest_one": "i64 @llvm.cttz.i64(i64 {0}, i1 false)",
}
OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
    ast.FloorDiv: "udiv",
    ast.Mod: "urem",
}
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


@dataclass(frozen=True, slots=True)
class Value:
    """An operand: its name, and its kind: ``int``, ``bool``, ``None`` or a kind of cell."""

    name: str
    kind: str

    @property
    def type(self) -> str:
        return "ptr" if self.kind in CELLS else {"int": "i64", "bool": "i1", "None": "void"}[self.kind]


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and returns."""

    arguments: tuple[tuple[str, str], ...]
    result: str


def signature_of(node: ast.FunctionDef) -> Signature:
    arguments = tuple((argument.arg, _kind(argument.annotation)) for argument in node.args.args)
    return Signature(arguments, _kind(node.returns))


def _kind(annotation: ast.expr | None) -> str:
    if isinstance(annotation, ast.Constant) and annotation.value is None:
        return "None"
    if isinstance(annotation, ast.Name) and (annotation.id in CELLS or annotation.id == "int"):
        return annotation.id
    raise UsageError("every argument and result must be an int, a kind of cell or None")
