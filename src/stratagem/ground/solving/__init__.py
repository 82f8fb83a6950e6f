"""Questions to clingo's solver: predecessors, mutex groups, automorphisms, plans."""
