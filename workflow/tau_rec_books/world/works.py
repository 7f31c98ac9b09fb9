"""Works as an orderly Wikidata would hold them; ``dirty`` then does what editors do to them."""

from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from tau_rec_books.core.digest import draw_integer
from tau_rec_books.world.draws import Draws, Weighted
from tau_rec_books.world.names import cultures
from tau_rec_books.world.people import Person, make_person
from tau_rec_books.world.records import AuthorClaim, DateClaim, Work, work_qid
from tau_rec_books.world.tastes import (
    genre_item,
    genres,
    homes_by_weight,
    languages_at_home,
)
from tau_rec_books.world.titles import Tongue, foreign_title, title, tongues

NON_FICTION = ("Non-Fiction", "Biography and Memoir")
WITHOUT_COUNTRY = 0.085
LAST_YEAR = 2026

_FICTION_CLASSES: Weighted[tuple[str, ...]] = Weighted.of(
    [
        (("Q7725634",), 79.0),
        (("Q47461344",), 10),
        (("Q571",), 3),
        (("Q8261",), 2),
        (("Q1279564",), 2),
        (("Q149537",), 1.5),
        (("Q7725634", "Q17518461"), 0.7),
        (("Q7725634", "Q5248657"), 0.8),
        (("Q105420",), 1),
    ]
)
_OTHER_CLASSES: Weighted[tuple[str, ...]] = Weighted.of(
    [
        (("Q47461344",), 58.0),
        (("Q7725634",), 25),
        (("Q571",), 8),
        (("Q20540385",), 6),
        (("Q193495",), 1.5),
        (("Q16324495",), 1.5),
    ]
)
_ENGLISH = "Q1860"
_ENGLISHES = ("Q1860", "Q7979", "Q7976", "Q44679", "Q44676", "Q1348800", "Q6144345", "Q21480034")


@dataclass(frozen=True, slots=True)
class World:
    """The frame that everything is drawn in.

    Attributes:
        seed: part of every draw.
        works: number of works before dirt adds copies, editions and series.
        people: number of authors.
    """

    seed: str
    works: int
    people: int

    @property
    def offset(self) -> int:
        """Start of the even spread of homes over people."""
        return draw_integer(self.seed, "offset", below=1 << 64)

    @property
    def stride(self) -> int:
        """Step of the walk that gives each person one of the first works; coprime to their number."""
        step = max(1, int(self.people * 0.618))
        while gcd(step, self.people) != 1:
            step += 1
        return step

    def person(self, index: int) -> Person:
        """The person at ``index``."""
        return _person(self.seed, index, self.offset)

    def some_author(self, draws: Draws) -> Person:
        """A person drawn with the skew of real bibliographies: a few write a lot."""
        return self.person(min(self.people - 1, int(self.people * draws.fraction() ** 1.7)))

    def author_of(self, index: int, draws: Draws) -> Person:
        """First author of the work at ``index``: everybody has one work before anybody has more."""
        if index < self.people:
            return self.person((index * self.stride + 7) % self.people)
        return self.some_author(draws)

    def first_author(self, index: int) -> Person:
        """First author of the orderly work at ``index``, found again."""
        return self.author_of(index, Draws(self.seed, "work", index))


@lru_cache(maxsize=60_000)
def _person(seed: str, index: int, offset: int) -> Person:
    return make_person(seed, index, offset)


def make_work(world: World, index: int, *parts: str | int) -> Work:
    """The orderly work at ``index``; further ``parts`` draw another one in its place."""
    draws = Draws(world.seed, "work", index, *parts)
    author = world.author_of(index, draws)
    labels = _genre_labels(author, draws)
    non_fiction = labels[0] in NON_FICTION
    classes = draws.weighted(_OTHER_CLASSES if non_fiction else _FICTION_CLASSES)
    year = _year(author, draws)
    work = Work(
        index=index,
        qid=work_qid(index, draws.below(9)),
        title="",
        sitelinks=_sitelinks(author, world, draws),
        classes=list(classes),
        genres=[genre_item(label, draws) for label in labels],
        dates=[_date(year, draws)],
    )
    if not non_fiction and work.classes[0] == "Q7725634" and draws.chance(0.62):
        work.forms = ["Q8261"]
    _add_places(work, author, draws)
    _add_authors(work, author, world, draws)
    _add_titles(work, author, labels[0], draws)
    return work


