"""Dirt in publication dates: missing, several, coarse, wrong rank, before Christ, out of bounds."""

from tau_rec_books.world.dirty.registry import Cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.records import JULIAN, DateClaim, Work
from tau_rec_books.world.works import LAST_YEAR, World

CASES = Cases([])


def _year(work: Work) -> int:
    return next((date.year for date in work.dates if date.year is not None), 1950)


@CASES.change(0.018)
def no_date(work: Work, draws: Draws, world: World) -> None:
    """No publication date: the model wants it on the edition."""
    work.dates = []


@CASES.change(0.005)
def unknown_date(work: Work, draws: Draws, world: World) -> None:
    """The date is an unknown value."""
    work.dates = [DateClaim(None)]


@CASES.change(0.04)
def several_dates(work: Work, draws: Draws, world: World) -> None:
    """First publication and reprints, with day, month, year and decade precision in no order."""
    year = _year(work)
    later = [min(LAST_YEAR, year + draws.between(1, 40)) for _ in range(draws.between(1, 3))]
    work.dates = [
        DateClaim(later[0], draws.between(1, 12), draws.between(1, 28), 11),
        DateClaim(year),
        *(DateClaim(other, precision=draws.choice((9, 9, 8))) for other in later[1:]),
    ]


@CASES.change(0.003)
def day_year_and_century(work: Work, draws: Draws, world: World) -> None:
    """One date to the day, one to the year, and one to the century, which stands in its last year."""
    year = max(1501, _year(work))
    century = (year + 99) // 100 * 100
    work.dates = [
        DateClaim(min(LAST_YEAR, year + 3), 10, 12, 11),
        DateClaim(century - 100, precision=7),
        DateClaim(year),
    ]


@CASES.change(0.015)
def same_year_twice(work: Work, draws: Draws, world: World) -> None:
    """British and American first publication, weeks apart."""
    year = _year(work)
    work.dates = [
        DateClaim(year, 3, draws.between(1, 28), 11),
        DateClaim(year, 5, draws.between(1, 28), 11),
    ]


@CASES.change(0.006)
def preferred_date(work: Work, draws: Draws, world: World) -> None:
    """An earlier date of normal rank, a later one of preferred rank."""
    year = _year(work)
    work.dates = [DateClaim(year - draws.between(1, 9)), DateClaim(year, rank="preferred")]


@CASES.change(0.005)
def deprecated_date(work: Work, draws: Draws, world: World) -> None:
    """A typing error kept with deprecated rank beside the right date."""
    work.dates = [
        DateClaim(1000 + _year(work) % 100, rank="deprecated"),
        DateClaim(_year(work)),
    ]


@CASES.change(0.0015)
def mistyped_date(work: Work, draws: Draws, world: World) -> None:
    """A typing error of normal rank, centuries too early, is the earliest date."""
    work.dates = [DateClaim(1000 + _year(work) % 100), DateClaim(_year(work))]


@CASES.change(0.004)
def century_only(work: Work, draws: Draws, world: World) -> None:
    """Only a century, which reads like its last year if the precision is not looked at."""
    work.dates = [DateClaim(draws.choice((1600, 1700, 1800, 1900, 1900, 2000)), precision=7)]


@CASES.change(0.003)
def decade_only(work: Work, draws: Draws, world: World) -> None:
    """Only a decade."""
    work.dates = [DateClaim(_year(work) // 10 * 10, precision=8)]


@CASES.change(0.0005)
def millennium_only(work: Work, draws: Draws, world: World) -> None:
    """Only a millennium."""
    work.dates = [DateClaim(draws.choice((1000, 2000)), precision=6)]


@CASES.change(0.0015)
def before_christ(work: Work, draws: Draws, world: World) -> None:
    """A date BCE: a negative astronomical year."""
    work.dates = [DateClaim(-draws.between(1, 1200))]


@CASES.change(0.0004)
def year_zero(work: Work, draws: Draws, world: World) -> None:
    """The year 0000, which is 1 BCE."""
    work.dates = [DateClaim(0)]


@CASES.change(0.0004)
def five_digit_year(work: Work, draws: Draws, world: World) -> None:
    """A year of five digits."""
    work.dates = [DateClaim(draws.between(10_000, 19_999))]


@CASES.change(0.004)
def before_printing(work: Work, draws: Draws, world: World) -> None:
    """A year before the first that the catalog takes."""
    work.dates = [DateClaim(draws.between(400, 1459))]


@CASES.change(0.0015)
def ancient_and_printed(work: Work, draws: Draws, world: World) -> None:
    """An ancient date and that of the first printing."""
    work.dates = [DateClaim(-draws.between(1, 700)), DateClaim(draws.between(1470, 1520))]


@CASES.change(0.0004)
def first_or_last_year(work: Work, draws: Draws, world: World) -> None:
    """The first or the last year that the catalog takes."""
    work.dates = [DateClaim(draws.choice((1460, LAST_YEAR)))]


@CASES.change(0.0004)
def year_before_first_or_after_last(work: Work, draws: Draws, world: World) -> None:
    """A year too early or too late by one."""
    work.dates = [DateClaim(draws.choice((1459, LAST_YEAR + 1)))]


@CASES.change(0.002)
def future_date(work: Work, draws: Draws, world: World) -> None:
    """Announced for a year after the last that the catalog takes."""
    work.dates = [DateClaim(draws.between(LAST_YEAR + 1, LAST_YEAR + 6))]


@CASES.change(0.003)
def julian_date(work: Work, draws: Draws, world: World) -> None:
    """A day of the Julian calendar, converted to the Gregorian one: late December becomes January."""
    year = draws.between(1500, 1917)
    month, day = draws.choice(((1, 6), (1, 9), (7, 14), (11, 3)))
    work.dates = [DateClaim(year, month, day, 11, calendar=JULIAN)]
