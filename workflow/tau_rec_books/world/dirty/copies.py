"""Dirt that needs a second item: duplicates to merge, near-duplicates to keep apart, merged items."""

import unicodedata

from tau_rec_books.world.dirty.registry import Cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.names import cultures
from tau_rec_books.world.records import AuthorClaim, Work, person_qid, spare_qid
from tau_rec_books.world.titles import lexicon, subtitle
from tau_rec_books.world.works import World, main_genre, make_work

CASES = Cases([])

_ACCENTS = str.maketrans("aeiouAEIOUcn", "áéíóúÁÉÍÓÚçñ")


def _copy(work: Work, draws: Draws) -> Work:
    """A second item for the same work, with another number of sitelinks (now and then the same)."""
    other = work.twin(2)
    other.sitelinks = (work.sitelinks or 0) + draws.below(4)
    return other


@CASES.addition(0.008)
def duplicate(work: Work, draws: Draws, world: World) -> Work:
    """The same title and authors on two items that nobody has merged."""
    return _copy(work, draws)


@CASES.addition(0.003)
def duplicate_but_for_case(work: Work, draws: Draws, world: World) -> Work:
    """Two items whose titles differ in capital letters."""
    other = _copy(work, draws)
    other.english(work.title.upper() if draws.chance(0.3) else work.title.lower())
    return other


@CASES.addition(0.002)
def duplicate_but_for_accents(work: Work, draws: Draws, world: World) -> Work:
    """Two items whose titles differ in accents."""
    other = _copy(work, draws)
    letters = [letter for letter in "eoaiun" if letter in work.title] or ["e"]
    letter = letters[0]
    if letter not in work.title:
        work.english(f"{work.title} Reborn")
        other.english(work.title)
    other.english(work.title.replace(letter, letter.translate(_ACCENTS), 1))
    return other


@CASES.addition(0.001)
def duplicate_but_for_composition(work: Work, draws: Draws, world: World) -> Work:
    """Two items whose titles differ only in how accents are encoded (NFC and NFD)."""
    work.english(f"The Café at {work.title}")
    other = _copy(work, draws)
    other.english(unicodedata.normalize("NFD", work.title))
    return other


@CASES.addition(0.001)
def duplicate_but_for_strokes(work: Work, draws: Draws, world: World) -> Work:
    """Two items whose titles differ in letters that do not decompose."""
    noun = draws.choice(lexicon().words["noun"])
    work.english(f"Łukasz Søby’s {noun}")
    other = _copy(work, draws)
    other.english(f"Lukasz Soby’s {noun}")
    return other


@CASES.addition(0.003)
def duplicate_but_for_punctuation(work: Work, draws: Draws, world: World) -> Work:
    """Two items whose titles differ in punctuation."""
    other = _copy(work, draws)
    text = work.title.replace("’", "'").replace(": ", " - ").replace(",", "")
    other.english(f"{text}." if text == work.title or draws.chance(0.3) else text)
    return other


@CASES.addition(0.001)
def duplicate_but_for_invisible(work: Work, draws: Draws, world: World) -> Work:
    """Two items whose titles differ in characters that nobody sees."""
    other = _copy(work, draws)
    middle = max(1, len(work.title) // 2)
    other.english(work.title[:middle] + draws.choice(("\u200b", "\u00ad", "\u2060")) + work.title[middle:])
    return other


@CASES.addition(0.0015)
def same_title_and_author_other_work(work: Work, draws: Draws, world: World) -> Work:
    """Two different books of one author with one plain title."""
    work.english(draws.choice(("Collected Stories", "Selected Essays", "Poems", "Diary", "Letters")))
    other = _copy(work, draws)
    for date in other.dates:
        date.year = None if date.year is None else max(1460, date.year - draws.between(1, 20))
    return other


@CASES.addition(0.005)
def title_and_longer_title(work: Work, draws: Draws, world: World) -> Work:
    """One author's "X" and "X: Y", which are two books."""
    other = work.twin(3)
    author = world.first_author(work.index)
    other.english(f"{work.title}: {subtitle(main_genre(work), cultures()[author.home.culture], draws)}")
    return other


@CASES.addition(0.003)
def volumes_of_one_title(work: Work, draws: Draws, world: World) -> Work:
    """One author's "X, Volume 1" and "X, Volume 2", which are two books."""
    title = work.title
    work.english(f"{title}, Volume 1")
    other = work.twin(3)
    other.english(f"{title}, Volume 2")
    return other


@CASES.addition(0.008)
def same_title_other_author(work: Work, draws: Draws, world: World) -> Work:
    """Two authors' books with one title."""
    other = make_work(world, world.people + work.index, "namesake")
    if other.authors[0].value == work.authors[0].value:
        other.authors = [AuthorClaim(person_qid((world.first_author(work.index).index + 1) % world.people))]
    other.index = work.index
    other.qid = work.twin(3).qid
    other.labels, other.titles = [("en", work.title)], []
    other.title = work.title
    return other


@CASES.addition(0.001)
def same_title_but_for_case_other_author(work: Work, draws: Draws, world: World) -> Work:
    """Two authors' books whose titles differ only in capital letters."""
    other = same_title_other_author(work, draws, world)
    other.english(work.title.lower())
    return other


@CASES.addition(0.003)
def merged_but_still_there(work: Work, draws: Draws, world: World) -> Work:
    """An item merged into another (owl:sameAs) whose statements a lagging server still has."""
    other = _copy(work, draws)
    other.redirect_to = work.qid
    return other


@CASES.addition(0.003)
def merged_author(work: Work, draws: Draws, world: World) -> Work:
    """The author is an item that was merged into another: it has no label, only owl:sameAs."""
    stub = Work(index=work.index, qid=spare_qid(2_000_000 + work.index), title="", sitelinks=None)
    stub.redirect_to = work.authors[0].value
    work.authors = [AuthorClaim(stub.qid)]
    return stub
