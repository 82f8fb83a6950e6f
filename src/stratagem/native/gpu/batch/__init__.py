"""Batches of matches on a GPU: the blocks of the CPU's batch in the GPU's memory."""
