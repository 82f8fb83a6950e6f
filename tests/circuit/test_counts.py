"""Counting rules as adders: symmetric functions are found and mean the same; chains of counters become small."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.circuit.test_networks import same_outputs
from tests.support.small_sheets import sheet_of, small_sheets

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.construction.build import build
from stratagem.circuit.construction.gates import Gates
from stratagem.circuit.construction.network import Network
from stratagem.circuit.interpret import evaluate, read
from stratagem.circuit.simplify import counts
from stratagem.circuit.simplify.binary import binary
from stratagem.circuit.simplify.constants import bounds
from stratagem.circuit.simplify.counts import LEAST, WORK, count_in_binary, functions_of_count
from stratagem.circuit.simplify.factor import factoring
from stratagem.circuit.simplify.rewrite import fold
from stratagem.circuit.simplify.share import share
from stratagem.circuit.simplify.symmetric import MOST, symmetric_functions
from stratagem.gdl.terms import Symbol
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.rewrite.prepare import prepare

UNARY = """(<= (so_far 1 1) (true (on 1))) (<= (so_far 1 0) (not (true (on 1))))
(<= (so_far ?next ?more) (after ?cell ?next) (so_far ?cell ?count) (after ?count ?more) (true (on ?next)))
(<= (so_far ?next ?count) (after ?cell ?next) (so_far ?cell ?count) (not (true (on ?next))))
(<= (exactly ?count) (so_far {cells} ?count))"""
AT_LEAST = """(<= (up_to 1 1) (true (on 1))) (<= (up_to ?next ?count) (after ?cell ?next) (up_to ?cell ?count))
(<= (up_to ?next 1) (after ?cell ?next) (true (on ?next)))
(<= (up_to ?next ?more) (after ?cell ?next) (up_to ?cell ?count) (after ?count ?more) (true (on ?next)))
(<= (exactly ?count) (up_to {cells} ?count) (after ?count ?more) (not (up_to {cells} ?more)))
(<= (exactly {cells}) (up_to {cells} {cells})) (<= (exactly 0) (not (up_to {cells} 1)))"""


def counting_rules(cells: int, rules: str, ends: set[int]) -> str:
    """A player turns one of the lights on *cells* on or off; the match ends where as many as in *ends* are on."""
    lines = ["(role r)", *(f"(after {one} {one + 1})" for one in range(cells))]
    lines += [f"(init (on {cell}))" for cell in range(1, cells + 1, 3)]
    lines += [f"(legal r (turn {cell}))" for cell in range(1, cells + 1)]
    lines += ["(<= (next (on ?x)) (true (on ?x)) (not (does r (turn ?x))))"]
    lines += ["(<= (next (on ?x)) (does r (turn ?x)) (not (true (on ?x))))"]
    lines += [rules.format(cells=cells)]
    lines += [f"(<= terminal (exactly {count}))" for count in sorted(ends)]
    lines += [f"(<= (goal r {count}) (exactly {count}))" for count in range(cells + 1)]
    return "\n".join(lines)


def folded(text: str) -> Network:
    sheet = sheet_of(text)
    network = build(ground_here(prepare(sheet).rules, sheet.roles))
    return fold(network, bounds(network), join=factoring(network))


def outputs(circuit: Circuit, inputs: list[bool]) -> list[bool]:
    values = evaluate(circuit, inputs)
    wanted = [literal for own in (*circuit.legal, circuit.next) for literal in own.tolist()]
    wanted += [circuit.terminal, *(literal for own in circuit.goals for _, literal in own)]
    return [read(values, literal) for literal in wanted]


@pytest.mark.parametrize("rules", [UNARY, AT_LEAST], ids=["exactly", "at least"])
@settings(max_examples=12)
@given(cells=some.integers(2, 14), ends=some.sets(some.integers(0, 14), min_size=1), chance=some.randoms())
def test_counters_mean_the_same_in_every_state(
    rules: str, cells: int, ends: set[int], chance: random.Random
) -> None:
    network = folded(counting_rules(cells, rules, {min(end, cells) for end in ends}))
    plain, counted = binary(share(network)), binary(share(count_in_binary(network)))
    for _ in range(20):
        density = chance.random()
        inputs = [chance.random() < density for _ in plain.bases]
        made = chance.randrange(len(plain.moves[0]))
        inputs += [move == made for move in range(len(plain.moves[0]))]
        assert outputs(plain, inputs) == outputs(counted, inputs)


@pytest.mark.parametrize("rules", [UNARY, AT_LEAST], ids=["exactly", "at least"])
def test_a_chain_of_counters_becomes_an_adder(rules: str) -> None:
    cells = 40
    network = folded(counting_rules(cells, rules, {20}))
    plain, counted = binary(share(network)), binary(share(count_in_binary(network)))
    assert plain.gate_count > cells * cells
    assert counted.gate_count < plain.gate_count - cells * cells // 2


def test_functions_of_the_same_nodes_share_them() -> None:
    """A chain over n nodes has n²/2 functions: with a set of its own for each, a board of 19 by 19 would take gigabytes."""
    functions = symmetric_functions(folded(counting_rules(20, UNARY, {10}))).values()
    assert len({id(one.counted) for one in functions}) == len({one.counted for one in functions}) < 100


def read_network(gates: Gates, length: int, read: list[int]) -> Network:
    """A network over *length* inputs whose outputs are *read*."""
    names = tuple(Symbol(f"f{node}") for node in range(length))
    return Network(gates, ("r",), names, ((),), frozenset(), (False,) * length, tuple(read), ((),), 0, ((),))


def prefixes(length: int) -> Network:
    """The ANDs of the first two, three, ... inputs, all of which are read."""
    gates, read = Gates(length), [2]
    for node in range(2, length + 1):
        read.append(gates.conjunction([read[-1], 2 * node]))
    return read_network(gates, length, read)


def all_counts(length: int) -> Network:
    """Whether exactly none, one, two, ... of the first inputs hold, for every number of inputs; all of it is read."""
    gates, read, exactly = Gates(length), [], [1]
    for node in range(1, length + 1):
        exactly = [
            gates.disjunction([gates.conjunction([2 * node, more]), gates.conjunction([2 * node ^ 1, same])])
            for more, same in zip([0, *exactly], [*exactly, 0], strict=True)
        ]
        read += exactly
    return read_network(gates, length, read)


def test_no_adder_is_built_where_the_chain_is_as_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """An adder for each of n prefixes took 102 s and 725 MB where n is 2,000."""
    monkeypatch.setattr(counts, "binary_count", lambda gates, literals: pytest.fail("an adder was built"))
    network = prefixes(100)
    assert len(symmetric_functions(network)) == 99
    assert count_in_binary(network) is network


def test_the_work_of_counting_grows_with_the_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all counts of every prefix of 300 cells are read, 15 s went by without any change."""
    network, looked_at, between = all_counts(100), 0, counts._between

    def counted(gates: Gates, tops: Iterable[int], bottom: frozenset[int]) -> set[int]:
        nonlocal looked_at
        found = between(gates, tops, bottom)
        looked_at += len(found)
        return found

    monkeypatch.setattr(counts, "_between", counted)
    assert count_in_binary(network) is network
    assert 0 < looked_at <= (WORK + 1) * len(network.gates.operands)


