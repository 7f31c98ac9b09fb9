"""Verbs of the trials."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from tau_rec_books.cli.options import FILE, FOLDER
from tau_rec_books.core.canonical import read_jsonl
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.tools import INTERFACES

if TYPE_CHECKING:
    from tau_rec_books.agents.run import TrialRunner

INTERFACE = click.Choice(INTERFACES)


def read_tasks(path: Path) -> dict[str, Task]:
    """The tasks of ``tasks.jsonl``, by id, in file order.

    Raises:
        Problem: when the file is missing or a line is not a task.
    """
    tasks = {}
    for number, document in enumerate(read_jsonl(path), start=1):
        try:
            task = Task.from_document(document)
        except (KeyError, TypeError) as error:
            raise Problem(
                f"{path}, line {number}, is not a task ({error!r}); make the tasks again."
            ) from error
        tasks[task.id] = task
    return tasks


def cap_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the limits of a trial."""
    for name, value in reversed(list(Caps().document().items())):
        option = click.option(
            f"--{name.replace('_', '-')}",
            type=int,
            default=value,
            show_default=True,
            help="Limit of a trial.",
        )
        command = option(command)
    return command


@click.command()
@click.option("--tasks", type=FILE, required=True, help="tasks.jsonl.")
@click.option("--track", required=True, help="Name of the track, part of every trial's identity.")
@click.option("--agent", "agents", multiple=True, required=True, help="Agent to plan; may be repeated.")
@click.option("--interface", type=INTERFACE, default="structured", show_default=True)
@click.option("--size", default="20k", show_default=True, help="Size name of the catalog.")
@click.option("--user", default="rule-v1", show_default=True, help="User profile.")
@click.option("--block", default="reference", show_default=True, help="Name of the experiment.")
@click.option("--repetitions", type=int, default=1, show_default=True, help="Trials per task.")
@click.option("--shard-size", type=int, help="Trials per shard.")
@click.option("--shards", type=int, help="Shards per agent, instead of --shard-size.")
@click.option("--protocol-version", type=int, default=1, show_default=True)
@click.option("--out", type=FILE, required=True, help="plan.csv to write.")
def plan_trials(
    tasks: Path,
    track: str,
    agents: tuple[str, ...],
    interface: str,
    size: str,
    user: str,
    block: str,
    repetitions: int,
    shard_size: int | None,
    shards: int | None,
    protocol_version: int,
    out: Path,
) -> None:
    """Plan the trials of scripted agents over all tasks, cut into shards.

    \b
    Example:
      tau-rec-books plan-trials --tasks results/books-synthetic-v1/tasks/tasks.jsonl \\
        --track books-synthetic-v1 --agent popularity --agent no-ask --shards 2 --out plan.csv
    """
    from tau_rec_books.agents.run import AGENTS
    from tau_rec_books.trial.plan import Block, plan, write_plan

    for agent in agents:
        if agent not in AGENTS:
            raise Problem(f"There is no agent {agent!r}; choose among {', '.join(sorted(AGENTS))}.")
    experiment = Block(
        name=block,
        agents=agents,
        interfaces=(interface,),
        sizes=(size,),
        users=(user,),
        prompts=("",),
        tasks=tuple(read_tasks(tasks)),
        repetitions=repetitions,
    )
    planned = plan([experiment], track, protocol_version, shard_size=shard_size, shards=shards)
    write_plan(out, planned)
    click.echo(f"{len(planned)} trials planned: {out}")


@click.command()
@click.option("--plan", "plan_file", type=FILE, required=True, help="plan.csv.")
@click.option("--agent", required=True, help="Agent whose shard to run.")
@click.option("--shard", required=True, help="Shard to run, such as 0000.")
@click.option("--catalog", type=FOLDER, required=True, help="Folder with {size}.parquet and vocabulary.json.")
@click.option("--tasks", type=FOLDER, required=True, help="Folder with tasks.jsonl.")
@click.option("--journal", type=FOLDER, required=True, help="Folder where finished trials are kept.")
@click.option("--out", type=FILE, required=True, help="JSON Lines file of traces to write.")
@cap_options
def run_trials(
    plan_file: Path,
    agent: str,
    shard: str,
    catalog: Path,
    tasks: Path,
    journal: Path,
    out: Path,
    **caps: int,
) -> None:
    """Run one shard of the plan; trials finished before are not run again.

    \b
    Example:
      tau-rec-books run-trials --plan plan.csv --agent popularity --shard 0000 \\
        --catalog results/books-synthetic-v1/catalog --tasks results/books-synthetic-v1/tasks \\
        --journal journal --out popularity-0000.jsonl
    """
    from tau_rec_books.agents.run import TrialRunner
    from tau_rec_books.agents.shard import run_shard
    from tau_rec_books.catalog.books import read_catalog
    from tau_rec_books.trial.plan import read_plan

    limits = Caps(**caps)
    runners: dict[str, TrialRunner] = {}

    def runner_of(size: str) -> TrialRunner:
        if size not in runners:
            books = read_catalog(catalog / f"{size}.parquet", catalog / "vocabulary.json")
            runners[size] = TrialRunner(books, size, limits)
        return runners[size]

    mine = [t for t in read_plan(plan_file) if t.identity.agent == agent and t.shard == shard]
    report = run_shard(
        mine, read_tasks(tasks / "tasks.jsonl"), runner_of, journal / f"{agent}-{shard}.jsonl", out
    )
    click.echo(
        f"{report.planned} trials of {agent}, shard {shard}: {report.run} run now, "
        f"{report.planned - report.run} from the journal, {report.pending} pending: {out}"
    )


