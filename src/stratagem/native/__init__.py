"""Gates to machine code: the compiled game and what it is made of. Internal."""
