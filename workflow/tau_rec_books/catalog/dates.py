"""Publication years out of Wikidata time values."""

import re

YEAR_PRECISION = 9
"""Precision code of a year; 10 is a month, 11 a day, 8 a decade, 7 a century."""

# Wikibase's years have 64 bits; ASCII digits only, since \d takes those of every script.
_TIME = re.compile(r"([+-]?[0-9]{4,18})-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z?")
_PRECISION = re.compile(r"[0-9]{1,2}")


def astronomical_year(time: str) -> int | None:
    """The proleptic astronomical year of a time value, or ``None`` when it is not one.

    RDF counts years astronomically: ``-0043`` is 44 BCE and ``0000`` is 1 BCE. The year is cut out as text,
    since date types lose the sign or refuse years of five digits.
    """
    match = _TIME.fullmatch(time)
    return None if match is None else int(match.group(1))


def publication_year(dates: set[tuple[str, str | None]]) -> int | None:
    """Earliest year among best-rank dates that are precise to the year or finer.

    Args:
        dates: pairs of time value and precision code.

    A decade or century is no year: Wikidata writes "20th century" as a time in the year 2000.
    """
    years = [
        year
        for time, precision in dates
        if precision is not None and _PRECISION.fullmatch(precision) and int(precision) >= YEAR_PRECISION
        if (year := astronomical_year(time)) is not None
    ]
    return min(years, default=None)
