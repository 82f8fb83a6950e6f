"""Boards inferred from the rules of a game, and their drawings."""
