"""The 21 SPARQL queries of a snapshot: one for each published genre, then languages and countries.

All are standard SPARQL 1.1, without a label service or any vendor's extension, and return one *statement row*
per fact, so that a book with three genres and two dates costs five rows and not six.

Each branch of a genre query starts again from the short list of genre items. Naming the works once in a
sub-select and joining it with the union of all branches reads better, but an engine that evaluates the union
on its own then walks through every label and every class it holds: on the same 1,600 works that form took
more than a hundred times as long.
"""

import re
from collections.abc import Iterable

from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import QID, qid_number
from tau_rec_books.wikidata.tables import published_genres

VARIABLES = ("subject", "property", "value", "qualifier")
"""Variables of every query, in this order."""


def _slug(label: str) -> str:
    kept = "".join(letter if letter.isalnum() else " " for letter in label.lower().replace("'", ""))
    return "-".join(kept.split())


_GENRES = {f"{number:02}-{_slug(genre)}": genre for number, genre in enumerate(published_genres(), start=1)}

LANGUAGES_QUERY = f"{len(_GENRES) + 1:02}-languages"
"""Name of the query for the labels of the languages that the genre queries found."""

COUNTRIES_QUERY = f"{len(_GENRES) + 2:02}-countries"
"""Name of the query for the labels of the countries that the genre queries found."""

QUERY_NAMES = (*_GENRES, LANGUAGES_QUERY, COUNTRIES_QUERY)
"""Names of the 21 queries, in the order in which they are asked."""

_PREFIXES = {
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}

_LABEL = (
    "?subject rdfs:label ?value .",
    'FILTER(LANG(?value) IN ("en", "mul"))',
    'BIND("label" AS ?property)',
    "BIND(LANG(?value) AS ?qualifier)",
)

_ITEMS = (
    ("P31", "instance of: the class"),
    ("P7937", "form of creative work: novel, poem, play"),
    ("P407", "language of work"),
    ("P495", "country of origin"),
    ("P136", "genre: all of the work's genres, not only those asked for"),
    ("P629", "edition or translation of: marks an edition"),
    ("P179", "part of the series"),
)

_PEOPLE = (
    ("P50", "author with an item, or unknown"),
    ("P2093", "author known by name only"),
)

_LINKED = (
    ("P50", "labels of the authors"),
    ("P31", "labels of the classes"),
    ("P7937", "labels of the forms"),
    ("P136", "labels of the genres"),
)


def genre_of_query(name: str) -> str:
    """The published genre label that a genre query asks for: ``01-adventure`` → ``Adventure``.

    Raises:
        Problem: when the name is not one of the first 19 of ``QUERY_NAMES``.
    """
    if name not in _GENRES:
        raise Problem(f"There is no genre query {name!r}; the genre queries are {', '.join(_GENRES)}.")
    return _GENRES[name]


