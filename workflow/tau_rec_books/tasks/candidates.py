"""Drawing the predicates of a satisfiable family, built so that the rules are likely to hold."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate
from math import isqrt

from tau_rec_books.core.digest import draw_integer
from tau_rec_books.tasks.books_index import LABEL_FIELDS, BooksIndex
from tau_rec_books.tasks.families import Field
from tau_rec_books.tasks.plan import Slot
from tau_rec_books.tasks.rules import Labels, Rejection, Requirement, aim_tolerance, unrelated
from tau_rec_books.tasks.settings import TaskSettings
from tau_rec_books.tasks.unmet import labels_required, meeting

_MANY = 1 << 62


class Options:
    """Labels to choose from; a label's weight grows more slowly than its count, so rarer ones appear."""

    def __init__(self, field: Field, counts: Iterable[tuple[int, str]]) -> None:
        """Options of one field from pairs of count and label."""
        ordered = sorted(counts)
        self.counts = [count for count, _ in ordered]
        self.labels = [label for _, label in ordered]
        self._totals = [0, *accumulate(_weight(field, count) for count in self.counts)]

    def draw(self, key: str, place: int, lowest: int, highest: int = _MANY) -> str | None:
        """A label whose count is within bounds, drawn by hash of key and place; ``None`` if none is."""
        first, end = bisect_left(self.counts, lowest), bisect_right(self.counts, highest)
        if first >= end:
            return None
        base = self._totals[first]
        point = base + draw_integer(key, place, below=self._totals[end] - base)
        return self.labels[bisect_right(self._totals, point) - 1]


class Candidates:
    """Draws requests from a catalog's labels and years; what depends on labels alone is worked out once."""

    def __init__(self, index: BooksIndex, settings: TaskSettings) -> None:
        self._index = index
        self._settings = settings
        self._options: dict[tuple[Labels, Field], Options] = {}
        self._years: dict[Labels, list[int]] = {}

    def draw(self, slot: Slot, attempt: int, key: str) -> tuple[list[Requirement], Rejection | None]:
        """The requirements of one attempt, or as many as were drawn before it failed and why it did.

        First labels that match enough books together, then year bounds that leave about as many as aimed at.

        Args:
            slot: the family to fill.
            attempt: number of the attempt, from 0.
            key: identity of the attempt; every choice is a digest of it.
        """
        slots = slot.template.slots
        fields = [field for name in slots for field in LABEL_FIELDS if field == name]
        low, high = "year_min" in slots, "year_max" in slots
        tolerance = aim_tolerance(attempt)
        lowest = max(int(slot.aim / tolerance), self._settings.answers_min_smallest)
        highest = min(int(slot.aim * tolerance) + 1, self._settings.answers_max_largest)
        labels: Labels = ()
        for place, field in enumerate(fields):
            exact = not (low or high) and place == len(fields) - 1
            label = self._options_after(labels, field).draw(key, place, lowest, highest if exact else _MANY)
            if label is None:
                return labels_required(labels), Rejection("labels", 0, lowest)
            labels = (*labels, (field, label))
        drawn = labels_required(labels)
        if not (low or high):
            return drawn, None
        years = self._years_of(labels)
        # A bound must leave some matching books outside, or it would not be material.
        aim = min(_near(slot.aim, lowest, highest, key), len(years) * 4 // 5)
        if aim < max(lowest, 1):
            return drawn, Rejection("labels", len(years), slot.aim)
        first, last = len(years) - aim, aim - 1
        if low and high:
            spare = len(years) - aim - 1
            first = 1 + draw_integer(key, "start", below=spare) if spare > 0 else 0
            last = min(first + aim, len(years)) - 1
        if low:
            drawn.append(Requirement("year", "min", years[first]))
        if high:
            drawn.append(Requirement("year", "max", years[last]))
        return drawn, None

    def _options_after(self, labels: Labels, field: Field) -> Options:
        """Labels of a field that can follow the ones drawn, with the books matching all of them together."""
        known = self._options.get((labels, field))
        if known is None:
            matched = meeting(labels, self._index.largest, self._index)
            pairs = (
                ((matched & bits).bit_count(), label)
                for label, bits in unrelated(labels, field, self._index).items()
            )
            known = self._options[labels, field] = Options(field, (pair for pair in pairs if pair[0]))
        return known

    def _years_of(self, labels: Labels) -> list[int]:
        """Years of the books of the largest catalog that have the labels, increasing."""
        key = tuple(sorted(labels))
        known = self._years.get(key)
        if known is None:
            known = self._years[key] = self._index.years(meeting(key, self._index.largest, self._index))
        return known


def _weight(field: Field, count: int) -> int:
    """Weight of a label: the root of its count; for countries the count, so that US and UK keep a majority.

    In the paper 51 of 68 country predicates name one of the two (section 8). Integers keep platforms alike.
    """
    return count * 100 if field == "country" else isqrt(count * 10_000)


def _near(aim: int, lowest: int, highest: int, key: str) -> int:
    """A number of answers around the aim: as often below it as above."""
    if draw_integer(key, "side", below=2):
        return aim + draw_integer(key, "aim", below=max(highest - aim, 0) + 1)
    return lowest + draw_integer(key, "aim", below=max(aim - lowest, 0) + 1)
