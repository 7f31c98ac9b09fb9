"""Merging shards: one trace file per agent and one index of all trials, or a refusal."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tau_rec_books.core.canonical import atomic_file, write_csv
from tau_rec_books.core.errors import CheckFailed
from tau_rec_books.trial.plan import PlannedTrial
from tau_rec_books.trial.score import CHECKS, COUNTS
from tau_rec_books.trial.trace import Identity
from tau_rec_books.trial.trace_files import trace_lines

INDEX_COLUMNS = (
    "trial_id",
    *Identity.__slots__,
    "ending",
    "success",
    "correct_ending",
    "recommended",
    *CHECKS,
    *COUNTS,
    "first_proposal_turn",
    "recommended_verdict",
)
"""Columns of ``trials.csv``."""


def index_row(trace: Mapping[str, Any]) -> dict[str, object]:
    """A trace as a row of ``trials.csv``; a pending trial has no success, checks or counts."""
    evaluation = trace["evaluation"]
    row: dict[str, object] = {"trial_id": trace["trial_id"], **trace["identity"], "ending": trace["ending"]}
    row["recommended"] = trace["recommended"]
    if evaluation is None:
        return {**dict.fromkeys(INDEX_COLUMNS), **row}
    diagnostics = evaluation["diagnostics"]
    return {
        **row,
        "success": evaluation["success"],
        "correct_ending": evaluation["correct_ending"],
        **evaluation["checks"],
        **{name: diagnostics[name] for name in COUNTS},
        "first_proposal_turn": diagnostics["first_proposal_turn"],
        "recommended_verdict": diagnostics["recommended_verdict"],
    }


def merge(planned: Sequence[PlannedTrial], shards: Path, out: Path) -> int:
    """Merge ``shards/{agent}/{shard}.jsonl`` into ``traces/{agent}.jsonl`` and ``trials.csv`` under ``out``.

    Both are in the order of the plan. Nothing is written unless every shard holds exactly its planned trials.

    Returns:
        The number of pending trials.

    Raises:
        CheckFailed: when a shard lacks a planned trial, holds one twice or one that is not planned, or
            there is a shard file that the plan does not know.
        Problem: when a shard is missing or damaged.
    """
    by_agent: dict[str, dict[str, list[PlannedTrial]]] = {}
    for trial in planned:
        by_agent.setdefault(trial.identity.agent, {}).setdefault(trial.shard, []).append(trial)
    _refuse_unplanned_files(by_agent, shards)
    rows: dict[str, dict[str, object]] = {}
    with ExitStack() as files:
        for agent, parts in by_agent.items():
            stream = files.enter_context(atomic_file(out / "traces" / f"{agent}.jsonl", buffering=1 << 20))
            for shard, trials in parts.items():
                path = shards / agent / f"{shard}.jsonl"
                expected = iter(trials)
                for line, trace in trace_lines(path):
                    _check_next(next(expected, None), trace, rows, path)
                    rows[trace["trial_id"]] = index_row(trace)
                    stream.write(line.encode("utf-8"))
                missing = next(expected, None)
                if missing is not None:
                    raise CheckFailed(
                        f"{path} lacks the planned trial {_named(missing)}; run the shard again, then merge."
                    )
    ordered = [rows[trial.identity.trial_id] for trial in planned]
    write_csv(out / "trials.csv", INDEX_COLUMNS, ordered)
    return sum(row["success"] is None for row in ordered)


def _check_next(
    expected: PlannedTrial | None, trace: Mapping[str, Any], seen: Mapping[str, object], path: Path
) -> None:
    found = trace.get("trial_id")
    if expected is not None and found == expected.identity.trial_id:
        if trace.get("identity") != expected.identity.document():
            raise CheckFailed(f"{path}: the trace {found} does not carry its planned identity; run it again.")
        return
    if found in seen:
        raise CheckFailed(f"{path} holds the trial {found} twice; run the shard again, then merge.")
    if expected is None:
        raise CheckFailed(f"{path} holds the trial {found}, which the plan lacks; plan and run again.")
    raise CheckFailed(
        f"{path} holds the trial {found} where the plan has {_named(expected)}; run the shard again."
    )


def _refuse_unplanned_files(by_agent: Mapping[str, Mapping[str, object]], shards: Path) -> None:
    for path in sorted(shards.glob("*/*.jsonl")):
        parts = by_agent.get(path.parent.name, {})
        if path.stem not in parts and path.stat().st_size:
            raise CheckFailed(f"{path} belongs to no shard of the plan; remove it or plan again.")


def _named(trial: PlannedTrial) -> str:
    identity = trial.identity
    return f"{identity.agent} on {identity.task}, repetition {identity.repetition} ({identity.trial_id})"
