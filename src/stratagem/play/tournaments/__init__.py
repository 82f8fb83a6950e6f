"""Tournaments: fixtures, results and ratings, wherever the matches are played."""
