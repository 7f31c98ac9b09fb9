"""Labels of the items that works point to: classes, forms, genres, languages, countries, placeholders."""

from collections.abc import Iterator

from tau_rec_books.wikidata import tables
from tau_rec_books.world.ntriples import label_lines
from tau_rec_books.world.records import spare_qid
from tau_rec_books.world.tastes import invented_languages

DRIFTED_LABELS = {"Q60548032": "humour", "Q213051": "nonfiction", "Q6647667": "literary fiction"}
"""Genre items whose label here is the one they had at another time, as labels do drift."""

BROAD_CLASSES = {"Q17537576": "creative work", "Q732577": "publication"}
"""Real classes that say too little to be in a table."""

OTHER_CLASSES = ("gamebook", "broadside", "board game", "exhibition", "almanac issue")
"""Labels of the classes that no table lists."""


def item_labels() -> dict[str, tuple[str, str]]:
    """Item id → (language tag, label) of every item of the tables and of the invented ones, in file order.

    Where two tables believe in different labels of one item, the first one counts.
    """
    labels: dict[str, tuple[str, str]] = {}
    rows: tuple[tables.ClassItem | tables.GenreItem | tables.PlaceItem | tables.Placeholder, ...] = (
        *tables.class_items(),
        *tables.genre_items(),
        *tables.language_items(),
        *tables.country_items(),
        *tables.placeholders(),
    )
    for row in rows:
        labels.setdefault(row.qid, ("en", DRIFTED_LABELS.get(row.qid, row.label)))
    languages = invented_languages()
    for qid, label in languages:
        # One language has only a label for all languages, as more and more items do.
        labels[qid] = ("mul" if qid == languages[-1][0] else "en", label)
    for qid, label in BROAD_CLASSES.items():
        labels[qid] = ("en", label)
    for number, label in enumerate(OTHER_CLASSES):
        labels[spare_qid(number)] = ("en", label)
    return labels


def item_lines() -> Iterator[str]:
    """The labels as triples."""
    for qid, (tag, label) in item_labels().items():
        yield from label_lines(qid, [(tag, label)])
