"""Ground programs to boolean circuits: construction, simplification, the compiler, and a plain interpreter. Internal."""
