"""Precision and recall of the matcher against labelled turns, per field and for generic requests."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from tau_rec_books.core.errors import Problem
from tau_rec_books.trial.matching import ASK_FIELDS, Matcher

GENERIC = "generic"


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts for one field (or ``all`` fields, or ``generic`` requests) over labelled turns."""

    name: str
    both: int
    only_matched: int
    only_labelled: int

    @property
    def precision(self) -> float | None:
        """Share of the matched that are labelled; ``None`` when nothing was matched."""
        matched = self.both + self.only_matched
        return self.both / matched if matched else None

    @property
    def recall(self) -> float | None:
        """Share of the labelled that are matched; ``None`` when nothing is labelled."""
        labelled = self.both + self.only_labelled
        return self.both / labelled if labelled else None

    def row(self) -> dict[str, object]:
        """The counts and shares as a row of ``report.csv``; a share without a denominator is empty."""
        shares = {"precision": self.precision, "recall": self.recall}
        return {
            "name": self.name,
            "both": self.both,
            "only_matched": self.only_matched,
            "only_labelled": self.only_labelled,
            **{key: None if value is None else f"{value:.3f}" for key, value in shares.items()},
        }


REPORT_COLUMNS = ("name", "both", "only_matched", "only_labelled", "precision", "recall")
"""Columns of ``report.csv`` beside the labelled turns."""


def labelled_turns() -> list[dict[str, Any]]:
    """The labelled agent turns that ship with the matcher; held out, never used to write its lexicon."""
    folder = files("tau_rec_books.trial") / "data" / "labelled-turns"
    text = (folder / "labelled-turns.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def compare(turns: Iterable[Mapping[str, Any]], matcher: Matcher) -> list[Agreement]:
    """Compare the matcher with labels: each field, all fields together (micro), generic requests.

    Args:
        turns: objects with ``text``, ``fields`` (names of the fields asked about; a generic request asks
            about all) and, optionally, ``generic``.
        matcher: the rules to study.

    Raises:
        Problem: when a turn has no labels or names an unknown field.
    """
    counts = {name: [0, 0, 0] for name in (*ASK_FIELDS, GENERIC)}
    for number, turn in enumerate(turns, start=1):
        labelled = turn.get("fields")
        if not isinstance(labelled, Sequence) or not set(labelled) <= set(ASK_FIELDS):
            raise Problem(f'Turn {number} has no labels among {", ".join(ASK_FIELDS)}; mend its "fields".')
        found = matcher.match(turn["text"])
        generic = bool(turn.get("generic", False))
        expected = ASK_FIELDS if generic else labelled
        for name in ASK_FIELDS:
            _count(counts[name], name in found.fields, name in expected)
        _count(counts[GENERIC], found.generic, generic)
    rows = [Agreement(name, *counts[name]) for name in ASK_FIELDS]
    total = [sum(counts[name][index] for name in ASK_FIELDS) for index in range(3)]
    return [*rows, Agreement("all fields", *total), Agreement(GENERIC, *counts[GENERIC])]


def _count(cell: list[int], matched: bool, labelled: bool) -> None:
    if matched or labelled:
        cell[0 if matched and labelled else 1 if matched else 2] += 1


def report_lines(rows: Iterable[Agreement]) -> list[str]:
    """The comparison as lines of a plain table."""
    lines = [f"{'':12} {'precision':>9} {'recall':>9} {'both':>6} {'only matched':>13} {'only labelled':>14}"]
    for row in rows:
        precision, recall = (
            "-" if share is None else f"{share:.3f}" for share in (row.precision, row.recall)
        )
        lines.append(
            f"{row.name:12} {precision:>9} {recall:>9} {row.both:>6} "
            f"{row.only_matched:>13} {row.only_labelled:>14}"
        )
    return lines
