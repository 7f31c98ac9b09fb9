"""Possible hidden requirements on the declined fields, and which of them rejected books have ruled out."""

from collections.abc import Mapping, Sequence
from itertools import combinations, product

from tau_rec_books.agents.reading import Facts
from tau_rec_books.agents.shelf import Record

YEAR_BOUNDS = 6
"""At most this many different year bounds are considered, spread evenly over the books at hand."""

Parents = Mapping[str, Mapping[str, tuple[str, ...]]]
_RECORD_KEY = {"genre": "genres", "language": "languages", "country": "countries"}


class LabelHypotheses:
    """One or two labels of a declined field that a book must carry, besides those already known."""

    def __init__(self, field: str, known: Sequence[str], parents: Mapping[str, tuple[str, ...]]) -> None:
        self._key = _RECORD_KEY[field]
        self._known = frozenset(known)
        self._parents = parents
        self._numbers: dict[tuple[str, ...], int] = {}

    def met_by(self, book: Record) -> list[int]:
        """Numbers of the hypotheses a book meets; a label met through its parent counts for both."""
        labels = set(book[self._key])
        for label in book[self._key]:
            labels.update(self._parents.get(label, ()))
        own = sorted(labels - self._known)
        options = [(label,) for label in own] + list(combinations(own, 2))
        return [self._numbers.setdefault(option, len(self._numbers)) for option in options]


class YearHypotheses:
    """A lower bound, an upper bound, or both, on the year; only the bound not yet known when one is."""

    def __init__(self, years: Sequence[int], facts: Facts) -> None:
        bounds = _spread(sorted(set(years)))
        lower = bounds if facts.year_min is None else [None]
        upper = bounds if facts.year_max is None else [None]
        self._ranges: list[tuple[int | None, int | None]] = []
        if facts.year_min is None and facts.year_max is None:
            self._ranges += [(bound, None) for bound in bounds] + [(None, bound) for bound in bounds]
        self._ranges += [
            (low, high)
            for low, high in product(lower, upper)
            if (low, high) != (None, None) and (low is None or high is None or low < high)
        ]

    def met_by(self, book: Record) -> list[int]:
        """Numbers of the ranges that hold a book's year."""
        year = book["year"]
        return [
            number
            for number, (low, high) in enumerate(self._ranges)
            if (low is None or year >= low) and (high is None or year <= high)
        ]


def _spread(years: Sequence[int]) -> list[int]:
    if len(years) <= YEAR_BOUNDS:
        return list(years)
    return [years[index * (len(years) - 1) // (YEAR_BOUNDS - 1)] for index in range(YEAR_BOUNDS)]


class Hypotheses:
    """All combinations of one hypothesis per declined field; a rejected book removes those it meets.

    The combinations are kept as bitsets over the last field, one per combination of the others, and only for
    those that some book has met.
    """

    def __init__(self, fields: Sequence[LabelHypotheses | YearHypotheses]) -> None:
        self._fields = fields
        self._removed: dict[tuple[int, ...], int] = {}
        self._known: dict[tuple[object, ...], tuple[list[tuple[int, ...]], int]] = {}

    def reject(self, book: Record) -> None:
        """Remove every combination that a rejected book meets."""
        keys, mask = self._met(book)
        for key in keys:
            self._removed[key] = self._removed.get(key, 0) | mask

    def fitting(self, book: Record) -> int:
        """How many of the combinations left a book meets."""
        keys, mask = self._met(book)
        return sum((mask & ~self._removed.get(key, 0)).bit_count() for key in keys)

    def _met(self, book: Record) -> tuple[list[tuple[int, ...]], int]:
        kind = kind_of(book)
        if kind not in self._known:
            met = [field.met_by(book) for field in self._fields]
            mask = 0
            for number in met[-1]:
                mask |= 1 << number
            self._known[kind] = (list(product(*met[:-1])), mask)
        return self._known[kind]


def kind_of(book: Record) -> tuple[object, ...]:
    """What decides which requirements a book meets; books of one kind are alike to the agent."""
    return (tuple(book["genres"]), tuple(book["languages"]), tuple(book["countries"]), book["year"])
