"""A small valid task set found by plain loops for tests of the validator, without the generator's code."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product
from json import loads
from pathlib import Path
from typing import Any

from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog
from tau_rec_books.core.canonical import json_text, write_json, write_jsonl, write_parquet
from tau_rec_books.core.digest import draw_choice, draw_integer
from tau_rec_books.core.identifiers import size_name

SIZES = (1000, 2000, 4000)
CONDITIONS = ("volunteer", "mixed", "hidden")
SLOTS = {
    "genre": ("genre", "is"),
    "language": ("language", "is"),
    "country": ("country", "is"),
    "year_min": ("year", "min"),
    "year_max": ("year", "max"),
}
TEMPLATES = [
    ("genre-language", "simple", ["genre", "language"]),
    ("genre-country", "simple", ["genre", "country"]),
    ("genre-since", "simple", ["genre", "year_min"]),
    ("genre-until", "simple", ["genre", "year_max"]),
    ("two-genres-until", "medium", ["genre", "genre", "year_max"]),
    ("genre-language-since", "medium", ["genre", "language", "year_min"]),
    ("genre-country-range", "medium", ["genre", "country", "year_min", "year_max"]),
    ("two-genres-country-since", "medium", ["genre", "genre", "country", "year_min"]),
    ("two-genres-country-range", "complex", ["genre", "genre", "country", "year_min", "year_max"]),
    ("genre-language-country-range", "complex", ["genre", "language", "country", "year_min", "year_max"]),
]
SETTINGS: dict[str, Any] = {
    "seed": "unused",
    "tiers": {
        "simple": {"satisfiable": 4, "nvr": 1},
        "medium": {"satisfiable": 4, "nvr": 1},
        "complex": {"satisfiable": 2, "nvr": 1},
    },
    "templates": [{"id": name, "tier": tier, "slots": slots} for name, tier, slots in TEMPLATES],
    "answers_min_smallest": 2,
    "answers_max_largest": 250,
    "material_books": 1,
    "material_share": 0.05,
    "nvr_leave_one_out": 2,
    "hidden_exclusion": 0.5,
    "giveaway_share": 0.9,
    "single_format_families": 3,
    "history_families": 4,
    "history_two_hidden": 2,
    "panel": {"satisfiable": 2, "nvr": 1},
    "reliability": {"satisfiable": 1, "nvr": 0},
    "attempts": 4000,
    "allow_fewer": False,
}
NVR_TEMPLATE = {
    "simple": "genre-language",
    "medium": "genre-country-range",
    "complex": "genre-language-country-range",
}


def meets(row: dict[str, Any], predicate: dict[str, Any], vocabulary: dict[str, Any]) -> bool:
    """Whether a catalog row meets a predicate, said as plainly as possible."""
    value = predicate["value"]
    if predicate["field"] == "year":
        return bool(row["year"] >= value if predicate["operator"] == "min" else row["year"] <= value)
    if predicate["field"] == "genre":
        return value in row["genres"]
    column, children = (
        ("languages", "language_children")
        if predicate["field"] == "language"
        else ("countries", "country_children")
    )
    return value in row[column] or any(child in row[column] for child in vocabulary[children].get(value, ()))


@dataclass
class TaskSet:
    """Catalogs, task files and settings in memory, to be bent and written."""

    catalogs: dict[str, list[dict[str, Any]]]
    vocabulary: dict[str, Any]
    families: list[dict[str, Any]]
    settings: dict[str, Any]
    sizes: tuple[int, ...] = SIZES
    tasks: list[dict[str, Any]] = field(default_factory=list)
    answers: list[dict[str, Any]] = field(default_factory=list)
    after_write: Callable[[Path], object] = lambda folder: None

    def bent(self) -> TaskSet:
        """A copy whose documents may be changed (the catalogs' rows are shared)."""
        return TaskSet(
            dict(self.catalogs),
            copy.deepcopy(self.vocabulary),
            copy.deepcopy(self.families),
            copy.deepcopy(self.settings),
            self.sizes,
            copy.deepcopy(self.tasks),
            copy.deepcopy(self.answers),
        )

    @property
    def smallest(self) -> list[dict[str, Any]]:
        """Rows of the smallest catalog."""
        return self.catalogs[size_name(self.sizes[0])]

    @property
    def largest(self) -> list[dict[str, Any]]:
        """Rows of the largest catalog."""
        return self.catalogs[size_name(self.sizes[-1])]

    def failed(self, row: dict[str, Any], family: dict[str, Any]) -> list[str]:
        """Ids of the family's predicates that a row does not meet."""
        return [p["id"] for p in family["predicates"] if not meets(row, p, self.vocabulary)]

    def matching(self, rows: list[dict[str, Any]], predicates: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows that meet all of these predicates."""
        return [row for row in rows if all(meets(row, p, self.vocabulary) for p in predicates)]

    def takes(self, row: dict[str, Any], family: dict[str, Any]) -> bool:
        """Whether the reader could take the book: unread and in an accepted format."""
        formats = family["accepted_formats"]
        return row["id"] not in family["history"] and (
            formats is None or any(f in row["formats"] for f in formats)
        )

    def derive_tasks(self) -> None:
        """Write the tasks anew from the families."""
        shared = ("tier", "template", "nvr", "accepted_formats", "history", "persona")
        self.tasks = [
            {
                "id": f"{family['id']}-{condition}",
                "family": family["id"],
                "condition": condition,
                "predicates": [
                    {**p, "reveal": family["reveal"][condition][p["id"]]} for p in family["predicates"]
                ],
                **{key: copy.deepcopy(family[key]) for key in shared},
            }
            for family in self.families
            for condition in CONDITIONS
        ]

    def derive_answers(self) -> None:
        """Write the answers anew from families and catalogs."""
        self.answers = []
        for family in self.families:
            sizes = {}
            for name, rows in self.catalogs.items():
                found = self.matching(rows, family["predicates"])
                sizes[name] = {
                    "answers": [row["id"] for row in found],
                    "acceptable": [row["id"] for row in found if self.takes(row, family)],
                }
            self.answers.append({"family": family["id"], "sizes": sizes})

    def derive(self) -> None:
        """Make tasks and answers consistent with the families."""
        self.derive_tasks()
        self.derive_answers()

    def write_catalogs(self, folder: Path) -> None:
        """Write ``{size}.parquet`` and ``vocabulary.json``."""
        for name, rows in self.catalogs.items():
            write_parquet(folder / f"{name}.parquet", rows, BOOK_SCHEMA)
        write_json(folder / "vocabulary.json", self.vocabulary)

    def write_tasks(self, folder: Path) -> None:
        """Write the three task files."""
        write_jsonl(folder / "families.jsonl", self.families)
        write_jsonl(folder / "tasks.jsonl", self.tasks)
        write_jsonl(folder / "answers.jsonl", self.answers)


def plain_catalogs(catalog: Catalog, sizes: tuple[int, ...] = SIZES) -> dict[str, list[dict[str, Any]]]:
    """Catalog rows per size name."""
    rows = [book.row() for book in catalog.books]
    return {size_name(size): rows[:size] for size in sizes}


def predicates_of(slots: list[str], values: list[Any]) -> list[dict[str, Any]]:
    """Predicate documents p1, p2, … of a template's slots."""
    return [
        {"id": f"p{number}", "field": SLOTS[slot][0], "operator": SLOTS[slot][1], "value": value}
        for number, (slot, value) in enumerate(zip(slots, values, strict=True), start=1)
    ]


class Finder:
    """Looks for predicates, tags and histories that keep every rule, by trying."""

    def __init__(self, task_set: TaskSet) -> None:
        self.set = task_set
        self.rows = task_set.largest
        self.cache: dict[tuple[Any, ...], frozenset[int]] = {}

    def books(self, predicate: dict[str, Any]) -> frozenset[int]:
        """Positions of the rows that meet one predicate."""
        key = (predicate["field"], predicate["operator"], predicate["value"])
        if key not in self.cache:
            self.cache[key] = frozenset(
                position
                for position, row in enumerate(self.rows)
                if meets(row, predicate, self.set.vocabulary)
            )
        return self.cache[key]

    def common(self, predicates: list[dict[str, Any]], size: int) -> list[int]:
        """Positions below ``size`` that meet all predicates."""
        found: frozenset[int] | None = None
        for predicate in predicates:
            found = self.books(predicate) if found is None else found & self.books(predicate)
        assert found is not None
        return sorted(position for position in found if position < size)

    def values(self, slots: list[str], *key: str | int) -> list[Any]:
        """One draw of values for a template's slots."""
        span = sorted(draw_integer(*key, "y", i, below=90) + 1935 for i in range(2))
        pools = {
            "genre": list(self.set.vocabulary["genres"]),
            "language": list(self.set.vocabulary["languages"]),
            "country": list(self.set.vocabulary["countries"]),
        }
        return [
            span[0] if slot == "year_min" else span[1] if slot == "year_max"
            else draw_choice(pools[slot], *key, slot, index)
            for index, slot in enumerate(slots)
        ]  # fmt: skip

    def drawn(self, slots: list[str], *key: str | int) -> Iterator[list[dict[str, Any]]]:
        """Requests with drawn values, for satisfiable families."""
        for attempt in range(20_000):
            yield predicates_of(slots, self.values(slots, *key, attempt))

    def gaps(self, slots: list[str]) -> Iterator[list[dict[str, Any]]]:
        """Requests for the years between two books that follow each other, for NVR families."""
        pools = {"genre": "genres", "language": "languages", "country": "countries"}
        labels = [slot for slot in slots if slot in pools]
        for values in product(*(list(self.set.vocabulary[pools[slot]]) for slot in labels)):
            found = self.common(predicates_of(labels, list(values)), len(self.rows))
            if slots == labels:
                yield predicates_of(slots, list(values))
            elif len(found) >= 12:
                years = sorted({self.rows[position]["year"] for position in found})
                for early, late in pairwise(years):
                    if late - early > 1:
                        yield predicates_of(slots, [*values, early + 1, late - 1])

    def sound(self, predicates: list[dict[str, Any]], nvr: bool) -> bool:
        """Whether counts of answers, materiality or emptiness hold."""
        words = [(p["field"], p["operator"], p["value"]) for p in predicates]
        if len(set(words)) < len(words):
            return False
        for size in self.set.sizes:
            answers = len(self.common(predicates, size))
            if nvr and answers:
                return False
            for dropped in predicates:
                others = [p for p in predicates if p is not dropped]
                left = len(self.common(others, size))
                if nvr and size == self.set.sizes[0] and left < self.set.settings["nvr_leave_one_out"]:
                    return False
                if not nvr and (left - answers < 1 or (left - answers) * 20 < answers):
                    return False
        if nvr:
            return True
        return (
            len(self.common(predicates, self.set.sizes[0])) >= 3
            and len(self.common(predicates, self.set.sizes[-1])) <= 250
        )

    def tags(self, predicates: list[dict[str, Any]], hidden_count: int) -> dict[str, dict[str, str]] | None:
        """Reveal tags with p1 stated, or None when no choice of hidden predicates keeps the rules."""
        for hidden in combinations(predicates[1:], hidden_count):
            shown = [p for p in predicates if p not in hidden]
            if any(
                len(self.books(s) & self.books(h)) * 10 >= 9 * len(self.books(s))
                for s in shown
                for h in hidden
            ) or any(self.telling(s, h) for s in shown for h in hidden):
                continue
            if all(
                2 * len(self.common(predicates, size)) <= len(self.common(shown, size))
                for size in self.set.sizes
            ):
                rest = {p["id"]: "on_ask" for p in predicates[1:]}
                return {
                    "volunteer": {p["id"]: "stated" for p in predicates},
                    "mixed": {"p1": "stated", **rest},
                    "hidden": {"p1": "stated", **rest, **{p["id"]: "hidden" for p in hidden}},
                }
        return None

    def telling(self, shown: dict[str, Any], hidden: dict[str, Any]) -> bool:
        """Whether the two labels are those of a country and its variety of English."""
        pairs = {("British English", "United Kingdom"), ("American English", "United States")}
        return (shown["value"], hidden["value"]) in pairs or (hidden["value"], shown["value"]) in pairs

    def history(self, family: dict[str, Any]) -> list[str] | None:
        """One answer and one near miss per hidden predicate, from the smallest catalog."""
        hidden = [pid for pid, tag in family["reveal"]["hidden"].items() if tag == "hidden"]
        wanted: list[list[str]] = [[], *([pid] for pid in hidden)]
        found = []
        for failed in wanted:
            row = next((row for row in self.set.smallest if self.set.failed(row, family) == failed), None)
            if row is None:
                return None
            found.append(row["id"])
        return found


def _family(finder: Finder, template: str, number: int, nvr: bool, hidden: int, kind: str) -> dict[str, Any]:
    """Try draws until one keeps every rule."""
    tier, slots = next((tier, slots) for name, tier, slots in TEMPLATES if name == template)
    for predicates in finder.gaps(slots) if nvr else finder.drawn(slots, template, number):
        if not finder.sound(predicates, nvr):
            continue
        tags = finder.tags(predicates, hidden)
        if tags is None:
            continue
        family: dict[str, Any] = {
            "id": f"family-{number:03d}",
            "tier": tier,
            "template": template,
            "nvr": nvr,
            "predicates": predicates,
            "reveal": tags,
            "accepted_formats": None,
            "history": [],
            "persona": {
                "name": f"Reader {'ABCDEFGHIJKLMNOP'[number]}",
                "manner": "short and friendly answers",
            },
            "panel": False,
            "reliability": False,
        }
        if kind == "history":
            history = finder.history(family)
            if history is None or len(finder.common(predicates, finder.set.sizes[0])) < 3:
                continue
            family["history"] = history
        if kind == "format":
            family["accepted_formats"] = ["audiobook"]
            rows = [finder.rows[position] for position in finder.common(predicates, finder.set.sizes[0])]
            if len({finder.set.takes(row, family) for row in rows}) < 2:
                continue
        return family
    raise AssertionError(f"no family found for {template}")


def valid_set(catalog: Catalog) -> TaskSet:
    """A valid task set of 13 families over the first 1,000, 2,000 and 4,000 books of a drawn catalog."""
    task_set = TaskSet(
        plain_catalogs(catalog), loads(json_text(catalog.vocabulary.document())), [], copy.deepcopy(SETTINGS)
    )
    finder = Finder(task_set)
    kinds = {2: "history", 3: "format", 6: "history", 7: "format", 8: "history", 9: "history", 12: "format"}
    two_hidden = {8, 9}
    number = 0
    for tier in SETTINGS["tiers"]:
        names = [(name, False) for name, of_tier, _ in TEMPLATES if of_tier == tier] + [
            (NVR_TEMPLATE[tier], True)
        ]
        for place, (name, nvr) in enumerate(names):
            number += 1
            family = _family(
                finder, name, number, nvr, 2 if number in two_hidden else 1, kinds.get(number, "")
            )
            family["panel"] = place < 2 or nvr
            family["reliability"] = place == 0
            task_set.families.append(family)
    task_set.derive()
    return task_set
