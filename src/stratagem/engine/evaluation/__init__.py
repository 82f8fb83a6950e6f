"""Evaluations learned from the rules: features, weights, self-play."""
