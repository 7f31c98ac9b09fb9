"""The answer key, the files with their schemas, and the verb that writes them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from tau_rec_books.catalog.books import BOOK_SCHEMA, Catalog, book_rows
from tau_rec_books.cli.tasks import make_tasks
from tau_rec_books.core.canonical import read_csv, read_json, read_jsonl, write_json, write_parquet
from tau_rec_books.core.errors import Problem
from tau_rec_books.tasks.answers import answer_rows
from tau_rec_books.tasks.predicates import wanted
from tau_rec_books.tasks.write import read_families, write_tasks

SCHEMAS = Path(__file__).parents[3] / "workflow" / "schemas"


@pytest.fixture(scope="module")
def folder(drawn_with: Callable[[str], Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = drawn_with("books-tasks-v1")
    out = tmp_path_factory.mktemp("tasks")
    write_tasks(out, drawn.generation, drawn.catalog, drawn.sizes)
    return out


def test_answers_are_the_matching_books_in_catalog_order_at_every_size(drawn: Any) -> None:
    rows = answer_rows(drawn.families, drawn.catalog, drawn.sizes)
    assert [row["family"] for row in rows] == [family.id for family in drawn.families]
    for family, row in zip(drawn.families, rows, strict=True):
        assert list(row["sizes"]) == ["2k", "4k", "8k"]
        for size, name in zip(drawn.sizes, row["sizes"], strict=True):
            expected = [drawn.catalog.books[n].id for n in sorted(drawn.meeting(family.predicates, size))]
            assert row["sizes"][name]["answers"] == expected


def test_acceptable_answers_are_what_the_reader_wants(drawn_with: Callable[[str], Any]) -> None:
    drawn = drawn_with("books-tasks-v1")
    rows = answer_rows(drawn.families, drawn.catalog, drawn.sizes)
    for family, row in zip(drawn.families, rows, strict=True):
        task = family.task("mixed")
        for kinds in row["sizes"].values():
            assert kinds["acceptable"] == [
                book
                for book in kinds["answers"]
                if wanted(task, drawn.catalog.by_id[book], drawn.catalog.vocabulary)
            ]
            assert bool(kinds["acceptable"]) != family.nvr


@pytest.mark.parametrize(
    ("file", "schema", "rows"),
    [("families", "family", 150), ("tasks", "task", 450), ("answers", "answers", 150)],
)
def test_every_line_fits_its_schema(folder: Path, file: str, schema: str, rows: int) -> None:
    document = read_json(SCHEMAS / f"{schema}.schema.json")
    Draft202012Validator.check_schema(document)
    validator = Draft202012Validator(document)
    lines = list(read_jsonl(folder / f"{file}.jsonl"))
    assert len(lines) == rows
    for line in lines:
        validator.validate(line)


def test_schemas_refuse_unknown_keys_and_years_that_are_text(folder: Path) -> None:
    validator = Draft202012Validator(read_json(SCHEMAS / "family.schema.json"))
    family = next(iter(read_jsonl(folder / "families.jsonl")))
    assert validator.is_valid(family)
    assert not validator.is_valid({**family, "hint": 1})
    year = {"id": "p1", "field": "year", "operator": "min", "value": "1990"}
    assert not validator.is_valid({**family, "predicates": [year, *family["predicates"][1:]]})


@pytest.mark.parametrize("schema", ["family", "task", "answers"])
def test_every_object_of_a_schema_is_closed_and_every_key_described(schema: str) -> None:
    def walk(node: Any, path: str) -> None:
        if not isinstance(node, dict):
            return
        if node.get("type") == "object":
            assert "additionalProperties" in node, path
        for key, value in node.get("properties", {}).items():
            if not path.endswith(("/then", "/else", "/if")):
                assert value.get("description"), f"{path}/{key}"
        for key, value in node.items():
            for child in value if isinstance(value, list) else [value]:
                walk(child, f"{path}/{key}")

    walk(read_json(SCHEMAS / f"{schema}.schema.json"), schema)


def test_tasks_follow_the_families_as_volunteer_mixed_and_hidden(folder: Path) -> None:
    families = [row["id"] for row in read_jsonl(folder / "families.jsonl")]
    tasks = [row["id"] for row in read_jsonl(folder / "tasks.jsonl")]
    assert tasks == [f"{name}-{c}" for name in families for c in ("volunteer", "mixed", "hidden")]


def test_the_tasks_of_a_family_differ_in_condition_and_reveal_tags_only(folder: Path) -> None:
    rows = list(read_jsonl(folder / "tasks.jsonl"))
    for start in range(0, len(rows), 3):
        bare = [
            {**row, "id": "", "condition": "", "predicates": [{**p, "reveal": ""} for p in row["predicates"]]}
            for row in rows[start : start + 3]
        ]
        assert bare[0] == bare[1] == bare[2]


def test_families_read_back_as_they_were_written(folder: Path, drawn_with: Callable[[str], Any]) -> None:
    assert read_families(folder / "families.jsonl") == drawn_with("books-tasks-v1").families


def test_the_summary_stands_beside_the_papers_figures(folder: Path) -> None:
    summary = read_json(folder / "summary.json")
    exact = ("families", "nvr", "single_format", "history", "history_two_hidden", "panel", "reliability")
    assert {key: summary["made"][key] for key in exact} == {key: summary["paper"][key] for key in exact}
    assert set(summary["made"]["median_answers"]) == {"2k", "4k", "8k"}
    assert summary["draws"] == sum(summary["outcomes"].values())
    assert summary["unfilled"] == summary["relaxed"] == []


def test_the_draws_account_for_every_attempt(folder: Path) -> None:
    rows = read_csv(folder / "draws.csv")
    assert sum(int(row["draws"]) for row in rows) == read_json(folder / "summary.json")["draws"]
    assert sum(row["outcome"] == "accepted" for row in rows) == 150
    assert all(
        row["figure"] and row["limit"] for row in rows if row["outcome"] != "accepted" and row["attempt"]
    )


def write_catalog(folder: Path, catalog: Catalog) -> None:
    write_parquet(folder / "2k.parquet", book_rows(catalog.books), BOOK_SCHEMA)
    write_json(folder / "vocabulary.json", catalog.vocabulary.document())


def test_the_verb_writes_the_same_bytes_twice_and_reports_what_fresh_families_share(
    tmp_path: Path, catalog_of: Callable[[int], Catalog], settings_with: Callable[..., dict[str, Any]]
) -> None:
    write_catalog(tmp_path / "catalog", catalog_of(2000))
    settings = json.dumps(settings_with(allow_fewer=True, attempts=60))
    base = [
        "--catalog",
        str(tmp_path / "catalog"),
        "--sizes",
        "500,1000,2000",
        "--settings",
        settings,
        "--out",
    ]
    for name in ("one", "two"):
        result = CliRunner().invoke(make_tasks, [*base, str(tmp_path / name)], catch_exceptions=False)
        assert result.exit_code == 0 and "families after" in result.output
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == [
        "answers.jsonl", "audit_rubric.md", "audit_sample.csv", "draws.csv", "families.jsonl", "overlap.json",
        "summary.json", "tasks.jsonl",
    ]  # fmt: skip
    assert read_json(tmp_path / "one" / "overlap.json") == []
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    avoid = ["--avoid", str(tmp_path / "one" / "families.jsonl")]
    result = CliRunner().invoke(make_tasks, [*base, str(tmp_path / "fresh"), *avoid], catch_exceptions=False)
    assert "0 requests in common with families.jsonl" in result.output
    (given,) = read_json(tmp_path / "fresh" / "overlap.json")
    assert given["set"] == "families.jsonl" and given["same_predicates"] == []
    base[5] = json.dumps({**json.loads(settings), "seed": "another"})
    result = CliRunner().invoke(make_tasks, [*base, str(tmp_path / "other")], catch_exceptions=False)
    assert "0 requests in common with books-tasks-v1" in result.output
    (published,) = read_json(tmp_path / "other" / "overlap.json")
    first = len(read_families(tmp_path / "one" / "families.jsonl"))
    assert published["set"] == "books-tasks-v1" and published["families_first"] == first


def test_an_infeasible_request_leaves_earlier_files_alone(
    tmp_path: Path, catalog_of: Callable[[int], Catalog], settings_with: Callable[..., dict[str, Any]]
) -> None:
    write_catalog(tmp_path / "catalog", catalog_of(2000))
    out = tmp_path / "out"
    out.mkdir()
    (out / "families.jsonl").write_text("earlier\n", encoding="utf-8")
    settings = json.dumps(settings_with(hidden_exclusion=1.0, attempts=50))
    with pytest.raises(Problem, match="hidden_exclusion"):
        CliRunner().invoke(
            make_tasks,
            ["--catalog", str(tmp_path / "catalog"), "--sizes", "500,1000,2000", "--settings", settings,
             "--out", str(out)],
            catch_exceptions=False,
        )  # fmt: skip
    assert [path.name for path in out.iterdir()] == ["families.jsonl"]
    assert (out / "families.jsonl").read_text(encoding="utf-8") == "earlier\n"


def test_a_missing_catalog_or_wrong_file_of_families_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="does not exist"):
        CliRunner().invoke(
            make_tasks,
            ["--catalog", str(tmp_path), "--settings", "{}", "--out", str(tmp_path / "o")],
            catch_exceptions=False,
        )
    (tmp_path / "other.jsonl").write_text('{"a":1}\n', encoding="utf-8")
    with pytest.raises(Problem, match="does not hold task families"):
        read_families(tmp_path / "other.jsonl")
