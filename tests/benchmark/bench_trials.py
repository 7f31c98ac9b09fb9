"""Trials per second and replays per second, and the time of the paper's 32,976 trials (`make bench-trials`).

Every agent plays the 450 tasks at 20k through both interfaces, in rounds that take turns, in seconds of one
core; trials include their trace lines, replays include parsing. Then the blocks of the paper's experiment run
in two processes through plan, journal and shard files, synthetic agents standing in for the models, and all
of it is replayed. The built results are read; only `results/benchmarks/trials.json` is written there.
"""

import argparse
import json
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any

from tau_rec_books.agents.run import AGENTS, TrialRunner
from tau_rec_books.agents.shard import run_shard
from tau_rec_books.catalog.books import Catalog, read_catalog
from tau_rec_books.core.canonical import read_jsonl, write_json
from tau_rec_books.tasks.families import Task
from tau_rec_books.trial.caps import Caps
from tau_rec_books.trial.plan import Block, PlannedTrial, plan
from tau_rec_books.trial.replay import Replayer, replay_lines
from tau_rec_books.trial.tools import INTERFACES
from tau_rec_books.trial.trace import Identity, trace_line
from tau_rec_books.trial.trace_files import trace_lines

ROOT = Path(__file__).parents[2]
PAPER_TRIALS = 32_976
TARGET_SECONDS = 120
ROUNDS = 3
OPEN = ("synthetic-brisk", "synthetic-erratic", "synthetic-keen")
"""Stand-ins for the three open-weight agents, which the paper runs on more families than the fourth."""
ALL = (*OPEN, "synthetic-steady")
BOTH = ("keyword", "structured")
EACH = ("volunteer", "mixed", "hidden")
SIZES = ("5k", "10k", "20k")


def paper_blocks(families: Sequence[Mapping[str, Any]]) -> list[Block]:
    """The blocks of the paper's experiment, which sum to 32,976 trials.

    The two model users have no stand-in: their block runs the rule user twice, under two names.
    """

    def block(
        name: str, suits: Callable[[Mapping[str, Any]], bool], conditions: Sequence[str],
        agents: Sequence[str], interfaces: Sequence[str], sizes: Sequence[str], prompt: str, repetitions: int,
    ) -> Block:  # fmt: skip
        tasks = tuple(f"{f['id']}-{condition}" for f in families if suits(f) for condition in conditions)
        return Block(
            name, tuple(agents), tuple(interfaces), tuple(sizes), ("rule-v1",), (prompt,), tasks, repetitions
        )

    def reliability(family: Mapping[str, Any]) -> bool:
        return bool(family["reliability"])

    def rest_of_panel(family: Mapping[str, Any]) -> bool:
        return bool(family["panel"] and not family["reliability"])

    two, one, told = ALL[1:3], ("structured",), EACH[:2]
    return [
        block("reliability", reliability, EACH, ALL, BOTH, ("20k",), "base", 8),
        block("panel", rest_of_panel, EACH, ALL, BOTH, ("20k",), "base", 4),
        block("outside-panel", lambda f: not f["panel"], told, OPEN, BOTH, ("20k",), "base", 4),
        block("scale", lambda f: True, told, OPEN, BOTH, ("5k", "10k"), "base", 4),
        block("user-one", reliability, EACH, two, one, ("20k",), "base", 8),
        block("user-two", reliability, EACH, two, one, ("20k",), "base", 8),
        block("field-list", reliability, EACH, two, ("keyword",), ("20k",), "field-list", 8),
        block("prompt-ask", reliability, EACH[1:], ALL, one, ("20k",), "ask", 8),
        block("prompt-ask-and-verify", reliability, EACH, ALL, one, ("20k",), "ask-and-verify", 8),
        block("prompt-protocol", reliability, EACH, ALL, one, ("20k",), "protocol", 8),
    ]


@lru_cache(maxsize=8)
def catalog_of(results: Path, size: str) -> Catalog:
    """A built catalog, read once per process."""
    return read_catalog(results / "catalog" / f"{size}.parquet", results / "catalog" / "vocabulary.json")


@lru_cache(maxsize=8)
def runner_of(results: Path, size: str) -> TrialRunner:
    """The runner over one catalog, built once per process."""
    return TrialRunner(catalog_of(results, size), size, Caps())


@lru_cache(maxsize=8)
def replayer_of(results: Path, size: str) -> Replayer:
    """The replayer over one catalog, built once per process."""
    return Replayer(catalog_of(results, size), size)


@lru_cache(maxsize=2)
def tasks_of(results: Path) -> dict[str, Task]:
    """The tasks by id."""
    return {t["id"]: Task.from_document(t) for t in read_jsonl(results / "tasks" / "tasks.jsonl")}


def play_all(results: Path, agent: str, interface: str) -> list[str]:
    """The trace lines of one agent over all tasks."""
    runner = runner_of(results, "20k")
    return [
        trace_line(
            runner.run(task, Identity("bench", "all", agent, interface, "20k", "rule-v1", "", name, 1, 1))
        )
        for name, task in tasks_of(results).items()
    ]


def replay_all(results: Path, lines: Sequence[str]) -> None:
    """Replay trace lines; exits when one differs."""
    numbered = ((line, json.loads(line)) for line in lines)
    for number, found in replay_lines(numbered, tasks_of(results), lambda size: replayer_of(results, size)):
        if found:
            sys.exit(f"line {number} does not replay: {found[0]}")


