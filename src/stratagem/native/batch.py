"""Many matches of one game at once on numpy arrays: `Batch(circuit, n)`.

Legal masks, step with given moves, random step, terminal, goals, reset of the finished, copy and select. Inside
one row of n bits per base proposition; no Python loop per match.
"""
