"""Tournaments on the network: entrants, matches on disk, the results page."""
