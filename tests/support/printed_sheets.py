"""Algorithms as the lecture's sheets print them, loose points included, to show what is right beside them.

They run on nested lists with MAX at the root, and keep to the printed lines; ours are in `stratagem.search`.
"""

from __future__ import annotations

LARGE = 1000
LIVE, SOLVED = "LIVE", "SOLVED"


def best_move(children_values):
    """BEST-MOVE as printed: no node to begin with, -LARGE to beat."""
    best_node, best_value = None, -LARGE
    for node, value in enumerate(children_values):
        if best_value < value:
            best_value, best_node = value, node
    return best_node


def sss_star(tree, *, purge="min case", tie="left"):
    """SSS* with line 23 ("remove all successors of P from OPEN") where *purge* puts it.

    "min case": inside the case of a solved MIN node; "solved case": after every solved node; "loop": in every turn
    of the loop. *tie* picks among equal h: "left", "right", "old" (longest in OPEN) or "new". Returns the value and
    the leaves in order of evaluation; None for the value where OPEN runs empty.
    """

    def at(path):
        node = tree
        for index in path:
            node = node[index]
        return node

    open_list, evaluated, above, stamp = [((), LIVE, float("inf"), 0)], [], None, 0
    while open_list:
        prefer = {
            "left": lambda it: [-index for index in it[0]],
            "right": lambda it: list(it[0]),
            "old": lambda it: -it[3],
            "new": lambda it: it[3],
        }[tie]
        top = max(open_list, key=lambda it: (it[2], prefer(it)))
        open_list.remove(top)
        path, status, h, _ = top
        if path == () and status == SOLVED:
            return h, evaluated
        node, is_max = at(path), len(path) % 2 == 0
        added = []
        if status == LIVE:
            if not isinstance(node, list):
                evaluated.append(path)
                added.append((path, SOLVED, min(h, node)))
            elif is_max:
                added.extend(((*path, index), LIVE, h) for index in range(len(node)))
            else:
                added.append(((*path, 0), LIVE, h))
        else:
            above = path[:-1]
            if is_max and path[-1] == len(at(above)) - 1:
                added.append((above, SOLVED, h))
            elif is_max:
                added.append(((*above, path[-1] + 1), LIVE, h))
            else:
                added.append((above, SOLVED, h))
        for record in added:
            stamp += 1
            open_list.append((*record, stamp))
        removes = {
            "min case": status == SOLVED and not is_max,
            "solved case": status == SOLVED,
            "loop": True,
        }[purge]
        if removes and above is not None:
            open_list = [
                it for it in open_list if not (len(it[0]) > len(above) and it[0][: len(above)] == above)
            ]
    return None, evaluated
