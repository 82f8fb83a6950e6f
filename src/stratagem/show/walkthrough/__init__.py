"""A search step by step, as data: built from its events, shown in a terminal or on a page."""