def main_genre(work: Work) -> str:
    """A published genre of the work, or Non-Fiction if none of its items is mapped."""
    labels = _genre_of()
    return next((labels[qid] for qid in work.genres if qid in labels), "Non-Fiction")


@lru_cache(maxsize=1)
def _genre_of() -> dict[str, str]:
    return {qid: genre.label for genre in genres().values() for qid in genre.items}


def _genre_labels(author: Person, draws: Draws) -> list[str]:
    """One to three published genres that go together."""
    point = draws.fraction()
    labels = [author.genres[0] if point < 0.75 else author.genres[-1]]
    number = draws.fraction()
    wanted = 1 if number < 0.52 else 2 if number < 0.87 else 3
    for _ in range(4):
        if len(labels) >= wanted:
            break
        source = labels[draws.below(len(labels))]
        other = draws.weighted(genres()[source].beside)
        if other not in labels:
            labels.append(other)
    return labels


def _year(author: Person, draws: Draws) -> int:
    """A year of the author's active ones, inside those of the home country."""
    year = author.middle + round(draws.bell() * 22)
    first, last = author.home.first, min(author.home.last, LAST_YEAR)
    if year < first:
        year = min(last, 2 * first - year)
    if year > last:
        year = max(first, 2 * last - year)
    return year


def _date(year: int, draws: Draws) -> DateClaim:
    point = draws.fraction()
    if year < 1850 or point > 0.4:
        return DateClaim(year)
    month, day = draws.between(1, 12), draws.between(1, 28)
    return DateClaim(year, month, day, 11) if point < 0.3 else DateClaim(year, month, 1, 10)


def _sitelinks(author: Person, world: World, draws: Draws) -> int:
    """Few have many: heavy-tailed, a quarter has none, most have fewer than ten."""
    known = 1.6 if author.index * 20 < world.people else 1.0
    number = 0.8 * known * max(1e-6, draws.fraction()) ** -0.75
    return int(number * 300 / (number + 300))


def _add_places(work: Work, author: Person, draws: Draws) -> None:
    """Languages and countries of the work, most often the author's."""
    language = author.home.language
    if draws.chance(0.04) and author.home.country:
        language = draws.weighted(languages_at_home()[author.home.country])
    work.languages = [language]
    if draws.chance(0.012):
        second = draws.weighted(homes_by_weight()).language
        work.languages += [second] if second != language else []
    if author.home.country and not draws.chance(WITHOUT_COUNTRY):
        work.countries = [author.home.country]
        if draws.chance(0.02):
            second = draws.weighted(homes_by_weight()).country
            work.countries += [second] if second and second not in work.countries else []


def _add_authors(work: Work, author: Person, world: World, draws: Draws) -> None:
    people = [author]
    point = draws.fraction()
    for _ in range(1 if point < 0.09 else 2 if point < 0.11 else 0):
        other = world.some_author(draws)
        if other.index not in [person.index for person in people]:
            people.append(other)
    ordered = len(people) > 1 and draws.chance(0.75)
    work.authors = [
        AuthorClaim(person.qid, str(place) if ordered else None)
        for place, person in enumerate(people, start=1)
    ]
    if ordered and draws.chance(0.4):
        work.authors.reverse()


def _add_titles(work: Work, author: Person, genre: str, draws: Draws) -> None:
    """English label; P1476 in the original language; now and then a label in another language."""
    culture = cultures()[author.home.culture]
    tongue = tongues().get(work.languages[0])
    original: str | None = None
    if tongue is not None:
        original = foreign_title(tongue, culture, draws)
    if tongue is not None and tongue.latin and original and draws.chance(0.15):
        work.title = original
    else:
        work.title = title(genre, culture, draws)
    work.labels = [("en", work.title)]
    if work.languages[0] in _ENGLISHES:
        if draws.chance(0.7):
            work.titles = [("en", work.title)]
    elif tongue is not None and original:
        work.titles = [(tongue.code, original)]
        if draws.chance(0.6):
            work.labels.append((tongue.code, original))
    if draws.chance(0.08):
        _add_other_label(work, tongue, draws)


def _add_other_label(work: Work, tongue: Tongue | None, draws: Draws) -> None:
    other = tongues()[draws.choice(("Q188", "Q150", "Q1321", "Q7737", "Q5287"))]
    if tongue is None or other.code != tongue.code:
        text = foreign_title(other, cultures()["english"], draws)
        work.labels.append((other.code, text))
