"""What the reference agents solve, on the default task families and on fresh ones (`make reference-agents`).

The eliminating agent's weights were chosen while looking at the default families, so three sets drawn from
other seeds, over the same catalog, judge it. All agents play all 450 tasks of each set through the structured
search at 20k. The tables go between the markers of `docs/reference-agents.md`; the text there is by hand.
"""

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from task_seeds import default_catalog

from tau_rec_books.agents.run import TrialRunner
from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.tasks.earlier import earlier_sets
from tau_rec_books.tasks.families import CONDITIONS, Task
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.trace import Identity

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "reference-agents.md"
BEGIN = "<!-- measured: begin (made by `make reference-agents`) -->"
END = "<!-- measured: end -->"
AGENTS = ("popularity", "eliminating", "no-ask", "always-abstain", "random", "oracle")
PAPER = {"popularity": ("84/135", "2/15", "-"), "eliminating": ("129/135", "13/15", "3")}
FRESH = ("fresh-1", "fresh-2", "fresh-3")
Trace = Mapping[str, Any]


def tasks_of_seed(seed: str, catalog: Catalog, config: Mapping[str, Any]) -> list[Task]:
    """The tasks of one seed under the default settings, clear of the published sets as any fresh set is."""
    sizes, settings = config["catalog"]["sizes"], {**config["tasks"], "seed": seed}
    avoid = [family for _, families in earlier_sets(catalog, sizes, settings) for family in families]
    families = make_families(catalog, sizes, settings, avoid).families
    return [family.task(condition) for family in families for condition in CONDITIONS]


def play(runner: TrialRunner, seed: str, tasks: Sequence[Task]) -> dict[str, list[Trace]]:
    """Agent → its traces in the order of the tasks."""
    return {
        agent: [
            runner.run(
                task, Identity(seed, "reference", agent, "structured", "20k", "rule-v1", "", task.id, 1, 1)
            )
            for task in tasks
        ]
        for agent in AGENTS
    }


def solved(tasks: Sequence[Task], traces: Sequence[Trace], hidden: bool, nvr: bool) -> list[Trace]:
    """The successful trials of one kind of task."""
    pairs = zip(tasks, traces, strict=True)
    return [
        trace
        for task, trace in pairs
        if (task.condition == "hidden") == hidden and task.nvr == nvr and trace["evaluation"]["success"]
    ]


def score_rows(tasks: Sequence[Task], traces: Mapping[str, Sequence[Trace]]) -> Iterator[list[str]]:
    """One row per agent: volunteer and mixed, hidden satisfiable, hidden NVR, proposals per success."""

    def count(hidden: bool, nvr: bool) -> int:
        return sum((task.condition == "hidden") == hidden and task.nvr == nvr for task in tasks)

    for agent, played in traces.items():
        told = [trace for nvr in (False, True) for trace in solved(tasks, played, False, nvr)]
        found = solved(tasks, played, True, False)
        proposals = [trace["evaluation"]["diagnostics"]["proposals"] for trace in found]
        yield [
            agent,
            f"{len(told)}/{count(False, False) + count(False, True)}",
            f"{len(found)}/{count(True, False)}",
            f"{len(solved(tasks, played, True, True))}/{count(True, True)}",
            f"{statistics.median(proposals):g}" if any(proposals) else "-",
        ]


def first_total(trace: Trace) -> int:
    """Books that matched what the agent knew when it first searched."""
    for event in trace["events"]:
        if event["type"] == "tool_call" and event["name"] == "search_books" and event["status"] == "ok":
            return int(event["result"]["total"])
    return 0


def failure(task: Task, trace: Trace, catalog: Catalog) -> str:
    """What happened in a failed trial, in words."""
    proposed = {act["item_id"] for e in trace["events"] for act in e.get("acts", ()) if "item_id" in act}
    if trace["ending"] != "turn_cap":
        return f"{trace['ending']} after {'some' if proposed else 'no'} proposals"
    if task.nvr:
        return "turn cap with candidates left"
    seen = {
        book["id"]
        for e in trace["events"]
        if e["type"] == "tool_call" and e["name"] == "search_books" and e["status"] == "ok"
        for book in e["result"]["results"]
    }
    right = [book.id for book in catalog.books if wanted(task, book, catalog.vocabulary)]
    return f"turn cap, an answer {'had' if seen.intersection(right) else 'had not'} been looked up"


