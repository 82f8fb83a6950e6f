"""A million random matches of connect four, from the text of its rules: who wins, and how long a match is."""

from __future__ import annotations

import time

import stratagem as st


def main(matches: int = 1_000_000) -> None:
    game = st.load("connectfour")
    begin = time.perf_counter()
    report = game.playouts(n=matches, seed=1)
    seconds = time.perf_counter() - begin
    print(f"{report.matches:,} matches in {seconds:.2f} s, the time to compile the rules included")
    for goals, count in sorted(report.outcomes.items(), reverse=True):
        told = ", ".join(f"{role} {goal}" for role, goal in zip(game.roles, goals, strict=True))
        print(f"  {told}: {count / report.matches:.1%}")
    print(f"  longest match: {report.longest} moves")

    # The same rules as arrays: one step of every match at a time, as reinforcement learning wants it.
    batch = game.batch(1000)
    steps = 0
    while not batch.terminated.all():
        batch.step_random(seed=steps)
        steps += 1
    print(f"1,000 matches stepped as arrays to their ends: {steps} steps")


if __name__ == "__main__":
    main()
