"""The audit sample of the task families: requests for two people to judge, and their rubric."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.digest import shuffled
from tau_rec_books.tasks.books_index import BooksIndex
from tau_rec_books.tasks.families import CONDITIONS, Condition, Family, Predicate, Reveal

AUDIT_KEY = "family"
AUDIT_JUDGEMENTS = (
    "unambiguous_predicates",
    "consistent_variants",
    "faithful_wording",
    "no_giveaway",
    "nvr_plausible",
)
"""What a reviewer judges of each family (paper, section 5); the last one of NVR families only."""

AUDIT_COLUMNS = (
    AUDIT_KEY,
    "tier",
    "kind",
    "template",
    "request",
    "predicates",
    *CONDITIONS,
    "formats",
    "books_read",
    "answers",
    "without_one",
    "giveaway_figures",
    "examples",
    *AUDIT_JUDGEMENTS,
    "notes",
)

PER_TIER = 5
"""Families of each tier and kind; the default set has just as many without a valid recommendation (NVR)."""

EXAMPLES = 3

_PHRASES: Mapping[tuple[str, str], str] = {
    ("genre", "is"): "filed under {value}",
    ("language", "is"): "written in {value}",
    ("country", "is"): "with the country of origin {value}",
    ("year", "min"): "first published in {value} or later",
    ("year", "max"): "first published in {value} or earlier",
}
_SAID: Mapping[Reveal, str] = {"stated": "at the start", "on_ask": "when asked", "hidden": "never"}


def audit_families(families: Sequence[Family], seed: str) -> list[Family]:
    """The families to judge, in id order: of each tier five satisfiable and five NVR ones, if there are.

    They are drawn by a hash of seed and id.
    """
    drawn: dict[tuple[str, bool], int] = {}
    chosen = set()
    by_id = {family.id: family for family in families}
    for name in shuffled(by_id, f"{seed}:audit:"):
        kind = (by_id[name].tier, by_id[name].nvr)
        if drawn.get(kind, 0) < PER_TIER:
            drawn[kind] = drawn.get(kind, 0) + 1
            chosen.add(name)
    return [family for family in families if family.id in chosen]


def audit_rows(
    families: Sequence[Family],
    answers: Sequence[Mapping[str, Any]],
    catalog: Catalog,
    sizes: Sequence[int],
    seed: str,
) -> list[dict[str, object]]:
    """Rows of the tasks' ``audit_sample.csv``, with empty cells for the judgements and for notes.

    ``nvr_plausible`` is filled with "not applicable" for families that have an answer.

    Args:
        families: all families.
        answers: their rows of ``answers.jsonl``.
        catalog: the largest catalog.
        sizes: catalog sizes, increasing.
        seed: seed of the families.
    """
    index = BooksIndex(catalog, sizes)
    by_family = {row["family"]: row["sizes"] for row in answers}
    return [_row(family, by_family[family.id], catalog, index) for family in audit_families(families, seed)]


def audit_rubric() -> str:
    """The rubric, Markdown text: when to write yes, no, unsure or not applicable."""
    return (files(__package__) / "data" / "audit-rubric.md").read_text(encoding="utf-8")


def in_words(predicate: Predicate) -> str:
    """A predicate as part of a sentence: "written in French"."""
    return _PHRASES[predicate.field, predicate.operator].format(value=predicate.value)


def _row(
    family: Family, answers: Mapping[str, Mapping[str, Sequence[str]]], catalog: Catalog, index: BooksIndex
) -> dict[str, object]:
    formats = family.accepted_formats
    return {
        AUDIT_KEY: family.id,
        "tier": family.tier,
        "kind": "no valid recommendation" if family.nvr else "satisfiable",
        "template": family.template,
        "request": f"A book {', '.join(in_words(p) for p in family.predicates)}.",
        "predicates": "; ".join(f"{p.id} {p.field} {p.operator} {p.value}" for p in family.predicates),
        **{condition: _said(family, condition) for condition in CONDITIONS},
        "formats": "any" if formats is None else " or ".join(formats),
        "books_read": "; ".join(catalog.by_id[book].title for book in family.history) or "none",
        "answers": "; ".join(
            f"{size}: {len(found['answers'])}, {len(found['acceptable'])} acceptable"
            for size, found in answers.items()
        ),
        "without_one": "; ".join(
            f"without {p.id}: {index.meeting(q for q in family.predicates if q is not p).bit_count()}"
            for p in family.predicates
        ),
        "giveaway_figures": _giveaway(family, index),
        "examples": _examples(family, catalog, index),
        **dict.fromkeys((*AUDIT_JUDGEMENTS, "notes"), ""),
        **({} if family.nvr else {"nvr_plausible": "not applicable"}),
    }


def _said(family: Family, condition: Condition) -> str:
    """What the reader says at the start, tells when asked and never tells, under one condition."""
    tags = family.reveal[condition]
    parts = []
    for tag, when in _SAID.items():
        told = [f"{p.id} {in_words(p)}" for p in family.predicates if tags[p.id] == tag]
        if told:
            parts.append(f"{when}: {', '.join(told)}")
    return "; ".join(parts)


def _giveaway(family: Family, index: BooksIndex) -> str:
    """For each hidden predicate, how many of the books that fit the revealed ones fit it as well."""
    tags = family.reveal["hidden"]
    revealed = index.meeting(p for p in family.predicates if tags[p.id] != "hidden")
    return "; ".join(
        f"{(revealed & index.matches(p)).bit_count()} of {revealed.bit_count()} fit {p.id}, too"
        for p in family.predicates
        if tags[p.id] == "hidden"
    )


def _examples(family: Family, catalog: Catalog, index: BooksIndex) -> str:
    """The best known answers; without any, the best known books that miss one predicate, and which."""
    if not family.nvr:
        return "; ".join(
            _short(catalog, book) for book in _best_known(index.meeting(family.predicates), catalog, index)
        )
    near = {
        book: p.id
        for p in family.predicates
        for book in _best_known(index.meeting(q for q in family.predicates if q is not p), catalog, index)[:1]
    }
    return "; ".join(f"{_short(catalog, book)} misses {missed}" for book, missed in near.items())


def _best_known(bits: int, catalog: Catalog, index: BooksIndex) -> list[str]:
    books = (catalog.by_id[book] for book in index.book_ids(bits))
    return [book.id for book in sorted(books, key=lambda book: (-book.sitelinks, book.id))[:EXAMPLES]]


def _short(catalog: Catalog, book_id: str) -> str:
    book = catalog.by_id[book_id]
    return f"{book.title} ({book.year})"
