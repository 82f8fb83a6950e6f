"""The part of expansion and batches that all games share, in the kernel language."""