def genre_query(qids: Iterable[str], residue: tuple[int, int] | None = None) -> str:
    """The query for all facts about works that have one of these genre items.

    Rows by ``?property``: P31, P7937, P407, P495, P136, P629, P179 (item), P50 (item) and P2093 (string) with
    the ordinal P1545 as qualifier, P577 (time, with its precision of 0 to 11 as qualifier), P1476 (English
    title, qualifier ``en``), label (of works, authors, classes, forms, genres; qualifier ``en`` or ``mul``)
    and sitelinks (integer). Only statements of best rank are asked for. An unknown value comes as the engine
    writes it, a blank node or a ``genid`` address; an unknown date has no qualifier.

    Args:
        qids: genre items; order and repetition do not change the text.
        residue: ``(r, n)`` keeps the works whose item number is ``r`` modulo ``n``. The pages of one ``n``
            share no work and together hold them all; labels of linked items may be on several pages.

    Raises:
        Problem: for something that is not an item id.
        ValueError: unless ``0 <= r < n``.
    """
    items = _item_list(qids)

    def works(variable: str) -> list[str]:
        lines = [f"VALUES ?genre {{ {items} }}", f"{variable} wdt:P136 ?genre ."]
        return lines if residue is None else [*lines, _residue_filter(variable, *residue)]

    branches = [
        (
            f"{code} {meaning}.",
            [*works("?subject"), f"?subject wdt:{code} ?value .", f'BIND("{code}" AS ?property)'],
        )
        for code, meaning in _ITEMS
    ]
    branches += [
        (
            f"{code} {meaning}; statement by statement, for the place in the order of authors.",
            [
                *works("?subject"),
                f"?subject p:{code} ?statement .",
                f"?statement a wikibase:BestRank ; ps:{code} ?value .",
                "OPTIONAL { ?statement pq:P1545 ?qualifier . }",
                f'BIND("{code}" AS ?property)',
            ],
        )
        for code, meaning in _PEOPLE
    ]
    branches += [
        (
            "P577 publication date; only the value node says how precise it is.",
            [
                *works("?subject"),
                "?subject p:P577 ?statement .",
                "?statement a wikibase:BestRank ; psv:P577 ?date .",
                "?date wikibase:timeValue ?value ; wikibase:timePrecision ?qualifier .",
                'BIND("P577" AS ?property)',
            ],
        ),
        (
            "P577 publication date, unknown: such a statement has no value node.",
            [
                *works("?subject"),
                "?subject p:P577 ?statement .",
                "?statement a wikibase:BestRank ; ps:P577 ?value .",
                "FILTER(!isLiteral(?value))",
                'BIND("P577" AS ?property)',
            ],
        ),
        (
            "P1476 title, in English.",
            [
                *works("?subject"),
                "?subject wdt:P1476 ?value .",
                'FILTER(LANG(?value) = "en")',
                'BIND("P1476" AS ?property)',
                "BIND(LANG(?value) AS ?qualifier)",
            ],
        ),
        (
            "Number of wiki pages about the work.",
            [*works("?subject"), "?subject wikibase:sitelinks ?value .", 'BIND("sitelinks" AS ?property)'],
        ),
        ("Labels of the works: English, and the default for all languages.", [*works("?subject"), *_LABEL]),
    ]
    branches += [
        (
            f"{code} {meaning}; each item once, however many works it is linked from.",
            [
                "{ SELECT DISTINCT ?subject WHERE {",
                *(f"  {line}" for line in works("?work")),
                f"  ?work wdt:{code} ?subject .",
                "} }",
                *_LABEL,
            ],
        )
        for code, meaning in _LINKED
    ]
    return _query("Facts about the works with one of these genres.", branches)


def label_query(qids: Iterable[str], residue: tuple[int, int] | None = None) -> str:
    """The query for the labels (``en`` and ``mul``) of these items: rows of ``?property`` ``label``.

    Args:
        qids: language or country items; order and repetition do not change the text. None at all makes a
            query without rows.
        residue: ``(r, n)`` keeps the items whose number is ``r`` modulo ``n``.

    Raises:
        Problem: for something that is not an item id.
        ValueError: unless ``0 <= r < n``.
    """
    if residue is not None:
        rest, classes = _checked(*residue)
        qids = [qid for qid in _items(qids) if qid_number(qid) % classes == rest]
    lines = [f"VALUES ?subject {{ {_item_list(qids)} }}", *_LABEL]
    return _query("Labels of these items.", [("Labels: English, and the default for all languages.", lines)])


def _query(about: str, branches: Iterable[tuple[str, list[str]]]) -> str:
    texts = []
    for meaning, lines in branches:
        body = "\n".join(f"    {line}" for line in lines)
        texts.append(f"  # {meaning}\n  {{\n{body}\n  }}")
    variables = " ".join(f"?{name}" for name in VARIABLES)
    union = "\n  UNION\n".join(texts)
    prefixes = "".join(
        f"PREFIX {name}: <{address}>\n"
        for name, address in _PREFIXES.items()
        if re.search(rf"\b{name}:", union)
    )
    return f"# {about}\n{prefixes}SELECT DISTINCT {variables} WHERE {{\n{union}\n}}\n"


def _items(qids: Iterable[str]) -> list[str]:
    items = sorted(set(qids))
    for qid in items:
        if not QID.fullmatch(qid):
            raise Problem(
                f"{qid!r} is not an item id such as Q42; take it out of the list of items to ask for."
            )
    return sorted(items, key=qid_number)


def _item_list(qids: Iterable[str]) -> str:
    return " ".join(f"wd:{qid}" for qid in _items(qids))


def _checked(rest: int, classes: int) -> tuple[int, int]:
    if not 0 <= rest < classes:
        raise ValueError(f"residue {rest} modulo {classes} does not exist")
    return rest, classes


def _residue_filter(variable: str, rest: int, classes: int) -> str:
    # SPARQL has no remainder operator; the text stays one FILTER because a BIND here would cut the group of
    # triple patterns in two, and engines then join its halves the slow way.
    rest, classes = _checked(rest, classes)
    number = f'xsd:integer(STRAFTER(STR({variable}), "/entity/Q"))'
    return f"FILTER({number} - {classes} * FLOOR({number} / {classes}) = {rest})"
