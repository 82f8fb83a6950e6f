"""What the random matches of MCTS know beside the rules: changes of a game's circuit, which any kernel plays."""
