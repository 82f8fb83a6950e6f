"""Tree counts (perft) and distinct states by depth: a layered frontier of packed states with multiplicities."""
