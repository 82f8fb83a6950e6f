"""Check mode: memory in which native code cannot go astray unnoticed.

A buffer of `Guarded` ends exactly at a page that may be neither read nor written, and so does the page before it: code
that leaves its bounds is stopped by the processor. Everything inside starts as *poison*; code that reads scratch before
writing it gives another result for another poison, so `same_for_all_poisons` runs twice and compares. A stray access
kills the process: whoever checks does it in a child process.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from stratagem.errors import StratagemError

if TYPE_CHECKING:
    from numpy.typing import NDArray

POISONS: Final = (0x0000000000000000, 0xAAAAAAAAAAAAAAAA, 0x0F1E2D3C4B5A6978, 0xFFFFFFFFFFFFFFFF)
MARGIN: Final = 0xC5
"""What fills the rest of the first page, before the buffer."""
_NONE: Final = 0

Result = TypeVar("Result")


class UncheckedAccess(StratagemError):
    """Native code touched memory that is not its own, or let scratch leak into its result."""


class Guarded:
    """Rows of words between two forbidden pages. *rows* is the array; `verify` looks at the margin before it."""

    def __init__(self, rows: int, words: int, poison: int) -> None:
        page = mmap.PAGESIZE
        size = 8 * rows * words
        inside = -(-size // page) * page
        self._map = mmap.mmap(-1, inside + 2 * page)
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        whole = np.frombuffer(self._map, np.uint8)
        self.margin: NDArray[np.uint8] = whole[page : page + inside - size]
        self.margin[:] = MARGIN
        self.rows: NDArray[np.uint64] = (
            whole[page + inside - size : page + inside].view(np.uint64).reshape(rows, words)
        )
        self.rows[:] = np.uint64(poison)
        protect(self._start, page)
        protect(self._start + page + inside, page)

    def verify(self, what: str) -> None:
        """Raise if something was written just before the buffer."""
        if not bool((self.margin == MARGIN).all()):
            raise UncheckedAccess(f"{what} was written to before its first row")


NEW: Final = frozenset(
    {"array", "concatenate", "empty", "empty_like", "full", "full_like", "zeros", "zeros_like"}
)
"""What makes new arrays."""


class GuardedNumpy:
    """numpy, but new arrays end at a forbidden page, and what `empty` leaves open is *poison*."""

    def __init__(self, poison: int) -> None:
        self._poison = poison

    def __getattr__(self, name: str) -> Any:
        made = getattr(np, name)
        if name not in NEW:
            return made

        def guarded(*arguments: Any, **options: Any) -> NDArray[Any]:
            return self._moved(made(*arguments, **options), is_open=name.startswith("empty"))

        return guarded

    def _moved(self, values: NDArray[Any], *, is_open: bool) -> NDArray[Any]:
        if not values.nbytes or values.dtype.hasobject:
            return values
        room = Guarded(1, -(-values.nbytes // 8), self._poison).rows.reshape(-1).view(np.uint8)
        moved = room[-values.nbytes :].view(values.dtype).reshape(values.shape)
        if not is_open:
            moved[...] = values
        return moved


@contextmanager
def guarded_allocations(poison: int, *packages: str) -> Iterator[None]:
    """New arrays of the modules of *packages* lie between forbidden pages, as long as this lasts."""
    modules = [each for name, each in sys.modules.items() if name.startswith(packages)]
    changed = [module for module in modules if vars(module).get("np") is np]
    guarded = GuardedNumpy(poison)
    for module in changed:
        vars(module)["np"] = guarded
    try:
        yield
    finally:
        for module in changed:
            vars(module)["np"] = np


def protect(address: int, size: int) -> None:
    """Forbid every access to some pages."""
    if ctypes.CDLL(None, use_errno=True).mprotect(
        ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_int(_NONE)
    ):
        raise UncheckedAccess(
            "this system does not let pages be protected", hint="run the check on Linux or macOS"
        )


def same_for_all_poisons(run: Callable[[int], Result], what: str, poisons: Sequence[int] = POISONS) -> Result:
    """What *run* returns for every poison, which must be the same."""
    first = run(poisons[0])
    for poison in poisons[1:]:
        if run(poison) != first:
            raise UncheckedAccess(f"{what}: the result depends on what was in the scratch memory before")
    return first
