"""The table of pass^k by agent, condition and tier, NVR apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tau_rec_books.core.errors import Problem
from tau_rec_books.statistics.pass_hat_k import mean_pass_hat_k
from tau_rec_books.trial.endings import Ending

ALL_TIERS = "all"
PENDING = ("", *(ending.value for ending in Ending if not ending.scored))
"""Endings that are no result: such a trial is pending, never a failure."""

KEY_COLUMNS = ("block", "agent", "interface", "size", "condition", "kind", "tier")
_TIER_ORDER = {"simple": 0, "medium": 1, "complex": 2, ALL_TIERS: 3}
_CONDITION_ORDER = {"volunteer": 0, "mixed": 1, "hidden": 2}


@dataclass
class _Cell:
    """Successes, finished and pending trials of each task in one cell of the table."""

    tasks: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0, 0]))

    def add(self, task: str, ending: str, success: bool) -> None:
        if ending in PENDING:
            self.tasks[task][2] += 1
        else:
            self.tasks[task][0] += success
            self.tasks[task][1] += 1


def table_columns(ks: Sequence[int]) -> tuple[str, ...]:
    """Columns of ``pass_hat_k.csv``."""
    return (
        *KEY_COLUMNS,
        "tasks",
        "trials",
        "pending",
        "successes",
        *(f"pass_hat_{k}" for k in ks),
        "pass_hat_1_low",
        "pass_hat_1_high",
    )


def table_rows(
    trials: Iterable[Mapping[str, str]], tasks: Mapping[str, Mapping[str, object]], ks: Sequence[int]
) -> list[dict[str, object]]:
    """Rows of ``pass_hat_k.csv``.

    Args:
        trials: one row per planned trial, with ``block``, ``agent``, ``interface``, ``size``, ``task``,
            ``ending`` and ``success`` ("true" or "false").
        tasks: task id → its line of ``tasks.jsonl``.
        ks: the k of the columns.

    A cell with pending trials prints "incomplete" and the bounds that its pass^1 will lie between: all
    pending trials failed, or all succeeded.

    Raises:
        Problem: when a trial's task is unknown.
    """
    cells: dict[tuple[str, ...], _Cell] = {}
    for trial in trials:
        task = tasks.get(trial["task"])
        if task is None:
            raise Problem(
                f"The trials name a task {trial['task']!r} that tasks.jsonl lacks; build both again."
            )
        kind = "nvr" if task["nvr"] else "satisfiable"
        for tier in (str(task["tier"]), ALL_TIERS):
            key = (
                trial["block"], trial["agent"], trial["interface"], trial["size"],
                str(task["condition"]), kind, tier,
            )  # fmt: skip
            cells.setdefault(key, _Cell()).add(trial["task"], trial["ending"], trial["success"] == "true")
    return [_row(key, cells[key], ks) for key in sorted(cells, key=_cell_order)]


def decimal(value: Fraction, places: int = 6) -> str:
    """A non-negative fraction as a decimal text, halves up, by integer arithmetic."""
    scaled = (value.numerator * 10**places * 2 + value.denominator) // (2 * value.denominator)
    return f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"


def _cell_order(key: tuple[str, ...]) -> tuple[object, ...]:
    block, agent, interface, size, condition, kind, tier = key
    return (
        block,
        agent,
        interface,
        size,
        _CONDITION_ORDER[condition],
        kind != "satisfiable",
        _TIER_ORDER[tier],
    )


def _row(key: tuple[str, ...], cell: _Cell, ks: Sequence[int]) -> dict[str, object]:
    counts = list(cell.tasks.values())
    pending = sum(waiting for *_, waiting in counts)
    row: dict[str, object] = dict(zip(KEY_COLUMNS, key, strict=True))
    row.update(
        tasks=len(counts),
        trials=sum(done + waiting for _, done, waiting in counts),
        pending=pending,
        successes=sum(good for good, *_ in counts),
    )
    low = Fraction(sum((Fraction(g, d + w) for g, d, w in counts), Fraction(0)), len(counts))
    high = Fraction(sum((Fraction(g + w, d + w) for g, d, w in counts), Fraction(0)), len(counts))
    for k in ks:
        if pending:
            row[f"pass_hat_{k}"] = "incomplete"
        elif min(done for _, done, _ in counts) < k:
            row[f"pass_hat_{k}"] = ""
        else:
            row[f"pass_hat_{k}"] = decimal(mean_pass_hat_k([(g, d) for g, d, _ in counts], k))
    row["pass_hat_1_low"], row["pass_hat_1_high"] = decimal(low), decimal(high)
    return row
