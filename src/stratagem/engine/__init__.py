"""The same ideas as in `search/`, at full speed on compiled games: kernels, tables, frontiers, databases, MCTS."""
