"""Whole state spaces: explored, solved backward, counted, and kept as databases."""
