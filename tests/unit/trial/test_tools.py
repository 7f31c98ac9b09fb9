"""Tool calls: every fault has a named result, and none is an exception."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.core.canonical import json_text
from tau_rec_books.trial.tools import INTERFACES, Interface, ToolOutcome, Tools, definitions

Call = Callable[..., ToolOutcome]


@pytest.fixture
def call(tools_of: Callable[[Interface], Tools]) -> Call:
    def carry_out(name: str, arguments: Any = None, interface: Interface = "structured") -> ToolOutcome:
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        return tools_of(interface).call(name, raw, ())

    return carry_out


@pytest.mark.parametrize(
    ("name", "arguments", "fault", "told"),
    [
        ("get_book", '{"item_id": ', "bad_json", "not valid JSON"),
        ("get_book", "{'item_id': 'wd_Q1'}", "bad_json", "not valid JSON"),
        ("search_books", '{"year_min": NaN}', "bad_json", "not valid JSON"),
        ("search_books", '{"year_min": 1e999}', "bad_json", "not valid JSON"),
        ("search_books", '{"page": ' + "9" * 5000 + "}", "bad_json", "not valid JSON"),
        ("search_books", "[" * 100_000, "bad_json", "not valid JSON"),
        ("search_books", '{"genre": ' * 100, "bad_json", "not valid JSON"),
        ("get_book", '["wd_Q1"]', "not_an_object", "a list"),
        ("get_book", '"wd_Q1"', "not_an_object", "a text"),
        ("get_book", "null", "not_an_object", "null"),
        ("buy_book", "{}", "unknown_tool", "buy_book"),
        ("", "{}", "unknown_tool", "no tool"),
        ("get_book", "{}", "missing_argument", "item_id"),
        ("get_book", "", "missing_argument", "item_id"),
        ("check_formats", "{}", "missing_argument", "item_id"),
        ("recommend", "{}", "missing_argument", "item_id"),
        ("get_book", '{"item_id": "wd_Q1", "verbose": true}', "unknown_argument", "verbose"),
        ("get_reading_history", '{"user": 1}', "unknown_argument", "user"),
        ("search_books", '{"author": "x"}', "unknown_argument", "author"),
        ("get_book", '{"item_id": 12}', "wrong_type", "a number"),
        ("get_book", '{"item_id": null}', "wrong_type", "null"),
        ("recommend", '{"item_id": ["wd_Q1"]}', "wrong_type", "a list"),
        ("recommend", '{"item_id": false}', "wrong_type", "true or false"),
        ("get_book", '{"item_id": "wd_Q1"}', "unknown_id", "wd_Q1"),
        ("check_formats", '{"item_id": "nonsense"}', "unknown_id", "nonsense"),
        ("recommend", '{"item_id": "wd_Q1"}', "unknown_id", "wd_Q1"),
        ("search_books", '{"genre": "Cooking"}', "unknown_value", "Cooking"),
        ("search_books", '{"genre": {"a": 1}}', "wrong_type", "an object"),
        ("search_books", '{"genre": [["War"]]}', "wrong_type", "a list"),
        ("search_books", '{"language": ["English"]}', "wrong_type", "a list"),
        ("search_books", '{"year_min": "nineteen"}', "wrong_type", "nineteen"),
        ("search_books", '{"year_min": 1990.5}', "wrong_type", "whole number"),
        ("search_books", '{"year_min": true}', "wrong_type", "true or false"),
        ("search_books", '{"page": 0}', "wrong_type", "1 or more"),
        ("search_books", '{"page": "inf"}', "wrong_type", "inf"),
        ("search_books", '{"sort": "random"}', "unknown_value", "random"),
        ("search_books", '{"formats": "scroll"}', "unknown_value", "scroll"),
    ],
)
def test_a_malformed_call_gets_an_error_that_names_the_problem(
    call: Call, name: str, arguments: str, fault: str, told: str
) -> None:
    outcome = call(name, arguments)
    assert outcome.fault == fault
    assert told in outcome.result["error"]
    assert len(outcome.result["error"]) < 400
    assert outcome.recommendation is None


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("{}", "missing_argument"),
        ('{"query": ["a"]}', "wrong_type"),
        ('{"genre": "War"}', "unknown_argument"),
    ],
)
def test_a_malformed_keyword_query_is_told(call: Call, arguments: str, fault: str) -> None:
    assert call("search_books", arguments, "keyword").fault == fault


def test_an_unknown_label_returns_the_vocabulary(call: Call, catalog: Catalog) -> None:
    result = call("search_books", {"language": "Klingon"}).result
    assert result["valid_values"] == sorted(catalog.vocabulary.languages)
    assert result["covers"]["English"] == ["American English", "British English"]


@pytest.mark.parametrize("year", [1990, "1990", 1990.0, " 1990.0 "])
def test_numbers_may_come_in_any_spelling(call: Call, year: object) -> None:
    assert call("search_books", {"year_min": year}).result == call("search_books", {"year_min": 1990}).result


def test_labels_are_compared_without_case_and_width(call: Call) -> None:
    expected = call("search_books", {"genre": "Science Fiction"}).result
    assert expected["total"] > 0
    for spelling in ("science fiction", "SCIENCE  FICTION", "Ｓcience Fiction", ["Science Fiction"]):
        assert call("search_books", {"genre": spelling}).result == expected


def test_all_genres_of_a_list_must_apply_and_any_format(call: Call, catalog: Catalog) -> None:
    both = call("search_books", {"genre": ["War", "Fantasy"]}).result["total"]
    assert both == sum({"War", "Fantasy"} <= set(book.genres) for book in catalog.books)
    either = call("search_books", {"formats": ["ebook", "audiobook"]}).result["total"]
    assert either == sum(bool({"ebook", "audiobook"} & set(book.formats)) for book in catalog.books)


@pytest.mark.parametrize("nothing", [None, "", []])
def test_an_empty_filter_does_not_filter(call: Call, catalog: Catalog, nothing: object) -> None:
    result = call("search_books", {"genre": nothing, "country": None, "year_max": nothing}).result
    assert result["total"] == len(catalog.books)


@pytest.mark.parametrize(
    ("value", "written"),
    [(None, "null"), ("null", "word null"), ("None", "word none"), ("", "empty"), ("  ", "empty")],
)
def test_an_abstention_is_recognised_however_it_is_written(
    call: Call, value: str | None, written: str
) -> None:
    final = call("recommend", {"item_id": value}).recommendation
    assert final is not None
    assert (final.item_id, final.abstained_as) == (None, written)


def test_a_record_tells_everything_but_the_formats(call: Call, catalog: Catalog) -> None:
    book = catalog.books[0]
    record = call("get_book", {"item_id": f" {book.id} "}).result
    assert record["title"] == book.title
    assert "formats" not in record
    assert call("check_formats", {"item_id": book.id}).result == {
        "id": book.id,
        "formats": list(book.formats),
    }


def test_the_history_lists_books_in_order_even_those_outside_the_catalog(
    tools_of: Callable[[Interface], Tools], catalog: Catalog
) -> None:
    history = (catalog.books[3].id, "wd_Q1", catalog.books[1].id)
    books = tools_of("keyword").call("get_reading_history", "{}", history).result["books"]
    assert [book["id"] for book in books] == list(history)
    assert books[1] == {"id": "wd_Q1"}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["search_books", "get_book", "check_formats", "get_reading_history", "recommend", "other"]
KEYS = ["genre", "language", "country", "year_min", "year_max", "formats", "sort", "page", "item_id", "query"]


@settings(deadline=None)
@given(
    name=st.sampled_from(NAMES) | st.text(max_size=5),
    arguments=st.text(max_size=30) | st.dictionaries(st.sampled_from(KEYS), JSON, max_size=3).map(json.dumps),
    interface=st.sampled_from(INTERFACES),
)
def test_no_call_raises_and_every_result_can_be_written(
    tools_of: Callable[[Interface], Tools], name: str, arguments: str, interface: Interface
) -> None:
    outcome = tools_of(interface).call(name, arguments, ())
    json_text([outcome.parsed, outcome.result]).encode("utf-8")
    assert (outcome.fault is None) == ("error" not in outcome.result)


def test_a_lone_surrogate_in_an_escape_is_replaced(call: Call) -> None:
    outcome = call("search_books", '{"genre": "\\ud800"}')
    assert outcome.fault == "unknown_value"
    assert outcome.parsed == {"genre": "\ufffd"}


@pytest.mark.parametrize("interface", INTERFACES)
def test_definitions_are_function_definitions_and_tell_no_caps(interface: Interface) -> None:
    tools = definitions(interface)
    assert [tool["function"]["name"] for tool in tools] == NAMES[:-1]
    assert all(tool["function"]["parameters"]["additionalProperties"] is False for tool in tools)
    assert "150" not in json.dumps(tools)
    assert ("year_min" in json.dumps(tools)) == (interface == "structured")
