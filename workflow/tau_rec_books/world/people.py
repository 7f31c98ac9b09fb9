"""Invented authors: each has a home, a language, active years and favourite genres."""

from dataclasses import dataclass

from tau_rec_books.world.draws import Draws, spread
from tau_rec_books.world.names import cultures, full_name
from tau_rec_books.world.records import person_qid
from tau_rec_books.world.tastes import Home, era, genres_by_era, homes_by_weight, year_between


@dataclass(frozen=True, slots=True)
class Person:
    """An author.

    Attributes:
        index: place in the order of people.
        qid: item id.
        name: full name.
        labels: (language tag, text); some have a ``mul`` label only, as is common since 2024.
        home: country, language, culture and years.
        middle: middle of the active years.
        genres: favourite published genres, first one first.
        pen_name: whether the item stands for a pen name.
    """

    index: int
    qid: str
    name: str
    labels: tuple[tuple[str, str], ...]
    home: Home
    middle: int
    genres: tuple[str, ...]
    pen_name: bool


def make_person(seed: str, index: int, offset: int) -> Person:
    """The person at ``index`` of the world of ``seed``; ``offset`` shifts the even spread of homes."""
    home = homes_by_weight().at(spread(index, offset))
    draws = Draws(seed, "person", index)
    name = full_name(cultures()[home.culture], draws)
    middle = year_between(home.first, home.last, draws.fraction())
    favourites = genres_by_era()[era(middle)]
    first = draws.weighted(favourites)
    liked = [first]
    if draws.chance(0.45):
        other = draws.weighted(favourites)
        liked += [other] if other != first else []
    point = draws.fraction()
    labels = [("mul", name)] if point < 0.12 else [("en", name)]
    if point > 0.93:
        labels.append(("mul", name))
    if draws.chance(0.06):
        labels.append(("de", name))
    return Person(
        index, person_qid(index), name, tuple(labels), home, middle, tuple(liked), draws.chance(0.01)
    )
