"""The command line: `stratagem COMMAND ...`. Internal.

Each command has a module of its own, imported when the command runs, so that `--help` is fast. Exit codes: 0, success;
1, no answer (unsolved, a limit, Ctrl-C: partial results are printed); 2, bad input, as one sentence on standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperGroup

from stratagem import __version__
from stratagem.cli.common.notes import print_notes
from stratagem.cli.common.output import delivered, fit_output
from stratagem.errors import LimitExceeded, PlayerUnavailable, RulesError, StratagemError

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "games": ("games:games", "List the bundled games with known facts about them."),
    "show": ("show:show", "Draw a game: roles, the position, the legal moves."),
    "walk": ("show:walk", "Play one random match, move by move."),
    "play": ("play:play", "Play a game in the terminal."),
    "why": ("why:why", "Say why something holds in a position, or why it does not."),
    "check": ("check:check", "Check rule sheets: every error and warning, with its place."),
    "convert": ("convert:convert", "Convert between KIF and HRF."),
    "circuit": ("circuit:circuit", "Show the circuit of the rules: gates, state, times by stage."),
    "search": ("search:search", "Run one search and print its result and its cost."),
    "compare": ("compare:compare", "Run all algorithms on one game or tree, beside the formulas."),
    "collapse": ("collapse:collapse", "Count tree nodes, distinct states and symmetry classes."),
    "count": ("count:count", "Count states by distance or by ply, and lines of play (perft)."),
    "explain": ("explain:explain", "Show a search step by step: terminal, HTML, SVG, PNG."),
    "exercise": ("exercise:exercise", "Pose an exercise and grade the answers step by step."),
    "solve": ("solve:solve", "Prove the value of a game, or solve a puzzle."),
    "query": ("query:query", "Query a database of perfect play."),
    "verify": ("verify:verify", "Check a certificate with the reasoner alone."),
    "judge": ("judge:judge", "Say whether the rules are sound, fair and solved."),
    "sweep": ("sweep:sweep", "Judge a game over a range of sizes."),
    "bench": ("bench:bench", "Measure a game: compile times, playouts, states per second."),
    "perf": ("perf:perf", "Measure one sheet and write the result in the gdl-perf format."),
    "player": ("player:player", "Run a player for the GGP protocol."),
    "host": ("host:host", "Run a match between players on the network."),
    "tournament": ("tournament:tournament", "Run a tournament and rate the players."),
    "matches": ("matches:matches", "List the recorded matches."),
    "replay": ("matches:replay", "Show a recorded match, move by move."),
    "workbench": ("workbench:workbench", "Open the workbench in a browser."),
}


def load_command(name: str) -> Any:
    """Imports and builds one command."""
    module, function = COMMANDS[name][0].split(":")
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(name, help=None)(getattr(import_module(f"stratagem.cli.{module}"), function))
    command = typer.main.get_command(app)
    command.name = name
    return command


class Commands(TyperGroup):
    """A group whose commands are looked up in `COMMANDS`; listing them imports none."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return typer.core.TyperCommand(cmd_name, help=COMMANDS[cmd_name][1], rich_markup_mode=None)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else load_command(name), rest

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        with _interruptions():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: Any) -> Any:
        with _interruptions():
            return super().invoke(ctx)


@contextmanager
def _interruptions() -> Iterator[None]:
    """Handles Ctrl-C and a closed pipe, for which typer has exit codes of its own."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("stratagem: interrupted before there was anything to report", err=True)
        raise typer.Exit(1) from None
    except BrokenPipeError:
        raise typer.Exit(0) from None


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    """Stratagem plays, solves and explains any game you can write down."""
    if version:
        typer.echo(f"stratagem {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from stratagem.cli.workbench import without_command

        without_command(context.get_help())


def main() -> None:
    """The entry point of the console command."""
    print_notes()
    fit_output()
    with delivered():
        run()


def run() -> None:
    """Runs the command; turns our errors into one sentence and an exit code."""
    from stratagem.cli.common.progress import WorkAbandoned, leave

    try:
        app()
    except RulesError as refused:
        for found in refused.findings or (refused,):
            typer.echo(str(found), err=True)
        sys.exit(2)
    except (LimitExceeded, PlayerUnavailable) as spent:
        typer.echo(f"stratagem: {spent}", err=True)
        if isinstance(spent, WorkAbandoned):
            leave(1)
        sys.exit(1)
    except StratagemError as refused:
        typer.echo(f"stratagem: {refused}", err=True)
        sys.exit(2)