def agent_rows(results: Path) -> Iterator[dict[str, Any]]:
    """The best of several rounds per agent and interface, in seconds of one core."""
    cells = [(agent, interface) for interface in INTERFACES for agent in AGENTS]
    for interface in INTERFACES:
        play_all(results, "no-ask", interface)
        replay_all(results, play_all(results, "no-ask", interface))
    best: dict[tuple[str, str], tuple[float, float, int]] = {}
    for _ in range(ROUNDS):
        for cell in cells:
            start = time.process_time()
            lines = play_all(results, *cell)
            middle = time.process_time()
            replay_all(results, lines)
            end = time.process_time()
            before = best.get(cell, (1e9, 1e9, 0))
            size = sum(len(line.encode("utf-8")) for line in lines)
            best[cell] = (min(before[0], middle - start), min(before[1], end - middle), size)
    count = len(tasks_of(results))
    for (agent, interface), (played, replayed, size) in best.items():
        yield {
            "agent": agent,
            "interface": interface,
            "trials_per_second": round(count / played),
            "replays_per_second": round(count / replayed),
            "kilobytes_per_trace": round(size / count / 1000, 1),
        }


def spent(work: Callable[[], None]) -> dict[str, float]:
    """Seconds of one core that a piece of work takes, and the peak memory of its process so far."""
    start = time.process_time()
    work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": time.process_time() - start, "megabytes": peak / 1024}


def play_shard(results: Path, place: Path, trials: Sequence[PlannedTrial]) -> dict[str, float]:
    """Run one shard through its journal."""
    name = f"{trials[0].identity.agent}-{trials[0].shard}.jsonl"

    def work() -> None:
        run_shard(
            trials, tasks_of(results), lambda size: runner_of(results, size),
            place / "journal" / name, place / "traces" / name,
        )  # fmt: skip

    return spent(work)


def replay_shard(results: Path, path: Path) -> dict[str, float]:
    """Replay one shard."""

    def work() -> None:
        for number, found in replay_lines(
            trace_lines(path), tasks_of(results), lambda size: replayer_of(results, size)
        ):
            if found:
                raise SystemExit(f"{path.name}, line {number}, does not replay: {found[0]}")

    return spent(work)


def in_two_processes(
    work: Callable[..., dict[str, float]], jobs: Sequence[tuple[Any, ...]]
) -> dict[str, float]:
    """Elapsed seconds, seconds of a core per core, and the greater peak memory of two processes."""
    start = time.perf_counter()
    with ProcessPoolExecutor(max_workers=2) as pool:
        done = list(pool.map(work, *zip(*jobs, strict=True)))
    return {
        "elapsed_seconds": round(time.perf_counter() - start, 1),
        "core_seconds_per_core": round(sum(row["seconds"] for row in done) / 2, 1),
        "peak_megabytes_per_process": round(max(row["megabytes"] for row in done)),
    }


def at_scale(results: Path, place: Path) -> dict[str, Any]:
    """Run and replay the paper's blocks with synthetic agents."""
    blocks = paper_blocks(list(read_jsonl(results / "tasks" / "families.jsonl")))
    planned = plan(blocks, "bench", 1, shard_size=500)
    if len(planned) != PAPER_TRIALS:
        sys.exit(
            f"the blocks sum to {len(planned)} trials, not {PAPER_TRIALS}; build the default configuration."
        )
    shards: dict[tuple[str, str], list[PlannedTrial]] = {}
    for trial in planned:
        shards.setdefault((trial.identity.agent, trial.shard), []).append(trial)
    ran = in_two_processes(play_shard, [(results, place, trials) for trials in shards.values()])
    paths = sorted((place / "traces").iterdir())
    replayed = in_two_processes(replay_shard, [(results, path) for path in paths])
    return {
        "trials": len(planned),
        "blocks": {
            b.name: sum(t.identity.block == b.name for t in planned) for b in blocks
        },
        "target_seconds": TARGET_SECONDS,
        "run": ran,
        "replay": replayed,
        "trace_megabytes": round(sum(path.stat().st_size for path in paths) / 1e6),
    }  # fmt: skip


def main() -> None:
    """Measure, print, and write the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "books-synthetic-v1")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "benchmarks" / "trials.json")
    parser.add_argument("--agents-only", action="store_true", help="leave out the 32,976 trials")
    arguments = parser.parse_args()
    results = arguments.results
    if not (results / "tasks" / "families.jsonl").exists():
        sys.exit(f"{results} holds no tasks; run `make` first or name a track's folder with --results.")
    print(f"{'agent':20} {'interface':11} {'trials/s':>9} {'replays/s':>10} {'kB/trace':>9}   (one core)")
    rows = []
    for row in agent_rows(results):
        rows.append(row)
        print(
            f"{row['agent']:20} {row['interface']:11} {row['trials_per_second']:>9,} "
            f"{row['replays_per_second']:>10,} {row['kilobytes_per_trace']:>9}"
        )
    report: dict[str, Any] = {"python": platform.python_version(), "agents": rows}
    if not arguments.agents_only:
        with tempfile.TemporaryDirectory() as name:
            report["paper_scale"] = scale = at_scale(results, Path(name))
        print(
            f"\n{scale['trials']:,} trials of synthetic agents, two processes ({scale['trace_megabytes']} MB)"
        )
        for what in ("run", "replay"):
            found = scale[what]
            print(
                f"{what:8} {found['elapsed_seconds']:>7} s elapsed, "
                f"{found['core_seconds_per_core']:>7} s of each core, "
                f"{found['peak_megabytes_per_process']} MB per process (target: {TARGET_SECONDS} s)"
            )
    write_json(arguments.out, report)
    print(f"\nwritten: {arguments.out}")


if __name__ == "__main__":
    main()
