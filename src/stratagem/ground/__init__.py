"""Rules to ground programs: normal form, split bodies, and clingo (its only import) as the grounder. Internal."""
