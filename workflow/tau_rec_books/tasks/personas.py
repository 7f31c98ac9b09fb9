"""Synthetic personas: who asks, never what for."""

import csv
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files

from tau_rec_books.core.digest import shuffled


@lru_cache(maxsize=1)
def personas() -> tuple[Mapping[str, str], ...]:
    """The rows of ``data/personas.csv``: id, age group, occupation, manner of speaking, reading situation."""
    text = (files("tau_rec_books.tasks") / "data" / "personas.csv").read_text(encoding="utf-8")
    return tuple(dict(row) for row in csv.DictReader(text.splitlines()))


def assign_personas(families: Sequence[str], seed: str) -> dict[str, Mapping[str, str]]:
    """Family id → persona, by hash; all personas are used as evenly as their number allows."""
    by_id = {row["id"]: row for row in personas()}
    order = shuffled(by_id, f"{seed}:personas:")
    placed = shuffled(families, f"{seed}:persona of:")
    return {family: by_id[order[place % len(order)]] for place, family in enumerate(placed)}
