"""Proofs of values for two players: AND/OR search, proof-number search, certificates."""
