"""Exercises that are graded step by step: the answer is worked out by the taught algorithm itself."""