def failure_rows(
    sets: Mapping[str, tuple[Sequence[Task], Mapping[str, Sequence[Trace]]]], catalog: Catalog
) -> Iterator[list[str]]:
    """Failed hidden trials of popularity and eliminating by cause, default and fresh apart."""
    for agent in PAPER:
        for nvr in (False, True):
            counts = {"default": Counter[str](), "fresh": Counter[str]()}
            for name, (tasks, traces) in sets.items():
                for task, trace in zip(tasks, traces[agent], strict=True):
                    if task.condition == "hidden" and task.nvr == nvr and not trace["evaluation"]["success"]:
                        counts["fresh" if name in FRESH else "default"][failure(task, trace, catalog)] += 1
            for cause in sorted({*counts["default"], *counts["fresh"]}):
                kind = "NVR" if nvr else "satisfiable"
                yield [agent, kind, cause, str(counts["default"][cause]), str(counts["fresh"][cause])]


def difficulty_rows(
    sets: Mapping[str, tuple[Sequence[Task], Mapping[str, Sequence[Trace]]]], catalog: Catalog
) -> Iterator[list[str]]:
    """How many books match what a hidden reader tells, and how many of them are right."""
    for name, (tasks, traces) in sets.items():
        shares, totals, empty = [], [], []
        for task, trace in zip(tasks, traces["popularity"], strict=True):
            if task.condition != "hidden":
                continue
            total = first_total(trace)
            if task.nvr:
                empty.append(total)
                continue
            right = sum(wanted(task, book, catalog.vocabulary) for book in catalog.books)
            totals.append(total)
            shares.append(right / total if total else 0.0)
        within = sum(total <= 18 for total in empty)
        yield [
            name,
            f"{statistics.median(totals):g}",
            f"{statistics.median(shares):.1%}",
            f"{sum(share < 1 / 18 for share in shares)}/{len(shares)}",
            f"{statistics.median(empty):g}",
            f"{within}/{len(empty)}",
        ]


def table(head: Sequence[str], rows: Iterator[list[str]] | Sequence[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def report(
    sets: Mapping[str, tuple[Sequence[Task], Mapping[str, Sequence[Trace]]]], catalog: Catalog
) -> list[str]:
    """The measured part of the document."""
    head = (
        "agent",
        "volunteer and mixed",
        "hidden satisfiable",
        "hidden NVR",
        "median proposals per success",
    )
    lines = ["**The paper's catalog and families**", ""]
    lines += table(head, [[agent, "300/300", *cells] for agent, cells in PAPER.items()])
    for name, (tasks, traces) in sets.items():
        which = "default families" if name not in FRESH else f"fresh families, seed `{name}`"
        lines += ["", f"**{which[0].upper()}{which[1:]}**", "", *table(head, score_rows(tasks, traces))]
    both = ("agent", "hidden tasks", "what happened in the failed trials", "default", "three fresh sets")
    lines += ["", "**Failed trials**", "", *table(both, failure_rows(sets, catalog))]
    hard = ("set", "matches (median)", "of these right (median)", "less than 1 in 18 right",
            "NVR: matches (median)", "NVR: at most 18 matches")  # fmt: skip
    lines += [
        "",
        "**How hard the hidden tasks are**: books that match everything a hidden reader tells, asked",
        "",
    ]
    return [*lines, *table(hard, difficulty_rows(sets, catalog))]


def main() -> None:
    """Play, print the tables, and put them into the document."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only tell whether the document is up to date")
    check = parser.parse_args().check
    config = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
    largest = size_name(config["catalog"]["sizes"][-1])
    sets = {}
    with tempfile.TemporaryDirectory() as place:
        catalog = default_catalog(config, Path(place) / "catalog")
    runner = TrialRunner(catalog, largest, Caps())
    for seed in (config["tasks"]["seed"], *FRESH):
        tasks = tasks_of_seed(seed, catalog, config)
        sets[seed] = (tasks, play(runner, seed, tasks))
        print(f"played: {seed}", file=sys.stderr)
    lines = report(sets, catalog)
    print("\n".join(lines))
    document = DOCUMENT.read_text(encoding="utf-8")
    before, after = document.split(BEGIN)[0], document.split(END)[1]
    fresh = "\n".join([f"{before}{BEGIN}", "", *lines, "", f"{END}{after}"])
    if check:
        sys.exit(None if fresh == document else f"{DOCUMENT} is out of date; run `make reference-agents`.")
    DOCUMENT.write_text(fresh, encoding="utf-8")


if __name__ == "__main__":
    main()
