"""Random matches in machine code: kernels, their memory, and the reports."""
