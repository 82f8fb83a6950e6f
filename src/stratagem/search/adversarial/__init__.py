"""Searches for MAX against MIN, one file each."""
