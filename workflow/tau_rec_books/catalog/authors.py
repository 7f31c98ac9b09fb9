"""Who wrote a work, in display order."""

import re
from dataclasses import dataclass

from tau_rec_books.catalog.facts import Facts
from tau_rec_books.catalog.labels import Labels
from tau_rec_books.catalog.titles import clean_text
from tau_rec_books.core.identifiers import QID, qid_number

# Nine digits: no more authors than that, and Python refuses to read numbers of thousands of digits.
_ORDINAL = re.compile(r"\s*(\d{1,9})(?:\.(\d{1,9}))?")


@dataclass(frozen=True, slots=True)
class Authors:
    """Names in display order, the item ids behind them, and the key for finding duplicates."""

    names: tuple[str, ...]
    ids: tuple[str, ...]
    key: tuple[str, ...]


def ordinal(text: str | None) -> tuple[int, int]:
    """A series ordinal (P1545) as a sort key: "2" before "10", "2.5" between, none or a word last."""
    match = _ORDINAL.match(text or "")
    return (int(match.group(1)), int(match.group(2) or 0)) if match else (10**9, 0)


def authors_of(work: str, facts: Facts, labels: Labels) -> Authors:
    """The authors of a work: items (P50) and name strings (P2093).

    Order: P1545, then item number, then strings by code point. A string whose ordinal an item holds, or whose
    name an item bears, is the same person written twice. Unknown values, placeholders such as "anonymous" and
    items without a label are nobody. The key is the sorted item ids; works whose authors have no item are
    keyed by names instead.
    """
    entries: list[tuple[tuple[int, int], int, str, str]] = []
    taken: set[str] = set()
    names: set[str] = set()
    ordinals: dict[str, str | None] = {}
    for item, position in facts.values(work, "P50"):
        if not QID.fullmatch(item) or labels.is_placeholder("author", item):
            continue
        if item not in ordinals or ordinal(position) < ordinal(ordinals[item]):
            ordinals[item] = position
    for item, position in ordinals.items():
        found = facts.label(item)
        name = clean_text(found[0]) if found else ""
        if name:
            entries.append((ordinal(position), qid_number(item), name, item))
            names.add(name.casefold())
            if position:
                taken.add(position.strip())
    for text, position in facts.values(work, "P2093"):
        name = clean_text(text)
        if name and (position or "").strip() not in taken and name.casefold() not in names:
            entries.append((ordinal(position), 10**12, name, ""))
    entries.sort()
    ids = tuple(item for *_, item in entries if item)
    shown = tuple(dict.fromkeys(name for *_, name, _ in entries))
    key = tuple(sorted(ids, key=qid_number)) if ids else tuple(sorted(name.casefold() for name in shown))
    return Authors(shown, ids, key)
