"""Reference agents and controls: popularity, no-ask, always-abstain, random, oracle (paper, section 5)."""

from collections.abc import Callable, Iterator

from tau_rec_books.agents.conversation import Conversation, quoted
from tau_rec_books.agents.reading import Facts, reader
from tau_rec_books.agents.shelf import Record, has_format, history, matches
from tau_rec_books.core.digest import draw_integer
from tau_rec_books.trial.text import tokens

QUESTION = (
    "Which genre, language, country of origin, year of publication and format would you like? "
    "Please tell me everything that matters to you."
)
"""One question that names every field, so that it draws every fact that can be asked for."""


def proposal(book: Record) -> str:
    """A message that proposes one book."""
    authors = ", ".join(book["authors"])
    return f"I suggest {quoted(book['title'])} by {authors}, {book['year']}. [[candidate_id:{book['id']}]]"


class Popularity:
    """Asks once about everything, then proposes the most popular match until one is accepted."""

    name = "popularity"

    def __init__(self, user: str) -> None:
        self._reader = reader(user)

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        facts = Facts()
        self._reader.read(conversation.opening, facts)
        self._reader.read(conversation.say(QUESTION), facts)
        for book in matches(conversation, facts, history(conversation)):
            if self._reader.read(conversation.say(proposal(book)), facts) == "accepted":
                commit(conversation, book["id"], facts)
        conversation.recommend(None)


class NoAsk:
    """Never asks: recommends the most popular unread match of the opening request."""

    name = "no-ask"

    def __init__(self, user: str) -> None:
        self._reader = reader(user)

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        facts = Facts()
        self._reader.read(conversation.opening, facts)
        for book in matches(conversation, facts, history(conversation)):
            commit(conversation, book["id"], facts)
        conversation.recommend(None)


class AlwaysAbstain:
    """Negative control: gives up at once."""

    name = "always-abstain"

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        conversation.recommend(None)


class RandomBook:
    """Negative control: recommends a book drawn from a search, whatever the reader wants."""

    name = "random"

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        if conversation.interface == "structured":
            pages = conversation.call("search_books")["pages"]
            page = 1 + draw_integer(self._seed, "page", below=max(1, pages))
            found = conversation.call("search_books", {"page": page})["results"]
        else:
            words = tokens(conversation.opening)
            word = words[draw_integer(self._seed, "word", below=len(words))]
            found = conversation.call("search_books", {"query": word})["results"]
        if not found:
            conversation.recommend(None)
        conversation.recommend(found[draw_integer(self._seed, "book", below=len(found))]["id"])


class Oracle:
    """Positive control: is handed the acceptable answers and recommends the first."""

    name = "oracle"

    def __init__(self, answers: Callable[[], Iterator[str]]) -> None:
        self._answers = answers

    def run(self, conversation: Conversation) -> None:
        """Play one trial."""
        answer = next(self._answers(), None)
        if answer is not None:
            conversation.call("check_formats", {"item_id": answer})
        conversation.recommend(answer)


def commit(conversation: Conversation, item_id: str, facts: Facts) -> None:
    """Check the formats if the reader named any, then recommend the book."""
    has_format(conversation, item_id, facts.formats)
    conversation.recommend(item_id)
