"""Walkthroughs in a terminal, as JSON and as HTML."""
