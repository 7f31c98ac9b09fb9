"""Works as N-Triples in the shape of Wikidata's RDF."""

import re

import pytest

from tau_rec_books.world.ntriples import date_time, literal, work_lines
from tau_rec_books.world.records import (
    JULIAN,
    NO_VALUE,
    UNKNOWN,
    AuthorClaim,
    DateClaim,
    NameClaim,
    Work,
)


def lines_of(work: Work) -> str:
    return "".join(work_lines(work, set()))


def work_with(**fields: object) -> Work:
    return Work(index=0, qid="Q4000000001", title="T", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("plain", '"plain"@en'),
        ('say "yes"', r'"say \"yes\""@en'),
        ("a\\u0041", r'"a\\u0041"@en'),
        ("a\nb\tc\r", r'"a\nb\tc\r"@en'),
        ("bell \x07 and \x7f", r'"bell \u0007 and \u007F"@en'),
        ("Ⅳ …", '"Ⅳ …"@en'),
    ],
)
def test_a_literal_escapes_what_it_must(text: str, written: str) -> None:
    assert literal(text, "en") == written


@pytest.mark.parametrize(
    ("year", "written"),
    [
        (1865, "1865-01-01T00:00:00Z"),
        (-43, "-0043-01-01T00:00:00Z"),
        (0, "0000-01-01T00:00:00Z"),
        (12024, "12024-01-01T00:00:00Z"),
        (800, "0800-01-01T00:00:00Z"),
    ],
)
def test_a_year_is_written_astronomically(year: int, written: str) -> None:
    assert date_time(DateClaim(year)) == written


def test_an_unknown_author_is_a_genid_address() -> None:
    text = lines_of(work_with(authors=[AuthorClaim(UNKNOWN)]))
    assert len(re.findall(r"<http://www\.wikidata\.org/\.well-known/genid/[0-9a-f]{32}> \.", text)) == 2


def test_no_value_has_a_statement_but_no_truthy_triple() -> None:
    text = lines_of(work_with(authors=[AuthorClaim(NO_VALUE)]))
    assert "prop/direct/P50" not in text
    assert "prop/statement/P50" not in text
    assert text.count("<http://www.wikidata.org/prop/novalue/P50>") == 2


def test_only_the_best_rank_is_truthy() -> None:
    claims = [
        AuthorClaim("Q4100000001", "1"),
        AuthorClaim("Q4100000002", rank="preferred"),
        AuthorClaim("Q4100000003", rank="deprecated"),
    ]
    text = lines_of(work_with(authors=claims))
    assert re.findall(r"prop/direct/P50> <\S+/(Q\d+)>", text) == ["Q4100000002"]
    assert text.count("ontology#BestRank") == 1
    assert {"NormalRank", "PreferredRank", "DeprecatedRank"} <= set(re.findall(r"ontology#(\w+Rank)", text))


def test_a_deprecated_statement_alone_is_never_best() -> None:
    text = lines_of(work_with(dates=[DateClaim(1102, rank="deprecated")]))
    assert "BestRank" not in text
    assert "prop/direct/P577" not in text


def test_ordinals_are_qualifiers() -> None:
    claims = {"authors": [AuthorClaim("Q4100000001", "2.5")], "author_names": [NameClaim("A. B.", "II")]}
    assert re.findall(r'qualifier/P1545> "(.+)" \.', lines_of(work_with(**claims))) == ["2.5", "II"]


def test_a_date_has_a_value_node_with_precision_and_calendar() -> None:
    text = lines_of(work_with(dates=[DateClaim(1700, 1, 9, 11, calendar=JULIAN)]))
    node = re.search(r"statement/value/P577> (<\S+>)", text)
    assert node
    assert f'{node[1]} <http://wikiba.se/ontology#timePrecision> "11"' in text
    assert (
        f"{node[1]} <http://wikiba.se/ontology#timeCalendarModel> <http://www.wikidata.org/entity/{JULIAN}>"
        in text
    )


def test_an_unknown_date_has_no_value_node() -> None:
    text = lines_of(work_with(dates=[DateClaim(None)]))
    assert "statement/value/P577" not in text
    assert text.count("/genid/") == 2


def test_a_value_node_is_described_once() -> None:
    seen: set[str] = set()
    first = "".join(work_lines(work_with(dates=[DateClaim(1950)]), seen))
    other = Work(index=1, qid="Q4000000041", title="U", dates=[DateClaim(1950)])
    second = "".join(work_lines(other, seen))
    assert ("timeValue" in first, "timeValue" in second) == (True, False)


def test_a_missing_sitelink_count_is_no_triple() -> None:
    assert "sitelinks" not in lines_of(work_with(sitelinks=None))
    assert 'sitelinks> "0"' in lines_of(work_with(sitelinks=0))
