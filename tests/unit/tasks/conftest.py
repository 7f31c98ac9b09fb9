"""Families drawn once per session, and a plain re-reading of the catalog to hold them against."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.families import Family, Predicate
from tau_rec_books.tasks.generate import Generation, make_families
from tau_rec_books.tasks.predicates import holds

SIZES = (2000, 4000, 8000)
SEEDS = ("books-tasks-v1", "second seed", "third seed")


@dataclass(frozen=True)
class Drawn:
    """A generated set, with the books each predicate matches found book by book instead of by bitset."""

    catalog: Catalog
    sizes: tuple[int, ...]
    settings: Mapping[str, Any]
    generation: Generation
    matches: Callable[[Predicate], frozenset[int]]

    @property
    def families(self) -> tuple[Family, ...]:
        return self.generation.families

    def meeting(self, predicates: Any, size: int) -> frozenset[int]:
        """Positions of the books of one size that meet all the predicates."""
        found = frozenset(range(size))
        for predicate in predicates:
            found &= self.matches(predicate)
        return found


def default_settings(**changes: Any) -> dict[str, Any]:
    """The default tasks section with some keys changed."""
    config = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text(encoding="utf-8"))
    return {**config["tasks"], **changes}


@pytest.fixture(scope="session")
def settings_with() -> Callable[..., dict[str, Any]]:
    """Function that gives the default tasks section with some keys changed."""
    return default_settings


@pytest.fixture(scope="session")
def drawn_with(catalog_of: Callable[[int], Catalog]) -> Callable[[str], Drawn]:
    """Function that draws a full set of families for a seed, on a drawn catalog of 8,000 books."""
    catalog = catalog_of(SIZES[-1])
    known: dict[tuple[str, str, object], frozenset[int]] = {}

    def matches(predicate: Predicate) -> frozenset[int]:
        key = (predicate.field, predicate.operator, predicate.value)
        if key not in known:
            known[key] = frozenset(
                place
                for place, book in enumerate(catalog.books)
                if holds(predicate, book, catalog.vocabulary)
            )
        return known[key]

    @cache
    def draw(seed: str) -> Drawn:
        settings = default_settings(seed=seed)
        return Drawn(catalog, SIZES, settings, make_families(catalog, SIZES, settings), matches)

    return draw


@pytest.fixture(scope="session", params=SEEDS)
def drawn(request: pytest.FixtureRequest, drawn_with: Callable[[str], Drawn]) -> Drawn:
    """A full set of families, for each of several seeds."""
    return drawn_with(request.param)
