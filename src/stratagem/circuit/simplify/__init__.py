"""Simplification of networks of gates, and the final circuit of two-operand gates."""
