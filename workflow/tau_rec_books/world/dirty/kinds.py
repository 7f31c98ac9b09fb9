"""Dirt in what an item is: work, edition, series, part of something, or only its form tells."""

from tau_rec_books.wikidata.tables import class_items
from tau_rec_books.world.dirty.registry import Cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.items import BROAD_CLASSES
from tau_rec_books.world.names import cultures
from tau_rec_books.world.records import DateClaim, Work, series_qid, spare_qid
from tau_rec_books.world.tastes import homes_by_weight
from tau_rec_books.world.titles import foreign_title, lexicon, place, tongues
from tau_rec_books.world.works import LAST_YEAR, World

CASES = Cases([])

WORK = "Q7725634"
WRITTEN = "Q47461344"
EDITION = "Q3331189"


def _classes(kind: str) -> list[str]:
    return [item.qid for item in class_items() if item.kind == kind]


def _later(work: Work, draws: Draws) -> DateClaim:
    """A date some decades after the work's."""
    year = next((date.year for date in work.dates if date.year is not None), 1950)
    return DateClaim(min(LAST_YEAR, year + draws.between(2, 60)))


@CASES.change(0.05)
def two_work_classes(work: Work, draws: Draws, world: World) -> None:
    """Literary work and written work at once, which doubles the rows of a careless join."""
    work.classes = [WORK, WRITTEN]


@CASES.change(0.01)
def broad_class_beside(work: Work, draws: Draws, world: World) -> None:
    """A class that says next to nothing beside the real one."""
    work.classes = [WORK, draws.choice(list(BROAD_CLASSES))]


@CASES.change(0.002)
def broad_class_only(work: Work, draws: Draws, world: World) -> None:
    """Only a class that says next to nothing: it may be a painting."""
    work.classes = [draws.choice(list(BROAD_CLASSES))]


@CASES.change(0.002)
def unknown_class(work: Work, draws: Draws, world: World) -> None:
    """A class that no table lists."""
    work.classes = [spare_qid(draws.below(5))]


@CASES.change(0.002)
def no_class(work: Work, draws: Draws, world: World) -> None:
    """No class at all."""
    work.classes = []


@CASES.change(0.005)
def work_and_edition(work: Work, draws: Draws, world: World) -> None:
    """A work that somebody also called an edition."""
    work.classes = [WORK, draws.choice((EDITION, EDITION, "Q57933693"))]


@CASES.change(0.0015)
def work_and_trilogy(work: Work, draws: Draws, world: World) -> None:
    """A work that somebody also called a trilogy."""
    work.classes = [WORK, "Q13593966"]


@CASES.addition(0.035)
def edition_item(work: Work, draws: Draws, world: World) -> Work:
    """An edition with an item of its own, linked to its work (P629)."""
    edition = work.twin(1)
    edition.classes = [EDITION]
    edition.edition_of = [work.qid]
    edition.dates = [_later(work, draws)]
    edition.sitelinks = 0
    return edition


@CASES.addition(0.006)
def edition_called_work(work: Work, draws: Draws, world: World) -> Work:
    """An edition whose class is literary work: only P629 gives it away."""
    edition = work.twin(1)
    edition.classes = [WORK]
    edition.edition_of = [work.qid]
    edition.dates = [_later(work, draws)]
    edition.sitelinks = 0
    return edition


@CASES.addition(0.006)
def translation_item(work: Work, draws: Draws, world: World) -> Work:
    """A translation called a literary work, in another language and country, later, linked by P629."""
    translation = work.twin(1)
    home = draws.weighted(homes_by_weight())
    translation.classes = [WORK]
    translation.edition_of = [work.qid]
    translation.languages = [home.language]
    translation.countries = [home.country] if home.country else []
    translation.dates = [_later(work, draws)]
    return translation


@CASES.change(0.007)
def edition_without_work(work: Work, draws: Draws, world: World) -> None:
    """Only ever called an edition, without a link to a work."""
    work.classes = [draws.choice((EDITION, EDITION, EDITION, "Q10898227", "Q122731938"))]


@CASES.change(0.002)
def format_as_class(work: Work, draws: Draws, world: World) -> None:
    """A paperback, an ebook, an audiobook: the class is a format."""
    work.classes = [draws.choice(("Q193934", "Q193955", "Q128093", "Q106833", "Q17994250"))]


@CASES.change(0.003)
def volume(work: Work, draws: Draws, world: World) -> None:
    """One volume of a larger work."""
    work.classes = ["Q1238720"]
    work.english(f"{work.title}, Volume {draws.between(1, 4)}")


