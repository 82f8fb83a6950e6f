"""Random matches per second on one thread, from the text of the rules, against bitboard programs written by hand.

The signature is the distribution of outcomes and the mean length, which must agree with the hand-written program's.
Aims: 8 times the yardstick on connect four, 10 times on tic-tac-toe and breakthrough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks import yardsticks
from benchmarks.measure import close, rates, table, verdict
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame


@dataclass(frozen=True, slots=True)
class Case:
    """A bundled game, its yardstick, matches per measurement for both, and the aim."""

    game: str
    by_hand: Callable[[int, int], Any]
    hand_matches: int
    matches: int
    aim: float


CASES = (
    Case("tictactoe", yardsticks.tic_tac_toe_playouts, 1_000_000, 10_000_000, 10),
    Case("connectfour", yardsticks.connect_four_playouts, 300_000, 3_000_000, 8),
    Case("breakthrough", yardsticks.breakthrough_playouts, 30_000, 300_000, 10),
)


def run(case: Case, rounds: int = 15) -> float:
    """Measure one game; the ratio to the yardstick."""
    circuit = load(case.game, machine="native").circuit
    assert circuit is not None
    playouts = CompiledGame(circuit).playouts
    report = playouts.play(matches=case.matches, seed=1, threads=1)
    by_hand = case.by_hand(case.hand_matches * 4, 1)
    shares = [report.outcomes.get(vector, 0) / report.matches for vector in ((100, 0), (50, 50), (0, 100))]
    theirs = by_hand[:3] / (case.hand_matches * 4)
    assert close(shares, theirs.tolist(), 0.012), f"{case.game}: {shares} against {theirs}"
    assert abs(report.mean_length / (by_hand[3] / (case.hand_matches * 4)) - 1) < 0.01

    def ours(seed: int) -> float:
        return playouts.play(matches=case.matches, seed=seed, threads=1).matches

    def hand(seed: int) -> float:
        case.by_hand(case.hand_matches, seed)
        return case.hand_matches

    found = rates({"by hand": hand, "from the rules": ours}, rounds=rounds)
    table(
        f"{case.game}: {circuit.gate_count} gates, {report.mean_length:.1f} plies",
        found,
        "matches",
        "by hand",
    )
    ratio = found["from the rules"] / found["by hand"]
    print(f"  {found['from the rules'] * report.mean_length / 1e9:.2f} billion states per second")
    verdict("ratio", ratio, case.aim)
    return ratio


def main() -> None:
    for case in CASES:
        run(case)


if __name__ == "__main__":
    main()
