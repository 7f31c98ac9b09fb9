"""The answer key: which books meet a family's predicates at each size, and which of them are acceptable."""

from collections.abc import Sequence
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import Family


def answer_rows(families: Sequence[Family], catalog: Catalog, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Rows of ``answers.jsonl``, one per family.

    Returns:
        ``{"family": id, "sizes": {"5k": {"answers": [ids], "acceptable": [ids]}, …}}``; answers meet every
        predicate, acceptable ones are unread and in an accepted format, too; both in catalog order.
    """
    index = BooksIndex(catalog, sizes)
    return [{"family": family.id, "sizes": answers_by_size(family, index)} for family in families]


def answers_by_size(family: Family, index: BooksIndex) -> dict[str, dict[str, list[str]]]:
    """Size name → the family's answers and acceptable answers, in catalog order."""
    found = index.meeting(family.predicates)
    ids = index.book_ids(found)
    accepted = index.largest
    if family.accepted_formats is not None:
        accepted = 0
        for name in family.accepted_formats:
            accepted |= index.formats[name]
    takes = set(index.book_ids(found & accepted)) - set(family.history)
    table = {}
    for size, mask in zip(index.sizes, index.masks, strict=True):
        answers = ids[: (found & mask).bit_count()]
        table[size_name(size)] = {
            "answers": answers,
            "acceptable": [book for book in answers if book in takes],
        }
    return table
