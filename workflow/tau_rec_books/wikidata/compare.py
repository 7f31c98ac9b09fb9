"""What differs between two snapshots, and between a snapshot's labels and those of the item tables."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tau_rec_books.core.identifiers import qid_number
from tau_rec_books.wikidata import tables
from tau_rec_books.wikidata.statements import Statement, read_statements

KINDS = ("added", "removed", "changed", "label")
"""Kinds of difference, in the order of a report: works added, removed and changed, labels of other items."""

LABEL_LANGUAGES = ("en", "mul")
"""Languages of a label, the preferred one first."""


class Difference(NamedTuple):
    """One difference between two snapshots, about one item and, for changes, one property of it.

    Attributes:
        kind: one of :data:`KINDS`.
        qid: the item.
        label: its label or title in the later snapshot, else in the earlier one.
        property: what has changed; empty for whole works.
        before, after: values as text, several joined by `` | ``; a qualifier follows in brackets.
    """

    kind: str
    qid: str
    label: str
    property: str
    before: str
    after: str


class LabelCheck(NamedTuple):
    """A label that an item table believes in beside the one that a snapshot has.

    Attributes:
        table: ``genres``, ``classes``, ``languages``, ``countries``, ``placeholders`` or ``corrections``.
        qid: the item.
        believed: the table's label.
        found: the snapshot's label (``en``, else ``mul``), empty when it has none.
        status: ``same``, ``drifted``, or ``absent`` when no work of the snapshot uses the item.
    """

    table: str
    qid: str
    believed: str
    found: str
    status: str


class _Facts:
    """The facts of a snapshot by item."""

    def __init__(self, folder: Path) -> None:
        self.of: dict[str, set[tuple[str, str, str | None]]] = {}
        self.works: set[str] = set()
        for _, statements in read_statements(folder):
            for subject, name, value, qualifier in statements:
                self.of.setdefault(subject, set()).add((name, value, qualifier))
                if name != "label":
                    self.works.add(subject)

    def label(self, qid: str) -> str:
        facts = self.of.get(qid, ())
        return _label(facts) or min((value for name, value, _ in facts if name == "P1476"), default="")

    def values(self, qid: str, name: str) -> list[str]:
        found = [(value, qualifier) for each, value, qualifier in self.of.get(qid, ()) if each == name]
        return sorted(value if qualifier is None else f"{value} ({qualifier})" for value, qualifier in found)


def compare_snapshots(earlier: Path, later: Path) -> list[Difference]:
    """Differences between two snapshots, by kind, then item number, then property.

    Labels are those of authors, classes, genres, languages and countries that both snapshots hold; a work's
    own label is one of its properties.

    Raises:
        Problem: when one of them cannot be read.
    """
    before, after = _Facts(earlier), _Facts(later)
    found = [Difference("added", qid, after.label(qid), "", "", "") for qid in after.works - before.works]
    found += [Difference("removed", qid, before.label(qid), "", "", "") for qid in before.works - after.works]
    for qid in before.of.keys() & after.of.keys():
        if before.of[qid] == after.of[qid]:
            continue
        is_work = qid in before.works and qid in after.works
        if not is_work and (qid in before.works or qid in after.works):
            continue
        for name in sorted({fact[0] for fact in before.of[qid] ^ after.of[qid]}):
            old, new = (" | ".join(facts.values(qid, name)) for facts in (before, after))
            label = after.label(qid) or before.label(qid)
            found.append(Difference("changed" if is_work else "label", qid, label, name, old, new))
    return sorted(found, key=lambda row: (KINDS.index(row.kind), qid_number(row.qid), row.property))


def check_labels(statements: Iterable[Statement]) -> list[LabelCheck]:
    """Every label that the item tables believe in beside the one in these statements, in table order.

    Label drift is for people to look at: an item may have been renamed, or may have come to mean something
    else.
    """
    labels: dict[str, set[tuple[str, str, str | None]]] = {}
    used: set[str] = set()
    for row in statements:
        if row.property == "label":
            labels.setdefault(row.subject, set()).add((row.property, row.value, row.qualifier))
        else:
            used.add(row.value)
    checks = []
    for table, rows in _tables():
        for qid, believed in rows:
            found = _label(labels.get(qid, ()))
            here = bool(found) or qid in used
            status = "absent" if not here else "same" if found == believed else "drifted"
            checks.append(LabelCheck(table, qid, believed, found, status))
    return checks


def check_snapshot_labels(folder: Path) -> list[LabelCheck]:
    """:func:`check_labels` of a whole snapshot."""
    return check_labels(row for _, statements in read_statements(folder) for row in statements)


def _tables() -> list[tuple[str, list[tuple[str, str]]]]:
    rows: Sequence[tuple[str, Iterable[object]]] = (
        ("genres", tables.genre_items()),
        ("classes", tables.class_items()),
        ("languages", tables.language_items()),
        ("countries", tables.country_items()),
        ("placeholders", tables.placeholders()),
        ("corrections", tables.corrections()),
    )
    return [(name, [(item.qid, item.label) for item in items]) for name, items in rows]  # type: ignore[attr-defined]


def _label(facts: Iterable[tuple[str, str, str | None]]) -> str:
    """The label in the preferred language; the first by code point should there be several."""
    found = sorted(
        (LABEL_LANGUAGES.index(language), value)
        for name, value, language in facts
        if name == "label" and language in LABEL_LANGUAGES
    )
    return found[0][1] if found else ""
