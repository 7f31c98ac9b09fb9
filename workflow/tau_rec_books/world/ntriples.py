"""Works, people and labels as N-Triples in the shape of Wikidata's RDF.

Truthy statements are ``wdt:`` triples. Authors, author names and dates also have a statement node with rank
and qualifiers, and dates a value node with precision and calendar, because the queries read those.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from tau_rec_books.world.records import NO_VALUE, UNKNOWN, AuthorClaim, DateClaim, NameClaim, Work

ENTITY = "http://www.wikidata.org/entity/"
_WDT = "http://www.wikidata.org/prop/direct/"
_P = "http://www.wikidata.org/prop/"
_PS = "http://www.wikidata.org/prop/statement/"
_PSV = "http://www.wikidata.org/prop/statement/value/"
_PQ = "http://www.wikidata.org/prop/qualifier/"
_WDNO = "http://www.wikidata.org/prop/novalue/"
_STATEMENT = "http://www.wikidata.org/entity/statement/"
_VALUE = "http://www.wikidata.org/value/"
_GENID = "http://www.wikidata.org/.well-known/genid/"
_WIKIBASE = "http://wikiba.se/ontology#"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
_SAME = "<http://www.w3.org/2002/07/owl#sameAs>"
_XSD = "http://www.w3.org/2001/XMLSchema#"

_TO_ESCAPE = re.compile(r'[\x00-\x1f\x7f"\\]')
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def literal(text: str, tag: str | None = None) -> str:
    """A string literal, language-tagged if ``tag`` is given; control characters are escaped."""
    if _TO_ESCAPE.search(text):
        text = _TO_ESCAPE.sub(lambda match: _ESCAPES.get(match[0], f"\\u{ord(match[0]):04X}"), text)
    return f'"{text}"@{tag}' if tag else f'"{text}"'


def entity(qid: str) -> str:
    """The IRI of an item."""
    return f"<{ENTITY}{qid}>"


def label_lines(qid: str, labels: Sequence[tuple[str, str]]) -> Iterator[str]:
    """The labels of an item, one line each."""
    for tag, text in labels:
        yield f"{entity(qid)} {_LABEL} {literal(text, tag)} .\n"


def class_line(qid: str, of: str) -> str:
    """An item's class (truthy P31)."""
    return f"{entity(qid)} <{_WDT}P31> {entity(of)} .\n"


def redirect_line(qid: str, target: str) -> str:
    """An item that was merged into another."""
    return f"{entity(qid)} {_SAME} {entity(target)} .\n"


def modified_line(date_time: str) -> str:
    """When the service's data were last changed, as Wikidata's query service says it."""
    moment = f'"{date_time}"^^<{_XSD}dateTime>'
    return f"<http://www.wikidata.org> <http://schema.org/dateModified> {moment} .\n"


def work_lines(work: Work, seen_values: set[str]) -> Iterator[str]:
    """All triples of a work.

    Args:
        work: the work.
        seen_values: value nodes written so far; date nodes that are new are written and added.
    """
    subject = entity(work.qid)
    if work.sitelinks is not None:
        yield f'{subject} <{_WIKIBASE}sitelinks> "{work.sitelinks}"^^<{_XSD}integer> .\n'
    yield from label_lines(work.qid, work.labels)
    for name, values in (
        ("P31", work.classes),
        ("P7937", work.forms),
        ("P407", work.languages),
        ("P495", work.countries),
        ("P136", work.genres),
        ("P629", work.edition_of),
        ("P179", work.series),
    ):
        for value in values:
            yield f"{subject} <{_WDT}{name}> {entity(value)} .\n"
    for tag, text in work.titles:
        yield f"{subject} <{_WDT}P1476> {literal(text, tag)} .\n"
    yield from _author_lines(work)
    yield from _name_lines(work)
    yield from _date_lines(work, seen_values)
    if work.redirect_to is not None:
        yield redirect_line(work.qid, work.redirect_to)


