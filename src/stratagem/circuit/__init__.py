"""Ground programs to gates: build, simplify, layout, and a plain interpreter as a second yardstick."""
