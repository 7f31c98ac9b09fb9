"""Reading histories and single formats: books already read, and readers who take one format only."""

from collections.abc import Sequence

from tau_rec_books.catalog.books import FORMATS
from tau_rec_books.core.digest import draw_choice, shuffled
from tau_rec_books.tasks.books_index import LABEL_FIELDS, BooksIndex
from tau_rec_books.tasks.families import Predicate
from tau_rec_books.tasks.rules import Rejection, others


def acceptable_left(answers: int, read: int, accepted: str | None, index: BooksIndex) -> Rejection | None:
    """Check what remains for the reader in the smallest catalog.

    There must be an acceptable answer: unread and in the accepted format. When one format is accepted, an
    unread answer must lack it, too, so that the format decides something (paper, section 3).

    Args:
        answers: books that meet every predicate.
        read: books in the reading history.
        accepted: the one accepted format, or ``None`` for any.
        index: the catalog.
    """
    unread = answers & index.smallest & ~read
    if accepted is None:
        return None if unread else Rejection("history", 0, 1)
    available = index.formats[accepted]
    fewest = min((unread & available).bit_count(), (unread & ~available).bit_count())
    return None if fewest else Rejection("single_format", 0, 1)


def draw_format(answers: int, key: str, index: BooksIndex) -> str | Rejection:
    """A format that at least one answer of the smallest catalog has and at least one lacks."""
    fitting = [name for name in FORMATS if acceptable_left(answers, 0, name, index) is None]
    return draw_choice(fitting, key, "format") if fitting else Rejection("single_format", 0, 1)


def near_misses(predicates: Sequence[Predicate], answers: int, hidden: Predicate, index: BooksIndex) -> int:
    """Books of the smallest catalog that fail only the hidden predicate and show another value in its field.

    A near miss without any label in that field would let the valid answer beside it give the value away.
    """
    missing = (others(predicates, hidden, index) ^ answers) & index.smallest
    if hidden.field not in LABEL_FIELDS:
        return missing
    known = {str(p.value) for p in predicates if p.field == hidden.field}
    elsewhere = 0
    for label in index.labels[hidden.field]:
        if label not in known and not any(label in index.covered[hidden.field][own] for own in known):
            elsewhere |= missing & index.label(hidden.field, label)
            if elsewhere == missing:
                break
    return elsewhere


def draw_history(
    predicates: Sequence[Predicate],
    answers: int,
    hidden: Sequence[Predicate],
    accepted: str | None,
    key: str,
    index: BooksIndex,
) -> tuple[str, ...] | Rejection:
    """A history of one valid answer and, per hidden predicate, one near miss; all of the smallest catalog.

    Each hidden value is thus met and missed by some book in it that meets everything else, so no single book
    gives it away. The order is a hash order.
    """
    history = []
    for secret in hidden:
        missing = index.book_ids(near_misses(predicates, answers, secret, index))
        if not missing:
            return Rejection("history", 0, 1)
        history.append(shuffled(missing, f"{key}:near miss of {secret.id}:")[0])
    positions = index.positions(answers & index.smallest).tolist()
    place = {index.ids[position]: position for position in positions}
    for book in shuffled(place, f"{key}:read answer:"):
        if acceptable_left(answers, 1 << place[book], accepted, index) is None:
            return tuple(shuffled([book, *history], f"{key}:history:"))
    return Rejection("history", len(positions), 2)
