"""Machines that run a circuit: interpreted in Python, or as machine code."""
