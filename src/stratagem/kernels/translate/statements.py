"""Statements of a kernel as blocks of instructions, and a whole kernel as a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from stratagem.kernels.language.elements import Element
from stratagem.kernels.translate.arithmetic import computed
from stratagem.kernels.translate.calls import passed
from stratagem.kernels.translate.code import FunctionText
from stratagem.kernels.translate.expressions import Expressions
from stratagem.kernels.translate.scope import Scope
from stratagem.kernels.translate.types import BOOL, INT, NOTHING, Number, Operand, Reference, Several, Type


def translated(scope: Scope, *, exported: bool) -> str:
    """The assembly of one kernel."""
    return _KernelBody(scope).text(exported)


class _KernelBody:
    """The statements of one kernel."""

    def __init__(self, scope: Scope) -> None:
        self.scope, self.code = scope, FunctionText()
        self.expressions = Expressions(self.code, scope)
        self.signature = scope.signature()
        self.loops: list[tuple[str, str]] = []

    def text(self, exported: bool) -> str:
        arguments = []
        for name, kind in self.signature.parameters:
            arguments.append(f"{_declared(kind)} %arg.{name}")
            self.assign(name, Operand(f"%arg.{name}", kind), self.scope.tree)
        self.block(self.scope.tree.body)
        result = self.signature.result
        if self.code.open:
            self.code.leave("ret void" if result is NOTHING else "unreachable")
        body = "\n".join(["entry:", *self.code.slots, *self.code.lines])
        linkage = "" if exported else "internal "
        group = "#0" if exported else {None: "#0", True: "#1", False: "#2"}[self.scope.kernel.inline]
        returned = "zeroext i1" if result is BOOL else result.llvm
        head = f'define {linkage}{returned} @"{self.scope.kernel.symbol}"({", ".join(arguments)}) {group} {{'
        return f"{head}\n{body}\n}}\n"

    def block(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            if self.code.open:
                self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass() | ast.Assert():
                pass
            case ast.Expr(value=ast.Call() as value):
                self.expressions.value(value)
            case ast.Assign(targets=targets, value=value):
                self.assignment(targets, value)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
                kind = self.scope.annotation(annotation)
                self.assign(name, self.expressions.typed(value, kind), node)
            case ast.AugAssign(target=target, op=op, value=value):
                self.change(target, op, value)
            case ast.If(test=test, body=then, orelse=otherwise):
                self.conditional(test, then, otherwise)
            case ast.While(test=test, body=body, orelse=[]):
                self.repeat(test, body)
            case ast.For(target=ast.Name(id=name), orelse=[]):
                self.counted(name, node)
            case ast.Break():
                self.code.go(self.loops[-1][1])
            case ast.Continue():
                self.code.go(self.loops[-1][0])
            case ast.Return(value=value):
                self.leave(node, value)
            case _:
                raise self.expressions.refused(node)

    # loops and branches

    def conditional(self, test: ast.expr, then: list[ast.stmt], otherwise: list[ast.stmt]) -> None:
        code = self.code
        first, second, after = code.name("then"), code.name("else"), code.name("after")
        code.branch(self.expressions.condition(test), first, second)
        code.place(first)
        self.block(then)
        code.go(after)
        code.place(second)
        self.block(otherwise)
        code.go(after)
        code.place(after)

    def repeat(self, test: ast.expr, body: list[ast.stmt]) -> None:
        if isinstance(test, ast.Constant) and test.value is True:
            self.loop(None, body)
            if not _leaves(body):
                self.code.leave("unreachable")
        else:
            self.loop(lambda: self.expressions.condition(test), body)

    def loop(
        self,
        test: Callable[[], str] | None,
        body: list[ast.stmt],
        *,
        enter: Callable[[], None] = lambda: None,
        step: Callable[[], None] = lambda: None,
    ) -> None:
        """A loop that runs while *test* holds, does *enter* before its body and *step* after it."""
        code = self.code
        head, inside, latch, after = (code.name(stem) for stem in ("head", "body", "latch", "after"))
        code.label(head)
        if test is None:
            code.go(inside)
        else:
            code.branch(test(), inside, after)
        code.place(inside)
        self.loops.append((latch, after))
        enter()
        self.block(body)
        self.loops.pop()
        code.label(latch)
        step()
        code.go(head)
        code.place(after)

    def counted(self, name: str, node: ast.For) -> None:
        """``for name in range(...)``: the bounds are looked at once, and the variable may be changed inside."""
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=args) if 1 <= len(args) <= 3:
                values = [self.expressions.typed(argument, INT).text for argument in args]
            case _:
                raise self.scope.fault(node.iter, "a loop runs over range(...)")
        start, end = ("0", values[0]) if len(values) == 1 else values[:2]
        step = values[2] if len(values) == 3 else "1"
        if step == "0":
            raise self.scope.fault(node.iter, "the step of a range is not 0")
        code, counter = self.code, self.code.slot("i64")
        code.emit(f"store i64 {start}, ptr {counter}")

        def now() -> str:
            return code.let(f"load i64, ptr {counter}")

        def test() -> str:
            return self._before(now(), end, step)

        def follow() -> None:
            code.emit(f"store i64 {code.let(f'add nsw i64 {now()}, {step}')}, ptr {counter}")

        self.loop(test, node.body, enter=lambda: self.assign(name, Operand(now(), INT), node), step=follow)

    def _before(self, place: str, end: str, step: str) -> str:
        """Whether a counter has not reached its end yet; which side that is depends on the sign of the step."""
        code = self.code
        if not step.startswith("%"):
            return code.let(f"icmp {'slt' if int(step) > 0 else 'sgt'} i64 {place}, {end}")
        rising = code.let(f"icmp sgt i64 {step}, 0")
        below, above = (code.let(f"icmp {test} i64 {place}, {end}") for test in ("slt", "sgt"))
        return code.let(f"select i1 {rising}, i1 {below}, i1 {above}")

    def leave(self, node: ast.Return, value: ast.expr | None) -> None:
        wanted = self.signature.result
        if value is None or wanted is NOTHING:
            if value is not None or wanted is not NOTHING:
                raise self.scope.fault(node, f"{wanted} is to be returned here")
            self.code.leave("ret void")
            return
        if isinstance(wanted, Several) and isinstance(value, ast.Tuple):
            result = self.together(value, wanted)
        else:
            result = self.expressions.typed(value, wanted)
        self.code.leave(f"ret {wanted.llvm} {result.text}")

    def together(self, node: ast.Tuple, wanted: Several) -> Operand:
        if len(node.elts) != len(wanted.items):
            raise self.scope.fault(node, f"{len(wanted.items)} values are to be returned here")
        values = [
            self.expressions.typed(each, kind) for each, kind in zip(node.elts, wanted.items, strict=True)
        ]
        made = "poison"
        for number, value in enumerate(values):
            made = self.code.let(
                f"insertvalue {wanted.llvm} {made}, {value.type.llvm} {value.text}, {number}"
            )
        return Operand(made, wanted)

    # assignments

    def assignment(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        match targets:
            case [ast.Tuple(elts=places)]:
                self.unpack(places, value)
            case _:
                result = self.expressions.value(value)
                for target in targets:
                    self.store(target, result, value)

    def unpack(self, places: Sequence[ast.expr], value: ast.expr) -> None:
        if isinstance(value, ast.Tuple):
            values = [self.expressions.value(each) for each in value.elts]
        else:
            found = self.expressions.value(value)
            if not isinstance(found.type, Several):
                raise self.scope.fault(value, f"{found.type} cannot be taken apart")
            values = [
                Operand(self.code.let(f"extractvalue {found.type.llvm} {found.text}, {number}"), kind)
                for number, kind in enumerate(found.type.items)
            ]
        if len(values) != len(places):
            raise self.scope.fault(value, f"{len(values)} values for {len(places)} names")
        for place, each in zip(places, values, strict=True):
            self.store(place, each, value)

    def store(self, target: ast.expr, value: Operand, source: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                self.assign(name, value, source)
            case ast.Subscript() | ast.Attribute():
                self.write(*self.writable(target), value, source)
            case _:
                raise self.expressions.refused(target)

    def write(self, pointer: str, element: Element, value: Operand, source: ast.expr) -> None:
        text = self.expressions.to_memory(source, value, element)
        self.code.emit(f"store {element.llvm} {text}, ptr {pointer}")

    def writable(self, target: ast.Subscript | ast.Attribute) -> tuple[str, Element]:
        """The address of an element or a field, and its type."""
        if isinstance(target, ast.Subscript):
            index = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
            return self.expressions.element(target.value, index)
        owner = self.expressions.value(target.value)
        field = self.expressions.field(owner, target)
        if field.fixed:
            raise self.scope.fault(target, "pointers and sizes of a record are changed by Python alone")
        return self.expressions.place(owner, field), field.memory

    def change(self, target: ast.expr, op: ast.operator, value: ast.expr) -> None:
        """``target op= value``: the place is looked up once."""
        expressions = self.expressions
        if isinstance(target, ast.Name):
            if target.id not in self.scope.variables:
                raise self.scope.fault(target, "this name is not known here")
            old = expressions.value(ast.copy_location(ast.Name(target.id), target))
            with expressions.located(target):
                self.assign(target.id, computed(self.code, op, old, expressions.value(value)), value)
        elif isinstance(target, ast.Subscript | ast.Attribute):
            pointer, element = self.writable(target)
            old = expressions.load(pointer, element)
            with expressions.located(target):
                self.write(pointer, element, computed(self.code, op, old, expressions.value(value)), value)
        else:
            raise expressions.refused(target)

    def assign(self, name: str, value: Operand, node: ast.AST) -> None:
        with self.expressions.located(node):
            slot, kind = self.variable(name, value, node)
            if isinstance(kind, Number):
                value = self.expressions.fitted(value, kind, _named(name, node))
            elif kind != value.type:
                raise self.scope.fault(node, f"{name} is {kind}, and becomes {value.type} here")
            self.code.emit(f"store {kind.llvm} {value.text}, ptr {slot}")

    def variable(self, name: str, value: Operand, node: ast.AST) -> tuple[str, Type]:
        if name not in self.scope.variables:
            if value.type is NOTHING or isinstance(value.type, Several):
                raise self.scope.fault(node, f"{value.type} is not a value for a name")
            zero = {"i1": "false", "ptr": "null", "i64": "0"}.get(value.type.llvm, "0.0")
            self.scope.variables[name] = (self.code.slot(value.type.llvm, zero=zero), value.type)
        return self.scope.variables[name]


def _declared(kind: Type) -> str:
    """How a parameter is declared; that a record can be read lets LLVM load its header before a loop."""
    if isinstance(kind, Reference):
        return f"ptr nonnull align 8 dereferenceable({kind.layout.bytes})"
    return passed(kind)


def _named(name: str, node: ast.AST) -> ast.expr:
    """The node to show when a value does not fit a variable."""
    return node if isinstance(node, ast.expr) else ast.copy_location(ast.Name(name), node)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    """Whether a loop has a break of its own."""
    for statement in body:
        if isinstance(statement, ast.Break):
            return True
        if isinstance(statement, ast.If) and (_leaves(statement.body) or _leaves(statement.orelse)):
            return True
    return False