def _author_lines(work: Work) -> Iterator[str]:
    for serial, claim in enumerate(work.authors):
        value = f"<{_genid(work, 'P50', serial)}>" if claim.value == UNKNOWN else entity(claim.value)
        if claim.value == NO_VALUE:
            value = ""
        yield from _statement(work, "P50", serial, claim, work.authors, value)


def _name_lines(work: Work) -> Iterator[str]:
    for serial, claim in enumerate(work.author_names):
        yield from _statement(work, "P2093", serial, claim, work.author_names, literal(claim.text))


def _date_lines(work: Work, seen_values: set[str]) -> Iterator[str]:
    for serial, claim in enumerate(work.dates):
        if claim.year is None:
            value = f"<{_genid(work, 'P577', serial)}>"
            yield from _statement(work, "P577", serial, claim, work.dates, value)
            continue
        time = f'"{date_time(claim)}"^^<{_XSD}dateTime>'
        yield from _statement(work, "P577", serial, claim, work.dates, time)
        node = _value_node(date_time(claim), claim.precision, claim.calendar)
        yield f"<{_statement_iri(work, 'P577', serial)}> <{_PSV}P577> <{node}> .\n"
        if node not in seen_values:
            seen_values.add(node)
            yield f"<{node}> <{_WIKIBASE}timeValue> {time} .\n"
            yield f'<{node}> <{_WIKIBASE}timePrecision> "{claim.precision}"^^<{_XSD}integer> .\n'
            yield f"<{node}> <{_WIKIBASE}timeCalendarModel> {entity(claim.calendar)} .\n"


def _statement(
    work: Work,
    name: str,
    serial: int,
    claim: AuthorClaim | NameClaim | DateClaim,
    claims: Sequence[AuthorClaim | NameClaim | DateClaim],
    value: str,
) -> Iterator[str]:
    """One statement node, and the truthy triple if its rank is the best; ``value`` is empty for no value."""
    subject = entity(work.qid)
    node = f"<{_statement_iri(work, name, serial)}>"
    preferred = any(other.rank == "preferred" for other in claims)
    best = claim.rank == ("preferred" if preferred else "normal")
    yield f"{subject} <{_P}{name}> {node} .\n"
    if best:
        yield f"{node} {_TYPE} <{_WIKIBASE}BestRank> .\n"
    yield f"{node} <{_WIKIBASE}rank> <{_WIKIBASE}{claim.rank.capitalize()}Rank> .\n"
    if value:
        yield f"{node} <{_PS}{name}> {value} .\n"
    else:
        yield f"{node} {_TYPE} <{_WDNO}{name}> .\n"
    ordinal = None if isinstance(claim, DateClaim) else claim.ordinal
    if ordinal is not None:
        yield f"{node} <{_PQ}P1545> {literal(ordinal)} .\n"
    if best:
        yield f"{subject} <{_WDT}{name}> {value} .\n" if value else f"{subject} {_TYPE} <{_WDNO}{name}> .\n"


def date_time(claim: DateClaim) -> str:
    """A date as Wikidata's RDF writes it: four year digits or more, a minus sign before the year 0."""
    assert claim.year is not None
    sign = "-" if claim.year < 0 else ""
    return f"{sign}{abs(claim.year):04d}-{claim.month:02d}-{claim.day:02d}T00:00:00Z"


def _statement_iri(work: Work, name: str, serial: int) -> str:
    digest = sha256(f"{work.qid} {name} {serial}".encode()).hexdigest()
    return f"{_STATEMENT}{work.qid}-{digest[:32]}"


def _genid(work: Work, name: str, serial: int) -> str:
    return _GENID + sha256(f"{work.qid} {name} {serial} unknown".encode()).hexdigest()[:32]


@lru_cache(maxsize=100_000)
def _value_node(time: str, precision: int, calendar: str) -> str:
    return _VALUE + sha256(f"{time} {precision} {calendar}".encode()).hexdigest()[:32]
