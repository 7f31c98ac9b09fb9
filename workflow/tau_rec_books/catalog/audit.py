"""The catalog's audit sample: records for two people to judge, and the rubric they judge by."""

from collections.abc import Sequence
from importlib.resources import files

from tau_rec_books.catalog.books import Book
from tau_rec_books.core.digest import shuffled
from tau_rec_books.core.identifiers import qid_number

AUDIT_KEY = "id"
AUDIT_JUDGEMENTS = (
    "is_a_book",
    "title_and_authors_right",
    "genres_right",
    "language_and_country_right",
    "year_right",
)
"""What a reviewer judges of each record: 60 records make 300 judgements (paper, section 5)."""

AUDIT_COLUMNS = (
    AUDIT_KEY,
    "part",
    "page",
    "title",
    "title_source",
    "authors",
    "genres",
    "languages",
    "countries",
    "year",
    "sitelinks",
    *AUDIT_JUDGEMENTS,
    "notes",
)

GENRE_RECORDS = 30
POPULAR_RECORDS = 30
POPULAR = 500
"""The popular part is drawn from this many works with the most sitelinks."""

SEED = "catalog-audit-v1"
POPULAR_PART = f"{POPULAR} most popular"


def audit_sample(books: Sequence[Book]) -> list[tuple[str, Book]]:
    """The records to judge, each with the part of the sample it is in: a genre, or ``POPULAR_PART``.

    The first part goes round the genres, in an order drawn by hash, and takes one more book of each until it
    is full; the second is drawn from the most popular works that are not in the first. Every draw is a hash
    of the book's id. A small catalog gives fewer records.
    """
    by_id = {book.id: book for book in books}
    order = shuffled(by_id, SEED)
    waiting: dict[str, list[str]] = {}
    for book_id in order:
        for genre in by_id[book_id].genres:
            waiting.setdefault(genre, []).append(book_id)
    taken: dict[str, str] = {}
    rounds = [(genre, iter(waiting[genre])) for genre in shuffled(waiting, SEED)]
    while rounds and len(taken) < GENRE_RECORDS:
        going_on = []
        for genre, books_left in rounds:
            found = next((book_id for book_id in books_left if book_id not in taken), None)
            if found is not None and len(taken) < GENRE_RECORDS:
                taken[found] = genre
                going_on.append((genre, books_left))
        rounds = going_on
    ranked = sorted(books, key=lambda book: (-book.sitelinks, qid_number(book.id.removeprefix("wd_"))))
    popular = {book.id for book in ranked[:POPULAR]}
    rest = [book_id for book_id in order if book_id in popular and book_id not in taken]
    return [
        *((genre, by_id[book_id]) for book_id, genre in taken.items()),
        *((POPULAR_PART, by_id[book_id]) for book_id in rest[:POPULAR_RECORDS]),
    ]


def audit_rows(books: Sequence[Book]) -> list[dict[str, object]]:
    """Rows of the catalog's ``audit_sample.csv``, with empty cells for the judgements and for notes."""
    return [
        {
            AUDIT_KEY: book.id,
            "part": part,
            "page": f"https://www.wikidata.org/wiki/{book.id.removeprefix('wd_')}",
            "title": book.title,
            "title_source": book.title_source,
            "authors": "; ".join(book.authors),
            "genres": "; ".join(book.genres),
            "languages": "; ".join(book.languages),
            "countries": "; ".join(book.countries),
            "year": book.year,
            "sitelinks": book.sitelinks,
            **dict.fromkeys((*AUDIT_JUDGEMENTS, "notes"), ""),
        }
        for part, book in audit_sample(books)
    ]


def audit_rubric() -> str:
    """The rubric, Markdown text: when to write yes, no, unsure or not applicable."""
    return (files(__package__) / "data" / "audit-rubric.md").read_text(encoding="utf-8")
