"""Object code on disk: what was compiled once is loaded in a millisecond the next time.

A file is named by a fingerprint of everything that its code depends on: the circuit, what was asked for, the
processor, the compiler and the source of the code generator itself. It carries a checksum; a damaged or foreign file
counts as not there. Files are written under another name and renamed, so that two processes may write at once, and
may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stratagem.circuit.circuit import Circuit

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAGIC = b"stratagem object 1\n"
DIGEST = 32
FILES_KEPT = 4000
"""More files than this, and the oldest half is removed."""


def cache_directory() -> Path:
    """The user's cache directory for Stratagem; STRATAGEM_CACHE names another."""
    chosen = os.environ.get("STRATAGEM_CACHE")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("stratagem", appauthor=False)


@cache
def generator_fingerprint() -> str:
    """A fingerprint of the code generator: another version of it writes other files."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


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
    from stratagem.native.jit import compile_object

    path = place(what, level)
    code = read(path)
    if code is None:
        code = compile_object(assembly(), level)
        write(path, code)
    return code


def stored(what: str, level: int) -> bytes | None:
    """The object code for *what*, if it is on disk."""
    return read(place(what, level))


def place(what: str, level: int) -> Path:
    """Where the object code for *what* is kept."""
    from stratagem.native.jit import host

    key = hashlib.sha256(f"{what}\n{level}\n{host()}\n{generator_fingerprint()}".encode()).hexdigest()
    return cache_directory() / "native" / key[:2] / f"{key[2:]}.o"


def read(path: Path) -> bytes | None:
    """What `write` wrote to *path*, or None if it is not there or not whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    head = len(MAGIC) + DIGEST
    code = content[head:]
    if content[: len(MAGIC)] != MAGIC or content[len(MAGIC) : head] != hashlib.sha256(code).digest():
        return None
    return code


def write(path: Path, code: bytes) -> None:
    """Keep *code* at *path*; a disk that cannot take it is no error, the next run compiles again."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(MAGIC + hashlib.sha256(code).digest() + code)
        os.replace(temporary, path)
        prune(path.parent.parent)
    except OSError:
        return


def prune(directory: Path) -> None:
    """Remove the oldest half of the files when there are too many."""
    shelves = [shelf for shelf in directory.iterdir() if shelf.is_dir()]
    # Fingerprints are spread evenly, so one shelf tells how full all are.
    if not shelves or sum(1 for _ in shelves[0].iterdir()) * 256 <= 4 * FILES_KEPT:
        return
    files = sorted((path for shelf in shelves for path in shelf.glob("*")), key=_age)
    if len(files) > FILES_KEPT:
        for path in files[: len(files) // 2]:
            path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