@click.command()
@click.option("--plan", "plan_file", type=FILE, required=True, help="plan.csv.")
@click.option("--shards", type=FOLDER, required=True, help="Folder with {agent}/{shard}.jsonl.")
@click.option("--out", type=FOLDER, required=True, help="Folder for trials.csv and traces/{agent}.jsonl.")
def merge_trials(plan_file: Path, shards: Path, out: Path) -> None:
    """Merge all shards; refuses a missing, repeated or unplanned trial.

    \b
    Example:
      tau-rec-books merge-trials --plan plan.csv --shards shards --out results/books-synthetic-v1/trials
    """
    from tau_rec_books.trial.merge import merge
    from tau_rec_books.trial.plan import read_plan

    planned = read_plan(plan_file)
    pending = merge(planned, shards, out)
    click.echo(f"{len(planned)} trials merged, {pending} pending: {out}")


@click.command()
@click.argument("traces", type=FILE, nargs=-1, required=True)
@click.option("--catalog", type=FOLDER, required=True, help="Folder with {size}.parquet and vocabulary.json.")
@click.option("--tasks", type=FILE, required=True, help="tasks.jsonl.")
@click.option("--show", type=int, default=20, show_default=True, help="Differences to print per file.")
def replay(traces: tuple[Path, ...], catalog: Path, tasks: Path, show: int) -> None:
    """Rebuild every trial of trace files from the agent's actions alone and report each difference.

    \b
    Example:
      tau-rec-books replay results/books-synthetic-v1/trials/traces/popularity.jsonl \\
        --catalog results/books-synthetic-v1/catalog --tasks results/books-synthetic-v1/tasks/tasks.jsonl
    """
    from tau_rec_books.catalog.books import read_catalog
    from tau_rec_books.trial.replay import Replayer, replay_lines
    from tau_rec_books.trial.trace_files import trace_lines

    known = read_tasks(tasks)
    replayers: dict[str, Replayer] = {}

    def replayer_of(size: str) -> Replayer:
        if size not in replayers:
            books = read_catalog(catalog / f"{size}.parquet", catalog / "vocabulary.json")
            replayers[size] = Replayer(books, size)
        return replayers[size]

    wrong = total = 0
    for path in traces:
        shown = 0
        for number, found in replay_lines(trace_lines(path), known, replayer_of):
            total += 1
            wrong += bool(found)
            for difference in found:
                if shown < show:
                    click.echo(f"{path}, line {number}: {difference}")
                shown += 1
        if shown > show:
            click.echo(f"{path}: {shown - show} more differences")
    click.echo(f"{total} traces replayed, {wrong} with differences")
    if wrong:
        raise CheckFailed(f"{wrong} of {total} traces do not replay; the places are listed above.")


def _one_task(tasks: Path, name: str) -> Task:
    known = read_tasks(tasks)
    if name not in known:
        raise Problem(
            f"{tasks} has no task {name!r}; the ids look like {next(iter(known), 'family-001-mixed')}."
        )
    return known[name]


def _runner(catalog: Path, size: str, caps: Caps) -> "TrialRunner":
    from tau_rec_books.agents.run import TrialRunner
    from tau_rec_books.catalog.books import read_catalog

    return TrialRunner(read_catalog(catalog / f"{size}.parquet", catalog / "vocabulary.json"), size, caps)


