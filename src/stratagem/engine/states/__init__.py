"""Packed states: the exact set, the core of the transposition tables, and the breadth-first frontier."""
