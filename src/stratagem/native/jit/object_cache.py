"""The cache of object code on disk: what was compiled once is loaded in a millisecond the next time.

An entry is named by a fingerprint of everything that its code depends on: the circuit, what was asked for, the
processor, the compiler and the source of the code generator itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from stratagem.cache import entry_name, source_digest, user_cache
from stratagem.circuit.circuit import Circuit

if TYPE_CHECKING:
    from numpy.typing import NDArray


def circuit_fingerprint(circuit: Circuit) -> str:
    """A fingerprint of the gates and of what they mean to the code; names do not matter."""
    digest = hashlib.sha256()
    counts = [len(circuit.bases), *map(len, circuit.moves)]
    digest.update(repr((counts, circuit.loops, circuit.terminal, circuit.goals)).encode())
    arrays: list[NDArray[Any]] = [
        circuit.operations,
        circuit.left,
        circuit.right,
        circuit.initial,
        circuit.next,
    ]
    for array in [*arrays, *circuit.legal]:
        digest.update(array.tobytes())
    return digest.hexdigest()


def compiled(what: str, level: int, assembly: Callable[[], str]) -> bytes:
    """The object code for *what*, from disk or freshly compiled from *assembly*.

    *what* must say everything that the assembly depends on, apart from this machine and this version of the package.
    """
    from stratagem.native.jit.llvm import compile_object

    code = stored(what, level)
    if code is None:
        code = compile_object(assembly(), level)
        store(what, level, code)
    return code


def stored(what: str, level: int) -> bytes | None:
    """The object code for *what*, if it is on disk."""
    return user_cache().part("native").read(name_of(what, level))


def store(what: str, level: int, code: bytes) -> None:
    """Keeps the object *code* for *what*, where the disk allows it."""
    user_cache().part("native").write(name_of(what, level), code)


def name_of(what: str, level: int) -> str:
    """The name of the entry for *what*."""
    from stratagem.native.jit.llvm import host

    generator = source_digest("circuit", "kernels", "native")
    return entry_name("o", what, str(level), str(host()), generator)
