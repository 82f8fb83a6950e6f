"""Published and precomputed results: every algorithm on every tree of the collection, leaf for leaf."""

from __future__ import annotations

import json
from functools import cache
from math import inf

import pytest
from tests.support.data import oracles

from stratagem.machines.trees.models import uniform
from stratagem.machines.trees.tree import Tree
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.dual_star import dual_star
from stratagem.search.adversarial.fail_soft import fail_soft
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.adversarial.mtd import mtd_minus_inf, mtd_plus_inf, mtdf
from stratagem.search.adversarial.negascout import negascout
from stratagem.search.adversarial.printed_variants import (
    alpha_beta_second,
    alpha_beta_shallow,
    alpha_beta_strict,
)
from stratagem.search.adversarial.scout import scout
from stratagem.search.adversarial.sss_star import sss_star
from stratagem.trace.events import Pass

SMALL = 5000  # leaves: up to there the searches that look at every one of them are run, too


@cache
def collection():
    return json.loads((oracles() / "trees.json").read_text(encoding="utf-8"))


LARGEST = {("generated", 90), ("generated", 91)}
"""Trees that take many seconds."""


def entries(kind, count):
    """The entries' numbers: the file is opened when a test runs, so that its absence is a skip and not an error."""
    numbered = [(kind, number) for number in range(count)]
    return pytest.mark.parametrize(
        "entry",
        [
            pytest.param(one, marks=[pytest.mark.slow] if one in LARGEST else [], id=f"{one[0]}{one[1]}")
            for one in numbered
        ],
    )


def load(entry):
    kind, number = entry
    facts = collection()[kind][number]
    if "tree" in facts:
        return facts, Tree.of(facts["tree"])
    return facts, uniform(facts["b"], facts["d"], model=facts["model"], seed=facts["seed"])


def fnv(order):
    digest = 1469598103934665603
    for number in order:
        for byte in number.to_bytes(4, "little"):
            digest = (digest ^ byte) * 1099511628211 % 2**64
    return f"{digest:016x}"


def test_no_entry_of_the_collection_is_left_out():
    assert len(collection()["explicit"]) == 15
    assert len(collection()["generated"]) == 97


def check(entry):
    facts, tree = load(entry)
    everything = len(tree.leaves) <= SMALL

    for search in [alpha_beta, alpha_beta_second, fail_soft] if everything else [alpha_beta]:
        found = search(tree)
        assert (found.value, found.counters.leaves) == (facts["value"], facts["ab"])
        assert fnv(found.leaf_order) == facts["ab_fnv"]
    if everything:
        assert minimax(tree).value == facts["value"]
    assert alpha_beta_shallow(tree).counters.leaves == facts["ab_shallow"]

    for search, key in [(scout, "scout"), (negascout, "negascout")]:
        found = search(tree)
        assert found.value == facts["value"]
        assert found.counters.leaves == facts[f"{key}_distinct"]
        assert found.counters.evaluations == facts[f"{key}_calls"]

    best_first = {}
    for search, key in [(sss_star, "sss"), (dual_star, "dual")]:
        best_first[key] = found = search(tree)
        assert (found.value, found.counters.leaves) == (facts["value"], facts[key])
        assert fnv(found.leaf_order) == facts[f"{key}_fnv"]
        assert found.counters.peak_open == facts[f"{key}_peak_open"]
    assert best_first["sss"].counters.pops == facts["sss_pops"]

    from_above = mtd_plus_inf(tree)
    assert from_above.leaf_order == best_first["sss"].leaf_order
    assert from_above.counters.passes == facts["mtd_inf_passes"]
    assert mtd_minus_inf(tree).leaf_order == best_first["dual"].leaf_order

    at_the_value = mtdf(tree, guess=facts["value"])
    assert at_the_value.counters.leaves == facts["mtd_true_value"]
    assert fnv(at_the_value.leaf_order) == facts["mtd_true_value_fnv"]
    if "mtd_mid" in facts:
        midway = mtdf(tree, guess=middle(facts))
        assert midway.value == facts["value"]
        assert (midway.counters.leaves, midway.counters.passes) == (facts["mtd_mid"], facts["mtd_mid_passes"])
    return facts, tree


def middle(facts):
    model = facts["model"]
    if model.startswith("iid"):
        return int(model[3:]) // 2
    return 0 if model.startswith("inc") else (facts["b"] ** facts["d"] - 1) // 2


@entries("explicit", 15)
def test_explicit_trees_leaf_for_leaf(entry):
    facts, tree = check(entry)

    searches = {
        "alpha_beta": alpha_beta,
        "alpha_beta_strict_gt": alpha_beta_strict,
        "scout_first_eval": scout,
        "negascout_first_eval": negascout,
        "sss_star": sss_star,
        "dual_star": dual_star,
        "mtd_true_value": lambda tree: mtdf(tree, guess=facts["value"]),
    }
    for name, search in searches.items():
        assert list(search(tree).leaf_order) == facts["orders"][name], name
    assert passes(tree) == facts["orders"]["mtd_plus_inf_trace"]


def passes(tree):
    """What MTD(+inf) asks in each pass, and the answer, at which it asks again."""
    heard = []
    found = mtd_plus_inf(tree, trace=heard.append)
    asked = ["inf" if event.bound == inf else event.bound for event in heard if isinstance(event, Pass)]
    return [list(pair) for pair in zip(asked, [*asked[1:], found.value], strict=True)]


@entries("generated", 97)
def test_generated_trees(entry):
    check(entry)
