"""What kernels share: random numbers, hashing, sets and tables of states, sorting."""
