"""LLVM: object code, its cache, and the thread that compiles."""
