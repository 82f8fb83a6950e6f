"""Live matches of visitors, the engine bar, and the match archive."""
