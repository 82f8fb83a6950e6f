"""Packed states: the exact set, and the breadth-first frontier."""
