"""Precision and recall of the matcher on labelled turns."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tau_rec_books.cli.match import match
from tau_rec_books.core.errors import Problem
from tau_rec_books.trial.match_report import Agreement, compare, report_lines
from tau_rec_books.trial.matching import matcher

TURNS = [
    {"text": "What genre?", "fields": ["genre"]},
    {"text": "What language?", "fields": ["genre"]},
    {"text": "Anything else?", "fields": [], "generic": True},
    {"text": "Hello.", "fields": ["year"]},
]


def test_counts_precision_and_recall() -> None:
    rows = {row.name: row for row in compare(TURNS, matcher("rule-v1"))}
    assert rows["genre"] == Agreement("genre", 2, 0, 1)
    assert rows["language"] == Agreement("language", 1, 1, 0)
    assert rows["year"].recall == 0.5
    assert rows["generic"] == Agreement("generic", 1, 0, 0)
    assert rows["all fields"].both == 6
    assert rows["all fields"].precision == pytest.approx(6 / 7)


def test_a_share_of_nothing_is_no_number() -> None:
    empty = Agreement("genre", 0, 0, 0)
    assert empty.precision is None
    assert empty.recall is None
    assert "-" in report_lines([empty])[1]


@pytest.mark.parametrize("fields", [None, "genre", ["weather"]])
def test_a_turn_without_labels_is_a_problem(fields: object) -> None:
    with pytest.raises(Problem, match="Turn 1"):
        compare([{"text": "x", "fields": fields}], matcher("rule-v1"))


def run(path: Path, *more: str) -> str:
    result = CliRunner().invoke(match, ["--input", str(path), *more], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.output


def test_the_verb_prints_a_line_per_turn_or_a_report(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(turn) + "\n" for turn in TURNS), encoding="utf-8")
    lines = [json.loads(line) for line in run(path).splitlines()]
    assert [line["fields"] for line in lines[:2]] == [["genre"], ["language"]]
    assert "clauses" in json.loads(run(path, "--clauses").splitlines()[0])
    assert len(run(path, "--report").splitlines()) == 8
    path.write_text('{"turn": 1}\n', encoding="utf-8")
    with pytest.raises(Problem, match="has no text"):
        run(path)
