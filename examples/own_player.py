"""A player of your own, in a tournament against two of ours."""

from __future__ import annotations

import stratagem as st


class OnePly(st.play.Player):
    """Takes a move that wins at once if there is one, else the move after which random play ends best."""

    name = "one-ply"

    def choose(self, match: st.play.Match, clock: st.play.Deadline) -> st.Term:
        game, role = match.rules, match.role
        number = game.roles.index(role)
        best, best_value = match.legals()[0], -1.0
        for move in match.legals():
            after = match.state.play(move)
            goal = after.goal(role) if after.terminal else game.playouts(after, n=200, seed=1).goals[number]
            if goal is not None and goal > best_value:
                best, best_value = move, goal
            if clock.over():
                break
        return best


def main() -> None:
    game = st.load("connectfour", columns=5, rows=4)
    record = st.play.match(game, [OnePly(), "random"], clock=1.0, seed=1)
    print(f"{record.players[0]} against {record.players[1]}: {record.goals} after {len(record.moves)} moves")
    standings = st.play.tournament([game], [OnePly, "random", "legal"], rounds=2, clock=1.0)
    print(standings)


if __name__ == "__main__":
    main()
