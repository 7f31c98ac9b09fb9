"""Years out of time values, with their sign and all their digits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tau_rec_books.catalog.dates import astronomical_year, publication_year


@pytest.mark.parametrize(
    ("time", "year"),
    [
        ("1865-01-01T00:00:00Z", 1865),
        ("-0043-01-01T00:00:00Z", -43),
        ("0000-01-01T00:00:00Z", 0),
        ("-2500000-01-01T00:00:00Z", -2_500_000),
        ("12000-05-01T00:00:00Z", 12_000),
        ("+1994-00-00T00:00:00Z", 1994),
        ("soon", None),
        ("1865", None),
        ("http://www.wikidata.org/.well-known/genid/ab", None),
    ],
)
def test_a_time_value_keeps_its_year(time: str, year: int | None) -> None:
    assert astronomical_year(time) == year


@given(st.integers(-99_999, 99_999))
def test_every_year_survives_the_round_trip(year: int) -> None:
    sign = "-" if year < 0 else ""
    assert astronomical_year(f"{sign}{abs(year):04d}-12-31T00:00:00Z") == year


def test_the_earliest_precise_date_counts() -> None:
    dates = {
        ("1936-01-01T00:00:00Z", "9"),
        ("1935-11-02T00:00:00Z", "11"),
        ("1900-01-01T00:00:00Z", "7"),
        ("1930-01-01T00:00:00Z", "8"),
    }
    assert publication_year(dates) == 1935


def test_a_century_alone_is_no_year() -> None:
    assert publication_year({("2000-01-01T00:00:00Z", "7")}) is None
    assert publication_year({("2000-01-01T00:00:00Z", None)}) is None
