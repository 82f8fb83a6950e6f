"""Callers for numba kernels: compiled rules by address."""
