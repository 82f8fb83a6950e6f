"""PTX: kernels in NVIDIA's portable assembly, made by LLVM and kept on disk like object code.

No CUDA toolkit is needed: LLVM writes the text, the driver of the GPU assembles it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from stratagem.cache import entry_name, source_digest, user_cache
from stratagem.errors import UnsuitableGame
from stratagem.native.gpu.thread_code import TRIPLE

OLDEST = 70
"""The oldest architecture that code is made for: from Volta (compute capability 7.0) on every thread runs on its own."""
NEWEST = 90
"""The newest one whose PTX is asked for; newer GPUs run it too."""


MOST_LINES = 45_000
"""A driver assembles a text of so many lines within ten seconds."""


def too_long(assembly: str) -> bool:
    """Whether a driver would assemble a module for longer than anybody waits for: its gates are then interpreted."""
    return assembly.count("\n") > MOST_LINES


def ptx(what: str, architecture: int, assembly: Callable[[], str], *, optimised: bool = False) -> bytes:
    """The PTX for *what*, from disk or freshly made from *assembly*.

    *what* must say everything that the assembly depends on, apart from this version of the package. *optimised*: by all
    of LLVM's passes, as kernels in the kernel language need it.
    """
    target = f"sm_{min(architecture, NEWEST)}"
    cache = user_cache().part("native")
    name = entry_name("ptx", what, target, _compiler(), source_digest("circuit", "kernels", "native"))
    code = cache.read(name)
    if code is None:
        code = compile_ptx(assembly(), target, optimised=optimised)
        cache.write(name, code)
    return code


@cache
def _compiler() -> str:
    import llvmlite
    import llvmlite.binding as llvm

    return f"llvmlite {llvmlite.__version__}, LLVM {llvm.llvm_version_info}"


@cache
def _target() -> object:
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    return llvm.Target.from_triple(TRIPLE)


def compile_ptx(assembly: str, target: str, *, optimised: bool = False) -> bytes:
    """The PTX of a module for a *target* such as ``sm_90``."""
    import llvmlite.binding as llvm

    machine = _target().create_target_machine(cpu=target, opt=2)  # type: ignore[attr-defined]
    try:
        module = llvm.parse_assembly(assembly)
        module.verify()
    except RuntimeError as failure:
        raise UnsuitableGame(f"LLVM rejects the generated code: {failure}") from failure
    level = 2 if optimised else 0
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=level))
    manager = passes.getModulePassManager() if optimised else llvm.create_new_module_pass_manager()
    # Variables become values; more would undo the order in which rows are loaded again rather than kept.
    if not optimised:
        manager.add_always_inliner_pass()
        manager.add_sroa_pass()
        manager.add_simplify_cfg_pass()
        manager.add_aggressive_dce_pass()
    manager.run(module, passes)
    text: str = machine.emit_assembly(module)
    return text.encode()
