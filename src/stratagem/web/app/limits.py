"""Limits on what one visitor may use. The largest published sheets have 40,000 characters."""

from __future__ import annotations

from typing import Final

SHEET_CHARACTERS: Final = 200_000
"""Longer sheets are refused before anything reads them."""
ADDRESS_CHARACTERS: Final = 12_000
"""Sheets whose compressed text is longer are stored on the server."""
STORED_SHEETS: Final = 64
TREE_CHARACTERS: Final = 60_000
TREE_LEAVES: Final = 20_000

QUICK_SECONDS: Final = 10.0
"""For requests that a page waits for: a position, a check, an explanation."""
LOADING_SECONDS: Final = 30.0
"""For the first question about a game, which reads and compiles its rules."""
TURN_SECONDS: Final = 2.0
"""For every turn that a new process has to replay to reach the position of a match."""
HEAVY_SECONDS: Final = 40.0
"""For tasks with a cancel button: searches, playouts, solving."""
IDLE_SECONDS: Final = 1_200.0
"""After which an idle process is ended."""
COMPILING_SECONDS: Final = 300.0
"""For a first look of the engine at a game, whose code is compiled then."""
REASONER_SECONDS: Final = 90.0
"""For the engine bar on rules that are not compiled: a player of low priority searches for a few seconds."""
RULES_SECONDS: Final = 900.0
"""Wall-clock limit for compiling rules; the limit that matters is on CPU time, so that a busy machine may take longer."""
MEMORY: Final = 3 << 30
"""Bytes of address space for one worker, most of which is code that all of them share."""

GAMES_IN_USE: Final = 12
"""Processes for bundled games; the one idle for longest is ended first."""
SHEETS_IN_USE: Final = 12
"""Processes for visitors' sheets."""
PLAYERS_IN_USE: Final = 32
POSITIONS_KEPT: Final = 400
"""Positions with their pictures in the server's cache."""
WAITING: Final = 100
"""Heavy tasks that may wait for their turn in the whole scheduler."""
TASKS_EACH: Final = 3
"""Heavy tasks that one page may have running or queued."""

SHORTEST_CLOCK: Final = 0.1
LONGEST_CLOCK: Final = 60.0
TOURNAMENT_CLOCK: Final = (0.5, 10.0)
"""Shortest and longest. With less than half a second, moves are late on a busy machine and the results mean nothing."""
LONGEST_MATCH: Final = 1_000
"""Turns after which a match between players is ended."""
FORCED_TURNS: Final = 60
"""Turns in a row without any choice after which a person is asked whether to go on."""
MOVES_LISTED: Final = 240
