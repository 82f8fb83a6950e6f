"""The native machine: one game's circuit as machine code behind the single-state interface.

`NativeMachine(circuit)`: initial, legals, next, terminal, goal, facts, from_facts on packed states; every state
is evaluated once, by one native call, and kept in a bounded memory.
"""
