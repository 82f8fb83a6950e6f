"""All children of many states in one native call: `Expander`, made from a circuit.

A packed state is W uint64 words (W = ceil(len(bases) / 64), at least 1); bit i % 64 of word i // 64 is base i.
Two C functions, called by address from kernels that are compiled once for all games:

    int64 expand(const uint64* states, int64 count, uint64* children, int32* parents, int32* moves,
                 uint8* terminal, int16* goals, int64 capacity, int64* consumed)
        for *count* non-terminal states all children by all legal joint moves, parents ascending, joint moves in
        lexicographic order of the roles' canonical move indices: child states [n, W], parents [n], joint moves
        as indices into circuit.moves[role] [n, R], whether a child is terminal [n], its goals [n, R] (-1: none,
        or not exactly one). Stops before the first parent whose children do not fit; *consumed* says how many
        parents are done. A role without a legal move: the parent has no children. Returns n.

    void evaluate(const uint64* states, int64 count, uint64* legal, uint8* terminal, int16* goals)
        legal moves (a packed row of words for each role), the end and the goals of given states.

Both may be called from many threads at once.
"""
