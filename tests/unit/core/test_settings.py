"""The configuration: unknown keys and impossible combinations stop with one sentence."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tau_rec_books.core.errors import Problem
from tau_rec_books.core.settings import check_settings, typed

ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "workflow/schemas/config.schema.json").read_text(encoding="utf-8"))
CONFIG = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))


def changed(path: str, value: Any) -> dict[str, Any]:
    config = copy.deepcopy(CONFIG)
    *parents, key = path.split(".")
    place = config
    for parent in parents:
        place = place[parent]
    place[key] = value
    return config


def objects(schema: Any) -> list[dict[str, Any]]:
    found = []
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            found.append(schema)
        found += [inner for value in schema.values() for inner in objects(value)]
    elif isinstance(schema, list):
        found += [inner for value in schema for inner in objects(value)]
    return found


def test_the_default_configuration_is_valid() -> None:
    check_settings(CONFIG, SCHEMA)


def test_the_schema_is_valid_and_strict_at_every_object() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert objects(SCHEMA)
    for part in objects(SCHEMA):
        assert part["additionalProperties"] is not True, part
        for key, inner in part.get("properties", {}).items():
            assert "description" in inner, key


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("catalog.sead", 3, r"unknown key 'sead' in catalog; known keys are .*seed"),
        ("tracks", "x", r"unknown key 'tracks' in the file"),
        ("catalog.sizes", [5000, 5000], r"catalog\.sizes must increase, but is \[5000, 5000\]"),
        ("catalog.sizes", [20000, 5000], r"catalog\.sizes must increase"),
        ("catalog.sizes", [], r"catalog\.sizes: .*Nested catalog sizes"),
        ("catalog.sizes", [5000, 10000], r"trials\.size 20000 is not one of catalog\.sizes"),
        ("catalog.year_min", 3000, r"catalog\.year_min 3000 is after year_max 2026"),
        ("track", "../up", r"track: '\.\./up' does not match"),
        ("tasks.tiers", {"simple": {"satisfiable": 45, "nvr": 5}}, r"the tier 'complex' needs both"),
        ("tasks.panel", {"satisfiable": 99, "nvr": 2}, r"reliability\.satisfiable ≤ panel\.satisfiable"),
        ("tasks.single_format_families", 136, r"only 135 satisfiable families"),
        ("tasks.history_two_hidden", 49, r"history_two_hidden is larger"),
        ("trials.shard_size", 0, r"trials\.shard_size: 0 is less than the minimum"),
        ("statistics.pass_k", [0], r"statistics\.pass_k\.0: 0 is less"),
        (
            "statistics.pass_k",
            [1, 2],
            r"pass_k is \[1, 2\], but scripted agents run each",
        ),
        ("trials.agents", ["populatiry"], r"trials\.agents\.0: 'populatiry' is not one of .*'popularity'"),
    ],
)
def test_a_bad_value_stops_with_its_place(path: str, value: Any, sentence: str) -> None:
    with pytest.raises(Problem, match=sentence):
        check_settings(changed(path, value), SCHEMA)


def test_texts_of_the_command_line_become_what_the_schema_wants() -> None:
    """Snakemake gives everything inside braces as text."""

    def as_text(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: as_text(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [as_text(inner) for inner in value]
        return value if isinstance(value, str) else str(value)

    sections = {name: as_text(CONFIG[name]) for name in ("catalog", "tasks", "trials", "statistics")}
    assert typed({**CONFIG, **sections}, SCHEMA) == CONFIG
    assert typed(CONFIG, SCHEMA) == CONFIG


@pytest.mark.parametrize("text", ["many", "1.5", "", "true", "1e400", "[1]", "٣"])
def test_texts_that_do_not_fit_stay_for_the_check_to_tell(text: str) -> None:
    config = changed("trials.size", text)
    assert typed(config, SCHEMA) == config
    with pytest.raises(Problem, match=r"trials\.size"):
        check_settings(config, SCHEMA)


def test_a_seed_of_digits_stays_text() -> None:
    assert typed(changed("tasks.seed", "7"), SCHEMA)["tasks"]["seed"] == "7"


def test_the_schema_names_exactly_the_agents_there_are() -> None:
    from tau_rec_books.agents.run import AGENTS

    assert SCHEMA["properties"]["trials"]["properties"]["agents"]["items"]["enum"] == sorted(AGENTS)
