"""The kernel language as Python: its numbers, memory, records and primitives, checked at every step."""
