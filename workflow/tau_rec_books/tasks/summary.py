"""What the drawn families look like as a set, beside the figures of the paper."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from tau_rec_books.tasks.families import Family
from tau_rec_books.tasks.generate import Generation
from tau_rec_books.tasks.plan import Slot

PAPER: Mapping[str, Any] = {
    "families": 150,
    "nvr": 15,
    "single_format": 36,
    "history": 48,
    "history_two_hidden": 17,
    "panel": 51,
    "reliability": 18,
    "median_answers": {"5k": 10, "20k": 40},
    "country_predicates": 68,
    "country_predicates_us_or_uk": 51,
}
"""The same figures as printed in the paper (sections 3, 6.3 and 8)."""


def summarise(generation: Generation, answers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The content of ``summary.json``: counts, medians and shares, beside the paper's.

    Args:
        generation: the drawn families with their draws.
        answers: rows of ``answers.jsonl`` of the same families, in the same order.
    """
    families = generation.families
    histories = [family for family in families if family.history]
    countries = [str(p.value) for f in families for p in f.predicates if p.field == "country"]
    made = {
        "families": len(families),
        "nvr": sum(family.nvr for family in families),
        "single_format": sum(family.accepted_formats is not None for family in families),
        "history": len(histories),
        "history_two_hidden": sum(len(hidden_of(family)) == 2 for family in histories),
        "panel": sum(family.panel for family in families),
        "reliability": sum(family.reliability for family in families),
        "median_answers": _medians(families, answers),
        "country_predicates": len(countries),
        "country_predicates_us_or_uk": sum(c in ("United States", "United Kingdom") for c in countries),
    }
    return {
        "seed": generation.settings.seed,
        "made": made,
        "paper": dict(PAPER),
        "tiers": _tally(f"{f.tier} {'nvr' if f.nvr else 'satisfiable'}" for f in families),
        "templates": _tally(f"{f.template} {'nvr' if f.nvr else 'satisfiable'}" for f in families),
        "labels": {
            field: _tally(str(p.value) for f in families for p in f.predicates if p.field == field)
            for field in ("genre", "language", "country")
        },
        "hidden_predicates": _tally(str(len(hidden_of(family))) for family in families),
        "hidden_fields": _tally(
            p.field if p.field != "year" else f"year {p.operator}"
            for family in families
            for p in family.predicates
            if p.id in hidden_of(family)
        ),
        "accepted_formats": _tally(name for f in families for name in f.accepted_formats or ()),
        "personas": len({family.persona["id"] for family in families}),
        "draws": sum(generation.rejections.values()),
        "outcomes": generation.rejections,
        "unfilled": [_described(slot) for slot in generation.unfilled],
        "relaxed": [_described(slot) for slot in generation.relaxed],
    }


def hidden_of(family: Family) -> tuple[str, ...]:
    """Ids of the predicates that the family's hidden condition withholds."""
    return tuple(p.id for p in family.predicates if family.reveal["hidden"][p.id] == "hidden")


def _medians(families: Sequence[Family], answers: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Size name → median number of answers of the satisfiable families."""
    rows = [row["sizes"] for family, row in zip(families, answers, strict=True) if not family.nvr]
    return {name: median(len(row[name]["answers"]) for row in rows) for name in (rows[0] if rows else ())}


def _tally(values: Any) -> dict[str, int]:
    counts = Counter(values)
    return {value: counts[value] for value in sorted(counts)}


def _described(slot: Slot) -> str:
    return f"{slot.tier} {slot.kind} {slot.number} ({slot.template.id})"
