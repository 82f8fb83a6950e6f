"""Records of matches: as data, as JSON, and on disk."""
