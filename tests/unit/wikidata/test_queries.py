"""The 21 queries are standard SPARQL, the same bytes each time, and answer every fact about a work once."""

import os
import re
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph
from rdflib.plugins.sparql import prepareQuery

from tau_rec_books.core.digest import sha256_text, shuffled
from tau_rec_books.core.errors import Problem
from tau_rec_books.wikidata.queries import (
    COUNTRIES_QUERY,
    LANGUAGES_QUERY,
    QUERY_NAMES,
    VARIABLES,
    genre_of_query,
    genre_query,
    label_query,
)
from tau_rec_books.wikidata.tables import (
    country_items,
    genre_qids,
    language_items,
    published_genres,
)


def texts_of_all_queries() -> dict[str, str]:
    texts = {name: genre_query(genre_qids(genre_of_query(name))) for name in QUERY_NAMES[:19]}
    texts[LANGUAGES_QUERY] = label_query(item.qid for item in language_items())
    texts[COUNTRIES_QUERY] = label_query(item.qid for item in country_items())
    return texts


def test_there_are_twenty_one_queries_in_the_order_of_the_genres() -> None:
    assert len(QUERY_NAMES) == len(set(QUERY_NAMES)) == 21
    assert QUERY_NAMES[0] == "01-adventure"
    assert QUERY_NAMES[2] == "03-childrens-literature"
    assert QUERY_NAMES[18:] == ("19-young-adult", "20-languages", "21-countries")
    assert [genre_of_query(name) for name in QUERY_NAMES[:19]] == list(published_genres())
    assert list(QUERY_NAMES) == sorted(QUERY_NAMES)


@pytest.mark.parametrize("name", ["20-languages", "adventure", ""])
def test_only_the_first_nineteen_ask_for_a_genre(name: str) -> None:
    with pytest.raises(Problem, match="the genre queries are 01-adventure, "):
        genre_of_query(name)


@pytest.mark.parametrize("name", QUERY_NAMES)
def test_a_query_is_standard_sparql_with_the_agreed_variables(name: str) -> None:
    text = texts_of_all_queries()[name]
    algebra = prepareQuery(text).algebra
    assert algebra.name == "SelectQuery"
    assert tuple(str(variable) for variable in algebra["PV"]) == VARIABLES
    code = re.sub(r"^ *#.*$", "", text, flags=re.M)
    declared = set(re.findall(r"^PREFIX (\w+):", code, flags=re.M))
    used = set(re.findall(r"\b(\w+):\w", re.sub(r"<[^>]*>|\"[^\"]*\"", "", code)))
    assert used == declared, "an engine may know a prefix that is not declared, but it need not"
    for foreign in (
        "SERVICE",
        "ASK",
        "%",
        "hint:",
        "bd:",
        "WITH ",
        "INCLUDE",
        "LIMIT",
        "GROUP_CONCAT",
        "SAMPLE",
    ):
        assert foreign not in code


def test_every_branch_of_a_genre_query_says_what_it_is_for() -> None:
    text = genre_query(["Q1"])
    branches = text.split("  UNION\n")
    assert len(branches) == 18
    for branch in branches:
        assert re.search(r"^  # \w.*\.$", branch, flags=re.M)


def test_every_branch_of_a_genre_query_starts_from_the_genre_items() -> None:
    for branch in genre_query(["Q2", "Q1"]).split("  UNION\n"):
        assert re.search(r"VALUES \?genre \{ wd:Q1 wd:Q2 \}\n +\?(work|subject) wdt:P136 \?genre \.", branch)


@given(st.lists(st.integers(1, 10**10).map(lambda number: f"Q{number}"), max_size=12), st.text())
def test_order_and_repetition_of_the_items_do_not_change_a_query(qids: list[str], seed: str) -> None:
    mixed = shuffled(qids + qids[:3], seed)
    assert genre_query(mixed) == genre_query(qids)
    assert label_query(iter(mixed)) == label_query(qids)


def test_the_text_of_a_query_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from tau_rec_books.wikidata.queries import *\n"
        "from tau_rec_books.wikidata.tables import *\n"
        "from tau_rec_books.core.digest import sha256_text\n"
        "texts = [genre_query(set(genre_qids(genre_of_query(name))), (1, 2)) for name in QUERY_NAMES[:19]]\n"
        "print(sha256_text(''.join(texts) + label_query({item.qid for item in country_items()})))\n"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    here = [genre_query(genre_qids(genre_of_query(name)), (1, 2)) for name in QUERY_NAMES[:19]]
    countries = label_query(item.qid for item in country_items())
    assert digests == [sha256_text("".join(here) + countries) + "\n"] * 2


