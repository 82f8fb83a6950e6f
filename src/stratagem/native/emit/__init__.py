"""Code generation: LLVM assembly as text; LLVM itself is not touched here."""