@CASES.change(0.012)
def series_item(work: Work, draws: Draws, world: World) -> None:
    """A series with the statements of a book."""
    work.classes = [draws.choice(_classes("series"))]
    work.english(f"{place(draws)} {draws.choice(('Cycle', 'Saga', 'Trilogy', 'Mysteries', 'Chronicles'))}")


@CASES.change(0.045)
def part_of_series(work: Work, draws: Draws, world: World) -> None:
    """A book of a series (P179) whose series has no statements here."""
    work.series = [series_qid(work.index)]


@CASES.addition(0.012)
def series_beside_part(work: Work, draws: Draws, world: World) -> Work:
    """A book of a series, and the series with the same author, genre and language."""
    series = work.twin(1)
    series.qid = series_qid(work.index)
    series.classes = [draws.choice(("Q277759", "Q1667921", "Q13593966", "Q7725310"))]
    series.english(f"The {place(draws)} {draws.choice(lexicon().words['noun'])} Series")
    work.series = [series.qid]
    return series


@CASES.change(0.005)
def article(work: Work, draws: Draws, world: World) -> None:
    """An article of a journal, newspaper or encyclopedia."""
    work.classes = [draws.choice(_classes("article"))]


@CASES.change(0.004)
def chapter(work: Work, draws: Draws, world: World) -> None:
    """A chapter of a book."""
    work.classes = [draws.choice(_classes("chapter"))]


@CASES.change(0.009)
def play(work: Work, draws: Draws, world: World) -> None:
    """A play by its class."""
    work.classes = [draws.choice(("Q25379", "Q25379", "Q116476516", "Q34620"))]


@CASES.change(0.007)
def play_by_form(work: Work, draws: Draws, world: World) -> None:
    """A literary work that only its form (P7937) shows to be a play."""
    work.classes, work.forms = [WORK], ["Q25379"]


@CASES.change(0.007)
def poem(work: Work, draws: Draws, world: World) -> None:
    """A poem by its class."""
    work.classes = [draws.choice(_classes("poem"))]


@CASES.change(0.007)
def poem_by_form(work: Work, draws: Draws, world: World) -> None:
    """A literary work that only its form shows to be a poem."""
    work.classes, work.forms = [WORK], [draws.choice(("Q5185279", "Q5185279", "Q80056", "Q37484"))]


@CASES.change(0.015)
def short_story(work: Work, draws: Draws, world: World) -> None:
    """A short story by its class."""
    work.classes = [draws.choice(("Q49084", "Q49084", "Q49084", *_classes("short story")))]


@CASES.change(0.018)
def short_story_by_form(work: Work, draws: Draws, world: World) -> None:
    """A literary work that only its form shows to be a short story."""
    work.classes, work.forms = [WORK], [draws.choice(("Q49084", "Q49084", "Q472808"))]


@CASES.change(0.0006)
def chapter_and_poem(work: Work, draws: Draws, world: World) -> None:
    """A tale that is a chapter and a poem."""
    work.classes = ["Q1980247", "Q5185279"]


@CASES.change(0.001)
def novel_and_short_story_forms(work: Work, draws: Draws, world: World) -> None:
    """A short story and the novel made of it on one item: both forms."""
    work.classes, work.forms = [WORK], ["Q8261", "Q49084"]


@CASES.change(0.008)
def comics(work: Work, draws: Draws, world: World) -> None:
    """Comics, a manga or a graphic novel."""
    work.classes = [draws.choice(_classes("comics"))]


@CASES.change(0.002)
def periodical_or_document(work: Work, draws: Draws, world: World) -> None:
    """A magazine, a manuscript, a report, a thesis."""
    work.classes = [draws.choice((*_classes("periodical"), *_classes("document")))]


@CASES.change(0.001)
def novelization(work: Work, draws: Draws, world: World) -> None:
    """A film retold as a book."""
    work.classes = ["Q2421000"]


@CASES.change(0.012)
def label_and_class_only(work: Work, draws: Draws, world: World) -> None:
    """An item of a batch import: a label, a class and nothing else."""
    work.forms, work.authors, work.dates, work.languages = [], [], [], []
    work.countries, work.genres, work.titles, work.sitelinks = [], [], [], 0


@CASES.addition(0.003)
def adaptation_in_another_language(work: Work, draws: Draws, world: World) -> Work:
    """A retelling by the same author with a title in another language as its English label."""
    retelling = work.twin(1)
    qid = draws.choice([qid for qid, tongue in tongues().items() if tongue.latin])
    culture = world.first_author(work.index).home.culture
    retelling.languages = [qid]
    retelling.titles = []
    retelling.english(foreign_title(tongues()[qid], cultures()[culture], draws))
    retelling.dates = [_later(work, draws)]
    return retelling