@pytest.mark.parametrize("qid", ["Q1 }", "wd:Q1", "q1", "Q0", "", "P31"])
def test_only_item_ids_get_into_a_query(qid: str) -> None:
    with pytest.raises(Problem, match="is not an item id such as Q42"):
        genre_query(["Q1", qid])
    with pytest.raises(Problem, match="is not an item id such as Q42"):
        label_query([qid])


@pytest.mark.parametrize("residue", [(2, 2), (-1, 2), (0, 0), (1, -3)])
@pytest.mark.parametrize("query", [genre_query, label_query])
def test_a_residue_that_does_not_exist_is_refused(
    query: Callable[..., str], residue: tuple[int, int]
) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        query(["Q1"], residue)


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(1, 10**11), min_size=1, max_size=25), st.integers(1, 64))
def test_the_residue_filter_sorts_every_item_into_its_class(numbers: set[int], classes: int) -> None:
    entities = " ".join(f"<http://www.wikidata.org/entity/Q{number}>" for number in sorted(numbers))
    for rest in sorted({number % classes for number in numbers} | {0, classes - 1}):
        restriction = re.search(r"FILTER\(.*STR\(\?subject\).*\)", genre_query(["Q1"], (rest, classes)))
        assert restriction
        found = Graph().query(
            "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> "
            f"SELECT ?subject WHERE {{ VALUES ?subject {{ {entities} }} {restriction[0]} }}"
        )
        kept = {int(str(row[0]).rsplit("Q", 1)[1]) for row in found}  # type: ignore[index]
        assert kept == {number for number in numbers if number % classes == rest}


@given(st.sets(st.integers(1, 10**11).map(lambda number: f"Q{number}")), st.integers(1, 64))
def test_the_pages_of_a_label_query_share_no_item_and_hold_them_all(qids: set[str], classes: int) -> None:
    pages = [re.findall(r"wd:(Q\d+)", label_query(qids, (rest, classes))) for rest in range(classes)]
    assert Counter(qid for page in pages for qid in page) == Counter(qids)


