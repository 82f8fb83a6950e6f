"""Callers for numba kernels: `call_expand(address, ...)` and `call_evaluate(address, ...)`.

Intrinsics that take the function's address as an integer, so that a kernel is compiled once and cached for all
games; usable inside ``@njit(nogil=True)``. The C functions' contract stands in `expand`.
"""