def test_sets_of_counted_nodes_do_not_grow_without_end() -> None:
    functions = symmetric_functions(prefixes(2 * MOST)).values()
    assert max(len(one.nodes) for one in functions) == MOST


def test_what_counts_nothing_is_left_as_it_is() -> None:
    network = folded(counting_rules(12, "(<= (exactly ?x) (true (on ?x)))", {3}))
    assert count_in_binary(network) is network


@given(some.integers(0, 9), some.data())
def test_every_function_of_a_number_is_read_off_its_digits(size: int, data: some.DataObject) -> None:
    functions = data.draw(some.dictionaries(some.integers(0, 9), some.integers(0, (2 << size) - 1)))
    gates = Gates(size)
    found = functions_of_count(gates, [2 * node for node in range(1, size + 1)], functions)
    for state in range(1 << size):
        values = gate_values(gates, state, size)
        for name, literal in found.items():
            assert values[literal >> 1] ^ (literal & 1) == functions[name] >> state.bit_count() & 1


def gate_values(gates: Gates, state: int, inputs: int) -> list[int]:
    """The value of every gate where the inputs are the bits of *state*."""
    values = [0, *(state >> place & 1 for place in range(inputs))]
    for operands in gates.operands[inputs + 1 :]:
        values.append(int(all(values[part >> 1] ^ (part & 1) for part in operands or ())))
    return values


INPUTS = 7


@settings(max_examples=200)
@given(some.lists(some.lists(some.integers(0, 99), min_size=2, max_size=4), max_size=40), some.randoms())
def test_a_symmetric_function_is_what_the_gates_compute(
    drawn: list[list[int]], chance: random.Random
) -> None:
    """Gates over a few inputs, half of them steps of a counter, so that many are symmetric."""
    gates = Gates(INPUTS)
    literals = [2 * node for node in range(1, INPUTS + 1)]
    chain = [0, 1]
    for number, choice in enumerate(drawn):
        if number % 2:
            step = 2 * (1 + number // 2 % INPUTS)
            chain = [
                gates.disjunction([gates.conjunction([step, more]), gates.conjunction([step ^ 1, less])])
                for more, less in zip([0, *chain], [*chain, 0], strict=True)
            ]
            literals += chain
        else:
            literals.append(
                gates.conjunction([literals[one % len(literals)] ^ chance.getrandbits(1) for one in choice])
            )
    network = Network(
        gates, ("r",), tuple(map(Symbol, "abcdefg")), ((),), frozenset(), (False,) * INPUTS, (), ((),), 0, ()
    )
    functions = symmetric_functions(network)
    for state in range(1 << INPUTS):
        values = gate_values(gates, state, INPUTS)
        for node, function in functions.items():
            count = sum(values[each] for each in function.counted)
            held = function.extra is not None and values[function.extra]
            assert values[node] == (function.beside if held else function.without) >> count & 1


@settings(max_examples=30)
@given(small_sheets(), some.integers(0, 99))
def test_counting_keeps_the_meaning_of_random_rules(text: str, seed: int) -> None:
    network = folded(text)
    same_outputs(binary(share(network)), binary(share(count_in_binary(network))), seed)


def test_few_literals_are_not_counted() -> None:
    network = folded(counting_rules(LEAST - 1, UNARY, {1}))
    assert count_in_binary(network) is network
