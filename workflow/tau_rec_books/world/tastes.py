"""What people of the world write and where: homes with languages, genres with periods and neighbours.

The weights of ``data/homes.csv`` were fitted so that the eligible works have the shares that the paper prints
(English 83.2 %, United States 41.5 %, United Kingdom 13.4 %), with enough people for each of the 151 language
and 166 country labels to be on a book of the largest catalog.
"""

import csv
import io
import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise

from tau_rec_books.wikidata.tables import genre_qids, published_genres
from tau_rec_books.world.draws import Draws, Weighted

ERAS = (1800, 1900, 1950, 1990)
"""First years of the second to the fifth period of ``data/genres.csv``."""

PUBLISHED_BEFORE = (
    (1460, 0.0), (1500, 0.002), (1600, 0.008), (1700, 0.016), (1800, 0.035), (1850, 0.06), (1900, 0.12),
    (1930, 0.19), (1950, 0.26), (1970, 0.39), (1990, 0.58), (2005, 0.79), (2015, 0.92), (2023, 0.99),
    (2027, 1.0),
)  # fmt: skip
"""Share of the world's books out before a year: few old ones, most of the last decades."""


@dataclass(frozen=True, slots=True)
class Home:
    """A country and a language that people write in there (a row of ``data/homes.csv``).

    Attributes:
        country: item id, or empty for people whose works never name a country.
        language: item id.
        weight: people of this home among 10,000.
        first, last: years in which books come out there.
        culture: name of the culture in ``data/names.toml``.
    """

    country: str
    language: str
    weight: float
    first: int
    last: int
    culture: str


@dataclass(frozen=True, slots=True)
class Genre:
    """A published genre label as people write it (``data/genres.csv`` and ``data/pairs.csv``).

    Attributes:
        label: the published label.
        eras: weight in each of the five periods between ``ERAS``.
        main: its usual items.
        items: all its items, alike.
        beside: labels that a second or third genre is drawn from.
    """

    label: str
    eras: tuple[float, ...]
    main: Weighted[str]
    items: tuple[str, ...]
    beside: Weighted[str]


def _rows(name: str) -> list[dict[str, str]]:
    text = resources.files("tau_rec_books.world").joinpath("data", name).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


@lru_cache(maxsize=1)
def homes() -> tuple[Home, ...]:
    """All homes, in file order."""
    return tuple(
        Home(
            row["country"],
            row["language"],
            float(row["weight"]),
            int(row["from"]),
            int(row["to"]),
            row["culture"],
        )
        for row in _rows("homes.csv")
    )


@lru_cache(maxsize=1)
def homes_by_weight() -> Weighted[Home]:
    """All homes for drawing."""
    return Weighted.of([(home, home.weight) for home in homes()])


@lru_cache(maxsize=1)
def languages_at_home() -> dict[str, Weighted[str]]:
    """Country → its languages for drawing."""
    table: dict[str, list[tuple[str, float]]] = {}
    for home in homes():
        table.setdefault(home.country, []).append((home.language, home.weight))
    return {country: Weighted.of(pairs) for country, pairs in table.items()}


@lru_cache(maxsize=1)
def invented_languages() -> tuple[tuple[str, str], ...]:
    """Languages that do not exist, as (item id, label).

    Wikidata knows more languages on books than the tables list, and the world has to reach the paper's number
    of language labels without items whose numbers nobody has checked: 25 regional languages are made up.
    """
    return tuple((row["qid"], row["label"]) for row in _rows("invented_languages.csv"))


@lru_cache(maxsize=1)
def genres() -> dict[str, Genre]:
    """The genres by published label, in file order."""
    beside: dict[str, list[tuple[str, float]]] = {}
    for row in _rows("pairs.csv"):
        beside.setdefault(row["genre"], []).append((row["beside"], float(row["weight"])))
    table = {}
    for row in _rows("genres.csv"):
        label = row["genre"]
        own = genre_qids(label)
        main = [
            (qid, float(weight))
            for qid, weight in re.findall(r"(Q\d+) ([\d.]+)", row["main_items"])
            if qid in own
        ]
        weight = float(row["weight"])
        columns = ("before_1800", "1800_1899", "1900_1949", "1950_1989", "from_1990")
        table[label] = Genre(
            label=label,
            eras=tuple(weight * float(row[column]) for column in columns),
            main=Weighted.of(main),
            items=own,
            beside=Weighted.of(beside[label]),
        )
    assert sorted(table) == list(published_genres())
    return table


@lru_cache(maxsize=1)
def genres_by_era() -> tuple[Weighted[str], ...]:
    """The genres for drawing, one table per period."""
    return tuple(
        Weighted.of([(genre.label, genre.eras[era]) for genre in genres().values()])
        for era in range(len(ERAS) + 1)
    )


def era(year: int) -> int:
    """The period of a year: 0 before 1800 … 4 from 1990."""
    return bisect_right(ERAS, year)


def genre_item(label: str, draws: Draws) -> str:
    """An item of a published genre: mostly a usual one, now and then any of them."""
    genre = genres()[label]
    if len(genre.items) > len(genre.main.options) and draws.chance(0.2):
        return draws.choice(genre.items)
    return draws.weighted(genre.main)


def share_before(year: float) -> float:
    """Share of the world's books published before a point in time (linear between the knots)."""
    for (low, below), (high, above) in pairwise(PUBLISHED_BEFORE):
        if year < high:
            return below + (above - below) * max(0.0, year - low) / (high - low)
    return 1.0


def year_between(first: int, last: int, fraction: float) -> int:
    """The year at ``fraction`` of the books published from ``first`` to ``last``."""
    start, end = share_before(first), share_before(last + 1)
    share = start + (end - start) * fraction
    for (low, below), (high, above) in pairwise(PUBLISHED_BEFORE):
        if share < above or high == PUBLISHED_BEFORE[-1][0]:
            return max(first, min(last, int(low + (high - low) * (share - below) / (above - below))))
    return last
