"""Random matches of circuits of any size: phases through tables, masks of the root, goals put off. Internal."""
