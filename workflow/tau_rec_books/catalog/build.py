"""From a frozen snapshot to nested catalogs."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tau_rec_books.catalog.audit import AUDIT_COLUMNS, audit_rows, audit_rubric
from tau_rec_books.catalog.books import BOOK_SCHEMA, Book, Vocabulary, book_rows
from tau_rec_books.catalog.facts import Facts
from tau_rec_books.catalog.funnel import FUNNEL_COLUMNS, Funnel
from tau_rec_books.catalog.profile import PROFILE_COLUMNS, profile_rows
from tau_rec_books.catalog.select import Selection, without_duplicates
from tau_rec_books.catalog.vocabulary import build_vocabulary
from tau_rec_books.core.canonical import write_csv, write_json, write_parquet, write_text
from tau_rec_books.core.collector import collector_held
from tau_rec_books.core.digest import shuffled
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.core.progress import progress_bar
from tau_rec_books.wikidata.statements import read_pieces


@dataclass(frozen=True)
class Build:
    """A built catalog: the books of the largest size in catalog order, and the account of all others."""

    books: tuple[Book, ...]
    vocabulary: Vocabulary
    funnel: Funnel
    eligible: int


def read_facts(snapshot: Path) -> Facts:
    """Gather the statement rows of every response of a snapshot."""
    facts = Facts()
    with progress_bar("reading responses", total=21) as advance:
        for name, pieces in read_pieces(snapshot):
            with collector_held():
                for statements in pieces:
                    facts.add(statements)
            advance(text=f"reading {name}")
    return facts


def build(
    facts: Facts, *, seed: str, sizes: Sequence[int], year_min: int, year_max: int, allow_fewer: bool
) -> Build:
    """Select, deduplicate and order the books of a snapshot.

    The order is that of ``sha256(seed || item id)``; the catalog of size N is its first N books, so each
    catalog lies inside the larger ones.

    Raises:
        Problem: when there are fewer eligible works than the largest size, unless ``allow_fewer``.
    """
    funnel = Funnel(len(facts.works))
    selection = Selection(facts, year_min, year_max)
    with collector_held():
        candidates = without_duplicates(selection.candidates(funnel), funnel)
    books = {candidate.qid: candidate.book for candidate in candidates}
    if not books:
        raise Problem(
            "The snapshot holds no eligible work; look at its responses and at the catalog's rules."
        )
    if len(books) < sizes[-1] and not allow_fewer:
        raise Problem(
            f"The snapshot holds {len(books)} eligible works but catalog.sizes asks for {sizes[-1]}; "
            "choose smaller sizes, another snapshot, or catalog.allow_fewer: true."
        )
    order = shuffled(books, seed)
    funnel.drop_all(order[sizes[-1] :], "beyond_largest")
    chosen = tuple(books[qid] for qid in order[: sizes[-1]])
    return Build(chosen, build_vocabulary(chosen, sizes, selection.labels), funnel, len(books))


def write_catalog(out: Path, built: Build, sizes: Sequence[int]) -> None:
    """Write ``{size}.parquet`` for each size and what describes them.

    That is ``vocabulary.json``, ``funnel.csv``, ``profile.csv``, and ``audit_sample.csv`` with its rubric.
    """
    rows = book_rows(built.books)
    for size in sizes:
        write_parquet(out / f"{size_name(size)}.parquet", rows[:size], BOOK_SCHEMA)
    write_json(out / "vocabulary.json", built.vocabulary.document())
    write_csv(out / "funnel.csv", FUNNEL_COLUMNS, built.funnel.rows())
    write_csv(
        out / "profile.csv", PROFILE_COLUMNS, profile_rows(built.books, built.vocabulary, built.eligible)
    )
    write_csv(out / "audit_sample.csv", AUDIT_COLUMNS, audit_rows(built.books))
    write_text(out / "audit_rubric.md", audit_rubric())
