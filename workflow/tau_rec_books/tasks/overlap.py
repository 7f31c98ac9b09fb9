"""How much two sets of families have in common: for fresh families, and for contamination checks."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import Family
from tau_rec_books.tasks.rules import labels_of, signature


def overlap(
    first: Sequence[Family], second: Sequence[Family], catalog: Catalog, sizes: Sequence[int]
) -> dict[str, Any]:
    """What two sets of families share on one catalog.

    Returns:
        a record with the number of families of each set; ``same_predicates``: ids of the second set whose
        predicates occur in the first; ``same_labels``: how many of the second share all labels, but not the
        years, with one of the first; and per size name ``shared_answers``: the share of the second set's
        answers (satisfiable families together) that answer a family of the first; ``nearest_…``: per family
        the largest Jaccard overlap of its answers with those of a family of the first, median and maximum.
    """
    index = BooksIndex(catalog, sizes)
    known = {signature(family.predicates) for family in first}
    known_labels = {labels_of(family.predicates) for family in first}
    same = [family.id for family in second if signature(family.predicates) in known]
    alike = [f for f in second if f.id not in same and labels_of(f.predicates) in known_labels]
    before = [index.meeting(family.predicates) for family in first if not family.nvr]
    after = [index.meeting(family.predicates) for family in second if not family.nvr]
    return {
        "families_first": len(first),
        "families_second": len(second),
        "same_predicates": same,
        "same_labels": len(alike),
        "sizes": {
            size_name(size): _answers_in_common(before, after, mask)
            for size, mask in zip(index.sizes, index.masks, strict=True)
        },
    }


def _answers_in_common(before: Sequence[int], after: Sequence[int], mask: int) -> dict[str, float]:
    first, second = [bits & mask for bits in before], [bits & mask for bits in after]
    union_first = union_second = 0
    for bits in first:
        union_first |= bits
    for bits in second:
        union_second |= bits
    nearest = [max((_jaccard(bits, other) for other in first), default=0.0) for bits in second] or [0.0]
    books = union_second.bit_count()
    return {
        "shared_answers": round((union_first & union_second).bit_count() / books, 4) if books else 0.0,
        "nearest_median": round(median(nearest), 4),
        "nearest_maximum": round(max(nearest), 4),
    }


def _jaccard(first: int, second: int) -> float:
    either = (first | second).bit_count()
    return (first & second).bit_count() / either if either else 0.0
