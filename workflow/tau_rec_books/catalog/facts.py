"""Statement rows gathered by work, and the labels of everything."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tau_rec_books.wikidata.statements import Statement

Values = set[tuple[str, str | None]]
"""Values of one property of one work, each with its qualifier (ordinal, precision or language tag)."""

LABEL = "label"
_NOTHING: Values = set()


@dataclass
class Facts:
    """Everything a snapshot says, indexed.

    Attributes:
        works: work's item id → property → values.
        labels: item id → language tag → text.
        rows: statement rows read, repetitions included.
    """

    works: dict[str, dict[str, Values]] = field(default_factory=dict)
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    rows: int = 0

    def add(self, statements: Iterable[Statement]) -> None:
        """Add the rows of one response; a row that came before changes nothing."""
        works, labels = self.works, self.labels
        count = 0
        for subject, name, value, qualifier in statements:
            count += 1
            if name == LABEL:
                texts = labels.setdefault(subject, {})
                tag = qualifier or ""
                # Two labels of one tag come from an edit between two queries: keep the first by code point,
                # so that the order of rows does not matter.
                texts[tag] = min(value, texts[tag]) if tag in texts else value
                continue
            facts = works.get(subject)
            if facts is None:
                facts = works[subject] = {}
            values = facts.get(name)
            if values is None:
                facts[name] = {(value, qualifier)}
            else:
                values.add((value, qualifier))
        self.rows += count

    def values(self, work: str, name: str) -> Values:
        """Values of a property of a work; empty when it has none."""
        return self.works[work].get(name, _NOTHING)

    def items(self, work: str, name: str) -> set[str]:
        """Values of a property without qualifiers."""
        return {value for value, _ in self.values(work, name)}

    def label(self, item: str) -> tuple[str, str] | None:
        """English label of an item, else its default (``mul``) label, with the tag it has.

        A label that is the item's own id is the label service's way to say that there is none.
        """
        texts = self.labels.get(item, {})
        for tag in ("en", "mul"):
            text = texts.get(tag)
            if text is not None and text.strip() not in ("", item):
                return text, tag
        return None
