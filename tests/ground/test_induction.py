"""Induction over one turn: laws stay if together they pass on, and only then."""

from __future__ import annotations

from stratagem.ground.solving.induction import Law, Machine, inductive

# Nodes: 0 false, 1 and 2 two propositions a and b, 3 and 4 the moves "swap" and "stay" of one role.
A, B, SWAP, STAY = 2, 4, 6, 8


def machine(
    next_a: int, next_b: int, gates: list[tuple[bool, int, int]], legal: tuple[int, int] = (1, 1)
) -> Machine:
    return Machine(
        2,
        (2,),
        [g[0] for g in gates],
        [g[1] for g in gates],
        [g[2] for g in gates],
        [next_a, next_b],
        [legal],
    )


def swapping() -> Machine:
    """next a = (swap & b) | (stay & a), next b = (swap & a) | (stay & b)."""
    gates = [
        (True, SWAP, B),
        (True, STAY, A),
        (False, 10, 12),
        (True, SWAP, A),
        (True, STAY, B),
        (False, 16, 18),
    ]
    return machine(14, 20, gates)


ONE = (Law((0, 1), True), Law((0, 1), False))


def test_what_only_changes_places_stays_exactly_one():
    assert inductive(swapping(), ONE, conflicts=1000) == ONE


def test_a_law_that_a_move_can_break_is_dropped():
    copying = machine(A, 10, [(False, A, B)])
    assert inductive(copying, ONE, conflicts=1000) == (ONE[1],)


def test_an_illegal_move_breaks_nothing():
    gates = [(True, SWAP, A), (False, 10, B)]
    assert inductive(machine(A, 12, gates), ONE[:1], conflicts=1000) == ()
    assert inductive(machine(A, 12, gates, legal=(0, 1)), ONE[:1], conflicts=1000) == ONE[:1]


def test_a_law_may_lean_on_another_and_falls_with_it():
    # next b = a & b: "at most one" keeps b from ever surviving beside a; without it nothing is known.
    leaning = machine(A, 10, [(True, A, B)])
    assert inductive(leaning, (Law((0, 1), True),), conflicts=1000) == (Law((0, 1), True),)
    broken = machine(1, 1, [])
    assert inductive(broken, (Law((0, 1), True), Law((0,), False)), conflicts=1000) == (Law((0,), False),)


def test_without_effort_nothing_is_shown():
    assert inductive(swapping(), ONE, conflicts=0) == ()


def test_a_doubt_drops_laws_without_the_solver():
    asked: list[tuple[int, ...]] = []

    def doubt(state: tuple[bool, ...], kept: tuple[int, ...]) -> set[int]:
        asked.append(kept)
        assert len(state) == 2
        return set(kept)

    copying = machine(A, 10, [(False, A, B)])
    assert inductive(copying, ONE, conflicts=1000, doubt=doubt) == ()
    assert asked == [(0, 1)]


def test_a_loop_is_read_as_its_least_fixed_point():
    # Two gates that only feed each other never become true, so neither does b.
    circle = machine(A, 12, [(False, 12, 12), (False, 10, 10)])
    law = Law((0, 1), True)
    assert inductive(circle, (law,), conflicts=1000) == (law,)
