"""Finding books through the tools: unread matches in popularity order, whatever the interface."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tau_rec_books.agents.conversation import Conversation
from tau_rec_books.agents.reading import Facts

Record = Mapping[str, Any]


def history(conversation: Conversation) -> frozenset[str]:
    """The ids of the books that the reader has read."""
    return frozenset(book["id"] for book in conversation.call("get_reading_history")["books"])


def matches(conversation: Conversation, facts: Facts, read: frozenset[str]) -> Iterator[Record]:
    """Unread books that meet the facts, most popular first, looked up page by page as they are needed."""
    if conversation.interface == "structured":
        found = _structured(conversation, facts)
    else:
        found = _keyword(conversation, facts)
    return (book for book in found if book["id"] not in read)


def _structured(conversation: Conversation, facts: Facts) -> Iterator[Record]:
    page, pages = 1, 1
    while page <= pages:
        arguments = facts.filters() | ({"page": page} if page > 1 else {})
        result = conversation.call("search_books", arguments)
        if "error" in result:
            return
        yield from result["results"]
        pages = result["pages"]
        page += 1


def _keyword(conversation: Conversation, facts: Facts) -> Iterator[Record]:
    """What a keyword search can find: the top 20 of the joined labels, then of each label, filtered here."""
    labels = [*facts.genres, *(label for label in (facts.language, facts.country) if label)]
    queries = [" ".join(labels), *labels] if len(labels) > 1 else labels
    books: dict[str, Record] = {}
    for query in queries:
        for book in conversation.call("search_books", {"query": query}).get("results", ()):
            books.setdefault(book["id"], book)
    for book in sorted(books.values(), key=lambda b: (-b["sitelinks"], int(b["id"][4:]))):
        if meets(book, facts) and has_format(conversation, book["id"], facts.formats):
            yield book


def meets(book: Record, facts: Facts) -> bool:
    """Whether a record meets the facts literally: a keyword agent does not know what parents cover."""
    return (
        all(genre in book["genres"] for genre in facts.genres)
        and (facts.language is None or facts.language in book["languages"])
        and (facts.country is None or facts.country in book["countries"])
        and (facts.year_min is None or book["year"] >= facts.year_min)
        and (facts.year_max is None or book["year"] <= facts.year_max)
    )


def has_format(conversation: Conversation, item_id: str, accepted: Sequence[str] | None) -> bool:
    """Whether a book comes in an accepted format, by asking the tool; true when none was named."""
    if accepted is None:
        return True
    offered = conversation.call("check_formats", {"item_id": item_id})["formats"]
    return any(name in offered for name in accepted)
