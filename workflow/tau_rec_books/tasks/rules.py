"""The rules a request must obey on the catalog: answers, materiality, distinctness, and no match for NVR."""

from collections.abc import Sequence
from typing import NamedTuple

from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import FIELDS, Field, Operator, Predicate
from tau_rec_books.tasks.plan import Slot
from tau_rec_books.tasks.settings import TaskSettings

Labels = tuple[tuple[Field, str], ...]
"""Label predicates alone, as pairs of field and label."""

NEAR_DUPLICATE_SHARE = 0.5
"""Two families whose answers in the largest catalog overlap more than this (Jaccard) are too much alike."""

RULES: dict[str, str] = {
    "labels": "no label left that matches enough books together with the ones drawn before",
    "redundant": "one predicate follows from another, or both year bounds name one year",
    "repeated": "another family, or one to stay clear of, has the same predicates",
    "near_duplicate": "another family has nearly the same answers, or an NVR family the same labels",
    "answers_aim": "the number of answers is far from the one aimed at",
    "answers_min_smallest": "too few answers in the smallest catalog",
    "answers_max_largest": "too many answers in the largest catalog",
    "material": "dropping one predicate adds too few books",
    "single_format": "no acceptable answer, or none lacking the one accepted format, in the smallest catalog",
    "hidden_exclusion": "the hidden predicates rule out too few of the books that match the revealed ones",
    "giveaway": "a revealed predicate gives a hidden one away",
    "history": "no near miss for the reading history, or no answer left beside it",
    "nvr_no_match": "a book matches, although none should",
    "nvr_leave_one_out": "too few books match when one predicate is dropped",
}
"""Rule → what a draw that it rejects has wrong; the names are the outcomes in ``draws.csv``."""


class Rejection(NamedTuple):
    """Why a draw was turned down.

    Attributes:
        rule: a key of ``RULES``.
        figure: the number that fell short (or went too far).
        limit: the number it was compared with.
    """

    rule: str
    figure: float
    limit: float


class Requirement(NamedTuple):
    """A predicate that has no id yet."""

    field: Field
    operator: Operator
    value: str | int


def in_fixed_order(requirements: Sequence[Requirement]) -> tuple[Predicate, ...]:
    """Predicates with ids, ordered by field (genre, language, country, year), label, and year bound."""
    ordered = sorted(requirements, key=lambda r: (FIELDS.index(r.field), r.operator == "max", str(r.value)))
    return tuple(Predicate(f"p{n}", r.field, r.operator, r.value) for n, r in enumerate(ordered, start=1))


def short_text(requirements: Sequence[Requirement | Predicate]) -> str:
    """Predicates on one line, e.g. ``genre: War; year >= 1990``."""
    signs = {"is": ": ", "min": " >= ", "max": " <= "}
    return "; ".join(f"{r.field}{signs[r.operator]}{r.value}" for r in requirements)


def labels_of(predicates: Sequence[Predicate]) -> Labels:
    """The label predicates alone, in fixed order."""
    return tuple((p.field, str(p.value)) for p in predicates if p.field != "year")


def unrelated(labels: Labels, field: Field, index: BooksIndex) -> dict[str, int]:
    """Labels of a field, with their books, that neither cover nor fall under one of the given labels."""
    taken = [label for other, label in labels if other == field]
    covered = index.covered[field]
    return {
        label: index.label(field, label)
        for label in index.labels[field]
        if not any(label in covered[own] or own in covered[label] for own in taken)
    }


def signature(predicates: Sequence[Predicate]) -> tuple[tuple[str, str, str | int], ...]:
    """What two families with the same requirements share."""
    return tuple((p.field, p.operator, p.value) for p in predicates)


def redundant(predicates: Sequence[Predicate], index: BooksIndex) -> Rejection | None:
    """Reject a label that covers another one of its field, and a year range of one year or none."""
    labels = labels_of(predicates)
    for place, (field, label) in enumerate(labels):
        for other_field, other in labels[place + 1 :]:
            if field == other_field and (
                label in index.covered[field].get(other, ()) or other in index.covered[field].get(label, ())
            ):
                return Rejection("redundant", 1, 0)
    years = {p.operator: int(p.value) for p in predicates if p.field == "year"}
    if "min" in years and "max" in years and years["max"] <= years["min"]:
        return Rejection("redundant", years["max"] - years["min"], 1)
    return None


def others(predicates: Sequence[Predicate], dropped: Predicate, index: BooksIndex) -> int:
    """The books that meet every predicate except perhaps the dropped one."""
    return index.meeting(p for p in predicates if p is not dropped)


def answer_count(
    answers: int, slot: Slot, attempt: int, index: BooksIndex, settings: TaskSettings
) -> Rejection | None:
    """Check the number of answers: bounds, and closeness to the slot's aim.

    The aim only steers the set's median towards the paper's: the tolerated ratio starts at 1.25 and grows
    with the square of the attempts, so that it never makes a request infeasible.
    """
    smallest = (answers & index.smallest).bit_count()
    if smallest < settings.answers_min_smallest:
        return Rejection("answers_min_smallest", smallest, settings.answers_min_smallest)
    largest = answers.bit_count()
    if largest > settings.answers_max_largest:
        return Rejection("answers_max_largest", largest, settings.answers_max_largest)
    tolerance = aim_tolerance(attempt)
    if not slot.aim / tolerance <= largest <= slot.aim * tolerance:
        return Rejection("answers_aim", largest, slot.aim)
    return None


def aim_tolerance(attempt: int) -> float:
    """By which ratio a draw's answers may miss the aim at an attempt."""
    return 1.25 + (attempt / 100) ** 2


def material(
    predicates: Sequence[Predicate], answers: int, index: BooksIndex, settings: TaskSettings
) -> tuple[Rejection | None, float]:
    """Check that dropping any predicate adds enough books, at every size.

    Returns:
        the rejection, if any, and the smallest share added.
    """
    least = float("inf")
    for predicate in predicates:
        added = others(predicates, predicate, index) ^ answers
        for mask in index.masks:
            books = (added & mask).bit_count()
            total = (answers & mask).bit_count()
            share = books / total if total else float(books > 0)
            least = min(least, share)
            if books < settings.material_books or share < settings.material_share:
                return Rejection("material", share, settings.material_share), least
    return None, least


def no_match(predicates: Sequence[Predicate], index: BooksIndex, settings: TaskSettings) -> Rejection | None:
    """Check an NVR request: no match at any size, enough at the smallest without any one predicate."""
    matches = index.meeting(predicates).bit_count()
    if matches:
        return Rejection("nvr_no_match", matches, 0)
    least = least_left(predicates, index)
    if least < settings.nvr_leave_one_out:
        return Rejection("nvr_leave_one_out", least, settings.nvr_leave_one_out)
    return None


def least_left(predicates: Sequence[Predicate], index: BooksIndex) -> int:
    """Matches in the smallest catalog without one predicate, for the predicate where they are fewest."""
    return min((others(predicates, p, index) & index.smallest).bit_count() for p in predicates)


def near_duplicate(answers: int, earlier: Sequence[int]) -> Rejection | None:
    """Reject answers that nearly equal those of an earlier family."""
    for known in earlier:
        shared = (answers & known).bit_count()
        if shared and shared > NEAR_DUPLICATE_SHARE * (answers | known).bit_count():
            return Rejection("near_duplicate", shared / (answers | known).bit_count(), NEAR_DUPLICATE_SHARE)
    return None
