"""The catalog's profile beside the paper's figures."""

from collections.abc import Sequence

from tau_rec_books.catalog.books import Book, Vocabulary

PROFILE_COLUMNS = ("measure", "ours", "paper")


def profile_rows(books: Sequence[Book], vocabulary: Vocabulary, eligible: int) -> list[dict[str, object]]:
    """Rows of ``profile.csv``: shares and counts of the largest catalog, and what the paper prints.

    Shares are in percent of records, rounded to one decimal from exact counts; the paper's figures are those
    of its section 3 and of its limitations.
    """

    def share(field: str, label: str) -> str:
        covered = set(vocabulary.covered(field, label))
        labels = [book.languages if field == "language" else book.countries for book in books]
        count = sum(1 for own in labels if covered.intersection(own))
        return _percent(count, len(books))

    def distinct(lists: Sequence[tuple[str, ...]]) -> int:
        return len({label for own in lists for label in own})

    genres = {
        label: counts[max(counts, key=counts.__getitem__)] for label, counts in vocabulary.genres.items()
    }
    largest = min(genres, key=lambda label: (-genres[label], label)) if genres else ""
    years = sorted(book.year for book in books)
    return [
        {"measure": "eligible works", "ours": eligible, "paper": "26.1k"},
        {"measure": "works in the largest catalog", "ours": len(books), "paper": "20000"},
        {"measure": "genres", "ours": distinct([b.genres for b in books]), "paper": "19"},
        {"measure": "language labels", "ours": distinct([b.languages for b in books]), "paper": "151"},
        {"measure": "country labels", "ours": distinct([b.countries for b in books]), "paper": "166"},
        {"measure": "first year", "ours": years[0] if years else "", "paper": "1460"},
        {"measure": "last year", "ours": years[-1] if years else "", "paper": "2026"},
        {"measure": "English, % of records", "ours": share("language", "English"), "paper": "83.2"},
        {
            "measure": "United States, % of records",
            "ours": share("country", "United States"),
            "paper": "41.5",
        },
        {
            "measure": "United Kingdom, % of records",
            "ours": share("country", "United Kingdom"),
            "paper": "13.4",
        },
        {"measure": "largest genre", "ours": largest, "paper": "Science Fiction"},
        {
            "measure": "largest genre, % of records",
            "ours": _percent(genres.get(largest, 0), len(books)),
            "paper": "",
        },
        {
            "measure": "no country, % of records",
            "ours": _percent(sum(1 for book in books if not book.countries), len(books)),
            "paper": "",
        },
        {"measure": "median year", "ours": years[len(years) // 2] if years else "", "paper": ""},
    ]


def _percent(count: int, total: int) -> str:
    """Per cent with one decimal, halves up, by integer arithmetic."""
    tenths = (count * 2000 + total) // (2 * total) if total else 0
    return f"{tenths // 10}.{tenths % 10}"
