"""The sets that a fresh set stays clear of: drawn again from their seeds, since a seed says it all."""

from collections.abc import Mapping, Sequence
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.families import Family
from tau_rec_books.tasks.generate import make_families
from tau_rec_books.tasks.settings import TaskSettings

NamedSet = tuple[str, tuple[Family, ...]]
"""A set of families and what it is called: its seed, or the name of the file it was read from."""


def earlier_sets(catalog: Catalog, sizes: Sequence[int], settings: Mapping[str, Any]) -> tuple[NamedSet, ...]:
    """The sets of the published seeds before ``settings["seed"]``, in order.

    Each is drawn as it was when it was published: with these settings, clear of those before it. One that
    these settings do not give in full is taken as far as it goes, since there is no more to stay clear of.

    Raises:
        Problem: when the settings contradict each other.
    """
    sets: list[NamedSet] = []
    for seed in TaskSettings.from_mapping(settings).earlier_seeds:
        avoid = [family for _, families in sets for family in families]
        again = {**settings, "seed": seed, "allow_fewer": True}
        sets.append((seed, make_families(catalog, sizes, again, avoid).families))
    return tuple(sets)
