"""A small part of Python as LLVM assembly: what the drivers of native code are written in.

numba translates far more, but takes most of a second to import and ten to compile such drivers on a new machine; these
must be there when a game is loaded. The part is chosen so that a page is enough to translate it:

    int            a 64-bit number; `>>` shifts in zeros, `//` and `%` are unsigned, `<` is signed
    cells          pointers (`cells.Words`, `Numbers`, `Flags`, `Scores`): ``p[i]``, ``p.at(i)``
    statements     = and its relatives, if, while, for ... in range(...), break, continue, return, calls
    calls          functions of the same sources, `min`, `max`, and the primitives in `cells`

The functions are also ordinary Python: run as such, on checked cells, they are their own test.

>>> print(lower("def twice(x: int) -> int:\\n    return x + x\\n", exported={"twice"}))  # doctest: +ELLIPSIS
define i64 @twice(i64 %arg.x) #0 {
...
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from stratagem.errors import UsageError
from stratagem.kernels.types import (
    CELLS,
    COMPARISONS,
    EXTENSIONS,
    OPERATIONS,
    PRIMITIVES,
    Signature,
    Value,
    signature_of,
)


def lower(source: str, *, exported: Iterable[str], declared: str = "") -> str:
    """The assembly of the functions in *source*; only those *exported* can be called from outside.

    *declared* holds headers of functions written elsewhere, as Python with ``...`` for a body.
    """
    tree = ast.parse(source)
    constants: dict[str, int] = {}
    for statement in tree.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=int() as value)):
                constants[name] = value
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    foreign = [node for node in ast.parse(declared).body if isinstance(node, ast.FunctionDef)]
    signatures = {node.name: signature_of(node) for node in [*functions, *foreign]}
    public = set(exported)
    return "\n".join(
        _Function(node, signatures, constants).text("" if node.name in public else "internal ")
        for node in functions
    )


class _Function:
    """One function on its way to assembly. Variables live in memory; LLVM moves them to registers."""

    def __init__(
        self, node: ast.FunctionDef, signatures: dict[str, Signature], constants: dict[str, int]
    ) -> None:
        self.node, self.signatures, self.constants = node, signatures, constants
        self.signature = signatures[node.name]
        self.slots: list[str] = []
        self.lines: list[str] = []
        self.variables: dict[str, str] = {}
        self.loops: list[tuple[str, str]] = []
        self.names = 0
        self.open = True

    def text(self, linkage: str) -> str:
        arguments = []
        for name, kind in self.signature.arguments:
            value = Value(f"%arg.{name}", kind)
            arguments.append(f"{value.type} {value.name}")
            self.assign(name, value)
        self.block(self.node.body)
        result = Value("", self.signature.result).type
        if self.open:
            self.emit("ret void" if result == "void" else "unreachable")
        body = "\n".join(["entry:", *self.slots, *self.lines])
        # A function with a loop is called, not copied into its callers: LLVM's time grows with the copies.
        loops = any(isinstance(node, ast.For | ast.While) for node in ast.walk(self.node))
        head = f"define {linkage}{result} @{self.node.name}({', '.join(arguments)}) #{int(loops)} {{"
        return f"{head}\n{body}\n}}\n"

    # pieces of text

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}.{self.names}"

    def emit(self, line: str) -> None:
        if self.open:
            self.lines.append(f"  {line}")

    def let(self, expression: str, kind: str = "int") -> Value:
        name = f"%{self.name('v')}"
        self.emit(f"{name} = {expression}")
        return Value(name, kind)

    def label(self, name: str) -> None:
        self.go(name)
        self.lines.append(f"{name}:")
        self.open = True

    def go(self, name: str) -> None:
        self.emit(f"br label %{name}")
        self.open = False

    def branch(self, condition: Value, then: str, otherwise: str) -> None:
        self.emit(f"br i1 {condition.name}, label %{then}, label %{otherwise}")
        self.open = False

    def place(self, label: str) -> None:
        """Begin a block that only jumps lead to."""
        self.lines.append(f"{label}:")
        self.open = True

    # statements

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                pass
            case ast.Expr(value=value):
                self.expression(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=sources)):
                values = [self.expression(source) for source in sources]
                for target, result in zip(targets, values, strict=True):
                    self.store(target, result)
            case ast.Assign(targets=[target], value=value):
                self.store(target, self.expression(value))
            case ast.AugAssign(target=target, op=op, value=value):
                old = self.expression(_as_load(target))
                self.store(target, self.arithmetic(op, old, self.number(value)))
            case ast.If():
                self.conditional(node)
            case ast.While(test=test, body=body):
                self.loop(lambda: self.condition(test), body, lambda: None)
            case ast.For():
                self.counted(node)
            case ast.Break():
                self.go(self.loops[-1][1])
            case ast.Continue():
                self.go(self.loops[-1][0])
            case ast.Return(value=None):
                self.emit("ret void")
                self.open = False
            case ast.Return(value=ast.expr() as value):
                result = self.expression(value)
                self.emit(f"ret {result.type} {result.name}")
                self.open = False
            case _:
                raise self.refused(node)

    def conditional(self, node: ast.If) -> None:
        then, otherwise, after = self.name("then"), self.name("else"), self.name("after")
        self.branch(self.condition(node.test), then, otherwise)
        self.place(then)
        self.block(node.body)
        self.go(after)
        self.place(otherwise)
        self.block(node.orelse)
        self.go(after)
        self.place(after)

    def loop(self, test: Callable[[], Value], body: list[ast.stmt], step: Callable[[], None]) -> None:
        head, inside = self.name("head"), self.name("body")
        latch, after = self.name("latch"), self.name("after")
        self.label(head)
        self.branch(test(), inside, after)
        self.place(inside)
        self.loops.append((latch, after))
        self.block(body)
        self.loops.pop()
        self.label(latch)
        step()
        self.go(head)
        self.place(after)

    def counted(self, node: ast.For) -> None:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args)):
                bounds = [self.number(argument) for argument in args]
            case _:
                raise self.refused(node)
        start = bounds[0] if len(bounds) > 1 else Value("0", "int")
        end = bounds[1] if len(bounds) > 1 else bounds[0]
        stride = bounds[2] if len(bounds) > 2 else Value("1", "int")
        self.assign(name, start)

        def test() -> Value:
            return self.let(f"icmp slt i64 {self.variable(name).name}, {end.name}", "bool")

        def step() -> None:
            self.assign(name, self.let(f"add i64 {self.variable(name).name}, {stride.name}"))

        self.loop(test, node.body, step)

    def store(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self.assign(name, self.as_number(value) if value.kind == "bool" else value)
            case ast.Subscript(value=base, slice=index):
                pointer, element = self.element(base, index)
                number = self.as_number(value)
                if element != "i64":
                    number = self.let(f"trunc i64 {number.name} to {element}")
                self.emit(f"store {element} {number.name}, ptr {pointer}")
            case _:
                raise self.refused(target)

    def assign(self, name: str, value: Value) -> None:
        kind = self.variables.setdefault(name, value.kind)
        if kind != value.kind:
            raise UsageError(f"{self.node.name}: {name} is {kind} and {value.kind}")
        slot = f"  %var.{name} = alloca {value.type}"
        if slot not in self.slots:
            self.slots.append(slot)
        self.emit(f"store {value.type} {value.name}, ptr %var.{name}")

    def variable(self, name: str) -> Value:
        kind = self.variables.get(name)
        if kind is None:
            raise UsageError(f"{self.node.name}: {name} is not known")
        return self.let(f"load {Value('', kind).type}, ptr %var.{name}", kind)

    # expressions

    def number(self, node: ast.expr) -> Value:
        return self.as_number(self.expression(node))

    def as_number(self, value: Value) -> Value:
        if value.kind == "bool":
            return self.let(f"zext i1 {value.name} to i64")
        if value.kind != "int":
            raise UsageError(f"{self.node.name}: a number is wanted, not {value.kind}")
        return value

    def condition(self, node: ast.expr) -> Value:
        value = self.expression(node)
        return value if value.kind == "bool" else self.let(f"icmp ne i64 {value.name}, 0", "bool")

    def expression(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as value):
                return Value(str(int(value)), "bool")
            case ast.Constant(value=int() as value):
                return Value(str(value - (1 << 64) if value >= 1 << 63 else value), "int")
            case ast.Name(id=name):
                if name in self.constants:
                    return self.expression(ast.Constant(self.constants[name]))
                return self.variable(name)
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(op, self.number(left), self.number(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.let(f"sub i64 0, {self.number(operand).name}")
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self.let(f"xor i64 {self.number(operand).name}, -1")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.let(f"xor i1 {self.condition(operand).name}, true", "bool")
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self.number(left), self.number(right)
                return self.let(f"icmp {COMPARISONS[type(op)]} i64 {a.name}, {b.name}", "bool")
            case ast.BoolOp():
                return self.connected(node)
            case ast.IfExp(test=test, body=then, orelse=otherwise):
                return self.chosen(test, then, otherwise)
            case ast.Subscript(value=base, slice=index):
                pointer, element = self.element(base, index)
                loaded = self.let(f"load {element}, ptr {pointer}")
                if element == "i64":
                    return loaded
                return self.let(f"{EXTENSIONS[element]} {element} {loaded.name} to i64")
            case ast.Call():
                return self.call(node)
        raise self.refused(node)

    def arithmetic(self, op: ast.operator, a: Value, b: Value) -> Value:
        return self.let(f"{OPERATIONS[type(op)]} i64 {self.as_number(a).name}, {b.name}")

    def connected(self, node: ast.BoolOp) -> Value:
        """`and` and `or` look at their right side only if the left does not decide."""
        slot = f"%{self.name('flag')}"
        self.slots.append(f"  {slot} = alloca i1")
        after = self.name("decided")
        for operand in node.values:
            value = self.condition(operand)
            self.emit(f"store i1 {value.name}, ptr {slot}")
            more = self.name("more")
            then, otherwise = (more, after) if isinstance(node.op, ast.And) else (after, more)
            self.branch(value, then, otherwise)
            self.place(more)
        self.label(after)
        return self.let(f"load i1, ptr {slot}", "bool")

    def chosen(self, test: ast.expr, then: ast.expr, otherwise: ast.expr) -> Value:
        slot = f"%{self.name('choice')}"
        self.slots.append(f"  {slot} = alloca i64")
        first, second, after = self.name("then"), self.name("else"), self.name("after")
        self.branch(self.condition(test), first, second)
        for label, side in ((first, then), (second, otherwise)):
            self.place(label)
            self.emit(f"store i64 {self.number(side).name}, ptr {slot}")
            self.go(after)
        self.place(after)
        return self.let(f"load i64, ptr {slot}")

    def element(self, base: ast.expr, index: ast.expr) -> tuple[str, str]:
        """The address of an element, and its type in memory."""
        pointer = self.expression(base)
        if pointer.kind not in CELLS:
            raise self.refused(base)
        element = CELLS[pointer.kind]
        at = self.number(index)
        return self.let(f"getelementptr {element}, ptr {pointer.name}, i64 {at.name}").name, element

    def call(self, node: ast.Call) -> Value:
        match node:
            case ast.Call(func=ast.Attribute(value=base, attr="at"), args=[index]):
                pointer, _ = self.element(base, index)
                return Value(pointer, self.expression(base).kind)
            case ast.Call(func=ast.Name(id=name), args=args):
                values = [self.expression(argument) for argument in args]
            case _:
                raise self.refused(node)
        if name in CELLS:
            return self.let(f"inttoptr i64 {values[0].name} to ptr", name)
        if name == "as_numbers":
            return Value(values[0].name, "Numbers")
        if name in ("min", "max"):
            a, b = (self.as_number(value).name for value in values)
            return self.let(f"call i64 @llvm.s{name}.i64(i64 {a}, i64 {b})")
        if name in PRIMITIVES:
            return self.let("call " + PRIMITIVES[name].format(*(value.name for value in values)))
        signature = self.signatures.get(name)
        if signature is None:
            raise self.refused(node)
        given = [self.as_number(value) if value.kind == "bool" else value for value in values]
        if [value.kind for value in given] != [kind for _, kind in signature.arguments]:
            raise UsageError(f"{self.node.name}: {name} is called with {[value.kind for value in given]}")
        arguments = ", ".join(f"{value.type} {value.name}" for value in given)
        result = Value("", signature.result)
        if result.type == "void":
            self.emit(f"call void @{name}({arguments})")
            return result
        return self.let(f"call {result.type} @{name}({arguments})", signature.result)

    def refused(self, node: ast.AST) -> UsageError:
        return UsageError(f"{self.node.name}: this cannot be translated: {ast.unparse(node)}")


def _as_load(target: ast.expr) -> ast.expr:
    """The same place, to be read instead of written."""
    return ast.parse(ast.unparse(target), mode="eval").body
