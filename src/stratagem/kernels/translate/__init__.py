"""The translation of kernels to LLVM assembly: text in, text out."""
