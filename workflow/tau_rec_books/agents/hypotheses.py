"""Possible hidden requirements on the declined fields, and which of them rejected books have ruled out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, product

from tau_rec_books.agents.reading import Facts
from tau_rec_books.agents.shelf import Record

YEAR_BOUNDS = 6
"""So many different year bounds are considered, spread evenly over the books at hand."""

LEAST_SUPPORT = 3
"""A label that fewer of the books at hand carry is not thought of: hardly any reader would require it."""

Option = tuple[object, ...]
Options = Callable[[Record], list[tuple[Option, int]]]
"""Gives the requirements on one field that a book meets, each with its weight."""

_RECORD_KEY = {"genre": "genres", "language": "languages", "country": "countries"}


def label_options(
    field: str, known: Sequence[str], parents: Mapping[str, tuple[str, ...]], books: Sequence[Record]
) -> Options:
    """One or two labels besides those known; a label met through its parent counts for both.

    A label weighs the number of books at hand that carry it, two labels what the rarer one weighs: what many
    books meet is what a reader is likely to want.
    """
    key = _RECORD_KEY[field]

    def carried(book: Record) -> list[str]:
        labels = set(book[key])
        for label in book[key]:
            labels.update(parents.get(label, ()))
        return sorted(labels.difference(known))

    support = Counter(label for book in books for label in carried(book))

    def options(book: Record) -> list[tuple[Option, int]]:
        own = [label for label in carried(book) if support[label] >= LEAST_SUPPORT]
        choices: list[tuple[str, ...]] = [*((label,) for label in own), *combinations(own, 2)]
        return [(choice, min(support[label] for label in choice)) for choice in choices]

    return options


def year_options(books: Sequence[Record], facts: Facts) -> Options:
    """A lower bound, an upper bound, or both, of equal weight; only the bound not yet known when one is."""
    bounds: list[int | None] = [*_spread(sorted({book["year"] for book in books}))]
    lower = [None] if facts.year_min is not None else [None, *bounds]
    upper = [None] if facts.year_max is not None else [None, *bounds]
    ranges = [
        (low, high)
        for low, high in product(lower, upper)
        if (low, high) != (None, None) and (low is None or high is None or low < high)
    ]

    def options(book: Record) -> list[tuple[Option, int]]:
        year = book["year"]
        return [
            ((low, high), 1)
            for low, high in ranges
            if (low is None or year >= low) and (high is None or year <= high)
        ]

    return options


def _spread(years: Sequence[int]) -> list[int]:
    if len(years) <= YEAR_BOUNDS:
        return list(years)
    return [years[index * (len(years) - 1) // (YEAR_BOUNDS - 1)] for index in range(YEAR_BOUNDS)]


class Hypotheses:
    """All combinations of one requirement per declined field; a rejected book removes those it meets.

    A combination weighs the product of what its requirements weigh.
    """

    def __init__(self, fields: Sequence[Options]) -> None:
        self._fields = fields
        self._removed: set[tuple[Option, ...]] = set()
        self._met: dict[tuple[object, ...], list[tuple[tuple[Option, ...], int]]] = {}

    def reject(self, book: Record) -> None:
        """Remove every combination that a rejected book meets."""
        self._removed.update(combination for combination, _ in self._combinations(book))

    def fitting(self, book: Record) -> int:
        """The weight of the combinations left that a book meets."""
        return sum(
            weight for combination, weight in self._combinations(book) if combination not in self._removed
        )

    def _combinations(self, book: Record) -> list[tuple[tuple[Option, ...], int]]:
        kind = kind_of(book)
        if kind not in self._met:
            met: list[tuple[tuple[Option, ...], int]] = [((), 1)]
            for options in self._fields:
                here = options(book)
                met = [((*before, option), weight * own) for before, weight in met for option, own in here]
            self._met[kind] = met
        return self._met[kind]


def kind_of(book: Record) -> tuple[object, ...]:
    """What decides which requirements a book meets; books of one kind are alike to the agent."""
    return (tuple(book["genres"]), tuple(book["languages"]), tuple(book["countries"]), book["year"])
