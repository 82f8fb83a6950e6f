"""Local play: matches, clocks, players, and the records of matches."""
