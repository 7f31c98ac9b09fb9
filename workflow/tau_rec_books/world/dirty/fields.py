"""Dirt in languages, countries, genres and sitelinks."""

from tau_rec_books.wikidata.tables import genre_items
from tau_rec_books.world.dirty.registry import Cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.records import Work
from tau_rec_books.world.tastes import genres, homes_by_weight
from tau_rec_books.world.works import World, main_genre

CASES = Cases([])


def _unmapped() -> list[str]:
    """Genre items that are left out on purpose, other than forms of a single text."""
    return [item.qid for item in genre_items() if not item.genre]


# --- languages and countries


@CASES.change(0.012)
def no_language(work: Work, draws: Draws, world: World) -> None:
    """No language."""
    work.languages = []


@CASES.change(0.005)
def multiple_languages(work: Work, draws: Draws, world: World) -> None:
    """The language is the item "multiple languages"."""
    work.languages = ["Q20923490"]


@CASES.change(0.0015)
def multiple_beside_language(work: Work, draws: Draws, world: World) -> None:
    """A real language, and "multiple languages" beside."""
    work.languages = [*work.languages, "Q20923490"]


@CASES.change(0.0015)
def no_real_language(work: Work, draws: Draws, world: World) -> None:
    """Undetermined, uncoded, no linguistic content, or a language invented inside a novel."""
    work.languages = [draws.choice(("Q22282914", "Q22282939", "Q22283016", "Q654101"))]


@CASES.change(0.0008)
def languages_of_translations(work: Work, draws: Draws, world: World) -> None:
    """The languages of all translations, listed on the work."""
    wanted = 5 + draws.below(5)
    while len(work.languages) < wanted:
        language = draws.weighted(homes_by_weight()).language
        if language not in work.languages:
            work.languages.append(language)


@CASES.change(0.006)
def england_and_united_kingdom(work: Work, draws: Draws, world: World) -> None:
    """A country and the one it is part of, both."""
    work.countries = ["Q145", "Q21"]
    work.languages = ["Q1860"]


@CASES.change(0.003)
def state_and_successor(work: Work, draws: Draws, world: World) -> None:
    """A state and the one that came after it, both."""
    work.countries = list(draws.choice((("Q15180", "Q159"), ("Q43287", "Q183"), ("Q28513", "Q40"))))


@CASES.change(0.0012)
def country_is_no_state(work: Work, draws: Draws, world: World) -> None:
    """The country of origin is a city, a region or a continent."""
    work.countries = [draws.choice(("Q15", "Q48214", "Q1261", "Q11917", "Q41967", "Q15652"))]


# --- genres and sitelinks


@CASES.change(0.012)
def no_genre(work: Work, draws: Draws, world: World) -> None:
    """No genre, so that no query returns the work."""
    work.genres = []


@CASES.change(0.02)
def novel_only_genre(work: Work, draws: Draws, world: World) -> None:
    """Its only genre is a form: novel."""
    work.genres = [draws.choice(("Q8261", "Q8261", "Q8261", "Q149537", "Q8253"))]


@CASES.change(0.014)
def unmapped_genre(work: Work, draws: Draws, world: World) -> None:
    """Its only genre is one that has no published label."""
    work.genres = [draws.choice(_unmapped())]


@CASES.change(0.09)
def unmapped_beside_genre(work: Work, draws: Draws, world: World) -> None:
    """A mapped genre, and one that has no published label beside it."""
    other = "Q8261" if draws.chance(0.5) else draws.choice(_unmapped())
    work.genres = [*work.genres, other]


@CASES.change(0.04)
def two_items_of_one_genre(work: Work, draws: Draws, world: World) -> None:
    """Two genre items that have one published label."""
    items = genres()[main_genre(work)].items
    work.genres = [*work.genres, *[qid for qid in (draws.choice(items),) if qid not in work.genres]]
    if len(work.genres) < 2:
        work.genres.append(next(qid for qid in items if qid not in work.genres))


@CASES.change(0.0006)
def too_many_genres(work: Work, draws: Draws, world: World) -> None:
    """Somebody added a dozen genres."""
    labels = list(genres())
    start = draws.below(len(labels))
    picked = (labels[(start + step) % len(labels)] for step in range(12))
    work.genres = [genres()[label].main.options[0] for label in picked]


@CASES.change(0.002)
def no_sitelink_count(work: Work, draws: Draws, world: World) -> None:
    """No count of sitelinks, as some engines leave out zeros."""
    work.sitelinks = None
