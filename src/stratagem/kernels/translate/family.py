"""Families: kernels that are compiled together, with all that they call."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from enum import EnumType
from pathlib import Path
from types import ModuleType
from typing import Any, Final, get_args

from stratagem.kernels.language.functions import KernelFunction
from stratagem.kernels.language.records import Record, layout_of
from stratagem.kernels.translate.calls import DECLARATIONS
from stratagem.kernels.translate.scope import Scope
from stratagem.kernels.translate.statements import translated
from stratagem.kernels.translate.types import evaluated

ATTRIBUTES: Final = """
attributes #0 = { nounwind }
attributes #1 = { nounwind alwaysinline }
attributes #2 = { nounwind noinline }
!0 = !{!"kernels"}
!1 = !{!"header", !0, i64 0}
!2 = !{!1, !1, i64 0, i64 1}
"""


@dataclass(frozen=True, slots=True)
class KernelFamily:
    """Kernels that Python calls, under a name; those that they call come along."""

    name: str
    kernels: tuple[KernelFunction[..., Any], ...]

    def assembly(self) -> str:
        """LLVM assembly of the whole family."""
        texts: dict[str, str] = {}
        waiting: list[KernelFunction[..., Any]] = list(self.kernels)
        while waiting:
            kernel = waiting.pop()
            if kernel.symbol not in texts:
                texts[kernel.symbol] = ""
                exported = any(kernel is each for each in self.kernels)
                texts[kernel.symbol] = (
                    translated(Scope(kernel, waiting.append), exported=exported)
                    if kernel.emit is None
                    else kernel.emit(kernel.symbol)
                )
        return DECLARATIONS + "\n".join(texts.values()) + ATTRIBUTES

    def fingerprint(self) -> str:
        """A hash of all that the assembly depends on, sooner than the assembly: sources, layouts, and constants."""
        files: set[str] = set()
        digest = hashlib.sha256()
        for kernel in self.members():
            function = kernel.function
            files.add(inspect.getfile(function))
            names = {name: function.__globals__.get(name) for name in function.__code__.co_names}
            for name, known in names.items():
                if isinstance(known, int | float):
                    digest.update(f"{name} = {known!r}\n".encode())
                elif isinstance(known, ModuleType | EnumType):
                    files.add(inspect.getfile(known))
            for annotation in function.__annotations__.values():
                digest.update(_described(evaluated(annotation, function.__globals__)).encode())
        for file in sorted(files):
            path = Path(file)
            digest.update(path.read_bytes() if path.is_file() else self.assembly().encode())
        return digest.hexdigest()

    def members(self) -> Iterator[KernelFunction[..., Any]]:
        """All kernels of the family, found by the names that they use."""
        found: set[str] = set()
        waiting: list[KernelFunction[..., Any]] = list(self.kernels)
        while waiting:
            kernel = waiting.pop()
            if kernel.symbol in found:
                continue
            found.add(kernel.symbol)
            yield kernel
            known = [kernel.function.__globals__.get(name) for name in kernel.function.__code__.co_names]
            waiting += [each for each in known if isinstance(each, KernelFunction)]


def _described(annotation: object) -> str:
    """A type with the layouts of all records in it."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        layout = layout_of(annotation)
        return f"{layout}\n" + "".join(_described(field.kind) for field in layout.fields.values())
    inner = [part for each in get_args(annotation) for part in (each if isinstance(each, tuple) else (each,))]
    return f"{annotation}\n" + "".join(map(_described, inner))
