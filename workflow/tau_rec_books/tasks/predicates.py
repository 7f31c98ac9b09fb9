"""When a book meets a predicate, is acceptable, or is what the reader wants."""

from tau_rec_books.catalog.books import Book, Vocabulary
from tau_rec_books.tasks.families import Predicate, Task


def holds(predicate: Predicate, book: Book, vocabulary: Vocabulary) -> bool:
    """Whether ``book`` meets ``predicate``; a parent label covers its children (paper, section 4.1)."""
    if predicate.field == "year":
        year = int(predicate.value)
        return book.year >= year if predicate.operator == "min" else book.year <= year
    label = str(predicate.value)
    if predicate.field == "genre":
        return label in book.genres
    labels = book.languages if predicate.field == "language" else book.countries
    return any(covered in labels for covered in vocabulary.covered(predicate.field, label))


def acceptable(task: Task, book: Book) -> bool:
    """Whether the reader could take ``book``: unread, and in an accepted format."""
    if book.id in task.history:
        return False
    return task.accepted_formats is None or any(name in book.formats for name in task.accepted_formats)


def wanted(task: Task, book: Book, vocabulary: Vocabulary) -> bool:
    """Whether ``book`` meets every predicate and is acceptable."""
    return acceptable(task, book) and all(holds(p, book, vocabulary) for p in task.predicates)
