"""Monte Carlo tree search over a graph of packed states."""
