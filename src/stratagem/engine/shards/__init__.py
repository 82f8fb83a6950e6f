"""Spaces that no single machine holds: states partitioned by hash over shards, which are actors of an executor."""
