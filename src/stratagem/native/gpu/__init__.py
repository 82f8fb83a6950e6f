"""Kernels for NVIDIA GPUs: the same gates, one thread for every half of a word of 64 matches."""
