"""Every rule applied to a task set, and the set's figures, as one report."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from json import loads
from pathlib import Path
from typing import Any

import duckdb
from jsonschema import Draft202012Validator

from tau_rec_books.core.canonical import read_json, read_jsonl
from tau_rec_books.core.errors import Problem
from tau_rec_books.core.identifiers import size_name
from tau_rec_books.tasks.validation.evidence import gather, rows
from tau_rec_books.tasks.validation.rulebook import RULES, Rule, query

SENTENCES = 20
"""Most problems of one check that are told; all are counted."""

SCHEMAS = {
    "family.schema.json": ("families.jsonl", "id"),
    "task.schema.json": ("tasks.jsonl", "id"),
    "answers.schema.json": ("answers.jsonl", "family"),
}
"""JSON Schema → the file whose lines it describes, and the key that names a line."""


def validate(
    catalog_dir: Path,
    tasks_dir: Path,
    settings: Mapping[str, Any],
    sizes: Sequence[int],
    schemas_dir: Path | None = None,
    *,
    fewer_books: bool = False,
) -> dict[str, Any]:
    """Check a task set against every rule, from its files alone.

    Everything is computed again with SQL; no code of the generator takes part.

    Args:
        catalog_dir: folder of ``{size}.parquet`` and ``vocabulary.json``.
        tasks_dir: folder of ``families.jsonl``, ``tasks.jsonl`` and ``answers.jsonl``.
        settings: the section ``tasks`` of the configuration.
        sizes: catalog sizes, increasing.
        schemas_dir: folder of ``family``, ``task`` and ``answers.schema.json``; ``None`` leaves schemas out.
        fewer_books: accept catalogs with fewer books than their names say when they hold all works there are
            (``catalog.allow_fewer``).

    Returns:
        ``{"passed": bool, "checks": [{"check", "description", "examined", "passed", "problems",
        "problem_count"}], "summary": {…}}``, with at most ``SENTENCES`` problems per check.

    Raises:
        Problem: when a file is missing or cannot be read as what it should be.
    """
    named = {size_name(size): size for size in sizes}
    con = gather(catalog_dir, tasks_dir, named, settings, fewer_books=fewer_books)
    try:
        checks = [_check(con, rule) for rule in RULES]
        if schemas_dir is not None:
            checks += _schema_checks(schemas_dir, tasks_dir)
        summary = _summary(con)
    finally:
        con.close()
    return {"passed": all(check["passed"] for check in checks), "checks": checks, "summary": summary}


def _check(con: duckdb.DuckDBPyConnection, rule: Rule) -> dict[str, Any]:
    try:
        found = rows(con, rule.sql)
        examined = int(con.execute(rule.examined).fetchall()[0][0])
    except duckdb.Error as error:
        raise Problem(
            f"The rule {rule.name} cannot be checked ({str(error).splitlines()[0]}); build the tasks again."
        ) from error
    return _result(
        rule.name,
        rule.description,
        examined,
        [rule.tell(row["family"], row["detail"]) for row in found[:SENTENCES]],
        len(found),
    )


def _result(name: str, description: str, examined: int, problems: list[str], count: int) -> dict[str, Any]:
    return {
        "check": name,
        "description": description,
        "examined": examined,
        "passed": count == 0,
        "problems": problems,
        "problem_count": count,
    }


def _schema_checks(schemas_dir: Path, tasks_dir: Path) -> list[dict[str, Any]]:
    """One check per published schema that is there."""
    checks = []
    for name, (file, key) in SCHEMAS.items():
        if not (schemas_dir / name).is_file():
            continue
        rule = f"schema-{name.removesuffix('.schema.json')}"
        validator = Draft202012Validator(read_json(schemas_dir / name))
        documents = list(read_jsonl(tasks_dir / file))
        problems = []
        for line, document in enumerate(documents, start=1):
            label = document.get(key, f"line {line}") if isinstance(document, dict) else f"line {line}"
            for error in sorted(validator.iter_errors(document), key=lambda error: error.json_path):
                problems.append(f"{label} breaks {rule}: {error.json_path} {error.message[:200]}.")
        checks.append(
            _result(
                rule,
                f"Every line of {file} meets {name}.",
                len(documents),
                problems[:SENTENCES],
                len(problems),
            )
        )
    return checks


def _summary(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """The set's figures beside those the paper prints."""
    (counts,) = rows(con, query("summary", "counts"))
    (country,) = rows(con, query("summary", "country-predicates"))
    share = round(country["us_or_uk"] / country["predicates"], 4) if country["predicates"] else None
    labels: dict[str, dict[str, int]] = {}
    for row in rows(con, query("summary", "labels")):
        labels.setdefault(row["field"], {})[row["label"]] = row["predicates"]
    return {
        **counts,
        "tiers": {
            row["tier"]: {"satisfiable": row["satisfiable"], "nvr": row["nvr"]}
            for row in rows(con, query("summary", "tiers"))
        },
        "templates": {row["template"]: row["families"] for row in rows(con, query("summary", "templates"))},
        "median_answers": {
            row["size"]: row["answers"] for row in rows(con, query("summary", "median-answers"))
        },
        "country_predicates": {**country, "share": share},
        "labels": labels,
        "paper": loads(files(__package__).joinpath("published.json").read_text(encoding="utf-8")),
    }
