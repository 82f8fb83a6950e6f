"""The game manager: hosts a match between network players and our own."""
