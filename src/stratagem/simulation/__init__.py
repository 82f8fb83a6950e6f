"""A game as arrays: how it is encoded, and many matches of it at once."""
