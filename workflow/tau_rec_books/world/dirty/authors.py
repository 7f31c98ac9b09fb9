"""Dirt in authors: missing, unknown, placeholders, name strings, ordinals, ranks, items without a label."""

from tau_rec_books.world.dirty.registry import Cases
from tau_rec_books.world.draws import Draws
from tau_rec_books.world.names import cultures, full_name
from tau_rec_books.world.records import NO_VALUE, UNKNOWN, AuthorClaim, NameClaim, Work, spare_qid
from tau_rec_books.world.works import World

CASES = Cases([])

ANONYMOUS = "Q4233718"
VARIOUS = "Q2818964"


def _stranger(draws: Draws) -> str:
    """The name of somebody who has no item."""
    return full_name(cultures()[draws.choice(("english", "american", "french", "german", "italian"))], draws)


def _more_authors(work: Work, draws: Draws, world: World, number: int) -> None:
    """Bring the work to ``number`` different authors, without ordinals."""
    while len(work.authors) < min(number, world.people):
        qid = world.some_author(draws).qid
        if qid not in [claim.value for claim in work.authors]:
            work.authors.append(AuthorClaim(qid))
    work.authors = [AuthorClaim(claim.value) for claim in work.authors[:number]]


@CASES.change(0.014)
def no_author(work: Work, draws: Draws, world: World) -> None:
    """No author at all."""
    work.authors = []


@CASES.change(0.006)
def unknown_author(work: Work, draws: Draws, world: World) -> None:
    """The author is an unknown value, which the query service writes as a genid address."""
    work.authors = [AuthorClaim(UNKNOWN)]


@CASES.change(0.0015)
def unknown_author_with_name(work: Work, draws: Draws, world: World) -> None:
    """An unknown value, and the name as a string."""
    work.authors = [AuthorClaim(UNKNOWN, "1")]
    work.author_names = [NameClaim(_stranger(draws), "1")]


@CASES.change(0.005)
def no_value_author(work: Work, draws: Draws, world: World) -> None:
    """Said to have no author (no value): there is no truthy triple to join on."""
    work.authors = [AuthorClaim(NO_VALUE)]


@CASES.change(0.01)
def anonymous_author(work: Work, draws: Draws, world: World) -> None:
    """The author is the item "anonymous"."""
    work.authors = [AuthorClaim(ANONYMOUS)]


@CASES.change(0.005)
def various_authors(work: Work, draws: Draws, world: World) -> None:
    """The author is the item "various authors"."""
    work.authors = [AuthorClaim(VARIOUS)]


@CASES.change(0.001)
def placeholder_beside_author(work: Work, draws: Draws, world: World) -> None:
    """A real author, and "anonymous" beside."""
    work.authors = [AuthorClaim(work.authors[0].value), AuthorClaim(ANONYMOUS)]


@CASES.change(0.012)
def author_name_only(work: Work, draws: Draws, world: World) -> None:
    """Authors that have no item, only name strings (P2093)."""
    work.authors = []
    work.author_names = [NameClaim(_stranger(draws), "1" if draws.chance(0.5) else None)]
    if draws.chance(0.2):
        work.author_names.append(NameClaim(_stranger(draws), "2"))


@CASES.change(0.008)
def author_name_twin(work: Work, draws: Draws, world: World) -> None:
    """The same author as an item and as a string with the same ordinal, abbreviated."""
    author = world.first_author(work.index)
    work.authors = [AuthorClaim(author.qid, "1")]
    first, _, rest = author.name.partition(" ")
    work.author_names = [NameClaim(f"{first[0]}. {rest}" if draws.chance(0.5) else author.name, "1")]


@CASES.change(0.012)
def author_name_beside(work: Work, draws: Draws, world: World) -> None:
    """A first author with an item and a second one without."""
    work.authors = [AuthorClaim(work.authors[0].value, "1")]
    work.author_names = [NameClaim(_stranger(draws), "2")]


@CASES.change(0.006)
def odd_ordinals(work: Work, draws: Draws, world: World) -> None:
    """Author ordinals that sort wrongly as text: 10 before 2, halves, Roman numerals, spaces."""
    _more_authors(work, draws, world, 4)
    ordinals = draws.choice((("2", "10", "1", "2.5"), ("10", "2", "1", "II"), ("1a", "3", " 2", "1")))
    for claim, ordinal in zip(work.authors, ordinals, strict=False):
        claim.ordinal = ordinal


@CASES.change(0.003)
def some_ordinals(work: Work, draws: Draws, world: World) -> None:
    """Several authors of whom only one has an ordinal."""
    _more_authors(work, draws, world, 3)
    work.authors[-1].ordinal = "1"


@CASES.change(0.004)
def deprecated_author(work: Work, draws: Draws, world: World) -> None:
    """A wrong attribution kept with deprecated rank."""
    _more_authors(work, draws, world, 2)
    work.authors[-1].rank = "deprecated"


@CASES.change(0.004)
def preferred_author(work: Work, draws: Draws, world: World) -> None:
    """Two attributions of which one has preferred rank."""
    _more_authors(work, draws, world, 2)
    work.authors[-1].rank = "preferred"


@CASES.change(0.001)
def many_authors(work: Work, draws: Draws, world: World) -> None:
    """A book by a whole club."""
    _more_authors(work, draws, world, 6 + draws.below(9))
    for ordinal, claim in enumerate(work.authors, start=1):
        claim.ordinal = str(ordinal)


@CASES.change(0.006)
def author_without_label(work: Work, draws: Draws, world: World) -> None:
    """The only author is an item of which nothing is known, not even a label."""
    work.authors = [AuthorClaim(spare_qid(1000 + work.index))]


@CASES.change(0.002)
def author_label_elsewhere(work: Work, draws: Draws, world: World) -> None:
    """One author has a label, the other is an item without one."""
    work.authors = [AuthorClaim(work.authors[0].value, "1"), AuthorClaim(spare_qid(1000 + work.index), "2")]
