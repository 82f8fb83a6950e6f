"""The compiler from rules to circuits: budget, child process, cache on disk."""
