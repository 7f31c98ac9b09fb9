"""The configuration: read, checked against its schema and for impossible combinations."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from tau_rec_books.core.canonical import read_json
from tau_rec_books.core.errors import Problem

Settings = Mapping[str, Any]


def check_settings(config: Settings, schema: Settings) -> None:
    """Check a whole configuration before anything is built.

    Raises:
        Problem: for the first unknown key, wrong type, value out of bounds or impossible combination, with
            its place in the file.
    """
    errors = sorted(Draft202012Validator(schema).iter_errors(config), key=_depth_and_path)
    if errors:
        raise Problem(f"config: {_sentence(errors[0])}")
    for sentence in _impossible(config):
        raise Problem(f"config: {sentence}")


def typed(config: Any, schema: Settings) -> Any:
    """A configuration whose texts became the numbers or truth values that the schema wants in their place.

    Snakemake reads everything inside braces of ``--config 'trials={size: 5000}'`` as text. What does not fit
    stays as it is, for :func:`check_settings` to tell.
    """
    if isinstance(config, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        rest = other if isinstance(other, dict) else {}
        return {key: typed(value, known.get(key, rest)) for key, value in config.items()}
    if isinstance(config, list):
        return [typed(value, schema.get("items", {})) for value in config]
    if isinstance(config, str) and schema.get("type") in ("integer", "number", "boolean"):
        try:
            value = json.loads(config.lower())
        except ValueError:
            return config
        return value if Draft202012Validator({"type": schema["type"]}).is_valid(value) else config
    return config


def section(name: str, given: str | None, path: Path = Path("config.yaml")) -> dict[str, Any]:
    """One section of the configuration.

    Args:
        name: the section.
        given: a JSON text, the path of a JSON file, or ``None`` for the section in ``path``.
        path: the configuration to read when nothing is given.

    Raises:
        Problem: when the text or the file cannot be read.
    """
    if given is not None:
        value = settings_document(given)
    else:
        try:
            value = yaml.safe_load(path.read_text(encoding="utf-8"))[name]
        except FileNotFoundError as error:
            raise Problem(f"No {path} here; run in the repository or give --settings.") from error
        except (yaml.YAMLError, KeyError, TypeError) as error:
            raise Problem(f"{path} has no readable section {name} ({error}); mend it.") from error
    if not isinstance(value, dict):
        raise Problem(f"The section {name} must be an object with keys, not {type(value).__name__}.")
    return value


def settings_document(given: str) -> Any:
    """The JSON value of a text that is JSON or names a JSON file.

    Raises:
        Problem: when it is neither.
    """
    if not given.lstrip().startswith("{"):
        return read_json(Path(given))
    try:
        return json.loads(given)
    except ValueError as error:
        raise Problem(f"--settings is not JSON ({error}); give a JSON object or the path of one.") from error


def _depth_and_path(error: ValidationError) -> tuple[int, str]:
    return len(error.absolute_path), str(list(error.absolute_path))


def _place(error: ValidationError) -> str:
    return ".".join(str(step) for step in error.absolute_path) or "the file"


def _sentence(error: ValidationError) -> str:
    place = _place(error)
    schema = error.schema if isinstance(error.schema, Mapping) else {}
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        known = sorted(schema.get("properties", {}))
        unknown = sorted(str(key) for key in error.instance if key not in known)
        return f"unknown key {unknown[0]!r} in {place}; known keys are {', '.join(known)}."
    hint = schema.get("description", "")
    return f"{place}: {error.message}." + (f" It means: {hint}" if hint else "")


def _impossible(config: Settings) -> list[str]:
    """Combinations that each key's own schema cannot see."""
    problems = []
    catalog, tasks, trials = config["catalog"], config["tasks"], config["trials"]
    sizes = catalog["sizes"]
    if any(later <= earlier for earlier, later in pairwise(sizes)):
        problems.append(f"catalog.sizes must increase, but is {sizes}; each catalog is a prefix of the next.")
    if catalog["year_min"] > catalog["year_max"]:
        problems.append(
            f"catalog.year_min {catalog['year_min']} is after year_max {catalog['year_max']}; swap them."
        )
    if trials["size"] not in sizes:
        problems.append(
            f"trials.size {trials['size']} is not one of catalog.sizes {sizes}; choose one of them."
        )
    tiers = set(tasks["tiers"])
    for tier in sorted({template["tier"] for template in tasks["templates"]} ^ tiers):
        problems.append(f"tasks: the tier {tier!r} needs both counts under tiers and at least one template.")
    names = [template["id"] for template in tasks["templates"]]
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.append(f"tasks.templates has two templates called {name!r}; rename one.")
    for tier, counts in tasks["tiers"].items():
        for kind in ("satisfiable", "nvr"):
            if not tasks["reliability"][kind] <= tasks["panel"][kind] <= counts[kind]:
                problems.append(
                    f"tasks: reliability.{kind} ≤ panel.{kind} ≤ tiers.{tier}.{kind} must hold, but they are "
                    f"{tasks['reliability'][kind]}, {tasks['panel'][kind]} and {counts[kind]}."
                )
    satisfiable = sum(counts["satisfiable"] for counts in tasks["tiers"].values())
    for key in ("single_format_families", "history_families"):
        if tasks[key] > satisfiable:
            problems.append(
                f"tasks.{key} is {tasks[key]}, but there are only {satisfiable} satisfiable families."
            )
    ks = config["statistics"]["pass_k"]
    if max(ks) > 1 or 1 not in ks:
        problems.append(
            f"statistics.pass_k is {ks}, but scripted agents run each task once, which gives pass^1 alone; "
            "set it to [1]."
        )
    if tasks["history_two_hidden"] > tasks["history_families"]:
        problems.append("tasks.history_two_hidden is larger than tasks.history_families; lower it.")
    return problems
