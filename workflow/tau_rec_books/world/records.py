"""What is said about one invented work or person, before it becomes triples."""

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal

Rank = Literal["normal", "preferred", "deprecated"]

UNKNOWN = "unknown value"
"""Stands for Wikidata's unknown value: there is an author or a date, but nobody knows it."""

NO_VALUE = "no value"
"""Stands for Wikidata's no value: the work is said to have no author."""

GREGORIAN = "Q1985727"
JULIAN = "Q1985786"

WORK_NUMBERS = 4_000_000_000
PERSON_NUMBERS = 4_100_000_000
SERIES_NUMBERS = 4_150_000_000
LANGUAGE_NUMBERS = 4_190_000_000
SPARE_NUMBERS = 4_195_000_000
STEP = 40
"""Item numbers start far above Wikidata's, whose ids fit in 31 bits, and leave gaps as Wikidata's do."""


@dataclass(slots=True)
class AuthorClaim:
    """A P50 statement: an item id, ``UNKNOWN`` or ``NO_VALUE``, and its P1545 ordinal as text."""

    value: str
    ordinal: str | None = None
    rank: Rank = "normal"


@dataclass(slots=True)
class NameClaim:
    """A P2093 statement: an author who has no item, by name."""

    text: str
    ordinal: str | None = None
    rank: Rank = "normal"


@dataclass(slots=True)
class DateClaim:
    """A P577 statement.

    Attributes:
        year: proleptic astronomical year (0 is 1 BCE), or ``None`` for an unknown value.
        month, day: 1 where the precision is coarser.
        precision: Wikibase's code: 11 day, 10 month, 9 year, 8 decade, 7 century, 6 millennium.
        rank: as in Wikidata.
        calendar: item of the calendar model.
    """

    year: int | None
    month: int = 1
    day: int = 1
    precision: int = 9
    rank: Rank = "normal"
    calendar: str = GREGORIAN


@dataclass(slots=True)
class Work:
    """One item of the world that has statements of a book, or of something taken for one.

    Attributes:
        index: place in the order of works; its digits seed the draws of the work.
        qid: item id.
        title: the English title that the work was made with (variants may be written instead).
        labels: (language tag, text); no tag twice.
        titles: P1476 as (language tag, text).
        classes, forms, languages, countries, genres, edition_of, series: item ids of P31, P7937, P407, P495,
            P136, P629, P179.
        authors, author_names, dates: statements with rank and qualifiers.
        sitelinks: number of sitelinks, or ``None`` when the count is missing.
        redirect_to: item that this one was merged into (owl:sameAs).
    """

    index: int
    qid: str
    title: str
    sitelinks: int | None = 0
    labels: list[tuple[str, str]] = field(default_factory=list)
    titles: list[tuple[str, str]] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    forms: list[str] = field(default_factory=list)
    authors: list[AuthorClaim] = field(default_factory=list)
    author_names: list[NameClaim] = field(default_factory=list)
    dates: list[DateClaim] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    countries: list[str] = field(default_factory=list)
    genres: list[str] = field(default_factory=list)
    edition_of: list[str] = field(default_factory=list)
    series: list[str] = field(default_factory=list)
    redirect_to: str | None = None

    def english(self, text: str) -> None:
        """Give the work another English title, in its label and, if it has one, in its P1476@en."""
        self.title = text
        self.labels = [(tag, text if tag == "en" else old) for tag, old in self.labels]
        self.titles = [(tag, text if tag == "en" else old) for tag, old in self.titles]

    def label(self, tag: str, text: str | None) -> None:
        """Set the label in one language, or take it away."""
        self.labels = [(other, old) for other, old in self.labels if other != tag]
        if text is not None:
            self.labels.insert(0, (tag, text))

    def twin(self, number: int) -> "Work":
        """A second item with the same statements; ``number`` is 1, 2 or 3 and gives it an id of its own."""
        other = deepcopy(self)
        base = WORK_NUMBERS + self.index * STEP
        other.qid = f"Q{base + 10 * number + (self.index * 7 + number * 3) % 9}"
        return other


def work_qid(index: int, gap: int) -> str:
    """Item id of the work at ``index``; ``gap`` is below 10."""
    return f"Q{WORK_NUMBERS + index * STEP + gap}"


def person_qid(index: int) -> str:
    """Item id of the person at ``index``."""
    return f"Q{PERSON_NUMBERS + index * STEP + (index * 11) % 37}"


def series_qid(index: int) -> str:
    """Item id of the series that the work at ``index`` is part of."""
    return f"Q{SERIES_NUMBERS + index * STEP + (index * 13) % 37}"


def spare_qid(index: int) -> str:
    """Item id of something that has no statements of its own, such as a merged or deleted item."""
    return f"Q{SPARE_NUMBERS + index * STEP + (index * 5) % 37}"
