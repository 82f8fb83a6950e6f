"""LLVM: assembly text in, object code out, addresses of functions in memory.

`compile_object` is the expensive half and returns plain bytes that `cache` keeps on disk; `LoadedCode` is the cheap half
and owns the engine: the code lives as long as this object.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from stratagem.errors import BrokenFile, UnsuitableGame
from stratagem.native.emit.text import VectorShape

_ready = threading.Lock()


@dataclass(frozen=True, slots=True)
class Host:
    """The machine that code is made for."""

    cpu: str
    features: str
    triple: str
    compiler: str

    @property
    def ternary(self) -> bool:
        """Whether one instruction computes any function of three rows of 256 or 512 bits."""
        flags = self.features.split(",")
        return "+avx512f" in flags and "+avx512vl" in flags


@cache
def host() -> Host:
    """This machine."""
    with _ready:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    version = ".".join(map(str, llvm.llvm_version_info))
    return Host(
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        llvm.get_process_triple(),
        f"llvmlite {llvmlite.__version__}, LLVM {version}",
    )


def host_shape(words: int) -> VectorShape:
    """Code for rows of *words* words on this machine."""
    return VectorShape(words, host().ternary and words in (4, 8))


def _machine(level: int) -> llvm.TargetMachine:
    here = host()
    target = llvm.Target.from_triple(here.triple)
    return target.create_target_machine(
        cpu=here.cpu, features=here.features, opt=level, reloc="pic", codemodel="jitdefault"
    )


def compile_object(assembly: str, level: int) -> bytes:
    """The object code of a module; *level* is LLVM's, from 0 (fast to compile) to 3."""
    machine = _machine(level)
    try:
        module = llvm.parse_assembly(assembly)
        module.verify()
    except RuntimeError as failure:
        raise UnsuitableGame(f"LLVM rejects the generated code: {failure}") from failure
    code: bytes = machine.emit_object(module)
    return code


def compile_optimised(assembly: str, level: int = 3) -> bytes:
    """The object code of a module after all of LLVM's optimisations, not only those of its code generator."""
    machine = _machine(level)
    try:
        module = llvm.parse_assembly(assembly)
        module.verify()
    except RuntimeError as failure:
        raise UnsuitableGame(f"LLVM rejects the generated code: {failure}") from failure
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    code: bytes = machine.emit_object(module)
    return code


class LoadedCode:
    """Machine code in memory. Owns the LLVM engine: addresses are valid as long as this object lives."""

    def __init__(self, code: bytes, names: Sequence[str]) -> None:
        empty = llvm.parse_assembly("")
        self._engine = llvm.create_mcjit_compiler(empty, _machine(0))
        try:
            parsed = llvm.ObjectFileRef.from_data(code)
            self.text_bytes = sum(section.size() for section in parsed.sections() if section.is_text())
            """The size of the code."""
            self._engine.add_object_file(parsed)
        except RuntimeError as failure:
            raise BrokenFile("this is not object code", hint="delete it from the cache") from failure
        self._engine.finalize_object()
        self.addresses: dict[str, int] = {name: self._engine.get_function_address(name) for name in names}
        missing = [name for name, address in self.addresses.items() if not address]
        if missing:
            raise BrokenFile(f"the object code lacks {', '.join(missing)}", hint="delete it from the cache")

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]

    def sizes(self) -> list[int]:
        """The bytes from each function to the next one in memory, where all functions of the code are named."""
        starts = sorted(self.addresses.values())
        ends = dict(zip(starts, [*starts[1:], starts[0] + self.text_bytes], strict=True))
        return [ends[start] - start for start in self.addresses.values()]
