"""The vocabulary: which labels occur at each size, and which label covers which."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tau_rec_books.catalog.books import Book, Vocabulary
from tau_rec_books.catalog.labels import Labels
from tau_rec_books.core.identifiers import size_name


def build_vocabulary(books: Sequence[Book], sizes: Sequence[int], labels: Labels) -> Vocabulary:
    """The vocabulary of nested catalogs.

    Args:
        books: books of the largest catalog, in catalog order.
        sizes: catalog sizes, increasing.
        labels: where parents and children come from.
    """
    languages = labels.children("language", {label for book in books for label in book.languages})
    countries = labels.children("country", {label for book in books for label in book.countries})
    return Vocabulary(
        genres=_counts([book.genres for book in books], sizes, {}),
        languages=_counts([book.languages for book in books], sizes, languages),
        countries=_counts([book.countries for book in books], sizes, countries),
        language_children=languages,
        country_children=countries,
    )


def _counts(
    labels: Sequence[tuple[str, ...]], sizes: Sequence[int], children: Mapping[str, tuple[str, ...]]
) -> dict[str, dict[str, int]]:
    """Label → size name → number of books; a parent counts its children's books once each."""
    parents: dict[str, list[str]] = {}
    for parent, covered in children.items():
        for child in covered:
            parents.setdefault(child, []).append(parent)
    table: dict[str, dict[str, int]] = {}
    for size in sizes:
        tally: Counter[str] = Counter()
        for own in labels[:size]:
            tally.update({*own, *(parent for label in own for parent in parents.get(label, ()))})
        for label, count in tally.items():
            table.setdefault(label, {})[size_name(size)] = count
    names = [size_name(size) for size in sizes]
    return {label: {name: table[label].get(name, 0) for name in names} for label in sorted(table)}
