"""Lower bounds on the distance to the goal, made from the rules."""
