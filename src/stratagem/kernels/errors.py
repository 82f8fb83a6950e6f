"""Errors in the source of a kernel, with their places."""

from __future__ import annotations

import ast
from pathlib import Path

from stratagem.errors import UsageError


class KernelError(UsageError):
    """A kernel that cannot be translated: the file, the line, the expression, and why."""


def fault(file: str, line: int, node: ast.AST | None, reason: str, *, hint: str | None = None) -> KernelError:
    """The error for *node*, which stands in *line* of *file*."""
    shown = "" if node is None else f" {_text(node)}:"
    return KernelError(f"{Path(file).name}:{line}:{shown} {reason}", hint=hint)


def _text(node: ast.AST) -> str:
    text = ast.unparse(node).splitlines()[0]
    return text if len(text) <= 60 else f"{text[:57]}..."
