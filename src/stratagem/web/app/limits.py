"""How much one visitor may ask for. The largest sheets of the field have 40,000 characters."""

from __future__ import annotations

from typing import Final

SHEET_CHARACTERS: Final = 200_000
"""Longer sheets are refused before anything reads them."""
ADDRESS_CHARACTERS: Final = 12_000
"""A sheet whose packed text is longer is kept on the shelf and not in the address itself."""
SHELF_SHEETS: Final = 64
TREE_CHARACTERS: Final = 60_000
TREE_LEAVES: Final = 20_000

QUICK_SECONDS: Final = 10.0
"""For what a page waits for: a position, a check, a reason."""
LOADING_SECONDS: Final = 30.0
"""For the first question about a game, which reads and compiles its rules."""
TURN_SECONDS: Final = 2.0
"""For every turn of a match that a new process has to go through to come to its position."""
HEAVY_SECONDS: Final = 40.0
"""For what has a cancel button: a search, playouts, a solution."""
IDLE_SECONDS: Final = 1_200.0
"""After which a process that nobody asks for is ended."""
COMPILING_SECONDS: Final = 300.0
"""For the engine's own code, which is compiled once on a machine."""
REASONER_SECONDS: Final = 90.0
"""For the engine bar where rules are not compiled: a player of low priority thinks for a few seconds."""
RULES_SECONDS: Final = 900.0
"""For rules that are compiled, by the clock; what counts is their budget of computing time, so a busy machine may take longer."""
MEMORY: Final = 3 << 30
"""Bytes of address space for one worker, most of which is code that all of them share."""

GAMES_IN_USE: Final = 12
"""Processes for bundled games; the one that was idle for longest makes room."""
SHEETS_IN_USE: Final = 12
"""Processes for sheets of visitors."""
PLAYERS_IN_USE: Final = 32
POSITIONS_KEPT: Final = 400
"""Positions with their pictures that the server remembers, of all visitors together."""
WAITING: Final = 100
"""Heavy tasks that may wait for their turn in the whole scheduler."""
TASKS_EACH: Final = 3
"""Heavy tasks that one page may have running or waiting."""

SHORTEST_CLOCK: Final = 0.1
LONGEST_CLOCK: Final = 60.0
TOURNAMENT_CLOCK: Final = (0.5, 10.0)
"""The shortest and the longest: in less than half a second answers are late on a busy machine, which is no measure of players."""
LONGEST_MATCH: Final = 1_000
"""Turns after which a match between players is ended."""
FORCED_TURNS: Final = 60
"""Turns in a row without any choice after which a person is asked whether to go on."""
MOVES_LISTED: Final = 240
