"""The validator's report: right against plain loops, bounded, repeatable, and clear about bad input."""

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tau_rec_books.catalog.books import FORMATS, Catalog
from tau_rec_books.cli.tasks_validation import validate_tasks
from tau_rec_books.core.errors import CheckFailed, Problem
from tau_rec_books.tasks.validation import validate
from tau_rec_books.tasks.validation.rulebook import RULES


def _load_valid_tasks() -> ModuleType:
    path = Path(__file__).parents[2] / "contract" / "valid_tasks.py"
    spec = importlib.util.spec_from_file_location("valid_tasks_for_reports", path)
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


def check(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(item for item in report["checks"] if item["check"] == name)


def options(tasks: TaskSet, catalog: Path, folder: Path) -> list[str]:
    sizes = ",".join(str(size) for size in tasks.sizes)
    return [
        *("--catalog", str(catalog), "--tasks", str(folder), "--sizes", sizes),
        *("--settings", json.dumps(tasks.settings)),
    ]


# The rules as files


def test_every_query_belongs_to_a_rule_and_every_rule_has_a_query() -> None:
    folder = files("tau_rec_books.tasks.validation") / "rules"
    names = sorted(entry.name.removesuffix(".sql") for entry in folder.iterdir())
    assert names == sorted(rule.name for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_returns_its_breaks_in_an_order(rule: Any) -> None:
    assert (
        rule.sql.rstrip().rsplit("\n", 1)[-1].startswith("order by")
        or "order by" in rule.sql.rsplit(")", 1)[-1]
    )


def test_the_validator_shares_no_code_with_the_generator() -> None:
    program = (
        "import sys, tau_rec_books.tasks.validation;"
        "print(*sorted(name for name in sys.modules if name.startswith('tau_rec_books.')))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    strangers = [
        name
        for name in loaded
        if not name.startswith(("tau_rec_books.core", "tau_rec_books.tasks.validation"))
        and name != "tau_rec_books.tasks"
    ]
    assert strangers == []


# The report


def test_a_sound_set_passes_with_its_figures_beside_the_papers(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    report = validate(catalog, tmp_path, tasks.settings, tasks.sizes)
    summary = report["summary"]
    countries = [p["value"] for one in tasks.families for p in one["predicates"] if p["field"] == "country"]
    western = sum(value in ("United States", "United Kingdom") for value in countries)
    assert report["passed"]
    assert summary["families"], summary["tasks"] == (13, 39)
    assert summary["country_predicates"] == {
        "predicates": len(countries),
        "us_or_uk": western,
        "share": round(western / len(countries), 4),
    }
    assert list(summary["median_answers"]) == ["1k", "2k", "4k"]
    assert summary["paper"]["median_answers"] == {"5k": 10, "20k": 40}


def test_the_report_is_the_same_every_time(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    for document in tasks.tasks:
        document["persona"] = {"name": "Nobody"}
    tasks.write_tasks(tmp_path)
    one, other = (validate(catalog, tmp_path, tasks.settings, tasks.sizes) for _ in range(2))
    assert json.dumps(one) == json.dumps(other)


def test_twenty_problems_of_a_check_are_told_and_all_are_counted(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    for document in tasks.tasks:
        document["persona"] = {"name": "Nobody"}
    tasks.write_tasks(tmp_path)
    found = check(validate(catalog, tmp_path, tasks.settings, tasks.sizes), "variants-alike")
    assert (len(found["problems"]), found["problem_count"]) == (20, 39)


def test_fewer_families_are_fine_where_the_settings_allow_it_but_never_more(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    tasks.settings["allow_fewer"] = True
    tasks.families.pop()
    tasks.derive()
    tasks.write_tasks(tmp_path)
    assert validate(catalog, tmp_path, tasks.settings, tasks.sizes)["passed"]
    tasks.settings["tiers"]["simple"]["satisfiable"] = 3
    found = check(validate(catalog, tmp_path, tasks.settings, tasks.sizes), "tier-counts")
    assert found["problems"] == ["tier simple breaks tier-counts: 4 satisfiable families instead of 3."]


def test_a_catalog_may_hold_fewer_books_than_its_name_says_when_it_holds_all_there_are(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, _ = valid
    tasks = sound.bent()
    # As if a fourth size had been asked for and the snapshot held no more.
    tasks.catalogs["5k"] = tasks.catalogs["4k"]
    tasks.write_catalogs(tmp_path)
    tasks.write_tasks(tmp_path)
    sizes = (*tasks.sizes, 5000)

    def sizes_found(**allowed: bool) -> list[str]:
        problems: list[str] = check(
            validate(tmp_path, tmp_path, tasks.settings, sizes, **allowed), "catalog-sizes"
        )["problems"]
        return problems

    assert sizes_found() == ["catalog 5k breaks catalog-sizes: it has 4000 books instead of 5000."]
    assert sizes_found(fewer_books=True) == []
    tasks.catalogs["4k"] = tasks.catalogs["4k"][:-1]
    tasks.write_catalogs(tmp_path)
    assert sizes_found(fewer_books=True) == [
        "catalog 4k breaks catalog-sizes: it has 3999 books instead of 4000."
    ]


def test_tiers_keep_their_order_whatever_the_order_of_the_settings(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    shuffled = json.loads(json.dumps(tasks.settings, sort_keys=True))
    assert list(shuffled["tiers"]) == ["complex", "medium", "simple"]
    assert validate(catalog, tmp_path, shuffled, tasks.sizes)["passed"]


def test_published_schemas_are_checked_line_by_line(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path / "tasks")
    schema = {"type": "object", "properties": {"id": {"enum": ["family-001"]}}}
    (tmp_path / "family.schema.json").write_text(json.dumps(schema))
    report = validate(catalog, tmp_path / "tasks", tasks.settings, tasks.sizes, tmp_path)
    found = check(report, "schema-family")
    assert found["problem_count"] == 12
    assert found["problems"][0].startswith("family-002 breaks schema-family: $.id ")


# Numbers at their limits, on catalogs made for it


def made(tasks: TaskSet, books: list[tuple[str, int]]) -> TaskSet:
    """A one-family set over books given as (genre, year): War, to 1950, with the year hidden."""
    template = tasks.catalogs["1k"][0]
    rows = [
        {
            **template,
            "id": f"wd_Q{number}",
            "genres": [genre],
            "year": year,
            "languages": ["French"],
            "countries": ["France"],
        }
        for number, (genre, year) in enumerate(books, start=1)
    ]
    one = json.loads(json.dumps(tasks.families[3]))
    one["predicates"] = [
        {"id": "p1", "field": "genre", "operator": "is", "value": "War"},
        {"id": "p2", "field": "year", "operator": "max", "value": 1950},
    ]
    small = valid_tasks.TaskSet({str(len(rows)): rows}, tasks.vocabulary, [one], tasks.settings, (len(rows),))
    small.derive()
    return small


def report_of(tasks: TaskSet, folder: Path) -> dict[str, Any]:
    tasks.write_catalogs(folder / "catalog")
    tasks.write_tasks(folder / "tasks")
    return validate(folder / "catalog", folder / "tasks", tasks.settings, tasks.sizes)


@pytest.mark.parametrize(("answers", "material"), [(60, True), (61, False)])
def test_three_books_more_are_material_for_sixty_answers_but_not_for_more(
    valid: tuple[TaskSet, Path], tmp_path: Path, answers: int, material: bool
) -> None:
    books = [("War", 1940)] * answers + [("War", 1960)] * 3 + [("Crime", 1940)] * 9
    found = check(report_of(made(valid[0], books), tmp_path), "predicates-material")
    assert found["passed"] is material


@pytest.mark.parametrize(("within", "given_away"), [(89, False), (90, True)])
def test_nine_in_ten_books_give_a_hidden_year_away(
    valid: tuple[TaskSet, Path], tmp_path: Path, within: int, given_away: bool
) -> None:
    books = [("War", 1940)] * within + [("War", 1960)] * (100 - within)
    found = check(report_of(made(valid[0], books), tmp_path), "giveaway-share")
    assert found["passed"] is not given_away


@pytest.mark.parametrize(("beyond", "enough"), [(20, True), (19, False)])
def test_hidden_predicates_rule_out_at_least_half(
    valid: tuple[TaskSet, Path], tmp_path: Path, beyond: int, enough: bool
) -> None:
    books = [("War", 1940)] * 20 + [("War", 1960)] * beyond
    found = check(report_of(made(valid[0], books), tmp_path), "hidden-excludes")
    assert found["passed"] is enough


# Any request at all


SMALL = (150, 300, 600)
LABELS = {
    "genre": ["Science Fiction", "Fantasy", "War", "No Such Genre"],
    "language": ["English", "British English", "French", "Latin"],
    "country": ["United Kingdom", "England", "France", "Atlantis"],
}
predicate_strategy = st.one_of(
    *(st.tuples(st.just(field), st.just("is"), st.sampled_from(labels)) for field, labels in LABELS.items()),
    st.tuples(st.just("year"), st.sampled_from(["min", "max"]), st.integers(1600, 2030)),
)
request_strategy = st.tuples(
    st.lists(predicate_strategy, min_size=1, max_size=5),
    st.none() | st.lists(st.sampled_from(FORMATS), min_size=1, max_size=3, unique=True).map(sorted),
    st.lists(st.integers(0, SMALL[-1] - 1), max_size=3, unique=True),
)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(requests=st.lists(request_strategy, min_size=1, max_size=25))
def test_any_request_has_the_answers_that_plain_loops_find(
    catalog_of: Callable[[int], Catalog], tmp_path: Path, requests: list[Any]
) -> None:
    catalog = catalog_of(SMALL[-1])
    rows = valid_tasks.plain_catalogs(catalog, SMALL)
    vocabulary = json.loads(json.dumps(catalog.vocabulary.document()))
    families = [
        {
            "id": f"family-{number:03d}",
            "tier": "simple",
            "template": "none",
            "nvr": False,
            "predicates": [
                {"id": f"p{place}", "field": field, "operator": operator, "value": value}
                for place, (field, operator, value) in enumerate(predicates, start=1)
            ],
            "reveal": {condition: {} for condition in valid_tasks.CONDITIONS},
            "accepted_formats": formats,
            "history": [rows["600"][position]["id"] for position in history],
            "persona": {"name": "Nobody"},
            "panel": False,
            "reliability": False,
        }
        for number, (predicates, formats, history) in enumerate(requests, start=1)
    ]
    for document in families:
        document["reveal"] = {
            condition: {p["id"]: "stated" for p in document["predicates"]}
            for condition in valid_tasks.CONDITIONS
        }
    tasks = valid_tasks.TaskSet(rows, vocabulary, families, valid_tasks.SETTINGS, SMALL)
    tasks.derive()
    report = report_of(tasks, tmp_path)
    for name in ("answers-exact", "acceptable-exact", "answers-nested", "document-shape", "task-tags"):
        assert check(report, name)["problems"] == []


# The command


def test_the_command_prints_one_line_per_check_and_writes_the_report(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    result = CliRunner().invoke(validate_tasks, options(tasks, catalog, tmp_path), standalone_mode=False)
    lines = result.output.splitlines()
    report = json.loads((tmp_path / "validation.json").read_text())
    assert result.exception is None
    assert len(lines) == len(report["checks"]) == len(RULES)
    assert all(line.startswith("ok    ") for line in lines)


def test_the_command_fails_with_a_sentence_and_the_report_is_written_all_the_same(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    tasks.families[3]["persona"] = {}
    tasks.derive()
    tasks.write_tasks(tmp_path)
    place = tmp_path / "elsewhere" / "report.json"
    result = CliRunner().invoke(
        validate_tasks,
        [*options(tasks, catalog, tmp_path), "--report", str(place)],
        standalone_mode=False,
    )
    assert isinstance(result.exception, CheckFailed)
    assert str(result.exception).startswith(f"1 of {len(RULES)} checks of the task set fail; {place}")
    assert "FAIL  persona-complete: family-004 breaks persona-complete: it has no persona." in result.output
    assert not json.loads(place.read_text())["passed"]


def test_the_command_prints_the_report_as_json(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    tasks, catalog = valid
    tasks.write_tasks(tmp_path)
    result = CliRunner().invoke(
        validate_tasks, [*options(tasks, catalog, tmp_path), "--json"], standalone_mode=False
    )
    assert json.loads(result.output) == json.loads((tmp_path / "validation.json").read_text())


def _nothing(folder: Path) -> None:
    (folder / "tasks" / "answers.jsonl").unlink()


def _half_a_line(folder: Path) -> None:
    path = folder / "tasks" / "answers.jsonl"
    path.write_bytes(path.read_bytes()[:-40])


def _no_catalog(folder: Path) -> None:
    (folder / "catalog" / "2k.parquet").unlink()


def _half_a_catalog(folder: Path) -> None:
    path = folder / "catalog" / "2k.parquet"
    path.write_bytes(path.read_bytes()[:5000])


def _another_table(folder: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["wd_Q1"]}), folder / "catalog" / "2k.parquet")


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (_nothing, "answers.jsonl does not exist"),
        (_half_a_line, "answers.jsonl, line 13, is not valid JSON"),
        (_no_catalog, "2k.parquet does not exist"),
        (_half_a_catalog, "2k.parquet cannot be read as a catalog"),
        (_another_table, "2k.parquet cannot be read as a catalog"),
    ],
)
def test_unreadable_input_is_one_sentence_and_leaves_the_old_report(
    valid: tuple[TaskSet, Path], tmp_path: Path, spoil: Callable[[Path], None], named: str
) -> None:
    tasks, _ = valid
    tasks.write_catalogs(tmp_path / "catalog")
    tasks.write_tasks(tmp_path / "tasks")
    (tmp_path / "tasks" / "validation.json").write_text("the old report")
    spoil(tmp_path)
    result = CliRunner().invoke(
        validate_tasks, options(tasks, tmp_path / "catalog", tmp_path / "tasks"), standalone_mode=False
    )
    assert isinstance(result.exception, Problem) and not isinstance(result.exception, CheckFailed)
    assert named in str(result.exception)
    assert "\n" not in str(result.exception)
    assert (tmp_path / "tasks" / "validation.json").read_text() == "the old report"


def test_a_missing_setting_is_named(valid: tuple[TaskSet, Path], tmp_path: Path) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    del tasks.settings["material_share"]
    tasks.write_tasks(tmp_path)
    with pytest.raises(Problem, match="material_share"):
        validate(catalog, tmp_path, tasks.settings, tasks.sizes)


def test_lines_that_are_no_objects_are_problems_and_not_crashes(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    sound, catalog = valid
    tasks = sound.bent()
    tasks.families[1] = [1, 2]
    tasks.tasks[1] = "nothing"
    tasks.answers[1] = {"family": "family-002", "sizes": [3]}
    tasks.write_tasks(tmp_path)
    report = validate(catalog, tmp_path, tasks.settings, tasks.sizes)
    told = check(report, "document-shape")["problems"]
    assert "line 2 of families.jsonl breaks document-shape: the line is not an object." in told
    assert "line 2 of tasks.jsonl breaks document-shape: the line is not an object." in told


def test_folders_may_have_brackets_and_stars_in_their_names(
    valid: tuple[TaskSet, Path], tmp_path: Path
) -> None:
    tasks, _ = valid
    folder = tmp_path / "run [1] *?"
    tasks.write_catalogs(folder / "catalog")
    tasks.write_tasks(folder / "tasks")
    assert validate(folder / "catalog", folder / "tasks", tasks.settings, tasks.sizes)["passed"]
