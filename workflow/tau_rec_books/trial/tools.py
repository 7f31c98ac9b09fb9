"""The agent's tools: JSON-Schema definitions, and calls whose every fault is a result that names it."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tau_rec_books.catalog.books import FORMATS, Catalog
from tau_rec_books.trial.keyword import KeywordSearch
from tau_rec_books.trial.search import Filters, StructuredSearch, book_record
from tau_rec_books.trial.text import folded, values_without_surrogates

Interface = Literal["keyword", "structured"]
INTERFACES: tuple[Interface, ...] = ("keyword", "structured")

_LARGEST_NUMBER = 1_000_000_000
_DEEPEST = 64
_BRACKET_OR_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{\]}]', re.DOTALL)
_ABSTAIN_WORDS = {"": "empty", "null": "word null", "none": "word none"}

_ITEM = {"type": "string", "description": "Catalog id of the book, such as wd_Q123."}
_KEYWORD_PARAMETERS = {
    "query": {
        "type": "string",
        "description": "Words to look for in titles, authors, genres, languages and countries.",
    }
}
_STRUCTURED_PARAMETERS: dict[str, dict[str, Any]] = {
    "genre": {
        "type": ["string", "array"],
        "items": {"type": "string"},
        "description": "A genre, or several that must all apply.",
    },
    "language": {"type": "string", "description": "Language of the work; includes its regional varieties."},
    "country": {"type": "string", "description": "Country of origin; includes its constituent countries."},
    "year_min": {"type": "integer", "description": "Earliest year of first publication."},
    "year_max": {"type": "integer", "description": "Latest year of first publication."},
    "formats": {
        "type": ["string", "array"],
        "items": {"type": "string", "enum": list(FORMATS)},
        "description": "A format, or several of which at least one must be available.",
    },
    "sort": {
        "type": "string",
        "enum": ["popularity", "recency"],
        "description": "Order of the results: number of wiki pages (default) or year, highest first.",
    },
    "page": {"type": "integer", "minimum": 1, "description": "Page of 20 results, from 1."},
}


def definitions(interface: Interface) -> list[dict[str, Any]]:
    """The tools of one interface as function definitions in the common chat-completion form."""
    if interface == "keyword":
        search = _function(
            "search_books",
            "Find up to 20 books by keywords, best match first.",
            _KEYWORD_PARAMETERS,
            ["query"],
        )
    else:
        search = _function(
            "search_books",
            "Filter the catalog; all filters given must hold. An unknown value returns the valid ones.",
            _STRUCTURED_PARAMETERS,
            [],
        )
    return [
        search,
        _function("get_book", "Show the catalog record of one book.", {"item_id": _ITEM}, ["item_id"]),
        _function("check_formats", "Tell which formats one book comes in.", {"item_id": _ITEM}, ["item_id"]),
        _function("get_reading_history", "List the books that the reader has already read.", {}, []),
        _function(
            "recommend",
            "Give the final answer and end the conversation: one book, or null for none.",
            {"item_id": {**_ITEM, "type": ["string", "null"]}},
            ["item_id"],
        ),
    ]


def _function(
    name: str, description: str, properties: Mapping[str, Any], required: list[str]
) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": dict(properties),
                "required": required,
                "additionalProperties": False,
            },
        },
    }


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A well-formed final call.

    Attributes:
        item_id: the book, or ``None`` for an abstention.
        abstained_as: how an abstention was written: ``null``, ``word null``, ``word none`` or ``empty``.
    """

    item_id: str | None
    abstained_as: str | None


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a call gave.

    Attributes:
        parsed: the arguments as JSON, or ``None`` when they are not a JSON object.
        result: what the agent gets to see.
        fault: ``None``, or what was wrong: ``bad_json``, ``not_an_object``, ``unknown_tool``,
            ``unknown_argument``, ``missing_argument``, ``wrong_type``, ``unknown_id``, ``unknown_value``.
        recommendation: set by a well-formed ``recommend``.
    """

    parsed: dict[str, Any] | None
    result: dict[str, Any]
    fault: str | None = None
    recommendation: Recommendation | None = None


class _Refused(Exception):
    """A call that cannot be carried out; becomes an error result."""

    def __init__(self, fault: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.fault = fault
        self.result = {"error": message, **more}


class Tools:
    """The tools over one catalog and interface; build once, share among all trials of a process."""

    def __init__(self, catalog: Catalog, interface: Interface) -> None:
        self.catalog = catalog
        self.interface: Interface = interface
        self.structured = StructuredSearch(catalog) if interface == "structured" else None
        self.keyword = KeywordSearch(catalog) if interface == "keyword" else None
        search_parameters: Mapping[str, Any] = (
            _STRUCTURED_PARAMETERS if interface == "structured" else _KEYWORD_PARAMETERS
        )
        self._parameters: dict[str, tuple[str, ...]] = {
            "search_books": tuple(search_parameters),
            "get_book": ("item_id",),
            "check_formats": ("item_id",),
            "get_reading_history": (),
            "recommend": ("item_id",),
        }
        self._handlers: dict[str, Callable[[dict[str, Any], tuple[str, ...]], dict[str, Any]]] = {
            "search_books": self._search_structured if self.structured else self._search_keyword,
            "get_book": lambda arguments, _: book_record(catalog.by_id[self._item(arguments)]),
            "check_formats": self._check_formats,
            "get_reading_history": self._reading_history,
        }

    def call(self, name: str, arguments: str, history: tuple[str, ...]) -> ToolOutcome:
        """Carry out one call; never raises for anything that an agent wrote.

        Args:
            name: the tool's name as the agent wrote it.
            arguments: the raw argument string; only white space means no arguments.
            history: the reader's history, which ``get_reading_history`` lists.
        """
        parsed: dict[str, Any] | None = None
        try:
            parsed = _parse(arguments)
            if name not in self._parameters:
                known = sorted(self._parameters)
                raise _Refused("unknown_tool", f"There is no tool named {_shown(name)}.", tools=known)
            allowed = self._parameters[name]
            for key in parsed:
                if key not in allowed:
                    raise _Refused(
                        "unknown_argument",
                        f"{name} takes no argument named {_shown(key)}.",
                        arguments=list(allowed),
                    )
            if name == "recommend":
                return self._recommend(parsed)
            return ToolOutcome(parsed, self._handlers[name](parsed, history))
        except _Refused as refused:
            return ToolOutcome(parsed, refused.result, refused.fault)

    def _recommend(self, arguments: dict[str, Any]) -> ToolOutcome:
        if "item_id" in arguments:
            value = arguments["item_id"]
            written = "null" if value is None else None
            if isinstance(value, str):
                written = _ABSTAIN_WORDS.get(value.strip().casefold())
            if written is not None:
                return ToolOutcome(arguments, {"recommended": None}, None, Recommendation(None, written))
        item = self._item(arguments)
        return ToolOutcome(arguments, {"recommended": item}, None, Recommendation(item, None))

    def _item(self, arguments: Mapping[str, Any]) -> str:
        if "item_id" not in arguments:
            raise _Refused("missing_argument", "The argument item_id is missing.")
        value = arguments["item_id"]
        if not isinstance(value, str):
            raise _Refused("wrong_type", f"item_id must be a text such as wd_Q123, not {_kind(value)}.")
        item = value.strip()
        if item not in self.catalog.by_id:
            raise _Refused("unknown_id", f"The catalog has no book with the id {_shown(item)}.")
        return item

    def _check_formats(self, arguments: dict[str, Any], history: tuple[str, ...]) -> dict[str, Any]:
        item = self._item(arguments)
        return {"id": item, "formats": list(self.catalog.by_id[item].formats)}

    def _reading_history(self, arguments: dict[str, Any], history: tuple[str, ...]) -> dict[str, Any]:
        books = self.catalog.by_id
        return {"books": [book_record(books[item]) if item in books else {"id": item} for item in history]}

    def _search_keyword(self, arguments: dict[str, Any], history: tuple[str, ...]) -> dict[str, Any]:
        assert self.keyword is not None
        if "query" not in arguments:
            raise _Refused("missing_argument", "The argument query is missing.")
        query = arguments["query"]
        if isinstance(query, bool) or not isinstance(query, str | int):
            raise _Refused("wrong_type", f"query must be a text, not {_kind(query)}.")
        return self.keyword.search(str(query))

    def _search_structured(self, arguments: dict[str, Any], history: tuple[str, ...]) -> dict[str, Any]:
        assert self.structured is not None
        given = {key: value for key, value in arguments.items() if value not in (None, "", [])}
        sort = folded(_text("sort", given.get("sort", "popularity")))
        if sort not in ("popularity", "recency"):
            raise _Refused(
                "unknown_value",
                f"There is no sort order {_shown(sort)}.",
                valid_values=["popularity", "recency"],
            )
        filters = Filters(
            genres=tuple(self._labels("genre", given.get("genre", []))),
            language=self._label("language", given["language"]) if "language" in given else None,
            country=self._label("country", given["country"]) if "country" in given else None,
            year_min=_integer("year_min", given["year_min"]) if "year_min" in given else None,
            year_max=_integer("year_max", given["year_max"]) if "year_max" in given else None,
            formats=tuple(self._labels("format", given.get("formats", []), "formats")),
            sort="recency" if sort == "recency" else "popularity",
        )
        page = _integer("page", given.get("page", 1))
        if page < 1:
            raise _Refused("wrong_type", f"page must be 1 or more, not {page}.")
        return self.structured.page(filters, page)

    def _labels(self, field: str, value: Any, argument: str | None = None) -> list[str]:
        values = value if isinstance(value, list) else [value]
        labels = {self._label(field, text, argument) for text in values if text not in (None, "")}
        return sorted(labels)

    def _label(self, field: str, value: Any, argument: str | None = None) -> str:
        assert self.structured is not None
        text = _text(argument or field, value)
        label = self.structured.label(field, text)
        if label is None:
            raise _Refused(
                "unknown_value",
                f"The catalog has no {field} {_shown(text)}.",
                valid_values=self.structured.valid_labels(field),
                **self._coverage(field),
            )
        return label

    def _coverage(self, field: str) -> dict[str, Any]:
        vocabulary = self.catalog.vocabulary
        children: Mapping[str, tuple[str, ...]] = {}
        if field == "language":
            children = vocabulary.language_children
        elif field == "country":
            children = vocabulary.country_children
        return {"covers": {label: list(children[label]) for label in sorted(children)}} if children else {}


def _parse(arguments: str) -> dict[str, Any]:
    """The arguments as a JSON object.

    The message on bad JSON does not quote Python's parser, whose words differ between versions, and the depth
    is bounded here since Python's own bound differs, too: a replay must give the same bytes.
    """
    if not arguments.strip():
        return {}
    try:
        if _depth_exceeds(arguments, _DEEPEST):
            raise ValueError("nested too deeply")
        value = json.loads(
            arguments, parse_constant=_no_constant, parse_float=_finite, parse_int=_short_integer
        )
    except ValueError:
        raise _Refused(
            "bad_json", f"The arguments are not valid JSON: {_shown(arguments)}. Send one JSON object."
        ) from None
    if not isinstance(value, dict):
        raise _Refused("not_an_object", f"The arguments must be a JSON object, not {_kind(value)}.")
    clean: dict[str, Any] = values_without_surrogates(value)
    return clean


def _depth_exceeds(text: str, limit: int) -> bool:
    if text.count("[") + text.count("{") <= limit:
        return False
    depth = 0
    for bracket in _BRACKET_OR_STRING.findall(text):
        if bracket in "[{":
            depth += 1
            if depth > limit:
                return True
        elif bracket in "]}":
            depth -= 1
    return False


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def _short_integer(text: str) -> int:
    if len(text) > 30:
        raise ValueError("too many digits")
    return int(text)


def _text(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _Refused("wrong_type", f"{argument} must be a text, not {_kind(value)}.")
    return value


def _integer(argument: str, value: Any) -> int:
    """A whole number, however it is written: 1990, "1990", 1990.0 or " 1990.0 "."""
    number: float | None = None
    if isinstance(value, str) and len(value) <= 40:
        try:
            number = float(value)
        except ValueError:
            number = None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = value
    if number is None or not abs(number) <= _LARGEST_NUMBER or number != int(number):
        kind = _shown(value) if isinstance(value, str) else _kind(value)
        raise _Refused("wrong_type", f"{argument} must be a whole number, not {kind}.")
    return int(number)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _shown(text: str) -> str:
    """A piece of the agent's text, quoted and cut to a length that a message can hold."""
    return json.dumps(text if len(text) <= 80 else text[:80] + "…", ensure_ascii=False)
