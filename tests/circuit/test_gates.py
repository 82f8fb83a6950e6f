"""Gates: what is folded, absorbed and shared, and that nothing of it changes the meaning."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as some

from stratagem.circuit.construction.gates import FALSE, TRUE, Gates
from stratagem.circuit.simplify.factor import sum_of_products

A, B, C, D = 2, 4, 6, 8


def value(gates: Gates, literal: int, inputs: dict[int, bool]) -> bool:
    """The meaning of a literal, straight from its operands."""
    node = literal >> 1
    operands = gates.operands[node]
    plain = (
        node in inputs and inputs[node]
        if operands is None
        else all(value(gates, x, inputs) for x in operands)
    )
    return plain ^ bool(literal & 1)


def table(gates: Gates, literal: int, inputs: int = 4) -> list[bool]:
    return [
        value(gates, literal, dict(enumerate(bits, start=1)))
        for bits in product((False, True), repeat=inputs)
    ]


def test_constants_fold_away():
    gates = Gates(4)
    assert gates.conjunction([A, TRUE]) == A
    assert gates.conjunction([A, FALSE]) == FALSE
    assert gates.conjunction([]) == TRUE
    assert gates.disjunction([A, TRUE]) == TRUE
    assert len(gates.operands) == 5


def test_a_thing_and_its_opposite_are_nothing():
    gates = Gates(4)
    assert gates.conjunction([A, B, A ^ 1]) == FALSE
    assert gates.disjunction([A, B, A ^ 1]) == TRUE


def test_equal_gates_are_one_gate():
    gates = Gates(4)
    assert gates.conjunction([A, B]) == gates.conjunction([B, A, B])
    assert gates.disjunction([A, B]) == gates.conjunction([A ^ 1, B ^ 1]) ^ 1


def test_what_is_implied_is_absorbed():
    gates = Gates(4)
    assert gates.conjunction([A, gates.disjunction([A, B])]) == A
    assert gates.disjunction([A, gates.conjunction([A, B])]) == A
    assert gates.conjunction([A, gates.disjunction([A ^ 1, B])]) == gates.conjunction([A, B])
    assert gates.conjunction([A ^ 1, gates.conjunction([A, B])]) == FALSE


def test_one_of_a_role_s_moves_is_made():
    gates = Gates(4)
    gates.exactly_one([1, 2, 3, 4])
    assert gates.conjunction([A, B]) == FALSE
    assert gates.disjunction([A, B, C, D]) == TRUE
    assert gates.disjunction([A, B, C]) == D ^ 1
    assert gates.conjunction([A, B ^ 1]) == A


def test_the_complement_of_many_moves_is_found_through_their_parts():
    gates = Gates(200)
    gates.exactly_one(range(1, 201))
    low = gates.disjunction([2 * node for node in range(1, 91)])
    high = gates.disjunction([2 * node for node in range(91, 181)])
    rest = gates.disjunction([2 * node for node in range(181, 201)])
    assert gates.disjunction([low, high]) == rest ^ 1
    assert gates.disjunction([low, high, rest]) == TRUE


def test_a_role_with_one_move_makes_it():
    gates = Gates(1)
    gates.exactly_one([1])
    assert gates.conjunction([A]) == TRUE


def test_a_move_that_is_made_is_legal():
    gates = Gates(4)
    gates.exactly_one([3, 4])
    gates.imply(C, gates.conjunction([A, B]))
    assert gates.conjunction([C, A]) == C
    assert gates.conjunction([C, A ^ 1]) == FALSE
    assert gates.conjunction([C, gates.disjunction([B, D])]) == C


def test_common_factors_are_taken_out():
    gates = Gates(4)
    found = gates.disjunction(
        sum_of_products(gates, [frozenset({A, B}), frozenset({A, C}), frozenset({A, D})])
    )
    assert found == gates.conjunction([A, gates.disjunction([B, C, D])])


FORMULAS = some.recursive(
    some.integers(0, 9),
    lambda inner: some.tuples(some.booleans(), some.booleans(), some.lists(inner, min_size=1, max_size=4)),
    max_leaves=14,
)


def build(gates: Gates, formula: object) -> int:
    if isinstance(formula, int):
        return formula
    is_and, denied, parts = formula  # type: ignore[misc]
    join = gates.conjunction if is_and else gates.disjunction
    return join([build(gates, part) for part in parts]) ^ denied


def meaning(formula: object, inputs: dict[int, bool]) -> bool:
    if isinstance(formula, int):
        return inputs.get(formula >> 1, False) ^ bool(formula & 1)
    is_and, denied, parts = formula  # type: ignore[misc]
    return (all if is_and else any)(meaning(part, inputs) for part in parts) ^ denied


@given(FORMULAS)
def test_simplified_formulas_mean_what_they_say(formula):
    gates = Gates(4)
    literal = build(gates, formula)
    for bits in product((False, True), repeat=4):
        inputs = dict(enumerate(bits, start=1))
        assert value(gates, literal, inputs) == meaning(formula, inputs)


@given(FORMULAS)
def test_with_moves_they_mean_it_wherever_one_move_is_made_and_legal(formula):
    gates = Gates(4)
    gates.exactly_one([3, 4])
    gates.imply(C, gates.disjunction([A, B]))
    gates.imply(D, A)
    literal = build(gates, formula)
    for bits in product((False, True), repeat=4):
        a, b, c, d = bits
        if c != d and (not c or a or b) and (not d or a):
            inputs = dict(enumerate(bits, start=1))
            assert value(gates, literal, inputs) == meaning(formula, inputs)


@given(some.lists(some.frozensets(some.integers(2, 9), min_size=1, max_size=3), min_size=1, max_size=6))
def test_factoring_keeps_the_meaning(products):
    gates, plain = Gates(4), Gates(4)
    found = gates.disjunction(sum_of_products(gates, products))
    assert table(gates, found) == table(plain, plain.disjunction([plain.conjunction(p) for p in products]))
