"""Searches for a single player, one file each."""
