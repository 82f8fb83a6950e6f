"""At the table: matches, clocks, players, and the records of what was played."""
