"""The phases of a circuit: gates in execution order, and their code in tiers."""
