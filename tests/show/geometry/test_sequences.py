"""What is an axis, and in which order its labels stand."""

from __future__ import annotations

import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as some

from stratagem.gdl.terms import Compound, Symbol
from stratagem.show.board.geometry.neighbours import centred
from stratagem.show.board.geometry.sequences import axis_of, chain_of, coded


def axis(*words: str, **chain: int) -> tuple[str, ...] | None:
    found = axis_of(
        map(Symbol, words), [{Symbol(name): place for name, place in chain.items()}] if chain else []
    )
    return None if found is None else found.values


def test_numbers_letters_and_numbered_words_are_axes() -> None:
    assert axis("10", "9", "8") == ("8", "9", "10")
    assert axis("c", "a", "b") == ("a", "b", "c")
    assert axis("c10", "c9") == ("c9", "c10")
    assert axis("three", "one", "two") == ("one", "two", "three")
    assert axis("second", "first") == ("first", "second")


def test_small_gaps_are_filled_and_large_ones_are_no_axis() -> None:
    assert axis("1", "2", "4", "5") == ("1", "2", "3", "4", "5")
    assert axis("0", "25", "50") is None


def test_colours_are_no_axis_unless_the_rules_chain_them() -> None:
    assert axis("red", "blue", "green") is None
    assert axis("red", "blue", "green", red=1, blue=0, green=2) == ("blue", "red", "green")


def test_one_word_or_a_term_is_no_axis() -> None:
    assert axis("1") is None
    assert axis_of([Symbol("1"), Compound(("f", Symbol("1")))]) is None


@given(some.lists(some.text("abcdef", min_size=1), unique=True, min_size=2), some.integers())
def test_a_chain_is_found_in_whatever_order_its_links_come(words: list[str], seed: int) -> None:
    links = [(Symbol(one), Symbol(two)) for one, two in pairwise(words)]
    random.Random(seed).shuffle(links)
    found = chain_of(links)
    assert found is not None
    assert sorted(found, key=lambda word: found[word]) == words


def test_rings_and_forks_are_no_chains() -> None:
    a, b, c = map(Symbol, "abc")
    assert chain_of([(a, b), (b, c), (c, a)]) is None
    assert chain_of([(a, b), (a, c)]) is None
    assert chain_of([(a, c), (b, c)]) is None
    assert chain_of([]) is None


def test_cells_in_one_word_need_letters_in_a_row_and_enough_of_them() -> None:
    assert coded(map(Symbol, ["a1", "a2", "b1", "b2"])) is not None
    assert coded(map(Symbol, ["n1", "n2", "p1", "p2"])) is None
    assert coded(map(Symbol, ["a1", "a2", "a3"])) is None
    assert coded(map(Symbol, ["a1", "b2", "c3", "d4"])) is None


def test_stars_are_centred_and_ragged_boards_are_not() -> None:
    lengths = [1, 2, 7, 6, 5, 6, 7, 2, 1]
    assert centred({row: list(range(length)) for row, length in enumerate(lengths)}) == (
        6,
        5,
        0,
        1,
        2,
        1,
        0,
        5,
        6,
    )
    assert centred({0: [0, 1], 1: [1, 2], 2: [0]}) is None
    assert centred({0: [0], 1: [0, 1, 2], 2: [0]}) is None