ENTITY = "http://www.wikidata.org/entity/"
UNKNOWN = "http://www.wikidata.org/.well-known/genid/0f0f"
SOMEBODY = "http://www.wikidata.org/.well-known/genid/1e1e"
NAMESPACES = {
    "wd": ENTITY,
    "s": ENTITY + "statement/",
    "v": "http://www.wikidata.org/value/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "psv": "http://www.wikidata.org/prop/statement/value/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "wikibase": "http://wikiba.se/ontology#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}

FACTS = f"""
wd:Q9001 wdt:P136 wd:Q24925
wd:Q9001 wdt:P136 wd:Q132311
wd:Q9001 wdt:P31 wd:Q7725634
wd:Q9001 wdt:P7937 wd:Q8261
wd:Q9001 wdt:P407 wd:Q1860
wd:Q9001 wdt:P495 wd:Q145
wd:Q9001 wdt:P495 wd:Q21
wd:Q9001 wdt:P629 wd:Q9004
wd:Q9001 wdt:P179 wd:Q9005
wd:Q9001 wikibase:sitelinks "7"^^xsd:integer
wd:Q9001 wdt:P1476 "The Work"@en
wd:Q9001 wdt:P1476 "L'œuvre"@fr
wd:Q9001 rdfs:label "Work"@en
wd:Q9001 rdfs:label "Work"@mul
wd:Q9001 rdfs:label "Work"@en-gb
wd:Q9001 rdfs:label "Œuvre"@fr
wd:Q9001 wdt:P50 wd:Q501
wd:Q9001 wdt:P50 wd:Q502
wd:Q9001 p:P50 s:Q9001-a
s:Q9001-a rdf:type wikibase:BestRank
s:Q9001-a ps:P50 wd:Q501
s:Q9001-a pq:P1545 "2"
wd:Q9001 p:P50 s:Q9001-b
s:Q9001-b rdf:type wikibase:BestRank
s:Q9001-b ps:P50 wd:Q502
wd:Q9001 p:P50 s:Q9001-c
s:Q9001-c ps:P50 wd:Q503
wd:Q9001 p:P2093 s:Q9001-d
s:Q9001-d rdf:type wikibase:BestRank
s:Q9001-d ps:P2093 "Jane Roe"
s:Q9001-d pq:P1545 "10"
wd:Q9001 p:P577 s:Q9001-e
s:Q9001-e rdf:type wikibase:BestRank
s:Q9001-e ps:P577 "1951-03-05T00:00:00Z"^^xsd:dateTime
s:Q9001-e psv:P577 v:1
v:1 wikibase:timeValue "1951-03-05T00:00:00Z"^^xsd:dateTime
v:1 wikibase:timePrecision "11"^^xsd:integer
wd:Q9001 p:P577 s:Q9001-f
s:Q9001-f rdf:type wikibase:BestRank
s:Q9001-f ps:P577 "-0043-01-01T00:00:00Z"^^xsd:dateTime
s:Q9001-f psv:P577 v:2
v:2 wikibase:timeValue "-0043-01-01T00:00:00Z"^^xsd:dateTime
v:2 wikibase:timePrecision "9"^^xsd:integer
wd:Q9001 p:P577 s:Q9001-g
s:Q9001-g ps:P577 "1900-01-01T00:00:00Z"^^xsd:dateTime
s:Q9001-g psv:P577 v:3
v:3 wikibase:timeValue "1900-01-01T00:00:00Z"^^xsd:dateTime
v:3 wikibase:timePrecision "9"^^xsd:integer
wd:Q9002 wdt:P136 wd:Q12132683
wd:Q9002 wdt:P136 wd:Q24925
wd:Q9002 wdt:P31 wd:Q7725634
wd:Q9002 rdfs:label "מוּל"@mul
wd:Q9002 wikibase:sitelinks "0"^^xsd:integer
wd:Q9002 wdt:P50 <{SOMEBODY}>
wd:Q9002 p:P50 s:Q9002-a
s:Q9002-a rdf:type wikibase:BestRank
s:Q9002-a ps:P50 <{SOMEBODY}>
wd:Q9002 p:P50 s:Q9002-c
s:Q9002-c rdf:type wikibase:BestRank
s:Q9002-c ps:P50 <{SOMEBODY}>
wd:Q9002 wdt:P577 <{UNKNOWN}>
wd:Q9002 p:P577 s:Q9002-b
s:Q9002-b rdf:type wikibase:BestRank
s:Q9002-b ps:P577 <{UNKNOWN}>
wd:Q9003 wdt:P136 wd:Q21590660
wd:Q9003 wikibase:sitelinks "3"^^xsd:integer
wd:Q9003 rdfs:label "Frontier"@en
wd:Q9003 p:P50 s:Q9003-a
s:Q9003-a rdf:type wikibase:BestRank
s:Q9003-a ps:P50 _:nobody
wd:Q9004 wdt:P136 wd:Q8261
wd:Q9004 wikibase:sitelinks "9"^^xsd:integer
wd:Q501 rdfs:label "Ann"@en
wd:Q502 rdfs:label "Bo"@mul
wd:Q503 rdfs:label "Not Best"@en
wd:Q7725634 rdfs:label "literary work"@en
wd:Q8261 rdfs:label "novel"@en
wd:Q24925 rdfs:label "science fiction"@en
wd:Q132311 rdfs:label "fantasy"@en
wd:Q1860 rdfs:label "English"@en
wd:Q1860 rdfs:label "anglais"@fr
wd:Q145 rdfs:label "United Kingdom"@en
wd:Q21 rdfs:label "England"@mul
"""

SCIENCE_FICTION_ROWS = {
    ("Q9001", "P31", "Q7725634", None),
    ("Q9001", "P7937", "Q8261", None),
    ("Q9001", "P407", "Q1860", None),
    ("Q9001", "P495", "Q145", None),
    ("Q9001", "P495", "Q21", None),
    ("Q9001", "P136", "Q24925", None),
    ("Q9001", "P136", "Q132311", None),
    ("Q9001", "P629", "Q9004", None),
    ("Q9001", "P179", "Q9005", None),
    ("Q9001", "P50", "Q501", "2"),
    ("Q9001", "P50", "Q502", None),
    ("Q9001", "P2093", "Jane Roe", "10"),
    ("Q9001", "P577", "1951-03-05T00:00:00Z", "11"),
    ("Q9001", "P577", "-0043-01-01T00:00:00Z", "9"),
    ("Q9001", "P1476", "The Work", "en"),
    ("Q9001", "label", "Work", "en"),
    ("Q9001", "label", "Work", "mul"),
    ("Q9001", "sitelinks", "7", None),
    ("Q9002", "P31", "Q7725634", None),
    ("Q9002", "P136", "Q12132683", None),
    ("Q9002", "P136", "Q24925", None),
    ("Q9002", "P50", SOMEBODY, None),
    ("Q9002", "P577", UNKNOWN, None),
    ("Q9002", "label", "מוּל", "mul"),
    ("Q9002", "sitelinks", "0", None),
    ("Q501", "label", "Ann", "en"),
    ("Q502", "label", "Bo", "mul"),
    ("Q7725634", "label", "literary work", "en"),
    ("Q8261", "label", "novel", "en"),
    ("Q24925", "label", "science fiction", "en"),
    ("Q132311", "label", "fantasy", "en"),
}

Row = tuple[str, str, str, str | None]
Asking = Callable[[str], list[Row]]


def n_triples() -> str:
    lines = []
    for line in FACTS.strip().splitlines():
        parts = line.split(" ", 2)
        full = [re.sub(r"(?<![\w<\"@/.])(\w+):([^\s\"<>]+)", _address, part) for part in parts]
        lines.append(" ".join(full) + " .\n")
    return "".join(lines)


def _address(match: re.Match[str]) -> str:
    prefix, name = match.groups()
    return f"<{NAMESPACES[prefix]}{name}>" if prefix in NAMESPACES else match[0]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    """Function that asks a real SPARQL server, holding the facts above, for the rows of a query."""
    folder = tmp_path_factory.mktemp("server")
    program = Path(sys.executable).with_name("oxigraph")
    facts = folder / "facts.nt"
    facts.write_text(n_triples(), encoding="utf-8")
    subprocess.run(
        [program, "load", "--location", folder / "store", "--file", facts], check=True, capture_output=True
    )
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [program, "serve-read-only", "--location", folder / "store", "--bind", f"127.0.0.1:{port}"],
            stdout=log,
            stderr=log,
        )
    session = requests.Session()
    session.trust_env = False

    def rows(query: str) -> list[Row]:
        response = session.post(
            f"http://127.0.0.1:{port}/query",
            data={"query": query},
            headers={"Accept": "application/sparql-results+json"},
            timeout=60,
        )
        assert response.status_code == 200, response.text
        document = response.json()
        assert tuple(document["head"]["vars"]) == VARIABLES
        found = []
        for binding in document["results"]["bindings"]:
            subject, property_, value, qualifier = (binding.get(name, {}).get("value") for name in VARIABLES)
            found.append((subject.removeprefix(ENTITY), property_, value.removeprefix(ENTITY), qualifier))
        return found

    try:
        for _ in range(200):
            try:
                rows(label_query([]))
                break
            except requests.ConnectionError:
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.05)
        yield rows
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.mark.endpoint
def test_a_genre_query_answers_every_fact_about_its_works_once(ask: Asking) -> None:
    rows = ask(genre_query(genre_qids("Science Fiction")))
    assert len(rows) == len(set(rows))
    assert set(rows) == SCIENCE_FICTION_ROWS


