"""One corruption at a time: the validator catches it under the rule it breaks and names the family."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.tasks.validation import validate
from tau_rec_books.tasks.validation.rulebook import RULES


def _load_valid_tasks() -> ModuleType:
    path = Path(__file__).with_name("valid_tasks.py")
    spec = importlib.util.spec_from_file_location("valid_tasks_for_mutations", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


valid_tasks = _load_valid_tasks()
TaskSet = Any
Document = dict[str, Any]


@dataclass(frozen=True)
class Mutation:
    """One corruption, the rule that must catch it, and rules that it cannot help to break as well."""

    rule: str
    also: frozenset[str]
    corrupt: Callable[[TaskSet], str]

    @property
    def name(self) -> str:
        return f"{self.rule}: {self.corrupt.__name__.replace('_', ' ')}"


MUTATIONS: list[Mutation] = []


def breaks(rule: str, *also: str) -> Callable[[Callable[[TaskSet], str]], Callable[[TaskSet], str]]:
    """Register a corruption; it returns the name that the sentence must give."""

    def register(corrupt: Callable[[TaskSet], str]) -> Callable[[TaskSet], str]:
        MUTATIONS.append(Mutation(rule, frozenset(also), corrupt))
        return corrupt

    return register


def family(tasks: TaskSet, number: int) -> Document:
    found: Document = tasks.families[number - 1]
    return found


def predicate(one: Document, name: str) -> Document:
    return next(item for item in one["predicates"] if item["id"] == name)


def task(tasks: TaskSet, name: str) -> Document:
    return next(item for item in tasks.tasks if item["id"] == name)


def answers(tasks: TaskSet, number: int, size: str) -> Document:
    found: Document = tasks.answers[number - 1]["sizes"][size]
    return found


def changed_row(tasks: TaskSet, size: str, position: int, **change: Any) -> Document:
    """Change one record of one catalog file."""
    rows = list(tasks.catalogs[size])
    rows[position] = {**rows[position], **change}
    tasks.catalogs[size] = rows
    return rows[position]


def changed_everywhere(tasks: TaskSet, position: int, **change: Any) -> None:
    """Change one record in every catalog that holds it."""
    for size, rows in tasks.catalogs.items():
        if position < len(rows):
            changed_row(tasks, size, position, **change)


def first_missing(tasks: TaskSet, one: Document, wanted: list[str], beyond: bool = False) -> str:
    """The first book that fails exactly these predicates; ``beyond`` looks outside the smallest catalog."""
    rows = tasks.largest[len(tasks.smallest) :] if beyond else tasks.smallest
    return next(
        row["id"] for row in rows if tasks.failed(row, one) == wanted and row["id"] not in one["history"]
    )


def genre_years(tasks: TaskSet) -> Iterator[tuple[str, int, list[int], list[int]]]:
    """Every (genre, latest year) with its answers, and the books of the genre, per size."""
    for genre in tasks.vocabulary["genres"]:
        years = {
            size: sorted(r["year"] for r in rows if genre in r["genres"])
            for size, rows in tasks.catalogs.items()
        }
        for latest in range(1700, 2026):
            counts = [sum(year <= latest for year in listed) for listed in years.values()]
            yield genre, latest, counts, [len(listed) for listed in years.values()]


# Catalog and vocabulary


@breaks("catalog-sizes", "vocabulary-counts")
def the_smallest_catalog_lacks_its_last_book(tasks: TaskSet) -> str:
    tasks.catalogs["1k"] = tasks.catalogs["1k"][:-1]
    tasks.derive()
    return "catalog 1k"


@breaks("catalog-nesting")
def two_records_change_places_in_the_middle_catalog(tasks: TaskSet) -> str:
    rows = list(tasks.catalogs["2k"])
    rows[1500], rows[1501] = rows[1501], rows[1500]
    tasks.catalogs["2k"] = rows
    tasks.derive()
    return "catalog 2k"


@breaks("catalog-nesting")
def a_title_was_mended_in_one_file_only(tasks: TaskSet) -> str:
    changed_row(tasks, "1k", 5, title="Mended")
    return "catalog 1k"


@breaks("catalog-ids")
def one_work_entered_the_catalog_twice(tasks: TaskSet) -> str:
    changed_everywhere(tasks, 3999, id=tasks.largest[3998]["id"])
    tasks.derive_answers()
    return "catalog 4k"


@breaks("catalog-ids")
def an_id_lost_its_prefix(tasks: TaskSet) -> str:
    changed_everywhere(tasks, 3999, id="Q9000027993")
    tasks.derive_answers()
    return "catalog 4k"


@breaks("catalog-records")
def a_book_comes_in_no_format(tasks: TaskSet) -> str:
    changed_everywhere(tasks, 3999, formats=[])
    tasks.derive_answers()
    return "catalog 4k"


@breaks("catalog-records")
def genres_are_not_sorted(tasks: TaskSet) -> str:
    place = next(i for i, row in enumerate(tasks.largest) if len(row["genres"]) > 1)
    changed_everywhere(tasks, place, genres=tasks.largest[place]["genres"][::-1])
    return "catalog 4k"


@breaks("vocabulary-counts")
def a_label_is_counted_once_too_often(tasks: TaskSet) -> str:
    tasks.vocabulary["genres"]["Crime"]["2k"] += 1
    return "vocabulary"


@breaks("vocabulary-counts")
def a_parent_is_counted_without_its_children(tasks: TaskSet) -> str:
    own = sum("English" in row["languages"] for row in tasks.largest)
    tasks.vocabulary["languages"]["English"]["4k"] = own
    return "vocabulary"


@breaks("vocabulary-parents", "vocabulary-counts")
def a_grandparent_does_not_cover_its_grandchildren(tasks: TaskSet) -> str:
    tasks.vocabulary["country_children"]["British Isles"] = ["United Kingdom"]
    tasks.vocabulary["countries"]["British Isles"] = {}
    return "vocabulary"


# Form of the files


@breaks("document-shape")
def a_family_line_carries_its_answers_along(tasks: TaskSet) -> str:
    family(tasks, 4)["answers"] = answers(tasks, 4, "1k")["answers"]
    return "family-004"


@breaks("document-shape")
def a_truth_value_became_text(tasks: TaskSet) -> str:
    family(tasks, 4)["panel"] = "false"
    return "family-004"


@breaks("document-shape", "acceptable-exact", "answers-nested")
def a_list_of_answers_holds_numbers(tasks: TaskSet) -> str:
    answers(tasks, 4, "1k")["acceptable"].append(17)
    return "family-004"


@breaks("canonical-lines")
def a_file_was_saved_by_an_editor_with_spaces(tasks: TaskSet) -> str:
    tasks.after_write = lambda folder: (folder / "families.jsonl").write_text(
        (folder / "families.jsonl").read_text().replace('{"accepted_formats":', '{ "accepted_formats":', 1)
    )
    return "families.jsonl"


@breaks("family-order")
def two_families_change_places(tasks: TaskSet) -> str:
    tasks.families[1], tasks.families[3] = tasks.families[3], tasks.families[1]
    tasks.derive()
    return "family-004"


@breaks(
    "family-order",
    "answers-exact",
    "acceptable-exact",
    "answers-nested",
    "answer-rows",
    "task-order",
    "templates-used",
    "tier-counts",
    "variants-alike",
)
def two_families_have_one_number(tasks: TaskSet) -> str:
    family(tasks, 4)["id"] = "family-003"
    tasks.derive()
    return "family-003"


@breaks("task-count", "task-order")
def the_last_task_is_missing(tasks: TaskSet) -> str:
    tasks.tasks.pop()
    return "tasks.jsonl"


@breaks("task-order")
def mixed_and_hidden_change_places(tasks: TaskSet) -> str:
    tasks.tasks[1], tasks.tasks[2] = tasks.tasks[2], tasks.tasks[1]
    return "family-001"


@breaks("answer-rows", "answers-exact", "acceptable-exact")
def the_answers_of_one_size_are_missing(tasks: TaskSet) -> str:
    del tasks.answers[3]["sizes"]["2k"]
    return "family-004"


@breaks("answer-rows")
def answers_are_sorted_by_something_else(tasks: TaskSet) -> str:
    tasks.answers.reverse()
    return "family-001"


# Counts


@breaks("tier-counts", "panel-counts")
def one_complex_nvr_family_was_never_drawn(tasks: TaskSet) -> str:
    tasks.families.pop()
    tasks.derive()
    return "tier complex"


@breaks("format-count")
def one_reader_takes_every_format_after_all(tasks: TaskSet) -> str:
    family(tasks, 3)["accepted_formats"] = None
    tasks.derive()
    return "families.jsonl"


@breaks("history-count")
def one_reading_history_was_dropped(tasks: TaskSet) -> str:
    family(tasks, 2)["history"] = []
    tasks.derive()
    return "families.jsonl"


@breaks("history-two-hidden-count")
def a_family_with_history_hides_one_instead_of_two(tasks: TaskSet) -> str:
    one = family(tasks, 8)
    one["reveal"]["hidden"]["p3"] = "on_ask"
    one["history"].pop()
    tasks.derive()
    return "families.jsonl"


@breaks("panel-counts")
def the_panel_is_one_family_short(tasks: TaskSet) -> str:
    family(tasks, 2)["panel"] = False
    return "tier simple"


@breaks("reliability-counts")
def the_reliability_block_has_one_family_more(tasks: TaskSet) -> str:
    family(tasks, 2)["reliability"] = True
    return "tier simple"


@breaks("reliability-in-panel")
def a_reliability_family_stands_outside_the_panel(tasks: TaskSet) -> str:
    family(tasks, 1)["reliability"] = False
    family(tasks, 4)["reliability"] = True
    return "family-004"


@breaks("templates-used")
def a_configured_template_has_no_family(tasks: TaskSet) -> str:
    tasks.settings["templates"].append({"id": "genre-country-until", "tier": "medium", "slots": ["genre"]})
    return "template genre-country-until"


# Predicates


@breaks("template-tier", "tier-counts", "tier-sizes", "family-order")
def a_simple_family_calls_itself_medium(tasks: TaskSet) -> str:
    family(tasks, 3)["tier"] = "medium"
    tasks.derive()
    return "family-003"


@breaks("template-tier", "templates-used")
def a_template_is_misspelt(tasks: TaskSet) -> str:
    family(tasks, 3)["template"] = "genre_since"
    tasks.derive()
    return "family-003"


@breaks("template-slots", "predicate-ids")
def predicates_stand_in_another_order(tasks: TaskSet) -> str:
    family(tasks, 7)["predicates"].reverse()
    tasks.derive()
    return "family-007"


@breaks("template-slots", "hidden-excludes")
def an_earliest_year_became_a_latest_year(tasks: TaskSet) -> str:
    predicate(family(tasks, 3), "p2")["operator"] = "max"
    tasks.derive()
    return "family-003"


@breaks("predicate-ids")
def predicates_are_numbered_with_a_gap(tasks: TaskSet) -> str:
    one = family(tasks, 4)
    predicate(one, "p2")["id"] = "p3"
    for tags in one["reveal"].values():
        tags["p3"] = tags.pop("p2")
    tasks.derive()
    return "family-004"


@breaks("tier-sizes", "template-slots")
def a_simple_family_asks_for_a_third_thing(tasks: TaskSet) -> str:
    one = family(tasks, 4)
    one["predicates"].append({"id": "p3", "field": "year", "operator": "min", "value": 1900})
    for condition, tag in (("volunteer", "stated"), ("mixed", "on_ask"), ("hidden", "on_ask")):
        one["reveal"][condition]["p3"] = tag
    tasks.derive()
    return "family-004"


@breaks(
    "labels-known",
    "satisfiable-answers",
    "acceptable-at-smallest",
    "predicates-material",
    "hidden-excludes",
)
def a_label_is_written_in_lower_case(tasks: TaskSet) -> str:
    predicate(family(tasks, 4), "p1")["value"] = "crime"
    tasks.derive()
    return "family-004"


@breaks("year-bounds", "predicates-material", "answers-bounded", "hidden-excludes", "giveaway-share")
def a_year_has_a_digit_too_many(tasks: TaskSet) -> str:
    predicate(family(tasks, 4), "p2")["value"] = 19590
    tasks.derive()
    return "family-004"


@breaks("year-bounds", "satisfiable-answers", "acceptable-at-smallest", "predicates-material")
def a_year_became_text(tasks: TaskSet) -> str:
    predicate(family(tasks, 4), "p2")["value"] = "1959"
    tasks.derive_tasks()
    for size in tasks.answers[3]["sizes"].values():
        size.update(answers=[], acceptable=[])
    return "family-004"


@breaks("year-bounds", "nvr-close", "hidden-excludes")
def an_nvr_family_is_empty_only_since_its_range_is(tasks: TaskSet) -> str:
    one = family(tasks, 10)
    early, late = predicate(one, "p3"), predicate(one, "p4")
    early["value"], late["value"] = late["value"], early["value"]
    tasks.derive()
    return "family-010"


@breaks("predicates-differ", "predicates-material", "hidden-excludes", "giveaway-share", "answers-bounded")
def both_genres_are_the_same(tasks: TaskSet) -> str:
    one = family(tasks, 6)
    predicate(one, "p2")["value"] = predicate(one, "p1")["value"]
    one["history"] = []
    tasks.settings["history_families"] -= 1
    tasks.derive()
    return "family-006"


@breaks("requests-differ")
def two_families_ask_for_the_same(tasks: TaskSet) -> str:
    one, other = family(tasks, 5), family(tasks, 1)
    one["nvr"], one["panel"] = False, False
    one["predicates"] = [dict(item) for item in other["predicates"]]
    tasks.settings["tiers"]["simple"] = {"satisfiable": 5, "nvr": 0}
    tasks.settings["panel"]["nvr"] = 0
    for number in (10, 13):
        family(tasks, number)["panel"] = False
    tasks.derive()
    return "family-005"


# Answers


@breaks("answers-exact")
def an_answer_is_missing_at_the_largest_size(tasks: TaskSet) -> str:
    listed = answers(tasks, 2, "4k")
    lost = next(
        item for item in reversed(listed["answers"]) if item not in answers(tasks, 2, "2k")["answers"]
    )
    listed["answers"].remove(lost)
    return "family-002"


@breaks("answers-exact")
def a_book_one_year_too_late_is_listed(tasks: TaskSet) -> str:
    one = family(tasks, 4)
    limit = predicate(one, "p2")["value"]
    late = next(r for r in tasks.largest[2000:] if r["year"] > limit and "Crime" in r["genres"])
    answers(tasks, 4, "4k")["answers"].append(late["id"])
    return "family-004"


@breaks("answers-exact", "answers-nested")
def answers_are_sorted_by_id(tasks: TaskSet) -> str:
    listed = answers(tasks, 4, "2k")["answers"]
    listed.sort(key=lambda name: name[::-1])
    return "family-004"


@breaks("answers-exact")
def a_parent_label_does_not_cover_its_children(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    for size in tasks.answers[11]["sizes"].values():
        narrow = {r["id"] for r in tasks.largest if predicate(one, "p2")["value"] in r["languages"]}
        size["answers"] = [name for name in size["answers"] if name in narrow]
        size["acceptable"] = [name for name in size["acceptable"] if name in narrow]
    return "family-012"


@breaks("answers-nested", "answers-exact", "acceptable-exact")
def an_answer_is_forgotten_between_two_sizes(tasks: TaskSet) -> str:
    kept = answers(tasks, 1, "1k")["answers"][0]
    for kind in ("answers", "acceptable"):
        answers(tasks, 1, "2k")[kind].remove(kept)
    return "family-001"


@breaks("acceptable-exact")
def a_book_already_read_counts_as_acceptable(tasks: TaskSet) -> str:
    for size in tasks.answers[1]["sizes"].values():
        size["acceptable"] = list(size["answers"])
    return "family-002"


@breaks("acceptable-exact")
def accepted_formats_are_overlooked(tasks: TaskSet) -> str:
    for size in tasks.answers[2]["sizes"].values():
        size["acceptable"] = list(size["answers"])
    return "family-003"


@breaks("satisfiable-answers")
def one_answer_is_left_in_the_smallest_catalog(tasks: TaskSet) -> str:
    genre, latest, _, _ = next(found for found in genre_years(tasks) if found[2][0] == 1)
    one = family(tasks, 4)
    predicate(one, "p1")["value"], predicate(one, "p2")["value"] = genre, latest
    tasks.derive()
    return "family-004"


@breaks("answers-bounded")
def a_request_is_so_wide_that_it_has_300_answers(tasks: TaskSet) -> str:
    genre, latest, _, _ = next(
        found for found in genre_years(tasks) if found[2][-1] > 300 and found[3][-1] > 2.5 * found[2][-1]
    )
    one = family(tasks, 4)
    predicate(one, "p1")["value"], predicate(one, "p2")["value"] = genre, latest
    tasks.derive()
    return "family-004"


@breaks("acceptable-at-smallest")
def the_only_accepted_format_is_sold_out_in_the_smallest_catalog(tasks: TaskSet) -> str:
    for one in tasks.families:
        if one["nvr"] or one["history"] or one["accepted_formats"]:
            continue
        for row in (rows := tasks.matching(tasks.smallest, one["predicates"])):
            del row
            for name in ("audiobook", "ebook", "hardcover", "paperback"):
                if not any(name in row["formats"] for row in rows):
                    one["accepted_formats"] = [name]
                    tasks.settings["single_format_families"] += 1
                    tasks.derive()
                    return str(one["id"])
    one = family(tasks, 11)
    for place, row in enumerate(tasks.smallest):
        if not tasks.failed(row, one):
            changed_everywhere(tasks, place, formats=["ebook"])
    one["accepted_formats"] = ["paperback"]
    tasks.settings["single_format_families"] += 1
    tasks.derive()
    return "family-011"


@breaks("predicates-material", "hidden-excludes", "giveaway-share")
def a_year_adds_only_four_per_cent(tasks: TaskSet) -> str:
    def share(found: tuple[str, int, list[int], list[int]]) -> bool:
        _, _, dropped, every = found
        return every[-1] <= 250 and 0.035 < dropped[-1] / (every[-1] - dropped[-1]) < 0.05

    genre, before, _, _ = next(found for found in genre_years(tasks) if share(found))
    one = family(tasks, 3)
    predicate(one, "p1")["value"], predicate(one, "p2")["value"] = genre, before + 1
    tasks.derive()
    return "family-003"


@breaks("predicates-material")
def a_predicate_is_immaterial_in_the_smallest_catalog_only(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    for place, row in enumerate(tasks.smallest):
        if tasks.failed(row, one) == ["p2"]:
            changed_everywhere(tasks, place, year=1700)
    tasks.derive()
    return "family-012"


@breaks("nvr-empty", "catalog-nesting", "answers-nested")
def an_nvr_family_has_a_match_in_the_smallest_catalog_only(tasks: TaskSet) -> str:
    one = family(tasks, 10)
    place = next(i for i, row in enumerate(tasks.smallest) if tasks.failed(row, one) == ["p3"])
    changed_row(tasks, "1k", place, year=predicate(one, "p3")["value"])
    tasks.derive()
    return "family-010"


@breaks("nvr-empty")
def an_nvr_family_has_a_match_in_the_largest_catalog_only(tasks: TaskSet) -> str:
    one = family(tasks, 10)
    place = next(i for i, r in enumerate(tasks.largest) if i >= 2000 and tasks.failed(r, one) == ["p3"])
    changed_everywhere(tasks, place, year=predicate(one, "p3")["value"])
    tasks.derive()
    return "family-010"


@breaks("nvr-empty", "tier-counts")
def a_satisfiable_family_is_marked_as_nvr(tasks: TaskSet) -> str:
    family(tasks, 4)["nvr"] = True
    tasks.derive()
    return "family-004"


@breaks("nvr-close")
def an_nvr_family_is_out_of_reach_by_two_predicates(tasks: TaskSet) -> str:
    one = family(tasks, 5)
    predicate(one, "p2")["value"] = "Japanese"
    rare = [i for i, row in enumerate(tasks.smallest) if "Japanese" in row["languages"]]
    for place in rare[1:]:
        changed_everywhere(tasks, place, languages=["Russian"])
    counts = tasks.vocabulary["languages"]
    for size, rows in tasks.catalogs.items():
        for label in ("Japanese", "Russian"):
            counts[label][size] = sum(label in row["languages"] for row in rows)
    tasks.derive()
    return "family-005"


# Formats and reading histories


@breaks("format-names", "acceptable-at-smallest")
def a_format_has_another_spelling(tasks: TaskSet) -> str:
    family(tasks, 3)["accepted_formats"] = ["e-book"]
    tasks.derive()
    return "family-003"


@breaks("format-names", "format-count", "format-bites")
def every_format_is_listed(tasks: TaskSet) -> str:
    family(tasks, 3)["accepted_formats"] = ["audiobook", "ebook", "hardcover", "paperback"]
    tasks.derive()
    return "family-003"


@breaks("format-bites")
def every_valid_book_comes_in_the_only_format(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    for place, row in enumerate(tasks.smallest):
        if not tasks.failed(row, one) and "audiobook" not in row["formats"]:
            changed_everywhere(tasks, place, formats=["audiobook", *row["formats"]])
    tasks.derive()
    return "family-012"


@breaks("format-bites", "history-answer", "history-near-misses", "history-count")
def the_only_book_that_lacks_the_format_is_already_read(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    one["history"] = [
        row["id"]
        for row in tasks.smallest
        if not tasks.failed(row, one) and "audiobook" not in row["formats"]
    ]
    tasks.derive()
    return "family-012"


@breaks("history-books", "history-answer")
def the_answer_already_read_is_not_in_the_smallest_catalog(tasks: TaskSet) -> str:
    one = family(tasks, 2)
    one["history"][0] = first_missing(tasks, one, [], beyond=True)
    tasks.derive()
    return "family-002"


@breaks("history-books", "history-near-misses")
def a_book_is_listed_twice_in_a_history(tasks: TaskSet) -> str:
    one = family(tasks, 2)
    one["history"].append(one["history"][-1])
    tasks.derive()
    return "family-002"


@breaks("history-answer")
def a_history_holds_no_valid_answer(tasks: TaskSet) -> str:
    family(tasks, 2)["history"].pop(0)
    tasks.derive()
    return "family-002"


@breaks("history-answer")
def a_history_holds_two_valid_answers(tasks: TaskSet) -> str:
    one = family(tasks, 2)
    one["history"].append(first_missing(tasks, one, []))
    tasks.derive()
    return "family-002"


@breaks("history-near-misses")
def every_book_of_a_history_shares_the_hidden_value(tasks: TaskSet) -> str:
    family(tasks, 2)["history"].pop()
    tasks.derive()
    return "family-002"


@breaks("history-near-misses")
def a_history_misses_only_one_of_two_hidden_predicates(tasks: TaskSet) -> str:
    family(tasks, 9)["history"].pop()
    tasks.derive()
    return "family-009"


@breaks("history-no-other", "history-near-misses")
def a_near_miss_fails_an_askable_predicate(tasks: TaskSet) -> str:
    one = family(tasks, 6)
    one["history"][1] = first_missing(tasks, one, ["p3"])
    tasks.derive()
    return "family-006"


@breaks("history-no-other")
def a_history_holds_an_unrelated_book(tasks: TaskSet) -> str:
    one = family(tasks, 6)
    one["history"].append(first_missing(tasks, one, ["p1", "p2"]))
    tasks.derive()
    return "family-006"


# Disclosure


@breaks("reveal-complete", "mixed-states-one", "task-tags")
def a_predicate_has_no_tag(tasks: TaskSet) -> str:
    del family(tasks, 4)["reveal"]["mixed"]["p2"]
    tasks.derive_answers()
    return "family-004"


@breaks("reveal-complete", "mixed-states-one")
def a_tag_is_misspelt(tasks: TaskSet) -> str:
    family(tasks, 4)["reveal"]["mixed"]["p2"] = "on ask"
    tasks.derive()
    return "family-004"


@breaks("reveal-complete")
def a_tag_belongs_to_a_predicate_that_is_gone(tasks: TaskSet) -> str:
    family(tasks, 4)["reveal"]["hidden"]["p3"] = "hidden"
    tasks.derive()
    return "family-004"


@breaks("volunteer-states-all")
def a_volunteer_waits_to_be_asked(tasks: TaskSet) -> str:
    family(tasks, 7)["reveal"]["volunteer"]["p3"] = "on_ask"
    tasks.derive()
    return "family-007"


@breaks("mixed-states-one", "same-opening")
def a_mixed_reader_states_two_predicates(tasks: TaskSet) -> str:
    family(tasks, 7)["reveal"]["mixed"]["p3"] = "stated"
    tasks.derive()
    return "family-007"


@breaks("mixed-states-one")
def a_mixed_reader_hides_a_predicate(tasks: TaskSet) -> str:
    family(tasks, 7)["reveal"]["mixed"]["p2"] = "hidden"
    tasks.derive()
    return "family-007"


@breaks("hidden-hides-some")
def a_hidden_reader_hides_nothing(tasks: TaskSet) -> str:
    one = family(tasks, 7)
    one["reveal"]["hidden"] = dict(one["reveal"]["mixed"])
    tasks.derive()
    return "family-007"


@breaks("hidden-hides-some", "history-near-misses", "history-two-hidden-count")
def a_hidden_reader_hides_three_predicates(tasks: TaskSet) -> str:
    family(tasks, 8)["reveal"]["hidden"]["p4"] = "hidden"
    tasks.derive()
    return "family-008"


@breaks("same-opening")
def the_hidden_reader_opens_with_another_predicate(tasks: TaskSet) -> str:
    family(tasks, 7)["reveal"]["hidden"] = {"p1": "hidden", "p2": "stated", "p3": "on_ask"}
    tasks.derive()
    return "family-007"


@breaks("hidden-excludes", "giveaway-share")
def the_hidden_predicate_rules_out_a_third(tasks: TaskSet) -> str:
    family(tasks, 12)["reveal"]["hidden"].update(p2="hidden", p3="on_ask")
    tasks.derive()
    return "family-012"


@breaks("hidden-excludes")
def the_hidden_predicate_rules_out_too_little_at_one_size_only(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    shown = [item for item in one["predicates"] if item["id"] != "p3"]
    missed = [i for i, r in enumerate(tasks.smallest) if tasks.failed(r, one) == ["p3"]]
    hits = len(tasks.matching(tasks.smallest, one["predicates"]))
    surplus = len(tasks.matching(tasks.smallest, shown)) - 2 * hits + 1
    for place in missed[:surplus]:
        changed_everywhere(tasks, place, year=1700)
    tasks.derive()
    return "family-012"


@breaks("giveaway-share", "predicates-material", "hidden-excludes")
def nearly_every_book_of_the_genre_meets_the_hidden_year(tasks: TaskSet) -> str:
    predicate(family(tasks, 3), "p2")["value"] = 1880
    tasks.derive()
    return "family-003"


@breaks(
    "giveaway-parent",
    "template-slots",
    "predicates-material",
    "satisfiable-answers",
    "acceptable-at-smallest",
)
def the_parent_of_the_hidden_language_is_revealed(tasks: TaskSet) -> str:
    predicate(family(tasks, 12), "p3").update(field="language", value="British English")
    tasks.derive()
    return "family-012"


@breaks(
    "giveaway-variety",
    "predicates-material",
    "hidden-excludes",
    "satisfiable-answers",
    "acceptable-at-smallest",
    "format-bites",
)
def british_english_is_revealed_while_the_united_kingdom_is_hidden(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    predicate(one, "p2")["value"], predicate(one, "p3")["value"] = "British English", "United Kingdom"
    tasks.derive()
    return "family-012"


@breaks(
    "giveaway-variety",
    "predicates-material",
    "satisfiable-answers",
    "acceptable-at-smallest",
    "format-bites",
)
def england_is_revealed_while_british_english_is_hidden(tasks: TaskSet) -> str:
    one = family(tasks, 12)
    predicate(one, "p2")["value"], predicate(one, "p3")["value"] = "British English", "England"
    one["reveal"]["hidden"].update(p2="hidden", p3="on_ask")
    tasks.derive()
    return "family-012"


@breaks("variants-alike")
def one_variant_asks_for_another_year(tasks: TaskSet) -> str:
    predicate(task(tasks, "family-004-hidden"), "p2")["value"] += 1
    return "family-004"


@breaks("variants-alike")
def one_variant_has_read_less(tasks: TaskSet) -> str:
    task(tasks, "family-002-volunteer")["history"].pop()
    return "family-002"


@breaks("variants-alike")
def one_variant_takes_every_format(tasks: TaskSet) -> str:
    task(tasks, "family-003-mixed")["accepted_formats"] = None
    return "family-003"


@breaks("variants-alike")
def one_variant_speaks_as_somebody_else(tasks: TaskSet) -> str:
    task(tasks, "family-003-mixed")["persona"]["name"] = "Somebody"
    return "family-003"


@breaks("variants-alike")
def one_variant_has_one_requirement_less(tasks: TaskSet) -> str:
    task(tasks, "family-007-mixed")["predicates"].pop()
    return "family-007"


@breaks("task-tags")
def a_hidden_predicate_is_told_in_the_task_file(tasks: TaskSet) -> str:
    predicate(task(tasks, "family-004-hidden"), "p2")["reveal"] = "on_ask"
    return "family-004"


# Personas


@breaks("persona-complete")
def a_family_has_an_empty_persona(tasks: TaskSet) -> str:
    family(tasks, 4)["persona"] = {}
    tasks.derive_tasks()
    return "family-004"


@breaks("persona-complete")
def a_persona_holds_a_number(tasks: TaskSet) -> str:
    family(tasks, 4)["persona"]["age"] = 44
    tasks.derive_tasks()
    return "family-004"


@breaks("persona-silent")
def a_persona_names_the_genre(tasks: TaskSet) -> str:
    family(tasks, 6)["persona"]["manner"] = "owns a shelf of science-fiction"
    tasks.derive_tasks()
    return "family-006"


@breaks("persona-silent")
def a_persona_names_the_year(tasks: TaskSet) -> str:
    one = family(tasks, 4)
    one["persona"]["manner"] = f"married in spring {predicate(one, 'p2')['value']}"
    tasks.derive_tasks()
    return "family-004"


@pytest.fixture(scope="module")
def valid(
    catalog_of: Callable[[int], Catalog], tmp_path_factory: pytest.TempPathFactory
) -> tuple[TaskSet, Path]:
    """The valid set and the folder of its catalogs."""
    tasks = valid_tasks.valid_set(catalog_of(valid_tasks.SIZES[-1]))
    folder = tmp_path_factory.mktemp("valid") / "catalog"
    tasks.write_catalogs(folder)
    return tasks, folder


def _report(tasks: TaskSet, valid: tuple[TaskSet, Path], folder: Path) -> dict[str, Any]:
    sound, catalog = valid
    if tasks.catalogs != sound.catalogs or tasks.vocabulary != sound.vocabulary:
        catalog = folder / "catalog"
        tasks.write_catalogs(catalog)
    tasks.write_tasks(folder / "tasks")
    tasks.after_write(folder / "tasks")
    return validate(catalog, folder / "tasks", tasks.settings, tasks.sizes)


def test_the_valid_set_keeps_every_rule(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    report = _report(valid[0].bent(), valid, tmp_path)
    assert [check["problems"] for check in report["checks"] if not check["passed"]] == []
    assert report["passed"]
    assert all(check["examined"] > 0 for check in report["checks"])


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_one_corruption_is_caught_by_its_rule(
    mutation: Mutation, valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks = valid[0].bent()
    culprit = mutation.corrupt(tasks)
    report = _report(tasks, valid, tmp_path)
    failed = {check["check"]: check for check in report["checks"] if not check["passed"]}
    assert mutation.rule in failed, sorted(failed)
    assert any(
        culprit in sentence and mutation.rule in sentence for sentence in failed[mutation.rule]["problems"]
    ), failed[mutation.rule]["problems"]
    expected = {mutation.rule, *mutation.also}
    assert set(failed) == expected, [failed[name]["problems"][0] for name in sorted(set(failed) - expected)]
    assert not report["passed"]


def test_every_rule_is_broken_by_some_corruption() -> None:
    assert {rule.name for rule in RULES} - {mutation.rule for mutation in MUTATIONS} == set()
    assert len(MUTATIONS) >= 40
