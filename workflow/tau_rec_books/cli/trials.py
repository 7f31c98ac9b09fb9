"""Verbs of the trials at scale: plan, run, merge, replay."""

from pathlib import Path

import click

from tau_rec_books.cli.built import built, built_options, cap_options, read_tasks
from tau_rec_books.cli.options import FILE, FOLDER
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.tools import INTERFACES

INTERFACE = click.Choice(INTERFACES)


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
@click.argument("traces", type=FILE, nargs=-1)
@built_options
@click.option("--show", type=int, default=20, show_default=True, help="Differences to print per file.")
def replay(
    traces: tuple[Path, ...], results: Path, catalog: Path | None, tasks: Path | None, show: int
) -> None:
    """Rebuild every trial of trace files from the agent's actions alone and report each difference.

    Without TRACES, all of the track's are replayed.

    \b
    Examples:
      tau-rec-books replay
      tau-rec-books replay mine.jsonl
      tau-rec-books replay results/books-mine/trials/traces/popularity.jsonl --results results/books-mine
    """
    from tau_rec_books.trial.replay import Replayer, replay_lines
    from tau_rec_books.trial.trace_files import trace_lines

    place = built(results, catalog, tasks)
    paths = traces or tuple(sorted((results / "trials" / "traces").glob("*.jsonl")))
    if not paths:
        raise Problem(f"{results} holds no traces; run the trials first, or name trace files.")
    known = place.read_tasks()
    replayers: dict[str, Replayer] = {}

    def replayer_of(size: str) -> Replayer:
        if size not in replayers:
            replayers[size] = Replayer(place.read_catalog(size), size)
        return replayers[size]

    wrong = total = 0
    for path in paths:
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
    click.echo(f"{total} trace{'' if total == 1 else 's'} replayed, {wrong} with differences")
    if wrong:
        raise CheckFailed(f"{wrong} of {total} traces do not replay; the places are listed above.")
