"""Verbs of a single trial: watch an agent, or play yourself."""

import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from tau_rec_books.cli.built import Built, built, built_options, cap_options
from tau_rec_books.cli.options import FILE
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.tools import INTERFACES

if TYPE_CHECKING:
    from tau_rec_books.agents.run import TrialRunner

PLAIN_WIDTH = 120
"""Columns of what does not go to a terminal."""


_LEFT = ("PersonLeft", "the agent stopped without an ending")
"""What the trace tells of a person who left."""


def one_trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the verbs that run one trial."""
    for option in (
        click.option("--user", default="rule-v1", show_default=True, help="User profile."),
        click.option("--size", default="20k", show_default=True, help="Size name of the catalog."),
        click.option(
            "--interface",
            type=click.Choice(INTERFACES),
            default="structured",
            show_default=True,
            help="Search interface.",
        ),
        built_options,
        click.option(
            "--task", "task_id", help="Id of the task, such as family-060-mixed.  [default: any task]"
        ),
    ):
        command = option(command)
    return command


def _chosen(place: Built, name: str | None) -> Task:
    """The named task, or any: only here may chance decide, since the trace names the task."""
    known = place.read_tasks()
    if not known:
        raise Problem(f"{place.tasks} holds no tasks; make the tasks again.")
    if name is None:
        return secrets.choice(list(known.values()))
    if name not in known:
        raise Problem(f"{place.tasks} has no task {name!r}; the ids look like {next(iter(known))}.")
    return known[name]


def _runner(place: Built, size: str, caps: Caps) -> "TrialRunner":
    from tau_rec_books.agents.run import TrialRunner

    return TrialRunner(place.read_catalog(size), size, caps)


def _console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def _save(out: Path, trace: dict[str, Any], place: Built) -> None:
    from tau_rec_books.core.canonical import write_jsonl

    write_jsonl(out, [trace])
    click.echo(f"Trace saved; check it with: tau-rec-books replay {out} --results {place.results}")


@click.command()
@one_trial_options
@click.option("--agent", default="eliminating", show_default=True, help="Agent to run.")
@click.option("--prompt", default="", help="Prompt that a synthetic agent imitates.")
@click.option("--repetition", type=int, default=1, show_default=True, help="Number of the repetition.")
@click.option("--out", type=FILE, help="JSON Lines file to save the trace to.")
@cap_options
def trial(
    task_id: str | None,
    results: Path,
    catalog: Path | None,
    tasks: Path | None,
    interface: str,
    size: str,
    user: str,
    agent: str,
    prompt: str,
    repetition: int,
    out: Path | None,
    **caps: int,
) -> None:
    """Run one trial of one agent and print it as a dialogue, with its score explained.

    \b
    Examples:
      tau-rec-books trial
      tau-rec-books trial --task family-060-mixed --agent popularity
      tau-rec-books trial --task family-060-hidden --agent synthetic-keen --interface keyword --size 5k
    """
    from tau_rec_books.trial.trace import Identity
    from tau_rec_books.trial.transcript import print_events, print_score
    from tau_rec_books.trial.user import profile

    place = built(results, catalog, tasks)
    task = _chosen(place, task_id)
    identity = Identity("trial", "single", agent, interface, size, user, prompt, task.id, repetition, 1)
    trace = _runner(place, size, Caps(**caps)).run(task, identity)
    console = _console()
    console.print(f"{agent} on {task.id}, {interface} search over {size}\n", style="bold")
    print_events(console, trace["events"])
    print_score(console, trace, task, profile(user).templates)
    if out is not None:
        _save(out, trace, place)


@click.command()
@one_trial_options
@click.option("--as-user", is_flag=True, help="Answer an agent as the reader instead of playing the agent.")
@click.option(
    "--agent", default="popularity", show_default=True, help="With --as-user: the agent that talks."
)
@click.option("--out", type=FILE, help="JSON Lines file to save the trace to.")
@cap_options
def play(
    task_id: str | None,
    results: Path,
    catalog: Path | None,
    tasks: Path | None,
    interface: str,
    size: str,
    user: str,
    as_user: bool,
    agent: str,
    out: Path | None,
    **caps: int,
) -> None:
    """Play one task in the terminal, as the agent or (--as-user) as the reader, scored like any trial.

    \b
    Examples:
      tau-rec-books play
      tau-rec-books play --task family-060-hidden --out mine.jsonl
      tau-rec-books play --interface keyword --size 5k
      tau-rec-books play --as-user --agent eliminating --task family-060-mixed
    """
    from tau_rec_books.agents.person import PersonAsAgent, PersonAsReader, PersonLeft
    from tau_rec_books.trial.trace import Identity
    from tau_rec_books.trial.transcript import print_right_answer, print_score
    from tau_rec_books.trial.user import RuleUser, profile

    if as_user and out is not None:
        raise Problem("A reader played by a person cannot be replayed; leave out --out, or --as-user.")
    place = built(results, catalog, tasks)
    task = _chosen(place, task_id)
    runner = _runner(place, size, Caps(**caps))
    console = _console()
    name = agent if as_user else "person"
    identity = Identity("play", "play", name, interface, size, user, "", task.id, 1, 1)
    words = profile(user).templates
    if as_user:
        rule_user = RuleUser(profile(user), task, runner.catalog)
        ask = _line_reader([])
        try:
            trace = runner.run(task, identity, someone=PersonAsReader(rule_user, words, ask, console))
        except PersonLeft:
            click.echo("You left before the trial began.")
            return
    else:
        from tau_rec_books.agents.completion import completions

        vocabulary = runner.catalog.vocabulary
        ask = _line_reader([lambda line: completions(line, interface, vocabulary)])
        trace = runner.run(task, identity, agent=PersonAsAgent(ask, console))
    if trace["events"][-1].get("detail") in _LEFT:
        click.echo(f"You left {task.id} before its end, so there is no score.")
        return
    console.print(f"\nThis was {task.id}.", style="dim")
    print_score(console, trace, task, words)
    print_right_answer(console, trace, task, runner.catalog)
    if not as_user and out is None and sys.stdin.isatty() and trace["evaluation"] is not None:
        out = _wished_file()
    if out is not None:
        _save(out, trace, place)


def _wished_file() -> Path | None:
    try:
        typed = input("Save the trace to (empty: do not save): ").strip()
    except (EOFError, KeyboardInterrupt):
        click.echo()
        return None
    return Path(typed) if typed else None


def _line_reader(completers: list[Callable[[str], list[str]]]) -> Callable[[str], str]:
    """Reads lines with editing, history and, given a completer, the Tab key, where the platform has them."""
    try:
        import readline
    except ImportError:
        return input
    if completers and sys.stdin.isatty():
        _complete_with(readline, completers[0])
    return input


def _complete_with(readline: Any, completer: Callable[[str], list[str]]) -> None:
    found: list[str] = []

    def state(_: str, number: int) -> str | None:
        if number == 0:
            # Readline wants only the last word, but a value such as "Science Fiction" has blanks in it.
            line = readline.get_line_buffer()[: readline.get_endidx()]
            found[:] = [whole[readline.get_begidx() :] for whole in completer(line)]
        return found[number] if number < len(found) else None

    readline.set_completer(state)
    readline.set_completer_delims(' ="')
    if "libedit" in (readline.__doc__ or ""):
        readline.parse_and_bind("bind ^I rl_complete")
    else:
        readline.parse_and_bind("tab: complete")
        readline.parse_and_bind("set show-all-if-ambiguous on")
