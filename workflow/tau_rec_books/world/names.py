"""Invented personal names, by culture."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from tau_rec_books.world.draws import Draws

_INITIALS = "ABCDEFGHJKLMNPRSTVW"


@dataclass(frozen=True, slots=True)
class Culture:
    """How names of one culture are put together (``data/names.toml``)."""

    given: tuple[str, ...]
    heads: tuple[str, ...]
    tails: tuple[str, ...]
    particles: tuple[str, ...]
    family_first: bool
    initials: float
    double: float


@lru_cache(maxsize=1)
def cultures() -> dict[str, Culture]:
    """The cultures by name, in file order."""
    text = resources.files("tau_rec_books.world").joinpath("data/names.toml").read_text(encoding="utf-8")
    return {
        name: Culture(
            given=tuple(table["given"]),
            heads=tuple(table["heads"]),
            tails=tuple(table["tails"]),
            particles=tuple(table.get("particles", ())),
            family_first=table["order"] == "family-first",
            initials=float(table.get("initials", 0)),
            double=float(table.get("double", 0)),
        )
        for name, table in tomllib.loads(text).items()
    }


def surname(culture: Culture, draws: Draws) -> str:
    """An invented family name without particle."""
    return draws.choice(culture.heads) + draws.choice(culture.tails)


def full_name(culture: Culture, draws: Draws) -> str:
    """An invented full name in the order of its culture."""
    given = draws.choice(culture.given)
    family = surname(culture, draws)
    if culture.family_first:
        return f"{family} {given}"
    if culture.particles and draws.chance(0.18):
        family = draws.choice(culture.particles) + family
    if draws.chance(culture.double):
        family = f"{family} {surname(culture, draws)}"
    if draws.chance(culture.initials):
        given = f"{given} {draws.choice(_INITIALS)}."
    elif draws.chance(0.05):
        given = f"{given} {draws.choice(culture.given)}"
    return f"{given} {family}"
