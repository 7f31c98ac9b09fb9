"""The page of one family and the list of families that deserve a second look."""

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner

from tau_rec_books.catalog.books import Catalog
from tau_rec_books.cli.tasks_validation import health, show
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.validation.health import examine


def _load_valid_tasks() -> ModuleType:
    path = Path(__file__).parents[2] / "contract" / "valid_tasks.py"
    spec = importlib.util.spec_from_file_location("valid_tasks_for_pages", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


valid_tasks = _load_valid_tasks()
TaskSet = Any


@pytest.fixture(scope="module")
def valid(
    catalog_of: Callable[[int], Catalog], tmp_path_factory: pytest.TempPathFactory
) -> tuple[TaskSet, Path]:
    """The valid set and the folder of its catalogs."""
    tasks = valid_tasks.valid_set(catalog_of(valid_tasks.SIZES[-1]))
    folder = tmp_path_factory.mktemp("valid") / "catalog"
    tasks.write_catalogs(folder)
    return tasks, folder


def page(family: str, catalog: Path, tasks: Path) -> str:
    result = CliRunner().invoke(
        show, [family, "--catalog", str(catalog), "--tasks", str(tasks)], standalone_mode=False
    )
    if result.exception is not None:
        raise result.exception
    return result.output


def line(text: str, start: str) -> list[str]:
    """The words of the first line that starts so."""
    return next(row for row in text.splitlines() if row.startswith(start)).split()


def test_a_page_shows_request_and_tags_side_by_side(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    text = page("family-008", catalog, tmp_path)
    year = tasks.families[7]["predicates"][2]["value"]
    assert line(text, "p3") == ["p3", "year", "from", str(year), "stated", "on", "ask", "hidden"]
    assert text.startswith("family-008 · medium · genre-country-range · satisfiable")


def test_a_page_counts_answers_and_what_each_predicate_adds_at_each_size(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    one = tasks.families[7]
    text = page("8", catalog, tmp_path)
    counts = [len(tasks.matching(rows, one["predicates"])) for rows in tasks.catalogs.values()]
    added = [sum(tasks.failed(row, one) == ["p2"] for row in rows) for rows in tasks.catalogs.values()]
    assert line(text, "answers")[1:] == [str(count) for count in counts]
    assert line(text, "added without p2")[-3:] == [str(count) for count in added]


def test_a_page_gives_titles_of_answers_and_the_roles_of_the_history(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    text = page("family-008", catalog, tmp_path)
    titles = {row["id"]: row["title"] for row in tasks.largest}
    for name in tasks.answers[7]["sizes"]["4k"]["answers"][:10]:
        assert titles[name] in text
    rows = text.split("Reading history")[1].splitlines()
    roles = [next(row for row in rows if row.startswith(name)) for name in tasks.families[7]["history"]]
    assert [role.rstrip().split("  ")[-1] for role in roles] == [
        "valid answer, already read",
        "fails only p2",
        "fails only p3",
    ]


def test_a_page_of_an_nvr_family_lists_no_answers(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    text = page("family-005", catalog, tmp_path)
    assert "NVR (no valid recommendation)" in text
    assert line(text, "answers") == ["answers", "0", "0", "0"]
    assert "First answers" not in text


def test_a_page_tells_the_accepted_draw_and_says_so_when_there_is_none(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    assert "draws.csv is not there" in page("family-004", catalog, tmp_path)
    (tmp_path / "draws.csv").write_text(
        "family,tier,kind,slot,outcome,note,draws\n"
        ",simple,satisfiable,4,material,,1\n"
        ",simple,satisfiable,4,giveaway,,7\n"
        ",medium,satisfiable,4,redundant,,1\n"
        "family-004,simple,satisfiable,4,accepted,answers 9; hidden rules out at least 60%,1\n"
    )
    text = page("family-004", catalog, tmp_path)
    assert "satisfiable 4 of the simple tier" in text
    refused = line(text, "turned down")
    assert " ".join(refused) == "turned down before 7 by giveaway, 1 by material"
    assert "no row of this family" in page("family-003", catalog, tmp_path)


def test_a_page_notes_answers_that_are_not_those_of_the_catalog(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    lost = tasks.answers[3]["sizes"]["4k"]["answers"].pop()
    tasks.write_tasks(tmp_path)
    text = " ".join(page("family-004", catalog, tmp_path).split())
    assert f"Note: family-004 breaks answers-exact: it lacks 1 of 149 answers at 4k, such as {lost}." in text


def test_a_title_cannot_steer_the_terminal(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    tasks = valid[0].bent()
    first = tasks.answers[3]["sizes"]["1k"]["answers"][0]
    for size, rows in tasks.catalogs.items():
        tasks.catalogs[size] = [
            {**row, "title": "\x1b[2J[bold]Gone\u202e"} if row["id"] == first else row for row in rows
        ]
    tasks.write_catalogs(tmp_path / "catalog")
    tasks.write_tasks(tmp_path / "tasks")
    text = page("family-004", tmp_path / "catalog", tmp_path / "tasks")
    assert "\N{REPLACEMENT CHARACTER}[2J[bold]Gone\N{REPLACEMENT CHARACTER}" in text
    assert "\x1b" not in text


def test_an_unknown_family_is_told_with_the_ids_there_are(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    with pytest.raises(
        Problem, match="no family 'family-099'; its first and last are family-001 and family-013"
    ):
        page("99", catalog, tmp_path)


def by_popularity(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: (-row["sitelinks"], row["id"]))


def test_easy_and_hard_families_are_those_that_plain_loops_find(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    expected = set()
    for one in tasks.families:
        if one["nvr"]:
            continue
        unread = [row for row in tasks.largest if row["id"] not in one["history"]]
        shown = [p for p in one["predicates"] if one["reveal"]["hidden"][p["id"]] != "hidden"]
        opening = by_popularity(tasks.matching(unread, one["predicates"][:1]))
        revealed = by_popularity([row for row in tasks.matching(unread, shown) if tasks.takes(row, one)])
        if not tasks.failed(opening[0], one) and tasks.takes(opening[0], one):
            expected.add(("too easy", one["id"], "mixed"))
        place = 1 + next(i for i, row in enumerate(revealed) if not tasks.failed(row, one))
        if place == 1:
            expected.add(("too easy", one["id"], "hidden"))
        if place > 5:
            expected.add(("too hard", one["id"], "hidden"))
    found = {
        (row["finding"], row["family"], row["condition"])
        for row in examine(catalog, tmp_path, proposals=5, similar=1.0)["findings"]
    }
    assert {kind for kind, _, _ in expected} == {"too easy", "too hard"}
    assert found == expected


def test_families_that_share_most_answers_are_near_duplicates(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    tasks.families[0] = {
        **tasks.families[3],
        "id": "family-001",
        "predicates": [dict(p) for p in tasks.families[3]["predicates"]],
    }
    tasks.families[0]["predicates"][1]["value"] -= 1
    tasks.derive()
    tasks.write_tasks(tmp_path)
    one, other = (set(tasks.answers[place]["sizes"]["4k"]["answers"]) for place in (0, 3))
    found = [
        row
        for row in examine(catalog, tmp_path, similar=0.8)["findings"]
        if row["finding"] == "near-duplicate"
    ]
    assert [row["family"] for row in found] == ["family-001"]
    assert found[0]["detail"] == (f"{len(one & other)} of {len(one | other)} answers as family-004")


def test_the_health_command_prints_a_table_or_json(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    arguments = ["--catalog", str(catalog), "--tasks", str(tmp_path), "--proposals", "5"]
    text = CliRunner().invoke(health, arguments, standalone_mode=False).output
    listed = json.loads(CliRunner().invoke(health, [*arguments, "--json"], standalone_mode=False).output)
    hard = sum(row["finding"] == "too hard" for row in listed["findings"])
    assert text.startswith("Families to look at")
    assert f"too hard, hidden: {hard} of 10 satisfiable families" in text


def test_build_products_of_a_track_are_found_by_their_folder(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, _ = valid
    tasks.write_catalogs(tmp_path / "catalog")
    tasks.write_tasks(tmp_path / "tasks")
    place = ["--results", str(tmp_path)]
    text = CliRunner().invoke(show, ["4", *place], standalone_mode=False).output
    assert text == page("4", tmp_path / "catalog", tmp_path / "tasks")
    assert not any(row.endswith(" ") for row in text.splitlines())
    assert "near-duplicate: " in CliRunner().invoke(health, place, standalone_mode=False).output


def test_an_empty_folder_holds_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="holds no catalog"):
        examine(tmp_path, tmp_path)
