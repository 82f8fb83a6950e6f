"""The memory of alpha-beta as records: an evaluation, what all threads share, one thread's own, and a frame of its stack."""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, Record, dims, float32, int16, int32, size, uint64
from stratagem.kernels.library.game_functions import Evaluate, Expand
from stratagem.kernels.library.lossy_table import LossyTable

STOPPED: Final = 1 << 20
DEEPEST: Final = 250
FORCED: Final = 60
"""From this ply on forced moves cost depth too: some games can be forced for ever."""


class EvaluationTables(Record):
    """A learned evaluation of the first role's chances, in log odds. Without *places* there is none: all is even.

    What ends with *by_phase* is so at the beginning and at the end of a match; `evaluator.settle` mixes the two.
    """

    places: int = size()
    """1 + 8 * words: the constant, and every byte of a state."""
    line_kinds: int = size()
    most: int = size()
    movers: int = size()
    """Two roles, or none where the number of their moves does not count."""
    lines: int = size()
    words: int = size()
    weights: Array[float32] = dims("places", 256)
    """What every byte of a state is worth; the constant stands in the first row."""
    worth: Array[float32] = dims("line_kinds", "most")
    """What an open line with so many held is worth."""
    moves: Array[float32] = dims("movers")
    """What a move of each role is worth."""
    weights_by_phase: Array[float32] = dims(2, "places", 256)
    worth_by_phase: Array[float32] = dims(2, "line_kinds", "most")
    moves_by_phase: Array[float32] = dims(2, "movers")
    progress: Array[float32] = dims("places", 256)
    """How far the match has come, from 0 to 1, byte by byte."""
    needed: Array[uint64] = dims("lines", "words")
    """The open ways to a goal (`evaluation.features.Curves`)."""
    barred: Array[uint64] = dims("lines", "words")
    kinds: Array[int32] = dims("lines")


class SharedMemory(Record):
    """What all threads share."""

    table: LossyTable
    evaluation: EvaluationTables
    expand: Expand
    evaluate: Evaluate
    natural: bool
    """Whether children are searched in the order of the rules, and the table is asked about themselves only."""
    generation: int = 1
    """The number of the search, modulo 255: what older ones left in the table gives way first."""


class AlphaBetaFrame(Record):
    """A node on the line that is searched."""

    row: int
    depth: int
    alpha: int
    beta: int
    first: int
    """The row of its first child."""
    count: int
    tried: int
    sign: int
    """1 where the first role moves, else -1."""
    low: int
    """The window as the mover sees it, from here..."""
    high: int
    """...to here."""
    floor: int
    """What *low* was at first."""
    value: int
    best: int
    child_depth: int
    horizons: int
    """The thread's count of horizons before."""
    full: bool
    """Whether the child is searched with the whole window."""


class ThreadMemory(Record):
    """One thread's memory; children lie in an arena, one stretch for every ply."""

    rows: int = size()
    words: int = size()
    plies: int = size()
    choices: int = size()
    counted: int = size()
    masks: int = size()
    logged: int = size()
    arena: Array[uint64] = dims("rows", "words")
    parents: Array[int32] = dims("rows")
    moves: Array[int32] = dims("rows", 2)
    terminal: Array[bool] = dims("rows")
    goals: Array[int16] = dims("rows", 2)
    hashes: Array[uint64] = dims("rows")
    scores: Array[int] = dims("rows")
    """The value of a child for the role that moves: an end's, or the evaluation."""
    keys: Array[int] = dims("rows")
    """The larger the key of a child, the sooner it is searched."""
    order: Array[int] = dims("rows")
    consumed: Array[int] = dims(1)
    frames: Array[AlphaBetaFrame] = dims("plies")
    line: Array[uint64] = dims("plies")
    """The hashes of the states on the line."""
    history: Array[int] = dims(2, "choices")
    """How often a role's move was good."""
    killers: Array[int] = dims("plies")
    """A move that cut, for every ply."""
    legal: Array[uint64] = dims("counted", 2, "masks")
    """The legal moves of children, where they count."""
    leaves: Array[uint64] = dims("logged", "words")
    """The states at the horizon and the ends, in the order in which they were looked at."""
    stop: Array[int] = dims(1)
    noise: uint64
    """What shuffles moves of nearly the same promise, so that threads go different ways; 0 for the first."""
    looked: int = 0
    """States looked at: searched, found in the table, or taken as an end or as the horizon."""
    reached: int = 0
    """The deepest ply."""
    horizon: int = 0
    """States whose value depends on the depth, or on the line that led to them."""
    leaf: int = 0
    """How many leaves were logged."""
    simultaneous: bool = False
    """Whether a state was met, in any search, in which both roles have a choice."""
    uneven: bool = False
    """Whether an end was met, in any search, at which the goals do not add up to 100."""
