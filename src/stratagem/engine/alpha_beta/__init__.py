"""Alpha-beta over packed states, with a transposition table and several threads."""
