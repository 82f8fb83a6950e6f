"""Source-to-source rewriting before grounding: normal form, demand (magic sets), split bodies."""
