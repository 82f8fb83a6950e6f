"""Random rule sheets with recursion through the state: loops in the circuit, some of which feed others.

Water flows from sources over open places; what it does not reach may burn, from a spark over places that are not wet; a place that
two of its neighbours support stands. Roles open and close places in turn, so that all three grow and shrink.
"""

from __future__ import annotations

import itertools
import random

RULES = """
(role a) (role b) (other a b) (other b a)
(init (control a))
(<= (wet ?x) (source ?x) (true (open ?x)))
(<= (wet ?x) (wet ?y) (way ?y ?x) (true (open ?x)))
(<= (burnt ?x) (spark ?x) (not (wet ?x)))
(<= (burnt ?x) (burnt ?y) (way ?x ?y) (not (wet ?x)) (not (true (kept ?x))))
(<= (stands ?x) (ground ?x) (not (burnt ?x)))
(<= (stands ?x) (leans ?x ?y ?z) (stands ?y) (stands ?z) (true (open ?x)))
(<= (stands ?x) (prop ?x ?y) (stands ?y) (true (kept ?x)))
(<= (turned ?x) (does ?_who (turn ?x)))
(<= (legal ?who rest) (role ?who))
(<= (legal ?who (turn ?x)) (true (control ?who)) (place ?x) MAY)
(<= (next (open ?x)) (turned ?x) (not (true (open ?x))))
(<= (next (open ?x)) (true (open ?x)) (not (turned ?x)) STAYS)
(<= (next (kept ?x)) (KEEPS ?x))
(<= (next (control ?who)) (other ?who ?last) (true (control ?last)))
(<= terminal (ENDS LAST) (ALSO FIRST))
(<= (goal ?who 100) (other ?who ?_other) (PAYS LAST))
(<= (goal ?who 50) (true (control ?who)) (not (PAYS LAST)))
(<= (goal ?who 0) (other ?who ?other) (true (control ?other)) (not (PAYS LAST)))
"""
LASTING = (0, 1, 3, 5, 6, 9, 10, 17, 18, 20)
"""Seeds of sheets whose matches are of many lengths; loops are read by legal moves, next states and ends in five of them."""
DERIVED = ("wet", "burnt", "stands")


def recursive_sheet(seed: int) -> str:
    """A sound sheet; which of its conditions read loops is drawn at random."""
    chance = random.Random(seed)
    places = range(1, chance.randrange(4, 9))
    pairs = list(itertools.permutations(places, 2))
    facts = [f"(place {place})" for place in places]
    facts += [f"(way {one} {other})" for one, other in chance.sample(pairs, min(len(pairs), 2 * len(places)))]
    facts += [f"(prop {one} {other})" for one, other in chance.sample(pairs, len(places))]
    for _ in range(2 * len(places)):
        facts.append("(leans {} {} {})".format(*(chance.choice(places) for _ in range(3))))
    for name in ("source", "spark", "ground"):
        facts += [f"({name} {place})" for place in chance.sample(places, 2)]
    for name in ("open", "kept"):
        facts += [f"(init ({name} {place}))" for place in places if chance.random() < 0.5]
    words = {
        "MAY": chance.choice(["", "(not (burnt ?x))", "(not (stands ?x))", "(or (wet ?x) (true (kept ?x)))"]),
        "STAYS": chance.choice(["", "(not (burnt ?x))", "(not (true (kept ?x)))"]),
        "KEEPS": chance.choice(DERIVED),
        "ENDS": chance.choice(DERIVED),
        "ALSO": chance.choice(DERIVED),
        "PAYS": chance.choice(DERIVED),
        "LAST": str(places[-1]),
        "FIRST": str(places[0]),
    }
    rules = RULES
    for word, text in words.items():
        rules = rules.replace(word, text)
    return "\n".join([*facts, rules])