@pytest.mark.endpoint
def test_an_unknown_author_comes_back_as_a_blank_node_where_the_engine_has_one(ask: Asking) -> None:
    rows = ask(genre_query(genre_qids("Western")))
    values = {row[1]: row[2] for row in rows}
    assert set(values) == {"P136", "P50", "label", "sitelinks"}
    assert not values["P50"].startswith(("Q", "http"))


@pytest.mark.endpoint
def test_every_genre_query_answers_only_works_of_its_genre(ask: Asking) -> None:
    works = {
        name: {row[0] for row in ask(genre_query(genre_qids(genre_of_query(name)))) if row[1] == "sitelinks"}
        for name in QUERY_NAMES[:19]
    }
    assert {name: found for name, found in works.items() if found} == {
        "07-fantasy": {"Q9001"},
        "15-science-fiction": {"Q9001", "Q9002"},
        "18-western": {"Q9003"},
    }


@pytest.mark.endpoint
def test_the_label_queries_answer_english_and_default_labels(ask: Asking) -> None:
    languages = ask(label_query(item.qid for item in language_items()))
    countries = ask(label_query(item.qid for item in country_items()))
    assert set(languages) == {("Q1860", "label", "English", "en")}
    assert set(countries) == {
        ("Q145", "label", "United Kingdom", "en"),
        ("Q21", "label", "England", "mul"),
    }
    assert ask(label_query([])) == []


@pytest.mark.endpoint
@pytest.mark.parametrize("classes", [1, 2, 3, 7])
def test_the_pages_of_a_split_query_share_no_work_and_hold_all_rows(ask: Asking, classes: int) -> None:
    qids = genre_qids("Science Fiction")
    pages = [ask(genre_query(qids, (rest, classes))) for rest in range(classes)]
    assert {row for page in pages for row in page} == SCIENCE_FICTION_ROWS
    assert sum(map(len, pages)) >= len(SCIENCE_FICTION_ROWS)
    works = [row[0] for page in pages for row in page if row[1] == "sitelinks"]
    assert sorted(works) == ["Q9001", "Q9002"]
    for rest, page in enumerate(pages):
        assert all(int(row[0][1:]) % classes == rest for row in page if row[1] != "label")
