"""The kinds of exercises: backed-up values, leaves cut, the next element of OPEN, the order of blind search.

Each makes an exercise from a seed; right answers and reasons come from the trace of the algorithm (the order
of blind search is the lecture's own, where a node counts when it is visited).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from stratagem.errors import UsageError, require_type, require_whole
from stratagem.exercises.grading import Exercise, ExerciseQuestion
from stratagem.exercises.trees import drawn, names, node_at, random_tree
from stratagem.machines.trees.tree import MAX, Tree
from stratagem.search.adversarial.alpha_beta import alpha_beta
from stratagem.search.adversarial.minimax import minimax
from stratagem.search.adversarial.sss_star import sss_star
from stratagem.trace.events import Cut, Event, Leave, Path, Pop, Purge, Push


def number(value: float) -> str:
    return "inf" if value == float("inf") else f"{value:g}"


def minimax_exercise(seed: int) -> Exercise:
    """The backed-up value of every inner node, and the best move."""
    tree = random_tree(Random(seed), levels=3, leaves=14)
    named = names(tree)
    heard: list[Event] = []
    result = minimax(tree, trace=heard.append)
    backed = {
        node_at(tree, event.node): event.value
        for event in heard
        if isinstance(event, Leave) and isinstance(event.node, tuple)
    }
    values = {
        **backed,
        **{node: value for node in tree.leaf_nodes if (value := tree.values[node]) is not None},
    }
    questions = []
    for node in sorted(named, key=lambda node: (-_depth(tree, node), node)):
        below = [values[child] for child in tree.children[node]]
        rule = "the greatest" if tree.players[node] == MAX else "the least"
        listed = ", ".join(number(value) for value in below)
        why = f"{named[node]} is a {tree.players[node].upper()} node and takes {rule} of {listed}"
        questions.append(
            ExerciseQuestion(named[node], f"value of {named[node]}", "number", (number(values[node]),), why)
        )
    best = named.get(tree.children[0][_index(result.best_move)], "")
    why = f"A is MAX and its best child has the value {number(values[0])}"
    questions.append(
        ExerciseQuestion("move", "the child that A should choose (its letter)", "record", (best,), why)
    )
    text = f"Back up the values of this tree with MINIMAX.\n\n{drawn(tree)}"
    return Exercise("minimax", seed, text, tree.spec(), tuple(questions))


def alpha_beta_exercise(seed: int) -> Exercise:
    """The leaves that alpha-beta evaluates, those that it cuts, and the value."""
    random = Random(seed)
    while True:
        tree = random_tree(random, levels=3, leaves=16)
        heard: list[Event] = []
        result = alpha_beta(tree, trace=heard.append)
        if result.counters.cutoffs:
            break
    named = names(tree)
    assert result.leaf_order is not None
    cut = [leaf for leaf in range(len(tree.leaves)) if leaf not in result.leaf_order]
    cuts = [event for event in heard if isinstance(event, Cut)]
    reasons = "; ".join(_cut_reason(tree, named, event) for event in cuts)
    about = _reasons_by_leaf(tree, named, cuts, cut)
    questions = (
        ExerciseQuestion(
            "looked",
            "the leaves evaluated, in order (their numbers)",
            "sequence",
            tuple(map(str, result.leaf_order)),
            reasons,
            about,
            "every leaf that is not cut is evaluated, from left to right",
        ),
        ExerciseQuestion(
            "cut",
            "the leaves that are cut (their numbers)",
            "numbers",
            tuple(map(str, cut)),
            reasons,
            about,
            "when it is reached, alpha is below beta in every node above it",
        ),
        ExerciseQuestion(
            "value",
            "the value of A",
            "number",
            (number(result.value or 0),),
            "alpha-beta finds minimax's value",
        ),
    )
    text = (
        "Run ALPHA-BETA on this tree from left to right, with the window wide open at the root; cut as soon as "
        f"alpha >= beta.\n\n{drawn(tree)}"
    )
    return Exercise("alpha-beta", seed, text, tree.spec(), questions)


def sss_exercise(seed: int) -> Exercise:
    """Every element popped from OPEN, one after the other."""
    random = Random(seed)
    while True:
        tree = random_tree(random, levels=3, widest=2, leaves=8)
        heard: list[Event] = []
        result = sss_star(tree, trace=heard.append)
        pops = [event for event in heard if isinstance(event, Pop)]
        if len(pops) <= 24:
            break
    named = names(tree) | {node: str(tree.leaf_number(node)) for node in tree.leaf_nodes}
    held: dict[Path, Push] = {}
    questions: list[ExerciseQuestion] = []
    for event in heard:
        if isinstance(event, Push) and isinstance(event.node, tuple):
            held[event.node] = event
        elif isinstance(event, Pop) and isinstance(event.node, tuple):
            inside = sorted(held.values(), key=lambda push: (-push.priority, push.node))
            listed = ", ".join(_record(tree, named, push) for push in inside)
            why = f"OPEN holds {listed}; the greatest h comes first; ties go to the left-most"
            answer = (named[node_at(tree, event.node)].lower(), event.status.lower(), number(event.priority))
            step = len(questions) + 1
            questions.append(
                ExerciseQuestion(f"pop{step}", f"pop {step}: node, LIVE or SOLVED, h", "record", answer, why)
            )
            del held[event.node]
        elif isinstance(event, Purge):
            held = {path: push for path, push in held.items() if path not in event.removed}
    questions.append(
        ExerciseQuestion(
            "value",
            "the value of A",
            "number",
            (number(result.value or 0),),
            "it is the h with which A is popped SOLVED",
        )
    )
    text = (
        "Run SSS* on this tree. Name what is popped from OPEN, step by step: the node (its letter, or a leaf's "
        f"number), LIVE or SOLVED, and h (inf at the start). Ties go to the left-most.\n\n{drawn(tree)}"
    )
    return Exercise("sss", seed, text, tree.spec(), tuple(questions))


def blind_exercise(seed: int) -> Exercise:
    """The order in which breadth-first, depth-first and iterative deepening visit the nodes."""
    random = Random(seed)
    tree = random_tree(random, levels=3, widest=3, leaves=12)
    level = [0]
    letters: dict[int, str] = {}
    while level:
        for node in level:
            letters[node] = chr(ord("a") + len(letters)) if len(letters) < 26 else f"n{len(letters)}"
        level = [child for node in level for child in tree.children[node]]
    goal = random.choice(tree.leaf_nodes)
    edges = {letters[node]: [letters[child] for child in below] for node, below in enumerate(tree.children)}
    questions = []
    for key, title in BLIND:
        visited = visits(edges, letters[0], letters[goal], key)
        why = f"{title}; the children of a node are taken from left to right, and the search ends at {letters[goal]}"
        questions.append(
            ExerciseQuestion(key, f"nodes visited by {key} search, in order", "sequence", visited, why)
        )
    shown = "\n".join(f"{node} -> {' '.join(below)}" for node, below in edges.items() if below)
    text = f"Search this tree from {letters[0]} for the goal {letters[goal]}; name the nodes in the order of visits.\n\n{shown}"
    return Exercise("blind", seed, text, tree.spec(), tuple(questions))


BLIND = (
    ("breadth-first", "breadth-first search takes the nearest nodes first"),
    ("depth-first", "depth-first search goes deeper before it tries the next child"),
    ("deepening", "each round starts again from the root and goes one level deeper"),
)


def visits(edges: Mapping[str, Sequence[str]], start: str, goal: str, key: str) -> tuple[str, ...]:
    """The order of visits as the lecture prints it: a node counts when it is visited, the goal comes last."""
    order: list[str] = []
    rounds = range(1, len(edges) + 1) if key == "deepening" else [len(edges)]
    for levels in rounds:
        waiting = [(start, 1)]
        while waiting:
            node, level = waiting.pop(0)
            order.append(node)
            if node == goal:
                return tuple(order)
            below = [(child, level + 1) for child in edges[node] if level < levels]
            waiting = waiting + below if key == "breadth-first" else below + waiting
    return tuple(order)


def _record(tree: Tree, named: dict[int, str], push: Push) -> str:
    assert isinstance(push.node, tuple)
    return f"({named[node_at(tree, push.node)]}, {push.status}, {number(push.priority)})"


def _cut_reason(tree: Tree, named: dict[int, str], cut: Cut) -> str:
    assert isinstance(cut.node, tuple)
    at = named[node_at(tree, cut.node)]
    bound = "alpha" if cut.side == "alpha" else "beta"
    because = ""
    if isinstance(cut.ancestor, tuple):
        because = f", which {named[node_at(tree, cut.ancestor)]} has already"
    return f"{at} is cut at {number(cut.value)}: it is past {bound} = {number(cut.bound)}{because}"


def _reasons_by_leaf(
    tree: Tree, named: dict[int, str], cuts: Sequence[Cut], leaves: Sequence[int]
) -> tuple[tuple[str, str], ...]:
    """For each of the *leaves* that are cut, why: the lowest node above it that is cut says so."""
    found: dict[int, str] = {}
    for event in sorted(cuts, key=lambda event: len(event.node) if isinstance(event.node, tuple) else 0):
        assert isinstance(event.node, tuple)
        waiting = [node_at(tree, event.node)]
        while waiting:
            node = waiting.pop()
            found[node] = _cut_reason(tree, named, event)
            waiting += tree.children[node]
    return tuple((str(leaf), found[tree.leaf_nodes[leaf]]) for leaf in leaves)


def _depth(tree: Tree, node: int) -> int:
    depth, level = 0, [0]
    while node not in level:
        level = [child for parent in level for child in tree.children[parent]]
        depth += 1
    return depth


def _index(move: object) -> int:
    assert isinstance(move, int)
    return move


KINDS: dict[str, Callable[[int], Exercise]] = {
    "minimax": minimax_exercise,
    "alpha-beta": alpha_beta_exercise,
    "sss": sss_exercise,
    "blind": blind_exercise,
}


def exercise(kind: str, seed: int) -> Exercise:
    """The exercise of that *kind* and *seed*.

    >>> exercise("minimax", 1).questions[-1].prompt
    'the child that A should choose (its letter)'
    """
    require_type(kind, str, "the name of a kind of exercise")
    seed = require_whole("seed", seed)
    make = KINDS.get(kind)
    if make is None:
        raise UsageError(f"no exercise is called {kind}", hint=f"choose one of {', '.join(KINDS)}")
    return make(seed)
