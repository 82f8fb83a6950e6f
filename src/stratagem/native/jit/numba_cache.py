"""numba's compiled kernels, kept in the cache of Stratagem like everything else.

`njit` stands for numba's own decorator in every module of kernels. numba's settings stay as the program that imports us
has them: only our own functions are kept here. An entry is named by the function, the types, the processor and the
source of the function's module and of all modules that this imports, since a kernel contains the kernels that
it calls.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from stratagem.cache import PACKAGE, entry_name, user_cache
from stratagem.native.jit.compile_notice import announce_compiling

PARTS: Final = ("circuit", "engine", "kernels", "native")
"""The packages whose source a kernel may depend on."""
IMPORT: Final = re.compile(r"^from (stratagem[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
NAME: Final = re.compile(r"\w+")
UNREADABLE: Final = (
    pickle.UnpicklingError,
    EOFError,
    AttributeError,
    ImportError,
    IndexError,
    TypeError,
    ValueError,
)
"""What pickle raises for bytes that another version has written."""


def njit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit(**options)`` whose machine code is kept between runs, unless the cache is off."""
    announce_compiling()

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(**{**options, "cache": False})(function)
        if user_cache().folder is not None:
            dispatcher._cache = KernelCache(function)  # where numba's own cache=True puts its own
        return dispatcher

    return decorate


class Locator:
    """What numba asks about a function's place on disk: there is none, entries go to the cache of Stratagem."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._py_file = path
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> Locator:
        return cls(function, path)

    def get_cache_path(self) -> str:
        return ""

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        """Folders are made when something is written to them."""


class CompileResults(CompileResultCacheImpl):  # type: ignore[misc]
    """How numba turns a compiled function into values that can be kept, and back."""

    _locator_classes = (Locator,)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The compiled versions of one function, one for each combination of types."""

    _impl_class = CompileResults

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = Entries(function)


class Entries:
    """Where numba reads and writes one function's compiled versions; *key* is numba's: types, processor, bytecode."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def load(self, key: object) -> Any:
        content = user_cache().part("kernels").read(self._name(key))
        if content is None:
            return None
        try:
            return pickle.loads(content)
        except UNREADABLE:
            return None

    def save(self, key: object, data: object) -> None:
        user_cache().part("kernels").write(self._name(key), dumps(data))

    def flush(self) -> None:
        """numba forgets a function: so do we, as the next version has another name."""

    def _name(self, key: object) -> str:
        module = self.function.__module__
        stamp = source_stamp(inspect.getfile(self.function))
        known = (module, self.function.__qualname__, key, numba.__version__, sys.version, stamp)
        return entry_name("kernel", repr(known))


@cache
def source_stamp(file: str) -> str:
    """A hash of the source in *file* and in every module that it needs, near or far."""
    digest = hashlib.sha256()
    found: set[Path] = set()
    waiting = [Path(file)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imported(path)
    for path in sorted(found):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    """The modules that the one at *path* imports when it is imported, as far as kernels can depend on them."""
    found = IMPORT.findall(path.read_text(encoding="utf-8"))
    named = [[module, *(f"{module}.{name}" for name in NAME.findall(names))] for module, names in found]
    places = [PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py") for names in named for name in names]
    return tuple(
        place for place in places if place.is_file() and place.relative_to(PACKAGE).parts[0] in PARTS
    )
