"""Searches for one player over packed states, and the portfolio that chooses among them."""