def one_trial_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the verbs that run one trial."""
    for option in (
        click.option("--user", default="rule-v1", show_default=True, help="User profile."),
        click.option("--size", default="20k", show_default=True, help="Size name of the catalog."),
        click.option("--interface", type=INTERFACE, default="structured", show_default=True),
        click.option("--tasks", type=FILE, required=True, help="tasks.jsonl."),
        click.option("--catalog", type=FOLDER, required=True, help="Folder of the catalog."),
        click.option("--task", "task_id", required=True, help="Id of the task, such as family-060-mixed."),
    ):
        command = option(command)
    return command


@click.command()
@one_trial_options
@click.option("--agent", required=True, help="Agent to run.")
@click.option("--prompt", default="", help="Prompt that a synthetic agent imitates.")
@click.option("--repetition", type=int, default=1, show_default=True)
@click.option("--out", type=FILE, help="JSON Lines file to save the trace to.")
@cap_options
def trial(
    task_id: str,
    catalog: Path,
    tasks: Path,
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
    Example:
      tau-rec-books trial --task family-060-mixed --agent popularity \\
        --catalog results/books-synthetic-v1/catalog --tasks results/books-synthetic-v1/tasks/tasks.jsonl
    """
    from tau_rec_books.core.canonical import write_jsonl
    from tau_rec_books.trial.trace import Identity
    from tau_rec_books.trial.transcript import print_events, print_score
    from tau_rec_books.trial.user import profile

    task = _one_task(tasks, task_id)
    identity = Identity("trial", "single", agent, interface, size, user, prompt, task_id, repetition, 1)
    trace = _runner(catalog, size, Caps(**caps)).run(task, identity)
    console = Console(highlight=False)
    print_events(console, trace["events"])
    print_score(console, trace, task, profile(user).templates)
    if out is not None:
        write_jsonl(out, [trace])
        click.echo(f"Trace saved: {out}")


@click.command()
@one_trial_options
@click.option("--as-user", is_flag=True, help="Answer an agent as the reader instead of playing the agent.")
@click.option(
    "--agent", default="popularity", show_default=True, help="With --as-user: the agent that talks."
)
@click.option("--out", type=FILE, help="JSON Lines file to save the trace to.")
@cap_options
def play(
    task_id: str,
    catalog: Path,
    tasks: Path,
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
      tau-rec-books play --task family-060-hidden --catalog results/books-synthetic-v1/catalog \\
        --tasks results/books-synthetic-v1/tasks/tasks.jsonl --out mine.jsonl
      tau-rec-books play --as-user --agent eliminating --task family-060-mixed --catalog … --tasks …
    """
    from tau_rec_books.agents.person import PersonAsAgent, PersonAsReader
    from tau_rec_books.core.canonical import write_jsonl
    from tau_rec_books.trial.trace import Identity
    from tau_rec_books.trial.transcript import print_score
    from tau_rec_books.trial.user import RuleUser, profile

    if as_user and out is not None:
        raise Problem("A reader played by a person cannot be replayed; leave out --out, or --as-user.")
    task = _one_task(tasks, task_id)
    runner = _runner(catalog, size, Caps(**caps))
    console = Console(highlight=False)
    name = agent if as_user else "person"
    identity = Identity("play", "play", name, interface, size, user, "", task_id, 1, 1)
    words = profile(user).templates
    if as_user:
        rule_user = RuleUser(profile(user), task, runner.catalog)
        trace = runner.run(task, identity, someone=PersonAsReader(rule_user, words, _ask, console))
    else:
        trace = runner.run(task, identity, agent=PersonAsAgent(_ask, console))
    print_score(console, trace, task, words)
    if out is not None:
        write_jsonl(out, [trace])
        click.echo(f"Trace saved: {out}")


def _ask(prompt: str) -> str:
    """One line from the terminal, with line editing and history where the platform has them."""
    with suppress(ImportError):
        import readline  # noqa: F401
    return input(prompt)


@click.command()
@click.option(
    "--input", "turns", type=FILE, required=True, help="JSON Lines: one object with a text per turn."
)
@click.option("--user", default="rule-v1", show_default=True, help="User profile whose matcher to study.")
@click.option("--clauses", is_flag=True, help="Show how each piece of a turn was read.")
@click.option("--report", is_flag=True, help="Compare with the labels and print precision and recall.")
def match(turns: Path, user: str, clauses: bool, report: bool) -> None:
    """Print the fields that each agent turn is taken to ask about.

    A turn is a JSON object with "text" and, for --report, the labels "fields" (a list) and "generic".

    \b
    Example:
      tau-rec-books match --input turns.jsonl --clauses
    """
    from tau_rec_books.core.canonical import json_text
    from tau_rec_books.trial.match_report import compare, report_lines
    from tau_rec_books.trial.matching import matcher

    rows = list(read_jsonl(turns))
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            raise Problem(f'{turns}, line {number}, has no text; each line is an object with a "text".')
    rules = matcher(user)
    if report:
        for line in report_lines(compare(rows, rules)):
            click.echo(line)
        return
    for row in rows:
        found = rules.match(row["text"])
        shown: dict[str, Any] = {"text": row["text"], "fields": list(found.fields), "generic": found.generic}
        if clauses:
            shown["clauses"] = [
                {"text": c.text, "asks": c.asks, "fields": list(c.fields), "generic": c.generic}
                for c in found.clauses
            ]
        click.echo(json_text(shown))
