"""The kernels of compiled joins, and the memory that they work on."""
