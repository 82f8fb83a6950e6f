"""Where numba keeps compiled kernels between runs: the user's cache directory, not the installed package.

A module of kernels is imported lazily and calls `keep_kernels()` before its decorators run; who has chosen a place
with NUMBA_CACHE_DIR keeps it.
"""

from __future__ import annotations

from functools import cache

from stratagem.native.objects import cache_directory


@cache
def keep_kernels() -> str:
    """Send numba's cache to the user's cache directory; the directory."""
    import numba

    if not numba.config.CACHE_DIR:
        numba.config.CACHE_DIR = str(cache_directory() / "kernels")
    return str(numba.config.CACHE_DIR)
