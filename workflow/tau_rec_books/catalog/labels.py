"""Published labels of genres, languages and countries, and which label covers which."""

from collections import defaultdict
from collections.abc import Mapping

from tau_rec_books.catalog.facts import Facts
from tau_rec_books.catalog.titles import clean_text
from tau_rec_books.core.identifiers import QID
from tau_rec_books.wikidata import tables


class Labels:
    """Publishes item ids as labels: a correction first, else the snapshot's label, else the table's.

    Corrections and parents are keyed by item id, since labels drift between snapshots.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._genres = {item.qid: item.genre for item in tables.genre_items() if item.genre}
        self._corrected = {
            kind: {c.qid: c.corrected for c in tables.corrections() if c.field == kind}
            for kind in ("language", "country")
        }
        self._places = {
            "language": {item.qid: item for item in tables.language_items()},
            "country": {item.qid: item for item in tables.country_items()},
        }
        self._missing = {(item.field, item.qid) for item in tables.placeholders()}

    def genres(self, items: set[str]) -> tuple[str, ...]:
        """Published genres of these genre items; items outside the map add nothing."""
        return tuple(sorted({self._genres[item] for item in items if item in self._genres}))

    def places(self, kind: str, items: set[str]) -> tuple[str, ...]:
        """Published labels of language or country items; placeholders and unnamed items add nothing."""
        labels = (self.place(kind, item) for item in items if (kind, item) not in self._missing)
        return tuple(sorted({label for label in labels if label}))

    def place(self, kind: str, item: str) -> str | None:
        """Published label of one language or country item, or ``None`` when nothing names it."""
        corrected = self._corrected[kind].get(item)
        if corrected is not None:
            return corrected
        found = self._facts.label(item) if QID.fullmatch(item) else None
        if found is not None:
            return clean_text(found[0]) or None
        known = self._places[kind].get(item)
        return known.label if known is not None else None

    def is_placeholder(self, field: str, item: str) -> bool:
        """Whether an item stands for "nobody", "several" or "unknown" in this field."""
        return (field, item) in self._missing

    def children(self, kind: str, occurring: set[str]) -> Mapping[str, tuple[str, ...]]:
        """Parent label → sorted child labels among those that occur (one level)."""
        covered: defaultdict[str, set[str]] = defaultdict(set)
        for item in self._places[kind].values():
            if not item.parent:
                continue
            child, parent = self.place(kind, item.qid), self.place(kind, item.parent)
            if child is not None and parent is not None and child != parent and child in occurring:
                covered[parent].add(child)
        return {parent: tuple(sorted(covered[parent])) for parent in sorted(covered)}
