"""Statement rows gathered by work, and the labels of everything."""

from collections import defaultdict
from collections.abc import Iterable

from tau_rec_books.catalog.titles import clean_text
from tau_rec_books.wikidata.statements import Statement

Values = set[tuple[str, str | None]]
"""Values of one property of one work, each with its qualifier (ordinal, precision or language tag)."""

Fact = tuple[str, str, str | None]
"""Property, value and qualifier."""

LABEL = "label"
LABEL_TAGS = ("en", "mul")
"""Languages of labels, the preferred one first."""

_NOTHING: Values = set()


class Facts:
    """Everything a snapshot says, indexed.

    Most facts are said of many works (a language, a year, an author), and every genre that a work has repeats
    all of them: each fact is stored once, and a work is a short list of facts. A table of sets per work would
    be several times as large.

    Attributes:
        works: work's item id → its facts in the order of the rows, repetitions included.
        labels: language tag → item id → text.
        rows: statement rows read, repetitions included.
    """

    def __init__(self) -> None:
        self.works: defaultdict[str, list[Fact]] = defaultdict(list)
        self.labels: dict[str, dict[str, str]] = {tag: {} for tag in LABEL_TAGS}
        self.rows = 0
        self._stored: dict[Fact, Fact] = {}
        self._read: tuple[str, dict[str, Values]] = ("", {})

    def add(self, statements: Iterable[Statement]) -> None:
        """Add the rows of one response or some of them; a row that came before changes nothing."""
        works, stored = self.works, self._stored
        count = 0
        for subject, name, value, qualifier in statements:
            count += 1
            if name == LABEL:
                texts = self.labels.setdefault(qualifier or "", {})
                # Two labels of one tag come from an edit between two queries: keep the first by code point,
                # so that the order of rows does not matter.
                if subject not in texts or value < texts[subject]:
                    texts[subject] = value
            else:
                fact = (name, value, qualifier)
                works[subject].append(stored.setdefault(fact, fact))
        self.rows += count
        self._read = ("", {})

    def values(self, work: str, name: str) -> Values:
        """Values of a property of a work; empty when it has none."""
        return self._grouped(work).get(name, _NOTHING)

    def items(self, work: str, name: str) -> set[str]:
        """Values of a property without qualifiers."""
        return {value for value, _ in self._grouped(work).get(name, _NOTHING)}

    def label(self, item: str) -> tuple[str, str] | None:
        """English label of an item, else its default (``mul``) label, with the tag it has.

        A label that is the item's own id is the label service's way to say that there is none, and one of
        which nothing can be seen is none either.
        """
        for tag in LABEL_TAGS:
            text = self.labels[tag].get(item)
            if text is not None and clean_text(text) not in ("", item):
                return text, tag
        return None

    def _grouped(self, work: str) -> dict[str, Values]:
        """Property → values of a work; that of the last work is kept, since rules ask about it again."""
        last, groups = self._read
        if last != work:
            groups = {}
            for name, value, qualifier in self.works.get(work, ()):
                if name in groups:
                    groups[name].add((value, qualifier))
                else:
                    groups[name] = {(value, qualifier)}
            self._read = (work, groups)
        return groups
