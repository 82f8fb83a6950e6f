"""Random rule sheets for hypothesis: any rules that KIF can write, sound or not."""

from __future__ import annotations

from hypothesis import strategies as st


def words(text: str) -> list[str]:
    return text.split()


ORDINARY = words("a b cell mark 1 2 100 -5 007 goLeft")
ODD = words('1.0 + < ++ - Cell GO _x it\'s "x y" é İß x:-y #|z|# $n')
RELATIONS = words("p q line Succ ++ or not")
KEYWORDS = words("role init true does next legal goal terminal base input")

WORDS = st.sampled_from(ORDINARY + ODD)
NAMES = st.one_of(st.sampled_from(RELATIONS + KEYWORDS), WORDS)
VARIABLES = st.sampled_from(
    ["?x", "?y", "?X", "?player", "?n++", "?_", "?_1", "?_any", "?", "?1", "?Two-Three"]
)


def _listed(parts: list[str]) -> str:
    return f"({' '.join(parts)})"


TERMS = st.recursive(
    st.one_of(WORDS, VARIABLES, WORDS.map(lambda word: f"({word})")),
    lambda inner: st.builds(
        lambda name, parts: _listed([name, *parts]), WORDS, st.lists(inner, min_size=1, max_size=3)
    ),
    max_leaves=5,
)
SENTENCES = st.one_of(
    NAMES,
    st.builds(
        lambda name, parts: _listed([name, *parts]),
        NAMES.filter(lambda name: name not in ("or", "not")),
        st.lists(TERMS, max_size=3),
    ),
)
LITERALS = st.recursive(
    st.one_of(SENTENCES, st.builds(lambda left, right: f"(distinct {left} {right})", TERMS, TERMS)),
    lambda inner: st.one_of(
        inner.map(lambda literal: f"(not {literal})"),
        st.lists(inner, max_size=3).map(lambda literals: _listed(["or", *literals])),
    ),
    max_leaves=4,
)
RULES = st.one_of(
    SENTENCES,
    st.builds(lambda head, body: _listed(["<=", head, *body]), SENTENCES, st.lists(LITERALS, max_size=4)),
)
SHEETS = st.lists(RULES, max_size=8).map("\n".join)
"""Texts in KIF that can be read without a fault of syntax."""
