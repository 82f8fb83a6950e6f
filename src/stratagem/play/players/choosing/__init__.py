"""How the player `stratagem` chooses: the trial of its searches, what it knows from earlier matches, and what searches tell each other."""
