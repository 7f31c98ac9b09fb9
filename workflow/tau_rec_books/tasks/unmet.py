"""Requests that no book meets although every part of them is common: what NVR families are drawn from.

Blind draws almost never find such a request with five predicates, so all label combinations of a template are
looked through once, and years are chosen from the gaps in which no book has the labels.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import isqrt
from statistics import median

from tau_rec_books.core.digest import draw_integer
from tau_rec_books.tasks.books_index import LABEL_FIELDS, BooksIndex
from tau_rec_books.tasks.families import Field
from tau_rec_books.tasks.rules import Labels, Rejection, Requirement, unrelated
from tau_rec_books.tasks.settings import TaskSettings, Template

Window = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Unmet:
    """Labels of a possible NVR request.

    Attributes:
        labels: the labels in fixed order.
        windows: for one year bound, the years it may take; for a range, the widest ranges; else empty.
        weight: how readily it is drawn.
    """

    labels: Labels
    windows: tuple[Window, ...]
    weight: int


@dataclass
class Pool:
    """What one template offers: possible requests, and why other label combinations are none."""

    possible: list[Unmet] = field(default_factory=list)
    failures: list[tuple[Labels, Rejection]] = field(default_factory=list)


class UnmetRequests:
    """Pools of a catalog, one per template, made when first asked for."""

    def __init__(self, index: BooksIndex, settings: TaskSettings) -> None:
        self._index = index
        self._least = settings.nvr_leave_one_out
        self._pools: dict[str, Pool] = {}

    def pool(self, template: Template) -> Pool:
        """The pool of a template."""
        known = self._pools.get(template.id)
        if known is None:
            known = self._pools[template.id] = Pool()
            fields = tuple(f for f in LABEL_FIELDS for name in template.slots if name == f)
            bounds = ("year_min" in template.slots, "year_max" in template.slots)
            self._search((), fields, bounds, known)
        return known

    def draw(self, template: Template, taken: Collection[Labels], key: str) -> list[Requirement] | None:
        """A request whose labels are not taken yet, or ``None`` when the pool is used up."""
        left = [unmet for unmet in self.pool(template).possible if unmet.labels not in taken]
        if not left:
            return None
        totals = list(accumulate(unmet.weight for unmet in left))
        chosen = left[bisect_right(totals, draw_integer(key, "labels", below=totals[-1]))]
        return [*labels_required(chosen.labels), *self._years(template, chosen, key)]

    def reason(self, template: Template) -> Rejection:
        """Why a template offers no further request: what ruled out most label combinations, by its median."""
        failures = [failure for _, failure in self.pool(template).failures]
        if not failures:
            used = len(self.pool(template).possible)
            return Rejection("near_duplicate", used, used)
        counts = Counter(failure.rule for failure in failures)
        rule = max(sorted(counts), key=lambda name: counts[name])
        found = [failure for failure in failures if failure.rule == rule]
        return Rejection(rule, median(failure.figure for failure in found), found[0].limit)

    def _years(self, template: Template, chosen: Unmet, key: str) -> list[Requirement]:
        if not chosen.windows:
            return []
        first, last = chosen.windows[draw_integer(key, "window", below=len(chosen.windows))]
        if {"year_min", "year_max"} <= set(template.slots):
            # Bounds a little inside the gap, where the rules still hold: they need not touch a book.
            inset = (last - first) // 4
            inner = (
                first + draw_integer(key, "year_min", below=inset + 1),
                last - draw_integer(key, "year_max", below=inset + 1),
            )
            if self._left(chosen.labels, *inner) >= self._least:
                first, last = inner
            return [Requirement("year", "min", first), Requirement("year", "max", last)]
        year = first + draw_integer(key, "year", below=last - first + 1)
        return [Requirement("year", "min" if "year_min" in template.slots else "max", year)]

    def _search(
        self, labels: Labels, fields: tuple[Field, ...], bounds: tuple[bool, bool], pool: Pool
    ) -> None:
        """Look through all combinations that begin with these labels.

        Labels that too few books of the smallest catalog have together lead nowhere: they remain when a later
        predicate is dropped.
        """
        if not fields:
            self._settle(labels, bounds, pool)
            return
        needed = self._least if fields[1:] or any(bounds) else 0
        matched = meeting(labels, self._index.smallest, self._index)
        for label, bits in unrelated(labels, fields[0], self._index).items():
            if labels and labels[-1][0] == fields[0] and label < labels[-1][1]:
                continue
            combined = (*labels, (fields[0], label))
            books = (matched & bits).bit_count()
            if books < needed:
                pool.failures.append((combined, Rejection("nvr_leave_one_out", books, self._least)))
            else:
                self._search(combined, fields[1:], bounds, pool)

    def _settle(self, labels: Labels, bounds: tuple[bool, bool], pool: Pool) -> None:
        """Put a complete combination of labels where it belongs."""
        found: tuple[tuple[Window, ...], int] | Rejection
        if all(bounds):
            found = self._range_gaps(labels)
        elif any(bounds):
            found = self._open_gap(labels, bounds[0])
        else:
            found = self._no_overlap(labels)
        if isinstance(found, Rejection):
            pool.failures.append((labels, found))
        else:
            pool.possible.append(Unmet(labels, found[0], isqrt(found[1] * 10_000)))

    def _no_overlap(self, labels: Labels) -> tuple[tuple[Window, ...], int] | Rejection:
        matches = meeting(labels, self._index.largest, self._index).bit_count()
        left = self._left(labels)
        if left < self._least:
            return Rejection("nvr_leave_one_out", left, self._least)
        return Rejection("nvr_no_match", matches, 0) if matches else ((), left)

    def _range_gaps(self, labels: Labels) -> tuple[tuple[Window, ...], int] | Rejection:
        least = self._least
        own = self._index.years(meeting(labels, self._index.smallest, self._index))
        if len(own) < 2 * least:
            return Rejection("nvr_leave_one_out", len(own) // 2, least)
        years = self._index.years(meeting(labels, self._index.largest, self._index))
        # Without one bound, books of the smallest catalog must remain before or after the gap.
        spans = [
            (before + 1, after - 1)
            for before, after in pairwise(years)
            if after - before > 2 and before >= own[least - 1] and after <= own[-least]
        ]
        if not spans:
            return Rejection("nvr_no_match", len(years), 0)
        left = {span: self._left(labels, *span) for span in spans}
        windows = tuple(span for span in spans if left[span] >= least)
        return (windows, len(own)) if windows else Rejection("nvr_leave_one_out", max(left.values()), least)

    def _open_gap(self, labels: Labels, low: bool) -> tuple[tuple[Window, ...], int] | Rejection:
        least = self._least
        own = self._index.years(meeting(labels, self._index.smallest, self._index))
        parts = [
            self._index.years(meeting(without(labels, place), self._index.smallest, self._index))
            for place in range(len(labels))
        ]
        fewest = min(len(part) for part in (own, *parts))
        if fewest < least:
            return Rejection("nvr_leave_one_out", fewest, least)
        years = self._index.years(meeting(labels, self._index.largest, self._index))
        if low:
            first, last = years[-1] + 1, min(part[-least] for part in parts)
            left = min(len(part) - bisect_left(part, first) for part in parts)
        else:
            first, last = max(part[least - 1] for part in parts), years[0] - 1
            left = min(bisect_right(part, last) for part in parts)
        if first > last:
            return Rejection("nvr_leave_one_out", left, least)
        return ((first, last),), len(own)

    def _left(self, labels: Labels, first: int | None = None, last: int | None = None) -> int:
        """Matches in the smallest catalog, of a span of years, without one label: where they are fewest."""
        span = self._index.smallest
        if first is not None and last is not None:
            span &= self._index.since(first) & ~self._index.since(last + 1)
        return min(
            meeting(without(labels, place), span, self._index).bit_count() for place in range(len(labels))
        )


def meeting(labels: Labels, books: int, index: BooksIndex) -> int:
    """Those of some books that have all the labels."""
    for name, label in labels:
        books &= index.label(name, label)
    return books


def without(labels: Labels, place: int) -> Labels:
    """All labels but one."""
    return (*labels[:place], *labels[place + 1 :])


def labels_required(labels: Labels) -> list[Requirement]:
    """Labels as requirements."""
    return [Requirement(name, "is", label) for name, label in labels]
