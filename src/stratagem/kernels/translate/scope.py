"""What the names in a kernel stand for: variables, and whatever its module knows."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final

from stratagem.kernels.errors import KernelError, fault
from stratagem.kernels.language.functions import KernelFunction
from stratagem.kernels.translate.types import Type, evaluated, type_of

MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class KernelSignature:
    """What a kernel takes and returns."""

    parameters: tuple[tuple[str, Type], ...]
    result: Type


class Scope:
    """The names of one kernel. *use* is told of every other kernel that it calls."""

    def __init__(
        self, kernel: KernelFunction[Any, Any], use: Callable[[KernelFunction[Any, Any]], None]
    ) -> None:
        self.kernel, self.use = kernel, use
        self.names = kernel.function.__globals__
        self.file, self.first, self.tree = _source(kernel.function)
        self.variables: dict[str, tuple[str, Type]] = {}

    def fault(self, node: ast.AST, reason: str, *, hint: str | None = None) -> KernelError:
        line = self.first + getattr(node, "lineno", 1) - 1
        return fault(self.file, line, node, reason, hint=hint)

    def signature(self) -> KernelSignature:
        """The types of the parameters and of the result."""
        arguments = self.tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            raise self.fault(arguments, "a kernel has plain parameters, without defaults")
        parameters = tuple((each.arg, self._annotated(each, each.annotation)) for each in arguments.args)
        return KernelSignature(parameters, self._annotated(None, self.tree.returns))

    def _annotated(self, parameter: ast.arg | None, annotation: ast.expr | None) -> Type:
        where = f"the parameter {parameter.arg}" if parameter is not None else "the result"
        node: ast.AST = parameter or annotation or ast.Name(self.tree.name, lineno=1)
        if annotation is None:
            raise self.fault(node, f"{where} of {self.tree.name} has no type", hint="annotate it")
        return self.annotation(annotation)

    def annotation(self, node: ast.expr) -> Type:
        text = (
            node.value
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            else ast.unparse(node)
        )
        try:
            kind = type_of(evaluated(text, self.names))
        except (NameError, TypeError, AttributeError) as failure:
            raise self.fault(node, f"this type is not known here ({failure})") from None
        if kind is None:
            raise self.fault(
                node,
                "this is not a type of the kernel language",
                hint="use int, uint64, float, Array[...] or a record",
            )
        return kind

    def known(self, node: ast.expr) -> object:
        """The object that a name, or an attribute of a module or class, stands for; MISSING where there is none."""
        match node:
            case ast.Name(id=name) if name not in self.variables:
                return self.names.get(name, getattr(builtins, name, MISSING))
            case ast.Attribute(value=base, attr=name):
                owner = self.known(base)
                if isinstance(owner, ModuleType | type):
                    return getattr(owner, name, MISSING)
        return MISSING


@cache
def _source(function: Callable[..., Any]) -> tuple[str, int, ast.FunctionDef]:
    """The file of a function, its first line, and its tree."""
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    lines, first = inspect.getsourcelines(function)
    (tree,) = ast.parse(textwrap.dedent("".join(lines))).body
    if not isinstance(tree, ast.FunctionDef):
        raise fault(file, first, None, f"{function.__name__} is not a plain function")
    return file, first, tree
