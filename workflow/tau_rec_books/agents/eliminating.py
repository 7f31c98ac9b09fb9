"""The eliminating agent: reads declines as requirements and rejections as evidence (paper, section 5).

Its settings and weights (here and in ``hypotheses``) were chosen on the default task set, so what it solves
there flatters it; fresh sets of other seeds judge it (``make reference-agents``, docs/reference-agents.md).
"""

from collections.abc import Iterator, Sequence

from tau_rec_books.agents.conversation import Conversation
from tau_rec_books.agents.hypotheses import Hypotheses, kind_of, label_options, year_options
from tau_rec_books.agents.reading import Facts, reader
from tau_rec_books.agents.reference import QUESTION, commit, proposal
from tau_rec_books.agents.shelf import Record, history, matches

BOOKS_AT_HAND = 400
"""How many matches are looked up before the first proposal; more only when none of them fits."""

_UNLIKELY = "(none of these)"


class Eliminating:
    """Proposes the book that meets most of what is still possible; abstains when no book meets any of it."""

    name = "eliminating"

    def __init__(self, user: str) -> None:
        self._reader = reader(user)

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        facts = Facts()
        self._reader.read(conversation.opening, facts)
        self._reader.read(conversation.say(QUESTION), facts)
        found = matches(conversation, facts, history(conversation))
        if not facts.declined:
            self._propose_in_order(conversation, facts, found)
        else:
            self._eliminate(conversation, facts, found)
        conversation.recommend(None)

    def _propose_in_order(self, conversation: Conversation, facts: Facts, found: Iterator[Record]) -> None:
        for book in found:
            if self._reader.read(conversation.say(proposal(book)), facts) == "accepted":
                commit(conversation, book["id"], facts)

    def _eliminate(self, conversation: Conversation, facts: Facts, found: Iterator[Record]) -> None:
        books = _take(found, BOOKS_AT_HAND)
        hypotheses = possible_requirements(conversation, facts, books)
        books = one_of_each_kind(books)
        while books:
            best, fitting = best_fitting(hypotheses, books)
            if not fitting:
                books = one_of_each_kind(_take(found, BOOKS_AT_HAND))
                continue
            if self._reader.read(conversation.say(proposal(best)), facts) == "accepted":
                commit(conversation, best["id"], facts)
            hypotheses.reject(best)


def _take(found: Iterator[Record], count: int) -> list[Record]:
    return [book for _, book in zip(range(count), found, strict=False)]


def best_fitting(hypotheses: Hypotheses, books: Sequence[Record]) -> tuple[Record, int]:
    """The book that meets most, the most popular of equals: books come in popularity order."""
    best, most = books[0], 0
    for book in books:
        fitting = hypotheses.fitting(book)
        if fitting > most:
            best, most = book, fitting
    return best, most


def one_of_each_kind(books: Sequence[Record]) -> list[Record]:
    """The most popular book of each kind: others of its kind are rejected with it."""
    first: dict[tuple[object, ...], Record] = {}
    for book in books:
        first.setdefault(kind_of(book), book)
    return list(first.values())


def possible_requirements(conversation: Conversation, facts: Facts, books: Sequence[Record]) -> Hypotheses:
    """What the declined fields may require, before anything has been rejected."""
    known = {
        "genre": facts.genres,
        "language": [facts.language] if facts.language is not None else [],
        "country": [facts.country] if facts.country is not None else [],
    }
    fields = [
        label_options(field, known[field], {} if field == "genre" else _parents(conversation, field), books)
        for field in known
        if field in facts.declined
    ]
    if "year" in facts.declined:
        fields.append(year_options(books, facts))
    return Hypotheses(fields)


def _parents(conversation: Conversation, field: str) -> dict[str, tuple[str, ...]]:
    """Label → the labels that cover it, as the search tool tells them beside the valid values."""
    if conversation.interface != "structured":
        return {}
    covers = conversation.call("search_books", {field: _UNLIKELY}).get("covers", {})
    parents: dict[str, tuple[str, ...]] = {}
    for parent, children in covers.items():
        for child in children:
            parents[child] = (*parents.get(child, ()), parent)
    return parents
